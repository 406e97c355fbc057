"""Other programs' SQLite databases, which curator reads without locks or writes.

A connection is read-only, and each query is read completely at once. So no lock lasts, and the owner can always write and
checkpoint. Use a LIMIT. The write-ahead log is read too. A locked or damaged database raises ``OSError``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from curator.io import files

BUSY_SECONDS = 0.5
"""The seconds for which a query waits for another program's write."""

MAGIC = b"SQLite format 3\x00"
"""The first bytes of a database."""

LOGS = ("-wal", "-shm", "-journal")
"""The endings of a database's log, of the log's index and of the journal."""


def rows(path: Path, question: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return the answer to one question. Raises ``OSError`` for a database that is busy, damaged or of another shape."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, files.MAX_RECORD_BYTES)
            connection.text_factory = _text
            connection.set_authorizer(_only_tables)
            return connection.execute(question, values).fetchall()
    except (
        sqlite3.Error,
        UnicodeDecodeError,
        OverflowError,
        MemoryError,
    ) as error:  # a damaged schema is named in its own bytes
        raise OSError(f"{error}") from error


def tables(path: Path) -> frozenset[str]:
    """Return the names of its tables. Raises ``OSError`` as ``rows`` does."""
    return frozenset(row[0] for row in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'"))


def columns(path: Path, table: str) -> frozenset[str]:
    """Return the names of a table's columns. Return none if there is no such table. Raises ``OSError``."""
    return frozenset(row[0] for row in rows(path, "SELECT name FROM pragma_table_info(?)", (table,)))


def companions(path: Path) -> tuple[Path, ...]:
    """Return the write-ahead log, which contains the last writes."""
    return (path.with_name(f"{path.name}-wal"),)


def owner(written: Path) -> Path | None:
    """Return the database of this log or index. Return ``None`` for any other file."""
    for suffix in LOGS:
        if written.name.endswith(suffix):
            return written.with_name(written.name.removesuffix(suffix))
    return None


def _only_tables(*action: Any) -> int:
    """Refuse to read through a view: one in a repository's database may go on for ever."""
    return sqlite3.SQLITE_DENY if action[-1] else sqlite3.SQLITE_OK


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
