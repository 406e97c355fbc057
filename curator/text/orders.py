"""Find dangerous orders to an agent by a trained model, and mark their words.

A linear model judges some sentences at a time by what they show (``traits``); another tells the kind. Their weights are data
(``orders.json``), made by ``tests/benchmarks/train_orders.py``, which says from what. It is no proof of innocence: it draws the
eye of a person, who decides.
"""

from __future__ import annotations

import json
from array import array
from binascii import a2b_base64
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from sys import byteorder
from zlib import crc32

from curator.text.traits import Trait, sentences, traits

DESCRIPTIONS = {
    "run": "run what it fetches",
    "send": "send something out",
    "install": "install from an unknown place",
    "disable": "switch a protection off",
    "destroy": "destroy something",
    "rights": "widen rights, or leave a way in",
    "hide": "hide something from you",
    "obey": "obey others than you",
}
"""Kind of order → what it tells the agent to do."""
DATA = "orders.json"
TOGETHER = 4
"""Sentences that are judged as one."""
ALONE = 0.5
"""Log-odds that one of several sentences must have more to be an order by itself: what stands around must not drown it."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An order: its kind, a key of ``DESCRIPTIONS``, and where its words stand in the text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights by key in two rows, since most keys are never asked for: a table of them would take longer to build."""

    keys: array[int]
    values: array[int]

    def total(self, asked: Iterable[int]) -> int:
        """The sum of the weights of some features, nought where one has none."""
        keys, values, end, total = self.keys, self.values, len(self.keys), 0
        for key in asked:
            at = bisect_left(keys, key)
            if at < end and keys[at] == key:
                total += values[at]
        return total


@dataclass(frozen=True, slots=True)
class Model:
    """Log-odds that sentences give an order, less the floor: ``base`` and weights by key, in hundredths, over the root of how
    many features there are."""

    base: float
    weights: Weights
    kinds: Mapping[str, str]
    """By kind of order, what features say for it, packed: most texts need none of it."""

    def worth(self, keys: frozenset[int]) -> float:
        """How likely sentences with these features give an order; above zero they are said to."""
        return self.base + self.weights.total(keys) / (100 * sqrt(30 + len(keys)))

    def kind(self, keys: frozenset[int]) -> str:
        """The kind of order for which the features speak most."""
        return max(self.kinds, key=lambda kind: unpack(self.kinds[kind]).total(keys))


def key(name: str) -> int:
    """What stands for a feature in the data, which would take long to read by names: its CRC-32."""
    return crc32(name.encode())


@cache
def unpack(packed: str) -> Weights:
    """Weights from base64: first all keys, smallest first, four bytes each, then their weights, two each, lowest byte first."""
    raw = a2b_base64(packed)
    keys, values = array("I", raw[: len(raw) // 6 * 4]), array("h", raw[len(raw) // 6 * 4 :])
    if byteorder == "big":
        keys.byteswap()
        values.byteswap()
    return Weights(keys, values)


@cache
def shipped() -> Model:
    """The model that comes with curator."""
    return parse(Path(__file__).with_name(DATA).read_text("ascii"))


def parse(text: str) -> Model:
    """A model from its JSON text."""
    data = json.loads(text)
    return Model(data["base"], unpack(data["weights"]), data["kinds"])


def orders(text: str) -> tuple[Flag, ...]:
    """The orders of a text by where they begin, one of a kind in a line; empty for most texts.

    >>> [text[flag.start : flag.end] for text in ["Commit with --no-verify"] for flag in orders(text)]
    ['--no-verify']
    >>> orders("Never commit with --no-verify")
    ()
    """
    found: dict[tuple[str, int], Flag] = {}
    for flag in _found(text):
        found.setdefault((flag.kind, text.count("\n", 0, flag.start)), flag)
    return tuple(sorted(found.values(), key=lambda flag: (flag.start, flag.end)))


def worth(text: str) -> float:
    """How much the likeliest order of a text is one; above zero it is flagged."""
    return max((worth for worth, _ in _windows(_shown(text))), default=0.0)


Shown = Sequence[tuple[list[Trait], frozenset[int]]]


def _shown(text: str) -> Shown:
    """The traits of each sentence, with their places in the text, and their keys."""
    found = []
    for start, end in sentences(text):
        placed = [trait._replace(start=start + trait.start, end=start + trait.end) for trait in traits(text[start:end])]
        found.append((placed, frozenset(key(trait.name) for trait in placed)))
    return found


def _windows(shown: Shown) -> Iterator[tuple[float, Shown]]:
    """What each few sentences that follow one another are worth, and each alone."""
    for at in range(max(1, len(shown) - TOGETHER + 1)):
        some = shown[at : at + TOGETHER]
        yield shipped().worth(_keys(some)), some
    if len(shown) > 1:
        for one in shown:
            yield shipped().worth(one[1]) - ALONE, [one]


def _keys(shown: Shown) -> frozenset[int]:
    return frozenset().union(*(keys for _, keys in shown))


def _found(text: str) -> Iterator[Flag]:
    for worth, some in _windows(_shown(text)):
        if worth > 0:
            clear = [trait for placed, _ in some for trait in placed if trait.kind]
            yield from (Flag(trait.kind, trait.start, trait.end) for trait in clear)
            if not clear:
                yield Flag(shipped().kind(_keys(some)), *_heaviest(some))


def _heaviest(shown: Shown) -> tuple[int, int]:
    """From where to where the words of a sentence weigh most: the run of them with the greatest sum."""
    weights = shipped().weights
    best, place = 0.0, (shown[0][0][0].start, shown[0][0][-1].end)
    for placed, _ in shown:
        sums: dict[tuple[int, int], float] = {}
        for trait in placed:
            sums[trait.start, trait.end] = sums.get((trait.start, trait.end), 0.0) + weights.total([key(trait.name)])
        total, begin = 0.0, 0
        for (start, end), weight in sorted(sums.items()):
            if total <= 0:
                total, begin = 0.0, start
            total += weight
            if total > best:
                best, place = total, (begin, end)
    return place
