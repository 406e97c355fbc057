"""Reports of progress are told from rules: made-up ones, and the labelled notes that lie beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.memories import Note, is_status
from curator.memories.note import first_sentence
from tests.files import SHARED

LABELLED = SHARED / "eval" / "memories_dev.jsonl"
REPORTS = frozenset(("status", "status-part", "stale-self-declared", "history", "todo"))


def note(text: str, *, kind: str = "inline", title: str = "", path: str = "/x") -> Note:
    return Note(1, text, title or first_sentence(text), path=Path(path), kind=kind)


@pytest.mark.parametrize(
    "text",
    [
        "Phase 2 of the export is done, phase 3 is next.",
        "TODO: move the parser (deferred).",
        "14 entries submitted, state of the queue 2026-03-04.",
        "Export: Implemented a complete writer in three files.",
        "Test results: 212/212 passed.",
        "All 40 of 40 checks green.",
        "**Date completed:** 3 March 2031, the export of prices.",
        "- Status: Merged on March 3rd, 2031",
        "Fixes of the camera - March 2031:\n- A longer timeout",
    ],
)
def test_a_report_of_progress(text: str) -> None:
    assert is_status(note(text))


def test_a_note_that_another_replaced_reports_whatever_its_kind() -> None:
    assert is_status(note("Superseded by [[names]].", kind="feedback", title="SUPERSEDED, see names.md"))


def test_the_name_of_a_file_may_say_that_it_reports() -> None:
    text = "The export moved to a worker; 3/3 hosts passed."
    assert is_status(note(text, kind="project", title="Export", path="/x/project_session_2031-03-04.md"))
    assert not is_status(note(text, kind="project", title="Export", path="/x/project_export.md"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Follow up after 14 days, never earlier.", "inline"),
        ("Use camelCase for fields. The linter checks it.", "inline"),
        ("Superseded rules stay in the file until the next release.", "feedback"),
        ("Phase 2 is DONE only when the tests are green.", "feedback"),
        ("The export writes cents, since 2024-05 in two files.", "project"),
        ("A release needs 3/3 reviews; a test passes in 2/3 of the runs.", "inline"),
        ("The screen of March 2031 has the list of hosts.", "inline"),
    ],
)
def test_a_rule_is_none(text: str, kind: str) -> None:
    assert not is_status(note(text, kind=kind))


def test_a_word_in_capitals_behind_a_verb_is_one_sign_alone() -> None:
    assert not is_status(note("A set holds prices that were RESOLVED before the sum.", kind="project", title="How sums work"))
    assert is_status(note("RESOLVED: prices, which is merged now.", kind="project", title="How sums work"))


@pytest.mark.skipif(not LABELLED.exists(), reason=f"no labelled notes at {LABELLED}")
def test_most_of_what_is_taken_for_a_report_was_labelled_so() -> None:
    rows = [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]
    found, reports = [], 0
    for row in rows:
        title, _, text = row["text"].partition(" :: ")
        kind = row["kind"] if row["kind"] in ("project", "feedback", "reference", "user", "inline") else ""
        if not row["path"].startswith("memory-bank"):
            kind = kind or ("note" if row["agent"] in ("gemini", "goose", "serena") else "knowledge")
            reports += row["reason"] in REPORTS
            found += (
                [row] if is_status(note(text, kind=kind, title=title if row["loc"] == "file" else "", path=row["path"])) else []
            )
    right = [row for row in found if row["reason"] in REPORTS]
    assert len(right) >= 0.85 * len(found)
    assert len(right) >= 0.6 * reports
    assert [row["id"] for row in found if row["verdict"] == "K"] == []
