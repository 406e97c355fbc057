"""Lessons in memory, asked as hooks ask the database: those that were known at some moment of the past."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from curator.model import Entry, State
from curator.model.codec import dumps, encode
from curator.store import hook_reader, indexes
from curator.store.entries import columns
from curator.store.indexes import FullText
from curator.store.rows import Rows
from curator.store.schema import STEPS

if TYPE_CHECKING:
    from curator.store.hook_reader import Request, Retrieval


class Postings:
    """Which lessons have which term, by project: the table of terms as dictionaries, since a replay asks it all the time."""

    def __init__(self) -> None:
        self._lessons: dict[str, dict[str, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
        self._sizes: Counter[str] = Counter()
        self._lengths: Counter[str] = Counter()

    def add(self, project: str, number: int, counted: Counter[str]) -> None:
        """Make known which terms a lesson has, and how often."""
        self._sizes[project] += 1
        self._lengths[project] += max(1, counted.total())
        for term, times in counted.items():
            self._lessons[project][term][number] = times

    def of(self, project: str) -> ProjectPostings:
        """Those of a project, and of global lessons."""
        places = dict.fromkeys(("", project))
        parts, sizes = [self._lessons[place] for place in places], [self._sizes[place] for place in places]
        return ProjectPostings(parts, sum(sizes), sum(self._lengths[place] for place in places))


class ProjectPostings:
    """What ``hook_reader.TermTable`` gives, of the same lessons."""

    def __init__(self, parts: Sequence[Mapping[str, Mapping[int, int]]], count: int, total: int) -> None:
        self.parts = parts
        self.count = count
        self.total = total

    def size(self) -> tuple[int, float]:
        """How many lessons there are, and how many terms one has in the mean."""
        return self.count, self.total / self.count if self.count else 1.0

    def counts(self, asked: Sequence[str]) -> dict[str, int]:
        """How many lessons have each of these terms; those that none has are left out."""
        found = ((term, sum(len(part.get(term, ())) for part in self.parts)) for term in asked)
        return {term: count for term, count in found if count}

    def lessons(self, term: str, among: Mapping[int, object] | None) -> list[tuple[int, int]]:
        """(lesson's number, how often) of those that have a term, of all or of these."""
        found = [part[term] for part in self.parts if term in part]
        if among is None:
            return [one for part in found for one in part.items()]
        return [(lesson, part[lesson]) for part in found for lesson in part.keys() & among.keys()]


class Pool:
    """Starts empty; ``add`` makes a lesson known. Nothing of it is ever a file; closed by whoever made it."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        for step in STEPS.values():
            step(self.connection)
        self.full_text = FullText(Rows(self.connection, Path(":memory:")))
        self.postings = Postings()
        self._count = 0

    def close(self) -> None:
        """Forget all of it."""
        self.connection.close()

    def add(self, entry: Entry, refusal: str = "", files: Sequence[tuple[str, str]] = (), *, searched: bool = True) -> None:
        """Make a lesson known, with why it is refused and the (project, file) that say the same.

        One that is not ``searched`` is sent all the same, but not found by ``near``.
        """
        self._count += 1
        counted = indexes.term_counts(entry)
        indexes.insert(self.connection, self._count, entry, counted.total(), refusal)
        self.postings.add(indexes.owner(entry), self._count, counted)
        if searched:
            body = encode(entry)
            row = columns(entry, dumps(body)) | {"seq": self._count, "rank": 0.0, "score": entry.score, "hidden": 0}
            marks = ", ".join(f":{name}" for name in row)
            self.connection.execute(f"INSERT INTO entries ({', '.join(row)}) VALUES ({marks})", row)
            self.full_text.write(self._count, body)
        self.connection.executemany(
            "INSERT OR IGNORE INTO stating_files VALUES (?, ?, ?)", ((entry.id, project, file) for project, file in files)
        )

    def gather(self, project: str, question: Request) -> Retrieval:
        """What a hook would find: see ``hook_reader.gather``."""
        return hook_reader.gather(self.connection, project, question, index=self.postings.of(project))

    def by_fingerprint(self, project: str, fingerprint: str) -> str:
        """The id of a project's lesson with this fingerprint; empty for none."""
        found = self.connection.execute("SELECT id FROM entries WHERE project = ? AND fingerprint = ?", (project, fingerprint))
        return next((id_ for (id_,) in found), "")

    def near(self, words: Iterable[str], project: str, limit: int) -> list[tuple[str, str]]:
        """(id, words) of the lessons of a project, and global ones, that share the rarest of these words, best first."""
        return self.full_text.texts(words, project, (State.ACTIVE,), limit)
