"""The schema of the database, a read-only check of a database file, and the repair of all that is derived from the entries.

``PRAGMA user_version`` holds the number of applied migrations. So opening an up-to-date database costs one pragma and no import
of sqlite-utils (0.1 s).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from curator.errors import CuratorError, StoreError
from curator.store import file, hub, indexes
from curator.store.events import FIELDS, event
from curator.store.file import RAISED, RECOVER, Rows, as_store_errors, decode_entry, is_damage, lenient, translate


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date in one transaction. Raises ``sqlite3.Error``."""
    from sqlite_utils import Database  # only a database that is made needs it
    from sqlite_utils.migrations import Migrations  # only a database that is made needs it

    _write_ahead(connection)
    connection.execute("BEGIN IMMEDIATE")  # another process may do the same: wait for it, and find nothing left to do
    try:
        steps = Migrations("curator")
        for name, step in STEPS.items():
            steps(name=name)(lambda db, step=step: step(db.conn))
        steps.apply(Database(connection, execute_plugins=False))
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log. SQLite does not wait here as elsewhere if another process makes the database, too."""
    until = time.monotonic() + connection.execute("PRAGMA busy_timeout").fetchone()[0] / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def missing(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the tables and indexes that a database of this version has, and this one lacks, with their SQL."""
    query = "SELECT type || ' ' || name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1"
    with closing(sqlite3.connect(":memory:")) as model:
        for step in STEPS.values():
            step(model)
        wanted = dict(model.execute(query).fetchall())
    known = dict(connection.execute(query).fetchall())
    return {name: sql for name, sql in wanted.items() if name not in known}


def _create(connection: sqlite3.Connection) -> None:
    """Create all tables and indexes."""
    from curator.store import deliveries  # only a database that is made needs it

    for statement in (*filter(str.strip, TABLES.split(";\n")), *deliveries.TABLES, *hub.TABLES):
        connection.execute(statement)
    indexes.rebuild_full_text(connection)
    indexes.rebuild_ranking(connection)


Step = Callable[[sqlite3.Connection], None]
STEPS: dict[str, Step] = {"m001_schema": _create}
"""The steps that build a database, each once and in this order. Never edit a released step. Add another one."""
SCHEMA_VERSION = len(STEPS)
"""The number of migrations."""

TABLES = """
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- a window knows its rows by it: never given twice
    id TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL,
    state TEXT NOT NULL,
    kind TEXT NOT NULL,
    waits INTEGER NOT NULL,
    rank REAL NOT NULL,
    place INTEGER NOT NULL,
    snoozed_until REAL,
    category TEXT NOT NULL,
    headline TEXT NOT NULL,
    haystack TEXT NOT NULL,
    score REAL NOT NULL,
    seen INTEGER NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    signal TEXT NOT NULL,
    tier INTEGER NOT NULL,
    fingerprint TEXT,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX entries_fingerprint ON entries (project, fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX entries_inbox ON entries (project, rank DESC, seq, kind, place, snoozed_until, tier) WHERE waits = 1;
CREATE INDEX entries_inbox_all ON entries (rank DESC, seq, kind, place, snoozed_until, tier) WHERE waits = 1;
CREATE INDEX entries_library ON entries (state, project, updated DESC, seq, id);
CREATE INDEX entries_everywhere ON entries (state)
    WHERE CASE WHEN json_valid(body) THEN body ->> 'scope' END = 'global';
CREATE INDEX entries_session ON entries (session);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    batch TEXT NOT NULL,
    at REAL NOT NULL,
    actor TEXT NOT NULL,
    verb TEXT NOT NULL,
    id TEXT NOT NULL,
    project TEXT NOT NULL,
    before TEXT,
    after TEXT,
    "of" TEXT NOT NULL DEFAULT '',
    seconds REAL
) STRICT;
CREATE INDEX events_id ON events (id, seq);
CREATE INDEX events_batch ON events (batch);
CREATE INDEX events_of ON events ("of") WHERE "of" != '';
CREATE INDEX events_person ON events (actor, seq);
CREATE TABLE tombstones (hash TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    followed TEXT NOT NULL,
    read_at REAL NOT NULL,
    turns INTEGER NOT NULL,
    error TEXT NOT NULL DEFAULT '',
    unknown TEXT NOT NULL DEFAULT '{}', -- counts of records that gave no turn, by type, where most gave none
    sessions INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE first_tellers (
    key INTEGER PRIMARY KEY, -- hash of a turn: see transcripts.base.follow
    source INTEGER NOT NULL -- hash of the file and session that told it first
) STRICT;
CREATE TABLE error_sessions (
    project TEXT NOT NULL,
    signature TEXT NOT NULL, -- of an error: see detection.errors
    session TEXT NOT NULL, -- its hash: the words are nowhere here
    PRIMARY KEY (project, signature, session)
) STRICT, WITHOUT ROWID;
CREATE TABLE learned (
    project TEXT NOT NULL, -- '' for projects without decisions on the signal
    signal TEXT NOT NULL,
    odds REAL NOT NULL, -- what decisions add to a score: see inbox.learn_adjustments
    PRIMARY KEY (project, signal)
) STRICT, WITHOUT ROWID;
CREATE TABLE unlearned (
    project TEXT PRIMARY KEY,
    at REAL NOT NULL -- decisions until then teach nothing
) STRICT, WITHOUT ROWID;
CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    folder TEXT NOT NULL,
    root_commit TEXT NOT NULL,
    remote TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE folders (
    folder TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (id)
) STRICT, WITHOUT ROWID;
CREATE TABLE links (
    folder TEXT PRIMARY KEY, -- gone, or of another system
    project TEXT NOT NULL REFERENCES projects (id), -- gets what was said there
    batch TEXT NOT NULL -- of the cards that went along
) STRICT, WITHOUT ROWID;
CREATE TABLE accepted (
    folder TEXT NOT NULL, -- see model.Repository
    root_commit TEXT NOT NULL,
    remote TEXT NOT NULL,
    at REAL NOT NULL,
    batch TEXT NOT NULL, -- of the lessons kept with it
    PRIMARY KEY (folder, root_commit, remote)
) STRICT, WITHOUT ROWID;
CREATE TABLE written (
    id TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest TEXT NOT NULL,
    rendered TEXT NOT NULL,
    version REAL NOT NULL,
    base TEXT NOT NULL,
    PRIMARY KEY (id, folder)
) STRICT, WITHOUT ROWID;
CREATE TABLE days (
    day INTEGER PRIMARY KEY -- since the epoch, on which somebody looked at what waits
) STRICT;
CREATE TABLE intended ( -- lesson files about to be written or removed
    folder TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest TEXT NOT NULL,
    rendered TEXT NOT NULL,
    version REAL NOT NULL,
    base TEXT NOT NULL,
    PRIMARY KEY (folder, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE distilled (
    session TEXT PRIMARY KEY, -- its hash: the words are nowhere here
    digest TEXT NOT NULL, -- of what a model has read of it
    model TEXT NOT NULL,
    at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE distilled_files (
    path TEXT NOT NULL,
    scope TEXT NOT NULL, -- the project whose sessions were meant, empty for every project
    at REAL NOT NULL, -- when all of them were read or left out
    PRIMARY KEY (path, scope)
) STRICT, WITHOUT ROWID;
CREATE TABLE asked (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    session TEXT NOT NULL, -- its hash
    model TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL
) STRICT;
CREATE INDEX asked_at ON asked (at);
CREATE INDEX written_files
    ON written (folder, id, name, size, mtime_ns, digest, rendered, version)
"""


