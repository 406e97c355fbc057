"""Managed blocks: lessons between two markers in files that agents read by themselves, and curator's own rules files.

They serve agents without hooks, and agents whose hooks do not always reach the model. The text is a pure function of the
lessons and their order. So it stays the same without changes, because agents cache their first files.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath

from curator.agents.install.catalog import RulesFileConfig
from curator.agents.install.json_edit import line_of, malformed_file, newline_of
from curator.model import Entry
from curator.text.markdown import NOTE
from curator.text.statement import is_path, list_paths, quotation

BEGIN = "<!-- curator:begin v1 -->"
END = "<!-- curator:end -->"
TITLE = "Lessons from earlier sessions in this project, kept by its people (`curator list` shows all):"
NONE = "<!-- no lessons yet -->"
MAX_BLOCK_BYTES = 2048
"""Bytes of a block with its markers: all of it is in every prompt."""

_MARKER = re.compile(r"^[ \t]*<!--[ \t]*curator:(?P<which>begin|end)\b[^\n>]*-->[ \t]*(?=\r?$)", re.MULTILINE)
_SOUND = re.compile(r"[\w./*@+ ()-]{1,200}")
_AT = re.compile(r"(?<![\w@])@[\w~./\\-]+")


def plain(text: str) -> bool:
    """Return whether a text can be in a block: it contains no comments or markers, and hides nothing.

    >>> plain("Use `ninja`, not make."), plain("a --> b"), plain("a\u200bb")
    (True, False, False)
    """
    if "<!--" in text or "-->" in text or "curator:" in text or "curator-lessons" in text:
        return False
    hidden = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
    return not any(unicodedata.category(letter) in hidden or "\U000e0000" <= letter <= "\U000e0fff" for letter in text)


def line(entry: Entry, *, with_places: bool) -> str:
    """Return a lesson on one line. ``with_places`` adds its paths, for files that apply everywhere.

    Names with ``@`` are put between backticks, because some agents take them for imports.
    """
    text = quotation(entry)
    where = f"In {list_paths(entry.paths)}: " if with_places and entry.paths else ""
    pieces = f"- [{entry.category.value}] {where}{text}".split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner
        pieces = ["".join(pieces)]
    pieces[-1] += " (its code has changed since)" * any(finding.alarming for finding in entry.findings)
    pieces[::2] = [_AT.sub(lambda found: f"`{found[0]}`", piece) for piece in pieces[::2]]
    return "`".join(pieces)


@dataclass(frozen=True, slots=True)
class Block:
    """Lessons for one file, and the front matter of a file that curator creates (see ``install.parts.Part``)."""

    lines: tuple[str, ...]
    front: str = ""

    def text(self, newline: str = "\n") -> str:
        """Return the block with its markers, without a line end after it."""
        return newline.join((BEGIN, *(self.lines or (NONE,)), END))

    def put(self, text: str, name: str) -> str:
        """Return the text with the block in its place, or at the end. Raises ``MalformedFile`` for broken or doubled
        markers.
        """
        newline = newline_of(text)
        span = find(text, name)
        if span:
            return text[: span[0]] + self.text(newline) + text[span[1] :]
        if not text:
            return f"{self.front}{self.text()}\n"
        # It ends as the file ended, so that taking it out is exact.
        if text.endswith("\n"):
            return text + newline + self.text(newline) + newline
        return text + newline * 2 + self.text(newline)

    def take(self, text: str, name: str, before: str | None) -> str:
        """Return the text without the block, and without curator's front matter if nothing else is left."""
        span = find(text, name)
        if not span:
            return text
        head, tail = text[: span[0]], text[span[1] :]
        if not before and head == self.front and not tail.strip():
            return ""
        if tail:
            tail = re.sub(r"\A\r?\n", "", tail)
            head = re.sub(r"(\A|(?<=\n))\r?\n\Z", "", head)
        else:
            head = re.sub(r"(\r?\n){1,2}\Z", "", head)
        return head + tail


def find(text: str, name: str) -> tuple[int, int] | None:
    """Return the span of the block with its markers. Raises ``MalformedFile`` for markers that are broken or doubled."""
    marks = list(_MARKER.finditer(text))
    if not marks:
        return None
    for at, mark in enumerate(marks):
        number = line_of(text, mark.start())
        if mark["which"] != ("begin", "end")[at % 2]:
            missing = "end is missing above this one" if at % 2 else "begin is missing above this one"
            raise malformed_file(name, number, f"the marker curator:{missing}")
        if at > 1:
            raise malformed_file(name, number, "a second block of curator; remove one of them")
    if len(marks) == 1:
        raise malformed_file(name, line_of(text, marks[0].start()), "the marker curator:end is missing below this one")
    return marks[0].start(), marks[1].end()


