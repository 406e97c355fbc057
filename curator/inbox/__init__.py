"""What waits, in which order: rank, cap, the suggested answer to a conflict, snooze."""

from __future__ import annotations

from enum import StrEnum

from curator.inbox.learning import adjustment, held, weighed
from curator.model import Entry, Kind, Relating, Role, Wording

__all__ = [
    "REASONS",
    "SNOOZES",
    "WITHDRAWN",
    "Resolution",
    "adjustment",
    "differing",
    "held",
    "rank",
    "suggest",
    "weighed",
]

HOUR = 3600.0
SNOOZES: tuple[tuple[str, float], ...] = (
    ("1 hour", HOUR),
    ("1 day", 24 * HOUR),
    ("1 week", 168 * HOUR),
    ("30 days", 720 * HOUR),
)
"""What ``Z`` offers, as (label, seconds)."""

REASONS: tuple[str, ...] = ("wrong", "obsolete", "duplicate", "broad")
"""What ``X`` offers as the reason of a retirement or dismissal."""

WITHDRAWN = "withdrawn"
"""The reason, given by no person, of a card that was taken back because its question had answered itself."""


class Resolution(StrEnum):
    """The ways out of a conflict."""

    NEWER = "newer"
    """The new statement takes the old lesson's place."""
    OLDER = "older"
    """The old lesson stays, the new statement goes."""
    BOTH = "both"
    """Both hold."""
    MERGE = "merge"
    """The new statement's evidence and wording go into the old lesson."""


def rank(entry: Entry) -> float:
    """How early a row is shown: conflicts first, since they block a lesson that is in use, then stale ones, then candidates.

    Among candidates the expected worth decides; being stated again counts more than any single part of a score.
    """
    if entry.kind is Kind.CONFLICT:
        return 2.0 + entry.score
    if entry.kind is Kind.STALE:
        return 1.0 + entry.score / 100
    return min(0.999, entry.score + 0.05 * (entry.seen - 1))


def differing(wording: Wording, entry: Entry) -> str:
    """What tells an offered wording from the text that stands: its headline, or else its insight."""
    return wording.headline if wording.headline != entry.headline else wording.insight


def suggest(entry: Entry) -> Resolution:
    """The answer to a conflict that is right most often.

    What a person said outranks what an agent concluded; a repetition adds its evidence to the lesson that stands. A file
    was edited by a person (or comes from one by git).
    """
    assert entry.rival is not None
    if entry.signal == "file":
        return Resolution.NEWER
    if entry.rival.relating is Relating.DUPLICATE:
        return Resolution.MERGE
    said = any(evidence.role is Role.HUMAN for evidence in entry.evidence)
    if entry.rival.relating is Relating.CONTRADICTS and not said:
        return Resolution.OLDER
    return Resolution.NEWER
