"""Copilot CLI: ``~/.copilot/session-state/<session>/events.jsonl`` (early: ``<session>.jsonl``), append-only JSON lines.

``user.message`` has the typed words in ``content``, and the text for the model in ``transformedContent``. Memory: ``session``,
``cwd``, ``branch``, ``sidechain`` and ``automated`` (of the session), ``calls`` (calls without a result), ``own`` (calls that a
person asked for with ``!``), ``refused`` (calls whose refusal curator has returned).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening
from curator.transcripts.base import jsonl, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import object_of, text_of

AGENT = "copilot-cli"

SKIPPED = (b'"type":"hook.', b'"type":"assistant.turn_', b'"type":"session.shutdown"')
"""Frequent or large events that say nothing we read: two in five lines are hooks."""

_ALONE = "You are running in non-interactive mode"
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
    """Continue from ``start``. Raises only ``OSError``."""
    if start.offset == 0 and not start.memory:
        start = Mark(memory=_workspace(path))
    reading = jsonl.read(AGENT, path, start, write_turns, SKIPPED)
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


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one event."""
    kind, data, path = record.get("type"), object_of(record.get("data")), Path(writer.file)
    writer.session = writer.memory.get("session") or (path.parent.name if path.name == "events.jsonl" else path.stem)
    writer.at, writer.record = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    writer.sidechain = bool(record.get("agentId") or data.get("parentToolCallId") or data.get("agentId"))
    if kind in _READ:
        _READ[kind](data, writer)


def _session(data: JSON, writer: Writer) -> None:
    memory = writer.memory
    if text_of(data.get("sessionId")):
        memory.setdefault("session", data["sessionId"])
    if data.get("detachedFromSpawningParentSessionId"):
        memory["sidechain"] = memory["automated"] = True
    context = data.get("context")
    for key in ("cwd", "branch"):
        if value := text_of((context if isinstance(context, dict) else data).get(key)):
            memory[key] = value


def _notice(data: JSON, writer: Writer) -> None:
    message = text_of(data.get("message"))
    if data.get("infoType") == "folder_trust" and message.startswith("Folder /") and not writer.memory.get("cwd"):
        writer.memory["cwd"] = message.removeprefix("Folder ").partition(" has been ")[0]


# --- what is said -----------------------------------------------------------------------------------------------------


def _system(data: JSON, writer: Writer) -> None:
    """Read the system prompt, which tells the model if no person is present."""
    if _ALONE in text_of(data.get("content"))[:2_000]:
        writer.memory["automated"] = True


def _user(data: JSON, writer: Writer) -> None:
    text = messages.typed_text(text_of(data.get("content")))
    origin = data.get("source")
    if not text or data.get("isAutopilotContinuation") is True:
        return
    if writer.sidechain or writer.memory.get("sidechain") or str(origin or "").startswith("agent-"):
        writer.assistant(text)  # a question of one agent's thread to another
        return
    if origin not in (None, "", "user", "human"):
        return
    if text.startswith(_FIELD):
        writer.memory["automated"] = True
    happening = Happening.QUEUED if data.get("delivery") in ("queued", "steering") else None
    writer.human(text, happening=happening)


def _assistant(data: JSON, writer: Writer) -> None:
    writer.assistant(text_of(data.get("content")))


def _abort_turns(data: JSON, writer: Writer) -> None:
    if "limit" not in text_of(data.get("reason")):
        writer.event(Happening.INTERRUPTION)


def _compaction_turns(data: JSON, writer: Writer) -> None:
    if data.get("success") is not False:
        writer.event(Happening.COMPACTION)


# --- tools ------------------------------------------------------------------------------------------------------------


def _own(data: JSON, writer: Writer) -> None:
    writer.memory["own"] = [*writer.memory.get("own", ()), text_of(data.get("toolCallId"))][-jsonl.MAX_CALLS :]


def _call(data: JSON, writer: Writer) -> None:
    given, call, own = data.get("arguments"), text_of(data.get("toolCallId")), writer.memory.get("own", ())
    arguments = {"input": given} if isinstance(given, str) else object_of(given)  # a patch is plain text
    name = "!" if call in own else text_of(data.get("toolName"))
    if call in own:
        writer.memory["own"] = [other for other in own if other != call]
    writer.call(name, call, arguments)


def _result(data: JSON, writer: Writer) -> None:
    call = text_of(data.get("toolCallId"))
    about = writer.end_call(call, data.get("toolName"))
    if call in writer.memory.get("refused", ()):
        return
    result, error = data.get("result"), data.get("error")
    text = text_of(result.get("content")) if isinstance(result, dict) else text_of(result)
    failure = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
    rejected = object_of(error).get("code") == "rejected"
    if data.get("success") is False and (rejected or failure.startswith(_REJECTED)):
        # Without the code it may be a server's error that begins so.
        feedback = _FEEDBACK.search(failure) if rejected else None
        reason = failure[feedback.end() :].strip() if feedback else ""
        writer.event(Happening.REFUSAL, reason, ok=False, **about)
    elif about["tool"] == "ask_user" and text.startswith(_ANSWERED):
        writer.event(Happening.ANSWER, text.partition(": ")[2], ok=True, **about)
    else:
        ok = _ok(data.get("success"), text or failure, shell=bool(about["command"]))
        writer.result(text or failure, ok=ok, **about)


def _ok(success: object, text: str, *, shell: bool) -> bool | None:
    if text.startswith(_HARNESS):
        return None
    if shell and success is True:
        # A failed command is a successful call, so its last line decides.
        found = _EXIT.search(text[-200:])
        return found[1] == "0" if found else None
    return success if isinstance(success, bool) else None


def _permission(data: JSON, writer: Writer) -> None:
    result = object_of(data.get("result"))
    if result.get("kind") != "denied-interactively-by-user":
        return
    call = text_of(data.get("toolCallId"))
    about = writer.end_call(call)
    writer.memory["refused"] = [*writer.memory.get("refused", ()), call][-jsonl.MAX_CALLS :]
    reason = text_of(result.get("feedback")).strip()
    writer.event(Happening.REFUSAL, reason, ok=False, **about)


def _plan_turns(data: JSON, writer: Writer) -> None:
    """Write the turn of a plan that was accepted, or refused with or without a reason."""
    ok = data.get("approved") is True
    reason = text_of(data.get("feedback")).strip()
    happening = Happening.ANSWER if ok or reason else Happening.REFUSAL
    writer.event(happening, reason, ok=ok, tool="exit_plan_mode")


_READ = {
    "session.start": _session,
    "session.resume": _session,
    "session.context_changed": _session,
    "session.info": _notice,
    "tool.user_requested": _own,
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