def files(filing: RulesFileConfig, lessons: Iterable[Entry]) -> dict[str, Block]:
    """Return the blocks of an agent in a project by file name. ``lessons`` come best first.

    Lessons for certain paths get their own file if the agent supports that, and otherwise join the others.
    """
    groups: dict[tuple[str, ...], list[Entry]] = {(): []}
    splits = bool(filing.rules) and filing.front in FRONTS and filing.scoped
    for entry in lessons:
        if not all(map(is_path, entry.paths)):  # without a place it would seem to hold everywhere
            continue
        own = splits and entry.paths and all(_SOUND.fullmatch(path) for path in entry.paths)
        groups.setdefault(tuple(sorted(entry.paths)) if own else (), []).append(entry)
    found = {}
    for paths, group in groups.items():
        if paths:
            found[name_for_paths(filing.rules, paths)] = Block(_fitting(group, False), FRONTS[filing.front](paths))
        elif filing.block or filing.rules:
            front = "" if filing.block or filing.front not in FRONTS else FRONTS[filing.front](())
            found[filing.block or filing.rules] = Block(_fitting(group, True), front)
    return found


def _fitting(lessons: Iterable[Entry], with_places: bool) -> tuple[str, ...]:
    """Return as many lines as fit, with line ends counted as two bytes. A lesson is complete or absent."""
    room = MAX_BLOCK_BYTES - len(BEGIN) - len(TITLE) - len(END) - 6
    chosen: list[str] = []
    for entry in lessons:
        words = line(entry, with_places=with_places)
        size = len(words.encode("utf-8", "surrogatepass")) + 2
        if size <= room and plain(words) and words not in chosen:
            chosen.append(words)
            room -= size
    return (TITLE, *chosen) if chosen else ()


def name_for_paths(rules: str, paths: Sequence[str]) -> str:
    """Return the file for lessons of certain paths, next to the file for all paths.

    >>> name_for_paths(".cursor/rules/curator-lessons.mdc", ["src/a.py"])
    '.cursor/rules/curator-lessons-4cb4854b.mdc'
    """
    file = PurePosixPath(rules)
    stem, dot, ending = file.name.partition(".")
    mark = sha256("\n".join(paths).encode()).hexdigest()[:8]
    return str(file.with_name(f"{stem}-{mark}{dot}{ending}"))


def pattern_for_paths(rules: str) -> str:
    """Return the glob pattern of the files for certain paths, relative to the project."""
    return name_for_paths(rules, ()).replace(sha256(b"").hexdigest()[:8], "[0-9a-f]" * 8)


def _matter(*rows: str) -> str:
    return "\n".join(("---", *rows, "---", "", ""))


INDEX_LINE = f"- [Lessons that people kept]({NOTE}) — rules for this project; read them before you change anything"
_INDEXED = re.compile(rf"^[^\n]*\]\({re.escape(NOTE)}\)[^\n\r]*", re.MULTILINE)
_ENTRY = re.compile(r"^[-*] \[", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class IndexLine:
    """The line for curator's note in an agent's index. It comes first, because the agent reads only the index's beginning."""

    def put(self, text: str, name: str) -> str:
        """Return the index with the line. It has a line end at its end only if it had one before, or was empty."""
        newline, there, first = newline_of(text), _INDEXED.search(text), _ENTRY.search(text)
        if there:
            return text[: there.start()] + INDEX_LINE + text[there.end() :]
        if first:
            return text[: first.start()] + INDEX_LINE + newline + text[first.start() :]
        return f"{text}{INDEX_LINE}{newline}" if not text or text.endswith("\n") else f"{text}{newline}{INDEX_LINE}"

    def take(self, text: str, name: str, before: str | None) -> str:
        """Return the index without the line, however the agent words it by now."""
        there = _INDEXED.search(text)
        if not there:
            return text
        head, tail = text[: there.start()], text[there.end() :]
        return head + re.sub(r"\A\r?\n", "", tail) if tail else re.sub(r"\r?\n\Z", "", head)


FRONTS: dict[str, Callable[[Sequence[str]], str]] = {
    "cursor": lambda paths: _matter(
        "description: Lessons from earlier sessions",
        f"globs: {','.join(paths)}".rstrip(),
        f"alwaysApply: {'false' if paths else 'true'}",
    ),
    "copilot": lambda paths: _matter(f"applyTo: {json.dumps(','.join(paths) or '**')}"),
    "windsurf": lambda paths: _matter("trigger: glob", f"globs: {','.join(paths)}") if paths else _matter("trigger: always_on"),
    "paths": lambda paths: _matter("paths:", *(f"  - {json.dumps(path)}" for path in paths)) if paths else "",
    "memory": lambda paths: _matter(
        "name: curator-lessons", "description: Lessons for this project that people kept with curator", "type: feedback"
    ),
    "continue": lambda paths: _matter("name: Lessons from earlier sessions", "alwaysApply: true"),
}
"""Front matter with the paths of a rules file. No front matter means all paths."""
