"""A pipe where git looks keeps nobody waiting: git is ended after a moment, and the folder counts as a plain one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from curator.io import git
from tests.e2e.world import World

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="pipes are made the POSIX way"),
    pytest.mark.timeout(60),
]


@pytest.mark.parametrize("place", ["HEAD", "config", "packed-refs", "refs/heads/main", "included", "nested", "linked"])
def test_git_is_not_waited_for(place: str, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, pipe = world.app / ".git", tmp_path / "pipe"
    os.mkfifo(pipe)
    match place:
        case "included":
            with (folder / "config").open("a") as config:
                config.write(f"[include]\n\tpath = {pipe}\n")
        case "nested":
            (tmp_path / "more").write_text('[include]\npath = "pipe"\n')
            with (folder / "config").open("a") as config:
                config.write(f'[includeIf "gitdir:**"]\n\tpath = {tmp_path / "more"}\n')
        case "linked":
            (folder / "HEAD").unlink()
            (folder / "HEAD").symlink_to(pipe)
        case _:
            (folder / place).unlink(missing_ok=True)
            os.rename(pipe, folder / place)
    monkeypatch.setattr(git, "MAX_ANSWER_SECONDS", 600.0)  # more than the test may take
    monkeypatch.setattr(git, "_silent", {})
    assert git.ask(world.app, "log", "--all", "-1", "--format=%H") in (None, "")
    assert git.ask(world.app, "rev-list", "--max-parents=0", "HEAD") is None


def test_a_git_that_is_slow_is_waited_for(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nsleep {git.MOMENT * 2}\necho slow\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "_silent", {})
    assert git.ask(world.app, "version") == "slow\n"
    assert git.ask(world.app, "hash-object", "--stdin", stdin="x") == "slow\n"
