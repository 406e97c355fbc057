"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, before 0.40 `session-*.json`, and every prompt in
`logs.json`.

The agent writes a message again, with the same id, each time it grows: first its text, then with its tool calls. Each
addition gives turns. The place of a text is the last record that holds it. ``$set`` changes the session, with ``messages``
after a compaction. ``.project_root`` beside the chats names the project's folder. Older versions have only its SHA-256, which
curator compares with the paths in the session. The agent's source (packages/core, chatRecordingTypes) names the fields.
Memory: ``session``, ``cwd``, ``hash`` (of the project), ``tried`` (paths hashed), ``sidechain``, ``said`` (by id: hash of the
text, and how far curator has read each call), ``refused`` (a person has just refused a call).

An entry of ``logs.json`` is ``{sessionId, messageId, type, message, timestamp}``. Versions without chats left nothing else. A
prompt whose session has a chat gives no turn here.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts.base import discover, document, jsonl, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "gemini"
NAME = "logs.json"

_BEGINNING = re.compile(rb'\s*\[\s*\{\s*"sessionId"\s*:\s*"[^"]*"\s*,\s*"messageId"\s*:')


def is_log(path: Path, head: bytes) -> bool:
    """Return whether a file is a project's log of prompts."""
    return path.name == NAME and _BEGINNING.match(head) is not None


def read_logs(path: Path, start: Mark, folder: str) -> Reading:
    """Return the prompts of sessions without a chat. Raises ``OSError``."""
    chats = tuple(chat.name for chat in (path.parent / "chats").glob("session-*"))

    def has_chat(entry: Any) -> bool:
        session = text_of(object_of(entry).get("sessionId"))
        return any(session[:8] in chat for chat in chats)

    def unfold(entries: Any, memory: JSON) -> Sequence[Any]:
        return [None if has_chat(entry) else entry for entry in entries] if isinstance(entries, list) else []

    def write_turns(entry: JSON, writer: Writer) -> None:
        writer.session, writer.cwd = text_of(entry.get("sessionId")), folder
        writer.at = messages.seconds(entry.get("timestamp"))
        if entry.get("type") == "user":
            writer.human(typed_prompt(text_of(entry.get("message"))))

    return document.read(AGENT, path, start, unfold, write_turns)


SKIPPED = (b'{"$set":{"lastUpdated":',)
"""Every second record has only the time."""

AT_ONCE = 0.5
"""Seconds from a session's start. A session that is run with ``-p`` has its prompt after some hundredths."""

REFERENCED = "--- Content from referenced files ---"
"""The line before the text that the agent puts in for each @file of a prompt."""

_SPEAKS = frozenset(("gemini", "model"))
_QUIET = frozenset(("info", "warning", "error"))
_DONE = frozenset(("success", "error", "cancelled"))
_CANCELLED = "Request cancelled."
_ASKING = ("ask_user", "ask_user_question")
_DENIED = ("User denied", "User did not allow")
_FEEDBACK = "Plan rejected. User feedback: "
_COMMAND = re.compile(r"[/?][A-Za-z][\w:-]*(?=\s|$)")
_FOLDERS = re.compile(r"(?:/|[A-Za-z]:[\\/])[^\n\"'<>|*?]+")
_EXIT = re.compile(r"(?:^|\n)Exit Code: (-?\d+|\(none\))")
_HEAD = 300
_SENTENCE = 3
"""Minimum words of a sentence. Fewer words after a slash command are its options."""
_MAX_PROGRESS = 30
_MAX_TRIED = 300
_MAX_ROOT = 64 * 1024


def claims(path: Path, head: bytes) -> bool:
    """Return whether the head is that of a session, or of a project's log of prompts."""
    first = head[:2000]
    begins = first.lstrip().startswith(b"{") and b'"sessionId"' in first and b'"projectHash"' in first
    return is_log(path, head) or (path.suffix in (".json", ".jsonl") and begins)


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    if path.name == NAME:
        return read_logs(path, start, root_of(path))
    last: dict[str, int] = {}
    folder = text_of(start.memory.get("cwd"))

    def write_turns(record: JSON, writer: Writer) -> None:
        nonlocal folder
        if isinstance(record.get("id"), str):
            last[record["id"]] = writer.line
        record_turns(record, writer)
        folder = writer.memory.get("cwd", "")

    if path.suffix == ".json":
        reading = document.read(AGENT, path, start, _unfold, write_turns)
    else:
        reading = jsonl.read_on(AGENT, path, start, write_turns, SKIPPED)
    return _settle(reading, last, folder or root_of(path))


def _unfold(whole: Any, memory: JSON) -> Sequence[Any]:
    if not isinstance(whole, dict):
        return ()
    _session(whole, memory)
    return dicts(whole.get("messages"))


