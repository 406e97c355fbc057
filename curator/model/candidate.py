"""What is proposed: a candidate with its evidence and wordings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from curator.model.turn import Role


class Category(StrEnum):
    """The seven kinds of lesson."""

    CONSTRAINT = "constraint"
    DECISION = "decision"
    BUG_PATTERN = "bug-pattern"
    FAILED_APPROACH = "failed-approach"
    ARCHITECTURE = "architecture"
    CONVENTION = "convention"
    TOOLING = "tooling"


class Durability(StrEnum):
    """Whether a lesson is about the project's lasting state or about this week's work."""

    DURABLE = "durable"
    TEMPORARY = "temporary"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an excerpt: who said it, its text, whether it is the quoted one."""

    role: Role
    text: str
    hit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A verbatim quote and where it stands.

    Agents delete transcripts (Claude Code after 30 days), so the lines around the quote are copied into ``excerpt``.
    """

    quote: str
    role: Role
    file: str
    line: int
    line_end: int
    agent: str = ""
    session: str = ""
    at: float | None = None
    excerpt: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    """A text offered for a lesson; ``label`` says how it differs (shorter, broader, with what follows, …)."""

    headline: str
    insight: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A lesson as a detector proposes it: nobody has seen it yet, it has no id and no state."""

    category: Category
    headline: str
    insight: str
    evidence: tuple[Evidence, ...]
    """At least one; the best first."""
    score: float
    """0 to 1: how likely it is that a person keeps this."""
    why: Mapping[str, float]
    """The named parts of the score."""
    signal: str
    """The rule that fired, by its stable name; statistics count verdicts by it."""
    fingerprint: str
    """The same for the same statement in other words of the same bag; see ``detection.passages``."""
    context: str = ""
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    durability: Durability = Durability.DURABLE
    wordings: tuple[Wording, ...] = ()
    """Two or three texts to choose from; the first is the headline and insight above."""
