"""Cline's sessions since its third command line: ``~/.cline/data/sessions/<id>/<id>.messages.json``, one JSON document.

Its ``messages`` have the form of Anthropic's API, in blocks, with times. A person's words are in ``<user_input mode="…">``.
Messages of role "user" whose ``metadata.displayRole`` is the system come from hooks and compactions. The file ``<id>.json``
beside it has the folder, the branch, and whether a person could answer. Subagents have their own messages in the folder of
the session that began them. They have their own ids, and that session's id as ``parentThreadId``. Memory lasts for one
reading: ``session``, ``cwd``, ``branch``, ``automated``, ``sidechain``, ``calls`` (calls without a result). Seen on 3.0.65.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening
from curator.transcripts.base import document, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "cline"
ENDING = ".messages.json"
REJECTED = "This tool call was rejected by the user"
_OPENING = 100
"""The maximum distance of that from the start, plain or in JSON. Further on, it is text that the tool has read."""
SUBAGENTS = ("subagent", "teammate")
"""The values of ``agent`` for messages that no person wrote; all others have "lead", wherever the file lies."""

_TYPED = re.compile(r"\s*+<user_input\b[^<>]*>")
_NOTICE = re.compile(r"<mode_notice>[^<]*(?:<(?!/?mode_notice>)[^<]*)*</mode_notice>")
"""A notice. The pattern stops at the next element of its kind: a text of openings would take minutes."""

_FILE = "<file_content path="
"""The beginning of a file that was named in a prompt; its text follows."""


def claims(path: Path, head: bytes) -> bool:
    """Return whether the document begins like such a session."""
    return path.name.endswith(ENDING) and b'"sessionId"' in head and b'"agent"' in head


def session_file(path: Path) -> Path:
    """Return the file that knows the session's folder."""
    return path.parent / f"{path.parent.name}.json"


def read(path: Path, start: Mark) -> Reading:
    """Read the whole session, wherever ``start`` is; raises ``OSError`` only."""
    known = document.load_object(session_file(path))

    def unfold(whole: Any, memory: JSON) -> Sequence[Any]:
        if not isinstance(whole, dict):
            return ()
        git = object_of(object_of(known.get("metadata")).get("git"))
        origin = object_of(whole.get("origin"))
        memory["session"] = text_of(origin.get("parentThreadId")) or text_of(whole.get("sessionId")) or path.parent.name
        memory["cwd"] = text_of(known.get("cwd")) or text_of(known.get("workspace_root"))
        memory["branch"] = text_of(git.get("branch"))
        memory["automated"] = known.get("interactive") is False
        memory["sidechain"] = whole.get("agent") in SUBAGENTS
        messages = whole.get("messages")
        return messages if isinstance(messages, list) else ()

    return document.read(AGENT, path, start, unfold, write_turns)


def write_turns(message: JSON, writer: Writer) -> None:
    """Write the turns of one message."""
    metadata = object_of(message.get("metadata"))
    writer.at, writer.record = messages.seconds(message.get("ts")), text_of(message.get("id"))
    if message.get("role") not in ("user", "assistant"):
        return
    if metadata.get("kind") == "compaction_summary":
        writer.event(Happening.COMPACTION)
        return
    if metadata.get("displayRole") in ("system", "status", "error"):
        return
    blocks = messages.blocks(message.get("content"))
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            _text_turns(message, text_of(block.get("text")), blocks, writer)
        elif kind == "tool_use":
            _call_turn(block, writer)
        elif kind == "tool_result":
            _result_turn(block, writer)


def _typed_text(text: str, *, beside: bool) -> str:
    """Return what a person typed of a text, which may stand ``beside`` results: the element that it begins with, or without one
    all.

    An element further on may be a file's.
    """
    if opening := _TYPED.match(text):
        text = text[opening.end() :].partition("</user_input>")[0]
    elif beside or "<user_input" in text:
        return ""
    return messages.typed_text(text.partition(_FILE)[0])


def _text_turns(message: JSON, text: str, blocks: Sequence[JSON], writer: Writer) -> None:
    """Write words; a subagent's task was written by the agent that began it."""
    if message["role"] == "user" and not writer.memory["sidechain"]:
        beside = any(block.get("type") == "tool_result" for block in blocks)
        writer.human(_typed_text(_NOTICE.sub("", text), beside=beside))
    else:
        writer.assistant(text.strip())


def _call_turn(block: JSON, writer: Writer) -> None:
    arguments = object_of(block.get("input"))
    about = messages.about(text_of(block.get("name")), text_of(block.get("id")), arguments)
    several = tuple(path for file in dicts(arguments.get("files")) if (path := text_of(file.get("path"))))
    commands = arguments.get("commands")
    if about["tool"] == "run_commands" and isinstance(commands, list):
        about["command"] = messages.cap("\n".join(filter(None, map(text_of, commands))))
    about["paths"] = (*about["paths"], *several[:50])
    writer.begin_call(about, messages.cap(about["command"] or messages.describe(arguments) or "\n".join(several)))


def _result_turn(block: JSON, writer: Writer) -> None:
    about = writer.end_call(block.get("tool_use_id"), block.get("name"))
    parts = dicts(block.get("content"))
    text = text_of(block.get("content")) or "\n".join(filter(None, map(_part, parts)))
    failed = block.get("is_error") is True or any(part.get("success") is False for part in parts)
    if REJECTED in text[:_OPENING]:
        writer.event(Happening.REFUSAL, ok=False, **about)
    else:
        writer.result(text, ok=not failed, **about)


def _part(part: JSON) -> str:
    """Return a part of a result as text: the text itself, or the outcome of one of several queries."""
    for key in ("text", "error", "result"):
        if text_of(part.get(key)):
            return text_of(part.get(key))
    return json.dumps(part["result"], ensure_ascii=False) if isinstance(part.get("result"), (dict, list)) else ""
