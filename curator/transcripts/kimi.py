"""Kimi: ``wire.jsonl`` in ``~/.kimi-code/sessions`` and, for the earlier Kimi CLI, in ``~/.kimi/sessions``, append-only.

Kimi Code has ``<folder>/<session>/agents/<agent>/wire.jsonl``. ``state.json`` beside ``agents`` names the folder. The
``origin`` of a message says who wrote it. Kimi CLI has ``<md5 of the folder>/<session>/wire.jsonl`` with ``{timestamp,
message: {type, payload}}``, and its ``kimi.json`` lists the folders. Seen on 2.1 and on 1.48. Memory: ``session``, ``cwd``,
``sidechain``, ``queued``, ``own`` (the call of the command that a person ran with ``!``), ``asked`` (the call of each request
for consent), ``decided`` (a person's decision on each call, which may precede it), ``calls``.
"""

from __future__ import annotations

import hashlib
import html
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening
from curator.transcripts.base import document, jsonl, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "kimi"

_NAME = "wire.jsonl"
_SKIPPED = (b'"type":"llm.', b'"type":"profile.bind"', b'"kind":"event"', b'"type": "StatusUpdate"')
"""Large or frequent records that say nothing we read."""


def claims(path: Path, head: bytes) -> bool:
    """Return whether this is a log by its name and its first record."""
    first = head.lstrip().partition(b"\n")[0]
    return path.name == _NAME and (b'"protocol_version"' in first or b'"TurnBegin"' in first)


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    return jsonl.read(AGENT, path, replace(start, memory={**start.memory, **_session(path)}), write_turns, _SKIPPED)


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


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one record. Kinds with a dot are Kimi Code's, and mostly describe the agent's state."""
    kind, data, at = text_of(record.get("type")), record, record.get("time")
    if not kind and "timestamp" in record:
        envelope = object_of(record.get("message"))
        kind, data, at = text_of(envelope.get("type")), object_of(envelope.get("payload")), record["timestamp"] * 1000
    elif kind == "context.append_loop_event":
        data = object_of(record.get("event"))
        kind = text_of(data.get("type"))
    writer.at = messages.seconds(at)
    if kind in _READ:
        _READ[kind](data, writer)


# --- what is said -----------------------------------------------------------------------------------------------------


def _message(data: JSON, writer: Writer) -> None:
    if "time" not in data:  # a copy of Kimi CLI's record, which is read there
        return
    message = object_of(data.get("message"))
    origin, writer.record = object_of(message.get("origin")), text_of(message.get("id"))
    kind = origin.get("kind", "user") if message.get("role") == "user" else None
    if kind == "user":
        # The prompt's skills come before the words, one block each.
        texts = [text_of(block.get("text")) for block in messages.blocks(message.get("content")) if block.get("type") == "text"]
        _typed_turns("\n".join(texts[len(dicts(origin.get("skillActivations"))) :]), writer)
    elif kind in ("skill_activation", "plugin_command") and origin.get("trigger") == "user-slash":
        given = text_of(origin.get("skillArgs") or origin.get("commandArgs"))
        _typed_turns(given if " " in given else "", writer)
    elif kind == "shell_command":
        writer.record = ""
        _shell_turn(messages.content_text(message.get("content")), origin, writer)


def _shell_turn(text: str, origin: JSON, writer: Writer) -> None:
    if origin.get("phase") == "input":
        about = writer.call("!", f"!{writer.line}", {"command": html.unescape(messages.between(text, "bash-input"))})
        writer.memory["own"] = {**about, "paths": []}
    else:
        own = messages.object_of(writer.memory.get("own"))
        about = {"tool": "!", "call": text_of(own.get("call")), "command": text_of(own.get("command"))}
        writer.result(text, ok=origin.get("isError") is not True, **about)


def _begin(data: JSON, writer: Writer) -> None:
    _typed_turns(messages.content_text(data.get("user_input")), writer)


def _steer(data: JSON, writer: Writer) -> None:
    writer.memory["queued"] = True
    if "user_input" in data:
        _begin(data, writer)


def _typed_turns(text: str, writer: Writer) -> None:
    queued = writer.memory.pop("queued", False)
    writer.human(messages.typed_text(text), happening=Happening.QUEUED if queued else None)


def _part(data: JSON, writer: Writer) -> None:
    part = object_of(data.get("part", data))
    if part.get("type") == "text":
        writer.record = text_of(data.get("uuid"))
        writer.assistant(text_of(part.get("text")).strip())


def _compaction(data: JSON, writer: Writer) -> None:
    writer.event(Happening.COMPACTION)


def _cancel(data: JSON, writer: Writer) -> None:
    if data.get("reason") != "aborted" and data.get("target") != "queued":
        writer.event(Happening.INTERRUPTION)


# --- tools ------------------------------------------------------------------------------------------------------------


def _call(data: JSON, writer: Writer) -> None:
    function = object_of(data.get("function"))
    arguments = document.parse_object(data.get("args", function.get("arguments")))
    writer.call(data.get("name", function.get("name")), _call_id(data), arguments)


def _call_id(data: JSON) -> str:
    return text_of(data.get("toolCallId") or data.get("tool_call_id") or data.get("id"))


def _result(data: JSON, writer: Writer) -> None:
    about = writer.end_call(_call_id(data))
    decision, reason = writer.memory.get("decided", {}).get(_call_id(data), ("", ""))
    plan, refused = about["tool"] == "ExitPlanMode", decision.startswith("reject")
    if refused or (plan and decision == "approved"):
        happening = Happening.ANSWER if plan and (reason or not refused) else Happening.REFUSAL
        writer.event(happening, reason if refused else "", ok=not refused, **about)
        return
    result = object_of(data.get("result", data.get("return_value")))
    output = messages.content_text(result.get("output"))
    asked = document.parse_object(output) if about["tool"] == "AskUserQuestion" else {}
    if writer.answers(messages.answers(asked), **about):
        return
    text = "\n".join(filter(None, (output, text_of(result.get("message")))))
    writer.result(text, ok=not (result.get("isError") or result.get("is_error")), **about)


def _consent(data: JSON, writer: Writer) -> None:
    result = object_of(data.get("result"))
    _decide(_call_id(data), text_of(result.get("decision")), result, writer.memory)


def _request(data: JSON, writer: Writer) -> None:
    _remember("asked", text_of(data.get("id")), text_of(data.get("tool_call_id")), writer.memory)


def _response(data: JSON, writer: Writer) -> None:
    call = text_of(writer.memory.get("asked", {}).get(data.get("request_id")))
    _decide(call, text_of(data.get("response")), data, writer.memory)


def _decide(call: str, decision: str, data: JSON, memory: JSON) -> None:
    reason = messages.cap(text_of(data.get("feedback")).strip(), messages.MAX_WORDS)
    _remember("decided", call, [decision, reason], memory)


def _remember(name: str, key: str, value: Any, memory: JSON) -> None:
    memory[name] = dict([*memory.get(name, {}).items(), (key, value)][-jsonl.MAX_CALLS :])


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
