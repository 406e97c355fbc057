"""class Curator: what a person (or a script) can ask and decide."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator import clock, curate, stats
from curator.errors import CuratorError, NothingToUndo, UnknownId
from curator.inbox import Resolution, rank, suggest
from curator.model import JSON, Category, Change, Entry, Event, Head, Kind, Project, Query, Relating, State, Verb
from curator.settings import Settings
from curator.store import Store

if TYPE_CHECKING:
    from threading import Event as Event_

    from curator.service.ingest import Scanned
    from curator.service.library import Exchange

PERSON = "person"
TOOL = "curator"
Deed = tuple[Verb, Change]
Judge = Callable[[Entry, float], Iterable[Deed]]
"""A verdict on one entry at a time: what it does to this and other entries."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a verdict did: the batch (empty when nothing changed), the entries, and each one's event number."""

    batch: str
    verb: Verb
    entries: tuple[Entry, ...]
    events: dict[str, int]


@dataclass(frozen=True, slots=True)
class Target:
    """A lesson that an entry could be merged into, how alike they are (0 to 1), and the text that would result."""

    entry: Entry
    likeness: float
    headline: str
    insight: str


class Curator:
    """An open database, seen from one project (or from all of them, where ``project`` is ``None``)."""

    def __init__(
        self, settings: Settings, project: Project | None = None, *, actor: str = PERSON, timeout: float = 5.0
    ) -> None:
        self.settings = settings
        self.project = project
        self.actor = actor
        self.store = Store(settings.database, rank=rank, timeout=timeout)

    def fork(self, timeout: float = 5.0) -> Curator:
        """The same with a connection of its own, for another thread."""
        return Curator(self.settings, self.project, actor=self.actor, timeout=timeout)

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    def enter(self, folder: str) -> Project:
        """See the database from the project of a folder, which need not be on this machine, from now on."""
        from curator import projects

        self.project = projects.identify(folder, self.projects().values())
        return self.project

    # --- reading ------------------------------------------------------------------------------------------------------

    @property
    def scope(self) -> str | None:
        """The project's id, ``None`` for all."""
        return self.project.id if self.project else None

    def waiting(self, kind: Kind | None = None, *, rest: bool = False, session: str = "", words: Sequence[str] = ()) -> Query:
        """What waits in the inbox; ``rest`` includes what the cap holds back."""
        return Query(
            project=self.scope,
            waiting=True,
            now=clock.now(),
            cap=0 if rest else self.settings.cap,
            kind=kind,
            session=session,
            words=tuple(words),
        )

    def library(self, states: Sequence[State] = (State.ACTIVE,), **more: Any) -> Query:
        """Stored entries in these states, newest first."""
        return Query(project=self.scope, states=tuple(states), **more)

    def order(self, query: Query, limit: int = -1) -> array[int]:
        """The rows wanted, as sequence numbers in order."""
        return self.store.entries.order(query, limit)

    def heads(self, seqs: Sequence[int]) -> dict[int, Head]:
        """What a list shows of these rows."""
        return self.store.entries.heads(seqs)

    def kinds(self, query: Query) -> Counter[Kind]:
        """How many rows there are of each kind."""
        return self.store.entries.kinds(query)

    def entries(self, query: Query, limit: int = -1) -> Iterable[Entry]:
        """The entries wanted, whole."""
        return self.store.entries.wanted(query, limit)

    def at(self, seq: int) -> Entry | None:
        """The entry behind a row."""
        return self.store.entries.at(seq)

    def find(self, prefix: str) -> Entry:
        """The entry whose id begins so. Raises ``UnknownId``."""
        return self.store.entries.resolve(prefix)

    def among(self, ids: Sequence[str], query: Query) -> dict[str, int]:
        """Which of these entries a query wants, with their rows."""
        return self.store.entries.among(ids, query)

    def rows_of(self, ids: Sequence[str]) -> dict[str, int]:
        """The rows of entries, wanted or not."""
        return self.store.entries.among(ids, Query())

    def touched_since(self, event: int) -> list[tuple[int, str, str]]:
        """(event, batch, id) of everything that happened after an event."""
        return self.store.log.touched_since(event)

    def last_event(self) -> int:
        """The newest event's number."""
        return self.store.log.last()

    def version(self) -> int:
        """Changes whenever somebody else has written to the database."""
        return self.store.version()

    def peek(self, id_: str) -> Entry | None:
        """The entry with exactly this id."""
        return self.store.entries.get(id_)

    def history(self, id_: str = "", limit: int = -1) -> list[Event]:
        """What happened to an entry, oldest first; without an id the project's log, newest first."""
        return self.store.log.of_entry(self.find(id_).id) if id_ else self.store.log.recent(self.scope, limit)

    def decisions(self, since: float = 0.0) -> list[stats.Decision]:
        """Every verdict by a person that stands."""
        return [stats.Decision(*row) for row in self.store.log.decisions(self.scope, since)]

    def today(self) -> Counter[str]:
        """Today's verdicts, counted."""
        return stats.tally(self.decisions(stats.midnight(clock.now())))

    def summary(self, since: float = 0.0) -> JSON:
        """The numbers of ``curator stats``."""
        return stats.summary(self.store.entries.count(self.scope), self.decisions(since))

    def projects(self) -> dict[str, Project]:
        """Every project, by id."""
        return self.store.sources.projects()

    def targets(self, entry: Entry, limit: int = 3, *, among: Sequence[str] = ()) -> list[Target]:
        """What an entry could be merged into: its rival first, then what is most alike; ``among`` names the choice.

        Where nothing is alike, the lessons changed last are offered: a person may know better.
        """
        from curator import relations

        wanted = Query(project=entry.project, states=(State.ACTIVE, State.OPEN))
        others = [other for id_ in among if (other := self.peek(id_))] if among else list(self.entries(wanted))
        others = [other for other in others if other.id != entry.id]
        found = [(other, likeness) for other, likeness in relations.similar(entry, others, limit=limit) if likeness > 0]
        if not found:
            recent = [other for other in others if among or other.state is State.ACTIVE]
            found = [(other, 0.0) for other in recent[:limit]]
        if entry.rival and all(other.id != entry.rival.other for other, _ in found):
            rival = self.peek(entry.rival.other)
            found = [(rival, entry.rival.likeness), *found][:limit] if rival else found
        found.sort(key=lambda pair: (bool(entry.rival and pair[0].id == entry.rival.other), pair[1]), reverse=True)
        return [Target(other, likeness, *relations.merged(other, entry)) for other, likeness in found]

    # --- verdicts -----------------------------------------------------------------------------------------------------

    def accept(self, ids: Sequence[str], *, wording: int = 0, seconds: float | None = None) -> Outcome:
        """``y``: keep a candidate (with offered wording 1, 2 or 3), resolve a conflict as suggested, confirm a stale lesson."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.kind is Kind.CONFLICT:
                return self._resolve(entry, suggest(entry), at)
            if entry.state is State.ACTIVE:
                return [(Verb.CONFIRM, curate.confirm(entry, at, renewed(entry)))]
            if entry.state is not State.OPEN:
                raise gone(entry)
            if wording > len(entry.wordings):
                raise CuratorError(f"{entry.id} has no wording {wording}.", f"It offers {len(entry.wordings)}.")
            offered = entry.wordings[wording - 1] if wording else None
            return [
                (Verb.KEEP, curate.keep(entry, at, wording=offered, slug=slug(offered.headline if offered else entry.headline)))
            ]

        return self._judge(ids, judge, Verb.KEEP, seconds)

    def drop(self, ids: Sequence[str], *, reason: str = "", seconds: float | None = None) -> Outcome:
        """``x``: dismiss a candidate or the newer side of a conflict, retire a lesson."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.state is State.OPEN:
                return [(Verb.DISMISS, curate.dismiss(entry, at, reason))]
            if entry.state is State.ACTIVE:
                return [(Verb.RETIRE, curate.retire(entry, at, reason))]
            raise gone(entry)

        return self._judge(ids, judge, Verb.RETIRE, seconds)

    def resolve(self, ids: Sequence[str], resolution: Resolution, *, seconds: float | None = None) -> Outcome:
        """Settle conflicts in a given way. Raises ``CuratorError`` for an entry that has none."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.rival is None:
                raise CuratorError(f"{entry.id} is in no conflict.", "Only conflict cards can be resolved.")
            return self._resolve(entry, resolution, at)

        return self._judge(ids, judge, Verb.SUPERSEDE, seconds)

    def acquit(self, ids: Sequence[str], *, seconds: float | None = None) -> Outcome:
        """Say that a conflict is none: the candidate goes back among the others."""
        return self._judge(ids, lambda entry, at: [(Verb.COEXIST, curate.acquit(entry, at))], Verb.COEXIST, seconds)

    def edit(self, id_: str, *, keep: bool = False, seconds: float | None = None, **fields: Any) -> Outcome:
        """Give an entry new words, category, scope, paths or files; ``keep`` also keeps an open candidate."""
        from curator import detect

        cleaned = {key: detect.clean(value).strip() if isinstance(value, str) else value for key, value in fields.items()}

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            edited = curate.edit(entry, at, **cleaned)
            assert edited.after is not None
            if not (keep and entry.state is State.OPEN):
                return [(Verb.EDIT, edited)]
            kept = curate.keep(edited.after, at, slug=slug(edited.after.headline))
            return [(Verb.EDIT, Change(before=entry, after=kept.after))]

        return self._judge([id_], judge, Verb.EDIT, seconds)

    def merge(
        self, ids: Sequence[str], target: str, *, headline: str = "", insight: str = "", seconds: float | None = None
    ) -> Outcome:
        """Merge entries into a target, which may get a new text; a candidate as target is kept by it."""
        receiving = self.find(target)

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.state not in (State.OPEN, State.ACTIVE):
                raise gone(entry)
            current = self.peek(receiving.id)
            assert current is not None
            if current.state not in (State.OPEN, State.ACTIVE):
                raise gone(current)
            leaving, merged = curate.merge(entry, current, at, headline=headline, insight=insight)
            assert merged.after is not None
            if merged.after.state is State.OPEN:
                kept = curate.keep(merged.after, at, slug=slug(merged.after.headline))
                merged = Change(before=merged.before, after=kept.after)
            return [(Verb.MERGE, leaving), (Verb.MERGE, merged)]

        return self._judge(ids, judge, Verb.MERGE, seconds)

    def supersede(self, old: str, new: str, *, seconds: float | None = None) -> Outcome:
        """A newer entry takes an older one's place."""
        older = self.find(old)

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.state not in (State.OPEN, State.ACTIVE):
                raise gone(entry)
            first, second = curate.supersede(older, entry, at, slug=slug(entry.headline))
            return [(Verb.SUPERSEDE, first), (Verb.SUPERSEDE, second)]

        return self._judge([new], judge, Verb.SUPERSEDE, seconds)

    def snooze(self, ids: Sequence[str], until: float | None = None, *, seconds: float | None = None) -> Outcome:
        """Ask again later: at ``until``, by default after the time that is set."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if not entry.waits:
                raise gone(entry)
            return [(Verb.SNOOZE, curate.snooze(entry, at, until or at + self.settings.snooze_hours * 3600))]

        return self._judge(ids, judge, Verb.SNOOZE, seconds)

    def add(
        self,
        text: str,
        *,
        category: Category = Category.CONVENTION,
        files: Sequence[str] = (),
        scope: str = "project",
        paths: Sequence[str] = (),
        insight: str = "",
    ) -> Outcome:
        """A lesson typed by hand: active at once, since a person has confirmed it by typing it."""
        from curator import detect

        if self.project is None:
            raise CuratorError("A lesson belongs to a project.", "Run this in its folder, or name it with --project.")
        headline = " ".join(detect.clean(text).split())
        if not headline:
            raise CuratorError(curate.NEEDS_TEXT)
        at = clock.now()
        entry = Entry(
            id=clock.new_id(),
            project=self.project.id,
            state=State.ACTIVE,
            category=category,
            headline=headline,
            insight=" ".join(detect.clean(insight).split()) or headline,
            created=at,
            updated=at,
            scope=scope,
            paths=tuple(paths),
            files=tuple(files),
            score=1.0,
            signal="by-hand",
            slug=slug(headline),
        )
        with self.store.transaction():
            self.store.sources.remember(self.project, self.project.folder)
            applied = self.store.apply([(Verb.ADD, Change(before=None, after=entry))], actor=self.actor, at=at)
        return Outcome(applied.batch, Verb.ADD, (entry,), applied.events)

    # --- back and forth -----------------------------------------------------------------------------------------------

    def undo(self, event: int | None = None) -> Outcome:
        """Take back the last batch that stands, or the one that holds this event.

        Raises ``NothingToUndo``, and ``Overtaken`` where something later depends on it.
        """
        log = self.store.log
        batch = log.undoable(self.scope) if event is None else self._batch_of(event)
        if batch is None:
            raise NothingToUndo("There is nothing to undo.")
        if log.undone(batch):
            raise NothingToUndo("That is undone already.", "`curator redo` brings it back.")
        return self._again(batch, Verb.UNDO, curate.revert, reversed(log.batch(batch)))

    def redo(self, event: int | None = None) -> Outcome:
        """Do again what was undone last, or the batch that holds this event."""
        log = self.store.log
        batch = log.redoable(self.scope) if event is None else self._batch_of(event)
        if batch is None or not log.undone(batch):
            raise NothingToUndo("There is nothing to redo.")
        return self._again(batch, Verb.REDO, curate.replay, log.batch(batch))

    def forget(self, ids: Sequence[str] = (), *, session: str = "") -> int:
        """Purge entries, or all of a session, with their evidence and history; only hashes stay, so that they never return."""
        found = [self.find(id_) for id_ in ids]
        if session:
            found += self.entries(Query(session=session))
        at = clock.now()
        for entry in found:
            self._unexport(entry)
        hashes = [entry.fingerprint for entry in found if entry.fingerprint]
        return self.store.forget([entry.id for entry in found], at, hashes)

    # --- what runs beside ---------------------------------------------------------------------------------------------

    def settle(self, ids: Sequence[str]) -> None:
        """What follows a verdict but need not be waited for: anchors of new lessons, files of those that changed."""
        from curator.service import library

        library.anchored(self, ids)
        if self.settings.export:
            known = self.projects()
            touched = dict.fromkeys(entry.project for id_ in ids if (entry := self.peek(id_)))
            for id_ in touched:
                if id_ in known:
                    library.sync(self, known[id_])

    def export(self, folder: Path | None = None) -> Exchange:
        """Write every lesson's file, also those that somebody removed."""
        from curator.service import library

        return library.sync(self, folder=folder, restore=True)

    def take_in(self, folder: Path | None = None) -> Exchange:
        """Bring in lesson files that are new or changed."""
        from curator.service import library

        return library.bring(self, folder)

    def check(self) -> list[Entry]:
        """Look at the code under every lesson; returns those whose findings changed."""
        from curator.service import library

        return library.check(self)

    def scan(self, **how: Any) -> Mapping[str, Scanned]:
        """Read transcripts: see ``ingest.scan``."""
        from curator.service import ingest

        return ingest.scan(self, **how)

    def survey(self, roots: Sequence[Path] | None = None) -> tuple[int, int, int, bool]:
        """What there is to read: see ``ingest.survey``."""
        from curator.service import ingest

        return ingest.survey(self, roots)

    def follow(self, stop: Event_, changed: Callable[[int], None], *, roots: Sequence[Path] | None = None) -> None:
        """Watch transcripts: see ``ingest.follow``."""
        from curator.service import ingest

        ingest.follow(self, stop, changed, roots=roots)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _judge(self, ids: Sequence[str], judge: Judge, verb: Verb, seconds: float | None) -> Outcome:
        """Apply a verdict to each entry, as one batch in one transaction, on the entries as they are now."""
        at = clock.now()
        entries: list[Entry] = []
        events: dict[str, int] = {}
        batch = clock.new_batch()
        share = seconds / len(ids) if seconds is not None and ids else None
        with self.store.transaction():
            for id_ in ids:
                entry = self.store.entries.get(id_) or self.find(id_)
                deeds = list(judge(entry, at))
                applied = self.store.apply(deeds, actor=self.actor, at=at, batch=batch, seconds=share)
                events |= applied.events
                entries += [change.after for _, change in deeds if change.after]
                verb = deeds[0][0] if len(ids) == 1 else verb
        return Outcome(batch, verb, tuple(entries), events)

    def _resolve(self, entry: Entry, resolution: Resolution, at: float) -> list[Deed]:
        assert entry.rival is not None
        rival = self.peek(entry.rival.other)
        name = slug(entry.headline)
        if rival is None or rival.state is not State.ACTIVE:
            return [(Verb.KEEP, curate.keep(entry, at, slug=name))]
        if resolution is Resolution.OLDER:
            return [(Verb.DISMISS, curate.dismiss(entry, at, "wrong"))]
        if resolution is Resolution.BOTH:
            return [(Verb.COEXIST, curate.coexist(entry, rival, at, "both hold", slug=name))]
        if resolution is Resolution.NEWER:
            first, second = curate.supersede(rival, entry, at, slug=name)
            return [(Verb.SUPERSEDE, first), (Verb.SUPERSEDE, second)]
        text = {} if entry.rival.relating is Relating.DUPLICATE else merged_text(rival, entry)
        leaving, merged = curate.merge(entry, rival, at, **text)
        return [(Verb.MERGE, leaving), (Verb.MERGE, merged)]

    def _again(
        self, batch: str, verb: Verb, change: Callable[[Event, Entry | None, float], Change], events: Iterable[Event]
    ) -> Outcome:
        at = clock.now()
        entries: dict[str, Entry] = {}
        seqs: dict[str, int] = {}
        again = clock.new_batch()
        with self.store.transaction():
            for event in events:
                made = change(event, self.peek(event.id), at)
                seqs |= self.store.apply([(verb, made)], actor=self.actor, at=at, batch=again, of=batch).events
                entries[event.id] = made.after or replace_state(made.before)
        return Outcome(again, verb, tuple(entries.values()), seqs)

    def _batch_of(self, event: int) -> str:
        """The verdict that an event belongs to; an undo's or redo's event stands for the verdict it speaks of."""
        batch = self.store.log.batch_of(event)
        if batch is None:
            raise UnknownId(f"There is no event {event}.", "`curator history` shows the events.")
        return self.store.log.batch(batch)[0].of or batch

    def _unexport(self, entry: Entry) -> None:
        from curator.service.library import remove_file

        remove_file(self, entry)


