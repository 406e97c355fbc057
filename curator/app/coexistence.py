"""Pairs that a person lets stand side by side: they look like rivals, and are raised no more."""

from __future__ import annotations

from collections.abc import Sequence

from curator import comparison
from curator.comparison.duplicates import same
from curator.model import Entry, Relating, Relation


def beside(one: Entry, other: Entry) -> bool:
    """Whether the two are said to coexist, by either side: files may bring in one of them."""
    return any(id_ == other.id for id_, _ in one.coexists) or any(id_ == one.id for id_, _ in other.coexists)


def settled(statement: comparison.Statement, rival: Relation | None, lessons: Sequence[Entry]) -> Relation | None:
    """What a new statement does to the stored ones, with pairs that were let stand left in peace.

    Who says once more what one side of such a pair says does not clash with the other side: it is said again.
    """
    if rival is None or rival.relating not in (Relating.CONTRADICTS, Relating.SUPERSEDES):
        return rival
    stored = next((lesson for lesson in lessons if lesson.id == rival.other), None)
    text = statement.insight or statement.headline
    for lesson in lessons if stored else ():
        if stored and lesson.id != stored.id and beside(lesson, stored) and same(lesson.insight or lesson.headline, text):
            return Relation(other=lesson.id, relating=Relating.DUPLICATE, likeness=1.0, certain=True)
    return rival
