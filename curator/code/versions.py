"""States of a code base, and what lies between two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
