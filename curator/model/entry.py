"""The nouns of a lesson's life: its evidence, the code it speaks of, the entry, and its events."""

# Annotations are not postponed here: a named tuple would compile each of them when it is made, 20 µs apiece.
from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple


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
    """Whether a lesson is about the project's lasting state or about this week's work.

    A person pins one that every session should begin with.
    """

    DURABLE = "durable"
    TEMPORARY = "temporary"
    PINNED = "pinned"


class Line(NamedTuple):
    """One line of an excerpt: who said it, its text, whether it is the quoted one."""

    role: Role
    text: str
    hit: bool = False


class Evidence(NamedTuple):
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


class Wording(NamedTuple):
    """A text offered for a lesson; ``label`` says how it differs (shorter, broader, with what follows, …)."""

    headline: str
    insight: str
    label: str


class Anchor(NamedTuple):
    """A symbol, or a whole file where ``symbol`` is empty, as it was when a person last said that the lesson holds.

    ``signature`` and ``body`` are hashes of its tokens (``curator.code``), ``commit`` the commit at that time, ``blob`` git's
    id of the file's content (computed the same way outside git).
    """

    path: str
    symbol: str = ""
    lang: str = ""
    signature: str = ""
    body: str = ""
    commit: str = ""
    blob: str = ""
    text: str = ""
    """Its code, kept only while no commit has it; stays on this machine."""
    committed: bool = True
    """Whether ``commit`` has this content; else it is the one upon which somebody was writing it."""

    @property
    def holder(self) -> str:
        """The commit that has this very content; empty while none is known to."""
        return self.commit if self.committed and not self.text else ""

    @property
    def undated(self) -> bool:
        """Whether a commit with this content is still waited for."""
        return bool(self.blob) and not self.holder

    @property
    def subject(self) -> tuple[str, str]:
        """Path and symbol."""
        return self.path, self.symbol


class Drift(StrEnum):
    """What became of anchored code."""

    UNCHANGED = "unchanged"
    LAYOUT = "whitespace_or_comment_only"
    BODY = "body_changed"
    SIGNATURE = "signature_changed"
    RENAMED = "renamed"
    MOVED = "moved_file"
    DELETED = "deleted"

    @property
    def state(self) -> str:
        """``current``, ``changed``, ``relocated`` (the same code elsewhere) or ``gone``."""
        return _STATES[self]


_STATES = {
    Drift.UNCHANGED: "current",
    Drift.LAYOUT: "current",
    Drift.BODY: "changed",
    Drift.SIGNATURE: "changed",
    Drift.RENAMED: "relocated",
    Drift.MOVED: "relocated",
    Drift.DELETED: "gone",
}
ALARM = 0.2
"""The severity from which a change is a card; below it is a note on the lesson."""
GRAVE = 0.9
"""The severity from which a lesson is held back rather than sent with a word of doubt: one line of six is less, even one that
the lesson names."""


class Finding(NamedTuple):
    """What happened to anchored code since, and how much that matters to the lesson: ``severity`` 0 to 1.

    ``diff`` is unified and capped, empty where the old code is not known or the new is gone. What moved has its new place,
    with ``likeness`` 0 to 1.
    """

    path: str
    symbol: str = ""
    drift: Drift = Drift.BODY
    severity: float = 1.0
    diff: str = ""
    new_path: str = ""
    new_symbol: str = ""
    likeness: float = 0.0
    certain: bool = False
    """Whether the new place can be followed without asking."""
    named: tuple[str, ...] = ()
    """Words of the lesson that stand in what changed."""
    blob: str = ""
    """What the file's content is now; a finding answered by a person is not raised again for the same content."""
    signature: str = ""
    body: str = ""
    """Hashes of the code as it is now; empty when it is gone."""

    @property
    def alarming(self) -> bool:
        """Whether a person is asked about it."""
        return self.severity >= ALARM

    @property
    def grave(self) -> bool:
        """Whether so much changed, or is gone, that the lesson may well be wrong."""
        return self.severity >= GRAVE


FROM_FILE = "file"
"""The signal of what a lesson's file brought, by git or by hand."""

MEMORY = "memory"
"""The signal of a note that an agent keeps for itself."""
SAVED = "saved-by-agent"
"""The signal of what an agent proposed through MCP."""
DISTILLED = "read by "
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


class Tier(IntEnum):
    """The part of the inbox that shows a card: ``SURE`` always, ``LIKELY`` where no model reads, ``REST`` when asked."""

    SURE = 0
    LIKELY = 1
    REST = 2


class Relating(StrEnum):
    """How a newer statement relates to an older one."""

    DUPLICATE = "duplicate"
    REFINES = "refines"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"


class Relation(NamedTuple):
    """How an entry relates to the stored lesson ``other``, with the words that clash as (from other, from this) pairs."""

    other: str
    relating: Relating
    clash: tuple[tuple[str, str], ...] = ()
    likeness: float = 0.0
    certain: bool = False
    """Whether a key may let the newer take the older's place: it is no guess, or the two share nearly all of their words."""

    @property
    def repeats(self) -> bool:
        """Whether it says what the other says."""
        return self.relating is Relating.DUPLICATE


