"""An empty database, made once: to make one takes ten times as long as to copy it."""

from __future__ import annotations

import sqlite3
from functools import cache

from curator.store.schema import migrate


@cache
def made() -> sqlite3.Connection:
    """Make an empty database, which lives as long as the process."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection)
    return connection


def copy(connection: sqlite3.Connection) -> None:
    """Fill a new database with a copy of the one that is made, and bring any other up to date as usual."""
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        migrate(connection)
    else:
        connection.execute("PRAGMA journal_mode = WAL")
        made().backup(connection)
