"""Qwen Code: ``~/.qwen/projects/<slug>/chats/<session>.jsonl``, append-only.

A record is ``{uuid, parentUuid, sessionId, timestamp, type, subtype, cwd, gitBranch, message: {role, parts}}``. ``type`` is
user, assistant, tool_result or system. Calls are ``functionCall`` parts. Results are ``functionResponse`` parts, with their
status in ``toolCallResult.status``. The agent's source (packages/core, chatRecordingService) names the fields. Memory:
``session``, ``cwd``, ``branch``, ``automated``, ``uuids`` (short hashes of the last), ``calls`` (without a result).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening
from curator.transcripts import gemini
from curator.transcripts.base import jsonl, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "qwen"

SKIPPED = (b'"subtype":"ui_telemetry"', b'"subtype":"file_history_snapshot"', b'"subtype":"attribution_snapshot"')
"""Frequent records that say nothing to a person."""

_UNTYPED = frozenset(("notification", "cron", "goal_runtime", "background_task_completed", "agent_retry"))
"""Kinds of "user" record that the agent makes itself."""

_TYPED_BY = frozenset(("", "real_user"))
_PROMPT = re.compile(rb'"message" ?: ?\{"role" ?: ?"(?:user|model)", ?"parts" ?:')


def claims(path: Path, head: bytes) -> bool:
    """Return whether the head is that of a chat.

    Claude Code's records have the same keys at the top, but never a message of parts.
    """
    if path.suffix != ".jsonl" or b'"sessionId"' not in head:
        return False
    system = path.parent.name == "chats" and b'"systemPayload"' in head and b'"uuid"' in head
    return system or _PROMPT.search(head) is not None


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    return jsonl.read_on(AGENT, path, start, write_turns, SKIPPED)


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one record."""
    kind = record.get("type")
    if messages.is_repeat(text_of(record.get("uuid")), writer.memory):
        return
    for key, name in (("sessionId", "session"), ("cwd", "cwd"), ("gitBranch", "branch")):
        if text_of(record.get(key)):
            writer.memory[name] = record[key]
    writer.at, writer.record = messages.seconds(record.get("timestamp")), text_of(record.get("uuid"))
    writer.sidechain = record.get("isSidechain") is True
    parts = dicts(object_of(record.get("message")).get("parts"))
    if kind == "user":
        _prompt_turns(record, parts, writer)
    elif kind == "assistant":
        _answer_turns(parts, writer)
    elif kind == "tool_result":
        _result(record, parts, writer)
    elif kind == "system":
        if record.get("subtype") == "chat_compression":
            writer.event(Happening.COMPACTION)
        elif record.get("subtype") == "parent_session":
            writer.memory["automated"] = True


def _texts(parts: Sequence[JSON]) -> str:
    return "\n".join(text for part in parts if part.get("thought") is not True and (text := text_of(part.get("text")))).strip()


def _prompt_turns(record: JSON, parts: Sequence[JSON], writer: Writer) -> None:
    subtype = record.get("subtype")
    if subtype in _UNTYPED or record.get("provenance", "") not in _TYPED_BY:
        return
    shown = text_of(object_of(record.get("systemPayload")).get("displayText"))
    text = gemini.typed_prompt(shown or _texts(parts))
    if subtype == "agent_launch_prompt":
        writer.assistant(text)
    else:
        writer.human(text, happening=Happening.QUEUED if subtype == "mid_turn_user_message" else None)


def _answer_turns(parts: Sequence[JSON], writer: Writer) -> None:
    writer.assistant(_texts(parts))
    for part in parts:
        call = part.get("functionCall")
        if isinstance(call, dict):
            writer.call(call.get("name"), call.get("id"), object_of(call.get("args")))


def _result(record: JSON, parts: Sequence[JSON], writer: Writer) -> None:
    result = object_of(record.get("toolCallResult"))
    answers = [part["functionResponse"] for part in parts if isinstance(part.get("functionResponse"), dict)]
    call = text_of(result.get("callId")) or next((text_of(answer.get("id")) for answer in answers), "")
    about = writer.end_call(call, next((answer.get("name") for answer in answers), ""))
    text, failed = gemini.response(parts)
    if not text and isinstance(result.get("resultDisplay"), str):
        text = result["resultDisplay"]
    status = text_of(result.get("status")) or ("error" if failed else "success")
    gemini.result_turns(status, text, failed, about, writer)
    writer.memory.pop("refused", None)
