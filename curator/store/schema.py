"""The schema, and migrations: each applied once, after a copy of the database.

``PRAGMA user_version`` repeats how many were applied, so that opening an up-to-date database costs one pragma and does
not import sqlite-utils (0.1 s).
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.io import private
from curator.model import FROM_FILE
from curator.model.codec import dumps, encode
from curator.store import deliveries, entries, full_text, ranking_index
from curator.store.rows import sound

if TYPE_CHECKING:
    from sqlite_utils import Database


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the schema up to date: copy first, then all of it in one transaction."""
    from sqlite_utils import Database

    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version:
        copy(connection, path.with_name(f"{path.name}.before-{SCHEMA_VERSION}"))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")  # another process may be at it: then wait for it, and find nothing left to do
    try:
        migrations().apply(Database(connection, execute_plugins=False))
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        if not connection.execute("PRAGMA application_id").fetchone()[0]:  # by which its log is known for its own
            connection.execute(f"PRAGMA application_id = {random.randrange(1, 1 << 31)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def missing(connection: sqlite3.Connection) -> list[str]:
    """The tables and indexes that a database of this version has, and this one lacks."""
    listed = "SELECT type || ' ' || name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    with closing(sqlite3.connect(":memory:")) as model:
        for step in STEPS.values():
            step(model)
        wanted = {row[0] for row in model.execute(listed)}
    return sorted(wanted - {row[0] for row in connection.execute(listed)})


def copy(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the live database, whatever state its write-ahead log is in."""
    private.file(target)
    with closing(sqlite3.connect(target)) as backup:
        connection.backup(backup)


def migrations() -> Any:
    """The named migrations in order; a test applies each to a database of the version before it."""
    from sqlite_utils.migrations import Migrations

    found = Migrations("curator")
    for name, step in STEPS.items():
        found(name=name)(_of(step))
    return found


def _of(step: Step) -> Callable[[Database], None]:
    """A step as the library calls it."""

    def run(db: Database) -> None:
        step(db.conn)

    return run


def _create(connection: sqlite3.Connection) -> None:
    """Create what is not there yet."""
    for statement in FIRST.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def _teach(connection: sqlite3.Connection) -> None:
    """Add the columns that verdicts teach by, where they are missing, and create what is new besides."""
    columns = {table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")} for table in ("entries", "files")}
    if "signal" not in columns["entries"]:
        connection.execute("ALTER TABLE entries ADD COLUMN signal TEXT NOT NULL DEFAULT ''")
        connection.execute("ALTER TABLE entries ADD COLUMN held INTEGER NOT NULL DEFAULT 0")
        connection.execute("UPDATE entries SET signal = coalesce(json_extract(body, '$.signal'), '')")
        connection.execute("DROP INDEX IF EXISTS entries_inbox")
        connection.execute("DROP INDEX IF EXISTS entries_inbox_all")
    if "unknown" not in columns["files"]:
        connection.execute("ALTER TABLE files ADD COLUMN unknown TEXT NOT NULL DEFAULT '{}'")
        connection.execute("ALTER TABLE files ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0")
    _create(connection)


def _index(connection: sqlite3.Connection) -> None:
    """Create the index by which lessons are chosen, filled with what there is; some databases have parts of it already."""
    deliveries.create(connection)
    ranking_index.rebuild(connection)


def _doubt(connection: sqlite3.Connection) -> None:
    """Have the commits of anchored whole files be looked at again: the next check knows which of them are right.

    Before it, they got the commit upon which somebody was writing them as if it had them.
    """
    for seq, entry in sound(connection.execute("SELECT seq, body FROM entries WHERE instr(body, 'anchors')").fetchall()):
        doubted = [replace(one, committed=False) if one.blob and not one.symbol else one for one in entry.anchors]
        if doubted != [*entry.anchors]:
            body = dumps(encode(replace(entry, anchors=tuple(doubted))))
            connection.execute("UPDATE entries SET body = ? WHERE seq = ?", (body, seq))


def _own(connection: sqlite3.Connection) -> None:
    """Hold back only where the project's own verdicts do, too, and believe the conflicts that share nearly all of their words.

    How much of it is its own verdicts' the next one says; until then it is as much as before, so that nothing comes back only
    to go again. The odds stay: they are what the scores carry, and all that tells how to take them back.
    """
    if "holds" not in {row[1] for row in connection.execute("PRAGMA table_info(learned)")}:
        connection.execute("ALTER TABLE learned ADD COLUMN holds REAL NOT NULL DEFAULT 0")
    connection.execute("UPDATE learned SET holds = min(odds, 0) WHERE project != ''")
    rows = connection.execute(
        """UPDATE entries SET held = 0
           WHERE held = 1 AND (project, signal) NOT IN (SELECT project, signal FROM learned) RETURNING session"""
    ).fetchall()
    entries.number(connection, {session for (session,) in rows})
    sure = "{0} = json_set({0}, '$.rival.certain', json('true')) WHERE " + LIKELY
    connection.execute(f"UPDATE entries SET {sure.format('body')} AND waits = 1 AND kind = 'conflict'")
    for column in ("before", "after"):  # else an answer to such a conflict could be neither undone nor done again
        connection.execute(f"UPDATE events SET {sure.format(column)}")


def _forgive(connection: sqlite3.Connection) -> None:
    """Let an entry whose text is damaged stand in the way of no other's writing."""
    connection.execute("DROP INDEX IF EXISTS entries_global")
    _create(connection)


LIKELY = f"""{{0}} ->> '$.rival.likeness' >= 0.7
             AND ({{0}} ->> '$.rival.relating' != 'refines' OR {{0}} ->> '$.rival.clash' IS NULL) -- else it is an exception
             AND id NOT IN (SELECT id FROM entries WHERE signal = '{FROM_FILE}')"""
"""Conflicts that are believed since m010, told by what older versions stored of them; a file's version never was a guess."""


Step = Callable[[sqlite3.Connection], None]

STEPS: Mapping[str, Step] = {
    "m001_first": _create,
    "m002_verdicts_teach": _teach,
    "m003_global_lessons": _create,
    "m004_recall": full_text.rebuild,
    "m005_served": deliveries.create,
    "m006_index": _index,
    "m007_both": ranking_index.rebuild,
    "m008_places": entries.renumber,
    "m009_doubted": _doubt,
    "m010_own_verdicts": _own,
    "m011_accepted": _create,
    "m012_faults": _create,
    "m013_damaged_json": _forgive,
}
"""What is done to a database, each once and in this order; ``_create`` again where there was something new to create."""

SCHEMA_VERSION = len(STEPS)
"""How many migrations there are."""

FIRST = """
CREATE TABLE IF NOT EXISTS entries (
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
    held INTEGER NOT NULL, -- a person's verdicts on its like keep it out of the inbox
    fingerprint TEXT,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS entries_fingerprint ON entries (project, fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX IF NOT EXISTS entries_inbox ON entries (project, rank DESC, seq, kind, place, snoozed_until, held) WHERE waits = 1;
CREATE INDEX IF NOT EXISTS entries_inbox_all ON entries (rank DESC, seq, kind, place, snoozed_until, held) WHERE waits = 1;
CREATE INDEX IF NOT EXISTS entries_library ON entries (state, project, updated DESC, seq, id);
CREATE INDEX IF NOT EXISTS entries_everywhere ON entries (state)
    WHERE CASE WHEN json_valid(body) THEN body ->> 'scope' END = 'global';
CREATE INDEX IF NOT EXISTS entries_session ON entries (session);
CREATE TABLE IF NOT EXISTS events (
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
CREATE INDEX IF NOT EXISTS events_id ON events (id, seq);
CREATE INDEX IF NOT EXISTS events_batch ON events (batch);
CREATE INDEX IF NOT EXISTS events_of ON events ("of") WHERE "of" != '';
CREATE INDEX IF NOT EXISTS events_person ON events (actor, seq);
CREATE TABLE IF NOT EXISTS tombstones (hash TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    followed TEXT NOT NULL,
    read_at REAL NOT NULL,
    turns INTEGER NOT NULL,
    error TEXT NOT NULL DEFAULT '',
    unknown TEXT NOT NULL DEFAULT '{}', -- record types that the format does not know, with their counts
    sessions INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS heard (
    key INTEGER PRIMARY KEY, -- hash of a turn: see transcripts.repeats
    source INTEGER NOT NULL -- hash of the file and session that told it first
) STRICT;
CREATE TABLE IF NOT EXISTS met (
    project TEXT NOT NULL,
    signature TEXT NOT NULL, -- of an error: see detect.errors
    session TEXT NOT NULL, -- its hash: the words are nowhere here
    PRIMARY KEY (project, signature, session)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS learned (
    project TEXT NOT NULL, -- '' for projects without verdicts on the signal
    signal TEXT NOT NULL,
    odds REAL NOT NULL, -- what verdicts add to a score: see inbox.learning
    holds REAL NOT NULL, -- the part of it that may hold a card back
    floor REAL NOT NULL, -- the score below which nothing is proposed
    PRIMARY KEY (project, signal)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unlearned (
    project TEXT PRIMARY KEY,
    at REAL NOT NULL -- verdicts until then teach nothing
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS projects (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    folder TEXT NOT NULL,
    root_commit TEXT NOT NULL,
    remote TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS folders (
    folder TEXT PRIMARY KEY,
    project TEXT NOT NULL REFERENCES projects (id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accepted (
    folder TEXT NOT NULL, -- see model.Repository
    root_commit TEXT NOT NULL,
    remote TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (folder, root_commit, remote)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS written (
    id TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest TEXT NOT NULL,
    rendered TEXT NOT NULL,
    stamp TEXT NOT NULL,
    version REAL NOT NULL,
    base TEXT NOT NULL,
    PRIMARY KEY (id, folder)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS days (
    day INTEGER PRIMARY KEY -- since the epoch, on which somebody looked at what waits
) STRICT;
CREATE TABLE IF NOT EXISTS intended ( -- lesson files about to be written or removed
    folder TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    digest TEXT NOT NULL,
    rendered TEXT NOT NULL,
    stamp TEXT NOT NULL,
    version REAL NOT NULL,
    base TEXT NOT NULL,
    PRIMARY KEY (folder, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS written_files
    ON written (folder, id, name, size, mtime_ns, digest, rendered, stamp, version)
"""
