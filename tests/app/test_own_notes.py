"""A lesson that an agent's own notes say is sent to all agents but that one, as long as the note is there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.sessions.ingest import Ingest
from curator.settings import load
from tests.app.conftest import waiting
from tests.app.test_note_cards import NOTE, keep_note
from tests.hooks.project import Project, curator, project

__all__ = ["curator", "project"]
RULE = "Integration tests of the payment service use a real ledger, never a mock of it."
ASKED = "add integration tests of the payment service with a real ledger"


@pytest.fixture
def memory(project: Project) -> Path:
    """The folder in which Claude Code keeps its notes for the project."""
    slug = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in str(project.folder))
    folder = Path.home() / ".claude" / "projects" / slug / "memory"
    folder.mkdir(parents=True)
    return folder


def keep(curator: Curator, insight: str = "") -> str:
    """Scan and keep the card of the note, with other words if there are some."""
    app.scan.scan(curator)
    (card,) = [entry for entry in waiting(curator) if entry.insight == RULE]
    if insight:
        curator.decisions.edit(card.id, insight=insight)
    curator.decisions.accept([card.id])
    app.settling.settle(curator, [card.id])
    return card.id


def asked(project: Project, agent: str, session: str) -> list[str]:
    """The lessons that an agent's hook sends in a session of its own."""
    return project.prompts(ASKED, f"{agent}-{session}", agent)


@pytest.mark.parametrize("export", [True, False])
def test_a_kept_note_is_sent_only_to_other_agents(project: Project, curator: Curator, memory: Path, export: bool) -> None:
    project.settings.file.write_text(f"export = {str(export).lower()}\n", encoding="utf-8")
    curator.settings = load()
    path = keep_note(memory, "ledger", RULE)
    lesson = keep(curator)
    for again in ("kept", "scanned"):
        assert asked(project, "claude-code", again) == []
        reason = project.receipts()[0]["withheld"][0]
        assert reason[::2] == [lesson, f"already stated in ~/{path.relative_to(Path.home())}"]
        assert asked(project, "codex", again) == [lesson]
        app.scan.scan(curator)
    path.unlink()
    app.scan.scan(curator)
    assert asked(project, "claude-code", "gone") == [lesson]


def test_a_lesson_that_a_note_repeats_is_withheld_unless_it_says_more(project: Project, curator: Curator, memory: Path) -> None:
    same = project.learns(RULE.replace("tests of the payment service", "tests of the payment service should always"))
    keep_note(memory, "ledger", RULE)
    app.scan.scan(curator)
    assert asked(project, "claude-code", "same") == []
    curator.decisions.edit(same, insight=f"{RULE[:-1]} on port 4000.")
    app.scan.scan(curator)
    assert asked(project, "claude-code", "more") == [same]


def test_a_lesson_is_told_again_once_the_agent_has_no_notes_at_all(project: Project, curator: Curator, memory: Path) -> None:
    lesson = curator.decisions.add(RULE).entries[0].id
    keep_note(memory, "ledger", RULE)
    app.scan.scan(curator)
    assert asked(project, "claude-code", "noted") == []
    shutil.rmtree(memory)
    app.scan.scan(curator)
    assert asked(project, "claude-code", "gone") == [lesson]


def test_a_note_kept_with_other_words_does_not_say_the_lesson(project: Project, curator: Curator, memory: Path) -> None:
    keep_note(memory, "ledger", RULE)
    lesson = keep(curator, insight="Integration tests of the payment service use a fake ledger of its own module.")
    assert asked(project, "claude-code", "kept") == [lesson]
    app.scan.scan(curator)
    assert asked(project, "claude-code", "scanned") == [lesson]


def test_a_kept_way_to_apply_the_note_counts_as_said(project: Project, curator: Curator, memory: Path) -> None:
    how = "Start the real ledger of the payment service before integration tests."
    keep_note(memory, "ledger", RULE, why=f"A mock hid a fault.\n\n**How to apply:** {how}")
    app.scan.scan(curator)
    (card,) = waiting(curator)
    curator.decisions.accept([card.id], wording=1)
    assert curator.lessons.find(card.id).insight == how
    app.settling.settle(curator, [card.id])
    assert asked(project, "claude-code", "how") == []


def test_a_note_that_the_agent_does_not_load_withholds_nothing(project: Project, curator: Curator, memory: Path) -> None:
    home = Path.home()
    places = (home / ".claude/agent-memory/reviewer", project.folder / ".claude/memory")
    lesson = project.learns(RULE)
    for folder in places:
        folder.mkdir(parents=True)
        keep_note(folder, "ledger", RULE)
    app.scan.scan(curator)
    assert asked(project, "claude-code", "elsewhere") == [lesson]
    keep_note(memory, "ledger", RULE)
    app.scan.scan(curator)
    assert asked(project, "claude-code", "own") == []


def test_a_note_for_all_projects_counts_in_each_and_only_while_notes_are_read(project: Project, curator: Curator) -> None:
    folder = Path.home() / ".qwen" / "memories"
    folder.mkdir(parents=True)
    (folder / "ledger.md").write_text(NOTE.format(name="ledger", title=RULE, kind="user", rule=RULE, why="-"), encoding="utf-8")
    lesson = project.learns(RULE)
    app.scan.scan(curator)
    assert asked(project, "qwen", "all") == []
    assert asked(project, "claude-code", "all") == [lesson]
    project.settings.file.write_text('memories = "off"\n', encoding="utf-8")
    curator.settings = load()
    app.scan.scan(curator)
    assert asked(project, "qwen", "off") == [lesson]


def test_the_open_inbox_notices_a_note_written_or_deleted(project: Project, curator: Curator, memory: Path) -> None:
    lesson = project.learns(RULE)
    path = keep_note(memory, "other", "Log through slog in the payment service, never print to stdout.")
    app.scan.read_notes(curator, Ingest(curator), {path})
    assert asked(project, "claude-code", "before") == [lesson]
    app.scan.read_notes(curator, Ingest(curator), {keep_note(memory, "ledger", RULE)})
    assert asked(project, "claude-code", "written") == []
    (memory / "ledger.md").unlink()
    app.scan.read_notes(curator, Ingest(curator), {memory / "ledger.md"})
    assert asked(project, "claude-code", "deleted") == [lesson]
