"""What a statement turns down, in phrases, and what it asks for: "use X, never bare Y" does both.

One statement may forbid something and another forbid something else, which is no conflict; nor is one when the same thing is
forbidden twice. So what is held against the other text is the phrase behind each denial, and only what the other asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from curator.comparison.lists import listed
from curator.comparison.statement import rooted
from curator.comparison.words import NOISE, forbidding
from curator.comparison.written import Token, written

_DENIES = listed("avoids avoiding over than arent")
"""Words that turn down what follows, besides those that forbid: "X over Y", "rather than Y"."""
UNDOES = listed("remove removes removed drop drops dropped retire retires retired skip skips replaces replacing")
"""The same where a statement begins with them: what is removed is asked for no more."""
_BEGINNING = 3
_BEHIND = listed("disabled forbidden")
"""Words that deny what stands before them."""
_CLOSES = listed(
    "unless except until because since so when if while but use uses prefer always instead rather which where otherwise via",
    "it this they then",
)
"""Words that end what is turned down."""
_ASIDE = listed("if when unless because since until where whether otherwise so")
"""Words behind which a denial is a condition or a reason, no demand, until the clause ends."""
_BREAK = re.compile(r"[;:.!?](?:\s|$|[*)`\"])|—|–|\n|[()]| - ")
_LONG = 6
"""Roots of what is turned down that are kept."""
SHARES = (0.25, 0.45, 0.65, 0.85)
TOLD = (0.4, 0.8, 1.5)
BOTH = (0.3, 0.6, 0.9)
_LEAST = 0.3
"""What a phrase tells at least, so that one of everyday words is not found in everything."""


class Denials(NamedTuple):
    """The phrases turned down, each as roots in order, and the roots of all else."""

    phrases: tuple[tuple[str, ...], ...]
    asked: frozenset[str]


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def denials(text: str) -> Denials:
    """What a statement turns down and what it asks for.

    >>> denials("Use `make test`, never bare `go test`").phrases
    (('plain', 'go', 'test'),)
    >>> denials("If it is not set, use port 3000").phrases
    ()
    """
    phrases: list[list[str]] = []
    asked: list[str] = []
    phrase: list[str] | None = None
    aside = False
    tokens = written(text)
    for at, token in enumerate(tokens):
        ended = len(token.gap) > 1 and ("," in token.gap or _BREAK.search(token.gap) is not None)
        named = token.code and "," not in token.gap and phrase is not None and len(phrase) <= 1  # "never run: `x`"
        if (ended and not named) or (phrase and token.word in _CLOSES and not token.code):
            phrase = None
        aside = (aside and not ended) or (token.word in _ASIDE and not token.code)
        if not aside and opens(tokens, at):
            phrase = []
            phrases.append(phrase)
        elif token.word not in NOISE:
            (asked if phrase is None else phrase).extend(rooted(token.word))
    return Denials(tuple(tuple(found[:_LONG]) for found in phrases if found), frozenset(asked))


def opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token turns down what follows it."""
    word, code = tokens[at].word, tokens[at].code
    behind = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if code or (word == "not" and behind == "only"):
        return False
    if word == "instead":
        return behind == "of"
    plain = word.replace("'", "")
    return (forbidding(word) and word not in _BEHIND) or plain in _DENIES or (plain in UNDOES and at < _BEGINNING)


def denied(older: str, newer: str, weight: Callable[[str], float]) -> Iterator[str]:
    """How much of what one turns down the other asks for, and how much of it both turn down, as names of features."""
    a, b = denials(older), denials(newer)
    for name, one, other in (("a", a, b), ("b", b, a)):
        asked = other.asked - {root for phrase in other.phrases for root in phrase}
        met = [(_told(set(phrase) & asked, weight), _told(set(phrase), weight)) for phrase in one.phrases]
        share = max((told / max(_LEAST, whole) for told, whole in met), default=0.0)
        most = max((told for told, _ in met), default=0.0)
        yield from (f"{name} turns down>{limit:g}" for limit in SHARES if share > limit)
        yield from (f"{name} turns down told>{limit:g}" for limit in TOLD if most > limit)
    both = max((_common(set(x), set(y), weight) for x in a.phrases for y in b.phrases), default=0.0)
    yield from (f"both turn down>{limit:g}" for limit in BOTH if both > limit)


def _common(one: Set[str], other: Set[str], weight: Callable[[str], float]) -> float:
    return _told(one & other, weight) / max(_LEAST, min(_told(one, weight), _told(other, weight)))


def _told(roots_: Set[str], weight: Callable[[str], float]) -> float:
    return math.fsum(map(weight, roots_))  # exact: a set is added up in another order in each process
