"""Two states of a code base, and the moves between them: the same symbol under another name or path.

First, the symbol's name is looked for in the new version of its file or class. Then each new symbol is compared with it. Git's
renames count as well. The likeness comes from the tokens (rare ones count more), the name, and the surroundings. The weights
are those of TF-IDF, as in RefDiff (https://doi.org/10.1109/MSR.2017.14).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from curator.code.symbols import Symbol, Unreadable, language_of, symbols


@dataclass(slots=True)
class Version:
    """One state of a code base: its files as bytes (``None`` if there is none), parsed at most once each."""

    read: Callable[[str], bytes | None]
    _sources: dict[str, bytes | None] = field(default_factory=dict)
    _symbols: dict[str, tuple[Symbol, ...]] = field(default_factory=dict)
    _first: dict[str, tuple[str, tuple[Symbol, ...]]] = field(default_factory=dict)

    def source(self, path: str) -> bytes | None:
        """Return a file's content."""
        if path not in self._sources:
            self._sources[path] = self.read(path)
        return self._sources[path]

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        """Return the definitions in a file. Return none if it is absent, has no grammar, or is not read by symbols."""
        if path not in self._symbols:
            self._symbols[path] = self._parse(path)
        return self._symbols[path]

    def find(self, path: str, name: str) -> tuple[Symbol, ...]:
        """Return the symbols of a file with a qualified name.

        Mostly a file is asked for one, and its others cost as much again.
        """
        if path not in self._symbols:
            first, found = self._first.get(path) or self._first.setdefault(path, (name, self._parse(path, name)))
            if first == name:
                return found
        return tuple(symbol for symbol in self.symbols(path) if symbol.name == name)

    def _parse(self, path: str, only: str = "") -> tuple[Symbol, ...]:
        source, language = self.source(path), language_of(path)
        try:
            return symbols(source, language, only) if source is not None and language else ()
        except Unreadable:
            return ()


@dataclass(frozen=True)
class CodeChange:
    """The difference between two states of a code base: paths that ``came`` or changed, and files that git calls renamed."""

    before: Version
    after: Version
    came: Sequence[str]
    renames: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    """True if ``before`` is complete. If not, only a match of all tokens is certain."""

    @cached_property
    def folders(self) -> Mapping[str, str]:
        """Return the folders that moved as a whole, old → new. At least two renamed files agree, and none disagrees."""
        votes: dict[str, Counter[str]] = {}
        for old, new in self.renames.items():
            while old and new and old.rpartition("/")[2] == new.rpartition("/")[2]:
                old, new = old.rpartition("/")[0], new.rpartition("/")[0]
                votes.setdefault(old, Counter())[new] += 1
        return {old: next(iter(new)) for old, new in votes.items() if len(new) == 1 and new.total() > 1}

    def expected(self, path: str) -> str:
        """Return the expected new path of a file, from git or from its folder's move. Return an empty text if it is unknown."""
        if path in self.renames:
            return self.renames[path]
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
"""Maximum number of compared lines in the differing middle. More take seconds, and the result would be cut anyway."""


def unified_diff(before: str, after: str, label: str, new_label: str, first: tuple[int, int] = (1, 1)) -> str:
    """Return a unified diff of at most ``LINES`` lines and ``CHARACTERS`` characters. If it was cut, the last line says so.

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
    """Yield the hunks between two lists of lines. It first removes the equal head and tail, so that large files are fast."""
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
    """Return a hunk's range in the notation of diff
    (https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html).
    """
    length = end - start
    begin = start + skip + (1 if length else 0)
    return f"{begin}" if length == 1 else f"{begin},{length}"


MIN_MOVE_LIKENESS = 0.475
"""Minimum likeness to propose a move."""

_BODY, _SIGNATURE, _NAME, _PLACE = 0.63, 0.13, 0.18, 0.06

_DOUBT = 15.0
"""A weight that lowers the likeness of two short bodies, because short bodies can be similar by chance."""

_LOCAL = 0.5
"""The weight of the outer functions' likeness for a function inside another. Functions inside tests are all similar."""


