"""The nouns that all stages take and return: frozen dataclasses.

Everything here is frozen and depends on nothing of ours, so that a stage can be read, tested and replaced by itself.
Times are seconds since the epoch (UTC); ``None`` means that the source did not say.
"""

from __future__ import annotations

from curator.model.anchor import ALARM, Anchor, Drift, Finding
from curator.model.candidate import Candidate, Category, Durability, Evidence, Line, Wording
from curator.model.entry import (
    DISTILLED,
    FROM_FILE,
    SAVED,
    Advice,
    Entry,
    Holding,
    Kind,
    Project,
    Relating,
    Relation,
    Repository,
    Snippet,
    State,
)
from curator.model.event import IN_AGENT, JSON, PERSON, Change, Event, Verb, in_agent
from curator.model.query import Head, Query
from curator.model.turn import Happening, Locator, Role, Turn

__all__ = [
    "ALARM",
    "DISTILLED",
    "FROM_FILE",
    "IN_AGENT",
    "JSON",
    "PERSON",
    "SAVED",
    "Advice",
    "Anchor",
    "Candidate",
    "Category",
    "Change",
    "Drift",
    "Durability",
    "Entry",
    "Event",
    "Evidence",
    "Finding",
    "Happening",
    "Head",
    "Holding",
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
    "Turn",
    "Verb",
    "Wording",
    "in_agent",
]
