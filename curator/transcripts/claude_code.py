"""Claude Code: ``~/.claude/projects/<slug>/<session>.jsonl``, append-only, one record per line.

Subagents write ``agent-<id>.jsonl`` beside it (2025) or in ``<session>/subagents``. Before that they wrote into the session
itself. An API message becomes several records, one per content block. Nobody typed most records of type "user":
``base.messages`` has the table of injected texts. Memory: ``session``, ``cwd``, ``branch``, ``calls`` (calls without a
result), ``queued`` (words typed while the agent worked), ``uuids`` (the last ones, against replays), ``attaches`` (this version
stores queued words as attachments), ``shell`` (a person's own ``!`` command).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role
from curator.transcripts.base import jsonl, messages
from curator.transcripts.base.jsonl import Writer
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

AGENT = "claude-code"

_MAX_QUEUED = 20

_NAMES = {"exit_plan_mode": "ExitPlanMode"}
"""The names of tools before summer 2025."""

_UNTYPED = (
    *("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"),
    *("sourceToolUseID", "sourceToolAssistantUUID", "toolUseResult"),
)
"""Fields of records that a person did not type."""

_REMEMBER = "user-memory-input"
"""The element of words that a person gave with ``#`` to be remembered."""

_REJECTED = "User rejected tool use"
"""The ``toolUseResult`` of a refusal without a reason. An error of a tool begins with "Error: "."""

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
    """Continue from ``start``. Raises only ``OSError``."""
    return jsonl.read(AGENT, path, start, write_turns, SKIPPED)


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one record."""
    kind, uuid, entrypoint = record.get("type"), text_of(record.get("uuid")), text_of(record.get("entrypoint"))
    if uuid != jsonl.REDACTED and messages.is_repeat(uuid, writer.memory):
        return
    session = text_of(record.get("sessionId"))
    writer.session = session if session != jsonl.REDACTED else ""
    writer.record, writer.at = uuid, messages.seconds(record.get("timestamp"))
    writer.sidechain = record.get("isSidechain") is True or _is_subagents(writer.file)
    writer.automated = entrypoint.startswith(("sdk", "claude-code-github-action"))
    message = record.get("message")
    if kind in ("user", "assistant") and isinstance(message, dict):
        _remember(record, writer.memory)
        (_user if kind == "user" else _assistant)(record, message, writer)
    elif kind == "attachment":
        _remember(record, writer.memory)
        _attachment(record, writer)
    elif kind == "queue-operation":
        _queue(record, writer)
    elif kind == "system" and record.get("subtype") in ("compact_boundary", "microcompact_boundary"):
        writer.event(Happening.COMPACTION)


def _remember(record: JSON, memory: JSON) -> None:
    for key, name in (("sessionId", "session"), ("cwd", "cwd"), ("gitBranch", "branch")):
        if (value := text_of(record.get(key))) not in ("", jsonl.REDACTED):
            memory[name] = value


def _is_subagents(file: str) -> bool:
    return file.replace("\\", "/").rpartition("/")[2].startswith("agent-")


# --- the agent --------------------------------------------------------------------------------------------------------


def _assistant(record: JSON, message: JSON, writer: Writer) -> None:
    if record.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
        return
    _busy(writer.memory)
    for block in dicts(message.get("content")):
        kind = block.get("type")
        if kind == "text":
            writer.assistant(text_of(block.get("text")))
        elif kind in ("tool_use", "server_tool_use"):
            _call(block, writer)
        elif kind == "tool_result":
            _result(record, block, writer)


def _call(block: JSON, writer: Writer) -> None:
    arguments = object_of(block.get("input"))
    name = text_of(block.get("name"))
    command = text_of(arguments.get("command")) if name != "SlashCommand" else ""
    paths = tuple(path for key in ("file_path", "notebook_path", "path") if (path := text_of(arguments.get(key))))
    writer.call(_NAMES.get(name, name), block.get("id"), arguments, command=command, paths=paths)


# --- what is filed under "user" ---------------------------------------------------------------------------------------


def _user(record: JSON, message: JSON, writer: Writer) -> None:
    blocks = messages.blocks(message.get("content"))
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        _result(record, block, writer)
    texts = [text for block in blocks if block.get("type") == "text" and (text := text_of(block.get("text"))).strip()]
    if any(text.lstrip().startswith(messages.INTERRUPTED) for text in texts):
        writer.event(Happening.INTERRUPTION)
    elif reports := [report for text in texts for report in messages.reports(text)]:
        _report_turns(reports, writer)
    elif results or any(record.get(flag) for flag in _UNTYPED) or _is_subagents(writer.file):
        return
    elif _is_from_person(record):  # ``typed_text`` then judges the words
        _text_turns(record, texts, writer)


def _is_from_person(record: JSON) -> bool:
    return object_of(record.get("origin")).get("kind") in (None, "human")


def _text_turns(record: JSON, texts: list[str], writer: Writer) -> None:
    if any(text.startswith(("<bash-input>", "<bash-stdout>", "<bash-stderr>")) for text in texts):
        _shell("\n".join(texts), writer)
        return
    if record.get("planContent") or any(text.startswith(messages.PLAN) for text in texts):
        writer.assistant("\n\n".join(texts))
        writer.event(Happening.ANSWER, tool="ExitPlanMode", ok=True)
        return
    texts = [messages.between(text, _REMEMBER) if text.startswith(f"<{_REMEMBER}>") else text for text in texts]
    if texts and texts[0].lstrip().startswith(("<command-name>", "<command-message>")):
        texts = texts[:1]  # the rest is the command's body
    text = "\n\n".join(filter(None, map(messages.typed_command, texts)))
    if text:
        happening = Happening.QUEUED if _take_from_queue(text, writer.memory) else None
        writer.human(text, happening=happening)


def _report_turns(reports: list[str], writer: Writer) -> None:
    """Write the reports of background agents."""
    for report in reports:
        writer.assistant(report, sidechain=True)


def _shell(text: str, writer: Writer) -> None:
    if command := messages.between(text, "bash-input"):
        writer.memory["shell"] = messages.cap(command)
        writer.turn(Role.TOOL_CALL, command, tool=_SHELL, command=command)
    if "<bash-stdout>" in text or "<bash-stderr>" in text:
        out = (messages.between(text, "bash-stdout") + "\n" + messages.between(text, "bash-stderr")).strip()
        writer.result(out, tool=_SHELL, command=writer.memory.pop("shell", ""))


def _result(record: JSON, block: JSON, writer: Writer) -> None:
    _busy(writer.memory)
    about = writer.end_call(block.get("tool_use_id"))
    name = about["tool"]
    text = messages.content_text(block.get("content"))
    failed = block.get("is_error") is True
    detail = object_of(record.get("toolUseResult"))
    reason = _refusal(record, name, text) if failed else None
    if reason is not None:
        is_question = name in ("AskUserQuestion", "ExitPlanMode")
        happening = Happening.ANSWER if is_question and reason else Happening.REFUSAL
        writer.event(happening, reason, ok=False, **about)
    elif name == "AskUserQuestion" and isinstance(detail.get("answers"), dict) and not failed:
        writer.answers(messages.answers(detail), **about)
    elif name == "ExitPlanMode" and not failed:
        writer.event(Happening.ANSWER, ok=True, **about)
    else:
        ok = not failed if not _is_noise(record, text, detail) else None
        writer.result(text, ok=ok, **about)
    if detail.get("userModified") is True:
        writer.event(Happening.USER_EDIT, **about)


def _refusal(record: JSON, name: str, text: str) -> str | None:
    """Return a person's reason for refusing a call, ``''`` without one. Return ``None`` if the record names no refusing person.

    Up to 2.1.20x, a refusal with a reason looks like an error of the tool. Some tools fail with words that other people
    wrote. For such a tool, the reason is empty.
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