def nearest(old: Symbol, several: Sequence[Symbol]) -> Symbol | None:
    """Return the symbol that is most similar to the old one, among several with one name. Return ``None`` if there are none."""

    def nearness(symbol: Symbol) -> tuple[bool, bool, float]:
        alike = _dice(_grams(old.signature + old.body), _grams(symbol.signature + symbol.body), lambda _: 1.0)
        return symbol.signature == old.signature, symbol.body == old.body, alike

    return max(several, key=nearness) if len(several) > 1 else next(iter(several), None)


@lru_cache(maxsize=8192)
def _grams(found: tuple[str, ...]) -> Counter[Any]:
    """Return the counts of tokens and of pairs of adjacent tokens. They are cached, because a search counts them many times."""
    return Counter[Any](found) + Counter[Any](pairwise(found))


def _weights(known: Iterable[Symbol]) -> Callable[[Any], float]:
    """Return the weight of each token or pair, by the number of symbols that have it."""
    having: Counter[Any] = Counter()
    count = 0
    for symbol in known:
        count += 1
        having.update(set(_grams(symbol.body)))
    return lambda gram: math.log((2 + count) / (0.5 + having[gram]))


class Score:
    """The likeness of an old symbol and a new one, 0 to 1, rounded. Tokens that are rare among ``known`` count more."""

    def __init__(self, path: str, shift: CodeChange, known: Iterable[Symbol]) -> None:
        self.path, self.shift = path, shift
        self.weigh = _weights(known)

    def __call__(self, old: Symbol, place: str, new: Symbol) -> float:
        """Return the likeness of ``old`` and ``new`` at ``place``. It is at least ``MIN_MOVE_LIKENESS`` for related names."""
        body = _dice(_grams(old.body), _grams(new.body), self.weigh, _DOUBT)
        signature = _dice(Counter(old.signature), Counter(new.signature), lambda _: 1.0)
        name = 1.0 if new.simple == old.simple else _name_similarity(normalized_name(old.simple), normalized_name(new.simple))
        scope = old.name.rpartition(".")[0] == new.name.rpartition(".")[0]
        near = (scope + (place in (self.path, self.shift.expected(self.path)))) / 2
        found = _BODY * body + _SIGNATURE * signature + _NAME * name + _PLACE * near
        found *= 1 if scope else self._around(old, place, new)
        same = new.simple == old.simple and (new.signature, new.body) == (old.signature, old.body)
        kin = scope and (same or (place == self.path and normalized_name(new.simple) == normalized_name(old.simple)))
        return round(max(found, MIN_MOVE_LIKENESS) if kin else found, 3)

    def _around(self, old: Symbol, place: str, new: Symbol) -> float:
        """Return how much different surroundings lower the likeness of two functions."""
        before, after = _enclosing(self.shift.before, self.path, old), _enclosing(self.shift.after, place, new)
        if after is None and (before is None or new.simple == old.simple):
            return 1.0
        alike = _dice(_grams(before.body), _grams(after.body), self.weigh) if before and after else 0.0
        return 1 - _LOCAL * (1 - alike)


def _enclosing(version: Version, path: str, symbol: Symbol) -> Symbol | None:
    """Return the function that contains a symbol."""
    outer = version.find(path, symbol.name.rpartition(".")[0]) if "." in symbol.name else ()
    return next((found for found in outer if found.kind == "function"), None)


def _name_similarity(one: str, other: str) -> float:
    from rapidfuzz import fuzz  # 4 MB that a window need not hold while no code moves

    return fuzz.ratio(one, other) / 100


def normalized_name(name: str) -> str:
    """Return a name without the differences of snake_case and camelCase, private and public."""
    return name.replace("_", "").lower()


