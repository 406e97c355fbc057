"""Antigravity: ``~/.gemini/antigravity*/brain/<session>/.system_generated/logs/transcript*.jsonl``, append-only.

Each line is a step. ``transcript_full.jsonl`` has everything. ``transcript.jsonl``, and ``overview.txt`` of early versions, cut
long texts and encode each argument. The result of a planner's call ``j`` in step ``n`` is step ``n + 1 + j``. ``history.jsonl``
beside ``brain`` names a session's folder if the command line wrote it. A subagent is a session that another one's step names.
Not run here, see docs/notebook/agents.md. Memory: ``session``, ``cwd``, ``near`` (the folder of the open file),
``sidechain``, ``calls``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import files
from curator.model import JSON, Happening, Role
from curator.transcripts.base import discover, document, jsonl, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "antigravity"
FULL, CUT = "transcript_full.jsonl", ("transcript.jsonl", "overview.txt")

_CREATED = b"Created the following subagents:"
_REFUSED = re.compile(r"permission check failed for .*: user denied permission", re.DOTALL)
_TIMES = re.compile(r"\A(?:(?:Created|Completed) At: [^\n]*\n)+\s*")
_FAILED = re.compile(r"\AThe command (?:exited with code|failed with exit code:) -?(?!0\b)\d")
_ANSWER = re.compile(r"^A\d+: (.*?)(?=\nA\d+: |\Z)", re.MULTILINE | re.DOTALL)
_SKIPPED = "User Skipped"
_OPEN_FILE = re.compile(r"^Active Document: ((?!.*[\\/]\.gemini[\\/]).+)[\\/][^\\/\n]+ \(LANGUAGE_\w+\)$", re.MULTILINE)
_NAMES = {"CommandLine": "command", "AbsolutePath": "file_path", "TargetFile": "file_path"}
_SILENT = frozenset(
    "SYSTEM_MESSAGE EPHEMERAL_MESSAGE CONVERSATION_HISTORY KNOWLEDGE_ARTIFACTS CHECKPOINT ERROR_MESSAGE".split()
)
_LABELS = ("toolAction", "toolSummary", "Cwd")


def claims(path: Path, head: bytes) -> bool:
    """Return whether the file is a log of steps by its name and first step, with no fuller one next to it."""
    named = path.name == FULL or (path.name in CUT and not path.with_name(FULL).exists())
    return named and b'"step_index":' in head.partition(b"\n")[0]


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    reading = jsonl.read(AGENT, path, replace(start, memory=start.memory or _session(path)), write_turns)
    if not start.memory and all(turn.role is Role.HUMAN for turn in reading.turns):
        return Reading((), start, start, errors=reading.errors)  # before it answers, its caller may not have named it
    return reading


def _session(path: Path) -> JSON:
    """Return the data of a session from outside its log: its id, its folder, and whether it is a subagent's."""
    folder = path.parents[2] if path.parent.parent.name == ".system_generated" else None
    if not folder:
        return {"session": path.stem}
    identity = json.dumps(folder.name)
    named = map(document.parse_object, _lines(folder.parent.parent / "history.jsonl", identity.encode()))
    cwd = next((text_of(one.get("workspace")) for one in named if one.get("conversationId") == folder.name), "")
    begun, called = _begun(path), json.dumps(f'"conversationId": {identity}').encode()[1:-1]
    logs = (log for name in (FULL, *CUT) for log in folder.parent.glob(f"*/.system_generated/logs/{name}"))
    # The caller began before it and continues after it. Few other sessions do.
    around = (log for log in logs if log.parent != path.parent and _begun(log) <= begun <= log.stat().st_mtime)
    inner = any(_CREATED in line for log in around for line in _lines(log, called))
    return {"session": folder.name, "sidechain": inner, **({"cwd": cwd} if cwd else {})}


def _begun(path: Path) -> float:
    return messages.seconds(document.parse_object(next(_lines(path, b"{"), b"")).get("created_at")) or 0.0


def _lines(path: Path, words: bytes) -> Iterator[bytes]:
    """Yield the lines of a file that have these words. Yield none if it can't be read."""
    try:
        if discover.is_regular(path):
            with discover.open_transcript(path) as file:
                yield from (line for line in iter(lambda: file.readline(files.MAX_RECORD_BYTES), b"") if words in line)
    except OSError:
        return


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one step."""
    kind, number = text_of(record.get("type")), record.get("step_index")
    writer.at = messages.seconds(record.get("created_at"))
    writer.cwd = writer.memory.get("cwd") or writer.memory.get("near", "")
    if kind == "USER_INPUT":
        _user_turns(record, writer)
    elif kind == "PLANNER_RESPONSE":
        if record.get("status") != "RUNNING":  # it comes again when it is done
            _planner_turns(record, writer)
    elif str(number) in writer.memory.get("calls", {}) or (record.get("source") == "MODEL" and kind not in _SILENT):
        _result_turns(record, writer)


def _user_turns(record: JSON, writer: Writer) -> None:
    before, wrapped, rest = text_of(record.get("content")).partition("<USER_REQUEST>")
    words, _, behind = rest.partition("</USER_REQUEST>")
    if found := _OPEN_FILE.search(behind):
        writer.memory["near"] = found[1]
        writer.cwd = writer.memory.get("cwd") or found[1]
    if record.get("source") != "USER_EXPLICIT" or "USER_REQUEST>" in behind:
        return  # a text with two requests may have one out of a file
    writer.human(messages.typed_text(words if wrapped else before))


def _planner_turns(record: JSON, writer: Writer) -> None:
    writer.assistant(text_of(record.get("content")).strip())
    number = record.get("step_index")
    for at, call in enumerate(dicts(record.get("tool_calls")), number + 1 if isinstance(number, int) else 0):
        given = object_of(call.get("args"))
        if not writer.file.endswith(FULL):
            given = {name: _decoded(value) for name, value in given.items()}
        if not writer.memory.get("cwd") and text_of(given.get("Cwd")):
            writer.memory["cwd"] = writer.cwd = given["Cwd"]
        given = {_NAMES.get(name, name): value for name, value in given.items() if name not in _LABELS}
        writer.call(call.get("name"), str(at), given)


def _decoded(value: Any) -> Any:
    """Return an argument without its encoding. A cut argument stays unchanged."""
    decoded = document.parse_or_none(value)
    return value if decoded is None else decoded


def _result_turns(record: JSON, writer: Writer) -> None:
    about = writer.end_call(str(record.get("step_index")))
    status, error = record.get("status"), text_of(record.get("error"))
    text = _TIMES.sub("", text_of(record.get("content")))
    if status == "ERROR" and _REFUSED.match(error):
        writer.event(Happening.REFUSAL, ok=False, **about)
        return
    answers = _ANSWER.findall(text) if about["tool"] == "ask_question" else []
    for answer in answers:
        if answer != _SKIPPED:
            writer.event(Happening.ANSWER, answer.strip(), ok=True, **about)
    if not answers:
        failed = status == "ERROR" or record.get("type") == "ERROR_MESSAGE" or record.get("exit_code", 0) != 0
        ok = None if status == "RUNNING" else not (failed or _FAILED.match(text))
        writer.result(text or error, ok=ok, **about)
