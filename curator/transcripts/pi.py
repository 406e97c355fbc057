"""pi: ``~/.pi/agent/sessions/--<folder>--/<time>_<session>.jsonl``, append-only, one entry per line.

The first line names the session and its folder. A ``message`` entry is from a person, from the model, a tool's result, or a
command that a person ran with ``!``. ``custom`` messages are from extensions. Entries form a tree, and curator reads each
branch. A fork is a separate file that begins with copies. Seen on 0.73. Memory: ``session``, ``cwd``, ``calls``.
"""

from __future__ import annotations

from pathlib import Path

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role
from curator.transcripts.base import jsonl, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import object_of, text_of

AGENT = "pi"

_PUT_BEFORE = (("<skill name=", "</skill>"), ("<file name=", "</file>"))
"""The beginnings and ends of the text before a person's words: a skill, or files named on the command line."""


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first entry begins a session."""
    first = head.lstrip().partition(b"\n")[0]
    return path.suffix == ".jsonl" and first.startswith(b'{"type":"session",') and b'"cwd":' in first


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    return jsonl.read(AGENT, path, start, write_turns)


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one entry."""
    message = object_of(record.get("message"))
    kind = record.get("type")
    kind = message.get("role") if kind == "message" else kind
    writer.at, writer.record = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    if kind == "session":
        writer.memory["session"], writer.memory["cwd"] = text_of(record.get("id")), text_of(record.get("cwd"))
    elif kind == "compaction":
        writer.event(Happening.COMPACTION)
    elif kind == "user":
        writer.human(_typed_text(messages.content_text(message.get("content"))))
    elif kind == "assistant":
        _assistant_turns(message, writer)
    elif kind == "toolResult":
        about = writer.end_call(message.get("toolCallId"), message.get("toolName"))
        writer.result(messages.content_text(message.get("content")), ok=message.get("isError") is not True, **about)
    elif kind == "bashExecution":
        about = messages.about("!", writer.record, message)
        writer.turn(Role.TOOL_CALL, messages.cap(about["command"]), **about)
        ok = message.get("exitCode") == 0 if isinstance(message.get("exitCode"), int) else None
        writer.result(text_of(message.get("output")), ok=ok, **about)


def _typed_text(text: str) -> str:
    for begin, end in _PUT_BEFORE:
        if text.startswith(begin):
            text = text.rpartition(end)[2]
    return messages.typed_text(text)


def _assistant_turns(message: JSON, writer: Writer) -> None:
    writer.assistant(messages.content_text(message.get("content")).strip())
    for block in messages.blocks(message.get("content")):
        if block.get("type") == "toolCall":
            writer.call(block.get("name"), block.get("id"), object_of(block.get("arguments")))
    if message.get("stopReason") == "aborted":
        writer.event(Happening.INTERRUPTION)
