"""Where code went: the same symbol under another name or path.

Each symbol that was not there before is compared by the tokens of its body and signature, the rarer a token the more it weighs
(TF-IDF, as RefDiff does: https://doi.org/10.1109/MSR.2017.14), and by its name. What git knows of renamed files counts as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from rapidfuzz import fuzz

from curator.code import Symbol, Unreadable, language_of, symbols

CERTAIN = 0.85
"""The likeness from which a move is followed without asking, if it leads the next by ``LEAD``."""
EXPECTED = 0.6
"""The same for the same name in a file that git or the rest of its folder says was renamed."""
LEAD = 0.1
LIKELY = 0.45
"""The likeness from which a move is proposed."""
_RATIO = 2.6
_BODY, _SIGNATURE, _NAME, _PLACE = 0.63, 0.14, 0.18, 0.05
_BRIEF = 12
"""A body of fewer tokens says little: then the name must be the same for a move to be certain."""
_IDENTIFIER = re.compile(r"[^\W\d]\w{3,}")


@dataclass(slots=True)
class Version:
    """One state of a code base: its files as bytes (``None`` where there is none), parsed at most once each."""

    read: Callable[[str], bytes | None]
    _sources: dict[str, bytes | None] = field(default_factory=dict)
    _symbols: dict[str, tuple[Symbol, ...]] = field(default_factory=dict)

    def source(self, path: str) -> bytes | None:
        """A file's content."""
        if path not in self._sources:
            self._sources[path] = self.read(path)
        return self._sources[path]

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """What a file defines; nothing where it is absent, has no grammar or is not read symbol by symbol."""
        if path not in self._symbols:
            source, language = self.source(path), language_of(path)
            try:
                self._symbols[path] = symbols(source, language) if source is not None and language else ()
            except Unreadable:
                self._symbols[path] = ()
        return self._symbols[path]

    def named(self, path: str, name: str) -> tuple[Symbol, ...]:
        """The symbols of a file with a qualified name."""
        return tuple(symbol for symbol in self.symbols(path) if symbol.name == name)


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


@dataclass(frozen=True, slots=True)
class Match:
    """A place where a symbol may be now; ``likeness`` 0 to 1."""

    path: str
    symbol: Symbol
    likeness: float
    certain: bool = False


def search(old: Symbol, path: str, shift: Shift) -> Match | None:
    """Where a symbol is that is no longer at ``path``: the likest new one, ``None`` if none is like it."""
    found = list(_candidates(old, path, shift))
    if not found:
        return None
    weigh = _weights([old, *(symbol for _, symbol in found)])
    mine = _grams(old.body)
    ranked = sorted(
        (Match(place, symbol, _likeness(old, path, place, symbol, mine, weigh)) for place, symbol in found),
        key=lambda match: (-match.likeness, match.path, match.symbol.first),
    )
    best = ranked[0]
    if best.likeness < LIKELY:
        return None
    others = [match for match in ranked[1:] if (match.path, match.symbol.name) != (best.path, best.symbol.name)]
    lead = best.likeness - (others[0].likeness if others else 0.0)
    return replace(best, certain=_identical(old, best.symbol) or (lead >= LEAD and _certain(old, path, best, shift)))


def same(signature: str, body: str, path: str, name: str, shift: Shift) -> Match | None:
    """The one new symbol with these hashes, for when the old code is not known any more."""
    found = [
        (place, symbol)
        for place in shift.came
        for symbol in shift.after.symbols(place)
        if body and symbol.body_hash == body and symbol.signature_hash == signature and (place, symbol.name) != (path, name)
    ]
    simple = name.rpartition(".")[2]
    found = [pair for pair in found if pair[1].simple == simple] or found
    if len(found) != 1:
        return None
    place, symbol = found[0]
    return Match(place, symbol, 1.0, symbol.simple == simple and len(symbol.body) >= _BRIEF)


