"""Cursor: ``~/.cursor/projects/<project>/agent-transcripts/…/<chat>.jsonl``, append-only, and the editor's ``state.vscdb``.

A line of the first is ``{role, message}`` without id or time. It has calls, but seldom their results. The file's time is the
time of its turns. A person's words in a prompt are in ``<user_query>``. The name of a project is its folder with ``-`` for
every unusual character, which nobody can reverse. curator takes the folder in the chat that gives this name. Memory: ``cwd``,
``calls`` (calls without a result). ``cursor_db`` reads the editor's database, and those of the command line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import sqlite
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts import cursor_db
from curator.transcripts.base import discover, jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import object_of, text_of

AGENT = "cursor"

TRANSCRIPTS = "agent-transcripts"

_WORKSPACE = re.compile(r"Workspace Path: (.+)")

_ODD = re.compile(r"[^A-Za-z0-9]+")

_ATTACHED = ("attached_files", "cursor_rules_context", "open_and_recently_viewed_files", "system_reminder")
"""Elements with file contents that may come before a person's words."""

_HIDDEN = "[REDACTED]"

_STOPPED = frozenset(("aborted", "cancelled", "canceled", "interrupted"))


def candidates(root: Path) -> Iterator[Path]:
    """Yield the files under ``root`` that may be a transcript or database by their place."""
    for path in discover.files_below(root, (".jsonl", ".vscdb", cursor_db.CHAT_NAME)):
        if TRANSCRIPTS in path.parts or path.parent.name == "globalStorage" or path.name == cursor_db.CHAT_NAME:
            yield path


def claims(path: Path, head: bytes) -> bool:
    """Return whether it is one of Cursor's databases, or a transcript by its first line."""
    if path.suffix == ".db":
        return head.startswith(sqlite.MAGIC) and cursor_db.is_chat(path)
    if path.suffix == ".vscdb":
        return head.startswith(sqlite.MAGIC) and cursor_db.is_cursors(path)
    first = head.lstrip().partition(b"\n")[0].replace(b'": ', b'":')
    shaped = first.startswith((b'{"role":"user","message":', b'{"role":"assistant","message":'))
    return path.suffix == ".jsonl" and shaped and b'"parentUuid":' not in first


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``; raises ``OSError`` only."""
    if path.suffix == ".vscdb":
        return cursor_db.read(path, start)
    reading = (cursor_db.read_chat if path.suffix == ".db" else jsonl.read_on)(path, start, turns_from_record)
    at = path.stat().st_mtime
    cwd = text_of(reading.end.memory.get("cwd"))
    turns = tuple(replace(turn, at=at if turn.at is None else turn.at, cwd=turn.cwd or cwd) for turn in reading.turns)
    return replace(reading, turns=turns)


def turns_from_record(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one line of a transcript."""
    role, kind = record.get("role"), record.get("type")
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else record.get("content")
    blocks = messages.blocks(content)
    if role == "user":
        yield from _user(record, blocks, source, memory)
    elif role == "assistant":
        yield from _assistant(record, blocks, source, memory)
    elif role == "tool":
        for block in blocks:
            yield from _result(record, block, source, memory)
    elif kind == "turn_ended":
        if record.get("status") in _STOPPED:
            yield _turn(record, source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION)
    elif role != "system":
        unknown[str(kind or role)[:80]] += 1


def _turn(record: JSON, source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    path = Path(source.file)
    aside = path.parent.name == "subagents"
    session = memory.get("session") or (path.parent.parent.name if aside else path.stem)
    at, identity = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    return jsonl.turn(AGENT, source, memory, role, text, record=identity, session=session, at=at, sidechain=aside, **more)


def _user(record: JSON, blocks: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    whole = "\n".join(texts)
    if not memory.get("cwd") and (found := _WORKSPACE.search(whole)):
        memory["cwd"] = found[1].strip()
    if Path(source.file).parent.name == "subagents":
        yield _turn(record, source, memory, Role.ASSISTANT, query(whole) or whole)
    elif text := query(whole):
        yield _turn(record, source, memory, Role.HUMAN, text)
    for block in blocks:
        if block.get("type") == "tool_result":
            yield from _result(record, block, source, memory)


def query(text: str) -> str:
    """Return what a person typed of a prompt: what stands in its ``<user_query>``.

    Nothing where there are several, or where an element that was attached ends behind it: a file can hold such an element.

    >>> query("<attached_files>a.py</attached_files><user_query>keep it</user_query>")
    'keep it'
    """
    before, _, rest = text.partition("<user_query>")
    words, end, _ = rest.partition("</user_query>")
    forged = "<user_query>" in rest or any(f"<{tag}" in before and f"</{tag}>" in rest for tag in _ATTACHED)
    return messages.typed_text(words.strip()) if end and not forged else ""


def _assistant(record: JSON, blocks: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    for block in blocks:
        if block.get("type") == "text":
            text = text_of(block.get("text")).replace(_HIDDEN, "").strip()
            if text:
                yield _turn(record, source, memory, Role.ASSISTANT, text)
        elif block.get("type") == "tool_use":
            arguments = object_of(block.get("input"))
            _place(messages.paths(arguments), source, memory)
            about = messages.about(text_of(block.get("name")), text_of(block.get("id")), arguments)
            if about["call"]:
                messages.keep_call(about, memory)
            yield _turn(record, source, memory, Role.TOOL_CALL, messages.describe(arguments), **about)
        elif block.get("type") == "tool_result":
            yield from _result(record, block, source, memory)


def _result(record: JSON, block: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    call = text_of(block.get("tool_use_id") or block.get("tool_call_id") or block.get("id"))
    text = messages.content_text(block.get("content", block.get("text")))
    about = messages.end_call(call, memory)
    failed = block.get("is_error")
    ok = not failed if isinstance(failed, bool) else None
    yield _turn(record, source, memory, Role.TOOL_RESULT, messages.output(text), ok=ok, **about)


def _place(paths: Sequence[str], source: Source, memory: JSON) -> None:
    """Remember the folder, among those that hold a file, which gives the project's name."""
    parts = Path(source.file).parts
    if memory.get("cwd") or TRANSCRIPTS not in parts:
        return
    name = parts[parts.index(TRANSCRIPTS) - 1]
    for path in paths[:10]:
        pure = PureWindowsPath(path) if path[1:2] == ":" else PurePosixPath(path)
        for folder in pure.parents if pure.is_absolute() else ():
            if _ODD.sub("-", str(folder)).strip("-").lower() == name.lower():
                memory["cwd"] = str(folder)
                return
