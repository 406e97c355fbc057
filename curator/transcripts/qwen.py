"""Qwen Code: ``~/.qwen/projects/<slug>/chats/<session>.jsonl``, append-only.

Earlier versions write as Gemini CLI, in ``~/.qwen/tmp``.

A record is ``{uuid, parentUuid, sessionId, timestamp, type, subtype, cwd, gitBranch, message: {role, parts}}``. ``type`` is
user, assistant, tool_result or system. Calls are ``functionCall`` parts. Results are ``functionResponse`` parts, with their
status in ``toolCallResult.status``. The agent's source (packages/core, chatRecordingService) names the fields. Memory:
``session``, ``cwd``, ``branch``, ``automated``, ``uuids`` (short hashes of the last), ``calls`` (without a result).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts import gemini
from curator.transcripts.base import discover, jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "qwen"

SKIPPED = (b'"subtype":"ui_telemetry"', b'"subtype":"file_history_snapshot"', b'"subtype":"attribution_snapshot"')
"""Frequent records that say nothing to a person."""

_UNTYPED = frozenset(("notification", "cron", "goal_runtime", "background_task_completed", "agent_retry"))
"""Kinds of "user" record that the agent makes itself."""

_TYPED_BY = frozenset(("", "real_user"))
_PROMPT = re.compile(rb'"message" ?: ?\{"role" ?: ?"(?:user|model)", ?"parts" ?:')


def claims(path: Path, head: bytes) -> bool:
    """Return whether the head is that of a chat; one in Gemini CLI's format must lie in Qwen's folder."""
    return _is_chat(path, head) or (gemini.is_session(path, head) and gemini.is_qwen(path))


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    if path.suffix == ".json" or gemini.is_session(path, discover.head(path)):
        return gemini.read(path, start, AGENT)
    return jsonl.read_on(path, start, turns_from_record, SKIPPED)


def _is_chat(path: Path, head: bytes) -> bool:
    """Claude Code's records have the same keys at the top, but never a message of parts."""
    if path.suffix != ".jsonl" or b'"sessionId"' not in head:
        return False
    system = path.parent.name == "chats" and b'"systemPayload"' in head and b'"uuid"' in head
    return system or _PROMPT.search(head) is not None


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one record."""
    kind = record.get("type")
    if messages.is_repeat(text_of(record.get("uuid")), memory):
        return
    for key, name in (("sessionId", "session"), ("cwd", "cwd"), ("gitBranch", "branch")):
        if text_of(record.get(key)):
            memory[name] = record[key]
    parts = dicts(object_of(record.get("message")).get("parts"))
    if kind == "user":
        yield from _prompt_turns(record, parts, source, memory)
    elif kind == "assistant":
        yield from _answer_turns(record, parts, source, memory)
    elif kind == "tool_result":
        yield from _result(record, parts, source, memory)
    elif kind == "system":
        if record.get("subtype") == "chat_compression":
            yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.COMPACTION)
        elif record.get("subtype") == "parent_session":
            memory["automated"] = True
    else:
        unknown[str(kind)[:80]] += 1


def _turn(record: JSON, source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    at, aside = messages.seconds(record.get("timestamp")), record.get("isSidechain") is True
    identity = text_of(record.get("uuid"))
    return jsonl.turn(AGENT, source, memory, role, text, record=identity, at=at, sidechain=aside, **more)


def _texts(parts: Sequence[JSON]) -> str:
    return "\n".join(text for part in parts if part.get("thought") is not True and (text := text_of(part.get("text")))).strip()


def _prompt_turns(record: JSON, parts: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    subtype = record.get("subtype")
    if subtype in _UNTYPED or record.get("provenance", "") not in _TYPED_BY:
        return
    shown = text_of(object_of(record.get("systemPayload")).get("displayText"))
    if text := gemini.typed_prompt(shown or _texts(parts)):
        queued = Happening.QUEUED if subtype == "mid_turn_user_message" else None
        role = Role.ASSISTANT if subtype == "agent_launch_prompt" else Role.HUMAN
        yield _turn(record, source, memory, role, text, happening=queued)


def _answer_turns(record: JSON, parts: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    if text := _texts(parts):
        yield _turn(record, source, memory, Role.ASSISTANT, text)
    for part in parts:
        call = part.get("functionCall")
        if isinstance(call, dict):
            call = messages.begin_call(call.get("name"), call.get("id"), object_of(call.get("args")), memory)
            yield _turn(record, source, memory, Role.TOOL_CALL, **call)


def _result(record: JSON, parts: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    result = object_of(record.get("toolCallResult"))
    answers = [part["functionResponse"] for part in parts if isinstance(part.get("functionResponse"), dict)]
    call = text_of(result.get("callId")) or next((text_of(answer.get("id")) for answer in answers), "")
    about = messages.end_call(call, memory)
    about["tool"] = about["tool"] or next((text_of(answer.get("name")) for answer in answers), "")
    text, failed = gemini.response(parts)
    if not text and isinstance(result.get("resultDisplay"), str):
        text = result["resultDisplay"]
    status = text_of(result.get("status")) or ("error" if failed else "success")
    event = _turn(record, source, memory, Role.EVENT, "", **about)
    yield from gemini.result_turns(status, text, failed, memory, event)
    memory.pop("refused", None)
