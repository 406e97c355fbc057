"""What happens to entries: changes and the events that tell of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from curator.model.entry import Entry

JSON = dict[str, Any]
"""A JSON object as ``json.loads`` gives it."""

PERSON = "person"
"""The actor of a verdict by a person."""

IN_AGENT = "cli (in {})"
"""The actor of what a command did in an agent's shell: it counts as the agent's doing, and a person can undo it."""


def in_agent(actor: str) -> bool:
    """Whether this is the actor of what was done in an agent's shell."""
    return actor.startswith(IN_AGENT.partition("{")[0])


class Verb(StrEnum):
    """What can happen to an entry; the word stands in the history."""

    PROPOSE = "propose"
    SEE_AGAIN = "see-again"
    ADD = "add"
    KEEP = "keep"
    CONFIRM = "confirm"
    EDIT = "edit"
    DISMISS = "dismiss"
    RETIRE = "retire"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    COEXIST = "coexist"
    SNOOZE = "snooze"
    VOUCH = "vouch"
    """A person read words that may harm the agent, and let them be sent."""
    EXPIRE = "expire"
    REOPEN = "reopen"
    OUTDATE = "outdate"
    CLASH = "clash"
    """A lesson was found that it can't stand beside; nobody decided."""
    ANCHOR = "anchor"
    FOLLOW = "follow"
    """Its code certainly moved, and its anchors went along; nobody decided, and it can be undone by its event."""
    DISTILL = "distill"
    """Another wording was offered; nothing was decided."""
    IMPORT = "import"
    UNDO = "undo"
    REDO = "redo"
    FORGET = "forget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One entry before and after; ``None`` where it did not exist. Made by ``curate``, applied by ``store``."""

    before: Entry | None
    after: Entry | None

    @property
    def id(self) -> str:
        """The entry's id."""
        entry = self.after or self.before
        assert entry is not None
        return entry.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the append-only log: the fields of an entry that changed, before and after.

    One key press is one ``batch``. ``of`` is the batch that an undo or redo speaks of.
    """

    seq: int
    batch: str
    at: float
    actor: str
    verb: Verb
    id: str
    project: str
    before: JSON | None
    after: JSON | None
    of: str = ""
    seconds: float | None = None
    """From the card's first paint to the verdict; ``None`` where nobody looked at a card."""
