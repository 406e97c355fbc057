"""How alike two symbols are: by their tokens, of which the rare ones say more, by name, and by what is around them.

The weights are those of TF-IDF, as in RefDiff (https://doi.org/10.1109/MSR.2017.14).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from curator.code.symbols import Symbol
from curator.code.versions import Shift, Version

LIKELY = 0.475
"""The likeness from which a move is proposed."""
_BODY, _SIGNATURE, _NAME, _PLACE = 0.63, 0.13, 0.18, 0.06
_DOUBT = 15.0
"""How much of a body's weight must be shared to say much: brief ones are alike by chance."""
_LOCAL = 0.5
"""How much it counts for a function inside another that the outer ones are alike: those inside tests all are."""


def nearest(old: Symbol, several: Sequence[Symbol]) -> Symbol | None:
    """Of symbols with one name the one that is most like the old one; ``None`` of none."""

    def nearness(symbol: Symbol) -> tuple[bool, bool, float]:
        alike = _dice(_grams(old.signature + old.body), _grams(symbol.signature + symbol.body), lambda _: 1.0)
        return symbol.signature == old.signature, symbol.body == old.body, alike

    return max(several, key=nearness) if len(several) > 1 else next(iter(several), None)


@lru_cache(maxsize=8192)
def _grams(found: tuple[str, ...]) -> Counter[Any]:
    """Tokens and pairs of neighbours. They are counted again and again while symbols of one file are searched."""
    return Counter[Any](found) + Counter[Any](pairwise(found))


def _weights(known: Iterable[Symbol]) -> Callable[[Any], float]:
    """How much a token or pair says, by the number of symbols that have it."""
    having: Counter[Any] = Counter()
    count = 0
    for symbol in known:
        count += 1
        having.update(set(_grams(symbol.body)))
    return lambda gram: math.log((2 + count) / (0.5 + having[gram]))


class Score:
    """How alike an old symbol of a file and a new one are, 0 to 1, rounded; tokens that are rare among ``known`` count more."""

    def __init__(self, path: str, shift: Shift, known: Iterable[Symbol]) -> None:
        self.path, self.shift = path, shift
        self.weigh = _weights(known)

    def __call__(self, old: Symbol, place: str, new: Symbol) -> float:
        """The likeness of ``old`` and of ``new``, which is at ``place``; at least ``LIKELY`` if they are kin by name."""
        body = _dice(_grams(old.body), _grams(new.body), self.weigh, _DOUBT)
        signature = _dice(Counter(old.signature), Counter(new.signature), lambda _: 1.0)
        name = 1.0 if new.simple == old.simple else _spelt_alike(bare(old.simple), bare(new.simple))
        scope = old.name.rpartition(".")[0] == new.name.rpartition(".")[0]
        near = (scope + (place in (self.path, self.shift.expected(self.path)))) / 2
        found = _BODY * body + _SIGNATURE * signature + _NAME * name + _PLACE * near
        found *= 1 if scope else self._around(old, place, new)
        same = new.simple == old.simple and (new.signature, new.body) == (old.signature, old.body)
        kin = scope and (same or (place == self.path and bare(new.simple) == bare(old.simple)))
        return round(max(found, LIKELY) if kin else found, 3)

    def _around(self, old: Symbol, place: str, new: Symbol) -> float:
        """What it takes from the likeness of two functions that those around them are unlike."""
        before, after = _enclosing(self.shift.before, self.path, old), _enclosing(self.shift.after, place, new)
        if after is None and (before is None or new.simple == old.simple):
            return 1.0
        alike = _dice(_grams(before.body), _grams(after.body), self.weigh) if before and after else 0.0
        return 1 - _LOCAL * (1 - alike)


def _enclosing(version: Version, path: str, symbol: Symbol) -> Symbol | None:
    """The function in which a symbol is defined."""
    outer = version.named(path, symbol.name.rpartition(".")[0]) if "." in symbol.name else ()
    return next((found for found in outer if found.kind == "function"), None)


def _spelt_alike(one: str, other: str) -> float:
    from rapidfuzz import fuzz  # 4 MB that a window need not hold while no code moves

    return fuzz.ratio(one, other) / 100


def bare(name: str) -> str:
    """A name, qualified or not, without what tells snake_case from camelCase and private from public."""
    return name.replace("_", "").lower()


def _dice(one: Counter[Any], other: Counter[Any], weigh: Callable[[Any], float], doubt: float = 0.0) -> float:
    """Shared weight over all weight, 0 to 1 (Sørensen–Dice); ``doubt`` is weight that is never shared."""
    both = sum(min(count, other[gram]) * weigh(gram) for gram, count in one.items() if gram in other)
    every = doubt + sum(count * weigh(gram) for several in (one, other) for gram, count in several.items())
    return 2 * both / every if every else 1.0
