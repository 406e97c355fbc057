"""The sync of lessons and their files: write local changes, read file changes, and make conflicts of changes on both sides."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from curator import clock, curate, lesson_files
from curator.app import anchoring, origins, project_files
from curator.app.curator import Curator
from curator.app.decide import Outcome
from curator.app.project_files import PATHS_LINE, folder_of
from curator.app.tombstones import of_id, traces
from curator.errors import CuratorError, MalformedFile
from curator.inbox import WITHDRAWN
from curator.io import git
from curator.lesson_files import Refusal
from curator.model import (
    FROM_FILE,
    Anchor,
    Change,
    Durability,
    Entry,
    Evidence,
    Project,
    Relating,
    Relation,
    Snippet,
    State,
    Verb,
)
from curator.model.codec import apply_patch, decode, dumps, encode
from curator.projects import repository
from curator.store.file_records import UNWRITTEN, WAITING, FileRecord
from curator.text import redact, statement, warnings
from curator.text.statement import is_path, is_symbol

FILES = "import"
"""The actor of changes from files."""
UNKNOWN = 0.5
"""The score of lessons from files. Their worth is unknown, and a file's own score proves nothing."""


@dataclass(frozen=True, slots=True)
class SkippedItems:
    """The number of items of a rules file that were taken for no rule, and the first of them."""

    file: str
    count: int
    line: int
    text: str


@dataclass(slots=True)
class Exchange:
    """The changes out and in, as counts; conflicts as entry ids; refused files with line and reason; failures; other items."""

    written: int = 0
    unchanged: int = 0
    removed: int = 0
    added: int = 0
    waiting: int = 0
    """The number of added lessons that need a decision, because nobody here has accepted their repository."""
    changed: int = 0
    active: list[str] = field(default_factory=list)
    """The ids of the active lessons among those added and changed."""
    conflicts: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    failures: list[CuratorError] = field(default_factory=list)
    skips: list[SkippedItems] = field(default_factory=list)


def settle_files(curator: Curator, ids: Iterable[str]) -> list[Exchange]:
    """Do the work after a decision, also after an undo removed an entry: update anchors, and write files of the projects.

    The project's folder is the person's current one, which may be another clone or work tree, or else the last known one.
    Return the imported files of each project.
    """
    ids = list(ids)
    projects, here = curator.projects(), curator.here()
    touched = dict.fromkeys(id_ for entry in ids for id_ in _homes(curator, entry))
    if here and here.id in touched and here != projects.get(here.id):
        projects[here.id] = here
        if Path(here.folder).is_dir():
            with curator.store.transaction():
                curator.store.sources.remember(here, here.folder)
    anchoring.anchor_lessons(curator, ids, projects)
    with curator.store.transaction():
        # Changes of anchors, and the end of followed moves, do not change the time of a lesson.
        curator.store.files.outdate(ids)
    exchanges = []
    for project in [projects[id_] for id_ in touched if id_ in projects] if curator.settings.export else ():
        try:
            exchanges.append(sync(curator, project))
        except CuratorError as error:  # no reason to leave out the next one's
            exchanges.append(Exchange(failures=[error]))
    return exchanges


def export_moves(curator: Curator, project: Project, ids: Iterable[str]) -> None:
    """Update the files of lessons whose anchors followed their code, at once or with the next export."""
    with curator.store.transaction():
        curator.store.files.outdate(ids)
    if curator.settings.export:
        write_files(curator, project, folder_of(curator, project), Exchange())


def _homes(curator: Curator, id_: str) -> list[str]:
    """Return the ids of the project that an entry is in and of the one that it just left, from the log."""
    return [
        id_
        for event in curator.store.events.of_entry(id_)[-1:]
        for id_ in (event.project, (event.before or {}).get("project"))
        if id_
    ]


