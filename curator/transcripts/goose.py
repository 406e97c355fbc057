"""Goose: ``sessions.db`` since 1.10. Before that, Goose rewrote a file of JSON lines per session.

Both are in ``~/.local/share/goose/sessions``. A message is ``{role, created, content: [{type, …}], metadata}``. The tables are
``sessions(id, working_dir, session_type, …)`` and ``messages(id, session_id, role, content_json, created_timestamp, …)``. The
first line of a file is ``{working_dir, description, message_count, …}``. Results of tools have the role "user". A compaction
removes a session's messages and adds them again under new numbers, so curator knows old ones by their time. The agent's source
(crates/goose, session_manager and conversation/message) names the fields. Memory: ``session``, ``cwd``, ``sidechain``,
``automated``, ``calls`` (calls without a result).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import sqlite
from curator.model import JSON, Happening
from curator.transcripts.base import document, jsonl, messages, sessions
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of
from curator.transcripts.base.sessions import Message, Place, Session, as_int

AGENT = "goose"

_COMPACTED = frozenset(("conversationCompacted", "summarizationRequested", "contextLengthExceeded"))
_DRIVEN = frozenset(("user", "terminal", "acp", "gateway"))
"""The kinds of session that a person drives."""
_DECLINED = "The user has declined to run this tool"
_INTERRUPTED = "Interrupted by the user"
_AT_ONCE = 8 * 1024 * 1024


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first line is that of a session, or this is a database of Goose's name."""
    if path.suffix == ".db":
        return path.name == "sessions.db" and head.startswith(sqlite.MAGIC)
    first = head.partition(b"\n")[0]
    about = b'"working_dir"' in first and (b'"message_count"' in first or b'"description"' in first)
    return path.suffix == ".jsonl" and (about or (b'"role"' in first and b'"created"' in first and b'"content"' in first))


def read(path: Path, start: Mark) -> Reading:
    """Read the new part. Raises ``OSError`` only."""
    if path.suffix == ".db":
        return sessions.read(AGENT, path, start, _Store(path), write_turns)
    return document.new_reading(start, jsonl.read(AGENT, path, Mark(), write_turns))


# --- messages ---------------------------------------------------------------------------------------------------------


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one message. The first line of a file describes its session."""
    hidden = object_of(record.get("metadata")).get("userVisible") is False  # a summary, or a prompt to go on
    if record.get("role") in ("user", "assistant") and not hidden:
        _record_turns(record, writer)
    elif "role" not in record and "working_dir" in record:
        writer.memory["cwd"] = text_of(record["working_dir"])
        if record.get("schedule_id"):
            writer.memory["automated"] = True


def _record_turns(record: JSON, writer: Writer) -> None:
    content = dicts(record.get("content"))
    writer.at, writer.record = _seconds(record.get("created")), text_of(record.get("id"))
    texts = [text_of(part.get("text")) for part in content if part.get("type") == "text" and _is_for(part, record["role"])]
    if record["role"] == "user":
        if any(part.get("type") == "toolResponse" for part in content):
            texts = []  # the agent put the text next to a result
        writer.human("\n\n".join(filter(None, map(messages.typed_text, texts))))
    else:
        writer.assistant("\n".join(texts).strip())
    for part in content:
        kind = part.get("type")
        if kind in ("toolRequest", "frontendToolRequest"):
            call = object_of(object_of(part.get("toolCall")).get("value"))
            writer.call(call.get("name"), part.get("id"), object_of(call.get("arguments")))
        elif kind == "toolResponse":
            _result(part, writer)
        elif kind in _COMPACTED:
            writer.event(Happening.COMPACTION)


def _seconds(value: Any) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return messages.seconds(value if abs(value) > 1e11 else value * 1000)
    return None


def _result(part: JSON, writer: Writer) -> None:
    about = writer.end_call(part.get("id"))
    text, ok = _outcome(object_of(part.get("toolResult")))
    if text.startswith(_DECLINED):
        writer.event(Happening.REFUSAL, ok=False, **about)
    elif text.startswith(_INTERRUPTED):
        writer.event(Happening.INTERRUPTION, **about)
    else:
        writer.result(text, ok=ok, **about)


def _outcome(result: JSON) -> tuple[str, bool | None]:
    """Return the text of a result, as the agent saw it, and whether it reports success."""
    if result.get("status") == "error":
        return text_of(result.get("error")).removeprefix("-32603: "), False
    value = result.get("value")
    detail = object_of(value)
    parts = dicts(detail.get("content") if detail else value)
    texts = [text_of(part.get("text")) for part in parts if _is_for(part, "assistant")]
    structured = object_of(detail.get("structuredContent"))
    code = structured.get("exit_code", structured.get("exitCode"))
    ok = code == 0 if isinstance(code, int) else detail.get("isError") is not True
    return "\n".join(filter(None, texts)), ok


def _is_for(part: JSON, role: str) -> bool:
    """Return whether a part is for this reader. Results repeat their text for people, and agent-only parts were not typed."""
    audience = object_of(part.get("annotations")).get("audience")
    return not isinstance(audience, list) or role in audience


# --- the database -----------------------------------------------------------------------------------------------------


class _Store(sessions.Rows):
    """The questions to Goose's database. A message's place is its number and its time."""

    table, order = "messages", ("id",)

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.about = sqlite.columns(path, "sessions")
        columns = sqlite.columns(path, self.table)
        self.columns = ", ".join(
            ["id", "role", "created_timestamp", f"CASE WHEN length(content_json) > {_AT_ONCE} THEN '' ELSE content_json END"]
            + [name if name in columns else "NULL" for name in ("metadata_json", "message_id")]
        )

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Return sessions in the order of their last message."""
        columns = ", ".join(
            name if name in self.about else "NULL"
            for name in ("working_dir", "session_type", "schedule_id", "parent_session_id")
        )
        latest = (
            "SELECT session_id, max(id) AS id FROM messages WHERE id > ? AND session_id IS NOT NULL"
            " GROUP BY session_id ORDER BY max(id) LIMIT ?"
        )
        question = (
            f"SELECT last.session_id, last.id, (SELECT min(id) FROM messages WHERE session_id = last.session_id), {columns}"
            f" FROM ({latest}) AS last LEFT JOIN sessions ON sessions.id = last.session_id ORDER BY last.id"
        )
        found = []
        for identity, last, first, *about in sqlite.rows(self.path, question, (after[0] if after else 0, limit)):
            found.append(Session(str(identity), (as_int(last), ""), as_int(first), _session(str(identity), *about)))
        return found

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Return messages after a number. If a compaction removed that message, return those from the same second on."""
        number, created = after or (0, "")
        there = "SELECT 1 FROM messages WHERE id = ? AND session_id = ?"
        moved = isinstance(created, int) and not sqlite.rows(self.path, there, (number, session.id))
        since = "AND created_timestamp >= ?" if moved else "AND ? IS NOT NULL"
        question = f"SELECT {self.columns} FROM messages WHERE session_id = ? AND id > ? {since} ORDER BY id LIMIT ?"
        return self.messages(sqlite.rows(self.path, question, (session.id, number, created, limit)))

    def messages(self, rows: Sequence[tuple[Any, ...]]) -> Sequence[Message]:
        """Return messages. They never change."""
        return [*map(_message, rows)]


def _session(identity: str, folder: Any, kind: Any, schedule: Any, parent: Any) -> JSON:
    memory: JSON = {"session": identity, "cwd": text_of(folder)}
    if kind == "sub_agent" or parent:
        memory["sidechain"] = True
    if schedule or (isinstance(kind, str) and kind not in _DRIVEN):
        memory["automated"] = True
    return memory


def _message(row: Sequence[Any]) -> Message:
    number, role, created, content, metadata, identity = row
    record = {"role": role, "created": created, "id": identity}
    record |= {"content": document.parse_or_none(content), "metadata": document.parse_or_none(metadata)}
    return Message((as_int(number), as_int(created)), record)
