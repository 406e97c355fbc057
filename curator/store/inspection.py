"""Look at a database file without migrating, copying or mending it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from curator.errors import CuratorError, StoreError
from curator.store import file
from curator.store.errors import RAISED, RECOVER, damaged, translate
from curator.store.events import FIELDS, event
from curator.store.rows import Rows, lenient, whole
from curator.store.schema import SCHEMA_VERSION, missing


@dataclass(frozen=True, slots=True)
class Soundness:
    """Which schema a database has, 0 for none, and what is wrong with the file, in SQLite's words; nothing for a sound one.

    ``unreadable`` has why of each row that makes no sense, by its name.
    """

    version: int
    faults: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


def examined(path: Path, most: int = 3) -> Soundness:
    """Read all of a database and say what is wrong with it, ``most`` of each kind.

    Nothing is written. Raises ``StoreError`` where it can't be looked at: no plain file, no right to, or in use all the while.
    """
    try:
        file.look(path)
        # Not opened by mode=ro: such a connection leaves the files of the write-ahead log behind.
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            return _examined(connection, path, most)
        finally:
            file.close(connection, path)
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror}.", "Give yourself the right to.") from error
    except RAISED as error:
        if not damaged(error):
            raise translate(error, path) from error
        return Soundness(0, (str(error),))


def _examined(connection: sqlite3.Connection, path: Path, most: int) -> Soundness:
    connection.text_factory = lenient
    connection.execute("PRAGMA query_only = ON")
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    wrong = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({int(most)})") if row[0] != "ok"]
    wrong += ["its log is, and verdicts stand behind that place"] if file.rejected(path) >= 2 else []
    wrong += [f"a row of {row[0]} refers to nothing in {row[2]}" for row in connection.execute("PRAGMA foreign_key_check")][
        :most
    ]
    if version != SCHEMA_VERSION or wrong:
        return Soundness(version, tuple(wrong))
    lacking = tuple(f"it has no {name}" for name in missing(connection)[:most])
    return Soundness(version, lacking, () if lacking else _unreadable(connection, path))


def _unreadable(connection: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    rows = Rows(connection, path)
    rows.readable(((row[0], row[1]) for row in connection.execute("SELECT id, body FROM entries")), whole)
    rows.readable(((f"event {row[0]}", row) for row in connection.execute(f"SELECT {FIELDS} FROM events")), event)
    return tuple(f"{name} ({why})" for name, why in rows.unreadable.items())


def explained(error: Exception, path: Path) -> CuratorError | None:
    """The sentence for what went wrong, where the database is the cause; ``None`` where it is whole, and the fault is ours."""
    if isinstance(error, CuratorError):
        return error
    if isinstance(error, RAISED):
        return translate(error, path)
    try:
        found = examined(path)
    except CuratorError as other:
        return other
    wrong = (*found.faults, *found.unreadable)
    return StoreError(f"{path} is damaged: {wrong[0]}.", RECOVER) if wrong else None
