"""Kiro: two kinds of JSON lines in ``~/.kiro/sessions``, append-only.

``cli/<session>.jsonl`` has ``{kind, data}`` with content in parts ``{kind, data}``. ``<session>.json`` beside it names the
folder and the calling session. Only prompts have a time. ``<workspace>/<session>/messages.jsonl`` is from the editor and from
the third engine of the command line. It has ``{id, timestamp, payload}``, and ``session.json`` beside it names the folder. Seen
in public copies of 2.5 to 2.14. Memory: ``session``, ``cwd``, ``sidechain``, ``at``, ``asked`` (questions to a person),
``refused`` (calls whose refusal curator has returned), ``calls``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening
from curator.transcripts.base import document, jsonl, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "kiro"

_NAME = "messages.jsonl"


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first record is one of these."""
    first = head.lstrip().partition(b"\n")[0]
    if path.name == _NAME:
        return b'"payload":{"type":' in first.replace(b'": ', b'":')
    return path.suffix == ".jsonl" and first.startswith(b'{"version":"v1","kind":"')


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    return jsonl.read(AGENT, path, replace(start, memory={**start.memory, **_session(path)}), write_turns)


def _session(path: Path) -> JSON:
    """Return the data of a session from outside its records: its id, its folder, and whether another one called it."""
    late = path.name == _NAME
    about = document.load_object(path.with_name("session.json") if late else path.with_suffix(".json"))
    folders = [*filter(None, map(text_of, [about.get("cwd"), *(about.get("workspacePaths") or ())]))]
    parent = text_of(about.get("parent_session_id")) or text_of(about.get("parentSessionId"))
    called = bool(parent) and about.get("createdReason") != "tangent"  # a person's own side question
    return {"session": path.parent.name if late else path.stem, "cwd": (*folders, "")[0], "sidechain": called}


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one record."""
    late = "payload" in record
    data = object_of(record.get("payload" if late else "data"))
    kind = text_of(data.get("type") if late else record.get("kind"))
    stamp = object_of(data.get("meta")).get("timestamp")
    if isinstance(stamp, (int, float)):
        writer.memory["at"] = messages.seconds(stamp * 1000)
    writer.at = messages.seconds(record.get("timestamp")) if late else writer.memory.get("at")
    writer.record = text_of(record.get("id") if late else data.get("message_id"))
    if kind in _READ:
        _READ[kind](data, writer)


def _text(content: Any) -> str:
    """Return the text of a content: one text, or parts of which some are objects."""
    parts = [part.get("data") for part in dicts(content) if part.get("kind") in ("text", "json")]
    texts = (part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in parts)
    return content if isinstance(content, str) else "\n".join(filter(None, texts))


# --- what is said -----------------------------------------------------------------------------------------------------


def _user(data: JSON, writer: Writer) -> None:
    steer = data.get("source") == "steer"
    if steer or data.get("source") in (None, "", "user"):
        writer.human(messages.typed_text(_text(data.get("content"))), happening=Happening.QUEUED if steer else None)


def _assistant(data: JSON, writer: Writer) -> None:
    if data.get("operationType", "Say") == "Say":
        writer.assistant(_text(data.get("content")).strip())
    for part in dicts(data.get("content")):
        if part.get("kind") == "toolUse":
            used = object_of(part.get("data"))
            _call({"toolCallId": used.get("toolUseId"), "toolName": used.get("name"), "args": used.get("input")}, writer)


def _compaction(data: JSON, writer: Writer) -> None:
    if data.get("kind", "summarization") == "summarization":
        writer.event(Happening.COMPACTION)


# --- tools ------------------------------------------------------------------------------------------------------------


def _call(data: JSON, writer: Writer) -> None:
    arguments = {key: value for key, value in object_of(data.get("args")).items() if not key.startswith("__")}
    writer.call(data.get("toolName"), data.get("toolCallId"), arguments)


def _results(data: JSON, writer: Writer) -> None:
    outcomes = object_of(data.get("results"))
    for part in dicts(data.get("content")):
        result = object_of(part.get("data"))
        call = text_of(result.get("toolUseId"))
        if object_of(outcomes.get(call)).get("result") == "Cancelled":
            writer.event(Happening.INTERRUPTION, **writer.end_call(call))
            continue
        status = next((object_of(one.get("data")).get("exit_status") for one in dicts(result.get("content"))), None)
        ok = result.get("status") != "error" and text_of(status) in ("", "0", "exit status: 0")
        _result({"toolCallId": call, "content": result.get("content"), "success": ok}, writer)


def _result(data: JSON, writer: Writer) -> None:
    call = text_of(data.get("toolCallId"))
    about = writer.end_call(call)
    if call not in writer.memory.get("refused", ()):
        writer.result(_text(data.get("content")), ok=data.get("success") is not False, **about)


def _asked(data: JSON, writer: Writer) -> None:
    if data.get("interactionType") == "user_input":
        writer.memory["asked"] = [*writer.memory.get("asked", ()), text_of(data.get("toolCallId"))][-jsonl.MAX_CALLS :]


def _resolved(data: JSON, writer: Writer) -> None:
    call, choice = text_of(data.get("toolCallId")), text_of(data.get("selectedOption"))
    if call in writer.memory.get("asked", ()):
        if choice:
            writer.event(Happening.ANSWER, choice, ok=True, call=call)
    elif choice.startswith("reject"):
        writer.memory["refused"] = [*writer.memory.get("refused", ()), call][-jsonl.MAX_CALLS :]
        writer.event(Happening.REFUSAL, ok=False, call=call)


_READ = {
    "Prompt": _user,
    "AssistantMessage": _assistant,
    "ToolResults": _results,
    "Compaction": _compaction,
    "user": _user,
    "assistant": _assistant,
    "tool_call": _call,
    "tool_result": _result,
    "pending_interaction": _asked,
    "interaction_resolved": _resolved,
    "tombstone": _compaction,
}