def _dice(one: Counter[Any], other: Counter[Any], weigh: Callable[[Any], float], doubt: float = 0.0) -> float:
    """Return the shared weight over all weight, 0 to 1 (Sørensen–Dice). ``doubt`` is weight that is never shared."""
    both = sum(min(count, other[gram]) * weigh(gram) for gram, count in one.items() if gram in other)
    every = doubt + sum(count * weigh(gram) for several in (one, other) for gram, count in several.items())
    return 2 * both / every if every else 1.0


CERTAIN = 0.84
"""The likeness from which a move is followed without a question, if it exceeds the next by ``LEAD``."""

LEAD = 0.1

_RATIO = 2.6

_SEVERAL, _MOST = 3, 0.6
"""The number and share of common members that make a class the certain successor of another."""

_MAX_PARSED_FILES = 2_000
"""Maximum number of files to parse for one symbol whose old code is unknown. This takes seconds."""

_TRIED = 8
"""The number of most similar ones that are compared closely."""

_BRIEF = 12
"""A body of fewer tokens says little: then the name must be the same for a move to be certain."""

_IDENTIFIER = re.compile(r"[^\W\d]\w{3,}")


@dataclass(frozen=True, slots=True)
class Match:
    """A path and symbol that an old symbol may have become. ``likeness`` is 0 to 1."""

    path: str
    symbol: Symbol
    likeness: float
    certain: bool = False


def search(old: Symbol, path: str, shift: CodeChange) -> Match | None:
    """Return the new place of a symbol that left ``path``: the most similar new symbol, ``None`` if none is similar."""
    if kept := _find_in_place(old, path, shift):
        return replace(kept, likeness=Score(path, shift, [old, kept.symbol])(old, kept.path, kept.symbol))
    found = list(_candidates(old, path, shift))
    score = Score(path, shift, [old, *(symbol for _, symbol in found)])
    ranked = sorted(
        (Match(place, symbol, score(old, place, symbol)) for place, symbol in found),
        key=lambda match: (
            match.likeness < CERTAIN,
            -_kinship(old.name, match.symbol.name) if match.likeness >= MIN_MOVE_LIKENESS else 0,
            -match.likeness,
            match.path,
            match.symbol.first,
        ),
    )
    missing = _missing_symbols(old, path, shift)
    open_ = [
        match
        for match in ranked[:_TRIED]
        if match.likeness >= MIN_MOVE_LIKENESS and not _belongs_elsewhere(old, match, missing, score)
    ]
    if not open_:
        return _namesake(old, path, shift, missing)
    best = open_[0]
    others = [match for match in open_[1:] if (match.path, match.symbol.name) != (best.path, best.symbol.name)]
    # The same to the last token and under its qualified name: then no other can be meant.
    sure = best.symbol.name == old.name and _identical(old, best.symbol)
    lead = best.likeness - (others[0].likeness if others else 0.0)
    return replace(best, certain=sure or (lead >= LEAD and _certain(old, path, best, shift)))


def _find_in_place(old: Symbol, path: str, shift: CodeChange) -> Match | None:
    """Return the symbol with its name in the new version of its file, class or function, however it changed."""
    outer, _, simple = old.name.rpartition(".")
    expected = shift.expected(path)
    around = shift.before.find(path, outer) if outer else ()
    goal = Match(expected, old, 1.0, certain=shift.whole) if expected and shift.before.source(expected) is None else None
    name = old.name
    if around and not shift.after.find(path, outer) and (goal is None or not shift.after.find(expected, outer)):
        goal = search(around[0], path, shift)
        name = f"{goal.symbol.name}.{simple}" if goal else ""
    if goal is None or shift.before.find(goal.path, name):
        return None
    best = find_successor(old, shift.before.find(path, old.name), shift.after.find(goal.path, name))
    if best is None:
        return None
    local = any(symbol.kind == "function" for symbol in around)
    return replace(goal, symbol=best, certain=goal.certain or (not local and _identical(old, best)))


