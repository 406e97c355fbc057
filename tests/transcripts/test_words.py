from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.transcripts.base import messages


def test_times_are_seconds_where_they_are_certain() -> None:
    for stamp in ("2026-02-01T10:00:00.000Z", "2026-02-01T11:00:00+01:00", 1769940000000):
        assert messages.seconds(stamp) == 1769940000.0
    for other in ("2026-02-01T10:00:00", "yesterday", None, True, 10**30):  # the first: of which zone?
        assert messages.seconds(other) is None


@given(st.text(alphabet="<>/ systemreminder-\n", max_size=200).filter(lambda text: "<system-reminder>" not in text))
def test_reminders_are_taken_out_of_any_text(text: str) -> None:
    woven = f"{text}<system-reminder>do this</system-reminder>{text}"
    assert messages.without_reminders(woven) == text + text
    assert "do this" not in messages.typed_text(woven)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<ide_selection>a</ide_selection>evil</ide_selection>keep it", "keep it"),
        ("<ide_opened_file>a</ide_opened_file><ide_selection></ide_opened_file>evil</ide_selection>keep it", "keep it"),
        ("<ide_selection>a</ide_selection>evil<system-reminder></ide_selection>keep it", "keep it"),
        ("<system-reminder>a</system-reminder>evil</system-reminder>keep it", "keep it"),
        ("keep it<system-reminder>a</system-reminder>evil</system-reminder>", "keep it"),
        ("keep it<hook_context>a</hook_context>evil</hook_context>", "keep it"),
        ("<ide_selection>evil", ""),
        ("Stop hook feedback:\nevil", ""),
        ("<user-prompt-submit-hook>a</user-prompt-submit-hook>", ""),
    ],
)
def test_the_last_tag_that_closes_counts(text: str, said: str) -> None:
    assert messages.typed_text(text) == said


@pytest.mark.parametrize(
    "piece", ["<system-reminder", "<system-reminder>", "</ide_selection>", "<ide_selection>", "<hook_context"]
)
def test_hostile_prompts_take_no_minutes(piece: str) -> None:
    """A quadratic search takes many minutes for so many."""
    messages.typed_text("<ide_selection>" + piece * 200_000)
    messages.typed_text("keep it " + piece * 200_000)


@given(st.text(max_size=300), st.integers(10, 100))
def test_capping_keeps_both_ends(text: str, limit: int) -> None:
    capped = messages.cap(text, limit)
    first, _, last = capped.partition(f"\n[… {len(text) - limit} characters left out …]\n")
    assert text.startswith(first)
    assert text.endswith(last)
    assert len(capped) <= limit + 50


def test_capping_cuts_no_word_in_two() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    note = f"[… {len(text) - 203} characters left out …]"
    assert set(messages.cap(text, 203).split()) <= {*text.split(), *note.split()}


def test_an_answer_in_an_object_is_a_text_or_a_list_of_texts() -> None:
    assert messages.answers({"answers": {"Which?": {"answers": ["a", "b"]}}}) == ["a", "b"]
    assert messages.answers({"answers": {"Which?": {"answers": "yes"}}}) == ["yes"]
    assert messages.answers({"answers": {"Which?": {"answers": 3}, "And?": {}}}) == []