MAX_FAULTS = 3
"""The most faults of each kind that are named."""


class Soundness(NamedTuple):
    """The schema of a database, 0 for none, and the faults of its file in SQLite's words, if any.

    ``unreadable`` has the reason for each invalid row, by the row's name.
    """

    version: int
    faults: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


def inspect(path: Path) -> Soundness:
    """Read a complete database and return its faults, a few of each kind. This writes nothing.

    Raises ``StoreError`` if it can't be read: it is not a plain file, not permitted, or locked all the time.
    """
    try:
        file.require_plain_files(path)
        # A connection with mode=ro would leave the files of the write-ahead log on disk.
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            return _inspect(connection, path)
        finally:
            connection.close()
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror}.", "Give yourself the right to.") from error
    except RAISED as error:
        if not is_damage(error):
            raise translate(error, path) from error
        return Soundness(0, (str(error),))


def _inspect(connection: sqlite3.Connection, path: Path) -> Soundness:
    connection.text_factory = lenient
    connection.execute("PRAGMA query_only = ON")
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    wrong = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MAX_FAULTS})") if row[0] != "ok"]
    orphans = connection.execute("PRAGMA foreign_key_check").fetchmany(MAX_FAULTS)
    wrong += [f"a row of {row[0]} refers to nothing in {row[2]}" for row in orphans]
    if version != SCHEMA_VERSION or wrong:
        return Soundness(version, tuple(wrong))
    lacking = tuple(f"it has no {name}" for name in [*missing(connection)][:MAX_FAULTS])
    return Soundness(version, lacking, () if lacking else _unreadable(connection, path))


def _unreadable(connection: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    rows = Rows(connection, path)
    rows.readable(((row[0], row[1]) for row in connection.execute("SELECT id, body FROM entries")), decode_entry)
    rows.readable(((f"event {row[0]}", row) for row in connection.execute(f"SELECT {FIELDS} FROM events")), event)
    return tuple(f"{name} ({why})" for name, why in rows.unreadable.items())


def explain(error: Exception, path: Path) -> CuratorError | None:
    """Return the sentence for an error that the database caused. Return ``None`` if it is intact, since the error is
    curator's.
    """
    if isinstance(error, CuratorError):
        return error
    if isinstance(error, RAISED):
        return translate(error, path)
    try:
        found = inspect(path)
    except CuratorError as other:
        return other
    wrong = (*found.faults, *found.unreadable)
    return StoreError(f"{path} is damaged: {wrong[0]}.", RECOVER) if wrong else None


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

    curator first repairs a copy in memory. A damaged table can't be dropped, so this removes its name, and ``VACUUM`` leaves
    out its pages. Raises ``StoreError`` if the rest is damaged too, or another process has it open. In that case nothing was
    changed.
    """
    with (
        as_store_errors(path),
        closing(sqlite3.connect(path, timeout=1)) as database,
        closing(sqlite3.connect(":memory:")) as copy,
    ):
        database.execute("PRAGMA locking_mode = EXCLUSIVE")  # a write of another process in the meantime would be lost
        database.execute("SELECT 1 FROM sqlite_master").fetchone()  # takes the lock or raises; the copying would never end
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
        for name, sql in missing(copy).items():
            if not name.startswith("table "):  # an empty table in its place would hide the loss
                copy.execute(sql)
        fault = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if fault != "ok":
            raise StoreError(f"{path} is damaged: {fault}. Nothing was overwritten.", RECOVER)
        copy.backup(database)
