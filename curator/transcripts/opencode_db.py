"""OpenCode since 1.2: ``opencode.db``, a database with the tables ``session``, ``message`` and ``part``.

The columns beside ``data``, which is JSON, are ids and times in milliseconds; see the agent's source (session.sql.ts). A
session's row changes with each prompt, not with each answer, so sessions of the last day are always looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON
from curator.transcripts import database, document, sessions
from curator.transcripts.jsonl import Absorb
from curator.transcripts.sessions import Message, Place, Session, whole

DAY = 24 * 60 * 60 * 1000

LARGE = 8 * 1024 * 1024
"""Characters of a part that are too many to be anything but an attachment."""

_UNREAD = ('{"type":"reasoning"', '{"type":"step-', '{"type":"snapshot"', '{"type":"file"', '{"type":"patch"')
"""How parts begin that are not worth parsing."""

_AT_ONCE = 25
"""How many messages' parts one question asks for."""


def read(path: Path, start: Mark, absorb: Absorb) -> Reading:
    """A portion of what is new in a database. Raises ``OSError``."""
    return sessions.read(path, start, _Store(path), absorb)


class _Store:
    """The questions to OpenCode's database."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def changed(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Sessions in the order of their last prompt."""
        begin = (after if more else (after[0] - DAY, "")) if after else (-1, "")
        question = (
            "SELECT id, parent_id, directory, time_created, time_updated FROM session"
            " WHERE (time_updated, id) > (?, ?) ORDER BY time_updated, id LIMIT ?"
        )
        found = []
        for identity, parent, folder, created, updated in database.rows(self.path, question, (*begin, limit)):
            memory: JSON = {"session": str(identity), "cwd": folder if isinstance(folder, str) else ""}
            if parent:
                memory["sidechain"] = True
            found.append(Session(str(identity), (whole(updated), str(identity)), whole(created), memory))
        return found

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Messages with their parts; the last is settled once it is complete."""
        question = (
            "SELECT id, time_created, data FROM message WHERE session_id = ? AND (time_created, id) > (?, ?)"
            " ORDER BY time_created, id LIMIT ?"
        )
        return self._messages(database.rows(self.path, question, (session.id, *(after or (-1, "")), limit)))

    def before(self, session: Session, place: Place, limit: int) -> Sequence[Message]:
        """Messages with their parts."""
        question = (
            "SELECT id, time_created, data FROM message WHERE session_id = ? AND (time_created, id) < (?, ?)"
            " ORDER BY time_created DESC, id DESC LIMIT ?"
        )
        return self._messages(database.rows(self.path, question, (session.id, *place, limit))[::-1])

    def number(self, session: Session, place: Place) -> int:
        """One more than there are messages before."""
        question = "SELECT count(*) FROM message WHERE session_id = ? AND (time_created, id) < (?, ?)"
        return int(database.rows(self.path, question, (session.id, *place))[0][0]) + 1

    def _messages(self, rows: Sequence[tuple[Any, ...]]) -> list[Message]:
        found = []
        for begin in range(0, len(rows), _AT_ONCE):
            some = rows[begin : begin + _AT_ONCE]
            parts = self._parts([row[0] for row in some])
            for identity, created, data in some:
                info = {**_object(data), "id": str(identity)}
                record = {"info": info, "parts": parts.get(identity, [])}
                last = begin + len(some) == len(rows) and identity == some[-1][0]
                found.append(Message((whole(created), str(identity)), record, not last or _is_settled(record)))
        return found

    def _parts(self, messages: Sequence[Any]) -> dict[Any, list[JSON]]:
        question = (
            f"SELECT message_id, CASE WHEN length(data) > {LARGE} THEN '' ELSE data END FROM part"
            f" WHERE message_id IN ({', '.join('?' * len(messages))}) ORDER BY message_id, id"
        )
        rows = database.rows(self.path, question, messages)
        return {message: [_object(data) for _, data in some] for message, some in groupby(rows, key=lambda row: row[0])}


def _is_settled(record: JSON) -> bool:
    """Whether the last message of a session is as it will stay: a prompt that has parts, an answer that ended."""
    info = record["info"]
    if info.get("role") != "assistant":
        return bool(record["parts"])
    time = info.get("time")
    return bool(info.get("error")) or (isinstance(time, dict) and time.get("completed") is not None)


def _object(data: Any) -> JSON:
    if isinstance(data, str) and data.startswith(_UNREAD):
        return {}
    try:
        value = document.parsed(data) if isinstance(data, (str, bytes)) else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
