"""Copilot CLI: ``~/.copilot/session-state/<session>/events.jsonl`` (early: ``<session>.jsonl``), append-only JSON lines.

``user.message`` has the typed words in ``content``, and the text for the model in ``transformedContent``. Memory: ``session``,
``cwd``, ``branch``, ``sidechain`` and ``automated`` (of the session), ``calls`` (calls without a result), ``own`` (calls that a
person asked for with ``!``), ``refused`` (calls whose refusal curator has returned).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts.base import jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import object_of, text_of

AGENT = "copilot-cli"

SKIPPED = (b'"type":"hook.', b'"type":"assistant.turn_', b'"type":"session.shutdown"')
"""Frequent or large events that say nothing we read: two in five lines are hooks."""

_ALONE = "You are running in non-interactive mode"

# fmt: off
IGNORED = frozenset((
    "assistant.idle", "assistant.intent", "assistant.message_delta", "assistant.message_start", "assistant.reasoning",
    "assistant.reasoning_delta", "assistant.streaming_delta", "assistant.server_tool_progress", "assistant.tool_call_delta",
    "assistant.turn_end", "assistant.turn_start", "assistant.usage", "capabilities.changed", "command.completed",
    "command.execute", "command.queued", "commands.changed", "elicitation.completed", "elicitation.requested",
    "exit_plan_mode.requested", "external_tool.completed", "external_tool.requested", "hook.end", "hook.progress", "hook.start",
    "mcp.headers_refresh_completed", "mcp.headers_refresh_required", "mcp.oauth_completed", "mcp.oauth_required",
    "mcp.prompts.list_changed", "mcp.resources.list_changed", "mcp.tools.list_changed", "mcp_app.tool_call_complete",
    "model.call_failure", "pending_messages.modified", "permission.requested", "sampling.completed", "sampling.requested",
    "skill.invoked", "subagent.completed", "subagent.deselected", "subagent.failed", "subagent.selected", "subagent.started",
    "system.message", "system.notification", "tool.execution_partial_result", "tool.execution_progress",
    "tool_search.activated", "ui.ephemeral_query", "user_input.completed", "user_input.requested",
    "auto_mode_switch.completed", "auto_mode_switch.requested", "factory.run_settled", "factory.run_started",
    "factory.run_updated", "session_limits_exhausted.completed", "session_limits_exhausted.requested",
))
# fmt: on

_MAX_CALLS = 200
_EXIT = re.compile(r"<(?:shellId: \S+ completed|exited|command exited) with exit code (-?\d+)>\s*$")
_ANSWERED = ("User responded: ", "User selected: ")
_REJECTED = ("The user rejected this tool call", "User rejected")
_FEEDBACK = re.compile(r"(?:user )?feedback: ?", re.IGNORECASE)
_HARNESS = ("Denied by preToolUse hook", "Permission denied and could not request", "Denied by permission")
_FIELD = "[[ ## "
"""The beginning of prompts of programs that fill in templates."""


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first event is one of these."""
    if path.suffix != ".jsonl":
        return False
    first = head.lstrip().partition(b"\n")[0]
    return b'"data":' in first and (b'"type":"session.start"' in first or b'"copilotVersion":' in first)


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    if start.offset == 0 and not start.memory:
        start = Mark(memory=_workspace(path))
    reading = jsonl.read(path, start, turns_from_record, SKIPPED)
    if not reading.end.memory.get("automated"):
        return reading
    # A session reveals that only after its first prompt.
    return replace(reading, turns=tuple(replace(turn, automated=True) for turn in reading.turns))


