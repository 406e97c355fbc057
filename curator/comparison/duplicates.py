"""The search for the same statement in other words among thousands, and the terms of a search. It is narrow on purpose.

Two statements taken for one lose the second silently. So every significant part must agree: names, numbers, code, the forbidden
thing, and the words after "before", "instead of" and the like. The order, the grammar, and one added word in four may differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from curator.comparison.statement import (
    NOISE,
    REMEMBERED,
    all_match,
    analyse,
    clashes,
    declarations,
    dependents,
    forbidding,
    is_turned,
    is_value,
    rivals_of,
)
from curator.text.words import word_set

WORDS_PER_DIFFERENCE = 4
"""One content word in this many may differ. Shorter statements must agree in all words."""
_NARROWS = word_set("except unless but if when while only also because since during outside inside until first last most least")


class Statement(Protocol):
    """The attributes that an entry and a candidate share."""

    @property
    def headline(self) -> str:
        """At most 16 words."""

    @property
    def insight(self) -> str:
        """At most 30 words, or empty."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it names."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that it names."""


def comparison_text(statement: Statement) -> str:
    """Return the words to compare: the insight, or else the headline."""
    return statement.insight or statement.headline


def whole_text(statement: Statement) -> str:
    """Return all words of a statement: two lessons about one thing often give different reasons."""
    return f"{statement.headline}. {statement.insight}" if statement.insight else statement.headline


class StatementIndex:
    """Statements by id, indexed by their content words."""

    def __init__(self) -> None:
        self._words: dict[str, Set[str]] = {}
        self._texts: dict[str, str] = {}
        self._index: dict[str, set[str]] = {}

    def add(self, id_: str, text: str) -> None:
        """Take in a statement; another one of this id goes."""
        self.drop(id_)
        self._texts[id_], self._words[id_] = text, content(text)
        for word in self._words[id_]:
            self._index.setdefault(word, set()).add(id_)

    def drop(self, id_: str) -> None:
        """Leave a statement out from now on."""
        self._texts.pop(id_, None)
        for word in self._words.pop(id_, ()):
            self._index[word].discard(id_)

    def find(self, text: str) -> str | None:
        """Return the id of a statement that says the same, ``None`` for a new one."""
        if not self._texts:  # In most projects, nobody has dismissed anything.
            return None
        return next((id_ for id_ in self._likely(content(text)) if same(self._texts[id_], text)), None)

    def _likely(self, mine: Set[str]) -> Iterator[str]:
        """Return statements that share all words except the allowed difference. They share one of the rarest, so only those
        lists are read.
        """
        rarest = sorted(mine, key=lambda word: (len(self._index.get(word, ())), word))[: len(mine) // WORDS_PER_DIFFERENCE + 1]
        near = set[str]().union(*(self._index.get(word, ()) for word in rarest))
        return (id_ for id_ in sorted(near) if len(mine & self._words[id_]) >= len(mine) - len(mine) // WORDS_PER_DIFFERENCE)


def repeats(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that repeat an earlier one of many, each with the earlier one's id."""
    index, found = StatementIndex(), dict[str, str]()
    for id_, text in texts.items():
        if original := index.find(text):
            found[id_] = original
        else:
            index.add(id_, text)
    return found


def same(one: str, other: str) -> bool:
    """Return whether two texts state the same.

    >>> same("Never edit vendor/ by hand", "vendor/ must never be edited by hand")
    True
    >>> same("Run the linter before the tests", "Run the tests before the linter")
    False
    """
    mine, theirs = content(one), content(other)
    return (
        bool(mine)
        and _is_rewording(mine - theirs, theirs - mine, min(len(mine), len(theirs)) // WORDS_PER_DIFFERENCE)
        and not adds(one, other)
        and not adds(other, one)
    )


REWORDED = 0.6
"""The share of words (0 to 1) that a text shares with the one it was made of."""


def is_reworded(older: str, newer: str) -> bool:
    """Return whether a text may be an older one in other words."""
    mine, theirs = content(older), content(newer)
    return bool(mine) and len(mine & theirs) >= REWORDED * max(len(mine), len(theirs))


def adds(older: str, newer: str) -> bool:
    """Return whether a text has a name, a number, a denial or an order that the older one lacks.

    >>> adds("Keep the port on 4000.", "The port stays on 4000!"), adds("Keep the port on 4000.", "Keep the port on 5000.")
    (False, True)
    """
    a, b = analyse(older), analyse(newer)
    return (
        not b.values <= a.values | set(a.tokens)
        or (bool(a.forbids) != bool(b.forbids))
        or is_turned(dependents(a), dependents(b))
        or bool(clashes(declarations(older), declarations(newer)))
    )


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def content(text: str) -> Set[str]:
    """Return the stems that carry a statement, without those that deny it."""
    return frozenset(word for word in analyse(text).stems if not forbidding(word))


def _is_rewording(left: Set[str], right: Set[str], most: int) -> bool:
    """Return whether the differing words change nothing: few, and either additions or other forms of the same words."""
    if max(len(left), len(right)) > most:
        return False
    if left and right:
        return all_match(left, right)
    return not (left | right) & _NARROWS


MAX_TERMS = 14
"""Words of a statement that are looked for; the index takes the rarest of them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Words to look for, each once, values first; ``rivals`` are the values of every key that it declares."""

    words: tuple[str, ...]
    rivals: tuple[str, ...] = ()


def search_terms(statement: Statement) -> Terms:
    """Return the search terms: the words of a statement, its files and symbols, and the rivals."""
    text = whole_text(statement)
    words = dict.fromkeys(word for word in analyse(text).tokens if word not in NOISE)
    best = sorted(words, key=lambda word: (not is_value(word), -len(word)))[:MAX_TERMS]
    names = (file.rsplit("/", 1)[-1] for file in statement.files)
    return Terms(tuple(dict.fromkeys((*best, *names, *statement.symbols))), tuple(sorted(rivals_of(declarations(text)))))


def share_terms(one: str, other: str) -> bool:
    """Return whether two texts deserve a comparison: they share two stems (one if they are short), or a declared key."""
    a, b = content(one), content(other)
    if len(a & b) >= (2 if min(len(a), len(b)) > 2 else 1):
        return True
    keys_a, keys_b = (facts.choices.keys() | facts.refusals.keys() for facts in map(declarations, (one, other)))
    return bool(keys_a & keys_b)