def _settle(reading: Reading, last: Mapping[str, int], folder: str) -> Reading:
    """Return the turns with each text once, at its last place, and with the folder, which may appear late."""
    final = {(turn.locator.record, turn.role): index for index, turn in enumerate(reading.turns) if _grows(turn)}
    turns = []
    lost_before = lost_behind = 0
    for index, turn in enumerate(reading.turns):
        if _grows(turn) and final[turn.locator.record, turn.role] != index:
            lost_before += index < (reading.old_turns or 0)
            lost_behind += index >= len(reading.turns) - reading.behind
            continue
        line = last.get(turn.locator.record, turn.locator.line) if _grows(turn) else turn.locator.line
        locator = turn.locator if line == turn.locator.line else replace(turn.locator, line=line, line_end=line)
        if (turn.locator, turn.cwd) != (locator, turn.cwd or folder):
            turn = replace(turn, locator=locator, cwd=turn.cwd or folder)
        turns.append(turn)
    old_turns = None if reading.old_turns is None else reading.old_turns - lost_before
    return replace(reading, turns=tuple(turns), old_turns=old_turns, behind=reading.behind - lost_behind)


def _grows(turn: Turn) -> bool:
    return turn.role in (Role.HUMAN, Role.ASSISTANT) and bool(turn.locator.record)


# --- records ----------------------------------------------------------------------------------------------------------


def record_turns(record: JSON, writer: Writer) -> None:
    """Write the turns that one record adds."""
    kind = record.get("type")
    writer.at, writer.record = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    if kind == "user":
        _prompt_turns(record, writer)
    elif kind in _SPEAKS:
        _answer_turns(record, writer)
    elif kind in _QUIET:
        _notice(record, writer)
    elif "$set" in record:
        _patch_turns(record, writer)
    elif "sessionId" in record and "projectHash" in record:
        _session(record, writer.memory)


def _session(record: JSON, memory: JSON) -> None:
    for key, name in (("sessionId", "session"), ("projectHash", "hash")):
        if text_of(record.get(key)):
            memory[name] = record[key]
    if record.get("kind") == "subagent":
        memory["sidechain"] = True
    if (started := messages.seconds(record.get("startTime"))) is not None:
        memory["started"] = started
    for folder in record["directories"] if isinstance(record.get("directories"), list) else ():
        _place(text_of(folder), memory)


def _patch_turns(record: JSON, writer: Writer) -> None:
    patch = record["$set"]
    if not isinstance(patch, dict):
        return
    _session(patch, writer.memory)
    for message in dicts(patch.get("messages")):
        identity = text_of(message.get("id"))
        if identity not in writer.memory.get("said", {}) and "<state_snapshot>" in _content(message.get("content"))[:2000]:
            _progress(identity, writer.memory)
            writer.event(Happening.COMPACTION)


def _content(content: Any) -> str:
    """Return the text of a content, which is a string, a part or a list of both."""
    parts = content if isinstance(content, list) else [content]
    texts = (part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, (str, dict)))
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _prompt_turns(record: JSON, writer: Writer) -> None:
    writer.memory.pop("refused", None)
    whole = _content(record.get("content"))
    if "<session_context>" in whole[:200]:
        for path in _FOLDERS.findall(whole[:4000]):
            _place(path, writer.memory)
    typed = typed_prompt(_content(record.get("displayContent")) or whole)
    if typed and _is_new(typed, writer):
        writer.memory["automated"] = _came_along(writer.memory.pop("started", None), writer.at)
        writer.human(typed)


def _came_along(start: float | None, at: float | None) -> bool:
    """Return whether a session's first prompt came with its command (``-p``). No field shows it, but nobody types so fast.

    A person may still type the second prompt.
    """
    return start is not None and at is not None and 0 < at - start < AT_ONCE


def typed_prompt(text: str) -> str:
    """Return the typed part of a prompt, without the files of each @file. For a slash command, return its arguments."""
    text = messages.typed_text(text.partition(REFERENCED)[0].rstrip())
    if command := _COMMAND.match(text):
        arguments = text[command.end() :].strip()
        return arguments if len(arguments.split()) >= _SENTENCE else ""
    return "" if text == "?" else text


def _answer_turns(record: JSON, writer: Writer) -> None:
    text = _content(record.get("content")).strip()
    if text and _is_new(text, writer):
        writer.assistant(text)
    for number, call in enumerate(dicts(record.get("toolCalls"))):
        _call(call, number, writer)


def _notice(record: JSON, writer: Writer) -> None:
    text = _content(record.get("content"))
    if record.get("type") == "info" and text.startswith(_CANCELLED):
        # Refusing a call ends the agent's turn as well: that is one act.
        if not writer.memory.pop("refused", None):
            writer.event(Happening.INTERRUPTION)
    elif "irector" in text[:40]:
        for path in _FOLDERS.findall(text[:4000]):
            _place(path, writer.memory)


# --- what was said ----------------------------------------------------------------------------------------------------


