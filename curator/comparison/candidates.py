"""By what a statement is looked for among thousands: its words, what it names, and the rivals of what it chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from curator.comparison.choices import declared, rivals_of
from curator.comparison.classifier import shipped
from curator.comparison.statement import roots, said
from curator.comparison.words import NOISE, analysed

MOST = 14
"""Words of a statement that are looked for; the index takes the rarest of them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Words to look for, each once, the most telling first; ``rivals`` are the values of every key that it declares."""

    words: tuple[str, ...]
    rivals: tuple[str, ...] = ()


def terms(text: str, files: Sequence[str] = (), symbols: Sequence[str] = ()) -> Terms:
    """What to look for: what tells most of the words, all names of files and symbols, and the rivals.

    >>> terms("Use pnpm in `web/`").rivals
    ('bun', 'npm', 'pnpm', 'yarn')
    """
    words = dict.fromkeys(word for word in analysed(text).tokens if word not in NOISE)
    best = sorted(words, key=_telling, reverse=True)[:MOST]
    names = (file.rsplit("/", 1)[-1] for file in files)
    return Terms(tuple(dict.fromkeys((*best, *names, *symbols))), tuple(sorted(rivals_of(declared(text)))))


@lru_cache(maxsize=4096)  # most words of a statement stand in others as well
def _telling(word: str) -> float:
    """How much a word tells of what a statement is about, 0 to 1."""
    model = shipped()
    return max(map(model.weight, roots(word)), default=0.0) if model else 1.0


def touching(one: str, other: str) -> bool:
    """Whether two texts share enough to be worth a comparison: two roots (of short ones a single one), or a declared key."""
    a, b = said(one), said(other)
    if len(a.bag & b.bag) >= (2 if min(len(a.bag), len(b.bag)) > 2 else 1):
        return True
    keys_a, keys_b = (one.facts.chosen.keys() | one.facts.refused.keys() for one in (a, b))
    return bool(keys_a & keys_b)
