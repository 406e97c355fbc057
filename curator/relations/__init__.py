"""What a new statement does to a stored one: duplicate, refines, supersedes, contradicts, or (mostly) nothing.

Retrieve wide, classify narrow: every stored lesson is looked at cheaply (shared word stems, or a value of the same exclusive
choice), the best few are compared word by word. Quiet by default: a false conflict costs a person's trust.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rapidfuzz import fuzz

from curator.model import Entry, Relating, Relation
from curator.relations.again import Said
from curator.relations.compare import compared
from curator.relations.facts import declared, rivals_of
from curator.relations.merge import joined
from curator.relations.words import analysed

__all__ = ["Said", "Statement", "merged", "relate", "similar"]

NOMINEES = 24
"""Stored lessons that are compared word by word."""


class Statement(Protocol):
    """What an entry and a candidate have in common."""

    @property
    def headline(self) -> str:
        """At most 12 words."""

    @property
    def insight(self) -> str:
        """At most 30 words, or empty."""

    @property
    def files(self) -> tuple[str, ...]:
        """Files that it speaks of."""


_WEIGHT = {Relating.SUPERSEDES: 3, Relating.CONTRADICTS: 3, Relating.DUPLICATE: 2, Relating.REFINES: 1}


def relate(text: Statement, others: Sequence[Entry]) -> Relation | None:
    """The strongest relation of a new statement to one of the stored lessons, or ``None``.

    A copy of a stored lesson is a duplicate whatever else it may touch; then conflicts, then refinements; then the likest.
    """
    newer = told(text)
    best: tuple[tuple[int, float], Relation] | None = None
    for other in _nominated(newer, others):
        if other is text or _apart(text, other):
            continue
        verdict = compared(told(other), newer)
        if verdict is None:
            continue
        relating, clash, likeness = verdict
        weight = 4 if relating is Relating.DUPLICATE and likeness >= 0.9 else _WEIGHT[relating]
        relation = Relation(other=other.id, relating=relating, clash=clash, likeness=likeness)
        if best is None or (weight, likeness) > best[0]:
            best = ((weight, likeness), relation)
    return best[1] if best else None


def merged(a: Statement, b: Statement) -> tuple[str, str]:
    """A headline and an insight that keep what both say, as a proposal for a person to edit."""
    return joined((a.headline, a.insight), (b.headline, b.insight))


def similar(entry: Statement, others: Sequence[Entry], limit: int) -> list[tuple[Entry, float]]:
    """The ``limit`` stored lessons that ``entry`` may be merged into, likest first, with their likeness 0 to 1."""
    text = whole(entry)
    mine = analysed(text)
    found = []
    for other in _nominated(text, others):
        if other is entry or other.id == getattr(entry, "id", ""):
            continue
        theirs = analysed(whole(other))
        overlap = len(mine.stems & theirs.stems) / max(1, len(mine.stems | theirs.stems))
        same_files = 0.1 if set(entry.files) & set(other.files) else 0.0
        ratio = fuzz.token_set_ratio(text.lower(), whole(other).lower()) / 100
        found.append((other, round(min(1.0, 0.5 * ratio + 0.5 * overlap + same_files), 3)))
    return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:limit]


def told(statement: Statement) -> str:
    """The words that are compared: the insight, else the headline."""
    return statement.insight or statement.headline


def whole(statement: Statement) -> str:
    """All its words: two lessons about one thing often give different reasons."""
    return f"{statement.headline}. {statement.insight}" if statement.insight else statement.headline


def _apart(text: Statement, other: Entry) -> bool:
    """Whether the two hold in different places of the project: then they never clash."""
    mine = getattr(text, "paths", ()) if getattr(text, "scope", "") == "paths" else ()
    theirs = other.paths if other.scope == "paths" else ()
    if not mine or not theirs:
        return False
    return not any(
        a.rstrip("/*").startswith(b.rstrip("/*")) or b.rstrip("/*").startswith(a.rstrip("/*")) for a in mine for b in theirs
    )


def _nominated(text: str, others: Sequence[Entry]) -> list[Entry]:
    """The stored lessons that share most stems with the text, or choose within the same group."""
    stems = sorted(analysed(text).stems, key=lambda word: (-len(word), word))[:10]
    rivals = rivals_of(declared(text))
    need = 2 if len(stems) > 2 else 1
    found = []
    for place, other in enumerate(others):
        low = whole(other).lower()
        count = sum([word in low for word in stems])
        if rivals and any(value in low for value in rivals):
            count += 3
        if count >= need:
            found.append((-count, place))
    return [others[place] for _, place in sorted(found)[:NOMINEES]]
