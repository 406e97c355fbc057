"""Counts with their nouns, for people."""

from __future__ import annotations


def counted(count: int, noun: str, several: str = "") -> str:
    """A count with its noun; ``several`` is the noun for more than one, where an s does not make it.

    >>> counted(1, "lesson"), counted(0, "lesson"), counted(1200, "index", "indexes")
    ('1 lesson', '0 lessons', '1,200 indexes')
    """
    return f"{count:,} {noun_of(count, noun, several)}"


def noun_of(count: int, noun: str, several: str = "") -> str:
    """The noun alone, as it stands behind a count.

    >>> noun_of(1, "lesson was", "lessons were"), noun_of(2, "lesson was", "lessons were")
    ('lesson was', 'lessons were')
    """
    return noun if count == 1 else several or f"{noun}s"
