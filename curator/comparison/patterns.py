"""Statements of a known form: an entry ("`name` - what it is"), a directive with a purpose ("use X for Y").

Two entries of a list look alike and are about two things; one with another name and the same description was renamed. What is
used for the same purpose takes the place of what was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from functools import lru_cache

from rapidfuzz import fuzz

from curator.comparison.statement import NOISE, REMEMBERED, listed, rooted, written

_NAME = re.compile(r"[^\w`*]*(`[^`\n]+`|\*\*[^*\n]+\*\*)")
_LABELLED = tuple(
    re.compile(pattern)
    for pattern in (r"([^:#`]{3,40}):\s+(.+)$", r"(\S[^#]{2,80}?)\s+#\s+(.+)$", r"(.{3,60}?)(?<!\s)\s++[-–—→]\s++(.+)$")
)
"""A label with a colon, a line with a remark, a line with a dash."""
_SENTENCE = re.compile(r"[.;]\s")
_PURPOSE = listed("for to when in on before after if during")
SAME, LIKE = 97, 65
"""From how many of 100 letters a name or a description is the same, or like the other."""
SHARES = (0.8, 0.35)
"""From how much that roots have in common what is said, or what it is for, is the same, or like the other."""


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def entry(text: str) -> tuple[str, str] | None:
    """The name and the description of an entry, in lower case.

    >>> entry("`src/api/` - request handlers")
    ('src/api/', 'request handlers')
    """
    low = text.lower()
    if named := _NAME.match(low):  # code or bold at the start
        described = low[named.end() :].lstrip(" \t-–—:#→=")
        return (named[1].strip("*`:"), described) if described else None
    match = next((match for pattern in _LABELLED if (match := pattern.match(low))), None)
    return (match[1], match[2]) if match else None


@lru_cache(maxsize=REMEMBERED)
def frame(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The roots of what the first sentence says, and those of what it is for, or in, or when.

    >>> [sorted(part) for part in frame("Use Vitest for unit tests. It is fast")]
    [['vitest'], ['test', 'unit']]
    """
    demand: list[str] = []
    purpose: list[str] = []
    part = demand
    for token in written(text):
        if demand and _SENTENCE.search(token.gap):
            break
        if token.word in _PURPOSE and demand and not token.code:
            part = purpose
        if token.word not in NOISE:
            part.extend(rooted(token.word))
    return frozenset(demand), frozenset(purpose)


def framed(older: str, newer: str, weight: Callable[[str], float]) -> Iterator[str]:
    """Which parts of two entries, or of two directives, are the same, like or other, as names of features."""
    a, b = entry(older), entry(newer)
    if a and b:
        name = _alike(fuzz.ratio(a[0], b[0]), SAME, LIKE)
        described = "same" if fuzz.ratio(a[1], b[1]) >= SAME else _alike(fuzz.token_set_ratio(a[1], b[1]), 101, LIKE)
        yield f"entry {name}"
        yield f"entry {name}, {described}"
    (demand_a, for_a), (demand_b, for_b) = frame(older), frame(newer)
    if for_a and for_b:
        demand, purpose = _common(demand_a, demand_b, weight), _common(for_a, for_b, weight)
        yield f"says {_alike(demand, *SHARES)} for {_alike(purpose, *SHARES)}"


def _alike(value: float, same: float, like: float) -> str:
    return "same" if value >= same else "like" if value >= like else "other"


def _common(one: Set[str], other: Set[str], weight: Callable[[str], float]) -> float:
    """Dice's coefficient, by what the roots tell."""
    shared, a, b = (sum(sorted(map(weight, part))) for part in (one & other, one, other))  # sorted: the same in each process
    return 2 * shared / max(0.3, a + b)
