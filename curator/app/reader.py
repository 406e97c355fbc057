"""Class Reader: everything that can be asked without changing anything."""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Self

from curator import clock, inbox, stats
from curator.errors import CuratorError
from curator.model import JSON, PERSON, Candidate, Entry, Event, Head, Kind, Project, Query, Relating, Relation, State
from curator.settings import Settings
from curator.stats import text
from curator.store import Store
from curator.store.deliveries import Outcome

ALIKE = 0.4
"""Likeness from which a merge is offered, whatever the judge says: 7 in 100 unrelated pairs that the index finds have it."""
NEAR = 24
"""How many of the entries that share something rare with a statement are compared with it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A lesson that an entry could be merged into, how alike they are (0 to 1), and the text that would result.

    ``relating`` is what the entry does to it, where that is known or a judge of words sees it.
    """

    entry: Entry
    likeness: float
    headline: str
    insight: str
    relating: Relating | None = None


class Reader:
    """An open database, seen from one project (or from all of them, where ``project`` is ``None``)."""

    def __init__(
        self, settings: Settings, project: Project | None = None, *, actor: str = PERSON, timeout: float = 5.0
    ) -> None:
        self.settings = settings
        self.project = project
        self.actor = actor
        self.standing = ""
        """The folder that a person stands in, where none was entered: see ``here``."""
        self.store = Store(settings.database, order=inbox, timeout=timeout)

    def fork(self, timeout: float = 5.0) -> Self:
        """The same with a connection of its own, for another thread. Raises ``Replaced``: it must not open another file."""
        self.store.verify()
        other = type(self)(self.settings, self.project, actor=self.actor, timeout=timeout)
        other.standing = self.standing
        other.store.batches = self.store.batches
        return other

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    def explained(self, error: Exception) -> CuratorError | None:
        """The sentence for what went wrong, where the database is the cause: see ``inspection.explained``."""
        from curator.store.inspection import explained

        return explained(error, self.store.path)

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Why of each row that made no sense and was left out, by its name."""
        return self.store.rows.unreadable

    def enter(self, folder: str, *, quick: bool = False) -> Project:
        """See the database from the project of a folder, which need not be on this machine, from now on.

        ``quick``: by the folders that are known, as hooks do, without a question to git; one that is not known has nothing.
        """
        from curator import projects

        known = self.projects()
        if quick:
            self.project = known.get(self._id_of(folder)) or projects.alone(folder)
        else:
            self.project = projects.identify(folder, known.values())
        return self.project

    def _id_of(self, folder: str) -> str:
        """The id of the known project around a folder; empty where none is."""
        from curator.agents import worktrees
        from curator.store.errors import speaking
        from curator.store.hook_reader import HookReader

        with speaking(self.store.path), closing(HookReader(str(self.settings.database))) as fast:
            found = worktrees.project(fast, os.path.abspath(folder))
        return found[0] if found else ""

    def here(self) -> Project | None:
        """The project entered, else that of the folder that the person stands in: files go there if it is the lesson's."""
        if self.project is None and self.standing:
            from curator import projects

            return projects.identify(self.standing, self.projects().values())
        return self.project

    def tops(self, project: Project) -> list[str]:
        """Where a project lies: the folder at hand, where it was last seen, and its other work trees that are there.

        Folders are remembered as somebody worked in them: only the top of a work tree says what lies where in the project.
        """
        known = self.projects().get(project.id, project)
        others = (folder for folder, id_ in self.store.sources.folders().items() if id_ == project.id)
        trees = (folder for folder in others if os.path.exists(os.path.join(folder, ".git")))
        return [*dict.fromkeys((project.folder, known.folder, *trees))]

    @property
    def environment(self) -> dict[str, str]:
        """That in which transcripts are looked for: some agents keep theirs in the project, which here is that at hand."""
        folder = self.project.folder if self.project else self.standing
        return {**os.environ, **({"PWD": folder} if folder else {})}

    # --- reading ------------------------------------------------------------------------------------------------------

    @property
    def scope(self) -> str | None:
        """The project's id, ``None`` for all."""
        return self.project.id if self.project else None

    def waiting(self, kind: Kind | None = None, *, rest: bool = False, session: str = "", words: Sequence[str] = ()) -> Query:
        """What waits in the inbox; ``rest`` includes what the cap and a person's verdicts hold back."""
        return Query(
            project=self.scope,
            waiting=True,
            now=clock.now(),
            cap=0 if rest else self.settings.per_session,
            held=None if rest else False,
            kind=kind,
            session=session,
            words=tuple(words),
        )

    def behind(self, session: str = "") -> tuple[int, int]:
        """How many candidates wait behind the cap, and how many behind a person's verdicts on their like."""
        shown = self.waiting(session=session)
        sizes = [self.kinds(replace(shown, **more)).total() for more in ({}, {"cap": 0}, {"cap": 0, "held": None})]
        return sizes[1] - sizes[0], sizes[2] - sizes[1]

    def cleanup(self, kind: Kind | None = None, *, words: Sequence[str] = ()) -> Query:
        """What a periodic review asks about: what conflicts, what is stale, what has faded."""
        now, day = clock.now(), 86_400.0
        return Query(
            project=self.scope,
            review=(
                now - self.settings.fade_days * day if self.settings.fade_days else 0.0,
                now - self.settings.review_days * day if self.settings.review_days else 0.0,
            ),
            now=now,
            kind=kind,
            words=tuple(words),
        )

    def waiting_elsewhere(self) -> int:
        """How many cards wait in other projects than this one."""
        if self.project is None:
            return 0
        here = self.waiting()
        return self.kinds(replace(here, project=None)).total() - self.kinds(here).total()

    def library(self, states: Sequence[State] = (State.ACTIVE,), **more: Any) -> Query:
        """Stored entries in these states, newest first; with the lessons of other projects that hold everywhere."""
        return Query(project=self.scope, shared=True, states=tuple(states), **more)

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

    def session(self, prefix: str) -> str:
        """The session whose id begins so. Raises ``UnknownId``."""
        return self.store.entries.session(prefix)

    def among(self, ids: Sequence[str], query: Query) -> dict[str, int]:
        """Which of these entries a query wants, with their rows."""
        return self.store.entries.among(ids, query)

    def rows_of(self, ids: Sequence[str]) -> dict[str, int]:
        """The rows of entries, wanted or not."""
        return self.store.entries.among(ids, Query())

    def touched_since(self, event: int) -> list[tuple[int, str, str]]:
        """(event, batch, id) of everything that happened after an event."""
        return self.store.events.touched_since(event)

    def last_event(self) -> int:
        """The newest event's number."""
        return self.store.events.last()

    def version(self) -> int:
        """Changes whenever somebody else has written to the database."""
        return self.store.version()

    def peek(self, id_: str) -> Entry | None:
        """The entry with exactly this id."""
        return self.store.entries.get(id_)

    def headlines(self, ids: Iterable[str]) -> dict[str, str]:
        """The headlines of those of these entries that are there."""
        return self.store.entries.headlines(ids)

    def history(self, id_: str = "", limit: int = -1, *, people: bool = False) -> list[Event]:
        """What happened to an entry, oldest first; without an id the project's log, newest first, or what ``people`` did."""
        return (
            self.store.events.of_entry(self.find(id_).id) if id_ else self.store.events.recent(self.scope, limit, people=people)
        )

    def decisions(self, since: float = 0.0) -> list[stats.Decision]:
        """Every verdict by a person that stands."""
        return [stats.Decision(*row) for row in self.store.events.decisions(self.scope, since)]

    def today(self) -> Counter[str]:
        """Today's verdicts, counted."""
        return stats.tally(self.decisions(stats.midnight(clock.now())))

    def summary(self, since: float = 0.0) -> JSON:
        """The numbers of ``curator stats``."""
        decisions, held = self.decisions(since), self.store.entries.held_back(self.scope)
        odds = {key: value for key, (value, *_) in self.store.sources.learned().items()}
        signals = {decision.signal for decision in decisions} | held.keys()
        adjustments = {signal: inbox.adjustment(odds, self.scope or "", signal) for signal in signals}
        waiting = {kind.value: count for kind, count in self.kinds(self.cleanup()).items()}
        lessons = self.entries(Query(project=self.scope, states=(State.ACTIVE,)))
        told = text.summary(lessons, self.fared(since=since))
        spent = self.store.distilling.spent(since)
        return stats.summary(
            self.store.entries.count(self.scope), decisions, adjustments, held, self.stale(), waiting, told, spent
        )

    def adjustments(self) -> dict[str, float]:
        """What verdicts add to the scores of each signal here."""
        odds = {key: value for key, (value, *_) in self.store.sources.learned().items()}
        return {signal: inbox.adjustment(odds, self.scope or "", signal) for _, signal in odds}

    def fared(self, *, since: float = 0.0) -> dict[str, text.Fared]:
        """How each lesson fared that was ever told, since a time."""
        found = self.store.deliveries.fared(self.scope, since=since)
        return {id_: text.Fared(**fields) for id_, fields in found.items()}

    def told(self, entry: Entry) -> str:
        """How a lesson fared with agents, in words; empty where there is nothing to say."""
        if entry.state is not State.ACTIVE:
            return ""
        fields = self.store.deliveries.fared(lesson=entry.id).get(entry.id, {})
        chances = self.store.deliveries.chances(entry.project, entry.created, text.ENOUGH) if not fields else 0
        return text.sentence(text.Fared(**fields, chances=chances))

    def came(self, entry: Entry, limit: int) -> list[Outcome]:
        """What came of telling a lesson, the newest first."""
        return self.store.deliveries.outcomes(entry.id)[::-1][:limit]

    def stale(self) -> Counter[str]:
        """How many lessons are stale, by what became of the code of each that matters most."""
        found = self.entries(Query(project=self.scope, states=(State.ACTIVE,), kind=Kind.STALE))
        gravest = (max(entry.findings, key=lambda finding: finding.severity) for entry in found)
        return Counter(finding.drift.standing for finding in gravest)

    def weighed(self, entry: Entry) -> Entry:
        """The entry with the score that a person's verdicts leave it, and what they did among the reasons."""
        return inbox.weighed(entry, self.store.sources.learned_of(entry.project, entry.signal)[0])

    def projects(self) -> dict[str, Project]:
        """Every project, by id."""
        return self.store.sources.projects()

    def near(self, text: Candidate | Entry, project: str, *states: State) -> list[Entry]:
        """The entries of a project in these states that share the rarest words and names with a statement, likest first."""
        from curator import comparison

        sought = comparison.sought(text)
        return self.store.full_text.find(sought.words, project, states, NEAR, rivals=sought.rivals)

    def alike(self, entry: Entry, limit: int = 3) -> list[Target]:
        """What says nearly the same as an entry, likest first: its rival, and what shares most of its words or is judged so."""
        found = self.targets(entry, 3 * limit)
        return [target for target in found if target.likeness >= ALIKE or target.relating is not None][:limit]

    def targets(self, entry: Entry, limit: int = 3, *, among: Sequence[str] = ()) -> list[Target]:
        """What an entry could be merged into: its rival first, then what is most alike; ``among`` names the choice."""
        from curator import comparison

        named = [other for id_ in among if (other := self.peek(id_))]
        others = named if among else self.near(entry, entry.project, State.ACTIVE, State.OPEN)
        others = [other for other in others if other.id != entry.id]
        found = [(other, likeness) for other, likeness in comparison.similar(entry, others, limit=limit) if likeness > 0]
        if among and not found:
            found = [(other, 0.0) for other in others[:limit]]
        if entry.rival and all(other.id != entry.rival.other for other, _ in found):
            rival = self.peek(entry.rival.other)
            found = [(rival, entry.rival.likeness), *found][:limit] if rival else found
        found.sort(key=lambda pair: (bool(entry.rival and pair[0].id == entry.rival.other), pair[1]), reverse=True)
        return [Target(other, likeness, *text_for_both(other, entry), relation(other, entry)) for other, likeness in found]

    def gathered(self, ids: Sequence[str], limit: int = 9) -> list[Target]:
        """Each of these entries as the target of all the others, stored lessons first, with the text that would result."""
        entries = [entry for id_ in ids if (entry := self.peek(id_))]
        found = []
        for target in sorted(entries, key=lambda entry: entry.state is not State.ACTIVE)[:limit]:
            whole = target
            for other in entries:
                if other is not target:
                    headline, insight = text_for_both(whole, other)
                    whole = replace(whole, headline=headline, insight=insight)
            others = [other for other in entries if other is not target][:limit]
            against = any(relation(target, other) is Relating.CONTRADICTS for other in others)
            found.append(Target(target, 0.0, whole.headline, whole.insight, Relating.CONTRADICTS if against else None))
        return found


def relation(target: Entry, other: Entry) -> Relating | None:
    """What an entry does to another one that it could be merged into: what either one's card says, or else their words."""
    from curator import comparison

    for one, two in ((other, target), (target, other)):
        if one.rival and one.rival.other == two.id:
            return one.rival.relating
    return comparison.between(comparison.compared_text(target), comparison.compared_text(other)).relating


def text_for_both(target: Entry, other: Entry) -> tuple[str, str]:
    """The headline and insight to propose for a target that takes in another.

    A lesson's own words stay, with what the other adds behind them, unless the other's card says what of them gives way. Of two
    candidates the newer's words count more.
    """
    from curator import comparison

    card = other.rival if other.rival and other.rival.other == target.id else None
    if card and (card.clash or card.relating in (Relating.SUPERSEDES, Relating.REFINES)):
        return comparison.merged(target, other)
    if target.state is not State.ACTIVE:
        older, newer = sorted((target, other), key=lambda entry: entry.created)
        return comparison.merged(older, newer)
    stays = Relation(other=other.id, relating=Relating.REFINES)
    return comparison.merged(other, replace(target, rival=stays))
