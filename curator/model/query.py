"""What is asked for: which entries are wanted, and what a list shows of them."""

from __future__ import annotations

from dataclasses import dataclass

from curator.model.candidate import Category
from curator.model.entry import Kind, State
from curator.model.turn import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which entries are wanted. Waiting ones come best first, others newest first."""

    project: str | None = None
    """A project's id; ``None`` means every project."""
    shared: bool = False
    """Besides the project's own the active lessons of other projects whose scope is global."""
    waiting: bool = False
    """Only what a person is asked about and is not snoozed at ``now``."""
    now: float = 0.0
    cap: int = 0
    """Only the best so many candidates of each session; 0 means all."""
    review: tuple[float, float] | None = None
    """What a periodic review asks about: conflicts, stale lessons; those that were told to no avail, at once, until a person
    decides about them; those untouched since the first moment that are temporary, of no avail, or never told; all that are
    untouched since the second; then in this order, the longest untouched first.
    """
    hidden: bool | None = None
    """Only what a person's verdicts on its like hold back, or only the rest; ``None`` means both."""
    versions: bool = True
    """Also what was, or is, the card of a clash with a lesson's file: most of its words are the lesson's own."""
    kind: Kind | None = None
    states: tuple[State, ...] = ()
    """Any of these; empty means any."""
    category: Category | None = None
    session: str = ""
    since: float = 0.0
    words: tuple[str, ...] = ()
    """Each must stand in the headline, insight, category, files or agent; upper or lower case."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a row of a list shows: an entry without its text."""

    seq: int
    id: str
    project: str
    state: State
    kind: Kind
    category: Category
    headline: str
    score: float
    seen: int
    created: float
    updated: float
    role: Role | None
    """Who said what it quotes first; ``None`` where it quotes nothing."""
    signal: str
    """What it was found by."""
