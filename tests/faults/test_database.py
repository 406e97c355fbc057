"""A verdict is stored in the database that stands at the path, or it is none: whatever became of the file meanwhile."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.errors import ReplacedDatabase, StoreError
from curator.model import Change, State, Verb
from curator.settings import Settings
from curator.store.hook_reader import HookReader


def backup(curator: Curator, to: Path) -> Path:
    """A copy of the open database, as a person makes one."""
    with closing(sqlite3.connect(to)) as copy:
        curator.store.connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    return to


def states(settings: Settings) -> dict[str, State]:
    """What stands in the database at the path, asked by another connection."""
    with closing(Curator(settings)) as other:
        return {entry.id: entry.state for entry in other.lessons.entries(other.lessons.library(tuple(State)))}


def headlines(curator: Curator) -> set[str]:
    return {entry.headline for entry in curator.lessons.entries(curator.lessons.library())}


def test_no_verdict_is_acknowledged_once_the_file_is_deleted(curator: Curator) -> None:
    curator.verdicts.accept(["AAAA-0000"])
    curator.settings.database.unlink()
    with pytest.raises(ReplacedDatabase, match="deleted") as caught:
        curator.verdicts.accept(["AAAA-0001"])
    assert str(curator.settings.database) in caught.value.message
    assert not curator.settings.database.exists(), "nothing took its place"
    with pytest.raises(ReplacedDatabase):
        curator.fork()
    assert not curator.settings.database.exists(), "nor does another thread make a new one"


def test_an_emptied_file_is_a_deleted_one(curator: Curator) -> None:
    os.truncate(curator.settings.database, 0)
    with pytest.raises(ReplacedDatabase, match="emptied"):
        curator.verdicts.accept(["AAAA-0001"])


def test_no_verdict_is_acknowledged_once_a_backup_stands_in_its_place(curator: Curator, tmp_path: Path) -> None:
    copy = backup(curator, tmp_path / "copy.db")
    curator.verdicts.accept(["AAAA-0000"])
    os.replace(copy, curator.settings.database)
    with pytest.raises(ReplacedDatabase, match="replaced"):
        curator.verdicts.drop(["AAAA-0001"])
    with pytest.raises(ReplacedDatabase):
        curator.verdicts.undo()


def test_a_file_that_goes_while_a_verdict_is_written_makes_it_none(curator: Curator) -> None:
    def write() -> None:
        with curator.store.transaction():
            curator.store.connection.execute("UPDATE entries SET score = 0.1")
            curator.settings.database.unlink()

    with pytest.raises(ReplacedDatabase):
        write()
    assert len(curator.store.batches) == 0


def test_a_schema_that_a_newer_curator_raised_is_written_to_no_more(curator: Curator) -> None:
    curator.verdicts.accept(["AAAA-0000"])
    with closing(sqlite3.connect(curator.settings.database)) as newer:
        newer.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="another version of curator"):
        curator.verdicts.accept(["AAAA-0001"])
    with closing(sqlite3.connect(curator.settings.database)) as other:
        rows = dict(other.execute("SELECT id, state FROM entries WHERE id IN ('AAAA-0000', 'AAAA-0001')").fetchall())
    assert rows == {"AAAA-0000": "active", "AAAA-0001": "open"}


@pytest.mark.parametrize("log", ["kept", "deleted"])
def test_verdicts_are_carried_over_into_a_backup(curator: Curator, settings: Settings, tmp_path: Path, log: str) -> None:
    curator.verdicts.accept(["AAAA-0000"])
    copy = backup(curator, tmp_path / "copy.db")
    curator.verdicts.drop(["AAAA-0001"])
    curator.verdicts.snooze(["AAAA-0002"])
    curator.verdicts.accept(["AAAA-0003"])
    curator.verdicts.undo()
    curator.verdicts.edit("AAAA-0004", headline="Use another tool", keep=True)
    curator.verdicts.add("Always feed the zebra")
    for aside in ("curator.db-wal", "curator.db-shm"):
        if log == "deleted":
            (settings.home / aside).unlink()
    os.replace(copy, settings.database)
    with pytest.raises(ReplacedDatabase):
        curator.verdicts.accept(["AAAA-0005"])
    done = app.carry_over.carry(curator)
    assert (done.count, done.there, done.conflicts, done.whole) == (6, 1, (), False)
    curator.verdicts.accept(["AAAA-0005"])
    now = states(settings)
    assert [now[f"AAAA-000{n}"] for n in range(7)] == [
        State.ACTIVE, State.DISMISSED, State.OPEN, State.OPEN, State.ACTIVE, State.ACTIVE, State.OPEN
    ]  # fmt: skip
    assert curator.lessons.find("AAAA-0004").headline == "Use another tool"
    assert curator.lessons.find("AAAA-0002").snoozed_until
    assert [entry.headline for entry in curator.lessons.entries(curator.lessons.library()) if entry.signal == "by-hand"] == [
        "Always feed the zebra"
    ]
    curator.verdicts.undo()
    curator.verdicts.undo()
    assert "Always feed the zebra" not in {entry.headline for entry in curator.lessons.entries(curator.lessons.library())}, (
        "and be undone there"
    )


def test_what_was_decided_otherwise_there_is_left_and_named(curator: Curator, settings: Settings, tmp_path: Path) -> None:
    copy = backup(curator, tmp_path / "copy.db")
    curator.verdicts.accept(["AAAA-0000", "AAAA-0001"])
    place = tmp_path / "elsewhere"
    place.mkdir()
    shutil.move(copy, place / "curator.db")
    with closing(Curator(Settings(home=place, export=False))) as other:
        other.verdicts.drop(["AAAA-0000"])
    for aside in ("curator.db-wal", "curator.db-shm"):
        (settings.home / aside).unlink()
    os.replace(place / "curator.db", settings.database)
    done = app.carry_over.carry(curator)
    assert done.conflicts == ("AAAA-0000",)
    assert (states(settings)["AAAA-0000"], states(settings)["AAAA-0001"]) == (State.DISMISSED, State.ACTIVE)


def test_verdicts_find_the_card_that_states_the_same_in_a_new_database(
    curator: Curator, settings: Settings, tmp_path: Path
) -> None:

    curator.verdicts.drop(["AAAA-0000"])
    place = tmp_path / "elsewhere"
    card = curator.lessons.find("AAAA-0000")._replace(id="BBBB-0000", state=State.OPEN, reason="")
    with closing(Curator(Settings(home=place, export=False), curator.project)) as other:
        other.store.apply([(Verb.PROPOSE, Change(before=None, after=card))], actor="detector", at=1.0)
    for aside in ("curator.db-wal", "curator.db-shm"):
        (settings.home / aside).unlink()
    os.replace(place / "curator.db", settings.database)
    assert app.carry_over.carry(curator).count == 1
    assert states(settings) == {"BBBB-0000": State.DISMISSED}


@pytest.mark.parametrize("log", ["kept", "deleted"])
def test_a_deleted_database_is_put_back_whole(curator: Curator, settings: Settings, log: str) -> None:
    curator.verdicts.accept(["AAAA-0000"])
    curator.verdicts.drop(["AAAA-0001"])
    settings.database.unlink()
    if log == "deleted":
        for aside in ("curator.db-wal", "curator.db-shm"):
            (settings.home / aside).unlink()
    assert app.carry_over.carry(curator).whole
    curator.verdicts.accept(["AAAA-0002"])
    curator.verdicts.undo()
    curator.verdicts.undo()
    assert states(settings) == {f"AAAA-000{n}": State.ACTIVE if n == 0 else State.OPEN for n in range(8)}
    assert settings.database.stat().st_mode & 0o777 == 0o600


def test_a_damaged_open_database_is_not_put_back(curator: Curator, settings: Settings) -> None:
    curator.store.empty_log()
    curator.store.connection.execute("PRAGMA shrink_memory")  # what SQLite remembers of it would do otherwise
    os.truncate(settings.database, 0)
    with pytest.raises(StoreError):
        app.carry_over.carry(curator)
    assert not settings.database.stat().st_size, "nothing that is damaged takes the place"


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


def test_the_log_of_another_database_is_not_written_into_ours(curator: Curator, settings: Settings, tmp_path: Path) -> None:
    curator.verdicts.accept(["AAAA-0000"])
    curator.store.empty_log()
    other = Settings(home=tmp_path / "other", export=False)
    with closing(Curator(other)) as writer, closing(sqlite3.connect(other.database)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchone()
        writer.store.connection.execute("CREATE TABLE more (a TEXT)")
        log = (other.home / "curator.db-wal").read_bytes()
    curator.close()
    (settings.home / "curator.db-wal").write_bytes(log)
    before = settings.database.read_bytes()
    with pytest.raises(StoreError, match="another database"):
        Curator(settings)
    assert settings.database.read_bytes() == before
    (settings.home / "curator.db-wal").unlink()
    assert states(settings)["AAAA-0000"] is State.ACTIVE