def sync(curator: Curator, project: Project | None = None, *, folder: Path | None = None, restore: bool = False) -> Exchange:
    """Import the changes of files, then write local changes. ``restore`` also writes deleted files again.

    A missing file does not retire a lesson, since another branch may not have it yet.
    """
    project = project or curator.project
    where = (folder or folder_of(curator, project)).absolute()
    assert project is not None
    exchange = import_changes(curator, project, where)
    write_files(curator, project, where, exchange, restore=restore)
    return exchange


def import_folder(curator: Curator, folder: Path | None = None) -> Exchange:
    """Import a folder of lesson files: the project's own, or another, such as a colleague's."""
    where = (folder or folder_of(curator)).absolute()
    assert curator.project is not None
    with curator.store.transaction():
        curator.store.sources.remember(curator.project, curator.project.folder)
    return import_changes(curator, curator.project, where)


def accept(curator: Curator, folder: Path | None = None, *, of: str = "") -> tuple[Outcome, Exchange]:
    """Keep the undecided lessons from the files of a repository, as one batch, and accept its changes from now on.

    The files are those of a folder, or those in the folder of a candidate ``of``. A dropped lesson stays dropped. A lesson with
    a warning keeps waiting, since a person must read it.
    """
    project = curator.projects()[curator.lessons.find(of).project] if of else curator.project
    folder = origins.folder_of_file(curator, of) if of else folder
    where = (folder or folder_of(curator, project)).absolute()
    assert project is not None
    acceptance = Acceptance(curator.actor, curator.keeper, clock.new_batch())
    with curator.store.transaction():
        curator.store.sources.remember(project, project.folder)
        curator.store.files.accept(repository(str(where)), clock.now(), acceptance.batch)
        curator.store.files.reread(str(where))
        exchange = import_changes(curator, project, where, acceptance)
        events = curator.store.events.batch(acceptance.batch)
    entries = {event.id: entry for event in events if (entry := curator.lessons.peek(event.id))}
    return Outcome(acceptance.batch, Verb.KEEP, tuple(entries.values()), {event.id: event.seq for event in events}), exchange


def arrivals(curator: Curator, of: str = "", *, folder: Path | None = None) -> origins.Arrivals:
    """Return the undecided lessons from the files of a folder, with the authors of their commits. The folder is ``folder``, or
    that of a candidate ``of``.
    """
    where = origins.folder_of_file(curator, of) if of else (folder or folder_of(curator)).absolute()
    return origins.arrivals(curator, where) if where else origins.Arrivals(Path())


def revoke(curator: Curator, folder: Path | None = None) -> None:
    """Ask about the repository's lessons from now on. Kept lessons stay."""
    with curator.store.transaction():
        curator.store.files.revoke(repository(str((folder or folder_of(curator)).absolute())))


def import_changes(curator: Curator, project: Project, folder: Path, acceptance: Acceptance | None = None) -> Exchange:
    """Import new and changed files. A file that can't be understood is refused and stays unchanged.

    Lessons that this machine did not write wait for a person, unless the repository is accepted.
    """
    exchange = Exchange()
    files = curator.store.files
    _catch_up(curator, folder)
    records = files.in_folder(str(folder))
    found = lesson_files.read(folder, export_records(_stable_records(curator, records)), project=project.id)
    exchange.refusals = list(found.refusals)
    with curator.store.transaction():
        intake = Intake(curator, project, folder, records, exchange, acceptance)
        for name, theirs in found.entries.items():
            try:
                outcome = intake.take(name, theirs)
            except MalformedFile as error:
                exchange.refusals.append(Refusal(name, error.line, error.reason))
                continue
            if outcome is not None:
                base, version = outcome
                known = found.known_files[theirs.id]
                known = known if base.scope == theirs.scope else lesson_files.holding(known, base)  # see ``scope``
                files.write(str(folder), [(record(theirs.id, known, version), base)])
        read = {entry.id for entry in found.entries.values()}
        unread = {id_: known for id_, known in found.known_files.items() if id_ not in read}
        touched = [record(id_, known, 0.0) for id_, known in unread.items() if known.mtime_ns != records[id_].mtime_ns]
        files.touch(str(folder), touched)
    return exchange


