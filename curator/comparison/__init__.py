"""How a new statement relates to a stored one: duplicate, refines, supersedes, contradicts, or (mostly) not at all.

Retrieve wide, classify narrow: ``duplicates.terms`` says by what the store's index finds those that share something
rare; ``relate`` compares these one by one. Quiet by default: a false conflict costs a person's trust.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rapidfuzz import fuzz

from curator.comparison.classifier import CONFLICTS, LONG, Verdict, beside, between, elsewhere, likeness, parallel
from curator.comparison.duplicates import StatementIndex, Terms, terms, touching
from curator.comparison.merge import joined
from curator.comparison.paths import apart, within
from curator.comparison.statement import analysed
from curator.model import Entry, Relating, Relation

__all__ = [
    "Statement",
    "StatementIndex",
    "Terms",
    "Verdict",
    "between",
    "likeness",
    "merged",
    "relate",
    "similar",
    "sought",
    "told",
]


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

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names in the code that it speaks of."""


_WEIGHT = {Relating.SUPERSEDES: 3, Relating.CONTRADICTS: 3, Relating.DUPLICATE: 2, Relating.REFINES: 1}


EDITED = 0.7
"""Likeness from which a guess is believed: of 149 such conflicts on repositories that the model had not seen 134 were right,
of 79 below 64; see docs/relations.md."""


def relate(text: Statement, others: Iterable[Entry], *, guess: bool = True) -> Relation | None:
    """The strongest relation of a new statement to one of the stored lessons that is certain enough to ask about, or ``None``.

    A copy of a stored lesson is a duplicate whatever else it may touch; then conflicts, then refinements; then the likest.
    Where it holds in a part of the place in which the other does, it is an exception of it, no conflict. Without ``guess``
    only what needs none is told.
    """
    newer = compared_text(text)[:LONG]
    best: tuple[tuple[int, float], Relation] | None = None
    for other in others:
        older = compared_text(other)[:LONG]
        if _settled(text, other) or apart(text, other) or not touching(newer, older):
            continue
        verdict = between(older, newer)
        if verdict.relating is None or not verdict.sure or not (guess or verdict.exact):
            continue
        apart_ = elsewhere if verdict.exact else beside
        if verdict.relating in CONFLICTS and (parallel(older, newer) or apart_(older, newer)):
            continue
        relating = Relating.REFINES if verdict.relating in CONFLICTS and within(text, other) else verdict.relating
        weight = 4 if relating is Relating.DUPLICATE and verdict.likeness >= 0.9 else _WEIGHT[relating]
        plain = not verdict.partial and (verdict.exact or verdict.likeness >= EDITED)
        relation = Relation(
            other=other.id,
            relating=relating,
            clash=verdict.clash,
            likeness=verdict.likeness,
            certain=plain and relating is verdict.relating,  # an exception takes nobody's place
        )
        if best is None or (weight, verdict.likeness) > best[0]:
            best = ((weight, verdict.likeness), relation)
    return best[1] if best else None


def _settled(text: Statement, other: Entry) -> bool:
    """Whether there is nothing to ask: it is the same entry, or a person has said that both hold."""
    id_ = getattr(text, "id", "")
    return (
        other is text
        or other.id == id_
        or any(other.id == beside for beside, _ in getattr(text, "coexists", ()))
        or any(id_ == beside for beside, _ in other.coexists)
    )


def merged(older: Entry, newer: Entry) -> tuple[str, str]:
    """A headline and an insight for both, as a proposal for a person to edit; where they clash the newer holds.

    What a card says that the newer does to the older goes before what its words say.
    """
    known = newer.rival if newer.rival and newer.rival.other == older.id else None
    return joined((older.headline, older.insight), (newer.headline, newer.insight), known)


def similar(entry: Statement, others: Iterable[Entry], limit: int) -> list[tuple[Entry, float]]:
    """The ``limit`` stored lessons that ``entry`` may be merged into, likest first, with their likeness 0 to 1."""
    text = whole(entry)
    mine = analysed(text)
    found = []
    for other in others:
        if other is entry or other.id == getattr(entry, "id", "") or not touching(text, whole(other)):
            continue
        theirs = analysed(whole(other))
        overlap = len(mine.stems & theirs.stems) / max(1, len(mine.stems | theirs.stems))
        same_files = 0.1 if set(entry.files) & set(other.files) else 0.0
        ratio = fuzz.token_set_ratio(text.lower(), whole(other).lower()) / 100
        found.append((other, round(min(1.0, 0.5 * ratio + 0.5 * overlap + same_files), 3)))
    return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:limit]


def sought(statement: Statement) -> Terms:
    """By what those are looked for that a statement may relate to."""
    return terms(whole(statement), statement.files, statement.symbols)


def compared_text(statement: Statement) -> str:
    """The words that are compared: the insight, else the headline."""
    return statement.insight or statement.headline


def whole(statement: Statement) -> str:
    """All its words: two lessons about one thing often give different reasons."""
    return f"{statement.headline}. {statement.insight}" if statement.insight else statement.headline
