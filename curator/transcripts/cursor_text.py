"""Cursor's transcripts of early 2026 that are plain text: ``user:`` and ``assistant:`` head what each says.

The agent's part has ``[Thinking]``, ``[Tool call] <tool>`` with its arguments indented below, and ``[Tool result] <tool>``,
mostly without the result. The file is read whole each time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from curator.hookspecs import Mark, Reading
from curator.io import limits
from curator.model import JSON, Role, Turn
from curator.transcripts.base import document, messages, tool_calls

_HEAD = re.compile(r"(user|assistant|A):\s*$")
_MARKER = re.compile(r"\[(Thinking|Tool call|Tool result)\] ?(.*)$")
_ARGUMENT = re.compile(r"  ([\w-]+)[:=] ?(.*)$")

Say = Callable[..., Turn]
"""(role, text, line, more fields) → a turn."""


def read(path: Path, start: Mark, query: Callable[[str], str], say: Say) -> Reading:
    """The turns of a transcript; of those known at ``start`` the last few only. Raises ``OSError``."""
    with path.open("rb") as file:
        lines = file.read(limits.RECORD).decode("utf-8", "replace").splitlines()
    turns: list[Turn] = []
    for who, first, last in _parts(lines):
        if who == "user":
            text = query("\n".join(lines[first:last]))
            if text:
                turns.append(say(Role.HUMAN, messages.capped(text, messages.MAX_WORDS), first + 1))
        else:
            turns += _agents(lines, first, last, say)
    return document.told(start, turns, Counter())


def _parts(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Who speaks, and the lines as a half-open range."""
    who, first = "", 0
    asked = False
    for index, line in enumerate(lines):
        if "<user_query>" in line:
            asked = True
        if "</user_query>" in line:
            asked = False
        # A person may paste such a head into their words.
        head = _HEAD.match(line) if line.endswith(":") and not asked else None
        if head:
            yield who, first, index
            who, first = head[1], index + 1
    yield who, first, len(lines)


def _agents(lines: Sequence[str], first: int, last: int, say: Say) -> Iterator[Turn]:
    at = begun = first
    while at < last:
        marker = _MARKER.match(lines[at]) if lines[at].startswith("[T") else None
        if not marker:
            at += 1
            continue
        yield from _text(lines, begun, at, say)
        end = at + 1
        # A thought goes on to the next blank line, arguments and results as far as they are indented.
        while end < last and (lines[end].strip() if marker[1] == "Thinking" else lines[end].startswith("  ")):
            if _MARKER.match(lines[end]):
                break
            end += 1
        yield from _tool(marker[1], marker[2].strip(), lines[at + 1 : end], at + 1, say)
        at = begun = end
    yield from _text(lines, begun, last, say)


def _text(lines: Sequence[str], first: int, last: int, say: Say) -> Iterator[Turn]:
    text = "\n".join(lines[first:last])
    if text.strip():
        skipped = len(text) - len(text.lstrip())
        line = first + 1 + text.count("\n", 0, skipped)
        yield say(Role.ASSISTANT, messages.capped(text.strip(), messages.MAX_WORDS), line)


def _tool(kind: str, name: str, below: Sequence[str], line: int, say: Say) -> Iterator[Turn]:
    if kind == "Tool call":
        given: JSON = {}
        key = ""
        for row in below:
            if argument := _ARGUMENT.match(row):
                key = argument[1]
                given[key] = argument[2]
            elif key:
                given[key] += f"\n{row}"
        yield say(Role.TOOL_CALL, tool_calls.described(given), line, **tool_calls.about(name, "", given))
    elif kind == "Tool result" and any(row.strip() for row in below):
        text = "\n".join(row.removeprefix("  ") for row in below)
        yield say(Role.TOOL_RESULT, messages.output(text), line, tool=name)
