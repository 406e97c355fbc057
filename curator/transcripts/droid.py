"""Factory's Droid: ``~/.factory/sessions/<slug>/<session>.jsonl``, append-only, one record per line.

The first line names the session and its folder, and for a subagent its caller. A ``message`` has blocks as in Anthropic's
API. A block for the model alone or for the screen alone has a ``visibility``. ``<session>.settings.json`` has tags: a prompt
from a program has ``exec``. Seen on 0.215. Memory: ``session``, ``cwd``, ``sidechain``, ``automated``, ``calls``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening
from curator.transcripts.base import document, jsonl, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "droid"

_REFUSED = "Tool execution cancelled by user"
_STOPPED = f"Error: {_REFUSED}"
"""The complete results of a refused call, and of a call during which a person stopped the agent."""
_HIDDEN = ("llm_only", "user_only")


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first record begins a session."""
    return path.suffix == ".jsonl" and head.lstrip().startswith(b'{"type":"session_start",')


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    reading = jsonl.read(AGENT, path, start, write_turns)
    tags = dicts(document.load_object(path.with_suffix(".settings.json")).get("tags"))
    if all(tag.get("name") != "exec" for tag in tags):
        return reading
    return replace(reading, turns=tuple(replace(turn, automated=True) for turn in reading.turns))


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one record."""
    kind = record.get("type")
    writer.at, writer.record = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    if kind == "session_start":
        writer.memory["session"], writer.memory["cwd"] = text_of(record.get("id")), text_of(record.get("cwd"))
        writer.memory["sidechain"] = bool(record.get("callingSessionId"))
    elif kind == "compaction_state":
        writer.event(Happening.COMPACTION)
    elif kind == "agent_turn_outcome" and record.get("reason") == "cancelled":
        writer.event(Happening.INTERRUPTION)
    elif kind == "message":
        _message_turns(object_of(record.get("message")), writer)


def _message_turns(message: JSON, writer: Writer) -> None:
    blocks = messages.blocks(message.get("content"))
    results = [block for block in blocks if block.get("type") == "tool_result"]
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    shown = message.get("visibility") not in _HIDDEN
    if message.get("role") == "user" and shown and not results:
        writer.human("\n\n".join(filter(None, map(messages.typed_text, texts))))
    elif message.get("role") == "assistant" and shown:
        writer.assistant("\n\n".join(texts).strip())
    for block in blocks:
        if block.get("type") == "tool_use":
            writer.call(block.get("name"), block.get("id"), object_of(block.get("input")))
    for block in results:
        _result_turn(block, writer)


def _result_turn(block: JSON, writer: Writer) -> None:
    about = writer.end_call(block.get("tool_use_id"))
    text, failed = messages.content_text(block.get("content")), block.get("is_error") is True
    if failed and text == _REFUSED:
        writer.event(Happening.REFUSAL, ok=False, **about)
    else:
        writer.result(text, ok=None if failed and text == _STOPPED else not failed, **about)