def _catch_up(curator: Curator, folder: Path) -> None:
    """Record the files that curator wrote just before it was stopped. They are no changes by hand."""
    intended = {record.id: (record, base) for record, base in curator.store.files.intentions(str(folder))}
    if not intended:
        return
    there = lesson_files.confirm(folder, export_records({id_: record for id_, (record, _) in intended.items()}))
    written = [(record(id_, known, intended[id_][0].version), intended[id_][1]) for id_, known in there.items()]
    with curator.store.transaction():
        curator.store.files.write(str(folder), written)


def _stable_records(curator: Curator, records: Mapping[str, FileRecord]) -> Mapping[str, FileRecord]:
    """Return the files that need not be read again until they change.

    A file is read again if a person has kept its lesson since, because it may hold a conflict.
    """

    def kept(id_: str) -> bool:
        entry = curator.lessons.peek(id_)
        return entry is not None and entry.state in lesson_files.STATES

    return {id_: known for id_, known in records.items() if known.version != WAITING or not kept(id_)}


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The person and the batch that keep the waiting lessons."""

    actor: str
    keeper: str
    batch: str


@dataclass
class Intake:
    """One pass over the changed files of a folder."""

    curator: Curator
    project: Project
    place: Path
    records: Mapping[str, FileRecord]
    exchange: Exchange
    acceptance: Acceptance | None
    actor: str = FILES

    def __post_init__(self) -> None:
        self.folder = str(self.place)
        self.cards = self.curator.store.files.contests(self.project.id)
        self.at = clock.now()

    def take(self, name: str, statement: Entry) -> tuple[Entry, float] | None:
        """Import one file. Return what it and the entry have in common, and the file's version.

        Return ``None`` while a person has to choose. Raises ``MalformedFile`` for a lesson that is not allowed.
        """
        ours = self._admit(name, statement)
        statement = statement._replace(scope=scope(statement, ours), durability=durability(statement, ours))
        theirs, disputed = lesson_files.split_disputes(self._safe(name, statement))
        if self._waits(ours, theirs):
            return self._propose(ours, theirs)
        outcome = self._meet(ours, theirs, statement, disputed=bool(disputed), name=name)
        if disputed and outcome:
            self._ask(theirs, disputed)
        return outcome

    @cached_property
    def is_accepted(self) -> bool:
        """Return whether a person accepts this folder's lessons.

        Lessons of a project that is not on this machine count as accepted, because they were written here.
        """
        if self.place.is_relative_to(self.curator.settings.exports.absolute()):
            return True
        accepted = self.curator.store.files.accepted_repositories()
        return bool(accepted) and repository(self.folder) in accepted

    def _waits(self, ours: Entry | None, theirs: Entry) -> bool:
        """Return whether to ask about a file's lesson: this machine did not write it, and nobody has kept it.

        In an accepted repository, only a lesson with a warning needs a decision.
        """
        if ours is not None and (ours.signal != FROM_FILE or ours.state in lesson_files.STATES):
            return False
        if ours is not None and (self.acceptance is None or ours.state in (State.DISMISSED, State.MERGED)):
            return True
        return not self.is_accepted or bool(_alarms(theirs))

    def _propose(self, ours: Entry | None, theirs: Entry) -> tuple[Entry, float]:
        """Propose a file's lesson as a candidate. A retired one is not proposed and not sent."""
        known = self.records.get(theirs.id)
        is_absent = ours is None or ours.reason == WITHDRAWN
        decided = not is_absent and ours is not None and ours.state in (State.DISMISSED, State.MERGED)
        if (is_absent and theirs.state is State.RETIRED) or (decided and known is None):
            return theirs, WAITING
        entry = (lesson_files.with_unknown_parts(ours, theirs) if ours else theirs)._replace(
            project=self.project.id,
            state=State.OPEN,
            reason="",
            signal=FROM_FILE,
            score=UNKNOWN,
            rival=None,
            snoozed_until=None,
        )
        if entry != ours:
            self._apply(Verb.IMPORT, ours, entry)
            self.exchange.added += 1
            self.exchange.waiting += 1
        return theirs, WAITING

    def _meet(
        self, ours: Entry | None, theirs: Entry, statement: Entry, *, disputed: bool, name: str
    ) -> tuple[Entry, float] | None:
        """Import a file's content (``theirs``), as a new lesson or into the local one. ``statement`` is its exact text."""
        if ours is None:
            entry = theirs._replace(project=self.project.id, signal=FROM_FILE, keeper=self._author(name))
            self._apply(Verb.IMPORT, None, entry)
            self.exchange.added += 1
            return (entry, entry.updated) if theirs == statement else (theirs, UNWRITTEN)
        known = self.records.get(ours.id)
        # A file contains a lesson, whatever its local state. If only the file's side changed, it is accepted unchanged.
        untouched = ours.state not in lesson_files.STATES or (known is not None and known.version == ours.updated)
        if untouched:
            result = lesson_files.MergeResult(lesson_files.with_unknown_parts(ours, theirs))
        else:
            base = self.curator.store.files.base(self.folder, ours.id) if known else self._base(ours, theirs)
            result = lesson_files.reconcile(base, ours, theirs)
        changed = () if result.clashes else lesson_files.changes(ours, result.entry)
        is_alarming = bool(_alarms(result.entry) - _alarms(ours))
        fields = result.clashes or (
            changed if changed and self._foreign(name, ours.id, result.entry, is_alarming=is_alarming) else ()
        )
        if fields:
            return self._contest(ours, theirs, fields)
        if not disputed:
            self._withdraw(ours.id)
        after = result.entry
        if after.rival and after.rival.other in dict(after.coexists):
            after = after._replace(rival=None)
        if after != ours:
            if after.updated == ours.updated and ours.state in lesson_files.STATES:
                after = after._replace(updated=self.at)  # a hand seldom touches that line
            if ours.state not in lesson_files.STATES:
                after = after._replace(rival=None, snoozed_until=None)
            self._apply(Verb.IMPORT, ours, after)
            self.exchange.changed += 1
        same = theirs == statement and (untouched or not lesson_files.differences(after, theirs))
        return (after, after.updated) if same else (theirs, UNWRITTEN)

    def _author(self, name: str) -> str:
        """Return who committed a file, as agents are sent it."""
        commit = origins.commits(self.place).get(name)
        return statement.name(commit.author) if commit else ""

    def _foreign(self, name: str, id_: str, after: Entry, *, is_alarming: bool) -> bool:
        """Return whether to ask a person about a change. curator asks if it was not made by hand and its repository is not
        accepted, or if it brings a warning.

        A change by hand happens in a known folder while git still has the old lesson. A pull brings other changes, and git may
        fail to answer. Git's own copy counts, since a checkout may write other bytes.
        """
        if self.is_accepted and not is_alarming:
            return False
        if id_ not in self.records:
            return True
        if not git.work_tree(self.place):
            return False
        staged = git.ask(self.place, "cat-file", "blob", f":./{name}")
        if staged is None:
            return git.ask(self.place, "ls-files", "--", name) != ""
        base = self.curator.store.files.base(self.folder, id_)
        try:
            known = lesson_files.parse(staged, name)
        except MalformedFile:
            return True
        return base is None or lesson_files.differences(known._replace(scope=scope(known, base)), base) > 0

    def _ask(self, theirs: Entry, disputes: lesson_files.Disputes) -> None:
        """Ask a person about the conflicts that git's merge left. The file is written without them after the decision."""
        now = self.curator.lessons.peek(theirs.id)
        assert now is not None
        values = {}
        for side in lesson_files.sides(disputes):
            other, fields = lesson_files.other_side(now, side)
            if fields:
                values[fingerprint(now, lesson_files.other_side(theirs, side)[0])] = other, fields
        self._withdraw(now.id, but=values)
        for mark, (other, fields) in values.items():
            known = self.curator.store.entries.by_fingerprint(now.project, mark)
            if known is None or known.state is State.OPEN or known.reason == WITHDRAWN:
                self._card(now, other, fields, mark, known)

    def _admit(self, name: str, theirs: Entry) -> Entry | None:
        """Return the entry of a file, if the file may change it. Raises ``MalformedFile``."""
        if self.curator.store.entries.has_tombstone(of_id(theirs.id)):
            raise MalformedFile(name, 2, f"{theirs.id} was forgotten here. Delete the file")
        ours = self.curator.lessons.peek(theirs.id)
        if ours is not None and ours.project != self.project.id:
            owner = self.curator.projects().get(ours.project)
            whose = f"the project {owner.name} ({owner.folder})" if owner else "another project"
            raise MalformedFile(name, 2, f"{theirs.id} is a lesson of {whose}. Give a new lesson its own id")
        return ours

    def _safe(self, name: str, theirs: Entry) -> Entry:
        """Return a file's content without secrets, control characters, forgotten quotes and invalid paths.

        Raises ``MalformedFile`` if no path is left of a lesson that is limited to paths.
        """
        buried = self.curator.store.entries.has_tombstone
        quotes = tuple(item for item in theirs.evidence if not any(map(buried, traces(item))))
        extra = dumps(safe(json.loads(theirs.extra))) if theirs.extra else ""
        if extra and json.loads(extra) == json.loads(theirs.extra):
            extra = theirs.extra  # to the letter
        fields = {
            field: safe(getattr(theirs, field))
            for field in lesson_files.FIELDS
            if field not in ("id", "slug", "evidence", "extra")
        }
        fields |= {field: project_files.real_paths(fields[field], self.project.folder) for field in ("paths", "files")}
        fields["anchors"] = tuple(
            one for one in fields["anchors"] if is_path(one.path) and (not one.symbol or is_symbol(one.symbol))
        )
        if theirs.paths and not fields["paths"]:
            raise MalformedFile(name, PATHS_LINE, "paths: none of them is inside this project")
        is_whole = all(len(fields[field]) == len(getattr(theirs, field)) for field in ("paths", "files", "anchors"))
        why = {} if is_whole else {warnings.NO_PATHS: 0.0}
        return theirs._replace(**fields, evidence=safe(quotes), extra=extra, score_parts=why)

    def _base(self, ours: Entry, theirs: Entry) -> Entry | None:
        """Return the common base of a file that is new in this folder.

        The file names the time of its version, which people seldom change, so curator takes its own version of that time.
        Otherwise it takes the content of a file in another folder, unless the file is older than that.
        """
        time = clock.iso(theirs.updated)
        same = [version for version in versions(self.curator, ours) if clock.iso(version.updated) == time]
        if same:
            return min(same, key=lambda version: lesson_files.differences(version, theirs))
        files = self.curator.store.files
        bases = [base for folder, _ in files.places(ours.id) if (base := files.base(folder, ours.id))]
        return max((base for base in bases if base.updated <= theirs.updated), key=lambda base: base.updated, default=None)

    def _contest(self, ours: Entry, theirs: Entry, clashes: Iterable[str]) -> tuple[Entry, float] | None:
        """Put the file's version before a person: as a candidate that clashes with the stored lesson, one for each lesson."""
        mark = fingerprint(ours, theirs)
        cards = self.cards.get(ours.id, [])
        known = self.curator.store.entries.by_fingerprint(ours.project, mark)
        if known is not None and known.reason != WITHDRAWN and known.id not in {card.id for card in cards}:
            self._withdraw(ours.id)
            return theirs, UNWRITTEN  # A person has already been asked about this version, so ours is written.
        card = next((card for card in cards if known is None or card.id == known.id), None)
        self._withdraw(ours.id, but=(card.fingerprint,) if card else ())
        self._card(ours, theirs, clashes, mark, card or known)
        return None

    def _card(self, ours: Entry, theirs: Entry, clashes: Iterable[str], mark: str, card: Entry | None) -> None:
        proposal = theirs._replace(
            id=card.id if card else clock.new_id(),
            project=ours.project,
            state=State.OPEN,
            created=card.created if card else self.at,
            updated=card.updated if card else self.at,
            signal=FROM_FILE,
            score=1.0,
            fingerprint=mark,
            slug="",
            snoozed_until=card.snoozed_until if card else None,
            rival=Relation(
                other=ours.id, relating=Relating.CONTRADICTS, clash=lesson_files.clashing(ours, theirs, clashes), likeness=1.0
            ),
        )
        if proposal != card:
            self._apply(Verb.PROPOSE, card, proposal._replace(updated=self.at))
            self.exchange.conflicts.append(proposal.id)

    def _withdraw(self, id_: str, but: Container[str] = ()) -> None:
        """Withdraw the cards of settled conflicts. ``but`` are the fingerprints of those that stay."""
        cards = self.cards.pop(id_, [])
        self.cards[id_] = [card for card in cards if card.fingerprint in but]
        for card in cards:
            if card.fingerprint not in but:
                self._apply(Verb.IMPORT, card, curate.dismiss(card, self.at, WITHDRAWN).after or card)

    def _apply(self, verb: Verb, before: Entry | None, after: Entry) -> None:
        change = Change(before=before, after=after)
        if after.state is State.ACTIVE:
            self.exchange.active.append(after.id)
        acceptance = self.acceptance
        if acceptance and before and before.state is State.OPEN and after.state is State.ACTIVE:
            addition = Change(before=before, after=after._replace(kept=self.at, keeper=acceptance.keeper))
            self.curator.store.apply([(Verb.KEEP, addition)], actor=acceptance.actor, at=self.at, batch=acceptance.batch)
            return
        self.curator.store.apply([(verb, change)], actor=self.actor, at=self.at)


