"""A new database from what could be read of another, and its way into the other's place."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from curator.model import Entry, Event
from curator.model.codec import decode, encode, patched
from curator.store import file
from curator.store.database import Store
from curator.store.entries import Order
from curator.store.events import event
from curator.store.salvage import KEYS, Salvage


def complete(one: Salvage, backup: Salvage, is_forgotten: Callable[[Entry, Set[str]], bool]) -> Salvage:
    """What was read, and from a backup what of it is missing, brought up to date by the events since.

    What a person had forgotten, as the marks say that stay of it, does not come back.
    """
    last = max(backup.events, default=0)
    since: dict[str, list[Event]] = {}
    for seq, row in sorted(one.events.items()):
        if seq > last:
            since.setdefault(row[5], []).append(event(row))
    older = {id_: (seq, _later(entry, since.get(id_, ()))) for id_, (seq, entry) in backup.entries.items()}
    entries = {id_: (seq, entry) for id_, (seq, entry) in older.items() if entry is not None} | one.entries
    tables = {name: [*one.tables.get(name, ()), *backup.tables.get(name, ())] for name in KEYS}
    marks = {row["hash"] for row in tables["tombstones"] if "hash" in row}
    gone = {id_ for id_, (_, entry) in entries.items() if is_forgotten(entry, marks)}
    return Salvage(
        {id_: found for id_, found in entries.items() if id_ not in gone},
        {seq: row for seq, row in {**backup.events, **one.events}.items() if row[5] not in gone},
        tables,
        one.faults,
        tuple(name for name in one.unreadable if name not in entries),
    )


def _later(entry: Entry, events: Iterable[Event]) -> Entry | None:
    """An entry as it was after these events; ``None`` where they took it away. An event that does not fit changes nothing."""
    found: Entry | None = entry
    for later in events:
        if later.after is None:
            found = None
        else:
            with suppress(ValueError):
                found = decode(patched(encode(found) if found else {}, later.after))
    return found


@contextmanager
def draft(path: Path, order: Order) -> Iterator[Store]:
    """A new, empty database that may take the place of the one at ``path``; where it does not, nothing of it stays."""
    with (
        tempfile.TemporaryDirectory(prefix="recover-", dir=path.parent) as folder,
        closing(Store(Path(folder, path.name), order=order)) as store,
    ):
        yield store


def fill(store: Store, found: Salvage) -> None:
    """Write all that was read into a new database; what is made of it is made anew. Raises ``StoreError``."""
    with store.transaction():
        for table, rows in found.tables.items():
            for row in rows:
                _insert(store.connection, table, row)
        taken: set[int] = set()
        for seq, entry in sorted(found.entries.values(), key=lambda pair: pair[0]):
            number = {"seq": seq} if seq not in taken else {}
            taken.add(seq)
            _insert(store.connection, "entries", store.row(entry) | number)
        for seq, batch, at, actor, verb, id_, project, before, after, of, seconds in found.events.values():
            row = {"seq": seq, "batch": batch, "at": at, "actor": actor, "verb": verb, "id": id_, "project": project}
            _insert(store.connection, "events", row | {"before": before, "after": after, "of": of, "seconds": seconds})
    store.rebuild()


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    """Add a row, unless one with its key is there, or a value of it is of another type than its column."""
    known = {column[1] for column in connection.execute(f"PRAGMA table_info({table})")}
    given = {name: value for name, value in row.items() if name in known}
    names = ", ".join(f'"{name}"' for name in given)
    with suppress(sqlite3.IntegrityError):
        connection.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({', '.join('?' * len(given))})", [*given.values()])


def install(new: Path, path: Path, stamp: str) -> Path | None:
    """Put a database, one file of its own, in another's place; returns where the other is kept from now on, if there was one.

    The other keeps its write-ahead log, without which it lacks what was written last. Raises ``OSError``.
    """
    log, index = file.beside(path)
    names = (f"{path.name}.replaced-{stamp}{more}" for more in ("", *(f"-{number}" for number in range(2, 100))))
    kept = next(one for name in names if not (one := path.with_name(name)).exists())
    there = path.exists() or log.exists()
    if path.is_file():
        os.link(path, kept)
    elif path.exists():  # a folder, or a pipe
        os.rename(path, kept)
    if log.exists():
        os.replace(log, file.beside(kept)[0])
    index.unlink(missing_ok=True)
    os.replace(new, path)
    return kept if there else None
