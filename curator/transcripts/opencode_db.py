"""OpenCode's database since 1.2: the tables ``session``, ``message`` and ``part``, since 2.0 ``session_v2`` and
``session_message``.

Before 2.0 the columns beside ``data``, which is JSON, are ids and times in milliseconds; see the agent's source
(session.sql.ts). A session's row changes with each prompt, not with each answer, so sessions of the last day are always
looked at.

Since 2.0 a message is one row: ``type`` (user, assistant, shell, compaction, idle, …), ``seq`` in its session, and
``data``, which holds ``{text}`` or ``{content: [{type: text | tool, …}]}``. It is turned into what versions before
wrote. Rows are changed in place until a message is complete. Places are (seq, time): a prompt typed meanwhile may be
older than the answer before it. The agent's source (packages/schema, session-message) names the fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from curator.io import sqlite
from curator.model import JSON
from curator.transcripts.base import document
from curator.transcripts.base.messages import dicts, object_of, text_of
from curator.transcripts.base.sessions import Message, Place, Session, whole

DAY = 24 * 60 * 60 * 1000

LARGE = 8 * 1024 * 1024
"""Characters of a part that are too many to be anything but an attachment."""

_UNREAD = ('{"type":"reasoning"', '{"type":"step-', '{"type":"snapshot"', '{"type":"file"', '{"type":"patch"')
"""How parts begin that are not worth parsing."""

_AT_ONCE = 25
"""How many messages' parts one question asks for."""


def asks_nobody(rules: Any) -> bool:
    """Whether a session's own rules forbid its model to ask the person anything: so ``opencode run`` begins one."""
    return any(
        rule.get("permission") == "question" and rule.get("pattern") == "*" and rule.get("action") == "deny"
        for rule in dicts(rules)
    )


def _rules(text: Any) -> Any:
    try:
        return document.parse(text) if isinstance(text, str) else None
    except ValueError:
        return None


def are_settled(records: Sequence[JSON], complete: Sequence[bool]) -> list[bool]:
    """Which messages are as they will stay: those that are complete, and answers that another one followed.

    A prompt that follows is no sign: it may wait until the answer is complete.
    """
    flags, answered = [], False
    for record, ended in zip(reversed(records), reversed(complete), strict=True):
        flags.append(ended or answered)
        answered = answered or record["info"].get("role") == "assistant"
    return flags[::-1]


class Store:
    """The questions to the tables up to 2.0."""

    table = "session"

    def __init__(self, path: Path) -> None:
        self.path = path

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Sessions in the order of their last prompt; unless ``more``, those of the day before as well. Raises ``OSError``."""
        begin = (after if more else (after[0] - DAY, "")) if after else (-1, "")
        rules = "permission" if "permission" in sqlite.columns(self.path, self.table) else "NULL"
        question = (
            f"SELECT id, parent_id, directory, time_created, time_updated, {rules} FROM {self.table}"
            " WHERE (time_updated, id) > (?, ?) ORDER BY time_updated, id LIMIT ?"
        )
        found = []
        for identity, parent, folder, created, updated, permission in sqlite.rows(self.path, question, (*begin, limit)):
            memory: JSON = {"session": str(identity), "cwd": folder if isinstance(folder, str) else ""}
            if parent:
                memory["sidechain"] = True
            if asks_nobody(_rules(permission)):
                memory["automated"] = True
            found.append(Session(str(identity), (whole(updated), str(identity)), whole(created), memory))
        return found

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
                info = {**document.parse_object(data), "id": str(identity)}
                records.append({"info": info, "parts": parts.get(identity, [])})
        flags = are_settled(records, [_is_complete(record) for record in records])
        return [
            Message((whole(row[1]), str(row[0])), record, ended)
            for row, record, ended in zip(rows, records, flags, strict=True)
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
    return bool(info.get("error")) or object_of(info.get("time")).get("completed") is not None


def _part(data: Any) -> JSON:
    return {} if isinstance(data, str) and data.startswith(_UNREAD) else document.parse_object(data)


_SILENT = frozenset(("synthetic", "system", "skill", "agent-switched", "model-switched", "location-switched"))
"""What the agent adds, and settings."""


def is_used(path: Path) -> bool:
    """Whether a database is written by these versions: the tables may be there before they are used. Raises ``OSError``."""
    tables = sqlite.tables(path)
    return {"session_v2", "session_message"} <= tables and bool(sqlite.rows(path, "SELECT 1 FROM session_message LIMIT 1"))


class StoreV2(Store):
    """The questions to the tables of version 2."""

    table = "session_v2"

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Messages behind a place, which may be one in the tables of old."""
        number, other = after or (-1, 0)
        column = "time_created" if isinstance(other, str) else "seq"
        question = f"{self._columns} WHERE session_id = ? AND {column} > ? ORDER BY seq LIMIT ?"
        return _messages(sqlite.rows(self.path, question, (session.id, number, limit)))

    def before(self, session: Session, place: Place, limit: int) -> Sequence[Message]:
        """Messages before a place."""
        question = f"{self._columns} WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
        return _messages(sqlite.rows(self.path, question, (session.id, place[0], limit))[::-1])

    def number(self, session: Session, place: Place) -> int:
        """One more than there are messages before."""
        question = "SELECT count(*) FROM session_message WHERE session_id = ? AND seq < ?"
        return int(sqlite.rows(self.path, question, (session.id, place[0]))[0][0]) + 1

    def age(self, place: Place) -> int:
        """When a message was said."""
        return whole(place[0] if isinstance(place[1], str) else place[1])

    _columns = (
        f"SELECT id, type, seq, time_created, CASE WHEN length(data) > {LARGE} THEN '' ELSE data END FROM session_message"
    )


