"""Factory's Droid: ``~/.factory/sessions/<slug>/<session>.jsonl``, append-only, one record per line.

The first line names the session and its folder, and for a subagent its caller. A ``message`` has blocks as in Anthropic's
API. A block for the model alone or for the screen alone has a ``visibility``. ``<session>.settings.json`` has tags: a prompt
from a program has ``exec``. Seen on 0.215. Memory: ``session``, ``cwd``, ``sidechain``, ``automated``, ``calls``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts.base import document, jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "droid"

_IGNORED = frozenset(("todo_state", "session_end"))
_REFUSED = "Tool execution cancelled by user"
_STOPPED = f"Error: {_REFUSED}"
"""The complete results of a refused call, and of a call during which a person stopped the agent."""
_HIDDEN = ("llm_only", "user_only")


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first record begins a session."""
    return path.suffix == ".jsonl" and head.lstrip().startswith(b'{"type":"session_start",')


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    reading = jsonl.read(path, start, turns_from_record)
    tags = dicts(document.load_object(path.with_suffix(".settings.json")).get("tags"))
    if all(tag.get("name") != "exec" for tag in tags):
        return reading
    return replace(reading, turns=tuple(replace(turn, automated=True) for turn in reading.turns))


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one record."""
    kind = record.get("type")
    if kind == "session_start":
        memory["session"], memory["cwd"] = text_of(record.get("id")), text_of(record.get("cwd"))
        memory["sidechain"] = bool(record.get("callingSessionId"))
    elif kind == "compaction_state":
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.COMPACTION)
    elif kind == "agent_turn_outcome":
        if record.get("reason") == "cancelled":
            yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION)
    elif kind == "message":
        yield from _message_turns(record, object_of(record.get("message")), source, memory)
    elif kind not in _IGNORED:
        unknown[str(kind)[:80]] += 1


def _turn(record: JSON, source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    at, identity = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    return jsonl.turn(AGENT, source, memory, role, text, record=identity, at=at, **more)


def _message_turns(record: JSON, message: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    blocks = messages.blocks(message.get("content"))
    results = [block for block in blocks if block.get("type") == "tool_result"]
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    if message.get("visibility") in _HIDDEN or message.get("role") not in ("user", "assistant"):
        texts = []
    elif message["role"] == "user":
        texts = [] if results else list(filter(None, map(messages.typed_text, texts)))
    if text := "\n\n".join(texts).strip():
        role = Role.HUMAN if message["role"] == "user" else Role.ASSISTANT
        yield _turn(record, source, memory, role, text)
    for block in blocks:
        if block.get("type") == "tool_use":
            yield _call_turn(record, block, source, memory)
    for block in results:
        yield _result_turn(record, block, source, memory)


def _call_turn(record: JSON, block: JSON, source: Source, memory: JSON) -> Turn:
    call = messages.begin_call(block.get("name"), block.get("id"), object_of(block.get("input")), memory)
    return _turn(record, source, memory, Role.TOOL_CALL, **call)


def _result_turn(record: JSON, block: JSON, source: Source, memory: JSON) -> Turn:
    about = messages.end_call(text_of(block.get("tool_use_id")), memory)
    text, failed = messages.content_text(block.get("content")), block.get("is_error") is True
    if failed and text == _REFUSED:
        return _turn(record, source, memory, Role.EVENT, "", happening=Happening.REFUSAL, ok=False, **about)
    ok = None if failed and text == _STOPPED else not failed
    return _turn(record, source, memory, Role.TOOL_RESULT, messages.output(text), ok=ok, **about)
