"""pi: ``~/.pi/agent/sessions/--<folder>--/<time>_<session>.jsonl``, append-only, one entry per line.

The first line names the session and its folder. A ``message`` entry is from a person, from the model, a tool's result, or a
command that a person ran with ``!``. ``custom`` messages are from extensions. Entries form a tree, and curator reads each
branch. A fork is a separate file that begins with copies. Seen on 0.73. Memory: ``session``, ``cwd``, ``calls``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts.base import jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import object_of, text_of

AGENT = "pi"

_IGNORED = frozenset(
    "model_change thinking_level_change branch_summary custom custom_message label session_info hookMessage branchSummary"
    " compactionSummary".split()
)
_PUT_BEFORE = (("<skill name=", "</skill>"), ("<file name=", "</file>"))
"""The beginnings and ends of the text before a person's words: a skill, or files named on the command line."""


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first entry begins a session."""
    first = head.lstrip().partition(b"\n")[0]
    return path.suffix == ".jsonl" and first.startswith(b'{"type":"session",') and b'"cwd":' in first


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    return jsonl.read(path, start, turns_from_record)


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one entry."""
    message = object_of(record.get("message"))
    kind = record.get("type")
    kind = message.get("role") if kind == "message" else kind
    if kind == "session":
        memory["session"], memory["cwd"] = text_of(record.get("id")), text_of(record.get("cwd"))
    elif kind == "compaction":
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.COMPACTION)
    elif kind == "user":
        if text := _typed_text(messages.content_text(message.get("content"))):
            yield _turn(record, source, memory, Role.HUMAN, text)
    elif kind == "assistant":
        yield from _assistant_turns(record, message, source, memory)
    elif kind == "toolResult":
        about = messages.end_call(text_of(message.get("toolCallId")), memory)
        about["tool"] = about["tool"] or text_of(message.get("toolName"))
        output = messages.output(messages.content_text(message.get("content")))
        yield _turn(record, source, memory, Role.TOOL_RESULT, output, ok=message.get("isError") is not True, **about)
    elif kind == "bashExecution":
        about = messages.about("!", text_of(record.get("id")), message)
        yield _turn(record, source, memory, Role.TOOL_CALL, messages.cap(about["command"]), **about)
        ok = message.get("exitCode") == 0 if isinstance(message.get("exitCode"), int) else None
        yield _turn(record, source, memory, Role.TOOL_RESULT, messages.output(text_of(message.get("output"))), ok=ok, **about)
    elif kind not in _IGNORED:
        unknown[str(kind)[:80]] += 1


def _turn(record: JSON, source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    at, identity = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    return jsonl.turn(AGENT, source, memory, role, text, record=identity, at=at, **more)


def _typed_text(text: str) -> str:
    for begin, end in _PUT_BEFORE:
        if text.startswith(begin):
            text = text.rpartition(end)[2]
    return messages.typed_text(text)


def _assistant_turns(record: JSON, message: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if text := messages.content_text(message.get("content")).strip():
        yield _turn(record, source, memory, Role.ASSISTANT, text)
    for block in messages.blocks(message.get("content")):
        if block.get("type") == "toolCall":
            call = messages.begin_call(block.get("name"), block.get("id"), object_of(block.get("arguments")), memory)
            yield _turn(record, source, memory, Role.TOOL_CALL, **call)
    if message.get("stopReason") == "aborted":
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION)