def _identical(old: Symbol, new: Symbol) -> bool:
    """Whether a symbol of the same qualified name is the same to the last token: then no other can be meant."""
    long = len(old.body) >= _BRIEF or ("." in old.name and len(old.body) + len(old.signature) >= _BRIEF)
    return long and new.name == old.name and (new.signature, new.body) == (old.signature, old.body)


def _certain(old: Symbol, path: str, best: Match, shift: Shift) -> bool:
    if best.symbol.simple != old.simple and min(len(old.body), len(best.symbol.body)) < _BRIEF:
        return False
    if (best.symbol.signature, best.symbol.body) == (old.signature, old.body):
        return True
    if not shift.whole:
        return False
    expected = best.symbol.name == old.name and shift.expected(path) == best.path
    return best.likeness >= (EXPECTED if expected else CERTAIN)


def _candidates(old: Symbol, path: str, shift: Shift) -> Iterator[tuple[str, Symbol]]:
    """New symbols that could be this one: of its kind and of about its size."""
    size = len(old.body) + len(old.signature) + 1
    language = language_of(path)
    probes = _probes(old)
    for place in shift.came:
        if not _related(language_of(place), language) or not _touches(shift.after.source(place), old, probes):
            continue
        present = None
        for symbol in shift.after.symbols(place):
            theirs = len(symbol.body) + len(symbol.signature) + 1
            if not 1 / _RATIO <= theirs / size <= _RATIO or (symbol.kind == "value") != (old.kind == "value"):
                continue
            if present is None:
                present = {known.name for known in shift.before.symbols(place)}
            if symbol.name not in present:
                yield place, symbol


def _related(one: Any, other: Any) -> bool:
    """Whether code may move between two languages: TypeScript and JavaScript are one in this."""
    if one is None or other is None:
        return False
    script = {"javascript", "typescript", "tsx"}
    return one is other or {one.name, other.name} <= script


def _probes(old: Symbol) -> Sequence[bytes]:
    """Words by which code like this is recognised before anything is parsed: its longest names."""
    names = {token for token in old.body if _IDENTIFIER.fullmatch(token)}
    return [name.encode() for name in sorted(names, key=lambda name: (-len(name), name))[:8]]


def _touches(source: bytes | None, old: Symbol, probes: Sequence[bytes]) -> bool:
    if source is None:
        return False
    return old.simple.encode() in source or sum(probe in source for probe in probes) * 2 >= len(probes)


def _grams(found: Sequence[str]) -> Counter[Any]:
    """Tokens and pairs of neighbours."""
    return Counter[Any](found) + Counter[Any](pairwise(found))


def _weights(known: Iterable[Symbol]) -> Callable[[Any], float]:
    """How much a token or pair says, by the number of symbols that have it."""
    having: Counter[Any] = Counter()
    count = 0
    for symbol in known:
        count += 1
        having.update(set(_grams(symbol.body)))
    return lambda gram: math.log((2 + count) / (0.5 + having[gram]))


def _likeness(old: Symbol, path: str, place: str, new: Symbol, mine: Counter[Any], weigh: Callable[[Any], float]) -> float:
    body = _dice(mine, _grams(new.body), weigh) if old.body or new.body else 1.0
    signature = _dice(Counter(old.signature), Counter(new.signature), lambda _: 1.0)
    name = 1.0 if new.simple == old.simple else fuzz.ratio(_bare(old.simple), _bare(new.simple)) / 100
    near = old.name.rpartition(".")[0] == new.name.rpartition(".")[0] or place == path
    return round(_BODY * body + _SIGNATURE * signature + _NAME * name + _PLACE * near, 3)


def _bare(name: str) -> str:
    return name.strip("_").lower()


def _dice(one: Counter[Any], other: Counter[Any], weigh: Callable[[Any], float]) -> float:
    """Shared weight over all weight, 0 to 1 (Sørensen–Dice)."""
    both = sum(min(count, other[gram]) * weigh(gram) for gram, count in one.items() if gram in other)
    every = sum(count * weigh(gram) for several in (one, other) for gram, count in several.items())
    return 2 * both / every if every else 1.0