def _namesake(old: Symbol, path: str, shift: CodeChange, missing: Sequence[Symbol]) -> Match | None:
    """Return the only new symbol with the same significant name, even if its code is rewritten. This is a guess."""
    if not _kinship(old.name, old.name):
        return None
    word = normalized_name(old.simple).encode()
    places = [place for place in shift.came if word in (shift.after.source(place) or b"").replace(b"_", b"").lower()]
    found = [
        Match(place, symbol, MIN_MOVE_LIKENESS)
        for place in places
        if _are_related(language_of(place), language_of(path))
        for symbol in shift.after.symbols(place)
        if (kinship := _kinship(old.name, symbol.name))
        and (symbol.kind == "value") == (old.kind == "value")
        and not shift.before.find(place, symbol.name)
        and not any(_kinship(other.name, symbol.name) > kinship for other in missing)
    ]
    exact = [match for match in found if match.symbol.name == old.name] or found
    return exact[0] if len(exact) == 1 else None


def _kinship(old: str, new: str) -> int:
    """Return 2 for equal names, 1 if only case and underscores differ, and 0 for others and for insignificant names."""
    telling = bool(normalized_name(old)) and (not old.islower() or "." in old or "_" in old.strip("_"))
    return ((old == new) + (normalized_name(old) == normalized_name(new))) if telling else 0


def _missing_symbols(old: Symbol, path: str, shift: CodeChange) -> Sequence[Symbol]:
    """Return the other missing symbols of the file. A place that is more similar to one of them is not this symbol's."""
    there = {symbol.name for place in {path, shift.expected(path)} if place for symbol in shift.after.symbols(place)}
    return [symbol for symbol in shift.before.symbols(path) if symbol.name not in there and symbol.name != old.name]


def _belongs_elsewhere(old: Symbol, match: Match, missing: Sequence[Symbol], score: Score) -> bool:
    """Return whether a place is rather the successor of another missing symbol: with its name, or more similar to it."""
    new, kinship = match.symbol, _kinship(old.name, match.symbol.name)
    for other in missing:
        others = _kinship(other.name, new.name)
        if others > kinship and (other.kind == "value") == (new.kind == "value"):
            return True
        if others == kinship and _fits(other, new) and score(other, match.path, new) > match.likeness:
            return True
    return False


def find_successor(old: Symbol, olds: Sequence[Symbol], news: Sequence[Symbol]) -> Symbol | None:
    """Return the successor of a symbol among those with its name, but not one of another old symbol.

    Overloads, getters with setters, and conditional definitions share a name.
    """
    others = {(symbol.signature, symbol.body) for symbol in olds} - {(old.signature, old.body)}
    return nearest(old, [symbol for symbol in news if (symbol.signature, symbol.body) not in others])


def find_by_hash(signature: str, body: str, path: str, name: str, shift: CodeChange) -> Match | None:
    """Return the new path and symbol of a definition of which only hashes are known.

    It is the one with these hashes, or else, as a guess, the one with its name. Files without its name are read only if there
    are few, because parsing a large project takes a minute.
    """
    simple = name.rpartition(".")[2]
    near = [place for place in shift.came if place != path and _mentions(shift.after.source(place), simple)]
    found = _with_hashes(signature, body, path, name, near, shift.after)
    if not found and len(shift.came) <= _MAX_PARSED_FILES:
        found = _with_hashes(signature, body, path, name, shift.came, shift.after)
    if len(found) == 1:
        place, symbol = found[0]
        return Match(place, symbol, 1.0, symbol.simple == simple and len(symbol.body) >= _BRIEF)
    namesakes = [(place, symbol) for place in near for symbol in shift.after.find(place, name)]
    return Match(*namesakes[0], MIN_MOVE_LIKENESS) if len(namesakes) == 1 and not found else None


