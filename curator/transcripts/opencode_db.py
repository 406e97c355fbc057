"""OpenCode from 1.2 to 2.0: ``opencode.db``, a database with the tables ``session``, ``message`` and ``part``.

The columns beside ``data``, which is JSON, are ids and times in milliseconds; see the agent's source (session.sql.ts). A
session's row changes with each prompt, not with each answer, so sessions of the last day are always looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from curator.io import sqlite
from curator.model import JSON
from curator.transcripts.base import document
from curator.transcripts.base.sessions import Message, Place, Session, whole

DAY = 24 * 60 * 60 * 1000

LARGE = 8 * 1024 * 1024
"""Characters of a part that are too many to be anything but an attachment."""

_UNREAD = ('{"type":"reasoning"', '{"type":"step-', '{"type":"snapshot"', '{"type":"file"', '{"type":"patch"')
"""How parts begin that are not worth parsing."""

_AT_ONCE = 25
"""How many messages' parts one question asks for."""


def changed(path: Path, table: str, after: Place | None, more: bool, limit: int) -> list[Session]:
    """Sessions in the order of their last prompt; unless ``more``, those of the day before as well. Raises ``OSError``."""
    begin = (after if more else (after[0] - DAY, "")) if after else (-1, "")
    question = (
        f"SELECT id, parent_id, directory, time_created, time_updated FROM {table}"
        " WHERE (time_updated, id) > (?, ?) ORDER BY time_updated, id LIMIT ?"
    )
    found = []
    for identity, parent, folder, created, updated in sqlite.rows(path, question, (*begin, limit)):
        memory: JSON = {"session": str(identity), "cwd": folder if isinstance(folder, str) else ""}
        if parent:
            memory["sidechain"] = True
        found.append(Session(str(identity), (whole(updated), str(identity)), whole(created), memory))
    return found


def settled(records: Sequence[JSON], complete: Sequence[bool]) -> list[bool]:
    """Which messages are as they will stay: those that are complete, and answers that another one followed.

    A prompt that follows is no sign: it may wait until the answer is complete.
    """
    done, answered = [], False
    for record, ended in zip(reversed(records), reversed(complete), strict=True):
        done.append(ended or answered)
        answered = answered or record["info"].get("role") == "assistant"
    return done[::-1]


class Store:
    """The questions to the tables up to 2.0."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def changed(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Sessions in the order of their last prompt."""
        return changed(self.path, "session", after, more, limit)

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Messages with their parts; the last is settled once it is complete."""
        question = (
            "SELECT id, time_created, data FROM message WHERE session_id = ? AND (time_created, id) > (?, ?)"
            " ORDER BY time_created, id LIMIT ?"
        )
        return self._messages(sqlite.rows(self.path, question, (session.id, *(after or (-1, "")), limit)))

    def before(self, session: Session, place: Place, limit: int) -> Sequence[Message]:
        """Messages with their parts."""
        question = (
            "SELECT id, time_created, data FROM message WHERE session_id = ? AND (time_created, id) < (?, ?)"
            " ORDER BY time_created DESC, id DESC LIMIT ?"
        )
        return self._messages(sqlite.rows(self.path, question, (session.id, *place, limit))[::-1])

    def number(self, session: Session, place: Place) -> int:
        """One more than there are messages before."""
        question = "SELECT count(*) FROM message WHERE session_id = ? AND (time_created, id) < (?, ?)"
        return int(sqlite.rows(self.path, question, (session.id, *place))[0][0]) + 1

    def age(self, place: Place) -> int:
        """When a message was said."""
        return place[0]

    def _messages(self, rows: Sequence[tuple[Any, ...]]) -> list[Message]:
        records = []
        for begin in range(0, len(rows), _AT_ONCE):
            some = rows[begin : begin + _AT_ONCE]
            parts = self._parts([row[0] for row in some])
            for identity, _, data in some:
                info = {**document.parsed_object(data), "id": str(identity)}
                records.append({"info": info, "parts": parts.get(identity, [])})
        done = settled(records, [_is_complete(record) for record in records])
        return [
            Message((whole(row[1]), str(row[0])), record, ended) for row, record, ended in zip(rows, records, done, strict=True)
        ]

    def _parts(self, messages: Sequence[Any]) -> dict[Any, list[JSON]]:
        question = (
            f"SELECT message_id, CASE WHEN length(data) > {LARGE} THEN '' ELSE data END FROM part"
            f" WHERE message_id IN ({', '.join('?' * len(messages))}) ORDER BY message_id, id"
        )
        rows = sqlite.rows(self.path, question, messages)
        return {message: [_part(data) for _, data in some] for message, some in groupby(rows, key=lambda row: row[0])}


def _is_complete(record: JSON) -> bool:
    """Whether a prompt has its parts, an answer has ended."""
    info = record["info"]
    if info.get("role") != "assistant":
        return bool(record["parts"])
    time = info.get("time")
    return bool(info.get("error")) or (isinstance(time, dict) and time.get("completed") is not None)


def _part(data: Any) -> JSON:
    return {} if isinstance(data, str) and data.startswith(_UNREAD) else document.parsed_object(data)
