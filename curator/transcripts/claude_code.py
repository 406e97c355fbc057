"""Claude Code: ``~/.claude/projects/<slug>/<session>.jsonl``, append-only, one record per line.

Subagents write ``agent-<id>.jsonl`` beside it (2025) or in ``<session>/subagents``. Before that they wrote into the session
itself. An API message becomes several records, one per content block. Nobody typed most records of type "user":
``base.messages`` has the table of injected texts. Memory: ``session``, ``cwd``, ``branch``, ``calls`` (calls without a
result), ``queued`` (words typed while the agent worked), ``uuids`` (the last ones, against replays), ``attaches`` (this version
stores queued words as attachments), ``shell`` (a person's own ``!`` command).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts.base import follow, jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import dicts, object_of, text_of

SKIPPED = (
    b'"type":"progress"',
    b'"type":"file-history-snapshot"',
    b'"type":"file-history-delta"',
    b'"type":"last-prompt"',
    b'"type":"permission-mode"',
    b'"type":"api-request',
)
"""Frequent records that say nothing we read: half of all lines in some versions."""

# fmt: off
IGNORED = frozenset((
    "progress", "file-history-snapshot", "file-history-delta", "last-prompt", "permission-mode", "mode", "summary",
    "ai-title", "custom-title", "pr-link", "frame-link", "bridge-session", "agent-name", "agent-color",
    "agent-setting", "tag", "worktree-state", "content-replacement", "result", "stream_event", "rate_limit_event",
    "saved_hook_context", "started",
    "api-request", "api-request-blob", "api-request-resumed", "api-request-shape", "artifact-autoreact-ledger",
    "artifact-comment-monitor", "atis-latch", "attribution-snapshot", "continued-in", "cost-state", "data-flow-incomplete",
    "data-flow-records", "derived-from", "dev-mods", "ended-by-model", "fork-context-ref", "history-suppression", "host-row",
    "hybrid-organization", "isolation-latch", "memory-mode", "observer-ref", "relocated", "repl-mode", "resume-head-vouch",
    "session-owner", "tools-used",
))

# fmt: on
"""Record types up to version 2.1.330: titles and states for the client alone, and pieces of its messages to the model."""

AGENT = "claude-code"

_MAX_QUEUED = 20

_NAMES = {"exit_plan_mode": "ExitPlanMode"}
"""The names of tools before summer 2025."""

_UNTYPED = (
    *("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"),
    *("sourceToolUseID", "sourceToolAssistantUUID", "toolUseResult"),
)
"""Fields of records that nobody typed."""

_REMEMBER = "user-memory-input"
"""The element of words that a person gave with ``#`` to be remembered."""

_REJECTED = "User rejected tool use"
"""The ``toolUseResult`` of a refusal without a reason; an error of a tool begins with "Error: "."""

_SHELL = "!"
"""The tool name of a command that a person ran with ``!``."""