def _workspace(path: Path) -> JSON:
    """Return the session's folder from the neighbouring file. Early versions have it nowhere else."""
    try:
        with (path.parent / "workspace.yaml").open(encoding="utf-8", errors="replace") as file:
            pairs = dict(line.rstrip("\n").partition(": ")[::2] for line in file.readlines(8192) if ": " in line)
    except OSError:
        return {}
    fields = {key: pairs.get(key, "").strip().strip("'\"") for key in ("cwd", "branch")}
    return {key: value for key, value in fields.items() if value}


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one event."""
    kind = record.get("type")
    data = object_of(record.get("data"))
    if kind in ("session.start", "session.resume", "session.context_changed"):
        _session(data, memory)
    elif kind in _READ:
        yield from _READ[kind](record, data, source, memory)
    elif kind == "tool.user_requested":
        memory["own"] = [*memory.get("own", ()), text_of(data.get("toolCallId"))][-_MAX_CALLS:]
    elif kind == "session.info":
        message = text_of(data.get("message"))
        if data.get("infoType") == "folder_trust" and message.startswith("Folder /") and not memory.get("cwd"):
            memory["cwd"] = message.removeprefix("Folder ").partition(" has been ")[0]
    elif kind not in IGNORED and not str(kind).startswith("session."):
        unknown[str(kind)[:80]] += 1


def _session(data: JSON, memory: JSON) -> None:
    if text_of(data.get("sessionId")):
        memory.setdefault("session", data["sessionId"])
    if data.get("detachedFromSpawningParentSessionId"):
        memory["sidechain"] = memory["automated"] = True
    context = data.get("context")
    for key in ("cwd", "branch"):
        if value := text_of((context if isinstance(context, dict) else data).get(key)):
            memory[key] = value


def _turn(record: JSON, source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    path = Path(source.file)
    session = memory.get("session") or (path.parent.name if path.name == "events.jsonl" else path.stem)
    at, identity = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    aside = _aside(record, record["data"], memory)
    return jsonl.turn(AGENT, source, memory, role, text, record=identity, session=session, at=at, sidechain=aside, **more)


def _aside(record: JSON, data: JSON, memory: JSON) -> bool:
    return bool(record.get("agentId") or data.get("parentToolCallId") or data.get("agentId") or memory.get("sidechain"))


# --- what is said -----------------------------------------------------------------------------------------------------


def _system(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    """Yield the system prompt, which tells the model if no person is present."""
    if _ALONE in text_of(data.get("content"))[:2_000]:
        memory["automated"] = True
    yield from ()


def _user(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    text = messages.typed_text(text_of(data.get("content")))
    origin = data.get("source")
    if not text or data.get("isAutopilotContinuation") is True:
        return
    if _aside(record, data, memory) or str(origin or "").startswith("agent-"):
        yield _turn(record, source, memory, Role.ASSISTANT, text)  # a question of one agent's thread to another
        return
    if origin not in (None, "", "user", "human"):
        return
    if text.startswith(_FIELD):
        memory["automated"] = True
    happening = Happening.QUEUED if data.get("delivery") in ("queued", "steering") else None
    yield _turn(record, source, memory, Role.HUMAN, text, happening=happening)


def _assistant(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if (text := text_of(data.get("content"))).strip():
        yield _turn(record, source, memory, Role.ASSISTANT, text)


def _abort_turns(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if "limit" not in text_of(data.get("reason")):
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION)


def _compaction_turns(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if data.get("success") is not False:
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.COMPACTION)


# --- tools ------------------------------------------------------------------------------------------------------------


def _call(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    given, call, own = data.get("arguments"), text_of(data.get("toolCallId")), memory.get("own", ())
    arguments = {"input": given} if isinstance(given, str) else object_of(given)  # a patch stands alone
    name = "!" if call in own else text_of(data.get("toolName"))
    if call in own:
        memory["own"] = [other for other in own if other != call]
    yield _turn(record, source, memory, Role.TOOL_CALL, **messages.begin_call(name, call, arguments, memory))


def _result(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    call = text_of(data.get("toolCallId"))
    known = call in memory.get("calls", {})
    about = messages.end_call(call, memory)
    if call in memory.get("refused", ()):
        return
    about["tool"] = name = about["tool"] if known else text_of(data.get("toolName"))
    result, error = data.get("result"), data.get("error")
    text = text_of(result.get("content")) if isinstance(result, dict) else text_of(result)
    failure = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
    rejected = object_of(error).get("code") == "rejected"
    if data.get("success") is False and (rejected or failure.startswith(_REJECTED)):
        # Without the code it may be a server's error that begins so.
        feedback = _FEEDBACK.search(failure) if rejected else None
        reason = failure[feedback.end() :].strip() if feedback else ""
        yield _turn(record, source, memory, Role.EVENT, reason, happening=Happening.REFUSAL, ok=False, **about)
    elif name == "ask_user" and text.startswith(_ANSWERED):
        answer = text.partition(": ")[2]
        yield _turn(record, source, memory, Role.EVENT, answer, happening=Happening.ANSWER, ok=True, **about)
    else:
        ok = _ok(data.get("success"), text or failure, shell=bool(about["command"]))
        yield _turn(record, source, memory, Role.TOOL_RESULT, messages.output(text or failure), ok=ok, **about)


def _ok(success: object, text: str, *, shell: bool) -> bool | None:
    if text.startswith(_HARNESS):
        return None
    if shell and success is True:
        # A failed command is a successful call, so its last line decides.
        found = _EXIT.search(text[-200:])
        return found[1] == "0" if found else None
    return success if isinstance(success, bool) else None


def _permission(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    result = object_of(data.get("result"))
    if result.get("kind") != "denied-interactively-by-user":
        return
    call = text_of(data.get("toolCallId"))
    about = messages.end_call(call, memory)
    memory["refused"] = [*memory.get("refused", ()), call][-_MAX_CALLS:]
    reason = text_of(result.get("feedback")).strip()
    yield _turn(record, source, memory, Role.EVENT, reason, happening=Happening.REFUSAL, ok=False, **about)


def _plan_turns(record: JSON, data: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    """Yield the turn of a plan that was accepted, or refused with or without a reason."""
    ok = data.get("approved") is True
    reason = text_of(data.get("feedback")).strip()
    happening = Happening.ANSWER if ok or reason else Happening.REFUSAL
    yield _turn(record, source, memory, Role.EVENT, reason, happening=happening, ok=ok, tool="exit_plan_mode")


_READ = {
    "system.message": _system,
    "user.message": _user,
    "assistant.message": _assistant,
    "abort": _abort_turns,
    "session.compaction_complete": _compaction_turns,
    "tool.execution_start": _call,
    "tool.execution_complete": _result,
    "permission.completed": _permission,
    "exit_plan_mode.completed": _plan_turns,
}