def _messages(rows: Sequence[tuple[Any, ...]]) -> list[Message]:
    records, complete = [], []
    for identity, kind, _, created, text in rows:
        data = document.parse_object(text)
        records.append(_as_before(str(identity), str(kind), {"time": {"created": created}, **data}))
        complete.append(_is_complete_v2(str(kind), data))
    flags = are_settled(records, complete)
    return [
        Message((whole(row[2]), whole(row[3])), *both) for row, both in zip(rows, zip(records, flags, strict=True), strict=True)
    ]


def _is_complete_v2(kind: str, data: JSON) -> bool:
    if kind in ("assistant", "shell"):
        return bool(data.get("error")) or object_of(data.get("time")).get("completed") is not None
    return kind != "compaction" or data.get("status") != "running"


def _as_before(identity: str, kind: str, data: JSON) -> JSON:
    """A message as ``{info, parts}``."""
    info: JSON = {"id": identity, "role": "assistant", "time": data["time"]}
    if kind == "user":
        return {"info": info | {"role": "user"}, "parts": [{"type": "text", "text": text_of(data.get("text"))}]}
    if kind == "assistant":
        return {"info": info, "parts": [_part_v2(part) for part in dicts(data.get("content"))]}
    if kind == "shell":
        state = {
            "status": "completed",
            "input": {"command": text_of(data.get("command"))},
            "output": _output_text(data.get("output")),
        }
        ran = state | {"metadata": {"exit": data.get("exit")}, "time": data["time"]}
        return {"info": info, "parts": [{"type": "tool", "tool": "!", "callID": identity, "state": ran}]}
    if kind == "compaction":
        return {"info": info, "parts": [{"type": "compaction"}] if data.get("status", "completed") == "completed" else []}
    if kind == "idle":
        return {"info": info | ({"error": {"name": "MessageAbortedError"}} if data.get("outcome") == "interrupted" else {})}
    return {"info": info} if kind in _SILENT else {"info": info | {"role": kind}}


def _part_v2(part: JSON) -> JSON:
    if part.get("type") != "tool":
        return part
    state, time = object_of(part.get("state")), object_of(part.get("time"))
    error = state.get("error")
    fields = {
        "status": state.get("status"),
        "input": state.get("input"),
        "output": _output_text(state.get("content")),
        "error": text_of(error.get("message")) if isinstance(error, dict) else text_of(error),
        "metadata": state.get("metadata", state.get("structured")),
        "time": {"start": time.get("ran", time.get("created")), "end": time.get("completed")},
    }
    return {"type": "tool", "tool": part.get("name"), "callID": part.get("id"), "state": fields}


def _output_text(output: Any) -> str:
    """The text of an output: a string, an object with one, or a list of contents."""
    if isinstance(output, dict):
        return text_of(output.get("text")) or text_of(output.get("output"))
    return output if isinstance(output, str) else "\n".join(filter(None, (text_of(part.get("text")) for part in dicts(output))))
