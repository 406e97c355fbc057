"""Entries survive JSON to the letter, and a patch holds just what changed."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from curator.model import Entry
from curator.model.codec import apply_patch, decode, dumps, encode, patch

st.register_type_strategy(float, st.floats(allow_nan=False))  # which equals nothing, not even itself
ENTRIES = st.from_type(Entry)
"""Every field of every noun filled with whatever its type allows."""


@given(ENTRIES)
def test_an_entry_survives_json(entry: Entry) -> None:
    assert decode(json.loads(dumps(encode(entry)))) == entry


@given(ENTRIES, ENTRIES)
def test_a_patch_leads_there_and_back(a: Entry, b: Entry) -> None:
    before, after = encode(a), encode(b)
    old, new = patch(before, after)
    assert apply_patch(before, new) == after
    assert apply_patch(after, old) == before
    assert old.keys() == new.keys()
    assert all(old[key] != new[key] for key in old)


def test_keys_of_a_later_version_are_left_out(make) -> None:  # type: ignore[no-untyped-def]
    entry = make()
    assert decode(encode(entry) | {"mood": "sunny"}) == entry


def test_defaults_take_no_room(make) -> None:  # type: ignore[no-untyped-def]
    assert not {"context", "snippets", "rival", "findings", "merged_into"} & encode(make()).keys()
