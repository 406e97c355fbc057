"""The check of the database file, and the translation of SQLite's errors into an event, a file and a remedy."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from curator.errors import CuratorError, StoreBusy, StoreError, Unreadable
from curator.model import Entry
from curator.model.codec import decode

ENDS_OF_COMPANIONS = ("-wal", "-shm")
"""The endings of the companion files of a database: SQLite's write-ahead log and its index."""
KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
Identity = tuple[int, int]
"""Device and inode."""


def identity(path: Path) -> Identity | None:
    """Return the identity of the file at a path. Return ``None`` without a file, and for an empty one. Raises ``OSError``."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size else None


def companion_files(path: Path) -> tuple[Path, ...]:
    """Return the paths of SQLite's companion files of a database."""
    return tuple(path.with_name(path.name + end) for end in ENDS_OF_COMPANIONS)


def require_plain_files(path: Path) -> None:
    """Raise ``StoreError`` if the database or a companion is not a plain file. Reading a pipe would never end.

    Raises ``OSError`` if the file can't be examined.
    """
    for one in (path, *companion_files(path)):
        try:
            mode = one.stat().st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            kind = KINDS.get(stat.S_IFMT(mode), "a device")
            raise StoreError(
                f"{one} is {kind} and not a file.", "Move it away, or choose another folder with CURATOR_HOME. Then try again."
            )


log = logging.getLogger(__name__)
RAISED = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)
"""The errors of the sqlite3 module: its own, and those that a damaged file causes in it."""
RECOVER = "`curator restore` lists the backups and restores one."
REBUILD = "Run `curator doctor --fix` to rebuild the index."
SIGNS = (
    "malformed",
    "not a database",
    "corrupt",
    "no such table",
    "no such column",
    "no such index",
    "vtable constructor failed",
    "fts5",
    "utf-8",
    "out of memory",
)
"""SQLite's words for a file that is broken, or lacks parts of its version."""


@contextmanager
def as_store_errors(path: Path) -> Iterator[None]:
    """Raise every database error of the block as a ``StoreError`` that a person can act on."""
    try:
        yield
    except RAISED as error:
        raise translate(error, path) from error


def translate(error: Exception, path: Path) -> CuratorError:
    """Return an error that tells a person the problem with the database and the remedy."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return StoreBusy(f"{path} is in use by another process.", "Nothing was lost. Try again when the other process is done.")
    if "full" in text:
        return StoreError(
            f"{path} could not be written: {text}.",
            "Everything saved so far is safe. Free some space on that disk, then try again.",
        )
    if ("unable to open" in text or "readonly" in text) and path.exists() and not os.access(path.parent, os.W_OK):
        return StoreError(
            f"{path.parent} is read-only, and SQLite must write next to its database even to read it.",
            "Change its permissions, or copy the folder and set CURATOR_HOME to the copy.",
        )
    if "readonly" in text or "read-only" in text:
        return StoreError(
            f"{path} is read-only: {text}.", "Change its permissions, or choose another folder with CURATOR_HOME."
        )
    if "unable to open" in text:
        return StoreError(
            f"{path} can't be opened: {text}.", "Check the permissions of the folder, or choose another one with CURATOR_HOME."
        )
    is_of_index = getattr(error, "sqlite_errorname", "") == "SQLITE_CORRUPT_VTAB" or "fts5" in text
    if is_of_index or isinstance(error, MemoryError):  # a damaged index can ask for any amount
        return StoreError(f"The search index in {path} is damaged. Your lessons are not.", REBUILD)
    if is_damage(error):
        return StoreError(f"{path} is damaged: {text}. Nothing was overwritten.", RECOVER)
    log.error("%s: an error of the database that was not foreseen", path, exc_info=error)
    return StoreError(f"{path}: {text}.", "Details are in the log; `curator where` names it.")


def is_damage(error: Exception) -> bool:
    """Return whether an error says that the file itself is broken."""
    return isinstance(error, UnicodeDecodeError | OverflowError | MemoryError) or any(sign in str(error) for sign in SIGNS)


T = TypeVar("T")


class Rows:
    """The queries of one connection. ``unreadable`` has the reason for each row that was left out, by its name."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path
        self.unreadable: dict[str, str] = {}

    def ask(self, statement: str, values: Any = ()) -> list[Any]:
        """Return all rows of an answer. Raises ``StoreError``."""
        try:  # ``as_store_errors`` takes longer than most questions
            return self.connection.execute(statement, values).fetchall()
        except RAISED as error:
            raise translate(error, self.path) from error

    def entry(self, id_: str, body: Any) -> Entry:
        """Return the entry in a row. Raises ``Unreadable``, which names it."""
        return self.one(str(id_), body, decode_entry)

    def entries(self, rows: Iterable[tuple[str, Any]]) -> list[Entry]:
        """Return the entries of rows (id, body) that can be read."""
        return self.readable(((str(id_), body) for id_, body in rows), decode_entry)

    def one(self, name: str, row: Any, read: Callable[[Any], T]) -> T:
        """Return the meaning of a row. Raises ``Unreadable`` with the row's name if ``read`` raises ``ValueError``."""
        try:
            return read(row)
        except (ValueError, TypeError) as error:
            self.unreadable[name] = str(error)
            raise Unreadable(f"{name} can't be read: its row in {self.path} is damaged ({error}).", RECOVER) from error

    def readable(self, rows: Iterable[tuple[str, Any]], read: Callable[[Any], T]) -> list[T]:
        """Return the meanings of the named rows that can be read."""
        found = []
        for name, row in rows:
            try:
                found.append(read(row))
            except (ValueError, TypeError) as error:
                self.unreadable[name] = str(error)
        return found


class Queries:
    """The queries and writes of one subject. Writes join the caller's transaction."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.connection = rows.connection
        self.path = rows.path

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        return self.rows.ask(statement, values)

    def _write(self, statement: str, *values: Any) -> sqlite3.Cursor:
        with as_store_errors(self.path):
            return self.connection.execute(statement, values)


def decode_entry(body: Any) -> Entry:
    """Return a stored entry. Raises ``ValueError`` or ``TypeError`` for anything else."""
    data = json.loads(body)
    if type(data) is not dict:
        raise ValueError("it is no object")
    return decode(data)


def valid_entries(rows: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of rows (number, body) that make sense."""
    for seq, body in rows:
        with suppress(ValueError, TypeError):
            yield seq, decode_entry(body)


def lenient(raw: bytes) -> str:
    """Return a text of the database. A byte that is not UTF-8 costs one letter and does not end the query."""
    return str(raw, "utf-8", "replace")


def expect(row: Sequence[Any], types: Sequence[type | tuple[type, ...]]) -> Sequence[Any]:
    """Return the row, if its first columns are of these types. Raises ``ValueError``."""
    for value, type_ in zip(row, types, strict=False):
        if not isinstance(value, type_):
            raise ValueError(f"a {type(value).__name__} where none belongs")
    return row


def field(path: str, column: str = "body") -> str:
    """Return SQL for the value at a path of stored JSON. The SQL gives null for other text, which would end the query.

    >>> field("scope")
    "CASE WHEN json_valid(body) THEN body ->> 'scope' END"
    """
    return f"CASE WHEN json_valid({column}) THEN {column} ->> '{path}' END"
