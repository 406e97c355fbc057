"""Recover a damaged database: read rows off its pages, build a new one, put it in the old one's place.

The damaged file itself is only copied, never opened. Rows are read off its pages where SQLite finds no way to them any more.

The format is that of https://www.sqlite.org/fileformat2.html: leaf pages of tables hold rows whole, whatever became of the
pages above them, of the header and of the schema. Freed pages are zeroed by us (``secure_delete``), so nothing that was
deleted comes back. Whose row it is only its columns tell.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from curator.model import PERSON, Entry, Event, State, Verb
from curator.model.codec import apply_patch, decode, encode
from curator.store import file
from curator.store.database import Store
from curator.store.entries import Order
from curator.store.events import FIELDS, event
from curator.store.file import RAISED, with_log
from curator.store.rows import lenient, whole
from curator.store.schema import SCHEMA_VERSION, missing
from curator.text.words import pluralize

SIZE = 4096
"""Bytes of a page, unless the header says otherwise."""
LEAF = 0x0D
"""A page of a table whose cells are rows."""
FRAME, LOG = 24, 32
"""Bytes before each page of the write-ahead log, and before the first."""
LARGEST = 1 << 28
"""Bytes that a row has at most."""
WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of a whole number, by its type."""
Value = int | float | str | None


class Row(NamedTuple):
    """A row: its number, and its columns."""

    number: int
    values: tuple[Value, ...]


