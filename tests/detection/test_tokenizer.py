"""Stretches between blanks: looked at one by one they say what a look at the whole text says."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from curator.detection import sentences

PIECES = "`a b` ` src/a.py https://x.org/`y Don’t HTTP camelCase --flag 3.5% word Word, e.g. x... 根本 a_b() -> —"
PIECES += " ( abc1234 #12 ✅ A word."
TEXTS = st.lists(st.sampled_from([*PIECES.split(), " ", "\n", "\u00a0", "\x1c"]) | st.text(max_size=4), max_size=12).map(
    "".join
)


@settings(max_examples=150)
@given(TEXTS)
@example("see `a b`c `d")
@example("https://x.org/`y z`")
def test_stretch_by_stretch_is_as_all_at_once(text: str) -> None:
    assert sentences.tokens(text) == list(sentences._tokens(text))
    found = sentences.of(text)
    assert [word for one in found for word in one.words] == sentences.words_of(text)
    assert sum(one.names for one in found) == len(sentences._NAME.findall(text))
    assert ("digits" in {mark for one in found for mark in one.marks}) == bool(re.search(r"\d", text))
    assert ("hash" in {mark for one in found for mark in one.marks}) == bool(sentences._HASH.search(text))


def test_what_is_known_is_bounded() -> None:
    known = sentences._Stretches()
    for number in range(sentences.REMEMBERED + 10):
        known[str(number)]
    assert len(known) <= sentences.REMEMBERED
    assert len(known.old) <= sentences.REMEMBERED


def test_what_is_met_again_outlives_a_full_memory() -> None:
    known = sentences._Stretches()
    first = known["often"]
    for number in range(sentences.REMEMBERED):
        known[str(number)]
    assert "often" not in known
    assert known["often"] is first
