"""Zed: ``threads/threads.db`` in its data folder. A thread is a row of ``threads``, which Zed rewrites each time it grows.

``data`` is one JSON document, mostly compressed (``data_type``). Its ``messages`` are ``{User: {id, content}}`` with the typed
text in parts ``{Text}``, ``{Agent: {content, tool_results}}``, or ``"Resume"``. A thread has one time, that of its last change.
Threads of other agents that run in Zed are not in it. The editor's source (crates/agent) names the fields. Memory:
``session``, ``cwd``, ``sidechain``, ``at`` (of the thread).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import files, sqlite
from curator.model import JSON, Happening
from curator.transcripts import ZED_THREADS
from curator.transcripts.base import discover, document, messages, sessions
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of
from curator.transcripts.base.sessions import Message, Place, Session

AGENT = "zed"

_DENIED, _STOPPED = "Permission to run tool denied by user", "Tool canceled by user"
"""The complete results of a refused call, and of a call during which a person stopped the agent."""
_FAILED = re.compile(r'\ACommand ".*?" failed with exit code', re.DOTALL)


def claims(path: Path, head: bytes) -> bool:
    """Return whether this is a database of Zed's name."""
    return path.name == ZED_THREADS and head.startswith(sqlite.MAGIC)


def read(path: Path, start: Mark) -> Reading:
    """Read the new part. Raises ``OSError`` only."""
    return sessions.read(AGENT, path, start, _Store(path), write_turns)


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one message."""
    writer.at = writer.memory["at"]
    said, answer = object_of(record.get("User")), object_of(record.get("Agent"))
    texts = (text_of(part.get("Text")) for part in dicts(said.get("content")))
    writer.record = text_of(said.get("id"))
    writer.human(messages.typed_text("\n".join(filter(None, texts))))
    writer.record = ""
    for part in dicts(answer.get("content")):
        writer.assistant(text_of(part.get("Text")).strip())
        if used := object_of(part.get("ToolUse")):
            about = writer.call(used.get("name"), used.get("id"), object_of(used.get("input")))
            if result := object_of(object_of(answer.get("tool_results")).get(about["call"])):
                _result_turn(result, about, writer)


def _result_turn(result: JSON, about: JSON, writer: Writer) -> None:
    content = result.get("content")
    parts = content if isinstance(content, list) else [content]
    text = "\n".join(filter(None, (text_of(part) or text_of(object_of(part).get("Text")) for part in parts)))
    failed = result.get("is_error") is True
    if failed and text in (_DENIED, _STOPPED):
        writer.event(Happening.REFUSAL if text == _DENIED else Happening.INTERRUPTION, ok=False, **about)
    else:
        writer.result(text, ok=not failed and not (about["command"] and _FAILED.match(text)), **about)


class _Store(sessions.Store):
    """The questions to Zed's database. A message's place is its number in the thread and a hash of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns = sqlite.columns(path, "threads")
        self.thread: tuple[str, list[Message]] = ("", [])

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Return threads in the order of their last change."""
        names = ", ".join(name if name in self.columns else "NULL" for name in ("parent_id", "folder_paths"))
        question = f"SELECT id, updated_at, {names} FROM threads WHERE (updated_at || id) > ? ORDER BY updated_at || id LIMIT ?"
        found = []
        for identity, updated, parent, folders in sqlite.rows(self.path, question, (after[1] if after else "", limit)):
            memory: JSON = {"session": str(identity), "sidechain": bool(parent), "at": messages.seconds(updated)}
            memory["cwd"] = text_of(folders).partition("\n")[0]
            found.append(Session(str(identity), (0, f"{updated}{identity}"), 1, memory))
        return found

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Return the messages after a place. Return all of them if a person went back before it."""
        thread = self._messages(session)
        begin = after[0] + 1 if after and after in [message.place for message in thread] else 0
        return thread[begin : begin + limit]

    def before(self, session: Session, place: Place, limit: int) -> Sequence[Message]:
        """Return messages before a place."""
        return self._messages(session)[max(place[0] - limit, 0) : place[0]]

    def _messages(self, session: Session) -> list[Message]:
        if self.thread[0] != session.id:
            found = sqlite.rows(self.path, "SELECT data_type, CAST(data AS BLOB) FROM threads WHERE id = ?", (session.id,))
            self.thread = (session.id, _unfolded(*found[0]) if found else [])
        return self.thread[1]


def _unfolded(kind: Any, data: bytes) -> list[Message]:
    try:
        thread = object_of(document.parse(discover.decompress(data, files.MAX_RECORD_BYTES) if kind == "zstd" else data))
    except ValueError:  # from another version; curator looks at it again when it changes
        return []
    said = thread.get("messages")
    records = [message if isinstance(message, dict) else {} for message in said] if isinstance(said, list) else []
    return [
        Message((number, _hash(record)), record, number + 1 < len(records) or _is_complete(record))
        for number, record in enumerate(records)
    ]


def _is_complete(record: JSON) -> bool:
    """Return whether every call of a message has its result."""
    answer = object_of(record.get("Agent"))
    used = (object_of(part.get("ToolUse")).get("id") for part in dicts(answer.get("content")) if "ToolUse" in part)
    return set(used) <= object_of(answer.get("tool_results")).keys()


def _hash(record: JSON) -> str:
    return blake2b(repr(record).encode("utf-8", "replace"), digest_size=6).hexdigest()
