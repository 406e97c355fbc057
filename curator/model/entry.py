"""What is stored: one record for a lesson, from proposal to retirement, and its project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from curator.model.anchor import Anchor, Finding
from curator.model.candidate import Category, Durability, Evidence, Wording

FROM_FILE = "file"
"""The signal of what a lesson's file brought, by git or by hand."""

SAVED = "saved-by-agent"
"""The signal of what an agent proposed through MCP."""
DISTILLED = "distilled by "
"""What the signal of a card begins with that a model worded; its name follows."""


class State(StrEnum):
    """The life of an entry: a candidate is open until a person ends that or it expires, a lesson is active until retired.

    What expired was never decided on: it can be reopened, and is when it is stated again.
    """

    OPEN = "open"
    ACTIVE = "active"
    RETIRED = "retired"
    DISMISSED = "dismissed"
    MERGED = "merged"
    EXPIRED = "expired"


class Kind(StrEnum):
    """What a row of the inbox or the library is; derived from an entry, never stored by hand."""

    CANDIDATE = "candidate"
    CONFLICT = "conflict"
    STALE = "stale"
    LESSON = "lesson"


class Relating(StrEnum):
    """How a newer statement relates to an older one."""

    DUPLICATE = "duplicate"
    REFINES = "refines"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """How an entry relates to the stored lesson ``other``, with the words that clash as (from other, from this) pairs."""

    other: str
    relating: Relating
    clash: tuple[tuple[str, str], ...] = ()
    likeness: float = 0.0
    certain: bool = False
    """Whether a key may let the newer take the older's place: it is no guess, or the two share nearly all of their words."""


class Holding(StrEnum):
    """What a model says of a lesson whose code changed."""

    HOLDS = "holds"
    REWORD = "reword"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Advice:
    """What a model says of a stale lesson, a line of the change that shows it, its name, and other words where it needs any."""

    holding: Holding
    quote: str
    by: str
    headline: str = ""
    insight: str = ""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of code kept with a lesson."""

    code: str
    language: str = ""
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One lesson from proposal to retirement: a single record and a single id through its whole life.

    A conflict is an open or active entry with a ``rival``; a stale lesson is an active entry with alarming
    ``findings``. Both are thus states of the thing a person decides on, and no second table can disagree with it.
    """

    id: str
    project: str
    state: State
    category: Category
    headline: str
    insight: str
    created: float
    updated: float
    context: str = ""
    snippets: tuple[Snippet, ...] = ()
    scope: str = "project"
    """``project``, ``global``, or ``paths`` (then ``paths`` says which)."""
    paths: tuple[str, ...] = ()
    durability: Durability = Durability.DURABLE
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    agent: str = ""
    session: str = ""
    score: float = 0.0
    why: Mapping[str, float] = field(default_factory=dict)
    signal: str = ""
    """What it was found by: a signal of the detector, or ``FROM_FILE``; empty for what a person wrote."""
    distiller: str = ""
    """The model that has read its session: it gave the words, or left it out."""
    left_out: bool = False
    """Whether that model did not choose it: it waits behind the others until a person does something to it."""
    fingerprint: str = ""
    evidence: tuple[Evidence, ...] = ()
    wordings: tuple[Wording, ...] = ()
    seen: int = 1
    """How often it was stated, over all sessions."""
    place: int = 0
    """Its rank among its session's candidates, the decided ones first; the inbox shows places below the cap."""
    rival: Relation | None = None
    findings: tuple[Finding, ...] = ()
    advice: Advice | None = None
    """What a model says of these findings; others take it away."""
    anchors: tuple[Anchor, ...] = ()
    branch: str = ""
    """The branch that has its code, while the main branch lacks it."""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    refines: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    coexists: tuple[tuple[str, str], ...] = ()
    """(id, because): lessons that look like rivals but hold beside this one, and why."""
    merged_into: str = ""
    reason: str = ""
    """Why it was retired or dismissed: wrong, obsolete, duplicate, broad, withdrawn (no person's doing), or empty."""
    snoozed_until: float | None = None
    kept: float = 0.0
    """When a person made it a lesson here; 0 for what a file brought."""
    keeper: str = ""
    """The name that git has for that person, cleaned; empty where it has none."""
    vouched: str = ""
    """Which words of it a person answers for though something is against them: see ``curator.text.injection``."""
    slug: str = ""
    """The file name's readable part; fixed when the lesson is first kept."""
    extra: str = ""
    """Front matter keys and sections of its file that we do not know, kept verbatim as JSON."""

    @property
    def kind(self) -> Kind:
        """What kind of row this is."""
        if self.rival is not None and self.state in (State.OPEN, State.ACTIVE):
            return Kind.CONFLICT
        if self.state is State.ACTIVE:
            return Kind.STALE if any(finding.alarming for finding in self.findings) else Kind.LESSON
        return Kind.LESSON if self.state is State.RETIRED else Kind.CANDIDATE

    @property
    def version_of(self) -> str:
        """The id of the lesson of which its file brought this as another version; empty for what is a lesson of its own."""
        of_file, _, rest = self.fingerprint.partition(":")
        return rest.partition(":")[0] if of_file == FROM_FILE else ""

    @property
    def waits(self) -> bool:
        """Whether a person is asked about it (snoozed or not)."""
        return self.state is State.OPEN or (self.state is State.ACTIVE and self.kind is not Kind.LESSON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A code base, known by its root commit and remote, else by its folder."""

    id: str
    name: str
    folder: str
    """Where it was last seen on this machine; may no longer exist."""
    root_commit: str = ""
    remote: str = ""


@dataclass(frozen=True, slots=True)
class Repository:
    """One clone on this machine, with all its work trees: where its ``.git`` is, the commit it began with, where it is from.

    All three, since a person accepts the lessons of this one: a fork or a copy of it is another.
    """

    folder: str
    root_commit: str = ""
    remote: str = ""
