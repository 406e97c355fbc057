"""What stands behind a negation or a word of order or choice."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from curator.comparison.lists import listed
from curator.comparison.words import NOISE, Words, forbidding, stem

_TURNS = {word: word for word in listed("before after over than from into until instead by without via")} | {"rather": "than"}
"""Words behind which it matters what stands there, so that "a before b" is not "b before a"."""


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def governed(words: Words) -> dict[str, set[str]]:
    """The content word behind each negation and each word of order or choice, by kind."""
    found: dict[str, set[str]] = {}
    waiting = ""
    for token in words.tokens:
        if forbidding(token):
            waiting = "not"
        elif token in _TURNS:
            waiting = _TURNS[token]
        elif waiting and token not in NOISE:
            found.setdefault(waiting, set()).add(stem(token))
            waiting = ""
    return found


def turned(one: dict[str, set[str]], other: dict[str, set[str]]) -> bool:
    """Whether other words stand behind a word of order, choice or denial in two statements."""
    return any(not matched(one[kind], other[kind]) for kind in one.keys() & other.keys())


def matched(left: Set[str], right: Set[str]) -> bool:
    """Whether each word has its like on the other side."""
    return all(any(_inflected(x, y) for y in right) for x in left) and all(any(_inflected(x, y) for x in left) for y in right)


def _inflected(one: str, other: str) -> bool:
    return one == other or (
        Prefix.similarity(one, other) >= max(4, min(len(one), len(other)) - 2) and fuzz.ratio(one, other) >= 75
    )