def claims(path: Path, head: bytes) -> bool:
    """Return whether the head has the keys of this format."""
    if path.suffix != ".jsonl" or path.name in ("history.jsonl", "journal.jsonl"):
        return False
    head = head.replace(b'": ', b'":')  # rewritten by another program
    if head.startswith((b'{"parentUuid":', b'{"type":"file-history-snapshot"')):
        return True
    lines = head.split(b"\n", 20)
    return (
        any(b'"parentUuid":' in line and b'"sessionId":' in line for line in lines)
        or any(
            line.startswith(b'{"type":"') and b'"sessionId":' in line and b'"data":{' not in line and b'"payload":' not in line
            for line in lines
        )
        or (b'"type":"summary"' in lines[0] and b'"leafUuid":' in lines[0])
    )


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    return jsonl.read(path, start, turns_from_record, SKIPPED)


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one record."""
    kind = record.get("type")
    uuid = text_of(record.get("uuid"))
    if uuid != follow.REDACTED and messages.is_repeat(uuid, memory):
        return
    if kind in ("user", "assistant"):
        message = record.get("message")
        if isinstance(message, dict):
            _remember(record, memory)
            yield from (_user if kind == "user" else _assistant)(record, message, source, memory)
    elif kind == "attachment":
        _remember(record, memory)
        yield from _attachment(record, source, memory)
    elif kind == "queue-operation":
        yield from _queue(record, source, memory)
    elif kind == "system":
        if record.get("subtype") in ("compact_boundary", "microcompact_boundary"):
            yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.COMPACTION)
    elif kind not in IGNORED:
        unknown[str(kind)[:80]] += 1


def _remember(record: JSON, memory: JSON) -> None:
    for key, name in (("sessionId", "session"), ("cwd", "cwd"), ("gitBranch", "branch")):
        if (value := text_of(record.get(key))) not in ("", follow.REDACTED):
            memory[name] = value


def _turn(record: JSON, source: Source, memory: JSON, role: Role, text: str, at: float | None = None, **more: Any) -> Turn:
    session, entrypoint = record.get("sessionId"), record.get("entrypoint")
    return jsonl.turn(
        AGENT,
        source,
        memory,
        role,
        text,
        record=text_of(record.get("uuid")),
        session=str(session) if session and session != follow.REDACTED else "",
        at=messages.seconds(record.get("timestamp")) if at is None else at,
        sidechain=record.get("isSidechain") is True or _is_subagents(source.file),
        automated=isinstance(entrypoint, str) and entrypoint.startswith(("sdk", "claude-code-github-action")),
        **more,
    )


@lru_cache(maxsize=8)
def _is_subagents(file: str) -> bool:
    return file.replace("\\", "/").rpartition("/")[2].startswith("agent-")


# --- the agent --------------------------------------------------------------------------------------------------------


def _assistant(record: JSON, message: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    if record.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
        return
    _busy(memory)
    for block in dicts(message.get("content")):
        kind = block.get("type")
        if kind == "text":
            if (text := text_of(block.get("text"))).strip():
                yield _turn(record, source, memory, Role.ASSISTANT, text)
        elif kind in ("tool_use", "server_tool_use"):
            yield _call(record, block, source, memory)
        elif kind == "tool_result":
            yield from _result(record, block, source, memory)


def _call(record: JSON, block: JSON, source: Source, memory: JSON) -> Turn:
    arguments = object_of(block.get("input"))
    name = _NAMES.get(tool_name := text_of(block.get("name")), tool_name)
    command = text_of(arguments.get("command")) if name != "SlashCommand" else ""
    paths = tuple(
        path for key in ("file_path", "notebook_path", "path") if isinstance(path := arguments.get(key), str) and path
    )
    call = follow.new_call(text_of(block.get("id")), memory)
    about: JSON = {"tool": name, "call": call, "command": command, "paths": paths}
    if call:
        messages.keep_call(about, memory)
    return _turn(record, source, memory, Role.TOOL_CALL, messages.describe(arguments), **about)


# --- what is filed under "user" ---------------------------------------------------------------------------------------


def _user(record: JSON, message: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    blocks = messages.blocks(message.get("content"))
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        yield from _result(record, block, source, memory)
    texts = [text for block in blocks if block.get("type") == "text" and (text := text_of(block.get("text"))).strip()]
    if any(text.lstrip().startswith(messages.INTERRUPTED) for text in texts):
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION)
    elif reports := [report for text in texts for report in messages.reports(text)]:
        yield from _report_turns(record, reports, source, memory)
    elif results or any(record.get(flag) for flag in _UNTYPED) or _is_subagents(source.file):
        return
    elif _is_from_person(record):  # ``typed_text`` then judges the words
        yield from _text_turns(record, texts, source, memory)


def _is_from_person(record: JSON) -> bool:
    return object_of(record.get("origin")).get("kind") in (None, "human")


def _text_turns(record: JSON, texts: list[str], source: Source, memory: JSON) -> Iterator[Turn]:
    if any(text.startswith(("<bash-input>", "<bash-stdout>", "<bash-stderr>")) for text in texts):
        yield from _shell(record, "\n".join(texts), source, memory)
        return
    if record.get("planContent") or any(text.startswith(messages.PLAN) for text in texts):
        yield _turn(record, source, memory, Role.ASSISTANT, "\n\n".join(texts))
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.ANSWER, tool="ExitPlanMode", ok=True)
        return
    texts = [messages.between(text, _REMEMBER) if text.startswith(f"<{_REMEMBER}>") else text for text in texts]
    if texts and texts[0].lstrip().startswith(("<command-name>", "<command-message>")):
        texts = texts[:1]  # the rest is the command's body
    text = "\n\n".join(filter(None, map(messages.typed_command, texts)))
    if text:
        happening = Happening.QUEUED if _take_from_queue(text, memory) else None
        yield _turn(record, source, memory, Role.HUMAN, text, happening=happening)


def _report_turns(record: JSON, reports: list[str], source: Source, memory: JSON) -> Iterator[Turn]:
    """Yield the reports of background agents."""
    for report in reports:
        turn = _turn(record, source, memory, Role.ASSISTANT, report)
        yield replace(turn, sidechain=True)


def _shell(record: JSON, text: str, source: Source, memory: JSON) -> Iterator[Turn]:
    if command := messages.between(text, "bash-input"):
        memory["shell"] = messages.cap(command)
        yield _turn(record, source, memory, Role.TOOL_CALL, command, tool=_SHELL, command=command)
    if "<bash-stdout>" in text or "<bash-stderr>" in text:
        out = messages.output((messages.between(text, "bash-stdout") + "\n" + messages.between(text, "bash-stderr")).strip())
        command = memory.pop("shell", "")
        yield _turn(record, source, memory, Role.TOOL_RESULT, out, tool=_SHELL, command=command)


def _result(record: JSON, block: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    _busy(memory)
    call = follow.result_call(text_of(block.get("tool_use_id")), memory)
    about = messages.end_call(call, memory)
    name = about["tool"]
    text = messages.content_text(block.get("content"))
    failed = block.get("is_error") is True
    detail = object_of(record.get("toolUseResult"))
    reason = _refusal(record, name, text) if failed else None
    if reason is not None:
        is_question = name in ("AskUserQuestion", "ExitPlanMode")
        happening = Happening.ANSWER if is_question and reason else Happening.REFUSAL
        yield _turn(record, source, memory, Role.EVENT, reason, happening=happening, ok=False, **about)
    elif name == "AskUserQuestion" and isinstance(detail.get("answers"), dict) and not failed:
        for answer in detail["answers"].values():
            if text_of(answer).strip():
                yield _turn(record, source, memory, Role.EVENT, text_of(answer), happening=Happening.ANSWER, ok=True, **about)
    elif name == "ExitPlanMode" and not failed:
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.ANSWER, ok=True, **about)
    else:
        ok = not failed if not _is_noise(record, text, detail) else None
        yield _turn(record, source, memory, Role.TOOL_RESULT, messages.output(text), ok=ok, **about)
    if detail.get("userModified") is True:
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.USER_EDIT, **about)


def _refusal(record: JSON, name: str, text: str) -> str | None:
    """Why a person refused a call, ``''`` without a reason; ``None`` if the record doesn't say that a person did.

    Up to 2.1.20x a refusal with a reason is filed like an error that the tool has thrown: of tools that throw what others have
    written the words are nobody's there.
    """
    kind, detail, reason = record.get("toolDenialKind"), record.get("toolUseResult"), messages.refusal(text)
    if kind is not None:
        return (reason or "") if kind == "user-rejected" else None
    if detail == _REJECTED:
        return ""
    if detail != f"Error: {text}":
        return None
    return reason and ("" if _throws_others_words(record, name) else reason)


def _throws_others_words(record: JSON, name: str) -> bool:
    """Return whether a call's error may begin with the output of a server or (before 2.0) of a command."""
    return not name or name.startswith("mcp__") or (name == "Bash" and text_of(record.get("version")).startswith(("0.", "1.")))