class Holding(StrEnum):
    """What a model says of a lesson whose code changed."""

    HOLDS = "holds"
    REWORD = "reword"
    GONE = "gone"


class Advice(NamedTuple):
    """What a model says of a stale lesson, a line of the change that shows it, its name, and other words where it needs any."""

    holding: Holding
    quote: str
    by: str
    headline: str = ""
    insight: str = ""


class Snippet(NamedTuple):
    """A piece of code kept with a lesson."""

    code: str
    language: str = ""
    caption: str = ""


class Entry(NamedTuple):
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
    why: Mapping[str, float] = {}
    signal: str = ""
    """What it was found by: a signal of the detector, or ``FROM_FILE``; empty for what a person wrote."""
    distiller: str = ""
    """The model that has read its session: it gave the words, or left it out."""
    left_out: bool = False
    """Whether that model did not choose it, or it is part of a template."""
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
    slug: str = ""
    """The file name's readable part; fixed when the lesson is first kept."""
    extra: str = ""
    """Front matter keys and sections of its file that we do not know, kept verbatim as JSON."""

    @property
    def stated(self) -> float:
        """When it was stated last, by its evidence; without dates there, when it was proposed."""
        return max((item.at for item in self.evidence if item.at is not None), default=self.created)

    @property
    def kind(self) -> Kind:
        """What kind of row this is."""
        if self.rival is not None and self.state in (State.OPEN, State.ACTIVE):
            return Kind.CONFLICT
        if self.state is State.ACTIVE:
            return Kind.STALE if self.wishes or any(finding.alarming for finding in self.findings) else Kind.LESSON
        return Kind.LESSON if self.state is State.RETIRED else Kind.CANDIDATE

    @property
    def wishes(self) -> tuple[str, ...]:
        """The wishes of agents that wait for a person's answer, such as "codex wants to retire this"."""
        return tuple(part.removeprefix(WISH) for part in self.why if part.startswith(WISH))

    @property
    def version_of(self) -> str:
        """The id of the lesson of which its file brought this as another version; empty for what is a lesson of its own."""
        of_file, _, rest = self.fingerprint.partition(":")
        return rest.partition(":")[0] if of_file == FROM_FILE else ""

    @property
    def waits(self) -> bool:
        """Whether a person is asked about it (snoozed or not)."""
        return self.state is State.OPEN or (self.state is State.ACTIVE and self.kind is not Kind.LESSON)


class Project(NamedTuple):
    """A code base, known by its root commit and remote, else by its folder."""

    id: str
    name: str
    folder: str
    """Where it was last seen on this machine; may no longer exist."""
    root_commit: str = ""
    remote: str = ""


class Repository(NamedTuple):
    """One clone on this machine, with all its work trees: where its ``.git`` is, the commit it began with, where it is from.

    All three, since a person accepts the lessons of this one: a fork or a copy of it is another.
    """

    folder: str
    root_commit: str = ""
    remote: str = ""


class Query(NamedTuple):
    """Which entries are wanted. Waiting ones come best first, others newest first."""

    project: str | None = None
    """A project's id; ``None`` means every project."""
    shared: bool = False
    """Besides the project's own the active lessons of other projects whose scope is global."""
    waiting: bool = False
    """Only what a person is asked about and is not snoozed at ``now``."""
    snoozed: bool = False
    """Of what waits only what is snoozed at ``now``, the next to come back first."""
    now: float = 0.0
    cap: int = 0
    """Only the best so many candidates of each session; 0 means all."""
    review: tuple[float, float] | None = None
    """What a periodic review asks about: conflicts, stale lessons; those that were told to no avail, at once, until a person
    decides about them; those untouched since the first moment that are temporary, of no avail, or never told; all that are
    untouched since the second; then in this order, the longest untouched first.
    """
    tier: Tier = Tier.REST
    """Only cards of this tier and of those above it."""
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


class Head(NamedTuple):
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
    stated: float
    """When the quote that a card shows first was said; without a time there, when it was proposed."""
    signal: str
    """What it was found by."""
    snoozed_until: float | None = None
    insight: str = ""
    """How the insight begins."""


JSON = dict[str, Any]
"""A JSON object as ``json.loads`` gives it."""

PERSON = "person"
"""The actor of a verdict by a person."""

IN_AGENT = "cli (in {})"
"""The actor of a command that an agent ran: it only proposes."""


WISH = "wish: "
"""The beginning of each part of ``Entry.why`` that is an agent's wish: see ``Entry.wishes``."""


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


class Change(NamedTuple):
    """One entry before and after; ``None`` where it did not exist. Made by ``curate``, applied by ``store``."""

    before: Entry | None
    after: Entry | None

    @property
    def id(self) -> str:
        """The entry's id."""
        entry = self.after or self.before
        assert entry is not None
        return entry.id


class Event(NamedTuple):
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