def _with_hashes(
    signature: str, body: str, path: str, name: str, places: Iterable[str], version: Version
) -> Sequence[tuple[str, Symbol]]:
    """Return the symbols whose tokens are all the same. Return only those with the simple name if there are any."""
    found = [
        (place, symbol)
        for place in places
        for symbol in version.symbols(place)
        if body and symbol.body_hash == body and symbol.signature_hash == signature and (place, symbol.name) != (path, name)
    ]
    simple = name.rpartition(".")[2]
    return [pair for pair in found if pair[1].simple == simple] or found


def _mentions(source: bytes | None, name: str) -> bool:
    return source is not None and name.encode() in source


def _identical(old: Symbol, new: Symbol) -> bool:
    """Return whether all tokens of a symbol are equal, and more than match by chance."""
    return len(old.body) >= _BRIEF and (new.signature, new.body) == (old.signature, old.body)


def _certain(old: Symbol, path: str, best: Match, shift: CodeChange) -> bool:
    """Return whether a place that leads all others is the one for sure."""
    if _identical(old, best.symbol):
        return True
    if not shift.whole:
        return False
    renamed = best.symbol.simple != old.simple
    if best.path == path and not renamed and (best.symbol.signature, best.symbol.body) == (old.signature, old.body):
        return True
    brief = renamed and min(len(old.body), len(best.symbol.body)) < _BRIEF
    return (not brief and best.likeness >= CERTAIN) or _keeps_members(old, path, best, shift)


def _keeps_members(old: Symbol, path: str, best: Match, shift: CodeChange) -> bool:
    """Return whether most definitions in a class are in the other one, by name."""
    mine, theirs = _members(shift.before, path, old.name), _members(shift.after, best.path, best.symbol.name)
    shared = len(mine & theirs)
    return old.kind == best.symbol.kind != "value" and shared >= _SEVERAL and shared >= _MOST * len(mine)


def _members(version: Version, path: str, name: str) -> set[str]:
    """Return the names that a class defines itself, without names such as ``__init__`` that most classes have."""
    there = (symbol.simple for symbol in version.symbols(path) if symbol.name.rpartition(".")[0] == name)
    return {simple for simple in there if not simple.startswith("__")}


def _candidates(old: Symbol, path: str, shift: CodeChange) -> Iterator[tuple[str, Symbol]]:
    """Yield the new symbols that this one could have become: of its kind and of about its size."""
    language = language_of(path)
    probes = _probes(old)
    for place in shift.came:
        if not _are_related(language_of(place), language) or not _touches(shift.after.source(place), old, probes):
            continue
        fitting = [symbol for symbol in shift.after.symbols(place) if _fits(old, symbol)]
        present = {_role(known) for known in shift.before.symbols(place)} if fitting else ()
        yield from ((place, symbol) for symbol in fitting if _role(symbol) not in present)


def _role(symbol: Symbol) -> tuple[str, bool]:
    """Return the key of a definition: its name, and whether that is a value."""
    return symbol.name, symbol.kind == "value"


def _fits(old: Symbol, new: Symbol) -> bool:
    """Return whether one may have become the other by its kind and size."""
    size, theirs = (len(symbol.body) + len(symbol.signature) + 1 for symbol in (old, new))
    return 1 / _RATIO <= theirs / size <= _RATIO and (new.kind == "value") == (old.kind == "value")


def _are_related(one: Any, other: Any) -> bool:
    """Return whether code may move between two languages: TypeScript and JavaScript are one in this."""
    if one is None or other is None:
        return False
    script = {"javascript", "typescript", "tsx"}
    return one is other or {one.name, other.name} <= script


def _probes(old: Symbol) -> Sequence[bytes]:
    """Return words that recognise similar code before parsing: its longest names."""
    names = {token for token in old.body if _IDENTIFIER.fullmatch(token)}
    return [name.encode() for name in sorted(names, key=lambda name: (-len(name), name))[:8]]


def _touches(source: bytes | None, old: Symbol, probes: Sequence[bytes]) -> bool:
    return _mentions(source, old.simple) or (source is not None and sum(probe in source for probe in probes) * 2 >= len(probes))