def rows(database: Path, log: Path | None = None) -> Iterator[Row]:
    """Every row that stands whole on a leaf page of any table, in the order of the pages; the log's pages go before older ones.

    Raises ``OSError``.
    """
    data = database.read_bytes() if database.is_file() else b""
    size = _size(data)
    newer = _log_pages(log.read_bytes(), size) if log is not None and log.is_file() else {}
    count = max(len(data) // size, max(newer, default=0))
    for number in range(1, count + 1):
        page = _page(data, newer, size, number)
        begin = 100 if number == 1 else 0
        if len(page) == size and page[begin] == LEAF:
            yield from _cells(page, begin, data, newer, size)


def _size(data: bytes) -> int:
    size = int.from_bytes(data[16:18], "big")
    return size if data.startswith(b"SQLite format 3") and size >= 512 and not size & (size - 1) else SIZE


def _page(data: bytes, newer: Mapping[int, bytes], size: int, number: int) -> bytes:
    return newer[number] if number in newer else data[(number - 1) * size : number * size]


def _log_pages(log: bytes, size: int) -> dict[int, bytes]:
    """The newest pages in a write-ahead log, up to the last transaction that was finished."""
    finished, found = dict[int, bytes](), dict[int, bytes]()
    frames = range(LOG, len(log) - FRAME - size + 1, FRAME + size)
    salts = Counter(log[begin + 8 : begin + 16] for begin in frames)  # older transactions have others
    newest = log[16:24] if log[16:24] in salts else max(salts, key=lambda one: salts[one], default=b"")
    for begin in frames:
        number, end = struct.unpack(">II", log[begin : begin + 8])
        if log[begin + 8 : begin + 16] != newest:
            continue
        found[number] = log[begin + FRAME : begin + FRAME + size]
        if end:
            finished = dict(found)
    return finished


def _cells(page: bytes, begin: int, data: bytes, newer: Mapping[int, bytes], size: int) -> Iterator[Row]:
    count = int.from_bytes(page[begin + 3 : begin + 5], "big")
    for at in range(begin + 8, min(begin + 8 + 2 * count, size - 1), 2):
        try:
            yield _cell(page, int.from_bytes(page[at : at + 2], "big"), data, newer, size)
        except (IndexError, ValueError, struct.error):
            continue  # this cell is damaged; the next may be whole


def _cell(page: bytes, at: int, data: bytes, newer: Mapping[int, bytes], size: int) -> Row:
    length, at = _varint(page, at)
    number, at = _varint(page, at)
    if length > LARGEST:
        raise ValueError("too long")
    here = _local(length, size)
    payload = page[at : at + here]
    if here < length:
        following = int.from_bytes(page[at + here : at + here + 4], "big")
        payload += _overflow(following, length - here, data, newer, size)
    if len(payload) != length:
        raise ValueError("cut off")
    return Row(number, _record(payload))


def _local(length: int, size: int) -> int:
    """How much of a row stands on its own page; the rest is on others."""
    most, least = size - 35, (size - 12) * 32 // 255 - 23
    if length <= most:
        return length
    some = least + (length - least) % (size - 4)
    return some if some <= most else least


def _overflow(number: int, length: int, data: bytes, newer: Mapping[int, bytes], size: int) -> bytes:
    parts: list[bytes] = []
    for _ in range(-(-length // (size - 4))):
        page = _page(data, newer, size, number) if number else b""
        parts.append(page[4 : 4 + min(length, size - 4)])
        number, length = int.from_bytes(page[:4], "big"), length - len(parts[-1])
    return b"".join(parts)


def _record(payload: bytes) -> tuple[Value, ...]:
    head, at = _varint(payload, 0)
    types = []
    while at < head:
        type_, at = _varint(payload, at)
        types.append(type_)
    if at != head:
        raise ValueError("a head that is too long")
    values: list[Value] = []
    for type_ in types:
        value, at = _value(payload, at, type_)
        values.append(value)
    if at != len(payload):
        raise ValueError("another length than its columns")
    return tuple(values)


def _value(payload: bytes, at: int, type_: int) -> tuple[Value, int]:
    if type_ == 0:
        return None, at
    if type_ in (8, 9):
        return type_ - 8, at
    if type_ in WIDTHS:
        end = at + WIDTHS[type_]
        return int.from_bytes(payload[at:end], "big", signed=True), end
    if type_ == 7:
        return struct.unpack(">d", payload[at : at + 8])[0], at + 8
    if type_ < 13 or not type_ % 2:
        raise ValueError("a type that no table of ours has")
    end = at + (type_ - 13) // 2
    return str(payload[at:end], "utf-8"), end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for index in range(8):
        byte = data[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >= 1 << 63 else value, at + 9


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
    "first_tellers": "key",
    "error_sessions": "project, signature, session",
    "written": "id, folder",
    "receipts": "seq",
    "deliveries": "lesson, session, receipt",
    "outcomes": "seq",
    "delivery_sessions": "session",
    "drained": "file",
    "distilled": "session",
    "distilled_files": "path, scope",
    "asked": "seq",
}
"""The tables that are nowhere else, each with its key; all others are made of these."""
ENTRY, EVENT = 22, 11
"""Columns of the tables of entries and events, by which their rows are known on a page."""
EVENT_COLUMNS = FIELDS.replace('"', "").split(", ")
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
        for one, other in zip(with_log(path), with_log(copy), strict=True):
            if one.is_file():
                shutil.copyfile(one, other)
        found = _from_questions(copy)
        behind = _from_pages(path, with_log(path)[1]) if with_log(path)[1].is_file() else Salvage()
        if not found.faults and behind.events.keys() - found.events.keys():
            found = replace(found, faults=("its log is damaged: SQLite leaves out what stands behind that",))
        if not found.faults and not found.unreadable:
            return found
        if found.faults and with_log(copy)[1].is_file():  # a log of another database makes a whole one look damaged
            apart = copy.with_name("apart.db")
            shutil.copyfile(path, apart)
            alone = _from_questions(apart)
            if not alone.faults:
                found = _join(replace(alone, faults=found.faults), found)
        for log in (with_log(path)[1], None):
            found = _join(found, _from_pages(path, log))
        older = _from_older_pages(path, with_log(path)[1])
        return replace(found, events={n: row for n, row in older.items() if row[5] in found.entries} | found.events)


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
    values = [tuple(row.get(name) for name in EVENT_COLUMNS) for row in events]
    rows, strange = _events(values)
    if torn := sum(row[0] in rows and rows[row[0]] != row for row in values):
        faults.append(f"{pluralize(torn, 'event')} with bytes behind their words that make no sense")
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
    for number, values in rows(path, log):
        if len(values) == ENTRY:
            entries.append((number, values[1], values[-1]))
        elif len(values) == EVENT:
            events.append(_event_row(number, values))
    # What is no entry or event by its columns' types is of another table, and nothing to complain of.
    return Salvage(_entries(entries)[0], _events(events)[0])


def _from_older_pages(path: Path, log: Path) -> dict[int, tuple[Any, ...]]:
    """The events on all pages of the log, the newest first: a page whose last copy is damaged may stand there whole before.

    An event is never changed; that of an entry which was forgotten is to be left out by whoever asks.
    """
    data, older = (one.read_bytes() if one.is_file() else b"" for one in (path, log))
    size, found = _size(data), dict[int, tuple[Any, ...]]()
    for begin in reversed(range(LOG, len(older) - FRAME - size + 1, FRAME + size)):
        page = older[begin + FRAME : begin + FRAME + size]
        if page[0] == LEAF:
            cells = ((row.number, row.values) for row in _cells(page, 0, data, {}, size))
            found = _events(_event_row(number, values) for number, values in cells if len(values) == EVENT)[0] | found
    return found


def _event_row(number: int, values: Sequence[Any]) -> tuple[Any, ...]:
    at, seconds = (float(value) if isinstance(value, int) else value for value in (values[2], values[10]))
    return number, values[1], at, *values[3:10], seconds


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
        whole_row = next((one for one in (row, _without_rest(row)) if _is_event(one)), None)
        if whole_row is None:
            strange.append(f"event {row[0]}")
        else:
            found.setdefault(row[0], whole_row)
    return found, strange


def _is_event(row: tuple[Any, ...]) -> bool:
    try:
        event(row)
    except (ValueError, TypeError):
        return False
    return True


def _without_rest(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row with nothing behind the two objects that say what changed: what stands there was never ours."""
    return (*row[:7], *map(_object, row[7:9]), *row[9:])


def _object(text: Any) -> Any:
    if not isinstance(text, str) or not text.startswith("{"):
        return text
    try:
        return text[: json.JSONDecoder().raw_decode(text)[1]]
    except (ValueError, RecursionError):
        return text


def _join(one: Salvage, other: Salvage) -> Salvage:
    """Both; where they differ, the first, unless the other's entry is newer."""
    entries = dict(other.entries)
    for id_, (seq, entry) in one.entries.items():
        if id_ not in entries or entries[id_][1].updated <= entry.updated:
            entries[id_] = seq, entry
    events = {**other.events, **one.events}
    tables = {name: one.tables.get(name) or rows for name, rows in (other.tables | one.tables).items()}
    lost = tuple(
        name for name in one.unreadable if name not in entries and not (name[:6] == "event " and int(name[6:]) in events)
    )
    return replace(one, entries=entries, events=events, tables=tables, unreadable=lost)


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
    forgotten = {id_ for id_, (_, entry) in entries.items() if is_forgotten(entry, marks)}
    return Salvage(
        {id_: found for id_, found in entries.items() if id_ not in forgotten},
        {seq: row for seq, row in {**backup.events, **one.events}.items() if row[5] not in forgotten},
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
                found = decode(apply_patch(encode(found) if found else {}, later.after))
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
            for columns in rows:
                _insert(store.connection, table, columns)
        numbers: set[int] = set()
        for seq, entry in sorted(found.entries.values(), key=lambda pair: pair[0]):
            number = {"seq": seq} if seq not in numbers else {}
            numbers.add(seq)
            _insert(store.connection, "entries", store.row(entry) | number)
        for row in found.events.values():
            _insert(store.connection, "events", dict(zip(EVENT_COLUMNS, row, strict=True)))
    store.rebuild()


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    """Add a row, unless one with its key is there, or a value of it is of another type than its column."""
    known = {column[1] for column in connection.execute(f"PRAGMA table_info({table})")}
    values = {name: value for name, value in row.items() if name in known}
    names = ", ".join(f'"{name}"' for name in values)
    with suppress(sqlite3.IntegrityError):
        connection.execute(
            f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", [*values.values()]
        )


def install(new: Path, path: Path, stamp: str) -> Path | None:
    """Put a database, one file of its own, in another's place; returns where the other is kept from now on, if there was one.

    The other keeps its write-ahead log, without which it lacks what was written last. Raises ``OSError``.
    """
    log, index = file.beside(path)
    names = (f"{path.name}.replaced-{stamp}{more}" for more in ("", *(f"-{number}" for number in range(2, 100))))
    copy = next(one for name in names if not (one := path.with_name(name)).exists())
    there = path.exists() or log.exists()
    if path.is_file():
        os.link(path, copy)
    elif path.exists():  # a folder, or a pipe
        os.rename(path, copy)
    if log.exists():
        os.replace(log, file.beside(copy)[0])
    index.unlink(missing_ok=True)
    os.replace(new, path)
    return copy if there else None
