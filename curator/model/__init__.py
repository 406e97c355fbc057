"""The nouns that all stages take and return: named tuples, and frozen dataclasses for what is read of transcripts.

Everything here is frozen and depends on nothing of ours, so that a stage can be read, tested and replaced by itself.
Times are seconds since the epoch (UTC); ``None`` means that the source did not say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curator.model.entry import (
    ALARM,
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
        """Return what reading needs, once it is asked for: four classes more are two milliseconds of every start."""
        if name not in ("Candidate", "Happening", "Locator", "Turn"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from curator.model import turn

        return getattr(turn, name)


__all__ = [
    "ALARM",
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
