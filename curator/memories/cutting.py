"""The cutting of agents' Markdown into blocks: an item with its nested items, or a paragraph.

``text.markdown`` cuts rules files into single sentences. A note keeps its lines, its code and its nested items.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from curator.text.markdown import BEGIN, END, MAX_LINE_CHARACTERS

_FENCE = re.compile(r"\s*(?:[-*+]\s+)?(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_BOLD_LINE = re.compile(r"(?:\*\*|__)([^*_\n]{2,80}?):?(?:\*\*|__):?\s*$")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?=\S)")
_HEADINGS = re.compile(r"\s*(?:#{1,6}[ \t].*\n\s*)*")
_PLACEHOLDER = re.compile(
    r"(?i)[_*]*(?:\([^()\n]{0,80}\)|\[[^\[\]\n]{0,80}\]|<[^<>\n]{0,80}>|tbd|todo|n/?a|empty"
    r"|(?:none|nothing)\b[\w ]{0,40})\.?[_*]*"
)
_SKIPPED = re.compile(r"\s*(?:\||(?:[-*_=]\s*){3,}$)")


@dataclass(frozen=True, slots=True)
class Block:
    """An item with its nested items, or a paragraph: its first line, its text, and the headings above, nearest last."""

    line: int
    text: str
    item: bool
    under: tuple[str, ...]


@dataclass(slots=True)
class _Open:
    """A block while it is read: its lines, its indentation (-1 for a paragraph), and whether a blank line came last."""

    line: int
    lines: list[str]
    indent: int
    gap: bool = False

    def takes(self, indented: bool) -> bool:
        """Return whether a line without a mark belongs to the block."""
        return indented or not self.gap if self.indent >= 0 else not self.gap


@dataclass(slots=True)
class _Reading:
    headings: list[tuple[int, str]] = field(default_factory=list)
    open: _Open | None = None

    def flush(self) -> Iterator[Block]:
        """Yield the finished block, unless it is a placeholder or only introduces others."""
        block, self.open = self.open, None
        text = "\n".join(block.lines).strip() if block else ""
        if block and text and not text.endswith((":", "：")) and not _PLACEHOLDER.fullmatch(text):
            yield Block(block.line, text, block.indent >= 0, tuple(heading for _, heading in self.headings))


def line_numbers(text: str) -> Callable[[int], int]:
    """Return a function that says on which line a character of a text stands.

    >>> line_numbers("a\\nb")(2)
    2
    """
    ends = [found.start() for found in re.finditer("\n", text)]
    return lambda at: bisect_left(ends, at) + 1


def below_headings(text: str, start: int, end: int) -> int:
    """Return where the words of a part of a text begin, below its headings; where nothing else is in it, its beginning.

    >>> below_headings("# One\\n\\ntwo", 0, 10)
    7
    """
    found = _HEADINGS.match(text, start, end)
    return found.end() if found and found.end() < end else start


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a text, without tables, comments and the block that curator writes."""
    reading, fence, until = _Reading(), "", ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if until:
            until = "" if until in line else until
        elif fence:
            if reading.open:
                reading.open.lines.append(line.rstrip())
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
        elif BEGIN in line or bare.startswith("<!--"):
            until = END if BEGIN in line and END not in line else "" if "-->" in line else "-->"
        elif heading := len(line) <= MAX_LINE_CHARACTERS and (_HEADING.match(line) or _BOLD_LINE.match(line)):
            yield from reading.flush()
            level = len(heading[1]) if heading.re is _HEADING else 7
            words = heading[2] if heading.re is _HEADING else heading[1]
            reading.headings = [*(one for one in reading.headings if one[0] < level), (level, words)]
        elif not bare:
            if reading.open:
                reading.open.gap = not reading.open.lines[-1].rstrip().endswith(":") or reading.open.indent >= 0
                reading.open.lines.append("")
        elif _SKIPPED.match(line):
            yield from reading.flush()
        else:
            yield from _take(reading, number, line)
            opening = _FENCE.match(line)
            fence = opening[1] if opening else ""
    yield from reading.flush()


def _take(reading: _Reading, number: int, line: str) -> Iterator[Block]:
    """Add a line to the open block, or yield that and begin another."""
    item, block = _ITEM.match(line), reading.open
    indent = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
    nested = block is not None and block.indent >= 0 and indent > block.indent
    if block and (nested if item else block.takes(indent > 0)):
        block.lines.append(line.rstrip())
        block.gap = False
        return
    yield from reading.flush()
    reading.open = _Open(number, [(line[item.end() :] if item else line).strip()], indent if item else -1)
