"""The nouns of reading: a turn of a session, its place, and the lesson that a detector proposes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from curator.model import Category, Durability, Evidence, Role, Wording


class Happening(StrEnum):
    """The meaning of an ``EVENT`` turn, or of a ``HUMAN`` turn said in special circumstances."""

    REFUSAL = "refusal"
    """A person refused a tool call. The turn's text is the reason, or empty without one."""
    INTERRUPTION = "interruption"
    """A person stopped the agent."""
    QUEUED = "queued"
    """A person spoke while the agent worked. The turn is ``HUMAN``."""
    ANSWER = "answer"
    """A person answered the agent's question or refused or accepted its plan."""
    USER_EDIT = "user_edit"
    """A person changed the agent's proposal, or a file that contains it."""
    COMPACTION = "compaction"
    """The agent's context was summarised. Later turns repeat nothing."""


@dataclass(frozen=True, slots=True)
class Locator:
    """A place in a file: 1-based line (a JSONL record or a line of Markdown), or the record's own id."""

    file: str
    line: int
    line_end: int
    record: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said or done in a session, in the order of the transcript."""

    agent: str
    session: str
    role: Role
    text: str
    locator: Locator
    at: float | None = None
    cwd: str = ""
    branch: str = ""
    happening: Happening | None = None
    tool: str = ""
    call: str = ""
    """Joins a ``TOOL_CALL`` to its ``TOOL_RESULT``."""
    command: str = ""
    """The shell command of a call, exactly. Results repeat that of their call."""
    paths: tuple[str, ...] = ()
    """Files that a call reads or writes. Results repeat those of their call."""
    ok: bool | None = None
    """True if a result reports success. ``None`` means that the format does not say."""
    sidechain: bool = False
    """Said inside a subagent."""
    automated: bool = False
    """Said in a run that no person drove (``-p``, an SDK, CI)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A lesson as a detector proposes it, without an id or a state. No person has seen it yet."""

    category: Category
    headline: str
    insight: str
    evidence: tuple[Evidence, ...]
    """At least one; the best comes first."""
    score: float
    """0 to 1: how likely it is that a person keeps this."""
    score_parts: Mapping[str, float]
    """The named parts of the score."""
    signal: str
    """The rule that made it, by its stable name. Statistics count decisions by it."""
    fingerprint: str
    """A hash that is the same for the same statement (see ``detection.statements``)."""
    context: str = ""
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    durability: Durability = Durability.DURABLE
    wordings: tuple[Wording, ...] = ()
    """Two or three texts to choose from. The first is the headline and insight above."""
