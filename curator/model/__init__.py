"""The nouns that all stages take and return: named tuples, and frozen dataclasses for data from transcripts.

Everything here is frozen and imports no other part of curator, so each stage can be read, tested and replaced alone. Times are
seconds since the epoch (UTC); ``None`` means that the source does not say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curator.model.entry import (
    ALARM,
    APART,
    DISTILLED,
    FROM_FILE,
    GRAVE,
    IN_AGENT,
    JSON,
    MEMORY,
    OFFER,
    PERSON,
    SAVED,
    WISH,
    Advice,
    Anchor,
    Applicability,
    Category,
    Change,
    Consolidation,
    Drift,
    Durability,
    Entry,
    Event,
    Evidence,
    Finding,
    Head,
    Kind,
    Line,
    Project,
    Query,
    Relating,
    Relation,
    Repository,
    Role,
    Snippet,
    State,
    Tier,
    Verb,
    Wording,
)

if TYPE_CHECKING:
    from curator.model.turn import Candidate, Happening, Locator, Turn


if not TYPE_CHECKING:  # else mypy would believe in every name

    def __getattr__(name: str) -> Any:
        """Return a noun of reading on first use. Its four classes would cost two milliseconds at every start."""
        if name not in ("Candidate", "Happening", "Locator", "Turn"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from curator.model import turn

        return getattr(turn, name)


__all__ = [
    "ALARM",
    "APART",
    "DISTILLED",
    "FROM_FILE",
    "GRAVE",
    "IN_AGENT",
    "JSON",
    "MEMORY",
    "OFFER",
    "PERSON",
    "SAVED",
    "WISH",
    "Advice",
    "Anchor",
    "Applicability",
    "Candidate",
    "Category",
    "Change",
    "Consolidation",
    "Drift",
    "Durability",
    "Entry",
    "Event",
    "Evidence",
    "Finding",
    "Happening",
    "Head",
    "Kind",
    "Line",
    "Locator",
    "Project",
    "Query",
    "Relating",
    "Relation",
    "Repository",
    "Role",
    "Snippet",
    "State",
    "Tier",
    "Turn",
    "Verb",
    "Wording",
]
