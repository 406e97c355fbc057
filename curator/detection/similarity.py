"""Compare two statements: one fingerprint for the same words, and shared words of weight for similar ones."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from curator.model import Candidate
from curator.text.words import word_set

MAX_STATEMENTS_PER_WORD = 300
"""A word that more statements of a session contain does not distinguish them."""

MIN_SHARED_WEIGHT = 0.3
"""Share of a statement's weight in words that another one must have, to state the same again …"""

ALIKE_BACK = 0.2
"""… and the share of its own that must be among them."""

SHARED = 3
"""Words that two statements share at least to be one."""


class Likeness(NamedTuple):
    """The weighted share of each statement's words that the other contains: 0 to 1."""

    other: int
    there: float
    back: float
    overlap: int

    @property
    def restates(self) -> bool:
        """True if both say the same, as far as their words show it."""
        return (
            self.overlap >= SHARED
            and max(self.there, self.back) >= MIN_SHARED_WEIGHT
            and min(self.there, self.back) >= ALIKE_BACK
        )


class Index:
    """The statements of a session by their words; a rare word weighs more than one that half of them have."""

    def __init__(self, contents: Sequence[frozenset[str]]) -> None:
        self.contents = contents
        self._where: Mapping[str, list[int]] = _invert(contents)
        self._weight = {word: math.log(1 + len(contents) / len(where)) for word, where in self._where.items()}
        self._whole = [math.fsum(self._weight[word] for word in content) for content in contents]

    def alike(self, number: int) -> Iterator[Likeness]:
        """Yield the statements that share enough of their telling words with this one, both ways, in order of their numbers."""
        common: dict[int, float] = defaultdict(float)
        shared: dict[int, int] = defaultdict(int)
        for word in sorted(self.contents[number]):
            if len(where := self._where[word]) <= MAX_STATEMENTS_PER_WORD:
                weight = self._weight[word]
                for other in where:
                    common[other] += weight
                    shared[other] += 1
        mine = self._whole[number]
        for other in sorted(other for other, weight in common.items() if weight / mine >= ALIKE_BACK):
            there, back = common[other] / mine, common[other] / self._whole[other]
            if other != number and back >= ALIKE_BACK:
                yield Likeness(other, there, back, shared[other])


def _invert(contents: Iterable[frozenset[str]]) -> dict[str, list[int]]:
    where: dict[str, list[int]] = defaultdict(list)
    for number, content in enumerate(contents):
        for word in content:
            where[word].append(number)
    return where


_WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")

_NOISE = word_set(
    "a an the is are was were be been being am to of in on at for from by with as and or that which this "
    "these those it its we you i our your my us me they them their "
    "please so then now also just very really actually there here has have had will would should can could "
    "may might do does did"
)

_ENDINGS = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")


def content(text: str) -> frozenset[str]:
    """Return the words that carry the statement: lower case, plain endings, without grammar; negations and numbers stay."""
    words = frozenset(_words(text))
    return words - _NOISE or words


def _words(text: str) -> list[str]:
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found = _WORD.findall(plain.replace("n't", " not"))
    return [_stem(word) if word[-1] in "gds" else word for word in found]


@lru_cache(maxsize=4_096)
def _stem(word: str) -> str:
    return _ENDINGS.sub("", word)


def fingerprint(text: str) -> str:
    """Return 20 hexadecimal digits that are the same for a statement whatever its case, punctuation and grammar words.

    >>> fingerprint("Use `pnpm`, never npm!") == fingerprint("please use the pnpm -- never npm")
    True
    >>> fingerprint("Use `pnpm`, never npm!") == fingerprint("Use `npm`, never pnpm!")
    False
    """
    words = _words(text)
    kept = [word for word in words if word not in _NOISE] or words
    return hashlib.sha256(" ".join(kept).encode("utf-8", "replace")).hexdigest()[:20]


def cluster(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates, best first; one with the fingerprint of a better one becomes further evidence of that."""
    best: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=_order):
        if kept := best.get(candidate.fingerprint):
            known = {(one.file, one.line, one.quote) for one in kept.evidence}
            more = tuple(one for one in candidate.evidence if (one.file, one.line, one.quote) not in known)
            candidate = replace(kept, evidence=kept.evidence + more)
        best[candidate.fingerprint] = candidate
    return [*best.values()]


def _order(candidate: Candidate) -> tuple[float, int, int, str]:
    first = candidate.evidence[0]
    return (-candidate.score, first.line, first.line_end, candidate.headline)
