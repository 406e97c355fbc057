"""Kiro: two kinds of JSON lines in ``~/.kiro/sessions``, append-only.

``cli/<session>.jsonl`` has ``{kind, data}`` with content in parts ``{kind, data}``. ``<session>.json`` beside it names the
folder and the calling session. Only prompts have a time. ``<workspace>/<session>/messages.jsonl`` is from the editor and from
the third engine of the command line. It has ``{id, timestamp, payload}``, and ``session.json`` beside it names the folder. Seen
in public copies of 2.5 to 2.14. Memory: ``session``, ``cwd``, ``sidechain``, ``at``, ``asked`` (questions to a person),
``refused`` (calls whose refusal curator has returned), ``calls``.
"""

from __future__ import annotations

import json
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

AGENT = "kiro"

_NAME = "messages.jsonl"
_IGNORED = frozenset(
    "Clear ResetTo turn_start turn_end session_start session_metadata session_event ContextualHookInvoked usage_summary"
    " steering_inclusion sub_agent_start sub_agent_complete".split()
)
_MAX_CALLS = 200


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first record is one of these."""
    first = head.lstrip().partition(b"\n")[0]
    if path.name == _NAME:
        return b'"payload":{"type":' in first.replace(b'": ', b'":')
    return path.suffix == ".jsonl" and first.startswith(b'{"version":"v1","kind":"')


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    return jsonl.read(path, replace(start, memory={**start.memory, **_session(path)}), turns_from_record)


def _session(path: Path) -> JSON:
    """Return the data of a session from outside its records: its id, its folder, and whether another one called it."""
    late = path.name == _NAME
    about = document.load_object(path.with_name("session.json") if late else path.with_suffix(".json"))
    folders = [*filter(None, map(text_of, [about.get("cwd"), *(about.get("workspacePaths") or ())]))]
    parent = text_of(about.get("parent_session_id")) or text_of(about.get("parentSessionId"))
    called = bool(parent) and about.get("createdReason") != "tangent"  # a person's own side question
    return {"session": path.parent.name if late else path.stem, "cwd": (*folders, "")[0], "sidechain": called}


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one record."""
    late = "payload" in record
    data = object_of(record.get("payload" if late else "data"))
    kind = text_of(data.get("type") if late else record.get("kind"))
    stamp = object_of(data.get("meta")).get("timestamp")
    if isinstance(stamp, (int, float)):
        memory["at"] = messages.seconds(stamp * 1000)
    at = messages.seconds(record.get("timestamp")) if late else memory.get("at")
    if kind in _READ:
        identity = text_of(record.get("id")) if late else text_of(data.get("message_id"))
        for turn in _READ[kind](data, source, memory):
            yield replace(turn, at=at, locator=replace(turn.locator, record=identity))
    elif kind not in _IGNORED:
        unknown[kind[:80] or "record"] += 1


def _turn(source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    return jsonl.turn(AGENT, source, memory, role, text, **more)


def _text(content: Any) -> str:
    """Return the text of a content: one text, or parts of which some are objects."""
    parts = [part.get("data") for part in dicts(content) if part.get("kind") in ("text", "json")]
    texts = (part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in parts)
    return content if isinstance(content, str) else "\n".join(filter(None, texts))


# --- what is said -----------------------------------------------------------------------------------------------------


def _user(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    text = messages.typed_text(_text(data.get("content")))
    steer = data.get("source") == "steer"
    if text and (steer or data.get("source") in (None, "", "user")):
        yield _turn(source, memory, Role.HUMAN, text, happening=Happening.QUEUED if steer else None)


def _assistant(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    text = _text(data.get("content")).strip()
    if text and data.get("operationType", "Say") == "Say":
        yield _turn(source, memory, Role.ASSISTANT, text)
    for part in dicts(data.get("content")):
        if part.get("kind") == "toolUse":
            used = object_of(part.get("data"))
            yield from _call(
                {"toolCallId": used.get("toolUseId"), "toolName": used.get("name"), "args": used.get("input")}, source, memory
            )


def _compaction(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if data.get("kind", "summarization") == "summarization":
        yield _turn(source, memory, Role.EVENT, "", happening=Happening.COMPACTION)


# --- tools ------------------------------------------------------------------------------------------------------------


def _call(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    arguments = {key: value for key, value in object_of(data.get("args")).items() if not key.startswith("__")}
    call = messages.begin_call(data.get("toolName"), data.get("toolCallId"), arguments, memory)
    yield _turn(source, memory, Role.TOOL_CALL, **call)


def _results(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    outcomes = object_of(data.get("results"))
    for part in dicts(data.get("content")):
        result = object_of(part.get("data"))
        call = text_of(result.get("toolUseId"))
        if object_of(outcomes.get(call)).get("result") == "Cancelled":
            about = messages.end_call(call, memory)
            yield _turn(source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION, **about)
            continue
        status = next((object_of(one.get("data")).get("exit_status") for one in dicts(result.get("content"))), None)
        ok = result.get("status") != "error" and text_of(status) in ("", "0", "exit status: 0")
        yield from _result({"toolCallId": call, "content": result.get("content"), "success": ok}, source, memory)


def _result(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    call = text_of(data.get("toolCallId"))
    about = messages.end_call(call, memory)
    if call not in memory.get("refused", ()):
        ok = data.get("success") is not False
        yield _turn(source, memory, Role.TOOL_RESULT, messages.output(_text(data.get("content"))), ok=ok, **about)


def _asked(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if data.get("interactionType") == "user_input":
        memory["asked"] = [*memory.get("asked", ()), text_of(data.get("toolCallId"))][-_MAX_CALLS:]
    yield from ()


def _resolved(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    call, choice = text_of(data.get("toolCallId")), text_of(data.get("selectedOption"))
    if call in memory.get("asked", ()):
        if choice:
            yield _turn(source, memory, Role.EVENT, choice, happening=Happening.ANSWER, ok=True, call=call)
    elif choice.startswith("reject"):
        memory["refused"] = [*memory.get("refused", ()), call][-_MAX_CALLS:]
        yield _turn(source, memory, Role.EVENT, "", happening=Happening.REFUSAL, ok=False, call=call)


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
