"""``curator check``: findings on real commits, with the database and from the files alone."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from curator.settings import load
from tests.cli.conftest import Shell
from tests.files import commit, git

CODE = '''def load(path, limit=10):
    """Read it."""
    found = []
    for line in open(path):
        found.append(line.strip())
    return found[:limit]


def save(path, lines):
    with open(path, "w") as file:
        file.write("\\n".join(lines))
'''
KEYS = ["id", "path", "symbol", "state", "kind", "severity", "new_path", "new_symbol"]


@pytest.fixture
def lesson(shell: Shell) -> str:
    """A lesson on ``load`` in a repository, kept."""
    git(shell.folder, "init", "-q", "-b", "main")
    (shell.folder / "io.py").write_text(CODE, encoding="utf-8")
    commit(shell.folder, "first")
    return str(shell("add", "load() strips each line", "--file", "io.py", "--json").one["id"])


def test_nothing_changed_is_no_finding(shell: Shell, lesson: str) -> None:
    (shell.folder / "io.py").write_text("# moved down\n\n" + CODE.replace("Read it.", "Read all."), encoding="utf-8")
    for words in (["check"], ["check", "--from-files"]):
        done = shell(*words)
        assert (done.code, done.out) == (0, "")


def test_a_changed_body_is_one_with_every_key(shell: Shell, lesson: str) -> None:
    (shell.folder / "io.py").write_text(CODE.replace("line.strip()", "line"), encoding="utf-8")
    (shell.folder / "deep").mkdir()
    shell.folder = shell.folder / "deep"  # it is said in any folder of the project
    for words in (["check", "--json"], ["check", "--from-files", "--json"]):
        done = shell(*words)
        assert done.code == 1
        row = done.one
        assert list(row) == KEYS
        told = [row[key] for key in ("id", "path", "symbol", "state", "kind")]
        assert told == [lesson, "io.py", "load", "changed", "body_changed"]
        assert 0.2 <= row["severity"] <= 1
        assert row["new_path"] is None
    assert shell("list", "--stale", "--json").one["kind"] == "stale"
    text = shell("check", "--diff")
    assert "-        found.append(line.strip())" in text.out
    assert shell("keep", lesson).code == 0
    assert shell("check").code == shell("check", "--from-files").code == 0, "confirmed settles it in the files too"
    shell("undo")
    assert shell("check").code == 1


def test_a_certain_move_is_followed_and_can_be_taken_back(shell: Shell, lesson: str) -> None:
    (shell.folder / "io.py").rename(shell.folder / "files.py")
    commit(shell.folder, "move")
    row = shell("check", "--from-files", "--notes", "--json").one
    assert (row["kind"], row["new_path"], row["new_symbol"], row["severity"]) == ("moved_file", "files.py", "load", 0)
    done = shell("check", "--json")
    assert done.out == "", "followed"
    assert shell("show", lesson, "--json").one["files"] == ["files.py"]
    (event,) = [event for event in shell("history", lesson, "--json").objects if event["verb"] == "follow"]
    assert event["after"]["anchors"][0]["commit"], "the one that has it, from which it can be followed on and back"
    assert f"{lesson}: its code moved to files.py:load, and the lesson now points there." in done.err
    assert f"Undo: `curator undo --event {event['event']}`." in done.err
    assert shell("undo", "--event", str(event["event"])).code == 0
    assert shell("show", lesson, "--json").one["files"] == ["io.py"]
    assert " → files.py:load" in shell("check", "--notes").out
    row = shell("check", "--notes", "--json").one
    assert (row["state"], row["new_path"]) == ("relocated", "files.py"), "not followed again: a person said no"


def test_from_files_needs_no_database_and_makes_none(shell: Shell, lesson: str, isolation: Path) -> None:
    for home in list(isolation.rglob("curator.db")):
        shutil.rmtree(home.parent)
    assert shell("check", "--from-files").code == 0
    assert not list(isolation.rglob("curator.db"))


def test_from_files_says_what_it_could_not_read(shell: Shell, lesson: str) -> None:
    (shell.folder / ".curator" / "lessons" / "broken-1234-5678.md").write_text("---\nid: 1\n", encoding="utf-8")
    done = shell("check", "--from-files")
    assert done.code == 3
    assert "broken-1234-5678.md" in done.err
    outside = shell("check", "--from-files", "--project", shell.folder.parent)
    assert outside.code == 3
    assert ".curator/lessons" in outside.err


def test_a_branch_is_on_the_card_until_it_is_merged(shell: Shell, lesson: str) -> None:
    git(shell.folder, "switch", "-q", "-c", "feature")
    (shell.folder / "new.py").write_text("def fresh(a):\n    return a - 1\n", encoding="utf-8")
    git(shell.folder, "add", "new.py")
    git(shell.folder, "commit", "-qm", "new")
    made = shell("add", "fresh() subtracts", "--file", "new.py", "--json").one["id"]
    assert "only on branch feature" in shell("show", made).out
    git(shell.folder, "switch", "-q", "main")
    assert shell("check").code == 0, "it is not missed where it never was"
    git(shell.folder, "merge", "-q", "feature")
    assert shell("check").code == 0
    assert "only on branch" not in shell("show", made).out


def test_a_place_that_is_only_likely_says_so(shell: Shell, lesson: str) -> None:
    (shell.folder / "io.py").write_text(CODE.replace("def load(", "def read_lines(").replace("[:limit]", ""), encoding="utf-8")
    assert " → perhaps io.py:read_lines" in shell("check").out


def test_a_project_that_is_gone_from_disk_is_said(shell: Shell, lesson: str, tmp_path: Path) -> None:
    shell.folder = shell.folder.rename(tmp_path / "away")
    shell.folder = tmp_path
    done = shell("check", "--all")
    assert (done.code, done.out) == (0, "")
    assert "does not exist; 1 lesson was not checked" in done.err


def test_a_renamed_symbol_that_the_words_name_is_a_card(shell: Shell, lesson: str) -> None:
    (shell.folder / "io.py").write_text(CODE.replace("def load", "def read_lines"), encoding="utf-8")
    row = shell("check", "--json").one
    assert (row["kind"], row["new_symbol"], row["severity"]) == ("renamed", "read_lines", 0.5)
    assert shell("show", lesson, "--json").one["kind"] == "stale"
    assert shell("keep", lesson).code == 0
    assert shell("check").code == 0
    assert shell("anchor", lesson).out == "io.py:read_lines\n"


def test_a_database_that_only_can_be_read_is_checked_all_the_same(shell: Shell, lesson: str) -> None:
    (shell.folder / "io.py").write_text(CODE.replace("line.strip()", "line"), encoding="utf-8")
    assert shell("check").code == 1
    with closing(sqlite3.connect(load().database)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    for words in (["check", "--json"], ["list", "--stale", "--json"]):
        done = shell(*words)
        assert done.one["id"] == lesson, done.err
        assert done.code == 3


def test_a_check_that_has_nothing_to_write_waits_for_nobody(shell: Shell, lesson: str) -> None:
    with closing(sqlite3.connect(load().database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert shell("check").code == 0
