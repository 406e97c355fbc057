"""Kimi: ``wire.jsonl`` in ``~/.kimi-code/sessions`` and, for the earlier Kimi CLI, in ``~/.kimi/sessions``, append-only.

Kimi Code has ``<folder>/<session>/agents/<agent>/wire.jsonl``. ``state.json`` beside ``agents`` names the folder. The
``origin`` of a message says who wrote it. Kimi CLI has ``<md5 of the folder>/<session>/wire.jsonl`` with ``{timestamp,
message: {type, payload}}``, and its ``kimi.json`` lists the folders. Seen on 2.1 and on 1.48. Memory: ``session``, ``cwd``,
``sidechain``, ``queued``, ``own`` (a command that a person ran with ``!``), ``asked`` (the call of each request for consent),
``decided`` (a person's decision on each call, which may precede it), ``calls``.
"""

from __future__ import annotations

import hashlib
import html
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

AGENT = "kimi"

_NAME = "wire.jsonl"
_SKIPPED = (b'"type":"llm.', b'"type":"profile.bind"', b'"kind":"event"', b'"type": "StatusUpdate"')
"""Large or frequent records that say nothing we read."""
_MAX_CALLS = 200


def claims(path: Path, head: bytes) -> bool:
    """Return whether this is a log by its name and its first record."""
    first = head.lstrip().partition(b"\n")[0]
    return path.name == _NAME and (b'"protocol_version"' in first or b'"TurnBegin"' in first)


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    return jsonl.read(path, replace(start, memory={**start.memory, **_session(path)}), turns_from_record, _SKIPPED)


