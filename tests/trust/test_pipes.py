"""A pipe where git looks keeps nobody waiting, and neither does a database without an end."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from curator.hookspecs import Mark
from curator.io import git
from tests.e2e.world import World
from tests.files import write_program
from tests.transcripts.formats import FORMATS

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="pipes are made the POSIX way"), pytest.mark.timeout(60)]


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


def test_a_database_of_a_clone_that_has_no_end_is_left_out(world: World) -> None:
    """Crush keeps its sessions in the repository, so anybody may have made them."""
    path = world.app / ".crush" / "crush.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.executescript("""CREATE VIEW sessions AS
            WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n)
            SELECT at AS id, NULL AS parent_session_id, 't' AS title, at AS updated_at FROM n;
            CREATE TABLE messages (id, session_id, role, parts, created_at, is_summary_message);""")
    with pytest.raises(OSError, match="not authorized"):
        FORMATS["crush"].read(path, Mark())


def test_a_git_that_is_slow_is_waited_for(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = write_program(tmp_path / "bin" / "git", f"sleep {git.MOMENT * 2}\necho slow")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "_silent", {})
    assert git.ask(world.app, "version") == "slow\n"
    assert git.ask(world.app, "hash-object", "--stdin", stdin="x") == "slow\n"