def _progress(identity: str, memory: JSON) -> list[Any]:
    """Return the reading state of a message: a hash of its text, and the progress of each call."""
    known = memory.setdefault("said", {})
    progress: list[Any] = list(known.pop(identity, None) or ["", {}])
    progress[1] = dict(progress[1])
    known[identity] = progress
    if len(known) > _MAX_PROGRESS:
        del known[next(iter(known))]
    return progress


def _is_new(text: str, writer: Writer) -> bool:
    if not writer.record:
        return True
    progress = _progress(writer.record, writer.memory)
    state = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()
    progress[0], before = state, progress[0]
    return bool(before != state)


# --- tools ------------------------------------------------------------------------------------------------------------


def _call(call: JSON, number: int, writer: Writer) -> None:
    arguments = object_of(call.get("args"))
    key = text_of(call.get("id")) or str(number)
    progress = _progress(writer.record, writer.memory)[1] if writer.record else {}
    about = messages.about(text_of(call.get("name")), text_of(call.get("id")), arguments)
    if (at := messages.seconds(call.get("timestamp"))) is not None:
        about["at"] = at
    if key not in progress:
        progress[key] = 1
        for path in about["paths"]:
            _place(path, writer.memory)
        writer.turn(Role.TOOL_CALL, messages.describe(arguments), **about)
    if call.get("status") in _DONE and progress[key] == 1:
        progress[key] = 2
        text, failed = response(call.get("result"))
        for path in _FOLDERS.findall(text[:_HEAD]) if not writer.memory.get("cwd") else ():
            _place(path, writer.memory)
        result_turns(call["status"], text, failed, about, writer)
        if arguments.get("modified_by_user") is True:
            writer.event(Happening.USER_EDIT, **about)


def result_turns(status: str, text: str, failed: bool, about: JSON, writer: Writer) -> None:
    """Write the outcome of a call: a result, or a person's reaction. ``about`` has the fields that it shares with the call."""
    if status == "cancelled" and any(denied in text for denied in _DENIED):
        writer.memory["refused"] = True
        writer.event(Happening.REFUSAL, ok=False, **about)
    elif about["tool"] == "exit_plan_mode" and (plan := _plan(text)) is not None:
        happening, reason, accepted = plan
        writer.event(happening, reason, ok=accepted, **about)
    elif about["tool"] in _ASKING and (answers := messages.answers(document.parse_object(text))):
        writer.answers(answers, **about)
    else:
        ok: bool | None = None if status == "cancelled" else status == "success" and not failed
        if about["command"] and ok and (code := _EXIT.search(text[-_HEAD:])):
            ok = None if code[1] == "(none)" else code[1] == "0"
        writer.result(text, ok=ok, **about)


def response(result: Any) -> tuple[str, bool]:
    """Return the text of a call's result, and whether it is an error."""
    texts, failed = [], False
    for part in dicts(result if isinstance(result, list) else [result]):
        response = object_of(part.get("functionResponse")).get("response")
        if isinstance(response, dict):
            failed = failed or "error" in response
            texts.append(text_of(response.get("error")) or text_of(response.get("output")))
        else:
            texts.append(text_of(part.get("text")))
    return "\n".join(filter(None, texts)), failed


def _plan(text: str) -> tuple[Happening, str, bool] | None:
    """Return a person's reaction to a plan: accepted, refused, or refused with a reason."""
    if text.startswith(_FEEDBACK):
        return Happening.ANSWER, text.removeprefix(_FEEDBACK).rpartition("\n\nThe plan is stored at:")[0] or text, False
    if text.startswith("Plan rejected"):
        return Happening.REFUSAL, "", False
    return (Happening.ANSWER, "", True) if "approved implementation plan" in text else None


# --- the project's folder ---------------------------------------------------------------------------------------------


def _place(path: str, memory: JSON) -> None:
    """Take the project's folder from a path at or below it, if its hash is the project's."""
    path = path.strip()
    windows = path[1:3] in (":\\", ":/")
    tried = memory.get("tried", 0)
    if memory.get("cwd") or not memory.get("hash") or tried >= _MAX_TRIED or not (windows or path.startswith("/")):
        return
    memory["tried"] = tried + 1
    whole: PurePath = PureWindowsPath(path[:_HEAD]) if windows else PurePosixPath(path[:_HEAD])
    for folder in map(str, (whole, *whole.parents)):
        if hashlib.sha256(folder.encode("utf-8", "replace")).hexdigest() == memory["hash"]:
            memory["cwd"] = folder
            return


def root_of(path: Path) -> str:
    """Return the project's folder from Gemini's own notes or register. Return an empty text if there is none."""
    folder = next((parent.parent for parent in path.parents if parent.name == "chats"), path.parent)
    if marked := _short(folder / ".project_root").strip():
        return marked
    try:
        projects = json.loads(_short(folder.parent.parent / "projects.json") or "{}")["projects"]
        return next((text_of(root) for root, name in projects.items() if name == folder.name), "")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ""


def _short(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_ROOT).decode("utf-8-sig", "replace") if discover.is_regular(path) else ""
    except OSError:
        return ""
