"""Our note in an agent's memory: one file and one line of the index, up to date, no card of its own, gone to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator import app
from curator.agents.managed_blocks import IndexLine
from curator.app import Curator
from curator.model import MEMORY
from tests.app.conftest import waiting
from tests.app.test_note_cards import keep_note
from tests.app.test_own_notes import RULE, keep, memory
from tests.files import write_file
from tests.hooks.project import MIGRATIONS, TESTS, Project, curator, project

__all__ = ["curator", "memory", "project"]
LINE = IndexLine().put("", "MEMORY.md").rstrip()
WISH = app.install.InstallRequest(hooks=False, mcp=False, memory=True)


def install(curator: Curator, agent: str = "claude-code") -> None:
    app.install.carry_out(curator, app.install.installing(curator, [agent], WISH))


def uninstall(curator: Curator, agent: str = "claude-code") -> None:
    app.install.carry_out(curator, app.install.uninstalling(curator, [agent]))


def test_the_note_has_the_lessons_and_follows_them_and_is_no_card(project: Project, curator: Curator, memory: Path) -> None:
    install(curator)
    note = memory / "curator-lessons.md"
    head, _, text = note.read_text(encoding="utf-8").partition("\n---\n")
    assert "type: feedback" in head
    assert TESTS in text
    assert MIGRATIONS in text
    assert (memory / "MEMORY.md").read_text(encoding="utf-8") == f"{LINE}\n"
    curator.decisions.drop([project.tests])
    app.settling.settle(curator, [project.tests])
    assert TESTS not in note.read_text(encoding="utf-8")
    app.scan.scan(curator)
    assert [entry for entry in waiting(curator, rest=True) if entry.signal == MEMORY] == []
    found = app.memories.audit(Path.home(), {}, project.folder)
    assert found.notes == []
    assert project.prompts("commit the migrations in src/db.py halfway", "s9") == [project.migrations], "it is read on demand"


def test_a_lesson_that_the_agent_has_noted_is_not_written_again(project: Project, curator: Curator, memory: Path) -> None:
    path = keep_note(memory, "ledger", RULE)
    install(curator)
    keep(curator)
    note = memory / "curator-lessons.md"
    assert RULE not in note.read_text(encoding="utf-8")
    path.unlink()
    app.scan.scan(curator)
    install(curator)
    assert RULE in note.read_text(encoding="utf-8")


INDEXES = (None, "", "# Notes", "# Notes\n\n- [One](one.md) — a rule\n- [Two](two.md) — another\n", "- [One](one.md)\r\n")


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("touched", [False, True])
def test_uninstall_leaves_no_trace(project: Project, curator: Curator, memory: Path, index: str | None, touched: bool) -> None:
    file, before = memory / "MEMORY.md", (index or "").encode()
    if index is not None:
        file.write_bytes(before)
    install(curator)
    install(curator)
    assert file.read_bytes().count(b"(curator-lessons.md)") == 1
    if touched:
        file.write_bytes(file.read_bytes() + b"\n- [Three](three.md)")
    uninstall(curator)
    assert not (memory / "curator-lessons.md").exists()
    if touched:
        assert file.read_bytes() in (before + b"\n- [Three](three.md)", before + b"- [Three](three.md)")
    else:
        assert (file.read_bytes() if file.exists() else None) == (before if index is not None else None)


def test_the_note_of_qwen_lies_where_its_daily_run_leaves_it(project: Project, curator: Curator) -> None:
    install(curator, "qwen")
    (note,) = (Path.home() / ".qwen" / "projects").rglob("*.md")
    assert note.parts[-3:] == ("memory", "pinned", "curator-lessons.md")
    assert TESTS in note.read_text(encoding="utf-8")
    app.scan.scan(curator)
    assert [entry for entry in waiting(curator, rest=True) if entry.signal == MEMORY] == []
    uninstall(curator, "qwen")
    assert not (Path.home() / ".qwen").exists()


def test_an_agent_without_a_memory_of_files_is_named(curator: Curator) -> None:
    plan = app.install.installing(curator, ["codex"], WISH)
    assert plan.changes == ()
    assert "codex: curator can't write into its memory." in plan.notes


def test_no_project_writes_into_a_memory_for_all_projects(curator: Curator) -> None:
    write_file(Path.home() / ".claude" / "settings.json", '{"autoMemoryDirectory": "~/notes"}')
    plan = app.install.installing(curator, ["claude-code"], WISH)
    assert plan.changes == ()
    assert "autoMemoryDirectory" in plan.notes[0]


def test_a_deleted_note_and_a_deleted_line_stay_away(project: Project, curator: Curator, memory: Path) -> None:
    install(curator)
    (memory / "MEMORY.md").write_text("# Notes\n", encoding="utf-8")
    curator.decisions.drop([project.tests])
    app.settling.settle(curator, [project.tests])
    assert (memory / "MEMORY.md").read_text(encoding="utf-8") == "# Notes\n"
    (memory / "curator-lessons.md").unlink()
    curator.decisions.drop([project.migrations])
    app.settling.settle(curator, [project.migrations])
    assert not (memory / "curator-lessons.md").exists()
