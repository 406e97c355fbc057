"""What can still be read of a database, whatever became of it; the file itself is only copied, never opened."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from curator.model import PERSON, Entry, State, Verb
from curator.store import pages
from curator.store.errors import RAISED, files
from curator.store.events import FIELDS, event
from curator.store.rows import lenient, whole
from curator.store.schema import SCHEMA_VERSION, missing

KEYS = {
    "entries": "seq",
    "events": "seq",
    "tombstones": "hash",
    "projects": "id",
    "folders": "folder",
    "accepted": "folder, root_commit, remote",
    "unlearned": "project",
    "learned": "project, signal",
    "files": "path",
    "heard": "key",
    "met": "project, signature, session",
    "written": "id, folder",
    "receipts": "seq",
    "deliveries": "lesson, session, receipt",
    "outcomes": "seq",
    "told_sessions": "session",
    "drained": "file",
}
"""The tables that are nowhere else, each with its key; all others are made of these."""
ENTRY, EVENT = 22, 11
"""Columns of the tables of entries and events, by which their rows are known on a page."""
UNDECIDED = frozenset((Verb.UNDO, Verb.REDO, Verb.FORGET))


@dataclass(frozen=True, slots=True)
class Salvage:
    """Entries by id with their numbers, rows of events by number, those of other tables, and what is wrong with the file."""

    entries: dict[str, tuple[int, Entry]] = field(default_factory=dict)
    events: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    """The rows that make no sense, by name."""

    @property
    def verdicts(self) -> frozenset[str]:
        """The batches that a person decided on."""
        return frozenset(row[1] for row in self.events.values() if row[3] == PERSON and row[4] not in UNDECIDED)

    @property
    def last(self) -> float:
        """When the last verdict was made; 0 where none was."""
        return max((row[2] for row in self.events.values() if row[3] == PERSON), default=0.0)

    def count(self, *states: State) -> int:
        """How many entries are in one of these states."""
        return sum(entry.state in states for _, entry in self.entries.values())


def salvage(path: Path) -> Salvage:
    """All that can be read of a database. Raises ``OSError`` where the file can't be."""
    with tempfile.TemporaryDirectory(prefix="recover-", dir=path.parent) as folder:
        copy = Path(folder, path.name)
        for one, other in zip(files(path), files(copy), strict=True):
            if one.is_file():
                shutil.copyfile(one, other)
        found = _from_questions(copy)
        behind = _from_pages(path, files(path)[1]) if files(path)[1].is_file() else Salvage()
        if not found.faults and behind.events.keys() - found.events.keys():
            found = replace(found, faults=("its log is damaged: SQLite leaves out what stands behind that",))
        if not found.faults and not found.unreadable:
            return found
        if found.faults and files(copy)[1].is_file():  # a log of another database makes a whole one look damaged
            apart = copy.with_name("apart.db")
            shutil.copyfile(path, apart)
            alone = _from_questions(apart)
            if not alone.faults:
                found = _join(replace(alone, faults=found.faults), found)
        for log in (files(path)[1], None):
            found = _join(found, _from_pages(path, log))
        return found


def _from_questions(path: Path) -> Salvage:
    """What SQLite itself finds, table by table, from the front and then from behind: one damaged page hides no other."""
    tables: dict[str, list[dict[str, Any]]] = {}
    faults: list[str] = []
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.text_factory = lenient
            with suppress(*RAISED):
                connection.execute("PRAGMA writable_schema = ON")  # else one damaged line of the schema hides every table
            faults += _faults(connection)
            for table, key in KEYS.items():
                tables[table], fault = _table(connection, table, key)
                faults += [fault] if fault else []
    except RAISED as error:
        faults.append(str(error))
    entries, events = tables.pop("entries", []), tables.pop("events", [])
    found = _entries((row["seq"], row["id"], row["body"]) for row in entries if {"seq", "id", "body"} <= row.keys())
    names = FIELDS.replace('"', "").split(", ")
    rows, strange = _events(tuple(row.get(name) for name in names) for row in events)
    faults = list(dict.fromkeys(faults))[:3]
    return Salvage(found[0], rows, tables, tuple(faults), (*found[1], *strange))


def _faults(connection: sqlite3.Connection) -> list[str]:
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
        found += [f"it has no {name}" for name in missing(connection)] if version == SCHEMA_VERSION else []
    except RAISED as error:
        return [str(error)]
    return found + ([f"its schema is {version}, not {SCHEMA_VERSION}"] if version > SCHEMA_VERSION else [])


def _table(connection: sqlite3.Connection, table: str, key: str) -> tuple[list[dict[str, Any]], str]:
    """The rows of a table, and why these may not be all."""
    found: dict[tuple[Any, ...], None] = {}
    names: list[str] = []
    fault = ""
    for order in (key, ", ".join(f"{part} DESC" for part in key.split(", "))):
        try:
            rows = connection.execute(f"SELECT * FROM {table} NOT INDEXED ORDER BY {order}")
            names = [column[0] for column in rows.description]
            for row in rows:
                found[row] = None
        except RAISED as error:
            fault = str(error)
        else:
            break
    return [dict(zip(names, row, strict=False)) for row in found], fault


def _from_pages(path: Path, log: Path | None) -> Salvage:
    entries, events = [], []
    for number, values in pages.rows(path, log):
        if len(values) == ENTRY:
            entries.append((number, values[1], values[-1]))
        elif len(values) == EVENT:
            at, seconds = (float(value) if isinstance(value, int) else value for value in (values[2], values[10]))
            events.append((number, values[1], at, *values[3:10], seconds))
    # What is no entry or event by its columns' types is of another table, and nothing to complain of.
    return Salvage(_entries(entries)[0], _events(events)[0])


def _entries(
    rows: Iterator[tuple[Any, Any, Any]] | Sequence[tuple[Any, Any, Any]],
) -> tuple[dict[str, tuple[int, Entry]], list[str]]:
    """The entries that make sense, the newest of each id, and the names of the others."""
    found: dict[str, tuple[int, Entry]] = {}
    strange = []
    for seq, id_, body in rows:
        try:
            entry = whole(body)
        except (ValueError, TypeError):
            strange.append(str(id_))
            continue
        if entry.id not in found or found[entry.id][1].updated < entry.updated:
            found[entry.id] = int(seq), entry
    return found, strange


def _events(rows: Iterator[tuple[Any, ...]] | Sequence[tuple[Any, ...]]) -> tuple[dict[int, tuple[Any, ...]], list[str]]:
    found: dict[int, tuple[Any, ...]] = {}
    strange = []
    for row in rows:
        try:
            event(row)
        except (ValueError, TypeError):
            strange.append(f"event {row[0]}")
            continue
        found.setdefault(row[0], row)
    return found, strange


def _join(one: Salvage, other: Salvage) -> Salvage:
    """Both; where they differ, the first, unless the other's entry is newer."""
    entries = dict(other.entries)
    for id_, (seq, entry) in one.entries.items():
        if id_ not in entries or entries[id_][1].updated <= entry.updated:
            entries[id_] = seq, entry
    events = {**other.events, **one.events}
    tables = {name: one.tables.get(name) or rows for name, rows in (other.tables | one.tables).items()}
    gone = tuple(
        name for name in one.unreadable if name not in entries and not (name[:6] == "event " and int(name[6:]) in events)
    )
    return replace(one, entries=entries, events=events, tables=tables, unreadable=gone)
