"""Read the new messages of databases with many sessions, in portions.

Agents only append to a session. So the place of a session's last message is enough to know what curator has read. The memory
has these places for recent sessions. For older ones it has only a time (``floor``) up to which all is read. Memory: ``at``
(cursor over the sessions in the order of their last change), ``more`` (the cursor is in the middle of them), ``told`` (place
by session), ``floor``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol

from curator.hookspecs import Mark, Reading
from curator.io import sqlite
from curator.model import JSON, Turn
from curator.transcripts.base.document import CONTEXT_TURNS
from curator.transcripts.base.jsonl import Collection, WriteTurns

SESSIONS = 100
"""The number of sessions that one portion looks at."""

MESSAGES = 200
"""The number of new messages in one batch."""

CONTEXT = 20
"""The number of known messages of a session that are read again before its first new one."""

LAST = "\U0010ffff"
"""A text that sorts after every id."""

_REMEMBERED = 2_000

Place = tuple[int, str | int]
"""The place of a message in its session: its time, then its id; or its id, and another mark."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session: its id, its place among the others, its beginning, and the memory of ``turns_from_record``."""

    id: str
    cursor: Place
    began: int
    memory: JSON = field(default_factory=dict)
    store: Store | None = None
    """The store that has its messages, if that is another one."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its place, its record, and whether it is as it will stay."""

    place: Place
    record: JSON
    settled: bool = True


class Store(Protocol):
    """The questions to a database. Each answers in order, with at most ``limit`` rows, and raises ``OSError`` only."""

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Return sessions after the cursor; unless ``more``, also those that may have grown though their row is unchanged."""

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Return a session's messages after a place."""

    def before(self, session: Session, place: Place, limit: int) -> Sequence[Message]:
        """Return the last messages before a place."""

    def number(self, session: Session, place: Place) -> int:
        """Return the 1-based number of the message at a place."""
        return place[0] + 1

    def age(self, place: Place) -> int:
        """Return the number that orders the sessions' beginnings, so that the oldest can be forgotten.

        If it is the same for all, those read longest ago are forgotten, and read again if they go on.
        """
        return 0


class Rows(Store):
    """The questions to a database with a row for each message."""

    table: str
    """The table of messages."""
    columns: str
    order: tuple[str, ...]
    """The columns that order a session's messages. A place has their values."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def messages(self, rows: Sequence[tuple[Any, ...]]) -> Sequence[Message]:
        """Return the messages of rows in order."""
        raise NotImplementedError

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Return a session's messages after a place."""
        order = f"ORDER BY {', '.join(self.order)} LIMIT ?"
        return self.messages(self._ask(self.columns, ">", session, after or (-1, ""), order, limit))

    def before(self, session: Session, place: Place, limit: int) -> Sequence[Message]:
        """Return the last messages before a place."""
        order = f"ORDER BY {', '.join(f'{column} DESC' for column in self.order)} LIMIT ?"
        return self.messages(self._ask(self.columns, "<", session, place, order, limit)[::-1])

    def number(self, session: Session, place: Place) -> int:
        """Return one more than the number of messages before."""
        return int(self._ask("count(*)", "<", session, place)[0][0]) + 1

    def age(self, place: Place) -> int:
        """Return the time of a message, or its number."""
        return place[0]

    def _ask(self, columns: str, sign: str, session: Session, place: Place, *rest: Any) -> list[tuple[Any, ...]]:
        order, *values = rest or [""]
        beside = f"({', '.join(self.order)}) {sign} ({', '.join('?' * len(self.order))})"
        question = f"SELECT {columns} FROM {self.table} WHERE session_id = ? AND {beside} {order}"
        return sqlite.rows(self.path, question, (session.id, *place[: len(self.order)], *values))


def as_int(value: Any) -> int:
    """Return a number out of a column that should hold one."""
    return int(value) if isinstance(value, (int, float)) and abs(value) < 1e18 else 0


def read(agent: str, path: Path, start: Mark, store: Store, write_turns: WriteTurns) -> Reading:
    """Read a portion of new messages: first the known ones of its sessions, as context, then the new. Raises ``OSError``."""
    portion = _Portion(Collection(agent, str(path), {}, write_turns), start)
    portion.take(store)
    portion.forget(store)
    return portion.reading()


class _Portion:
    """A pass over a database: its place, and its results."""

    def __init__(self, found: Collection, start: Mark) -> None:
        self.found = found
        memory = start.memory
        delivered = memory.get("told")
        self.places = (
            {name: tuple(place) for name, place in delivered.items() if _is_place(place)} if isinstance(delivered, dict) else {}
        )
        self.at: Any = tuple(memory["at"]) if _is_place(memory.get("at")) else None
        self.floor = memory["floor"] if isinstance(memory.get("floor"), int) else 0
        self.more = bool(memory.get("more")) and self.at is not None
        self.old_turns: list[Turn] = []
        self.fresh: list[Turn] = []

    def take(self, store: Store) -> None:
        sessions = store.sessions_after(self.at, self.more, SESSIONS)
        self.more = len(sessions) >= SESSIONS
        room = MESSAGES
        for session in sessions:
            after = self.places.get(session.id) or ((self.floor, LAST) if session.began <= self.floor else None)
            messages = (session.store or store).new(session, after, room + 1)
            if len(messages) > room:
                self.more = True
                self._session(session.store or store, session, after, messages[:room])
                return  # the cursor stays before this session
            self._session(session.store or store, session, after, messages)
            self.at = session.cursor
            room -= len(messages)
            if room <= 0:
                self.more = True
                return

    def _session(self, store: Store, session: Session, after: Place | None, messages: Sequence[Message]) -> None:
        settled = list(takewhile(lambda message: message.settled, messages))
        if not settled:
            return
        context = store.before(session, settled[0].place, CONTEXT) if after else ()
        number = store.number(session, settled[0].place) - len(context)
        self.found.memory = dict(session.memory)
        known = self._turns(context, number)
        self.old_turns += known[-CONTEXT_TURNS:]
        self.fresh += self._turns(settled, number + len(context))
        self.places.pop(session.id, None)
        self.places[session.id] = settled[-1].place

    def forget(self, store: Store) -> None:
        """Keep the recent places. Every session that began before a dropped one must have been read."""
        if not self.more and len(self.places) > _REMEMBERED:
            aged = sorted(self.places.items(), key=lambda item: store.age(item[1]))
            self.floor = max(self.floor, *(store.age(place) for _, place in aged[:-_REMEMBERED]))
            self.places = dict(aged[-_REMEMBERED:])

    def _turns(self, messages: Sequence[Message], number: int) -> list[Turn]:
        numbered = enumerate(messages, max(number, 1))
        return [turn for line, one in numbered for turn in self.found.take(one.record, line, f": message {line}")]

    def reading(self) -> Reading:
        memory = {"told": {name: list(place) for name, place in self.places.items()}, "floor": self.floor, "more": self.more}
        mark = Mark(memory={**memory, "at": list(self.at)} if self.at else memory)
        turns = (*self.old_turns, *self.fresh)
        return Reading(
            turns, mark, mark, self.found.unknown, tuple(self.found.errors), old_turns=len(self.old_turns), more=self.more
        )


def _is_place(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], (str, int))
