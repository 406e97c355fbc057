"""What of JSON is parsed: nothing that would take more memory than there should be."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from curator.io import files

EMOJI = "\U0001f600"
SMALL = b'{"a":1},'


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: b'["' + b"word " * 6_000_000 + b'"]', ""),
        (lambda: b'["' + b"word, " * 5_000_000 + b'"]', "values"),
        (lambda: ('["' + "wort " * 4_000_000 + EMOJI + '"]').encode(), ""),
        (lambda: ('["' + "word " * 4_600_000 + EMOJI + '", ').encode() + SMALL * 900_000 + b"1]", "memory"),
        (lambda: json.dumps(["word " * 4_600_000 + EMOJI]).encode()[:-1] + b"," + SMALL * 900_000 + b"1]", "memory"),
        (lambda: b"[" + SMALL * 600_000 + b"1]", ""),
        (lambda: b"[" + SMALL * 990_000 + b"1]", "memory"),
        (lambda: b"x" * (files.MAX_RECORD_BYTES + 1), "larger than"),
    ],
    ids=["prose", "commas", "emoji", "made up", "made up and escaped", "many values", "too many", "too large"],
)
def test_what_would_take_too_much_is_named(made: Callable[[], bytes], why: str) -> None:
    found = files.too_large_reason(made())
    assert why in found
    assert bool(found) is bool(why)
