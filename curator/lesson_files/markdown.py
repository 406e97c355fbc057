"""Text of a lesson as Markdown that diffs well, and back.

The layout: one sentence a line. A line break that layout put there stands between a sentence's end and a capital, quote or
bracket, and is read back as a space; a real line break in such a place ends in a backslash (Markdown's hard break). Lines that
would be read as structure (headings of level 1 and 2, unclosed fences, conflict markers) get a backslash in front (Markdown's
escape). Every rule has an exact inverse, so that any text survives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters and lone surrogates: they drive a terminal or can't be encoded."""

HEADING = re.compile(r"#{1,2}(?=[ \t]|$)")
CONFLICT = re.compile(r"(?:<{7}|>{7})(?= |$)")
"""The first or last line of a conflict as git writes it."""

_FENCE = re.compile(r"( {0,3})(?:(`{3,})(?=[^`]*$)|(~{3,}))(.*)")
_FENCE_CLOSE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_STRUCTURE = re.compile(r"( {0,3})(\\*)(?:(#{1,2}(?:[ \t]|$)|(?:<{7}|>{7})(?: |$))|(```|~~~))")
_STARTER = r"(?=[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f\"“(]|`(?!``))"
_SOFT = re.compile(r"(?<=[.!?])([\"')\]”’]*) " + _STARTER)
_END = re.compile(r"[.!?][\"')\]”’]*(\\*)$")
_STARTS = re.compile(_STARTER)
_PROSE = re.compile(r"(?!\d+[.)](?:\s|$)|\*\s|```)[\w\"“(`*_\[]")  # no list, no fence


def clean(text: str) -> str:
    """Text with LF line ends and U+FFFD in place of control characters and lone surrogates.

    >>> clean("a\\r\\nb\\x1b")
    'a\\nb�'
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return UNWRITABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Text on one line, white space collapsed.

    >>> one_line(" a \\n b")
    'a b'
    """
    return " ".join(clean(text).split())


def prose(text: str) -> str:
    """The normal form of an insight or context: clean, no trailing blanks on lines, no blank lines at either end."""
    lines = [line.rstrip(" \t") for line in clean(text).split("\n")]
    return "\n".join(trimmed(lines))


def trimmed(lines: Sequence[str]) -> Sequence[str]:
    """Lines without the blank ones at either end."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip(" \t"):
        start += 1
    while end > start and not lines[end - 1].strip(" \t"):
        end -= 1
    return lines[start:end]


def fences(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The (first, last) lines of closed fenced code blocks, as CommonMark has them (https://spec.commonmark.org/0.31.2/#fenced-code-blocks).

    An opening fence that nothing closes is no block here: half a fence must not swallow the rest of a file. A block that
    holds a conflict marker is none either.
    """
    at = 0
    hopeless = {"`": 1 << 30, "~": 1 << 30}  # no fence at least this long is closed below: keeps hostile files linear
    while at < len(lines):
        opener = _FENCE.match(lines[at]) if "```" in lines[at] or "~~~" in lines[at] else None
        fence = opener and (opener[2] or opener[3])
        if fence and len(fence) < hopeless[fence[0]]:
            last, marked = _close(lines, at + 1, fence)
            if last and not marked:
                yield at, last
                at = last
            elif not last:
                hopeless[fence[0]] = len(fence)
        at += 1


def _close(lines: Sequence[str], start: int, fence: str) -> tuple[int, bool]:
    marked = False
    for at in range(start, len(lines)):
        closer = _FENCE_CLOSE.fullmatch(lines[at])
        if closer and closer[1].startswith(fence):
            return at, marked
        marked = marked or CONFLICT.match(lines[at]) is not None
    return 0, marked


def fence_parts(line: str) -> tuple[int, str]:
    """Of an opening fence: how far it is indented, and its info string."""
    opener = _FENCE.match(line)
    assert opener is not None
    return len(opener[1]), opener[4].strip()


def escape(line: str) -> str:
    """A line with a backslash in front if it would be read as structure; ``unescape`` takes it away.

    >>> escape("# not a heading"), unescape(escape("# not a heading"))
    ('\\\\# not a heading', '# not a heading')
    """
    found = _STRUCTURE.match(line)
    return f"{found[1]}\\{line[len(found[1]) :]}" if found else line


def unescape(line: str) -> str:
    """The inverse of ``escape``; other lines come back as they are."""
    found = _STRUCTURE.match(line)
    return f"{found[1]}{line[len(found[1]) + 1 :]}" if found and found[2] else line


def lay(text: str) -> str:
    """Normal prose (see ``prose``) in the layout of a file: one sentence a line, structure escaped.

    >>> print(lay("Run the migration. Then restart."))
    Run the migration.
    Then restart.
    """
    if "\n" not in text:  # by far the most
        return escape(_SOFT.sub(r"\1\n", text) if _PROSE.match(text) else text)
    lines = text.split("\n")
    code = _inside(lines)
    out: list[str] = []
    for at, line in enumerate(lines):
        if at in code:
            out.append(line)
            continue
        pieces = _SOFT.sub(r"\1\n", line) if _PROSE.match(line) else line
        following = lines[at + 1] if at + 1 < len(lines) and at + 1 not in code else ""
        hard = _PROSE.match(line) and _END.search(pieces) and _STARTS.match(following)
        out.append(escape(pieces) + ("\\" if hard else ""))
    return "\n".join(out)


def unlay(lines: Sequence[str]) -> str:
    """The inverse of ``lay``: the lines of a file as normal prose. Lines wrapped by hand keep their breaks."""
    code = _inside(lines)
    out: list[str] = []
    flowing = False  # whether the line before is prose that this one may go on
    for at, line in enumerate(lines):
        if at in code:
            out.append(line)
            flowing = False
            continue
        end = _END.search(out[-1]) if flowing and _STARTS.match(line) else None
        if end and not end[1]:
            out[-1] = f"{out[-1]} {line}"
            continue
        if end:
            out[-1] = out[-1][:-1]
        flowing = _PROSE.match(line) is not None
        out.append(unescape(line))
    return prose("\n".join(out))


def _inside(lines: Sequence[str]) -> set[int]:
    return {at for first, last in fences(lines) for at in range(first, last + 1)}
