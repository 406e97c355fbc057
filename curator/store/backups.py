"""Copies of the database beside it: one a day with a verdict, the last three, each private and whole."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

from curator.errors import StoreError
from curator.io import files
from curator.store import file
from curator.store.file import RAISED, translate

ABANDONED = 3_600.0
"""Seconds after which nobody works any more at a copy that was begun."""
MOST = 3
"""Days that are kept."""
NAME = "curator-{}.db"


def folder(database: Path) -> Path:
    """Where the backups of a database are."""
    return database.parent / "snapshots"  # that of what is installed for agents is called backups


def list_backups(database: Path) -> list[Path]:
    """The backups of a database, the newest first. Raises ``OSError``."""
    try:
        return sorted((one for one in folder(database).glob(NAME.format("????-??-??")) if one.is_file()), reverse=True)
    except FileNotFoundError:
        return []


def of_day(database: Path, day: str) -> Path:
    """The backup of a day, such as ``2026-01-31``, there or not."""
    return folder(database) / NAME.format(day)


def make(connection: sqlite3.Connection, database: Path, day: str) -> Path:
    """Copy the open database as the backup of a day, in place of one that is there, and drop what is older than the last three.

    A copy that is not whole takes nothing's place. Raises ``StoreError`` and ``OSError``.
    """
    target = of_day(database, day)
    files.private_folder(target.parent)
    for rest in target.parent.glob("*.tmp"):  # of who was killed at it
        with suppress(FileNotFoundError):
            if time.time() - rest.stat().st_mtime > ABANDONED:
                rest.unlink()
    draft = target.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")  # two may be at it
    try:
        copy(connection, draft, database)
        os.replace(draft, target)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
    for old in list_backups(database)[MOST:]:
        old.unlink(missing_ok=True)
    return target


def copy(connection: sqlite3.Connection, target: Path, database: Path) -> None:
    """Copy an open database with SQLite's online backup, sync it, see that it is whole. Raises ``StoreError``, ``OSError``."""
    files.private_file(target)
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as other:
            connection.backup(other)  # all at once: whoever writes meanwhile neither waits nor makes it begin anew
            other.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
            fault = other.execute("PRAGMA quick_check(1)").fetchone()[0]
            if fault != "ok" or not other.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchone():
                raise sqlite3.DatabaseError(f"malformed: {fault if fault != 'ok' else 'it has no events'}")
    except RAISED as error:
        raise translate(error, database) from error
    with open(target, "rb") as written:
        os.fsync(written.fileno())


def drop(database: Path) -> None:
    """Take every backup away: something in them must not stay. Raises ``OSError``."""
    for one in list_backups(database):
        one.unlink()


def refuse(database: Path) -> None:
    """Raise ``StoreError`` where a database that is missing or empty is no fresh start: there are backups, or its own log."""
    what = "is empty" if database.exists() else "is not there"
    log = file.beside(database)[0]
    copies = list_backups(database)
    if copies:
        raise StoreError(
            f"{database} {what}, but backups are: the newest is {copies[0]}.",
            f"`curator restore` says what each of them holds, and `curator restore {day_of(copies[0])}` brings the newest "
            f"back. To begin anew instead, move {folder(database)} away.",
        )
    if log.is_file() and log.stat().st_size:
        raise StoreError(
            f"{database} {what}, but what was written to it last is there: {log}.",
            f"`curator restore now` brings back what can be read of it. To begin anew instead, move {log} away.",
        )


def day_of(backup: Path) -> str:
    """The day of a backup.

    >>> day_of(Path("backups/curator-2026-01-31.db"))
    '2026-01-31'
    """
    return backup.stem.removeprefix("curator-")
