"""Entries survive JSON to the letter, and a patch holds just what changed."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from curator.model import (
    Anchor,
    Category,
    Drift,
    Durability,
    Entry,
    Evidence,
    Finding,
    Line,
    Relating,
    Relation,
    Role,
    Snippet,
    State,
    Wording,
)
from curator.model.codec import apply_patch, decode, dumps, encode, patch

TEXT = st.text(max_size=20)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
TIME = st.floats(0, 4e9, allow_nan=False)
ROLE = st.sampled_from(Role)
EVIDENCE = st.builds(
    Evidence,
    quote=TEXT,
    role=ROLE,
    file=TEXT,
    line=st.integers(0, 99),
    line_end=st.integers(0, 99),
    agent=TEXT,
    session=TEXT,
    at=st.none() | TIME,
    excerpt=st.lists(st.builds(Line, ROLE, TEXT, st.booleans()), max_size=3).map(tuple),
)
ENTRIES = st.builds(
    Entry,
    id=TEXT,
    project=TEXT,
    state=st.sampled_from(State),
    category=st.sampled_from(Category),
    headline=TEXT,
    insight=TEXT,
    created=TIME,
    updated=TIME,
    context=TEXT,
    snippets=st.lists(st.builds(Snippet, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    scope=TEXT,
    paths=TEXTS,
    durability=st.sampled_from(Durability),
    files=TEXTS,
    symbols=TEXTS,
    score=st.floats(0, 1),
    why=st.dictionaries(TEXT, st.floats(-3, 3), max_size=3),
    signal=TEXT,
    evidence=st.lists(EVIDENCE, max_size=3).map(tuple),
    wordings=st.lists(st.builds(Wording, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    seen=st.integers(1, 9),
    rival=st.none()
    | st.builds(
        Relation,
        other=TEXT,
        relating=st.sampled_from(Relating),
        clash=st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple),
        likeness=st.floats(0, 1),
    ),
    findings=st.lists(
        st.builds(
            Finding,
            path=TEXT,
            symbol=TEXT,
            drift=st.sampled_from(Drift),
            severity=st.floats(0, 1),
            named=TEXTS,
            certain=st.booleans(),
            diff=TEXT,
        ),
        max_size=2,
    ).map(tuple),
    anchors=st.lists(st.builds(Anchor, path=TEXT, symbol=TEXT, body=TEXT, blob=TEXT), max_size=2).map(tuple),
    supersedes=TEXTS,
    coexists=st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple),
    snoozed_until=st.none() | TIME,
)


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
