"""A database file as it is: looked at without being brought up to date, copied or mended."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from curator.store.faults import damaged, translate


@dataclass(frozen=True, slots=True)
class Soundness:
    """Which schema a database has, 0 for none, and what is wrong with the file, in SQLite's words; nothing for a sound one."""

    version: int
    faults: tuple[str, ...] = ()


def examined(path: Path, most: int = 3) -> Soundness:
    """Read all of a database and say what is wrong with it, ``most`` of each kind.

    Nothing is written. Raises ``StoreError`` where it can't be looked at: no right to, or in use all the while.
    """
    try:
        # Not opened by mode=ro: such a connection leaves the files of the write-ahead log behind.
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA query_only = ON")
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            rows = connection.execute(f"PRAGMA integrity_check({int(most)})").fetchall()
            lost = connection.execute("PRAGMA foreign_key_check").fetchmany(most)
    except sqlite3.Error as error:
        if not damaged(error):
            raise translate(error, path) from error
        return Soundness(0, (str(error),))
    wrong = [str(row[0]) for row in rows if row[0] != "ok"]
    return Soundness(version, (*wrong, *(f"a row of {row[0]} refers to nothing in {row[2]}" for row in lost)))