def _session(path: Path) -> JSON:
    """Return the data of a session from outside its log: its id, its folder, and whether it is a subagent's."""
    inner = path.parent.parent.name in ("agents", "subagents")
    folder = path.parents[2] if inner else path.parent
    about: JSON = {"session": folder.name, "sidechain": inner and path.parent.name != "main"}
    cwd = text_of(document.load_object(folder / "state.json").get("cwd"))
    listed = () if cwd else dicts(document.load_object(folder.parent.parent.parent / "kimi.json").get("work_dirs"))
    hashed = folder.parent.name.rpartition("_")[2]
    known = (text_of(one.get("path")) for one in listed)
    return about | {"cwd": cwd or next((one for one in known if hashlib.md5(one.encode()).hexdigest() == hashed), "")}


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one record. Kinds with a dot are Kimi Code's, and mostly describe the agent's state."""
    kind, data, at = text_of(record.get("type")), record, record.get("time")
    if not kind and "timestamp" in record:
        envelope = object_of(record.get("message"))
        kind, data, at = text_of(envelope.get("type")), object_of(envelope.get("payload")), record["timestamp"] * 1000
    elif kind == "context.append_loop_event":
        data = object_of(record.get("event"))
        kind = text_of(data.get("type"))
    if kind in _READ:
        for turn in _READ[kind](data, source, memory):
            yield replace(turn, at=messages.seconds(at))
    elif "." not in kind and kind not in _IGNORED:
        unknown[kind[:80] or "record"] += 1


def _turn(source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    return jsonl.turn(AGENT, source, memory, role, text, **more)


# --- what is said -----------------------------------------------------------------------------------------------------


def _message(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if "time" not in data:  # a copy of Kimi CLI's record, which is read there
        return
    message = object_of(data.get("message"))
    origin = object_of(message.get("origin"))
    kind = origin.get("kind", "user") if message.get("role") == "user" else None
    if kind == "user":
        # The prompt's skills come before the words, one block each.
        texts = [text_of(block.get("text")) for block in messages.blocks(message.get("content")) if block.get("type") == "text"]
        yield from _typed_turns(
            "\n".join(texts[len(dicts(origin.get("skillActivations"))) :]), source, memory, message.get("id")
        )
    elif kind in ("skill_activation", "plugin_command") and origin.get("trigger") == "user-slash":
        given = text_of(origin.get("skillArgs") or origin.get("commandArgs"))
        yield from _typed_turns(given if " " in given else "", source, memory, message.get("id"))
    elif kind == "shell_command":
        text, ran = messages.content_text(message.get("content")), origin.get("phase") == "input"
        if ran:
            memory["own"] = [f"!{source.line}", html.unescape(messages.between(text, "bash-input"))]
        call, command = memory.get("own", ("", ""))
        about: JSON = {"tool": "!", "call": call, "command": command}
        ok = None if ran else origin.get("isError") is not True
        yield _turn(
            source,
            memory,
            Role.TOOL_CALL if ran else Role.TOOL_RESULT,
            command if ran else messages.output(text),
            ok=ok,
            **about,
        )


def _begin(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    yield from _typed_turns(messages.content_text(data.get("user_input")), source, memory)


def _steer(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    memory["queued"] = True
    yield from _begin(data, source, memory) if "user_input" in data else ()


def _typed_turns(text: str, source: Source, memory: JSON, record: object = "") -> Iterator[Turn]:
    queued = memory.pop("queued", False)
    if text := messages.typed_text(text):
        happening = Happening.QUEUED if queued else None
        yield _turn(source, memory, Role.HUMAN, text, record=text_of(record), happening=happening)


def _part(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    part = object_of(data.get("part", data))
    if part.get("type") == "text" and text_of(part.get("text")).strip():
        yield _turn(source, memory, Role.ASSISTANT, part["text"].strip(), record=text_of(data.get("uuid")))


def _compaction(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    yield _turn(source, memory, Role.EVENT, "", happening=Happening.COMPACTION)


def _cancel(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if data.get("reason") != "aborted" and data.get("target") != "queued":
        yield _turn(source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION)


# --- tools ------------------------------------------------------------------------------------------------------------


def _call(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    function = object_of(data.get("function"))
    arguments = document.parse_object(data.get("args", function.get("arguments")))
    call = messages.begin_call(data.get("name", function.get("name")), _call_id(data), arguments, memory)
    yield _turn(source, memory, Role.TOOL_CALL, **call)


def _call_id(data: JSON) -> str:
    return text_of(data.get("toolCallId") or data.get("tool_call_id") or data.get("id"))


def _result(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    about = messages.end_call(_call_id(data), memory)
    decision, reason = memory.get("decided", {}).get(_call_id(data), ("", ""))
    plan, refused = about["tool"] == "ExitPlanMode", decision.startswith("reject")
    if refused or (plan and decision == "approved"):
        happening = Happening.ANSWER if plan and (reason or not refused) else Happening.REFUSAL
        yield _turn(source, memory, Role.EVENT, reason if refused else "", happening=happening, ok=not refused, **about)
        return
    result = object_of(data.get("result", data.get("return_value")))
    output = messages.content_text(result.get("output"))
    answers = document.parse_object(output).get("answers") if about["tool"] == "AskUserQuestion" else None
    if isinstance(answers, dict):
        for answer in filter(None, map(text_of, answers.values())):
            yield _turn(source, memory, Role.EVENT, answer, happening=Happening.ANSWER, ok=True, **about)
        return
    text = "\n".join(filter(None, (output, text_of(result.get("message")))))
    ok = not (result.get("isError") or result.get("is_error"))
    yield _turn(source, memory, Role.TOOL_RESULT, messages.output(text), ok=ok, **about)


def _consent(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    result = object_of(data.get("result"))
    _decide(_call_id(data), text_of(result.get("decision")), result, memory)
    yield from ()


def _request(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    asked: JSON = memory.get("asked", {})
    memory["asked"] = dict([*asked.items(), (text_of(data.get("id")), text_of(data.get("tool_call_id")))][-_MAX_CALLS:])
    yield from ()


def _response(data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    _decide(text_of(memory.get("asked", {}).get(data.get("request_id"))), text_of(data.get("response")), data, memory)
    yield from ()


def _decide(call: str, decision: str, data: JSON, memory: JSON) -> None:
    reason = messages.cap(text_of(data.get("feedback")).strip(), messages.MAX_WORDS)
    memory["decided"] = dict([*memory.get("decided", {}).items(), (call, [decision, reason])][-_MAX_CALLS:])


_READ = {
    "context.append_message": _message,
    "turn.steer": _steer,
    "content.part": _part,
    "context.apply_compaction": _compaction,
    "turn.cancel": _cancel,
    "tool.call": _call,
    "tool.result": _result,
    "permission.record_approval_result": _consent,
    "TurnBegin": _begin,
    "SteerInput": _steer,
    "ContentPart": _part,
    "CompactionEnd": _compaction,
    "ToolCall": _call,
    "ToolResult": _result,
    "ApprovalRequest": _request,
    "ApprovalResponse": _response,
}
_IGNORED = frozenset(
    "metadata forked TurnEnd StepBegin StepInterrupted StepRetry CompactionBegin StatusUpdate SubagentEvent Notification"
    " PlanDisplay BtwBegin BtwEnd HookTriggered HookResolved MCPLoadingBegin MCPLoadingEnd QuestionRequest QuestionResponse"
    " ApprovalRequestResolved ToolCallPart ToolCallRequest".split()
)