def gone(entry: Entry) -> CuratorError:
    """The answer to a verdict on something that no longer waits."""
    return CuratorError(f"{entry.id} is {entry.state} already.", "It was decided elsewhere; `curator undo` takes that back.")


def renewed(entry: Entry) -> tuple[Any, ...]:
    """An entry's anchors as they are once a person has said that it holds for the code as its findings show it."""
    found = {finding.path: finding for finding in entry.findings}
    anchors = []
    for anchor in entry.anchors:
        finding = found.get(anchor.path)
        if finding is None:
            anchors.append(anchor)
        elif finding.change != "gone":
            anchors.append(replace(anchor, path=finding.new_path or anchor.path, blob=finding.blob or anchor.blob, commit=""))
    return tuple(anchors)


def merged_text(older: Entry, newer: Entry) -> dict[str, str]:
    """The words for a lesson that takes in another."""
    from curator import relations

    headline, insight = relations.merged(older, newer)
    return {"headline": headline, "insight": insight}


def slug(headline: str) -> str:
    """The readable part of a lesson's file name."""
    from curator import export

    return export.slug(headline)


def replace_state(entry: Entry | None) -> Entry:
    """An entry that an undo has removed, as the outcome reports it."""
    assert entry is not None
    return replace(entry, state=State.EXPIRED)


def project_folder(project: Project | None) -> Path | None:
    """The project's folder, where it is on this machine."""
    return Path(project.folder) if project and project.folder and Path(project.folder).is_dir() else None
