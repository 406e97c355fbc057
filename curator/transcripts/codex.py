"""Codex: ``$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl``, append-only, one record per line.

Codex compresses a file that is older than seven days to ``rollout-*.jsonl.zst``.

Since 0.32 a record is ``{timestamp, type, payload}``, and Codex logs every text twice. curator takes a person's words from
``event_msg/user_message``, or from ``event_msg/item_completed`` with an item ``UserMessage`` (seen in 0.169). It takes the
agent's words from ``response_item/message``. In files without any ``event_msg``, a person's words are in ``response_item``,
too. They wait in memory until the kind of file is clear. Up to 0.31 the items are top-level records.

Memory: ``session``, ``cwd``, ``branch``, ``automated``, ``sidechain``, ``calls`` (calls without a result), ``events`` (this
file logs events), ``waiting`` (words of a response item that an event may repeat), ``running`` (commands by process),
``compacted`` (known since the last prompt), ``prompt`` (form and hash of the last one).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts.base import discover, document, follow, jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "codex"

SKIPPED = (
    b'"type":"token_count"',
    b'"type":"reasoning"',
    b'"type":"agent_reasoning"',
    b'"type":"agent_message","message"',
    b'"type":"exec_command_end"',
    b'"type":"world_state"',
    b'"type":"ghost_snapshot"',
)
"""Frequent records that say nothing we don't read elsewhere."""

# fmt: off
IGNORED_EVENTS = frozenset((
    "token_count", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
    "exec_command_begin", "exec_command_end", "exec_command_output_delta", "task_started", "task_complete",
    "patch_apply_begin", "patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin",
    "web_search_end", "thread_rolled_back", "thread_settings_applied", "thread_name_updated",
    "item_started", "entered_review_mode", "exited_review_mode", "sub_agent_activity", "dynamic_tool_call_request",
    "dynamic_tool_call_response", "plan_update", "turn_diff", "background_event", "stream_error", "error", "warning",
    "session_configured", "view_image_tool_call", "collab_agent_spawn_end", "collab_waiting_end",
))
IGNORED_ITEMS = frozenset((
    "reasoning", "ghost_snapshot", "web_search_call", "tool_search_call", "tool_search_output", "agent_message",
    "image_generation_call", "compaction", "context_compaction", "other",
))
IGNORED = frozenset((
    "world_state", "token_usage_record", "inter_agent_communication", "inter_agent_communication_metadata", "state",
))
# fmt: on

_IDE_REQUEST = "## My request for Codex:"
_DELEGATED = "<codex_delegation>"
"""The prompt of a thread that another thread's agent opened. A person may take it over."""
_MAX_RUNNING = 50
_EXIT = re.compile(r"(?:^|\n)(?:Process exited with code|Exit code:|exited with code) (-?\d+)")
_EXIT_KEY = re.compile(r'"exit_code" ?: ?(-?\d+)')
_PROCESS = re.compile(r"(?:session ID|cell ID|session_id) (\w+)")
_PATCH = "*** Begin Patch"
_SCRIPTED = re.compile(r'"?\b(?:cmd|command)"?\s*:\s*("(?:[^"\\]|\\.)*")')
_FAILED = ("failed in sandbox", "apply_patch verification failed", "error: Failed to find", "Failed to find expected lines")
_REJECTED = ("exec command rejected by user", "rejected by user", "patch rejected by user", "aborted by user")


