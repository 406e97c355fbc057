"""A decision is stored in the database that stands at the path, or it is none: whatever became of the file meanwhile."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from curator.app import Curator
from curator.errors import ReplacedDatabase, StoreError
from curator.settings import Settings
from curator.store.hook_reader import HookReader


def backup(curator: Curator, to: Path) -> Path:
    """A copy of the open database, as a person makes one."""
    with closing(sqlite3.connect(to)) as copy:
        curator.store.connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    return to


def test_no_decision_is_acknowledged_once_the_file_is_deleted(curator: Curator) -> None:
    curator.decisions.accept(["AAAA-0000"])
    curator.settings.database.unlink()
    with pytest.raises(ReplacedDatabase, match="deleted") as caught:
        curator.decisions.accept(["AAAA-0001"])
    assert str(curator.settings.database) in caught.value.message
    assert not curator.settings.database.exists(), "nothing took its place"
    with pytest.raises(ReplacedDatabase):
        curator.fork()
    assert not curator.settings.database.exists(), "nor does another thread make a new one"


def test_an_emptied_file_is_a_deleted_one(curator: Curator) -> None:
    os.truncate(curator.settings.database, 0)
    with pytest.raises(ReplacedDatabase, match="emptied"):
        curator.decisions.accept(["AAAA-0001"])


def test_no_decision_is_acknowledged_once_a_backup_stands_in_its_place(curator: Curator, tmp_path: Path) -> None:
    copy = backup(curator, tmp_path / "copy.db")
    curator.decisions.accept(["AAAA-0000"])
    os.replace(copy, curator.settings.database)
    with pytest.raises(ReplacedDatabase, match="replaced"):
        curator.decisions.drop(["AAAA-0001"])
    with pytest.raises(ReplacedDatabase):
        curator.decisions.undo()


def test_a_file_that_goes_while_a_decision_is_written_makes_it_none(curator: Curator) -> None:
    def write() -> None:
        with curator.store.transaction():
            curator.store.connection.execute("UPDATE entries SET score = 0.1")
            curator.settings.database.unlink()

    with pytest.raises(ReplacedDatabase):
        write()


def test_a_schema_that_a_newer_curator_raised_is_written_to_no_more(curator: Curator) -> None:
    curator.decisions.accept(["AAAA-0000"])
    with closing(sqlite3.connect(curator.settings.database)) as newer:
        newer.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="another version of curator"):
        curator.decisions.accept(["AAAA-0001"])
    with closing(sqlite3.connect(curator.settings.database)) as other:
        rows = dict(other.execute("SELECT id, state FROM entries WHERE id IN ('AAAA-0000', 'AAAA-0001')").fetchall())
    assert rows == {"AAAA-0000": "active", "AAAA-0001": "open"}


@pytest.mark.parametrize("at", ["curator.db", "curator.db-wal", "curator.db-shm"])
def test_a_pipe_in_its_place_is_named_and_nobody_waits(settings: Settings, at: str) -> None:
    settings.home.mkdir()
    if at != "curator.db":
        Curator(settings).close()
    os.mkfifo(settings.home / at)
    with pytest.raises(StoreError, match="named pipe"):
        Curator(settings)
    if at != "curator.db-shm":
        with pytest.raises(OSError, match="no database"):
            HookReader(str(settings.database))
