"""Zed: ``threads/threads.db`` in its data folder. A thread is a row of ``threads``, which Zed rewrites each time it grows.

``data`` is one JSON document, mostly compressed (``data_type``). Its ``messages`` are ``{User: {id, content}}`` with the typed
text in parts ``{Text}``, ``{Agent: {content, tool_results}}``, or ``"Resume"``. A thread has one time, that of its last change.
Threads of other agents that run in Zed are not in it. The editor's source (crates/agent) names the fields. Memory:
``session``, ``cwd``, ``sidechain``, ``at`` (of the thread).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import files, sqlite
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts import ZED_THREADS
from curator.transcripts.base import discover, document, jsonl, messages, sessions
from curator.transcripts.base.jsonl import Source
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
    return sessions.read(path, start, _Store(path), turns_from_record)


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one message."""
    said = object_of(record.get("User"))
    texts = [text_of(part.get("Text")) for part in dicts(said.get("content"))]
    if text := messages.typed_text("\n".join(filter(None, texts))):
        yield _turn(source, memory, Role.HUMAN, text, record=text_of(said.get("id")))
    answer = object_of(record.get("Agent"))
    for part in dicts(answer.get("content")):
        if text := text_of(part.get("Text")).strip():
            yield _turn(source, memory, Role.ASSISTANT, text)
        elif used := object_of(part.get("ToolUse")):
            arguments = object_of(used.get("input"))
            about = messages.about(text_of(used.get("name")), text_of(used.get("id")), arguments)
            yield _turn(source, memory, Role.TOOL_CALL, messages.describe(arguments), **about)
            result = object_of(object_of(answer.get("tool_results")).get(about["call"]))
            if result:
                yield _result_turn(result, about, source, memory)
    for kind in record.keys() - {"User", "Agent", "Resume"}:
        unknown[kind[:80]] += 1


def _turn(source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    return jsonl.turn(AGENT, source, memory, role, text, at=memory["at"], **more)


def _result_turn(result: JSON, about: JSON, source: Source, memory: JSON) -> Turn:
    content = result.get("content")
    parts = content if isinstance(content, list) else [content]
    text = "\n".join(filter(None, (text_of(part) or text_of(object_of(part).get("Text")) for part in parts)))
    failed = result.get("is_error") is True
    if failed and text in (_DENIED, _STOPPED):
        happening = Happening.REFUSAL if text == _DENIED else Happening.INTERRUPTION
        return _turn(source, memory, Role.EVENT, "", happening=happening, ok=False, **about)
    failed = failed or bool(about["command"] and _FAILED.match(text))
    return _turn(source, memory, Role.TOOL_RESULT, messages.output(text), ok=not failed, **about)


class _Store:
    """The questions to Zed's database. A message's place is its number in the thread and a hash of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns = sqlite.columns(path, "threads")
        self.thread: tuple[str, list[Message]] = ("", [])

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Threads in the order of their last change."""
        names = ", ".join(name if name in self.columns else "NULL" for name in ("parent_id", "folder_paths"))
        question = f"SELECT id, updated_at, {names} FROM threads WHERE (updated_at || id) > ? ORDER BY updated_at || id LIMIT ?"
        found = []
        for identity, updated, parent, folders in sqlite.rows(self.path, question, (after[1] if after else "", limit)):
            memory: JSON = {"session": str(identity), "sidechain": bool(parent), "at": messages.seconds(updated)}
            memory["cwd"] = text_of(folders).partition("\n")[0]
            found.append(Session(str(identity), (0, f"{updated}{identity}"), 1, memory))
        return found

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Return the messages after a place; all of them if a person went back before it."""
        thread = self._messages(session)
        begin = after[0] + 1 if after and after in [message.place for message in thread] else 0
        return thread[begin : begin + limit]

    def before(self, session: Session, place: Place, limit: int) -> Sequence[Message]:
        """Messages before a place."""
        return self._messages(session)[max(place[0] - limit, 0) : place[0]]

    def number(self, session: Session, place: Place) -> int:
        """Return its place in the thread."""
        return place[0] + 1

    def age(self, place: Place) -> int:
        """Return the same value for all threads. Those read longest ago are forgotten, and read again if they go on."""
        return 0

    def _messages(self, session: Session) -> list[Message]:
        if self.thread[0] != session.id:
            found = sqlite.rows(self.path, "SELECT data_type, CAST(data AS BLOB) FROM threads WHERE id = ?", (session.id,))
            self.thread = (session.id, _unfolded(*found[0]) if found else [])
        return self.thread[1]


def _unfolded(kind: Any, data: bytes) -> list[Message]:
    try:
        thread = object_of(document.parse(discover.decompress(data, files.MAX_RECORD_BYTES) if kind == "zstd" else data))
    except ValueError:  # of another version; it is looked at again when it changes
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
