"""Rows as entries. One that makes no sense is named and left out; the others are read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from curator.errors import Unreadable
from curator.model import Entry
from curator.model.codec import decode
from curator.store.file import RECOVER, as_store_errors

T = TypeVar("T")


class Rows:
    """The questions to one connection; ``unreadable`` has why of each row that was left out, by its name."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path
        self.unreadable: dict[str, str] = {}

    def ask(self, statement: str, values: Any = ()) -> list[Any]:
        """Return all rows of an answer. Raises ``StoreError``."""
        with as_store_errors(self.path):
            return self.connection.execute(statement, values).fetchall()

    def entry(self, id_: str, body: Any) -> Entry:
        """Return the entry in a row. Raises ``Unreadable``, which names it."""
        return self.one(str(id_), body, whole)

    def entries(self, rows: Iterable[tuple[str, Any]]) -> list[Entry]:
        """Return the entries of rows (id, body) that can be read."""
        return self.readable(((str(id_), body) for id_, body in rows), whole)

    def one(self, name: str, row: Any, read: Callable[[Any], T]) -> T:
        """Return what a row means. Raises ``Unreadable``, which names it, where ``read`` raises ``ValueError``."""
        try:
            return read(row)
        except (ValueError, TypeError) as error:
            self.unreadable[name] = str(error)
            raise Unreadable(f"{name} can't be read: its row in {self.path} is damaged ({error}).", RECOVER) from error

    def readable(self, rows: Iterable[tuple[str, Any]], read: Callable[[Any], T]) -> list[T]:
        """Return what the named rows mean, as far as each can be read."""
        found = []
        for name, row in rows:
            try:
                found.append(read(row))
            except (ValueError, TypeError) as error:
                self.unreadable[name] = str(error)
        return found


class Queries:
    """The queries and writes of one subject; writes join the caller's transaction."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.connection = rows.connection
        self.path = rows.path

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        return self.rows.ask(statement, values)

    def _write(self, statement: str, *values: Any) -> sqlite3.Cursor:
        with as_store_errors(self.path):
            return self.connection.execute(statement, values)


def whole(body: Any) -> Entry:
    """Return an entry as stored. Raises ``ValueError`` or ``TypeError`` for anything else."""
    data = json.loads(body)
    if type(data) is not dict:
        raise ValueError("it is no object")
    return decode(data)


def valid_entries(rows: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of rows (number, body) that make sense."""
    for seq, body in rows:
        with suppress(ValueError, TypeError):
            yield seq, whole(body)


def lenient(raw: bytes) -> str:
    """Return a text of the database; a byte that is no UTF-8 costs its letter, not the question."""
    return str(raw, "utf-8", "replace")


def expect(row: Sequence[Any], types: Sequence[type | tuple[type, ...]]) -> Sequence[Any]:
    """Return the row, if its first columns are of these types. Raises ``ValueError``."""
    for value, type_ in zip(row, types, strict=False):
        if not isinstance(value, type_):
            raise ValueError(f"a {type(value).__name__} where none belongs")
    return row


def field(path: str, column: str = "body") -> str:
    """SQL for what stands at a path of stored JSON; null where it is none, which else would end the whole question.

    >>> field("scope")
    "CASE WHEN json_valid(body) THEN body ->> 'scope' END"
    """
    return f"CASE WHEN json_valid({column}) THEN {column} ->> '{path}' END"
