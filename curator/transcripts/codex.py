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
from hashlib import blake2b
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening
from curator.transcripts.base import discover, document, jsonl, messages
from curator.transcripts.base.jsonl import Writer
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
    """Continue from ``start``. Raises only ``OSError``."""
    return jsonl.read(AGENT, path, start, write_turns, SKIPPED)


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one record."""
    payload, kind = record.get("payload"), record.get("type")
    writer.at = messages.seconds(record.get("timestamp"))
    if not isinstance(payload, dict):
        if record.get("record_type"):
            return
        if kind is None and "id" in record:
            _session(record, writer.memory)
            writer.memory["old"] = True
            return
        _item(record, writer)
    elif kind == "session_meta":
        _session(payload, writer.memory)
    elif kind == "turn_context":
        _remember(payload, writer.memory)
    elif kind == "event_msg":
        _event(payload, writer)
    elif kind == "response_item":
        _item(payload, writer)
    elif kind == "compacted":
        _compaction_turns(writer)


def _compaction_turns(writer: Writer) -> None:
    """Write a compaction once, though newer versions log it twice. The old turns in ``replacement_history`` are not read."""
    if not writer.memory.get("compacted"):
        writer.memory["compacted"] = True
        writer.event(Happening.COMPACTION)


def _session(payload: JSON, memory: JSON) -> None:
    """Remember the first record as this session. A fork copies the records of its ancestors after its own."""
    if "session" in memory:
        return
    identity = text_of(payload.get("id") or payload.get("session_id"))
    memory["session"] = identity if identity != jsonl.REDACTED else ""
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


# --- events: what people said and did ---------------------------------------------------------------------------------


def _event(payload: JSON, writer: Writer) -> None:
    kind, item = payload.get("type"), object_of(payload.get("item"))
    if kind == "user_message" or item.get("type") == "UserMessage":  # a version without these has prompts among the items
        writer.memory["events"] = True
        writer.memory.pop("waiting", None)
    if kind == "user_message":
        if payload.get("kind") in (None, "plain"):
            _prompt(text_of(payload.get("message")), "message", writer)
    elif kind == "item_completed":
        if item.get("type") == "UserMessage":
            parts = [text_of(part.get("text")) for part in dicts(item.get("content")) if part.get("type") == "text"]
            _prompt("\n\n".join(filter(None, parts)), "item", writer)
    elif kind == "turn_aborted":
        if payload.get("reason") in (None, "interrupted"):
            writer.event(Happening.INTERRUPTION)
    elif kind == "context_compacted":
        _compaction_turns(writer)


def _prompt(message: str, form: str, writer: Writer) -> None:
    """Write a prompt, as a message (up to 0.16x) or as an item (since then). If a version logs both, the first one counts."""
    writer.memory.pop("compacted", None)
    hashed = blake2b(message.encode(errors="replace"), digest_size=8).hexdigest()
    before, writer.memory["prompt"] = writer.memory.get("prompt"), [form, hashed]
    if before and before[0] != form and before[1] == hashed:
        writer.memory.pop("prompt")
    elif message.startswith(_DELEGATED):
        writer.assistant(message)
    else:
        writer.human(_typed_text(message))


def _typed_text(text: str) -> str:
    """Return the words of a prompt without an editor's additions."""
    if _IDE_REQUEST in text:
        text = text.rpartition(_IDE_REQUEST)[2]
    return messages.typed_text(text)


# --- items: what the agent said and did -------------------------------------------------------------------------------


def _item(item: JSON, writer: Writer) -> None:
    kind = item.get("type")
    if kind == "message":
        _message(item, writer)
        return
    _waiting(writer)
    if kind in ("function_call", "custom_tool_call", "local_shell_call"):
        _call(item, writer)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        _result(item, writer)


def _message(item: JSON, writer: Writer) -> None:
    role = item.get("role")
    texts = [text_of(part.get("text")) for part in dicts(item.get("content")) if part.get("type") != "input_image"]
    if role == "assistant":
        _waiting(writer)
        writer.assistant("\n".join(texts).strip())
    elif role == "user" and not writer.memory.get("events"):
        for text in texts:
            if text.startswith("<environment_context>") and "<cwd>" in text:
                writer.memory["cwd"] = text.partition("<cwd>")[2].partition("</cwd>")[0].strip()
        text = "\n\n".join(filter(None, map(_typed_text, texts)))
        if writer.memory.get("old"):
            writer.human(text)
        elif text:
            waiting = [writer.line, writer.at, messages.cap(text, messages.MAX_WORDS)]
            writer.memory["waiting"] = [*writer.memory.get("waiting", ()), waiting]


def _waiting(writer: Writer) -> None:
    """Write a person's words: the agent answered and no event repeated them, so this file logs none."""
    for line, at, text in writer.memory.pop("waiting", ()):
        writer.human(text, line=line, at=at)


def _call(item: JSON, writer: Writer) -> None:
    name = text_of(item.get("name")) or "shell"
    arguments = document.parse_object(item.get("action") or item.get("arguments"))
    text = text_of(item.get("input")) or text_of(item.get("arguments"))
    command = _command(name, arguments, text)
    texts = text_of(item.get("input")), command, text_of(arguments.get("input"))
    patch = next((part for part in texts if _PATCH in part), "")
    if "\\n*** " in patch:  # inside a script's string
        patch = patch.replace("\\n", "\n")
    paths = _paths(patch, arguments)
    if name in ("write_stdin", "wait"):
        running = writer.memory.get("running", {})
        command = running.get(str(arguments.get("session_id") or arguments.get("cell_id")), "")
    about: JSON = {"tool": name, "call": _call_id(item), "command": command, "paths": paths}
    writer.begin_call(about, messages.cap(patch or command or text))


def _call_id(item: JSON) -> str:
    """Return the id of a call. The earliest versions give one only to the item."""
    return text_of(item.get("call_id")) or (text_of(item.get("id")) if item.get("type") == "local_shell_call" else "")


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
    found = messages.patched_files(patch) or [text_of(arguments.get("path", arguments.get("file_path")))]
    return tuple(dict.fromkeys(path.strip() for path in found if path))


def _result(item: JSON, writer: Writer) -> None:
    about = writer.end_call(_call_id(item))
    name, command = about["tool"], about["command"]
    text, ok = _outcome(item.get("output"))
    if ok is None and command and (process := _PROCESS.search(text[:400])):
        running = {**writer.memory.get("running", {}), process[1]: command}
        writer.memory["running"] = dict(list(running.items())[-_MAX_RUNNING:])
    if ok is None and text.startswith(_REJECTED):
        writer.event(Happening.REFUSAL, ok=False, **about)
        return
    answers = messages.answers(document.parse_object(text)) if name == "request_user_input" else []
    if not writer.answers(answers, **about):
        writer.result(text, ok=ok, **about)


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
