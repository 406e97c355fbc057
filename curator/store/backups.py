"""Back up the database, one copy per day with a decision, and put a backup back. The last three are kept."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from curator import clock
from curator.errors import StoreError
from curator.io import files
from curator.store import file
from curator.store.file import RAISED, translate
from curator.store.schema import inspect

ABANDONED = 3_600.0
"""Seconds after which an unfinished copy counts as abandoned."""
KEPT_DAYS = 3
"""Days that are kept."""
FILE_NAME = "curator-{}.db"


def folder(database: Path) -> Path:
    """Return where the backups of a database are."""
    return database.parent / "snapshots"  # the folder of files installed for agents is called backups


def list_backups(database: Path) -> list[Path]:
    """Return the backups of a database, the newest first. Raises ``OSError``."""
    try:
        return sorted((one for one in folder(database).glob(FILE_NAME.format("????-??-??")) if one.is_file()), reverse=True)
    except FileNotFoundError:
        return []


def of_day(database: Path, day: str) -> Path:
    """Return the path of the backup of a day, such as ``2026-01-31``, whether or not it exists."""
    return folder(database) / FILE_NAME.format(day)


def back_up(connection: sqlite3.Connection, database: Path) -> None:
    """Copy the open database once per day, after the day's first decision. Raises ``StoreError``."""
    day = clock.iso(clock.now())[:10]
    if not of_day(database, day).exists():
        make(connection, database, day)


def back_up_again(connection: sqlite3.Connection, database: Path) -> None:
    """Delete every backup, since its text must not stay, and make a new one of the rest. Raises ``StoreError``."""
    try:
        for one in list_backups(database):
            one.unlink()
    except OSError as error:
        raise StoreError(f"{folder(database)} may still hold the text: {error.strerror}.", "Delete it.") from error
    back_up(connection, database)


def make(connection: sqlite3.Connection, database: Path, day: str) -> None:
    """Copy the open database as the backup of a day, replacing an existing one, and delete all but the last three.

    A damaged copy does not replace a good one. Raises ``StoreError``.
    """
    target = of_day(database, day)
    draft = target.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")  # two may be at it
    try:
        files.private_folder(target.parent)
        for rest in target.parent.glob("*.tmp"):  # left by a process that was killed
            with suppress(FileNotFoundError):
                if time.time() - rest.stat().st_mtime > ABANDONED:
                    rest.unlink()
        try:
            copy(connection, draft, database)
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
        for old in list_backups(database)[KEPT_DAYS:]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder(database)}: today's backup can't be written: {error.strerror}.",
            "Every decision is saved. Free some space there, or change its permissions.",
        ) from error


def copy(connection: sqlite3.Connection, target: Path, database: Path) -> None:
    """Copy an open database with SQLite's online backup, sync it, see that it is whole. Raises ``StoreError``, ``OSError``."""
    files.private_file(target)
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as other:
            connection.backup(other)  # in one step, so that a writer neither waits nor restarts the copy
            other.execute("PRAGMA journal_mode = DELETE")  # one file without companions
            fault = other.execute("PRAGMA quick_check(1)").fetchone()[0]
            if fault != "ok" or not other.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchone():
                raise sqlite3.DatabaseError(f"malformed: {fault if fault != 'ok' else 'it has no events'}")
    except RAISED as error:
        raise translate(error, database) from error
    with open(target, "rb") as written:
        os.fsync(written.fileno())


class Backup(NamedTuple):
    """A backup: its name, when its newest event happened (ISO 8601), and how many entries and events it has."""

    backup: str
    at: str
    entries: int
    events: int


def describe(path: Path) -> Backup:
    """Return the contents of a backup. Raises ``StoreError`` if it is damaged or can't be read."""
    if faults := inspect(path).faults:
        raise StoreError(
            f"The backup {path} is damaged: {faults[0]}.", "Delete it, then choose another one with `curator restore`."
        )
    with closing(sqlite3.connect(path)) as connection:
        entries = connection.execute("SELECT count(*) FROM entries").fetchone()[0]
        events, last = connection.execute("SELECT count(*), max(at) FROM events").fetchone()
    return Backup(day_of(path), clock.iso(last) if last else "", entries, events)


def describe_all(database: Path) -> tuple[list[Backup], list[StoreError]]:
    """Return the backups, the newest first, and an error for each that is damaged or can't be read."""
    good, damaged = list[Backup](), list[StoreError]()
    for path in list_backups(database):
        try:
            good.append(describe(path))
        except StoreError as error:
            damaged.append(error)
    return good, damaged


def restore(database: Path, day: str) -> tuple[Backup, Path | None]:
    """Replace the database by the backup of a day. Return the backup and the new path of the old database, if there was one.

    Raises ``StoreError``. If there is no such backup, or it is damaged, nothing was changed.
    """
    source, copies = of_day(database, day), list_backups(database)
    if source not in copies:
        days = ", ".join(map(day_of, copies)) or "none"
        raise StoreError(
            f"There is no backup called {day!r}.",
            f"Backups: {days}. Without one, move {database} away and run `curator import` in each project.",
        )
    found = describe(source)
    draft = database.with_name(f"{database.name}.restoring-{os.getpid()}")
    try:
        files.private_file(draft)
        shutil.copyfile(source, draft)
        kept = _set_aside(database)
        os.replace(draft, database)
    except OSError as error:
        raise StoreError(f"{database} can't be written: {error.strerror}.", "Free some space there, then try again.") from error
    return found, kept


def _set_aside(database: Path) -> Path | None:
    """Move the database away with its log, because SQLite would apply that log to the backup. Return the new path."""
    kept = database.with_name(f"{database.name}.replaced-{clock.iso(clock.now()).replace(':', '')}-{clock.new_id()}")
    log, index = file.companion_files(database)
    index.unlink(missing_ok=True)
    if log.exists():
        os.replace(log, file.companion_files(kept)[0])
    if not database.exists():
        return None
    os.replace(database, kept)
    return kept


def replaced(database: Path) -> list[Path]:
    """Return the databases that ``restore`` has moved away."""
    return sorted(database.parent.glob(f"{database.name}.replaced-*"))


def refuse(database: Path) -> None:
    """Raise ``StoreError`` if a database that is missing or empty is no fresh start: it has backups."""
    if copies := list_backups(database):
        raise StoreError(
            f"{database} {'is empty' if database.exists() else 'is missing'}, but there are backups. "
            f"The newest is {copies[0]}.",
            f"Run `curator restore {day_of(copies[0])}` to restore it. To start anew, move {folder(database)} away.",
        )


def day_of(backup: Path) -> str:
    """Return the day of a backup.

    >>> day_of(Path("backups/curator-2026-01-31.db"))
    '2026-01-31'
    """
    return backup.stem.removeprefix("curator-")
