from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.transcripts.reading import words


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(words).failed == 0
    assert doctest.testmod(words).attempted >= 4


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("2026-02-01T10:00:00.000Z", 1769940000.0),
        ("2026-02-01T11:00:00+01:00", 1769940000.0),
        (1769940000000, 1769940000.0),
        ("2026-02-01T10:00:00", None),  # of which zone?
        ("yesterday", None),
        (None, None),
        (True, None),
        (10**30, None),
    ],
)
def test_times_are_seconds_where_they_are_certain(stamp: object, seconds: float | None) -> None:
    assert words.seconds(stamp) == seconds


@given(st.text(alphabet="<>/ systemreminder-\n", max_size=200).filter(lambda text: "<system-reminder>" not in text))
def test_reminders_are_taken_out_of_any_text(text: str) -> None:
    woven = f"{text}<system-reminder>do this</system-reminder>{text}"
    assert words.without_reminders(woven) == text + text
    assert "do this" not in words.typed(woven)


@given(st.text(max_size=300), st.integers(10, 100))
def test_capping_keeps_both_ends(text: str, limit: int) -> None:
    capped = words.capped(text, limit)
    first, _, last = capped.partition(f"\n[… {len(text) - limit} characters left out …]\n")
    assert text.startswith(first)
    assert text.endswith(last)
    assert len(capped) <= limit + 50


def test_capping_cuts_no_word_in_two() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    assert set(words.capped(text, 203).split()) - set("[… characters left out …]".split()) <= {
        *text.split(),
        str(len(text) - 203),
    }
