"""The chats of Cursor's command line: ``~/.cursor/chats/<md5 of the folder>/<chat>/store.db``, one database per chat.

``meta`` has one row of JSON in hexadecimal digits. Its ``latestRootBlobId`` names a row of ``blobs``, the root. The root is a
Protocol Buffer that begins with the ids of the messages in their order. A message is JSON in the form of the AI SDK.
``meta.json`` beside the database names the folder. curator reads a whole chat each time. Seen in public copies of September
2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import sqlite
from curator.model import JSON
from curator.transcripts.base import document, messages
from curator.transcripts.base.jsonl import TurnsFromRecord
from curator.transcripts.base.messages import dicts, object_of, text_of

NAME = "store.db"

_ID = b"\x0a\x20"
"""The head of a message's id in the root: field 1, 32 bytes."""
_AT_ONCE = 200
_EXIT = re.compile(r"\AExit code: (-?\d+)")


def is_chat(path: Path) -> bool:
    """Return whether a database has such tables; ``True`` when it is busy, which the reader will then say."""
    try:
        return path.name == NAME and {"blobs", "meta"} <= sqlite.tables(path)
    except OSError:
        return True


def read(path: Path, start: Mark, turns_from_record: TurnsFromRecord) -> Reading:
    """Read the whole chat, wherever ``start`` is; raises ``OSError`` only."""
    memory: JSON = {"session": path.parent.name}
    memory["cwd"] = text_of(document.load_object(path.with_name("meta.json")).get("cwd"))
    found = document.turns_from_messages(path, list(map(_record, _messages(path))), memory, turns_from_record)
    return document.new_reading(start, *found)


def _messages(path: Path) -> Iterator[JSON]:
    stored = sqlite.rows(path, "SELECT value FROM meta WHERE key = '0'")
    try:
        meta = document.parse_object(bytes.fromhex(stored[0][0]))
    except (IndexError, TypeError, ValueError):
        meta = {}
    root = next(iter(_blobs(path, [text_of(meta.get("latestRootBlobId"))]).values()), b"")
    names, at = [], 0
    while root.startswith(_ID, at):
        names.append(root[at + 2 : at + 34].hex())
        at += 34
    for first in range(0, len(names), _AT_ONCE):
        some = names[first : first + _AT_ONCE]
        blobs = _blobs(path, some)
        yield from (document.parse_object(blobs.get(name)) for name in some)


def _blobs(path: Path, names: Sequence[str]) -> Mapping[str, bytes]:
    question = f"SELECT id, CAST(data AS BLOB) FROM blobs WHERE id IN ({', '.join('?' * len(names))})"
    return dict(sqlite.rows(path, question, names))


def _record(message: JSON) -> JSON:
    """Return a message in the form of a transcript's line."""
    outcome = object_of(object_of(object_of(message.get("providerOptions")).get("cursor")).get("highLevelToolCallResult"))
    failed = outcome.get("isError", object_of(outcome.get("output")).get("isError"))
    blocks = [_block(block, failed) for block in messages.blocks(message.get("content"))]
    return {"role": message.get("role", "system"), "message": {"content": blocks}, "id": message.get("id")}


def _block(block: JSON, failed: Any) -> JSON:
    if block.get("type") == "tool-call":
        about = {"id": block.get("toolCallId"), "name": block.get("toolName"), "input": block.get("args")}
        return {"type": "tool_use", **about}
    if block.get("type") == "tool-result":
        text = text_of(block.get("result")) or messages.content_text(dicts(block.get("experimental_content")))
        code = _EXIT.match(text)
        return {
            "type": "tool_result",
            "tool_use_id": block.get("toolCallId"),
            "content": text,
            "is_error": code[1] != "0" if code else failed,
        }
    return block
