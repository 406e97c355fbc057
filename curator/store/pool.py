"""Lessons in memory, asked as hooks ask the database: those that were known at some moment of the past."""

from __future__ import annotations

import sqlite3
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.model import Entry, State
from curator.model.codec import dumps
from curator.store import hook_reader, indexes
from curator.store.entries import columns
from curator.store.hook_reader import MAX_WEIGHED_LESSONS, PLACED
from curator.store.indexes import FullText
from curator.store.rows import Rows
from curator.store.schema import STEPS

if TYPE_CHECKING:
    from curator.store.hook_reader import Request, Retrieval

NEW = indexes.upper_odds(0.0, 0.0)
"""The odds of a lesson while no delivery of it has an outcome."""


class Lessons:
    """The lessons of one project, or the global ones, by number: hooks' tables as dictionaries, which a replay reads often."""

    def __init__(self) -> None:
        self.terms: dict[str, dict[int, int]] = defaultdict(dict)
        self.places: dict[str, dict[int, None]] = defaultdict(dict)
        self.standing: list[tuple[int, int]] = []
        """(what speaks for it, number) of those for the whole project, best last: nothing came of sending any of them."""
        self.count = 0
        self.length = 0

    def add(self, number: int, entry: Entry, counted: Counter[str]) -> None:
        """Make known a lesson that has these terms."""
        self.count += 1
        self.length += max(1, counted.total())
        for term, times in counted.items():
            self.terms[term][number] = times
        for place in indexes.literal_places(entry):
            self.places[place][number] = None
        if entry.scope != "paths":
            insort(self.standing, (indexes.session_start_weight(entry), number))


class View:
    """The values of ``hook_reader.Table``, for the same lessons."""

    def __init__(self, parts: Sequence[Lessons], row: Callable[[int], tuple[Any, ...]]) -> None:
        self.parts = parts
        self.row = row

    def size(self) -> tuple[int, float]:
        """See ``hook_reader.Index``."""
        count = sum(part.count for part in self.parts)
        return count, sum(part.length for part in self.parts) / count if count else 1.0

    def counts(self, asked: Sequence[str]) -> dict[str, int]:
        """See ``hook_reader.Index``."""
        found = ((term, sum(len(part.terms.get(term, ())) for part in self.parts)) for term in asked)
        return {term: count for term, count in found if count}

    def lessons(self, term: str, among: dict[int, float] | None) -> dict[int, int]:
        """See ``hook_reader.Index``."""
        first, *others = (part.terms[term] for part in self.parts if term in part.terms)
        return first | others[0] if others else first

    def at(self, places: Sequence[str]) -> list[int]:
        """See ``hook_reader.Index``."""
        deepest = sorted(places, key=lambda place: (-len(place), place))
        found = (lesson for place in deepest for part in self.parts for lesson in part.places.get(place, ()))
        return [*islice(found, PLACED)]

    def best(self) -> list[int]:
        """See ``hook_reader.Index``."""
        found = sorted((one for part in self.parts for one in part.standing[-MAX_WEIGHED_LESSONS:]), reverse=True)
        return [number for _, number in found[:MAX_WEIGHED_LESSONS]]

    def rows(self, chosen: Iterable[int]) -> list[tuple[Any, ...]]:
        """See ``hook_reader.Index``."""
        return [self.row(number) for number in sorted(chosen)]


class Pool:
    """Starts empty; ``add`` makes a lesson known. Nothing of it is ever a file; closed by whoever made it."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        for step in STEPS.values():
            step(self.connection)
        self.connection.execute("BEGIN")  # never ended: all of it goes with the connection
        self.full_text = FullText(Rows(self.connection, Path(":memory:")))
        self._lessons: dict[str, Lessons] = defaultdict(Lessons)
        self._entries: list[tuple[Entry, int]] = []
        self._views: dict[str, View] = {}
        self._files: dict[tuple[str, str], set[str]] = defaultdict(set)

    def close(self) -> None:
        """Forget all of it."""
        self.connection.close()

    def add(self, entry: Entry, files: Sequence[tuple[str, str]] = (), *, searched: bool = True) -> None:
        """Make a lesson known, with the (project, file) that say the same.

        One that is not ``searched`` is sent all the same, but not found by ``near``.
        """
        counted = indexes.term_counts(entry)
        self._entries.append((entry, counted.total()))
        number = len(self._entries)
        self._lessons[indexes.owner(entry)].add(number, entry, counted)
        for project, file in files:
            self._files[entry.id, project].add(file)
        if searched:
            body = {name: getattr(entry, name) for name in (*indexes.COLUMNS, "scope")}
            row = columns(entry, dumps(body)) | {"seq": number, "rank": 0.0, "score": entry.score, "tier": 0}
            marks = ", ".join(f":{name}" for name in row)
            self.connection.execute(f"INSERT INTO entries ({', '.join(row)}) VALUES ({marks})", row)
            self.full_text.write(number, body)

    def gather(self, project: str, question: Request) -> Retrieval:
        """Return what a hook would find: see ``hook_reader.gather``."""

        @cache  # a lesson is asked for again and again, and never changes
        def row(number: int) -> tuple[Any, ...]:
            entry, length = self._entries[number - 1]
            files = self._files.get((entry.id, project), ())
            return (*indexes.row(number, entry, length, NEW), "\n".join(sorted(files)))

        if project not in self._views:
            self._views[project] = View([self._lessons[owner] for owner in dict.fromkeys(("", project))], row)
        return hook_reader.gather(self._views[project], question)

    def by_fingerprint(self, project: str, fingerprint: str) -> str:
        """Return the id of a project's lesson with this fingerprint; empty for none."""
        found = self.connection.execute("SELECT id FROM entries WHERE project = ? AND fingerprint = ?", (project, fingerprint))
        return next((id_ for (id_,) in found), "")

    def near(self, words: Iterable[str], project: str, limit: int) -> list[tuple[str, str]]:
        """(id, words) of the lessons of a project, and global ones, that share the rarest of these words, best first."""
        return self.full_text.texts(words, project, (State.ACTIVE,), limit)
