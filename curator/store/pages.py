"""Rows of a database file read off its pages, where SQLite itself finds no way to them any more.

The format is that of https://www.sqlite.org/fileformat2.html: leaf pages of tables hold rows whole, whatever became of the
pages above them, of the header and of the schema. Freed pages are zeroed by us (``secure_delete``), so nothing that was
deleted comes back. Whose row it is only its columns tell.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

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
