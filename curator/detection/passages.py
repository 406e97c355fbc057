"""From sentences to the passage that states a lesson, and to the places where it is stated again."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from curator.detection.sentences import Sentence

LONGEST = 300
"""Characters of a passage at most: so much of it is quoted."""

GAP = 12
"""Characters between sentences of one passage at most: a new line, a list's mark; no heading, no block of code."""

WEAK = 3.0
"""Log-odds by which a sentence may be worth less than the one it is quoted with."""

COMMON = 300
"""A word that more statements of a session share tells none of them from the others."""

ALIKE = 0.3
"""Share of a statement's weight in words that another one must have, to state the same again …"""

ALIKE_BACK = 0.2
"""… and the share of its own that must be among them."""

SHARED = 3
"""Words that two statements share at least to be one."""


def passage(sentences: Sequence[Sentence], worths: Sequence[float], place: int) -> range:
    """The sentences around ``place`` that are quoted with it: neighbours join, the worthier first, while there is room."""
    first = last = place
    while True:
        sides = []
        least = worths[place] - WEAK
        if first and worths[first - 1] >= least and _joins(sentences, first - 1, first, last, before=True):
            sides.append((worths[first - 1], -1))
        if last + 1 < len(sentences) and worths[last + 1] >= least and _joins(sentences, last + 1, first, last, before=False):
            sides.append((worths[last + 1], 1))
        if not sides:
            return range(first, last + 1)
        if max(sides)[1] < 0:
            first -= 1
        else:
            last += 1


def _joins(sentences: Sequence[Sentence], new: int, first: int, last: int, *, before: bool) -> bool:
    start, end = (new, last) if before else (first, new)
    gap = sentences[first].start - sentences[new].end if before else sentences[new].start - sentences[last].end
    return gap <= GAP and sentences[end].end - sentences[start].start <= LONGEST


class Likeness(NamedTuple):
    """How much of one statement's weight in words stands in another, both ways: 0 to 1."""

    other: int
    there: float
    back: float
    shared: int

    @property
    def restates(self) -> bool:
        """Whether both say the same, as far as their words show it."""
        return self.shared >= SHARED and max(self.there, self.back) >= ALIKE and min(self.there, self.back) >= ALIKE_BACK


class Index:
    """The statements of a session by their words; a rare word weighs more than one that half of them have."""

    def __init__(self, contents: Sequence[frozenset[str]]) -> None:
        self.contents = contents
        self._where: Mapping[str, list[int]] = _inverted(contents)
        self._weight = {word: math.log(1 + len(contents) / len(where)) for word, where in self._where.items()}
        self._whole = [math.fsum(self._weight[word] for word in content) for content in contents]

    def alike(self, number: int) -> Iterator[Likeness]:
        """The statements that share enough of their telling words with this one, both ways, in order of their numbers."""
        common: dict[int, float] = defaultdict(float)
        shared: dict[int, int] = defaultdict(int)
        for word in sorted(self.contents[number]):
            if len(where := self._where[word]) <= COMMON:
                weight = self._weight[word]
                for other in where:
                    common[other] += weight
                    shared[other] += 1
        mine = self._whole[number]
        for other in sorted(other for other, weight in common.items() if weight / mine >= ALIKE_BACK):
            there, back = common[other] / mine, common[other] / self._whole[other]
            if other != number and back >= ALIKE_BACK:
                yield Likeness(other, there, back, shared[other])


def _inverted(contents: Iterable[frozenset[str]]) -> dict[str, list[int]]:
    where: dict[str, list[int]] = defaultdict(list)
    for number, content in enumerate(contents):
        for word in content:
            where[word].append(number)
    return where