def scope(theirs: Entry, ours: Entry | None) -> str:
    """Return the scope of a file's lesson.

    Each person decides whether a lesson applies in every project, so no file sets or ends that.
    """
    if theirs.scope not in ("project", "global"):
        return theirs.scope
    return "global" if ours is not None and ours.scope == "global" else "project"


def durability(theirs: Entry, ours: Entry | None) -> Durability:
    """Return the durability of a file's lesson. Each person pins lessons alone, or files could fill every session start."""
    if ours is not None and Durability.PINNED in (ours.durability, theirs.durability):
        return ours.durability
    return Durability.DURABLE if theirs.durability is Durability.PINNED else theirs.durability


def fingerprint(lesson: Entry, theirs: Entry) -> str:
    """Return the fingerprint of the card that puts a file's version of a lesson before a person: see ``Entry.version_of``."""
    return f"{FROM_FILE}:{lesson.id}:{lesson_files.digest_of(theirs)[:16]}"


def versions(curator: Curator, entry: Entry) -> Iterator[Entry]:
    """Yield an entry and its earlier versions from the log, newest first."""
    now = encode(entry)
    yield entry
    for event in reversed(curator.store.events.of_entry(entry.id)):
        if event.before is not None:
            now = apply_patch(now, event.before)
            yield decode(now)
        elif event.after is not None:
            return


