"""Qwen Code: ``~/.qwen/projects/<slug>/chats/<session>.jsonl``, append-only; before, as Gemini CLI in ``~/.qwen/tmp``.

A record is ``{uuid, parentUuid, sessionId, timestamp, type, subtype, cwd, gitBranch, message: {role, parts}}``; ``type`` is
user, assistant, tool_result or system. Calls stand as ``functionCall`` parts, results as ``functionResponse`` parts with what
became of them in ``toolCallResult.status``. The agent's source (packages/core, chatRecordingService) names the fields.
Memory: ``session``, ``cwd``, ``branch``, ``automated``, ``uuids`` (short hashes of the last), ``calls`` (without a
result).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from curator.hookspecs import NOTHING, Mark, Reading
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts import gemini, places
from curator.transcripts.base import discover, jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import dicts, text_of

AGENT = "qwen"

SKIPPED = (b'"subtype":"ui_telemetry"', b'"subtype":"file_history_snapshot"', b'"subtype":"attribution_snapshot"')
"""Frequent records that say nothing to a person."""

_UNTYPED = frozenset(("notification", "cron", "goal_runtime", "background_task_completed", "agent_retry"))
"""Kinds of "user" record that the agent makes itself."""

_TYPED_BY = frozenset(("", "real_user"))
_PROMPT = re.compile(rb'"message" ?: ?\{"role" ?: ?"(?:user|model)", ?"parts" ?:')
_MAX_UUIDS = 500
_MAX_CALLS = 200


class Qwen:
    """The format of Qwen Code."""

    agent = AGENT
    rewrites = True

    roots = staticmethod(places.qwen)

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING) -> Sequence[Path]:
        """Every chat under ``root``, of either format."""
        return gemini.find_chats(root, AGENT, self.claims, known)

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the head is that of a chat; one in Gemini CLI's format must lie in Qwen's folder."""
        return _is_chat(path, head) or (gemini.is_session(path, head) and gemini.is_qwen(path))

    def read(self, path: Path, start: Mark) -> Reading:
        """Read on from ``start``; raises ``OSError`` only."""
        if path.suffix == ".json" or gemini.is_session(path, discover.head(path)):
            return gemini.read(AGENT, path, start)
        return jsonl.read_on(path, start, absorb, SKIPPED)


def _is_chat(path: Path, head: bytes) -> bool:
    """Claude Code's records have the same keys at the top, but never a message of parts."""
    if path.suffix != ".jsonl" or b'"sessionId"' not in head:
        return False
    system = path.parent.name == "chats" and b'"systemPayload"' in head and b'"uuid"' in head
    return system or _PROMPT.search(head) is not None


def absorb(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """The turns of one record."""
    kind = record.get("type")
    if _is_repeat(record, memory):
        return
    for key, name in (("sessionId", "session"), ("cwd", "cwd"), ("gitBranch", "branch")):
        if text_of(record.get(key)):
            memory[name] = record[key]
    message = record.get("message")
    parts = dicts(message.get("parts")) if isinstance(message, dict) else []
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


def _is_repeat(record: JSON, memory: JSON) -> bool:
    uuid = text_of(record.get("uuid"))
    if not uuid:
        return False
    short = blake2b(uuid.encode("utf-8", "replace"), digest_size=5).hexdigest()
    uuids: list[str] = memory.setdefault("uuids", [])
    if short in uuids:
        return True
    uuids.append(short)
    del uuids[:-_MAX_UUIDS]
    return False


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
    payload = record.get("systemPayload")
    shown = text_of(payload.get("displayText")) if isinstance(payload, dict) else ""
    if text := messages.cap(gemini.typed_prompt(shown or _texts(parts)), messages.MAX_WORDS):
        # A subagent's prompt is written by the agent that started it.
        prompted = record.get("isSidechain") is True or subtype == "agent_launch_prompt"
        queued = Happening.QUEUED if subtype == "mid_turn_user_message" else None
        yield _turn(record, source, memory, Role.ASSISTANT if prompted else Role.HUMAN, text, happening=queued)


def _answer_turns(record: JSON, parts: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    if text := messages.cap(_texts(parts), messages.MAX_WORDS):
        yield _turn(record, source, memory, Role.ASSISTANT, text)
    for part in parts:
        call = part.get("functionCall")
        if isinstance(call, dict):
            arguments = call["args"] if isinstance(call.get("args"), dict) else {}
            about = messages.about(text_of(call.get("name")), text_of(call.get("id")), arguments)
            waiting: dict[str, list[Any]] = memory.setdefault("calls", {})
            waiting[about["call"]] = [about["tool"], messages.cap(about["command"]), list(about["paths"])]
            if len(waiting) > _MAX_CALLS:
                del waiting[next(iter(waiting))]
            yield _turn(record, source, memory, Role.TOOL_CALL, messages.describe(arguments), **about)


def _result(record: JSON, parts: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    result = record.get("toolCallResult")
    result = result if isinstance(result, dict) else {}
    answers = [part["functionResponse"] for part in parts if isinstance(part.get("functionResponse"), dict)]
    call = text_of(result.get("callId")) or next((text_of(answer.get("id")) for answer in answers), "")
    tool, command, paths = memory.get("calls", {}).pop(call, ("", "", ()))
    tool = tool or next((text_of(answer.get("name")) for answer in answers), "")
    about = _turn(record, source, memory, Role.EVENT, "", tool=tool, call=call, command=command, paths=tuple(paths))
    text, failed = gemini.response(parts)
    if not text and isinstance(result.get("resultDisplay"), str):
        text = result["resultDisplay"]
    status = text_of(result.get("status")) or ("error" if failed else "success")
    yield from gemini.result_turns(status, text, failed, memory, about)
    memory.pop("refused", None)
