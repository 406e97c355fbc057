"""Two states of a code base, and what lies between them.

What changed in a file, for a person to read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property

from curator.code.languages import language_of
from curator.code.symbols import Symbol, Unreadable, symbols


@dataclass(slots=True)
class Version:
    """One state of a code base: its files as bytes (``None`` where there is none), parsed at most once each."""

    read: Callable[[str], bytes | None]
    _sources: dict[str, bytes | None] = field(default_factory=dict)
    _symbols: dict[str, tuple[Symbol, ...]] = field(default_factory=dict)
    _first: dict[str, tuple[str, tuple[Symbol, ...]]] = field(default_factory=dict)

    def source(self, path: str) -> bytes | None:
        """A file's content."""
        if path not in self._sources:
            self._sources[path] = self.read(path)
        return self._sources[path]

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """What a file defines; nothing where it is absent, has no grammar or is not read symbol by symbol."""
        if path not in self._symbols:
            self._symbols[path] = self._parsed(path)
        return self._symbols[path]

    def named(self, path: str, name: str) -> tuple[Symbol, ...]:
        """The symbols of a file with a qualified name. Mostly a file is asked for one, and its others cost as much again."""
        if path not in self._symbols:
            first, found = self._first.get(path) or self._first.setdefault(path, (name, self._parsed(path, name)))
            if first == name:
                return found
        return tuple(symbol for symbol in self.symbols(path) if symbol.name == name)

    def _parsed(self, path: str, only: str = "") -> tuple[Symbol, ...]:
        source, language = self.source(path), language_of(path)
        try:
            return symbols(source, language, only) if source is not None and language else ()
        except Unreadable:
            return ()


@dataclass(frozen=True)
class Shift:
    """What lies between two states of a code base: the paths that ``came`` or changed, and files that git calls renamed."""

    before: Version
    after: Version
    came: Sequence[str]
    renamed: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    """Whether ``before`` can tell what was there; if not, nothing is certain but what is the same to the last token."""

    @cached_property
    def folders(self) -> Mapping[str, str]:
        """Folders that moved as a whole, old → new: where two renamed files or more agree and none says otherwise."""
        votes: dict[str, Counter[str]] = {}
        for old, new in self.renamed.items():
            while old and new and old.rpartition("/")[2] == new.rpartition("/")[2]:
                old, new = old.rpartition("/")[0], new.rpartition("/")[0]
                votes.setdefault(old, Counter())[new] += 1
        return {old: next(iter(new)) for old, new in votes.items() if len(new) == 1 and new.total() > 1}

    def expected(self, path: str) -> str:
        """Where a file should be now: where git says, else where its folder went; empty if nothing is known."""
        if path in self.renamed:
            return self.renamed[path]
        folder, rest = path.rpartition("/")[0], path.rpartition("/")[2]
        while folder:
            if folder in self.folders:
                return f"{self.folders[folder]}/{rest}".lstrip("/")
            folder, _, last = folder.rpartition("/")
            rest = f"{last}/{rest}"
        return ""


LINES = 200

CHARACTERS = 20_000

CONTEXT = 3

_COMPARED = 2_000
"""Lines of the differing middle that are compared; more takes seconds and would be cut from the result anyway."""


def unified(before: str, after: str, label: str, new_label: str, first: tuple[int, int] = (1, 1)) -> str:
    """A unified diff, at most ``LINES`` lines and ``CHARACTERS`` characters; the last line says so when it was cut.

    ``first`` are the numbers of the texts' first lines in their files.
    """
    out: list[str] = [f"--- {label}", f"+++ {new_label}"]
    size = 0
    for line in _hunks(_lines(before), _lines(after), first):
        size += len(line) + 1
        if len(out) == LINES or size > CHARACTERS:
            out.append("… the rest of the change is not shown")
            break
        out.append(line)
    return "\n".join(out) + "\n" if len(out) > 2 else ""


def _lines(text: str) -> Sequence[str]:
    return text.removesuffix("\n").split("\n") if text else ()


def _hunks(old: Sequence[str], new: Sequence[str], start: tuple[int, int]) -> Iterator[str]:
    """The hunks between two lists of lines; the equal head and tail are set aside first, which makes large files cheap."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    skip = max(head - CONTEXT, 0)
    keep = max(tail - CONTEXT, 0)
    old, new = old[skip : len(old) - keep], new[skip : len(new) - keep]
    matcher = SequenceMatcher(None, old[:_COMPARED], new[:_COMPARED])
    for group in matcher.get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_span(first[1], last[2], skip + start[0] - 1)} +{_span(first[3], last[4], skip + start[1] - 1)} @@"
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[a:b])
                continue
            yield from (f"-{line}" for line in old[a:b])
            yield from (f"+{line}" for line in new[c:d])


def _span(start: int, end: int, skip: int) -> str:
    """A hunk's range in the notation of diff (https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html)."""
    length = end - start
    begin = start + skip + (1 if length else 0)
    return f"{begin}" if length == 1 else f"{begin},{length}"
