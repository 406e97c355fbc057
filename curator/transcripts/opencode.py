"""OpenCode: the output of ``opencode export``, and the database of versions since 1.2.

Both hold the same objects: a session ``{id, parentID, directory, time}``, messages ``{id, role, time, path, error, summary}``,
and their parts ``{type, …}``. An export is ``{info, messages: [{info, parts}]}``. The agent's source (packages/opencode,
message-v2; since 2.0 packages/schema, session-message) names the fields. A stored export may have the same blank for all ids,
so curator relies on no id there. Memory: ``session``, ``cwd``, ``sidechain``, ``shell`` (a person ran the next command).
Version 1.2 moved the JSON files of earlier versions into its database.

The database has the tables ``session``, ``message`` and ``part``, since 2.0 ``session_v2`` and ``session_message``.

Before 2.0 the columns beside ``data``, which is JSON, are ids and times in milliseconds. The agent's source (session.sql.ts)
has them. A session's row changes with each prompt, but not with each answer. So curator always looks at the sessions of the
last day.

Since 2.0 a message is one row: ``type`` (user, assistant, shell, compaction, idle, …), ``seq`` in its session, and ``data``,
which holds ``{text}`` or ``{content: [{type: text | tool, …}]}``. curator turns it into the form of earlier versions. Rows
change in place until a message is complete. Places are (seq, time), since a prompt typed meanwhile may be older than the
answer before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import sqlite
from curator.model import JSON, Happening, Role
from curator.transcripts.base import document, messages, sessions
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of
from curator.transcripts.base.sessions import Message, Place, Session, as_int

AGENT = "opencode"


_SHELL = "The following tool was executed by the user"
_REJECTED = "The user rejected permission to use"
_FEEDBACK = re.compile(r"The user rejected permission[^\n]{0,100}? feedback: ?(.*)", re.DOTALL)
_DISMISSED = "The user dismissed this question"
_OWN = frozenset(
    (
        *(
            "apply_patch",
            "bash",
            "batch",
            "codesearch",
            "edit",
            "glob",
            "grep",
            "list",
            "lsp",
            "multiedit",
            "patch",
            "plan_exit",
        ),
        *("question", "read", "skill", "task", "todoread", "todowrite", "webfetch", "websearch", "write"),
    )
)
"""OpenCode's own tools. The error of a server's tool is the server's text."""
_HALTED = ("Tool execution aborted", "Tool execution was interrupted")
_EXPORT = re.compile(rb'\s*\{\s*"info"\s*:\s*\{[^{}]{0,400}?"id"\s*:\s*"ses_')


def claims(path: Path, head: bytes) -> bool:
    """Return whether the head is that of an export, or this is a database with OpenCode's name."""
    if path.suffix == ".db":
        return path.name.startswith("opencode") and head.startswith(sqlite.MAGIC)
    return path.suffix == ".json" and bool(_EXPORT.match(head))


def read(path: Path, start: Mark) -> Reading:
    """Read the new part. Raises ``OSError`` only."""
    if path.suffix == ".db":
        store = StoreV2(path) if is_used(path) else Store(path)
        return sessions.read(AGENT, path, start, store, write_turns)
    return document.read(AGENT, path, start, _unfold, write_turns)


def _unfold(whole: Any, memory: JSON) -> Sequence[Any]:
    export = object_of(whole)
    memory.update(session_of(object_of(export.get("info"))))
    return dicts(export.get("messages"))


def session_of(info: JSON) -> JSON:
    """Return the data of a session to remember, from its object or a row with the same fields."""
    memory: JSON = {"session": text_of(info.get("id")), "cwd": text_of(info.get("directory"))}
    if asks_nobody(info.get("permission")):
        memory["automated"] = True
    return {**memory, "sidechain": True} if text_of(info.get("parentID")) else memory


