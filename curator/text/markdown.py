"""Cut Markdown into list items and paragraphs, with their lines and headings.

``passages`` cuts rules files. Each passage is one line of words, and nested items are passages of their own. ``blocks`` cuts
agents' notes. A block keeps its lines, its code and its nested items.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from curator.text.clean import load_yaml

BEGIN, END = "<!-- curator:begin", "<!-- curator:end"
NOTE = "curator-lessons.md"
"""The name of curator's note in an agent's memory. If it contains curator's block, it is not a note of the agent."""
"""The marks around the text that curator itself has written into a rules file."""

MAX_LINE_CHARACTERS = 4_000
MAX_PASSAGE_CHARACTERS = 12_000
"""Maximum characters of a line and of a passage. A longer one is data that a person did not write."""

_FENCE = re.compile(r"\s{0,3}(?:>\s?)*\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"(\s*)([-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_QUOTED = re.compile(r"(?<!\s)\s*+(?:>\s?)+(?:\[!\w+\]\s*$)?")
_TABLE = re.compile(r"\s*\||.*\S\s+\|\s*$|\s*:?-{3,}:?\s*\|")
_RULER = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
_BOLD_LINE = re.compile(r"\s*(?:\*\*|__)([^*_\n]{2,80}?):?(?:\*\*|__):?\s*$")
_TAG_LINE = re.compile(r"\s*</?[A-Za-z][\w-]*(?:\s[^>]*)?/?>\s*$")


@dataclass(frozen=True, slots=True)
class Passage:
    """A list item or a paragraph: its words on one line, with its 1-based lines.

    ``under`` holds the headings and items above it, the nearest one last. ``leads`` says that it has nested items.
    """

    text: str
    starts: tuple[tuple[int, int], ...]
    """The place in the text where each of its lines begins, and that line's number."""
    item: bool = False
    numbered: bool = False
    under: tuple[str, ...] = ()
    leads: bool = False

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last line of a part of the text."""
        first = max((line for at, line in self.starts if at <= start), default=self.starts[0][1])
        return first, max((line for at, line in self.starts if at < end), default=first)


def front_matter(text: str) -> tuple[dict[str, Any], int]:
    """Return the settings at a file's head and the number of their lines. Return ``({}, 0)`` without a complete head."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return {}, 0
    end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)
    if not end:
        return {}, 0
    head = "\n".join(lines[1:end])
    try:
        fields = load_yaml(head)
    except ValueError:  # Cursor writes `globs: *.ts`, which is no YAML
        pairs = (line.partition(":") for line in lines[1:end])
        fields = {key.strip(): value.strip() for key, found, value in pairs if found}
    return (fields if isinstance(fields, dict) else {}), end + 1


def passages(text: str) -> list[Passage]:
    """Return the items and paragraphs outside code, tables, comments and the block that curator writes, in order."""
    found: list[Passage] = []
    headings: list[tuple[int, str]] = []
    items: list[tuple[int, int]] = []  # (indentation, position in found) of the items above a nested one
    for kind, indent, lines in _blocks(text):
        words, starts = "", []
        if sum(len(line) for _, line in lines) > MAX_PASSAGE_CHARACTERS:
            continue
        for number, line in lines:
            words += " " if words else ""
            starts.append((len(words), number))
            words += line.strip()
        if kind == "heading":
            headings = [*(one for one in headings if one[0] < indent), (indent, words)]
            items = []
            continue
        items = [one for one in items if kind != "text" and one[0] < indent]
        above = tuple(heading for _, heading in headings) + tuple(found[place].text for _, place in items)
        if items:
            found[items[-1][1]] = replace(found[items[-1][1]], leads=True)
        if kind != "text":
            items.append((indent, len(found)))
        elif words.endswith(":"):
            items = [(-1, len(found))]
        found.append(Passage(words, tuple(starts), kind != "text", kind == "number", above))
    return found


def without_code(text: str, mark: Callable[[int], str]) -> str:
    """Return a text with a mark in place of each fenced block. ``mark`` gets the number of lines in the block.

    A fence without an end reaches to the end of the text.

    >>> without_code("See:\\n```py\\na = 1\\n```\\nDone.", lambda lines: f"[code {lines} line]")
    'See:\\n[code 1 line]\\nDone.'
    """
    if "```" not in text and "~~~" not in text:
        return text
    parts, fence, inside = list[str](), "", 0
    for line in text.split("\n"):
        opening = _FENCE.match(line) if len(line) <= MAX_LINE_CHARACTERS else None
        if not fence and opening:
            fence, inside = opening[1], 0
        elif fence and opening and opening[1].startswith(fence) and not line[opening.end() :].strip():
            parts.append(mark(inside))
            fence = ""
        elif fence:
            inside += 1
        else:
            parts.append(line)
    return "\n".join([*parts, mark(inside)] if fence else parts)


def _blocks(text: str) -> Iterator[tuple[str, int, Sequence[tuple[int, str]]]]:
    """Yield each block as (heading, item, number or text; level or indentation; lines with their numbers)."""
    kind, indent, block = "", 0, list[tuple[int, str]]()

    def flush() -> Iterator[tuple[str, int, Sequence[tuple[int, str]]]]:
        if kind and block:
            yield kind, indent, tuple(block)

    for at, line in _lines(text):
        if heading := _HEADING.match(line) or _BOLD_LINE.match(line):
            yield from flush()
            kind = ""
            level = len(heading[1]) if heading.re is _HEADING else 7
            yield "heading", level, ((at, heading[2] if heading.re is _HEADING else heading[1]),)
        elif not line.strip() or _RULER.match(line) or _TABLE.match(line) or _TAG_LINE.match(line):
            yield from flush()
            # Text indented below an item after a blank line is about the item: a paragraph of its own.
            kind, block = "", []
        elif item := _ITEM.match(line):
            yield from flush()
            kind = "number" if item[2][0].isdigit() else "item"
            indent, block = len(item[1].expandtabs(4)), [(at, item[3])]
        elif kind and (kind == "text" or line.startswith((" ", "\t")) or not block[-1][1].rstrip().endswith((".", ":"))):
            block.append((at, line))
        else:
            yield from flush()
            kind, indent, block = "text", 0, [(at, line)]
    yield from flush()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines with text. A skipped line counts as blank."""
    _, head = front_matter(text)
    fence, comment, ours, quoted = "", False, False, False
    for at, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r") if len(line) <= MAX_LINE_CHARACTERS else ""
        if at <= head:
            continue
        if ours or BEGIN in line:
            ours = END not in line
            line = ""
        mark = _FENCE.match(line)
        if mark or fence:
            if mark and not fence:
                fence = mark[1]
            elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            line = ""
        comment, line = _strip_comment(line, comment)
        if line.lstrip().startswith(">") is not quoted:
            quoted = not quoted
            yield at, ""  # a quotation is a block of its own
        yield at, _QUOTED.sub("", line, count=1) if quoted else line


def _strip_comment(line: str, inside: bool) -> tuple[bool, str]:
    """Return whether a comment is open after this line, and the line without comments."""
    rest = ""
    while line:
        before, found, line = line.partition("-->" if inside else "<!--")
        if not inside:  # a comment parts two words
            rest += f" {before}" if rest and before and not (rest[-1].isspace() or before[0].isspace()) else before
        inside = inside if not found else not inside
    return inside, rest


_NOTE_FENCE = re.compile(r"\s*(?:[-*+]\s+)?(`{3,}|~{3,})")
_NOTE_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_NOTE_BOLD_LINE = re.compile(r"(?:\*\*|__)([^*_\n]{2,80}?):?(?:\*\*|__):?\s*$")
_NOTE_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?=\S)")
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
class _OpenBlock:
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
    open: _OpenBlock | None = None

    def flush(self) -> Iterator[Block]:
        """Yield the finished block, unless it is a placeholder or only introduces others."""
        block, self.open = self.open, None
        text = "\n".join(block.lines).strip() if block else ""
        if block and text and not text.endswith((":", "：")) and not _PLACEHOLDER.fullmatch(text):
            yield Block(block.line, text, block.indent >= 0, tuple(heading for _, heading in self.headings))


def line_numbers(text: str) -> Callable[[int], int]:
    """Return a function that gives the line number for a position in a text.

    >>> line_numbers("a\\nb")(2)
    2
    """
    ends = [found.start() for found in re.finditer("\n", text)]
    return lambda at: bisect_left(ends, at) + 1


def below_headings(text: str, start: int, end: int) -> int:
    """Return the position of the first words below the headings in a part of a text, or ``start`` if there are none.

    >>> below_headings("# One\\n\\ntwo", 0, 10)
    7
    """
    found = _HEADINGS.match(text, start, end)
    return found.end() if found and found.end() < end else start


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a note's text, without tables, comments and the block that curator writes."""
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
        elif heading := len(line) <= MAX_LINE_CHARACTERS and (_NOTE_HEADING.match(line) or _NOTE_BOLD_LINE.match(line)):
            yield from reading.flush()
            level = len(heading[1]) if heading.re is _NOTE_HEADING else 7
            words = heading[2] if heading.re is _NOTE_HEADING else heading[1]
            reading.headings = [*(one for one in reading.headings if one[0] < level), (level, words)]
        elif not bare:
            if reading.open:
                reading.open.gap = not reading.open.lines[-1].rstrip().endswith(":") or reading.open.indent >= 0
                reading.open.lines.append("")
        elif _SKIPPED.match(line):
            yield from reading.flush()
        else:
            yield from _take(reading, number, line)
            opening = _NOTE_FENCE.match(line)
            fence = opening[1] if opening else ""
    yield from reading.flush()


def _take(reading: _Reading, number: int, line: str) -> Iterator[Block]:
    """Add a line to the open block, or yield that and begin another."""
    item, block = _NOTE_ITEM.match(line), reading.open
    indent = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
    nested = block is not None and block.indent >= 0 and indent > block.indent
    if block and (nested if item else block.takes(indent > 0)):
        block.lines.append(line.rstrip())
        block.gap = False
        return
    yield from reading.flush()
    reading.open = _OpenBlock(number, [(line[item.end() :] if item else line).strip()], indent if item else -1)
