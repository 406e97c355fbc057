"""Nothing that a reader would not see, or that drives a terminal, passes."""

from __future__ import annotations

import sys
import unicodedata
from itertools import chain

import pytest

from curator.text.clean import MARKS, hidden, strip

SINGLE = (0xAD, 0x34F, 0x61C, 0x3164, 0xFEFF, 0xFFA0)
STRETCHES = """
115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F FE00-FE0F FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF
"""
ENDS = [[int(end, 16) for end in stretch.split("-")] for stretch in STRETCHES.split()]
IGNORABLE = tuple(chr(code) for code in chain(SINGLE, *(range(first, last + 1) for first, last in ENDS)))
"""All that Unicode calls default-ignorable."""
BLANK = "\u2028\u2029\u2800\ufff9\ufffa\ufffb\U00013430\U0001d159\ue000\U000f0000\U0010fffd"


def test_nothing_unseen_passes() -> None:
    left = [hex(ord(sign)) for sign in (*IGNORABLE, *BLANK) if strip(f"a{sign}b") != "ab" or not hidden(sign)]
    assert left == []


def test_no_control_passes_but_tab_and_newline() -> None:
    controls = [sign for sign in map(chr, range(0xA0)) if unicodedata.category(sign) == "Cc"]
    assert {sign for sign in controls if sign in strip(f"a {sign} b")} == {"\t", "\n"}


def test_marks_are_piled_no_higher_than_a_letter_can_bear() -> None:
    marks = [sign for sign in map(chr, range(sys.maxunicode)) if unicodedata.category(sign) in ("Mn", "Me")]
    high = [hex(ord(mark)) for mark in marks if len(strip(f"e{mark * 40}x")) > 2 + MARKS]
    assert high == []
    assert len(strip("e" + "\u0301\u0e34\u20dd\u0489\u2de0" * 20)) == 1 + MARKS


@pytest.mark.parametrize(
    "text",
    ["naïve café", "Việt Nam", "שָׁלוֹם", "हिन्दी में", "ภาษาไทยที่", "中文 API テスト", "────┤ box ├────", "👍 done", "e\u0301"],
)
def test_what_people_write_stays(text: str) -> None:
    assert strip(text) == text
    assert not hidden(text)


def test_an_emoji_stays_without_its_selector() -> None:
    assert strip("⚠\ufe0f careful") == "⚠ careful"
