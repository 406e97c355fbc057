"""What agents wrote: turns of a session, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Who or what speaks in a turn. ``HUMAN`` means words that a person typed, not every record an agent files as "user".

    ``FILE`` stands in evidence only: a file of the repository says that a person typed this, and others can write to it.
    """

    HUMAN = "human"
    FILE = "file"
    ASSISTANT = "assistant"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    EVENT = "event"


class Happening(StrEnum):
    """What an ``EVENT`` turn, or a ``HUMAN`` turn said in special circumstances, stands for."""

    REFUSAL = "refusal"
    """A person refused a tool call; the turn's text is the reason, empty when none was given."""
    INTERRUPTION = "interruption"
    """A person stopped the agent."""
    QUEUED = "queued"
    """A person spoke while the agent worked; the turn is ``HUMAN``."""
    ANSWER = "answer"
    """A person answered the agent's question or refused or accepted its plan."""
    USER_EDIT = "user_edit"
    """A person changed what the agent proposed or a file that it holds."""
    COMPACTION = "compaction"
    """The agent's context was summarised; what follows repeats nothing."""


@dataclass(frozen=True, slots=True)
class Locator:
    """Where something stands: 1-based line (a JSONL record or a line of Markdown), or the record's own id."""

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
    """The shell command of a call, exactly; results repeat that of their call."""
    paths: tuple[str, ...] = ()
    """Files that a call reads or writes; results repeat those of their call."""
    ok: bool | None = None
    """Whether a result reports success; ``None`` where the format does not say."""
    sidechain: bool = False
    """Said inside a subagent."""
    automated: bool = False
    """Said in a run that no person drove (``-p``, an SDK, CI)."""
