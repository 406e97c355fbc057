"""Class Lessons: the entries seen from a project, their history, and the queries of the lists.

``View`` gives the parts of ``Curator`` an open database and the project to see it from.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from curator import clock, inbox
from curator.model import Entry, Event, Head, Kind, Project, Query, State, Tier
from curator.settings import DAY_SECONDS, Settings
from curator.store.database import Store
from curator.text import warnings


class View(Protocol):
    """An open database, seen from one project (or from all of them, where ``project`` is ``None``) by an ``actor``."""

    settings: Settings
    store: Store
    project: Project | None
    actor: str

    @property
    def scope(self) -> str | None:
        """Return the project's id, or ``None`` for all."""

    @property
    def keeper(self) -> str:
        """Return the name of the person at this machine. It is empty if none is known."""

    def here(self) -> Project | None:
        """Return the entered project, or else the project of the person's folder."""

    def projects(self) -> dict[str, Project]:
        """Return every project, by id."""

    def tops(self, project: Project) -> list[str]:
        """Return the folders of a project: the current one, the last known one, and its other existing work trees."""


class Lessons:
    """The queries on lessons and candidates. They change nothing. They are a part of ``Curator``."""

    def __init__(self, view: View) -> None:
        self.view = view

    def waiting(self, kind: Kind | None = None, *, rest: bool = False, session: str = "", words: Sequence[str] = ()) -> Query:
        """Return the query for the inbox. ``rest`` includes weaker cards: those over the limit of a session, or of a lower
        tier.
        """
        return Query(
            project=self.view.scope,
            waiting=True,
            now=clock.now(),
            cap=0 if rest else self.view.settings.per_session,
            tier=Tier.REST if rest else Tier.SURE if self.view.settings.has_reader else Tier.LIKELY,
            kind=kind,
            session=session,
            words=tuple(words),
        )

    def snoozes(self, *, words: Sequence[str] = ()) -> Query:
        """Return the query for snoozed cards that come back by themselves."""
        return Query(project=self.view.scope, waiting=True, snoozed=True, now=clock.now(), words=tuple(words))

    def count_hidden(self, session: str = "", signal: str = "") -> int:
        """Return the number of weaker candidates that the inbox hides. With a signal, count only its candidates."""
        everything, shown = (self.waiting(session=session, rest=rest)._replace(signal=signal) for rest in (True, False))
        return self.kinds(everything).total() - self.kinds(shown).total()

    def cleanup(self, kind: Kind | None = None, *, words: Sequence[str] = ()) -> Query:
        """Return the query for the cleanup: conflicts, stale lessons, faded lessons and old notes."""
        now, settings = clock.now(), self.view.settings
        fading, idle = (now - days * DAY_SECONDS if days else 0.0 for days in (settings.fade_days, settings.review_days))
        review = fading, idle, now - inbox.OLD_NOTE_SECONDS
        return Query(project=self.view.scope, review=review, now=now, kind=kind, words=tuple(words))

    def waiting_elsewhere(self) -> int:
        """Return the number of cards in the inboxes of other projects than this one."""
        if self.view.project is None:
            return 0
        here = self.waiting()
        return self.kinds(here._replace(project=None)).total() - self.kinds(here).total()

    def waiting_by_project(self) -> dict[str, int]:
        """Return the number of cards in the inbox of each project that has any, by its id."""
        query = self.waiting()
        counts = {id_: self.kinds(query._replace(project=id_)).total() for id_ in self.view.projects()}
        return {id_: count for id_, count in counts.items() if count}

    def library(self, states: Sequence[State] = (State.ACTIVE,), **more: Any) -> Query:
        """Return the query for entries in these states, newest first, with the global lessons of other projects."""
        return Query(project=self.view.scope, shared=True, states=tuple(states), **more)

    def order(self, query: Query, limit: int = -1) -> array[int]:
        """Return the rows wanted, as sequence numbers in order."""
        return self.view.store.entries.order(query, limit)

    def heads(self, seqs: Sequence[int]) -> dict[int, Head]:
        """Return the rows of a list for these numbers."""
        return self.view.store.entries.heads(seqs)

    def kinds(self, query: Query) -> Counter[Kind]:
        """Return how many rows there are of each kind."""
        return self.view.store.entries.kinds(query)

    def entries(self, query: Query, limit: int = -1) -> Iterable[Entry]:
        """Return the entries wanted, whole."""
        return self.view.store.entries.select(query, limit)

    def entry_at_row(self, seq: int) -> Entry | None:
        """Return the entry of a row."""
        return self.view.store.entries.entry_at_row(seq)

    def find(self, prefix: str) -> Entry:
        """Return the entry whose id begins with a prefix. Raises ``UnknownId``."""
        return self.view.store.entries.resolve(prefix)

    def session(self, prefix: str) -> str:
        """Return the session whose id begins with a prefix. Raises ``UnknownId``."""
        return self.view.store.entries.session(prefix)

    def filter_ids(self, ids: Sequence[str], query: Query) -> dict[str, int]:
        """Return which of these entries a query wants, with their rows."""
        return self.view.store.entries.filter_ids(ids, query)

    def rows_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the rows of entries, wanted or not."""
        return self.view.store.entries.filter_ids(ids, Query())

    def events_since(self, event: int) -> list[tuple[int, str, str]]:
        """Return (event, batch, id) of all events after an event."""
        return self.view.store.events.changes_since(event)

    def last_event(self) -> int:
        """Return the newest event's number."""
        return self.view.store.events.last()

    def version(self) -> int:
        """Return a number that changes after each write by another connection."""
        return self.view.store.version()

    def peek(self, id_: str) -> Entry | None:
        """Return the entry with exactly this id."""
        return self.view.store.entries.get(id_)

    def headlines(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the headlines of those of these entries that are there."""
        return self.view.store.entries.headlines(ids)

    def history(self, id_: str = "", limit: int = -1, *, people: bool = False) -> list[Event]:
        """Return the history of an entry, oldest first. Without an id, return the project's log or that of ``people``, newest
        first.
        """
        log = self.view.store.events
        return log.of_entry(self.find(id_).id) if id_ else log.recent(self.view.scope, limit, people=people)

    def with_score(self, entry: Entry) -> Entry:
        """Return the entry with the score that a person's decisions give it, and with their effect among the reasons."""
        return inbox.reweigh(entry, self.view.store.sources.adjustment(entry.project, entry.signal))

    def with_warnings(self, ids: Sequence[str]) -> set[str]:
        """Return the ids of those entries whose text has a warning: see ``text.warnings``."""
        entries = (entry for id_ in ids if (entry := self.peek(id_)))
        return {entry.id for entry in entries if warnings.find(f"{entry.headline}\n{entry.insight}")}
