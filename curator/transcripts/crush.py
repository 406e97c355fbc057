"""Crush: ``.crush/crush.db`` in each project, which ``projects.json`` in its data folder lists.

The tables are ``sessions(id, parent_session_id, updated_at, …)`` and ``messages(id, session_id, role, parts, created_at, …)``.
Times are seconds. A message has parts ``{type, data}``: ``text``, ``tool_call``, ``tool_result``, ``finish``, and
``shell_command`` for what a person ran with ``!``. The agent's source (internal/message, internal/db) names the fields.
Memory: ``session``, ``cwd``, ``sidechain``, ``calls``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import sqlite
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts import CRUSH_DATABASE
from curator.transcripts.base import document, jsonl, messages, sessions
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import dicts, object_of, text_of
from curator.transcripts.base.sessions import Message, Place, Session, as_int

AGENT = "crush"

_IGNORED = frozenset(("text", "reasoning", "image_url", "binary", "finish"))
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
    return sessions.read(path, start, _Store(path), turns_from_record)


# --- messages ---------------------------------------------------------------------------------------------------------


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one message."""
    if record["summary"]:
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.COMPACTION)
        return
    parts = [(text_of(part.get("type")), object_of(part.get("data"))) for part in dicts(record["parts"])]
    text = "\n\n".join(text_of(data.get("text")) for kind, data in parts if kind == "text").strip()
    person = record["role"] == "user"
    if person:
        text = messages.typed_text(text)
    if text:
        yield _turn(record, source, memory, Role.HUMAN if person else Role.ASSISTANT, text)
    for kind, data in parts:
        if kind == "tool_call":
            call = messages.begin_call(data.get("name"), data.get("id"), document.parse_object(data.get("input")), memory)
            yield _turn(record, source, memory, Role.TOOL_CALL, **call)
        elif kind == "tool_result":
            yield _result_turn(record, data, source, memory)
        elif kind == "shell_command":
            about, ok = messages.about("!", record["id"], data), data.get("exit_code") == 0
            yield _turn(record, source, memory, Role.TOOL_CALL, messages.cap(about["command"]), **about)
            yield _turn(record, source, memory, Role.TOOL_RESULT, messages.output(text_of(data.get("output"))), ok=ok, **about)
        elif kind not in _IGNORED:
            unknown[kind[:80]] += 1
    if any(kind == "finish" and data.get("reason") == "canceled" for kind, data in parts):
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION)


def _turn(record: JSON, source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    return jsonl.turn(AGENT, source, memory, role, text, record=record["id"], at=record["created"], **more)


def _result_turn(record: JSON, data: JSON, source: Source, memory: JSON) -> Turn:
    about = messages.end_call(text_of(data.get("tool_call_id")), memory)
    about["tool"] = about["tool"] or text_of(data.get("name"))
    text, failed = text_of(data.get("content")), data.get("is_error") is True
    if failed and text == _DENIED:
        return _turn(record, source, memory, Role.EVENT, "", happening=Happening.REFUSAL, ok=False, **about)
    failed = failed or bool(about["command"] and _EXIT.search(text[-messages.MAX_OUTPUT :]))
    ok = None if text == _STOPPED else not failed
    return _turn(record, source, memory, Role.TOOL_RESULT, messages.output(text), ok=ok, **about)


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
        """Sessions in the order of their last change; unless ``more``, those of the day before as well."""
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
        """Return messages; an answer is settled once it is complete or another message follows."""
        return [_message(row, last=row is rows[-1]) for row in rows]


def _message(row: Sequence[Any], *, last: bool) -> Message:
    number, identity, role, created, summary, parts = row
    record: JSON = {"id": str(identity), "role": role, "created": messages.seconds(as_int(created) * 1000)}
    record |= {"summary": bool(summary), "parts": document.parse_or_none(parts)}
    settled = role != "assistant" or not last or any(part.get("type") == "finish" for part in dicts(record["parts"]))
    return Message((as_int(number), str(identity)), record, settled)
