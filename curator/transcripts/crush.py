"""Crush: ``.crush/crush.db`` in each project, which ``projects.json`` in its data folder lists.

The tables are ``sessions(id, parent_session_id, updated_at, …)`` and ``messages(id, session_id, role, parts, created_at, …)``.
Times are seconds. A message has parts ``{type, data}``: ``text``, ``tool_call``, ``tool_result``, ``finish``, and
``shell_command`` for what a person ran with ``!``. The agent's source (internal/message, internal/db) names the fields.
Memory: ``session``, ``cwd``, ``sidechain``, ``calls``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import sqlite
from curator.model import JSON, Happening
from curator.transcripts import CRUSH_DATABASE
from curator.transcripts.base import document, messages, sessions
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of
from curator.transcripts.base.sessions import Message, Place, Session, as_int

AGENT = "crush"

_DENIED, _STOPPED = "User denied permission", "Error: user cancelled assistant tool calling"
"""The complete results of a refused call, and of a call during which a person stopped the agent."""
_EXIT = re.compile(r"(?:\A|\n)Exit code -?\d+(?:\s+<cwd>[^<]*</cwd>)?\s*\Z")
_DAY = 86_400
"""Seconds before the last known change in which a session's last message may have been incomplete."""
_AT_ONCE = 8 * 1024 * 1024


def claims(path: Path, head: bytes) -> bool:
    """Return whether this is a database of Crush's name."""
    return path.name == CRUSH_DATABASE and head.startswith(sqlite.MAGIC)


def read(path: Path, start: Mark) -> Reading:
    """Read the new part. Raises ``OSError`` only."""
    return sessions.read(AGENT, path, start, _Store(path), write_turns)


# --- messages ---------------------------------------------------------------------------------------------------------


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one message."""
    writer.record, writer.at = record["id"], record["created"]
    if record["summary"]:
        writer.event(Happening.COMPACTION)
        return
    parts = [(text_of(part.get("type")), object_of(part.get("data"))) for part in dicts(record["parts"])]
    text = "\n\n".join(text_of(data.get("text")) for kind, data in parts if kind == "text").strip()
    if record["role"] == "user":
        writer.human(messages.typed_text(text))
    else:
        writer.assistant(text)
    for kind, data in parts:
        if kind == "tool_call":
            writer.call(data.get("name"), data.get("id"), document.parse_object(data.get("input")))
        elif kind == "tool_result":
            _result_turn(data, writer)
        elif kind == "shell_command":
            about = writer.call("!", record["id"], {"command": data.get("command")})
            writer.result(text_of(data.get("output")), ok=data.get("exit_code") == 0, **about)
    if any(kind == "finish" and data.get("reason") == "canceled" for kind, data in parts):
        writer.event(Happening.INTERRUPTION)


def _result_turn(data: JSON, writer: Writer) -> None:
    about = writer.end_call(data.get("tool_call_id"), data.get("name"))
    text, failed = text_of(data.get("content")), data.get("is_error") is True
    if failed and text == _DENIED:
        writer.event(Happening.REFUSAL, ok=False, **about)
        return
    failed = failed or bool(about["command"] and _EXIT.search(text[-messages.MAX_OUTPUT :]))
    writer.result(text, ok=None if text == _STOPPED else not failed, **about)


# --- the database -----------------------------------------------------------------------------------------------------


class _Store(sessions.Rows):
    """The questions to Crush's database. A message's place is its row and its id."""

    table, order = "messages", ("rowid",)

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.folder = str(path.parent.parent) if path.parent.name == ".crush" else ""
        summary = "is_summary_message" if "is_summary_message" in sqlite.columns(path, self.table) else "0"
        parts = f"CASE WHEN length(parts) > {_AT_ONCE} THEN '' ELSE parts END"
        self.columns = f"rowid, id, role, created_at, {summary}, {parts}"

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Return sessions in the order of their last change; unless ``more``, also those of the day before."""
        begin = (after if more else (after[0] - _DAY, "")) if after else (-1, "")
        question = (
            "SELECT id, parent_session_id, updated_at, (SELECT min(rowid) FROM messages WHERE session_id = sessions.id)"
            " FROM sessions WHERE (updated_at, id) > (?, ?) ORDER BY updated_at, id LIMIT ?"
        )
        found = []
        for identity, parent, updated, first in sqlite.rows(self.path, question, (*begin, limit)):
            memory = {"session": str(identity), "cwd": self.folder, "sidechain": bool(parent)}
            found.append(Session(str(identity), (as_int(updated), str(identity)), as_int(first), memory))
        return found

    def messages(self, rows: Sequence[tuple[Any, ...]]) -> Sequence[Message]:
        """Return messages. An answer is settled once it is complete or another message follows."""
        return [_message(row, last=row is rows[-1]) for row in rows]


def _message(row: Sequence[Any], *, last: bool) -> Message:
    number, identity, role, created, summary, parts = row
    record: JSON = {"id": str(identity), "role": role, "created": messages.seconds(as_int(created) * 1000)}
    record |= {"summary": bool(summary), "parts": document.parse_or_none(parts)}
    settled = role != "assistant" or not last or any(part.get("type") == "finish" for part in dicts(record["parts"]))
    return Message((as_int(number), str(identity)), record, settled)