def _alarms(entry: Entry) -> set[tuple[str, str]]:
    """Return the warnings about a lesson's words: kind and words of each."""
    text = f"{entry.headline}\n{entry.insight}"
    return {(one.kind, text[one.start : one.end]) for one in warnings.find(text)}


def safe(value: Any) -> Any:
    """Return an entry's value with every text cleaned. Words from a fixed list stay unchanged."""
    if type(value) is str:
        return redact.clean(value)
    if isinstance(value, Evidence | Snippet | Anchor):
        return value._replace(**{name: safe(item) for name, item in value._asdict().items()})
    if type(value) in (tuple, list):
        return type(value)(map(safe, value))
    if isinstance(value, dict):
        return {safe(key): safe(item) for key, item in value.items()}
    return value


def write_files(curator: Curator, project: Project, folder: Path, exchange: Exchange, *, restore: bool = False) -> None:
    """Write the changed lessons, and delete the files of entries that are no longer lessons.

    While a person has to choose between a lesson and its file, the file stays unchanged. If the file holds a decision that was
    undone later, it gets the local lesson with the open question.
    """
    table = curator.store.files
    changed = {entry.id: entry for entry in table.unwritten_lessons(str(folder), project.id)}
    records = table.in_folder(str(folder))
    if restore:
        there = set(os.listdir(folder)) if folder.is_dir() else set()
        absent = [id_ for id_, known in records.items() if known.name not in there]
        removed = {id_: entry for id_ in absent if (entry := curator.lessons.peek(id_)) and entry.project == project.id}
        changed |= {id_: entry for id_, entry in removed.items() if entry.state in lesson_files.STATES}
        records = {id_: known for id_, known in records.items() if id_ not in absent}
    contested = table.contests(project.id)
    decided = {id_ for id_ in changed if id_ not in contested or (id_ in records and records[id_].version != UNWRITTEN)}
    dates, _ = anchoring.date_anchors(curator, project, changed.values())
    changed |= dates  # so that no commit goes and comes back with a check
    entries = (entry for id_, entry in changed.items() if id_ in decided)
    changed, refused = project_files.for_files(entries, lambda: curator.tops(project), records)
    exchange.refusals += refused
    questions = {id_: lesson_files.open_between(changed[id_], contested[id_]) for id_ in changed if id_ in contested}
    orphans = table.orphans(str(folder), project.id)
    concerned = export_records({id_: records[id_] for id_ in (*changed, *orphans) if id_ in records})
    exchange.unchanged += len(records) - len(concerned)

    def records_of(files: Mapping[str, lesson_files.KnownFile]) -> list[tuple[FileRecord, Entry]]:
        return [
            (record(id_, known, UNWRITTEN if id_ in questions else changed[id_].updated), changed[id_])
            for id_, known in files.items()
        ]

    def intend(files: Mapping[str, lesson_files.KnownFile]) -> None:
        with curator.store.transaction():
            table.intend(str(folder), records_of(files))

    marked = changed | {id_: lesson_files.add_disputes(changed[id_], asked) for id_, asked in questions.items()}
    report = lesson_files.write(folder, marked.values(), concerned, intend)
    exchange.refusals += report.refusals
    exchange.written += len(report.written)
    exchange.unchanged += len(report.unchanged)
    exchange.removed += len(report.removed)
    done = {id_: report.known_files[id_] for id_ in (*report.written, *report.unchanged) if id_ in changed}
    with curator.store.transaction():
        table.write(str(folder), records_of(done))
        table.delete_file_records(str(folder), [id_ for id_ in orphans if id_ not in report.known_files])


def export_records(records: Mapping[str, FileRecord]) -> dict[str, lesson_files.KnownFile]:
    """Return file records in the form that ``lesson_files`` takes."""
    return {id_: lesson_files.KnownFile._make(known[1:-1]) for id_, known in records.items()}


def record(id_: str, written: lesson_files.KnownFile, version: float) -> FileRecord:
    """Return a result of ``lesson_files`` as a file record."""
    return FileRecord(id_, *written, version)