def _attachment(record: JSON, writer: Writer) -> None:
    writer.memory["attaches"] = True
    attachment = record.get("attachment")
    if not isinstance(attachment, dict):
        return
    kind = attachment.get("type")
    if kind == "queued_command" and attachment.get("commandMode") == "task-notification":
        _report_turns(messages.reports(text_of(attachment.get("prompt"))), writer)
    elif kind == "queued_command" and attachment.get("commandMode", "prompt") == "prompt":
        if not _is_from_person(attachment) or attachment.get("isMeta") or record.get("isMeta"):
            return
        prompt = attachment.get("prompt")
        text = prompt if isinstance(prompt, str) else "\n\n".join(text_of(part.get("text")) for part in dicts(prompt))
        text = messages.typed_text(text)
        if text and not text.startswith("/") and not record.get("isSidechain"):
            _take_from_queue(text, writer.memory)
            writer.human(text, happening=Happening.QUEUED)
    elif kind == "edited_text_file":
        # Its snippet is the file's text, whoever wrote that.
        writer.event(Happening.USER_EDIT, paths=(text_of(attachment.get("filename")),))


def _queue(record: JSON, writer: Writer) -> None:
    """Keep words in ``queued`` until a user record or an attachment delivers them.

    Versions before 2.1.9x injected them without another record. There, "remove" is the delivery.
    """
    queued: list[list[Any]] = writer.memory.setdefault("queued", [])
    operation = record.get("operation")
    content = record.get("content")
    if operation == "enqueue" and isinstance(content, str):
        text = messages.typed_text(content)
        if text and not text.startswith(("/", "!", "{")):
            queued.append([text, writer.line, messages.seconds(record.get("timestamp")), False])
            del queued[:-_MAX_QUEUED]
    elif operation == "popAll":
        queued.clear()
    elif operation == "remove" and queued:
        mine = [item for item in queued if not isinstance(content, str) or item[0] == messages.typed_text(content)]
        if mine:
            queued.remove(mine[0])
            text, line, at, _ = mine[0]
            if not writer.memory.get("attaches"):
                writer.human(text, happening=Happening.QUEUED, line=line, at=at)


def _busy(memory: JSON) -> None:
    """Mark that the agent acted. Words that are still queued were therefore typed while it worked."""
    if queued := memory.get("queued"):
        memory["queued"] = [[text, line, at, True] for text, line, at, _ in queued]


def _take_from_queue(text: str, memory: JSON) -> bool:
    """Take these words from the queue. Return whether they were typed while the agent worked."""
    for item in memory.get("queued", ()):
        if item[0] == text:
            memory["queued"] = [other for other in memory["queued"] if other is not item]
            return bool(item[3])
    return False
