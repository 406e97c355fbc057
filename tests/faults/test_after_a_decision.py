"""A decision is stored, or it changes nothing. If the work after it fails, the command says so and exits with code 0."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.lesson_files import folder
from curator.model import Entry, State
from tests.cli.conftest import Shell, shell

__all__ = ["shell"]


@pytest.fixture
def unwritable(shell: Shell) -> Path:
    """A project that takes no lesson files, also from root: a plain file stands where the folder should be."""
    place = shell.folder / ".curator"
    place.write_text("", encoding="utf-8")
    return place


@pytest.mark.parametrize(
    "command", ["add Run-make-check", "edit {b} --headline other", "merge {a} {b}", "keep {a}", "retire {b}"]
)
def test_what_is_stored_is_acknowledged(command: str, shell: Shell, make: Callable[..., Entry], unwritable: Path) -> None:
    a, b = shell.put(make(), make(state=State.ACTIVE, slug="b"))
    before = len(shell.json("history"))
    done = shell(*command.format(a=a, b=b).split())
    assert done.code == 0
    assert len(shell.json("history")) > before
    assert done.out
    assert "Your decision is saved, but a later step failed" in done.err
    assert str(unwritable) in done.err
    assert "curator export" in done.err


def test_undo_takes_back_one_decision_a_time_and_the_files_follow_once_they_can(
    shell: Shell, make: Callable[..., Entry], unwritable: Path
) -> None:
    first, second = shell.put(make(), make())
    for id_ in (first, second):
        assert shell("keep", id_).code == 0
    assert shell("undo").code == 0
    assert {row["id"] for row in shell.json("list")} == {first}
    assert {row["id"] for row in shell.json("list", "--candidates")} == {second}
    assert shell("redo").code == 0
    assert {row["id"] for row in shell.json("list")} == {first, second}
    unwritable.unlink()
    done = shell("export")
    assert (done.code, done.out.split(",")[0]) == (0, "written 2")


def test_a_lesson_whose_file_is_refused_says_so(shell: Shell) -> None:
    (lesson,) = shell.json("add", "Run make check")
    (file,) = (shell.folder / ".curator" / "lessons").iterdir()
    file.write_text("no lesson at all\n", encoding="utf-8")
    done = shell("edit", lesson["id"], "--headline", "Run make test")
    assert done.code == 0
    assert file.name in done.err
    assert "curator did not change the file" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
@pytest.mark.parametrize("command", ["add Run-make-check", "keep {a}", "undo"])
def test_a_full_disk_changes_nothing_and_is_said(command: str, shell: Shell, make: Callable[..., Entry]) -> None:
    """By the limit on a file's size: the log of the database can't grow."""
    import resource

    a, b = shell.put(make(), make(state=State.ACTIVE, slug="b"))
    assert shell("keep", b).code == 0
    before = shell.json("history")
    limit = 33_000  # enough for the index of the log, and for no decision

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    words = [sys.executable, "-m", "curator", *command.format(a=a, b=b).split()]
    done = subprocess.run(words, cwd=shell.folder, capture_output=True, text=True, timeout=60, input="", preexec_fn=limited)
    assert "Traceback" not in done.stderr
    assert "unexpected" not in done.stderr
    assert done.returncode == 3
    assert "curator.db" in done.stderr
    assert shell.json("history") == before


def test_no_file_is_written_that_would_be_refused(
    shell: Shell, make: Callable[..., Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MAX_FILE_BYTES", 20_000)
    (id_, other) = shell.put(make(insight="long " * 5_000), make())
    done = shell("keep", id_, other)
    assert done.code == 0
    assert "this lesson can't have a file: is larger than" in done.err
    assert len(list((shell.folder / ".curator" / "lessons").iterdir())) == 1
    assert (shell("import").code, shell("list").code) == (0, 0)


@pytest.mark.parametrize("command", ["add", "edit {b} --headline", "edit {b} --insight", "merge {a} {b} --text"])
def test_bytes_that_are_no_text_are_refused(command: str, shell: Shell, make: Callable[..., Entry]) -> None:
    """Without them the words would be others: "Größe" came to be "Gre"."""
    a, b = shell.put(make(), make(state=State.ACTIVE, slug="b"))
    before = shell.json("history")
    done = shell(*command.format(a=a, b=b).split(), b"Gr\xf6\xdfe".decode("utf-8", "surrogateescape"))
    assert done.code == 3
    assert "is not valid UTF-8" in done.err
    assert shell.json("history") == before
