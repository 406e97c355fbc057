"""Cursor: ``~/.cursor/projects/<project>/agent-transcripts/…/<chat>.jsonl``, append-only, and the editor's ``state.vscdb``.

A line of the first is ``{role, message}`` without id or time. It has calls, but seldom their results. The file's time is the
time of its turns. A person's words in a prompt are in ``<user_query>``. The name of a project is its folder with ``-`` for
every unusual character, which nobody can reverse. curator takes the folder in the chat that gives this name. Memory: ``cwd``,
``calls`` (calls without a result). ``cursor_db`` reads the editor's database, and those of the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from curator.hookspecs import Mark, Reading
from curator.io import sqlite
from curator.model import JSON, Happening
from curator.transcripts import cursor_db
from curator.transcripts.base import discover, jsonl, messages
from curator.transcripts.base.jsonl import Writer
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
    reading = (cursor_db.read_chat if path.suffix == ".db" else jsonl.read_on)(AGENT, path, start, write_turns)
    at = path.stat().st_mtime
    cwd = text_of(reading.end.memory.get("cwd"))
    turns = tuple(replace(turn, at=at if turn.at is None else turn.at, cwd=turn.cwd or cwd) for turn in reading.turns)
    return replace(reading, turns=turns)


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one line of a transcript."""
    role, message, path = record.get("role"), record.get("message"), Path(writer.file)
    writer.sidechain = path.parent.name == "subagents"
    writer.session = writer.memory.get("session") or (path.parent.parent.name if writer.sidechain else path.stem)
    writer.at, writer.record = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    blocks = messages.blocks(message.get("content") if isinstance(message, dict) else record.get("content"))
    if role == "user":
        _user(blocks, writer)
    elif role == "assistant":
        _assistant(blocks, writer)
    if role in ("user", "tool"):
        for block in blocks:
            if role == "tool" or block.get("type") == "tool_result":
                _result(block, writer)
    if record.get("type") == "turn_ended" and record.get("status") in _STOPPED:
        writer.event(Happening.INTERRUPTION)


def _user(blocks: Sequence[JSON], writer: Writer) -> None:
    whole = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
    if not writer.memory.get("cwd") and (found := _WORKSPACE.search(whole)):
        writer.memory["cwd"] = found[1].strip()
    if writer.sidechain:
        writer.assistant(query(whole) or whole)
    else:
        writer.human(query(whole))


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


def _assistant(blocks: Sequence[JSON], writer: Writer) -> None:
    for block in blocks:
        if block.get("type") == "text":
            writer.assistant(text_of(block.get("text")).replace(_HIDDEN, "").strip())
        elif block.get("type") == "tool_use":
            arguments = object_of(block.get("input"))
            _place(messages.paths(arguments), writer)
            writer.call(block.get("name"), block.get("id"), arguments)
        elif block.get("type") == "tool_result":
            _result(block, writer)


def _result(block: JSON, writer: Writer) -> None:
    about = writer.end_call(block.get("tool_use_id") or block.get("tool_call_id") or block.get("id"))
    failed = block.get("is_error")
    ok = not failed if isinstance(failed, bool) else None
    writer.result(messages.content_text(block.get("content", block.get("text"))), ok=ok, **about)


def _place(paths: Sequence[str], writer: Writer) -> None:
    """Remember the folder, among those that hold a file, which gives the project's name."""
    parts = Path(writer.file).parts
    if writer.memory.get("cwd") or TRANSCRIPTS not in parts:
        return
    name = parts[parts.index(TRANSCRIPTS) - 1]
    for path in paths[:10]:
        pure = PureWindowsPath(path) if path[1:2] == ":" else PurePosixPath(path)
        for folder in pure.parents if pure.is_absolute() else ():
            if _ODD.sub("-", str(folder)).strip("-").lower() == name.lower():
                writer.memory["cwd"] = str(folder)
                return
