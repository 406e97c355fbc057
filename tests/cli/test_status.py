"""The line for status bars: by the fast way and by the service, the same."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from curator.hooks import status_line
from curator.model import Drift, Finding, Relating, Relation, State
from curator.settings import load
from tests.cli.conftest import Make, Sessions, Shell
from tests.cli.test_processes import started


@pytest.fixture
def waiting(shell: Shell, make: Make) -> None:
    """Seven candidates of one session, two of another, a conflict, a stale lesson, one that is snoozed."""
    lesson = make(state=State.ACTIVE, slug="a")
    stale = make(state=State.ACTIVE, slug="b", findings=(Finding(path="a.py", drift=Drift.BODY, severity=0.9),))
    clash = make()._replace(rival=Relation(other=lesson.id, relating=Relating.CONTRADICTS))
    shell.put(lesson, stale, clash, make(snoozed_until=9e9), *(make(session="s7") for _ in range(7)), make(session="s2"))


def both(shell: Shell, monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> str:
    said = shell("status", "--line", *arguments).out
    monkeypatch.chdir(shell.folder)
    folder = arguments[1] if arguments else "."
    assert said == (f"{text}\n" if (text := status_line(str(folder))) else "")
    return said


def test_what_waits_in_letters(shell: Shell, waiting: None, monkeypatch: pytest.MonkeyPatch, other: Path) -> None:
    assert both(shell, monkeypatch) == "C5 !1 S1\n"
    assert both(shell, monkeypatch, "--project", shell.folder) == "C5 !1 S1\n"
    assert both(shell, monkeypatch, "--project", other) == ""
    load().file.write_text("per_session = 1\n", encoding="utf-8")
    assert both(shell, monkeypatch) == "C2 !1 S1\n"
    monkeypatch.setenv("CURATOR_PER_SESSION", "0")
    assert both(shell, monkeypatch) == "C8 !1 S1\n"


def test_what_waits_in_words(shell: Shell, waiting: None) -> None:
    out = shell("status").out
    ones = [line.split("  ")[1] for line in map(str.strip, out.splitlines()) if line.startswith("1 ")]
    assert ones == ["conflict", "stale lesson"], "one has its own word"
    assert "candidates" in out
    assert "2  lessons" in out


def test_work_trees_and_inner_repositories(shell: Shell, make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tree, inner = tmp_path / "tree", shell.folder / "inner"
    inner.mkdir()
    commit = ["commit", "-qm", "x", "--allow-empty"]
    for folder, words in (
        *((shell.folder, words) for words in (["init", "-q"], commit, ["worktree", "add", "-q", str(tree)])),
        *((inner, words) for words in (["init", "-q"], [*commit, "-m", "another"])),
    ):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)
    shell.put(make())
    assert both(shell, monkeypatch, "--project", tree) == "C1\n"
    assert both(shell, monkeypatch, "--project", inner) == ""


def test_nothing_is_printed_where_nothing_is_known(tmp_path: Path) -> None:
    done = started("status", "--line", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_lesson_files_beside_an_emptied_database_are_named(shell: Shell) -> None:
    shell("add", "Use ninja")
    assert "lesson file" not in shell("status").out
    shutil.rmtree(load().home)
    assert "     1  lesson file of this project not in the database: run `curator import`" in shell("status").out
    shell("import")
    assert "lesson file" not in shell("status").out


def test_before_anything_was_read_that_is_said(shell: Shell, sessions: Sessions) -> None:
    assert shell("status").out.startswith("no transcripts read yet: run `curator scan`")
    assert "lessons" not in shell("status").out
    shell("add", "Use ninja")
    assert "no transcripts read yet" in shell("status").out
    assert "     1  lesson, 0 of them sent" in shell("status").out
    sessions("s1")
    shell("scan", "--root", sessions.root)
    assert "no transcripts read" not in shell("status").out