def _is_noise(record: JSON, text: str, detail: JSON) -> bool:
    return bool(
        messages.is_noise(text) or record.get("toolDenialKind") or detail.get("interrupted") or detail.get("backgroundTaskId")
    )


# --- words typed while the agent works --------------------------------------------------------------------------------


def _attachment(record: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    memory["attaches"] = True
    attachment = record.get("attachment")
    if not isinstance(attachment, dict):
        return
    kind = attachment.get("type")
    if kind == "queued_command" and attachment.get("commandMode") == "task-notification":
        yield from _report_turns(record, messages.reports(text_of(attachment.get("prompt"))), source, memory)
    elif kind == "queued_command" and attachment.get("commandMode", "prompt") == "prompt":
        if not _is_from_person(attachment) or attachment.get("isMeta") or record.get("isMeta"):
            return
        prompt = attachment.get("prompt")
        text = prompt if isinstance(prompt, str) else "\n\n".join(text_of(part.get("text")) for part in dicts(prompt))
        text = messages.typed_text(text)
        if text and not text.startswith("/") and not record.get("isSidechain"):
            _take_from_queue(text, memory)
            yield _turn(record, source, memory, Role.HUMAN, text, happening=Happening.QUEUED)
    elif kind == "edited_text_file":
        # Its snippet is the file's text, whoever wrote it.
        paths = (text_of(attachment.get("filename")),)
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.USER_EDIT, paths=paths)


def _queue(record: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    """Keep words in ``queued`` until a user record or an attachment delivers them.

    Versions before 2.1.9x injected them without another record. There, "remove" is the delivery.
    """
    queued: list[list[Any]] = memory.setdefault("queued", [])
    operation = record.get("operation")
    content = record.get("content")
    if operation == "enqueue" and isinstance(content, str):
        text = messages.typed_text(content)
        if text and not text.startswith(("/", "!", "{")):
            queued.append([text, source.line, messages.seconds(record.get("timestamp")), False])
            del queued[:-_MAX_QUEUED]
    elif operation == "popAll":
        queued.clear()
    elif operation == "remove" and queued:
        mine = [item for item in queued if not isinstance(content, str) or item[0] == messages.typed_text(content)]
        if mine:
            queued.remove(mine[0])
            text, line, at, _ = mine[0]
            if not memory.get("attaches"):
                yield _turn(record, source, memory, Role.HUMAN, text, happening=Happening.QUEUED, line=line, at=at)


def _busy(memory: JSON) -> None:
    """The agent acted, so words that are still queued were typed meanwhile."""
    if queued := memory.get("queued"):
        memory["queued"] = [[text, line, at, True] for text, line, at, _ in queued]


def _take_from_queue(text: str, memory: JSON) -> bool:
    """Take these words from the queue; whether they were typed while the agent worked."""
    for item in memory.get("queued", ()):
        if item[0] == text:
            memory["queued"] = [other for other in memory["queued"] if other is not item]
            return bool(item[3])
    return False
