"""Statements that look alike since they say the same kind of thing of two things: side by side, not instead of one another."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import chain, dropwhile, takewhile

from curator.comparison.choices import GROUPS, clashes, declared
from curator.comparison.demands import Demand, demands
from curator.comparison.lists import listed
from curator.comparison.words import NOISE, analysed, is_value

_OF = listed("for of in to by with from on at under inside")
"""Words behind which stands what a statement is about."""

_CHOICES = frozenset(name for values in GROUPS.values() for name in values.split())
Swap = tuple[tuple[str, ...], tuple[str, ...]]


def parallel(older: str, newer: str) -> bool:
    """Whether the two speak of two things: the same replacement twice, or a value and what it is for both replaced.

    >>> parallel("Use tool 4 for task 4", "Use tool 2 for task 2")
    True
    >>> parallel("Run tests with `make test`", "Run migrations with `make migrate`")
    True
    >>> parallel("Port 3000 is for the api", "Port 4000 is for the web app")
    True
    >>> parallel("Always use pnpm for the examples folder", "Use yarn for the docs")
    True
    >>> parallel("The api listens on port 3000", "The api listens on port 4000")
    False
    """
    a, b = analysed(older).tokens, analysed(newer).tokens
    swaps: list[Swap] = []
    purposes = values = 0
    for kind, i, j, k, n in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        was, is_ = a[i:j], b[k:n]
        if kind == "equal" or not {*was, *is_} - NOISE:
            continue
        if kind == "replace" and _set(was) and _set(is_) and _set(was) != _set(is_):
            return True
        if kind != "replace":
            return False
        swaps.append((_roots(was), _roots(is_)))
        if all(map(_telling, (*was, *is_))):
            values += 1
        elif _behind(a, i) and _behind(b, k) and not any(map(_telling, (*was, *is_))):
            purposes += 1
    return len(swaps) > len(set(swaps)) or bool(values and purposes)


def beside(older: str, newer: str) -> bool:
    """Whether both can be followed whatever the two name: each only forbids something, or asks to run something else.

    >>> beside("Never commit kv.db", "Never commit .env"), beside("Run go test before a push", "Run go vet before a push")
    (True, True)
    >>> beside("Run the tests with go test", "Run the tests with gotestsum")
    False
    """
    a, b = demands(older), demands(newer)
    if not a or not b:
        return False
    if all(one.forbids for one in (*a, *b)):
        return True
    if any(one.forbids or one.words[0] != "run" for one in (*a, *b)) or len(a) + len(b) > 2:
        return False
    what, other = (list(takewhile(lambda root: not root.behind, one.roots)) for one in (*a, *b))
    return what != other and not any(root.behind == "with" for one in (*a, *b) for root in one.roots)


def elsewhere(older: str, newer: str) -> bool:
    """Whether two choices are each made for a place or purpose of its own.

    >>> elsewhere("Use tabs in Makefiles, not spaces", "Use spaces in Python files")
    True
    >>> elsewhere("Use tabs", "Use spaces in Python files")
    False
    """
    here, there = (frozenset(chain.from_iterable(map(_where, demands(text)))) for text in (older, newer))
    return bool(here and there and not here & there and clashes(declared(older), declared(newer)))


def _where(demand: Demand) -> frozenset[str]:
    """The roots of what a demand names as its place or purpose."""
    named = list(dropwhile(lambda root: root.behind not in ("place", "for"), demand.roots))
    return demand.of | {root.root for root in named}


def _set(tokens: tuple[str, ...]) -> str:
    """The name that a single token gives a value, as in ``name=value``; empty where it does not."""
    name, sign, _ = tokens[0].partition("=")
    return name if sign and len(tokens) == 1 else ""


def _telling(token: str) -> bool:
    """Whether a token is a value: a name, a number, or one side of a choice."""
    return is_value(token) or token in _CHOICES


def _roots(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Words by their beginnings: ``tests`` and ``test``, ``migrations`` and ``migrate`` are one."""
    return tuple(token[:4] for token in tokens)


def _behind(tokens: tuple[str, ...], at: int) -> bool:
    """Whether what stands at a place is what the statement is for, or of, or in."""
    while at and tokens[at - 1] in NOISE - _OF:
        at -= 1
    return bool(at) and tokens[at - 1] in _OF
