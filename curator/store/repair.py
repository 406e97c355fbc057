"""Find damage in the search index, and rebuild all that is derived from the entries."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from curator.errors import StoreError
from curator.store import indexes, schema
from curator.store.file import RAISED, RECOVER, as_store_errors, is_damage

DERIVED = ("recall", *(f"recall_{part}" for part in ("data", "idx", "content", "docsize", "config")), *indexes.RANKING)


def has_damaged_index(path: Path) -> bool:
    """Return whether the search index contradicts itself. ``PRAGMA integrity_check`` does not look into it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        try:
            connection.execute("INSERT INTO recall (recall) VALUES ('integrity-check')")
        except RAISED as error:
            return is_damage(error)
    return False


def rebuild(path: Path) -> None:
    """Rebuild the indexes of a database from its entries.

    A copy in memory is repaired first: a table that is damaged can't be dropped, so its name goes, and ``VACUUM`` leaves out
    its pages. Raises ``StoreError`` where the rest is damaged too, or another process has it open;
    then nothing was changed.
    """
    with (
        as_store_errors(path),
        closing(sqlite3.connect(path, timeout=1)) as database,
        closing(sqlite3.connect(":memory:")) as copy,
    ):
        database.execute("PRAGMA locking_mode = EXCLUSIVE")  # what another process writes meanwhile would be lost
        database.execute("SELECT 1 FROM sqlite_master").fetchone()  # takes the lock or raises; the copying waits for ever
        database.backup(copy)
        copy.isolation_level = None
        copy.execute("PRAGMA writable_schema = ON")
        marks = ", ".join("?" * len(DERIVED))
        copy.execute(f"DELETE FROM sqlite_master WHERE tbl_name IN ({marks}) OR type = 'index' AND sql IS NOT NULL", DERIVED)
        copy.execute("PRAGMA writable_schema = RESET")
        copy.execute("REINDEX")
        copy.execute("VACUUM")
        indexes.rebuild_full_text(copy)
        indexes.rebuild_ranking(copy)
        for name, sql in schema.missing(copy).items():
            if not name.startswith("table "):  # an empty table in its place would hide what is lost
                copy.execute(sql)
        fault = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if fault != "ok":
            raise StoreError(f"{path} is damaged: {fault}. Nothing was overwritten.", RECOVER)
        copy.backup(database)
