"""The nouns that all stages take and return: named tuples, and frozen dataclasses for data from transcripts.

Everything here is frozen and imports no other part of curator, so each stage can be read, tested and replaced alone. Times are
seconds since the epoch (UTC); ``None`` means that the source does not say.
"""

# Annotations are not postponed here: a named tuple would compile each of them when it is made, 20 µs apiece.
from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from curator.model.turn import Candidate, Happening, Locator, Turn
else:  # mypy would believe in every name

    def __getattr__(name: str) -> Any:
        """Return a noun of reading on first use. Its four classes would cost two milliseconds at every start."""
        if name not in ("Candidate", "Happening", "Locator", "Turn"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from curator.model import turn

        return getattr(turn, name)


class Role(StrEnum):
    """The speaker of a turn. ``HUMAN`` means words that a person typed, not every record that an agent files as "user".

    Only evidence has ``FILE``: a file of the repository claims that a person typed the words, and others can write to it.
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
    """A lesson's subject: the project's lasting state, or this week's work.

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
    """A verbatim quote and its place.

    Agents delete transcripts (Claude Code after 30 days), so ``excerpt`` holds a copy of the lines around the quote.
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
    digest: str = ""
    """The hash of the note that is quoted, where an agent wrote it for itself: see ``memories.note``."""


class Wording(NamedTuple):
    """A text offered for a lesson. ``label`` names the difference (shorter, broader, with what follows, …)."""

    headline: str
    insight: str
    label: str


class Anchor(NamedTuple):
    """The state of a symbol at the time when a person last confirmed the lesson; of a whole file if ``symbol`` is empty.

    ``signature`` and ``body`` are hashes of its tokens (``curator.code``). ``commit`` is the commit at that time. ``blob`` is
    git's id of the file's content, computed the same way outside git.
    """

    path: str
    symbol: str = ""
    lang: str = ""
    signature: str = ""
    body: str = ""
    commit: str = ""
    blob: str = ""
    text: str = ""
    """Its code, kept only while no commit has it. It never leaves this machine."""
    committed: bool = True
    """False if ``commit`` lacks this content, because somebody had not committed it yet."""

    @property
    def holder(self) -> str:
        """Return the commit that has exactly this content. Return an empty text while none is known."""
        return self.commit if self.committed and not self.text else ""

    @property
    def undated(self) -> bool:
        """Return whether curator waits for a commit with this content."""
        return bool(self.blob) and not self.holder

    @property
    def subject(self) -> tuple[str, str]:
        """Return the path and the symbol."""
        return self.path, self.symbol


class Drift(StrEnum):
    """The change of anchored code."""

    UNCHANGED = "unchanged"
    LAYOUT = "whitespace_or_comment_only"
    BODY = "body_changed"
    SIGNATURE = "signature_changed"
    RENAMED = "renamed"
    MOVED = "moved_file"
    DELETED = "deleted"

    @property
    def state(self) -> str:
        """Return ``current``, ``changed``, ``relocated`` (the same code elsewhere) or ``gone``."""
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
"""The severity from which a change becomes a card. A smaller one is a note on the lesson."""
GRAVE = 0.9
"""The severity from which curator blocks the lesson instead of sending it with a note. One changed line of six is below it,
even if the lesson names that line.
"""


class Finding(NamedTuple):
    """A change of anchored code. ``severity``, 0 to 1, says how much it matters to the lesson.

    ``diff`` is unified and capped, empty if the old code is unknown or the new is gone. Moved code has its new place, with
    ``likeness`` 0 to 1.
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
    """If true, curator may follow the code to the new place without asking."""
    named: tuple[str, ...] = ()
    """Words of the lesson that occur in the changed code."""
    blob: str = ""
    """The file's content now. Once a person answers a finding, curator does not raise it again for the same content."""
    signature: str = ""
    body: str = ""
    """Hashes of the current code. They are empty if it is gone."""

    @property
    def alarming(self) -> bool:
        """Return whether curator asks a person about it."""
        return self.severity >= ALARM

    @property
    def grave(self) -> bool:
        """Return whether the code is gone or changed so much that the lesson may be wrong."""
        return self.severity >= GRAVE


APART = "kept apart"
"""The reason for a pair that a person lets coexist after a proposed rule."""
FROM_FILE = "file"
"""The signal of a lesson that a file brought, by git or by hand."""

MEMORY = "memory"
"""The signal of a note that an agent keeps for itself."""
SAVED = "saved-by-agent"
"""The signal of a lesson that an agent proposed through MCP."""
DISTILLED = "read by "
"""The signal of a card that a model worded begins with this; the model's name follows."""


class State(StrEnum):
    """The life of an entry. A candidate is open until a person decides or it expires. A lesson is active until it is retired.

    Nobody decided on an expired candidate. It can be reopened, and is if the statement is repeated.
    """

    OPEN = "open"
    ACTIVE = "active"
    RETIRED = "retired"
    DISMISSED = "dismissed"
    MERGED = "merged"
    EXPIRED = "expired"


class Kind(StrEnum):
    """The kind of a row of the inbox or the library; derived from an entry, never stored by hand."""

    CANDIDATE = "candidate"
    CONFLICT = "conflict"
    STALE = "stale"
    CONSOLIDATE = "consolidate"
    LESSON = "lesson"


class Tier(IntEnum):
    """The part of the inbox that shows a card: ``SURE`` always, ``LIKELY`` where no model reads, ``REST`` when asked."""

    SURE = 0
    LIKELY = 1
    REST = 2


class Relating(StrEnum):
    """The relation of a newer statement to an older one."""

    DUPLICATE = "duplicate"
    REFINES = "refines"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"


class Relation(NamedTuple):
    """The relation of an entry to the stored lesson ``other``, with the clashing words as (from other, from this) pairs."""

    other: str
    relating: Relating
    clash: tuple[tuple[str, str], ...] = ()
    likeness: float = 0.0
    certain: bool = False
    """True if a key may let the newer replace the older: the relation is certain, or they share nearly all words."""

    @property
    def repeats(self) -> bool:
        """Return whether it says the same as the other."""
        return self.relating is Relating.DUPLICATE

    @property
    def nearly(self) -> bool:
        """Return whether both only seem to say the same. If so, a merge keeps the additions of each."""
        return self.repeats and not self.certain


class Applicability(StrEnum):
    """A model's answer on whether a lesson with changed code still applies."""

    HOLDS = "holds"
    REWORD = "reword"
    GONE = "gone"


class Advice(NamedTuple):
    """A model's advice on a stale lesson: the answer, a changed line as proof, the model's name, and new words if needed."""

    holding: Applicability
    quote: str
    by: str
    headline: str = ""
    insight: str = ""


class Consolidation(NamedTuple):
    """A rule that can replace a lesson and its ``members``: the words, the model's name, and quotes as (id, words)."""

    members: tuple[str, ...]
    headline: str
    insight: str
    by: str = ""
    quotes: tuple[tuple[str, str], ...] = ()
    copies: tuple[str, ...] = ()
    """The members that say nearly the same as the lesson: agents get one of them until a person decides."""
    words: int = 0
    """A checksum of the words of all lessons. The rule is valid only as long as it is the same."""


class Snippet(NamedTuple):
    """A piece of code kept with a lesson."""

    code: str
    language: str = ""
    caption: str = ""


class Entry(NamedTuple):
    """One lesson from proposal to retirement, as a single record with a single id.

    A conflict is an open or active entry with a ``rival``. A stale lesson is an active entry with alarming ``findings``. Both
    are states of the entry that a person decides on, so no second table can disagree.
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
    score_parts: Mapping[str, float] = {}
    """Log-odds that make the score, by name; stored as ``why``."""
    signal: str = ""
    """A signal of the detector, or ``FROM_FILE``; empty if a person wrote the lesson."""
    distiller: str = ""
    """The model that has read its session: it gave the words, or left it out."""
    left_out: bool = False
    """True if that model did not choose it, or it is part of a template."""
    fingerprint: str = ""
    evidence: tuple[Evidence, ...] = ()
    wordings: tuple[Wording, ...] = ()
    times_stated: int = 1
    """The number of statements, over all sessions; stored as ``seen``."""
    place: int = 0
    """Its rank among its session's candidates, the decided ones first; the inbox shows places below the cap."""
    rival: Relation | None = None
    findings: tuple[Finding, ...] = ()
    advice: Advice | None = None
    """A model's answer about these findings; other findings remove it."""
    proposal: Consolidation | None = None
    """The rule that curator proposes for it and other lessons. Nobody has decided on it."""
    anchors: tuple[Anchor, ...] = ()
    branch: str = ""
    """The branch that has its code, while the main branch lacks it."""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    refines: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    coexists: tuple[tuple[str, str], ...] = ()
    """(id, because): lessons that look like rivals but apply at the same time, and why."""
    merged_into: str = ""
    reason: str = ""
    """Why it was retired or dismissed: wrong, obsolete, duplicate, broad, withdrawn (no person's doing), or empty."""
    snoozed_until: float | None = None
    kept: float = 0.0
    """The time at which a person made it a lesson here; 0 if a file brought it."""
    keeper: str = ""
    """The name that git has for that person, cleaned; empty if it has none."""
    slug: str = ""
    """The file name's readable part; fixed when the lesson is first kept."""
    extra: str = ""
    """Front matter keys and sections of its file that we do not know, kept verbatim as JSON."""

    @property
    def stated(self) -> float:
        """Return the time of the last statement, by its evidence. Without dates there, return the time of the proposal."""
        return max((item.at for item in self.evidence if item.at is not None), default=self.created)

    @property
    def kind(self) -> Kind:
        """Return the kind of this row."""
        if self.rival is not None and self.state in (State.OPEN, State.ACTIVE):
            return Kind.CONFLICT
        if self.state is State.ACTIVE:
            if self.wishes or any(finding.alarming for finding in self.findings):
                return Kind.STALE
            return Kind.CONSOLIDATE if self.proposal else Kind.LESSON
        return Kind.LESSON if self.state is State.RETIRED else Kind.CANDIDATE

    @property
    def wishes(self) -> tuple[str, ...]:
        """Return the undecided wishes of agents, such as "codex wants to retire this"."""
        return tuple(part.removeprefix(WISH) for part in self.score_parts if part.startswith(WISH))

    @property
    def offer(self) -> str:
        """Return the reason for which curator offers to retire it. It is empty for most entries."""
        return next((part.removeprefix(OFFER) for part in self.score_parts if part.startswith(OFFER)), "")

    @property
    def version_of(self) -> str:
        """Return the id of the lesson that has this as another version in its file. It is empty for an independent lesson."""
        of_file, _, rest = self.fingerprint.partition(":")
        return rest.partition(":")[0] if of_file == FROM_FILE else ""

    @property
    def waits(self) -> bool:
        """Return whether a person is asked about it (snoozed or not)."""
        return self.state is State.OPEN or (self.state is State.ACTIVE and self.kind in (Kind.CONFLICT, Kind.STALE))


class Project(NamedTuple):
    """A code base, identified by its root commit and remote, or else by its folder."""

    id: str
    name: str
    folder: str
    """The folder where it was last seen on this machine; may no longer exist."""
    root_commit: str = ""
    remote: str = ""


class Repository(NamedTuple):
    """One clone on this machine, with all its work trees: its ``.git``, its first commit, and its origin.

    A person accepts the lessons of this clone only: a fork or a copy of it is another.
    """

    folder: str
    root_commit: str = ""
    remote: str = ""


class Query(NamedTuple):
    """A choice of entries. Waiting ones come best first, others newest first."""

    project: str | None = None
    """A project's id; ``None`` means every project."""
    shared: bool = False
    """True to include active global lessons of other projects."""
    waiting: bool = False
    """If true, only entries that a person is asked about and that are not snoozed at ``now``."""
    snoozed: bool = False
    """If true, only waiting entries that are snoozed at ``now``, the next to come back first."""
    now: float = 0.0
    cap: int = 0
    """The number of best candidates of each session; 0 means all."""
    review: tuple[float, float, float] | None = None
    """The entries of the cleanup, as three times.

    Conflicts, stale lessons and undecided lessons without benefit come first. Then come lessons untouched since the first time
    that are temporary, without benefit, or never sent. Then come all that are untouched since the second time. In each group
    the longest untouched comes first. A few cards and lessons from agents' notes join if nothing has confirmed them since the
    third time.
    """
    tier: Tier = Tier.REST
    """Only cards of this tier and of those above it."""
    versions: bool = True
    """If true, also cards of a clash with a lesson's file: most of their words are the lesson's own."""
    kind: Kind | None = None
    states: tuple[State, ...] = ()
    """Any of these; empty means any."""
    category: Category | None = None
    signal: str = ""
    session: str = ""
    since: float = 0.0
    words: tuple[str, ...] = ()
    """Words that must each occur in the headline, insight, category, files or agent, in upper or lower case."""


class Head(NamedTuple):
    """An entry without its text, for a row of a list."""

    seq: int
    id: str
    project: str
    state: State
    kind: Kind
    category: Category
    headline: str
    score: float
    times_stated: int
    stated: float
    """The time of the quote that a card shows first. Without a time there, it is the time of the proposal."""
    signal: str
    """As in ``Entry``."""
    snoozed_until: float | None = None
    insight: str = ""
    """The beginning of the insight."""
    repeats: bool = False
    """True of a conflict that only says the same as another lesson, or nearly."""
    is_offered: bool = False
    """True of a lesson that curator offers to retire."""
    is_wished: bool = False
    """True of an entry that an agent wants to change."""


JSON = dict[str, Any]
"""A JSON object as ``json.loads`` gives it."""

PERSON = "person"
"""The actor of a person's decisions."""

IN_AGENT = "cli (in {})"
"""The actor of a command that an agent ran: it only proposes."""


OFFER = "retire: "
"""The beginning of the part of ``Entry.why`` that says why curator offers to retire it: see ``Entry.offer``."""
WISH = "wish: "
"""The beginning of each part of ``Entry.why`` that is an agent's wish: see ``Entry.wishes``."""


class Verb(StrEnum):
    """An action on an entry, in the word of the history."""

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
    EXPIRE = "expire"
    REOPEN = "reopen"
    OUTDATE = "outdate"
    CLASH = "clash"
    """curator found a lesson that contradicts it. Nobody has decided."""
    ANCHOR = "anchor"
    FOLLOW = "follow"
    """Its code certainly moved, and its anchors followed. Nobody decided; the event can be undone."""
    DISTILL = "distill"
    """Another wording was offered; nothing was decided."""
    LINK = "link"
    """Its project's folder was linked to another project, and it went along. Nobody decided on it."""
    IMPORT = "import"
    UNDO = "undo"
    REDO = "redo"
    FORGET = "forget"


class Change(NamedTuple):
    """One entry before and after; ``None`` if it did not exist. Made by ``curate``, applied by ``store``."""

    before: Entry | None
    after: Entry | None

    @property
    def id(self) -> str:
        """Return the entry's id."""
        entry = self.after or self.before
        assert entry is not None
        return entry.id


class Event(NamedTuple):
    """One line of the append-only log: the fields of an entry that changed, before and after.

    One key press is one ``batch``. ``of`` is the batch that an undo or redo is about.
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
    """Seconds from the card's first paint to the decision. ``None`` means that no person looked at a card."""