def claims(path: Path, head: bytes) -> bool:
    """Return whether the first record is a session's, in the current schema or the one up to 0.31."""
    first = head.lstrip()[:2000]
    if path.suffix == discover.COMPRESSED:  # by its name, so that a damaged one is said
        return path.name.startswith("rollout-") and path.name.endswith(".jsonl.zst")
    if path.suffix != ".jsonl":
        return False
    if b'"payload"' in first and (b'"session_meta"' in first or b'"response_item"' in first or b'"event_msg"' in first):
        return True
    return path.name.startswith("rollout-") and (b'"record_type"' in head or b'"instructions"' in first)


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    return jsonl.read(path, start, turns_from_record, SKIPPED)


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one record."""
    payload = record.get("payload")
    kind = record.get("type")
    if not isinstance(payload, dict):
        if record.get("record_type") or kind in IGNORED:
            return
        if kind is None and "id" in record:
            _session(record, memory)
            memory["old"] = True
            return
        yield from _item(record, record, source, memory, unknown)
    elif kind == "session_meta":
        _session(payload, memory)
    elif kind == "turn_context":
        _remember(payload, memory)
    elif kind == "event_msg":
        yield from _event(record, payload, source, memory, unknown)
    elif kind == "response_item":
        yield from _item(record, payload, source, memory, unknown)
    elif kind == "compacted":
        yield from _compaction_turns(record, source, memory)
    elif kind not in IGNORED:
        unknown[str(kind)[:80]] += 1


def _compaction_turns(record: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    """Newer versions say it twice; ``replacement_history`` repeats old turns and is not read."""
    if not memory.get("compacted"):
        memory["compacted"] = True
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.COMPACTION)


def _session(payload: JSON, memory: JSON) -> None:
    """The first one is this session; a fork copies those of its ancestors behind it."""
    if "session" in memory:
        return
    identity = text_of(payload.get("id") or payload.get("session_id"))
    memory["session"] = identity if identity != follow.REDACTED else ""
    _remember(payload, memory)
    if branch := text_of(object_of(payload.get("git")).get("branch")):
        memory["branch"] = branch
    source = payload.get("source")
    # ``thread_source: subagent`` alone also marks threads that a person took over in the desktop app.
    memory["sidechain"] = isinstance(source, dict)
    memory["automated"] = source == "exec" or payload.get("originator") in ("codex_exec", "codex_sdk_ts")


def _remember(payload: JSON, memory: JSON) -> None:
    if text_of(payload.get("cwd")):
        memory["cwd"] = payload["cwd"]


def _turn(record: JSON, source: Source, memory: JSON, role: Role, text: str, at: float | None = None, **more: Any) -> Turn:
    at = messages.seconds(record.get("timestamp")) if at is None else at
    return jsonl.turn(AGENT, source, memory, role, text, at=at, **more)


# --- events: what people said and did ---------------------------------------------------------------------------------


def _event(record: JSON, payload: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    kind, item = payload.get("type"), object_of(payload.get("item"))
    if kind == "user_message" or item.get("type") == "UserMessage":  # a version without these has prompts among the items
        memory["events"] = True
        memory.pop("waiting", None)
    if kind == "user_message":
        if payload.get("kind") in (None, "plain"):
            yield from _prompt(record, text_of(payload.get("message")), "message", source, memory)
    elif kind == "item_completed":
        if item.get("type") == "UserMessage":
            parts = [text_of(part.get("text")) for part in dicts(item.get("content")) if part.get("type") == "text"]
            yield from _prompt(record, "\n\n".join(filter(None, parts)), "item", source, memory)
    elif kind == "turn_aborted":
        if payload.get("reason") in (None, "interrupted"):
            yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION)
    elif kind == "context_compacted":
        yield from _compaction_turns(record, source, memory)
    elif kind not in IGNORED_EVENTS:
        unknown[f"event_msg/{kind}"[:80]] += 1


def _prompt(record: JSON, message: str, form: str, source: Source, memory: JSON) -> Iterator[Turn]:
    """Yield a prompt, as a message (up to 0.16x) or as an item (since then); where a version logs both, the first one
    counts.
    """
    memory.pop("compacted", None)
    hashed = blake2b(message.encode(errors="replace"), digest_size=8).hexdigest()
    before, memory["prompt"] = memory.get("prompt"), [form, hashed]
    if before and before[0] != form and before[1] == hashed:
        memory.pop("prompt")
    elif message.startswith(_DELEGATED):
        yield _turn(record, source, memory, Role.ASSISTANT, message)
    elif text := _typed_text(message):
        yield _turn(record, source, memory, Role.HUMAN, text)


def _typed_text(text: str) -> str:
    """Return the words of a prompt without an editor's additions."""
    if _IDE_REQUEST in text:
        text = text.rpartition(_IDE_REQUEST)[2]
    return messages.typed_text(text)


# --- items: what the agent said and did -------------------------------------------------------------------------------


