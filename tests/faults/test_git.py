"""A git that hangs, is broken, or has no work tree."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator.io import git
from tests.e2e.conftest import world
from tests.e2e.world import World
from tests.files import write_program

__all__ = ["world"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the git that hangs is a shell script")
Calls = Callable[[], list[str]]


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Calls]:
    """A git that notes what it is asked and never answers."""
    log = tmp_path / "asked"
    log.touch()
    script = write_program(tmp_path / "hanging" / "git", f"echo \"$*\" >> '{log}'\nexec sleep 600")
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "MAX_ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(git, "IMPATIENT", 0.1)
    git._silent.clear()
    yield lambda: log.read_text(encoding="utf-8").splitlines()
    git._silent.clear()


def test_a_question_that_got_no_answer_is_not_asked_again_until_patience_comes_back(
    hanging: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert git.ask(tmp_path, "log", "-1") is None
    assert git.ask(tmp_path, "log", "-2") is None
    assert git.ask(tmp_path, "rev-parse", "HEAD") is None
    assert [line.split("-C ")[1].split()[1] for line in hanging()] == ["log", "rev-parse"]
    assert git._patience(str(tmp_path / "elsewhere"), "log") == git.IMPATIENT
    monkeypatch.setattr(git, "RETRY_SECONDS", 0.0)
    assert git._patience(str(tmp_path), "log") == git.MAX_ANSWER_SECONDS
    assert git.ask(tmp_path, "log") is None
    assert len(hanging()) == 3


def test_the_status_asks_git_nothing(world: World, hanging: Calls) -> None:
    for words in (("status",), ("status", "--line")):
        done = world.ends(*words)
        assert (done.returncode, done.stderr) == (0, "")
    assert hanging() == []


def test_the_status_knows_its_project_without_git(world: World) -> None:
    world.run("add", "Run the tests with make check.")
    below = world.app / "src" / "deep"
    below.mkdir(parents=True)
    for folder in (world.app, below):
        assert "1  lesson" in world.ends("status", folder=folder).stdout
    assert "lesson" not in world.ends("status", folder=world.home).stdout


def test_a_repository_that_git_does_not_read_is_named(world: World) -> None:
    (world.app / ".git" / "config").write_text("[core\n", encoding="utf-8")
    done = world.ends("list")
    assert "git can't read the repository" in done.stderr
    assert "config" in done.stderr


def test_what_mends_a_repository_of_another_user_is_said_once(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.run("add", "Run the tests with make check.")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git takes each repository for another user's
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    mend = f"git config --global --add safe.directory {world.app}"
    first, second = world.ends("list"), world.ends("list")
    assert f"If you trust that folder, run `{mend}`." in first.stderr
    assert "make check" in second.stdout, "the project is known by its folder"
    assert second.stderr == ""
    assert mend in world.ends("install", "git", "--dry-run").stderr
    looked = world.ends("doctor")
    assert (looked.returncode, mend in looked.stdout) == (1, True)
    (tmp_path / "gitconfig").write_text(f"[safe]\n\tdirectory = {world.app}\n", encoding="utf-8")
    assert world.ends("doctor").returncode == 0


@pytest.mark.parametrize("bare", [True, False])
def test_nothing_is_written_into_a_folder_of_git(world: World, tmp_path: Path, bare: bool) -> None:
    inner = tmp_path / "bare.git" if bare else world.app / ".git"
    if bare:
        world.git(world.app, "clone", "-q", "--bare", str(world.app), str(inner))
    before = sorted(os.listdir(inner))
    done = world.ends("add", "Run the tests with make check.", folder=inner if bare else inner / "objects")
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(inner)) == before
    if bare:
        assert "make check" in world.ends("list", folder=inner).stdout
    else:  # who stands in it works on the project around it
        assert [path.suffix for path in (world.app / ".curator" / "lessons").iterdir()] == [".md"]


def test_a_git_of_the_main_work_tree_is_not_run_in_a_linked_one(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "ran"
    bad = write_program(world.app / "node_modules" / ".bin" / "git", f"touch '{mark}'")
    linked = tmp_path / "linked"
    world.git(world.app, "worktree", "add", "-q", str(linked))
    monkeypatch.setenv("PATH", f"{bad.parent}{os.pathsep}{os.environ['PATH']}")
    assert git.first_line(git.ask(linked, "rev-parse", "--is-inside-work-tree")) == "true"
    assert not mark.exists()


def test_a_work_tree_can_not_call_another_folder_its_main_one(tmp_path: Path) -> None:
    """An archive may hold any ``.git``: one that names a folder that does not name it back keeps nobody's programs out."""
    posing, other = tmp_path / "posing", tmp_path / "other" / ".git" / "worktrees" / "x"
    posing.mkdir()
    other.mkdir(parents=True)
    (other / "commondir").write_text("../..\n", encoding="utf-8")
    (other / "gitdir").write_text(f"{tmp_path / 'else' / '.git'}\n", encoding="utf-8")
    (posing / ".git").write_text(f"gitdir: {other}\n", encoding="utf-8")
    assert git.untrusted_folders(posing) == (str(posing),)