# --- messages ---------------------------------------------------------------------------------------------------------


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one message ``{info, parts}``."""
    info = object_of(record.get("info"))
    parts = dicts(record.get("parts"))
    writer.at, writer.record = _time(info, "created"), text_of(info.get("id"))
    writer.cwd = text_of(object_of(info.get("path")).get("cwd"))
    writer.automated = bool(writer.memory.get("sidechain"))
    if info.get("role") == "user":
        _prompt_turns(parts, writer)
    elif info.get("role") == "assistant":
        _answer_turns(info, parts, writer)
    if any(part.get("type") == "compaction" for part in parts):
        writer.event(Happening.COMPACTION)


def _time(owner: JSON, *names: str) -> float | None:
    time = object_of(owner.get("time"))
    found = (messages.seconds(time.get(name)) for name in names)
    return next((at for at in found if at is not None), None)


def _prompt_turns(parts: Sequence[JSON], writer: Writer) -> None:
    texts = [part for part in parts if part.get("type") == "text"]
    writer.memory["shell"] = any(text_of(part.get("text")) == _SHELL for part in texts)
    own = (text_of(part.get("text")) for part in texts if not part.get("synthetic") and not part.get("ignored"))
    writer.human("\n\n".join(filter(None, map(messages.typed_text, own))))


def _answer_turns(info: JSON, parts: Sequence[JSON], writer: Writer) -> None:
    created = writer.at
    for part in parts:
        if part.get("type") == "tool":
            _tool(part, writer, created)
        elif part.get("type") == "text" and info.get("summary") is not True and part.get("synthetic") is not True:
            writer.at = _time(part, "start") or created
            writer.assistant(text_of(part.get("text")).strip())
    if object_of(info.get("error")).get("name") == "MessageAbortedError":
        writer.at = _time(info, "completed") or created
        writer.event(Happening.INTERRUPTION)
    writer.at = created


# --- tools ------------------------------------------------------------------------------------------------------------


def _tool(part: JSON, writer: Writer, created: float | None) -> None:
    state = object_of(part.get("state"))
    arguments, writer.at = object_of(state.get("input")), _time(state, "start") or created
    about = messages.about(text_of(part.get("tool")), text_of(part.get("callID")), arguments)
    if writer.memory.get("shell"):
        about["tool"] = "!"
    writer.turn(Role.TOOL_CALL, messages.describe(arguments), **about)
    writer.at = _time(state, "end", "start") or created
    if state.get("status") == "completed":
        _completion_turns(state, about, writer)
    elif state.get("status") == "error":
        _failure_turns(text_of(state.get("error")), about, writer)


def _completion_turns(state: JSON, about: JSON, writer: Writer) -> None:
    detail = object_of(state.get("metadata"))
    answers = messages.answers(detail) if about["tool"] == "question" else []
    if not writer.answers(answers, **about):
        code = detail.get("exit")
        ok = code == 0 if isinstance(code, int) else None if about["command"] else True
        writer.result(text_of(state.get("output")), ok=ok, **about)


def _failure_turns(error: str, about: JSON, writer: Writer) -> None:
    if error.startswith((_REJECTED, _DISMISSED)) or _FEEDBACK.match(error):
        feedback = _FEEDBACK.match(error) if about["tool"] in _OWN else None
        reason = feedback[1].strip() if feedback else ""
        writer.event(Happening.REFUSAL, reason, ok=False, **about)
    else:
        writer.result(error, ok=None if error.startswith(_HALTED) else False, **about)


# --- the database -----------------------------------------------------------------------------------------------------

DAY_MILLISECONDS = 24 * 60 * 60 * 1000

MAX_VALUE_BYTES = 8 * 1024 * 1024
"""Characters of a part that are too many to be anything but an attachment."""

_UNREAD = ('{"type":"reasoning"', '{"type":"step-', '{"type":"snapshot"', '{"type":"file"', '{"type":"patch"')
"""The beginnings of parts that are not worth parsing."""

_AT_ONCE = 25
"""The number of messages per query of parts."""


def asks_nobody(rules: Any) -> bool:
    """Return whether a session's own rules forbid its model to ask the person anything: so ``opencode run`` begins one."""
    return any(
        rule.get("permission") == "question" and rule.get("pattern") == "*" and rule.get("action") == "deny"
        for rule in dicts(rules)
    )


def are_settled(records: Sequence[JSON], complete: Sequence[bool]) -> list[bool]:
    """Return which messages are final: the complete ones, and answers with another answer after them.

    A prompt that follows is no sign, because it may wait until the answer is complete.
    """
    flags, answered = [], False
    for record, ended in zip(reversed(records), reversed(complete), strict=True):
        flags.append(ended or answered)
        answered = answered or record["info"].get("role") == "assistant"
    return flags[::-1]


class Store(sessions.Rows):
    """The questions to the tables up to 2.0."""

    of_sessions, table = "session", "message"
    columns = "id, time_created, data"
    order: tuple[str, ...] = ("time_created", "id")

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Return sessions by their last prompt; unless ``more``, also those of the day before. Raises ``OSError``."""
        begin = (after if more else (after[0] - DAY_MILLISECONDS, "")) if after else (-1, "")
        rules = "permission" if "permission" in sqlite.columns(self.path, self.of_sessions) else "NULL"
        question = (
            f"SELECT id, parent_id, directory, time_created, time_updated, {rules} FROM {self.of_sessions}"
            " WHERE (time_updated, id) > (?, ?) ORDER BY time_updated, id LIMIT ?"
        )
        found = []
        for identity, parent, folder, created, updated, permission in sqlite.rows(self.path, question, (*begin, limit)):
            memory: JSON = {"session": str(identity), "cwd": folder if isinstance(folder, str) else ""}
            if parent:
                memory["sidechain"] = True
            if asks_nobody(document.parse_or_none(permission)):
                memory["automated"] = True
            found.append(Session(str(identity), (as_int(updated), str(identity)), as_int(created), memory))
        return found

    def messages(self, rows: Sequence[tuple[Any, ...]]) -> Sequence[Message]:
        """Return messages with their parts. The last one is settled once it is complete."""
        records = []
        for begin in range(0, len(rows), _AT_ONCE):
            some = rows[begin : begin + _AT_ONCE]
            parts = self._parts([row[0] for row in some])
            for identity, _, data in some:
                info = {**document.parse_object(data), "id": str(identity)}
                records.append({"info": info, "parts": parts.get(identity, [])})
        flags = are_settled(records, [_is_complete(record) for record in records])
        return list(map(Message, [(as_int(row[1]), str(row[0])) for row in rows], records, flags))

    def _parts(self, messages: Sequence[Any]) -> dict[Any, list[JSON]]:
        question = (
            f"SELECT message_id, CASE WHEN length(data) > {MAX_VALUE_BYTES} THEN '' ELSE data END FROM part"
            f" WHERE message_id IN ({', '.join('?' * len(messages))}) ORDER BY message_id, id"
        )
        rows = sqlite.rows(self.path, question, messages)
        return {message: [_part(data) for _, data in some] for message, some in groupby(rows, key=lambda row: row[0])}


def _is_complete(record: JSON) -> bool:
    """Return whether a prompt has its parts, an answer has ended."""
    info = record["info"]
    if info.get("role") != "assistant":
        return bool(record["parts"])
    return bool(info.get("error")) or object_of(info.get("time")).get("completed") is not None


def _part(data: Any) -> JSON:
    return {} if isinstance(data, str) and data.startswith(_UNREAD) else document.parse_object(data)


_SILENT = frozenset(("synthetic", "system", "skill", "agent-switched", "model-switched", "location-switched"))
"""The agent's additions, and settings."""


def is_used(path: Path) -> bool:
    """Return whether a database is written by these versions: the tables may be there before they are used.

    Raises ``OSError``.
    """
    tables = sqlite.tables(path)
    return {"session_v2", "session_message"} <= tables and bool(sqlite.rows(path, "SELECT 1 FROM session_message LIMIT 1"))


class StoreV2(Store):
    """The queries to the tables of version 2, and to the older ones for sessions that version 2 has not taken over."""

    of_sessions, table, order = "session_v2", "session_message", ("seq",)
    columns = f"id, type, seq, time_created, CASE WHEN length(data) > {MAX_VALUE_BYTES} THEN '' ELSE data END"

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Return sessions of both kinds of tables in the order of their last prompt. Raises ``OSError``."""
        found = [*super().sessions_after(after, more, limit)]
        if {"session", "message", "part"} <= sqlite.tables(self.path):
            old = Store(self.path)
            taken = {str(row[0]) for row in sqlite.rows(self.path, "SELECT id FROM session_v2")}
            found += [replace(one, store=old) for one in old.sessions_after(after, more, limit) if one.id not in taken]
        return sorted(found, key=lambda one: one.cursor)[:limit]

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Return messages after a place, which may be one in the older tables."""
        if after and isinstance(after[1], str):
            question = f"SELECT {self.columns} FROM {self.table} WHERE session_id = ? AND time_created > ? ORDER BY seq LIMIT ?"
            return self.messages(sqlite.rows(self.path, question, (session.id, after[0], limit)))
        return super().new(session, after, limit)

    def age(self, place: Place) -> int:
        """Return the time of a message."""
        return as_int(place[0] if isinstance(place[1], str) else place[1])

    def messages(self, rows: Sequence[tuple[Any, ...]]) -> Sequence[Message]:
        """Return messages in the form of earlier versions."""
        records, complete = [], []
        for identity, kind, _, created, text in rows:
            data = document.parse_object(text)
            records.append(_as_before(str(identity), str(kind), {"time": {"created": created}, **data}))
            complete.append(_is_complete_v2(str(kind), data))
        flags = are_settled(records, complete)
        places = [(as_int(row[2]), as_int(row[3])) for row in rows]
        return list(map(Message, places, records, flags))


def _is_complete_v2(kind: str, data: JSON) -> bool:
    if kind in ("assistant", "shell"):
        return bool(data.get("error")) or object_of(data.get("time")).get("completed") is not None
    return kind != "compaction" or data.get("status") != "running"


def _as_before(identity: str, kind: str, data: JSON) -> JSON:
    """Return a message as ``{info, parts}``."""
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
    """Return the text of an output: a string, an object with one, or a list of contents."""
    if isinstance(output, dict):
        return text_of(output.get("text")) or text_of(output.get("output"))
    return messages.content_text(output)