def _item(record: JSON, item: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    kind = item.get("type")
    if kind == "message":
        yield from _message(record, item, source, memory)
        return
    yield from _waiting(record, source, memory)
    if kind in ("function_call", "custom_tool_call", "local_shell_call"):
        yield _call(record, item, source, memory)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield from _result(record, item, source, memory)
    elif kind not in IGNORED_ITEMS:
        unknown[f"response_item/{kind}"[:80]] += 1


def _message(record: JSON, item: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    role = item.get("role")
    texts = [text_of(part.get("text")) for part in dicts(item.get("content")) if part.get("type") != "input_image"]
    if role == "assistant":
        yield from _waiting(record, source, memory)
        if text := "\n".join(texts).strip():
            yield _turn(record, source, memory, Role.ASSISTANT, text)
    elif role == "user" and not memory.get("events"):
        for text in texts:
            if text.startswith("<environment_context>") and "<cwd>" in text:
                memory["cwd"] = text.partition("<cwd>")[2].partition("</cwd>")[0].strip()
        text = "\n\n".join(filter(None, map(_typed_text, texts)))
        if text and memory.get("old"):
            yield _turn(record, source, memory, Role.HUMAN, text)
        elif text:
            text = messages.cap(text, messages.MAX_WORDS)
            memory["waiting"] = [*memory.get("waiting", ()), [source.line, messages.seconds(record.get("timestamp")), text]]


def _waiting(record: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    """Yield the agent answered and no event repeated these words: this file logs none."""
    for line, at, text in memory.pop("waiting", ()):
        yield _turn(record, source, memory, Role.HUMAN, text, line=line, at=at)


def _call(record: JSON, item: JSON, source: Source, memory: JSON) -> Turn:
    name = text_of(item.get("name")) or "shell"
    arguments = _arguments(item)
    text = text_of(item.get("input")) or text_of(item.get("arguments"))
    command = _command(name, arguments, text)
    patch = next(
        (part for part in (text_of(item.get("input")), command, text_of(arguments.get("input"))) if _PATCH in part), ""
    )
    if "\\n*** " in patch:  # inside a script's string
        patch = patch.replace("\\n", "\n")
    paths = _paths(patch, arguments)
    call = follow.new_call(_call_id(item), memory)
    if name in ("write_stdin", "wait"):
        running = memory.get("running", {})
        command = running.get(str(arguments.get("session_id") or arguments.get("cell_id")), "")
    about: JSON = {"tool": name, "call": call, "command": command, "paths": paths}
    if call:
        messages.keep_call(about, memory)
    content = messages.cap(patch if patch else command or text)
    return _turn(record, source, memory, Role.TOOL_CALL, content, **about)


def _call_id(item: JSON) -> str:
    """Return the id of a call; the earliest versions give one only to the item."""
    return text_of(item.get("call_id")) or (text_of(item.get("id")) if item.get("type") == "local_shell_call" else "")


def _arguments(item: JSON) -> JSON:
    return document.parse_object(item.get("action") or item.get("arguments"))


def _command(name: str, arguments: JSON, text: str) -> str:
    """Return the shell command: a list after ``bash -lc``, a string, ``cmd``, or a part of a script."""
    command = arguments.get("command", arguments.get("cmd", ""))
    if isinstance(command, list):
        parts = [part for part in command if isinstance(part, str)]
        shell = len(parts) == 3 and parts[1] in ("-lc", "-c", "-ilc", "-Command")
        return parts[2] if shell else " ".join(parts)
    if isinstance(command, str) and command:
        return command
    if name == "exec" and (found := _SCRIPTED.search(text)):
        try:
            return str(json.loads(found[1]))
        except ValueError:
            return ""
    return ""


def _paths(patch: str, arguments: JSON) -> tuple[str, ...]:
    found = messages.patched_files(patch)
    if not found and isinstance(path := arguments.get("path", arguments.get("file_path")), str) and path:
        found = [path]
    return tuple(dict.fromkeys(path.strip() for path in found))


def _result(record: JSON, item: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    about = messages.end_call(follow.result_call(_call_id(item), memory), memory)
    name, command = about["tool"], about["command"]
    text, ok = _outcome(item.get("output"))
    if ok is None and command and (process := _PROCESS.search(text[:400])):
        running = {**memory.get("running", {}), process[1]: command}
        memory["running"] = dict(list(running.items())[-_MAX_RUNNING:])
    if ok is None and text.startswith(_REJECTED):
        yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.REFUSAL, ok=False, **about)
        return
    answers = _answers(text) if name == "request_user_input" else []
    for answer in answers:
        yield _turn(record, source, memory, Role.EVENT, answer, happening=Happening.ANSWER, ok=True, **about)
    if not answers:
        yield _turn(record, source, memory, Role.TOOL_RESULT, messages.output(text), ok=ok, **about)


def _outcome(output: Any) -> tuple[str, bool | None]:
    """Return the text of a result and whether it reports success, in any of the shapes that versions have used."""
    if isinstance(output, dict):
        ok = output.get("success")
        return text_of(output.get("content")), ok if isinstance(ok, bool) else None
    if isinstance(output, list):
        output = "\n".join(text_of(part.get("text")) for part in dicts(output))
        if (found := _EXIT_KEY.findall(output[:2000])) and output.startswith("Script completed"):
            return output, all(code == "0" for code in found)
        return output, False if output.startswith("Script failed") else None
    text = text_of(output)
    if text.startswith("{"):
        whole = document.parse_object(text)
        if isinstance(whole.get("metadata"), dict):
            code = whole["metadata"].get("exit_code")
            return text_of(whole.get("output")), code == 0 if isinstance(code, int) else None
    if text.startswith(_FAILED):
        return text, False
    found_code = _EXIT.search(text[:2000].partition("\nOutput:")[0])
    return text, found_code[1] == "0" if found_code else None


def _answers(text: str) -> list[str]:
    try:
        answers = json.loads(text)["answers"].values()
        return [words for answer in answers for words in answer["answers"] if isinstance(words, str) and words]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []
