"""Lessons for scripts and CI: the database and the decisions that the inbox and the command line have.

>>> from curator.api import State, open
>>> import tempfile
>>> with open(project=tempfile.mkdtemp(), home=tempfile.mkdtemp()) as library:
...     lesson = library.add("Run `make gen` after an edit of a proto file")
...     [one.headline for one in library.search("proto")]
...     library.retire(lesson.id).state is State.RETIRED
['Run `make gen` after an edit of a proto file']
True
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from curator import app
from curator.app import Curator, Outcome
from curator.app.curator import actor, refuse_agents
from curator.app.hub import Report
from curator.app.project.sync import Exchange
from curator.errors import CuratorError
from curator.model import Category, Entry, State
from curator.settings import Settings, load

__all__ = ["Category", "CuratorError", "Entry", "Exchange", "Library", "Report", "State", "open"]


def open(project: str | os.PathLike[str] | None = None, *, home: str | os.PathLike[str] | None = None) -> Library:
    """Open the lessons of a project's folder, or of all projects. ``home`` is another folder for the database.

    Raises ``CuratorError``, as everything here does.
    """
    curator = Curator(Settings(home=Path(home)) if home else load(), actor=actor())
    if project is not None:
        curator.enter(os.path.abspath(project))
    return Library(curator)


class Library:
    """The lessons of a project or of all, until it is closed. An agent's process reads them, and decides nothing."""

    def __init__(self, curator: Curator) -> None:
        self.curator = curator

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.curator.close()

    def list(self, state: State = State.ACTIVE) -> Sequence[Entry]:
        """Return the lessons in a state. ``State.OPEN`` returns all cards of the inbox, including hidden ones."""
        lessons = self.curator.lessons
        query = lessons.waiting(rest=True) if state is State.OPEN else lessons.library((state,))
        return [*lessons.entries(query)]

    def search(self, words: str, *, files: Sequence[str] = (), limit: int = 20) -> Sequence[Entry]:
        """Return the lessons that share words or a file with a question, best first, at most ``limit``."""
        if limit < 0:
            raise CuratorError(f"A limit of {limit} is negative.", "Give a number of lessons.")
        return [match.entry for match in app.search.search(self.curator, words, files=files, limit=limit)]

    def add(
        self, headline: str, *, insight: str = "", category: Category = Category.CONVENTION, files: Sequence[str] = ()
    ) -> Entry:
        """Add a lesson to the project that was opened."""
        refuse_agents()
        category, own = _category(category), self._files(files)
        return self._settled(self.curator.decisions.add(headline, insight=insight, category=category, files=own))

    def keep(self, id_: str) -> Entry:
        """Keep a card or a lesson."""
        refuse_agents()
        return self._settled(self.curator.decisions.accept([self._id(id_)]))

    def retire(self, id_: str, *, reason: str = "") -> Entry:
        """Retire a lesson, or drop a card."""
        refuse_agents()
        return self._settled(self.curator.decisions.drop([self._id(id_)], reason=reason))

    def edit(
        self,
        id_: str,
        *,
        headline: str | None = None,
        insight: str | None = None,
        category: Category | None = None,
        files: Sequence[str] | None = None,
    ) -> Entry:
        """Change fields of a card or a lesson. A field that is not given stays."""
        refuse_agents()
        entry = self.curator.lessons.find(id_)
        fields: dict[str, Any] = {"headline": headline, "insight": insight}
        fields["category"] = None if category is None else _category(category)
        fields["files"] = None if files is None else self._files(files, entry.project)
        given = {name: value for name, value in fields.items() if value is not None}
        return self._settled(self.curator.decisions.edit(entry.id, **given))

    def share(self, id_: str, team: str) -> Entry:
        """Share a lesson with a team of the hub. ``sync`` sends it."""
        refuse_agents()
        return app.hub.share(self.curator, id_, team)

    def export(self, folder: str | os.PathLike[str] | None = None) -> Exchange:
        """Write the project's lessons to files, and say how many were written."""
        return app.settling.export(self.curator, Path(folder) if folder is not None else None)

    def sync(self) -> Sequence[Report]:
        """Exchange shared lessons with the hub. Return a report for each team with the results or the error."""
        refuse_agents()
        reports = app.hub.sync(self.curator)
        app.settling.settle(self.curator, app.hub.changed_entries(reports))
        return reports

    def _files(self, files: Sequence[str], project: str = "") -> tuple[str, ...]:
        """Return files relative to the project's folder. Raises ``CuratorError`` for one outside it."""
        return app.project_files.own_paths(self.curator, [files] if isinstance(files, str) else files, project)

    def _id(self, prefix: str) -> str:
        return self.curator.lessons.find(prefix).id

    def _settled(self, outcome: Outcome) -> Entry:
        """Do the work after a decision. Return its updated entry."""
        app.settling.settle(self.curator, [entry.id for entry in outcome.entries])
        return self.curator.lessons.find(outcome.entries[0].id)


def _category(value: str) -> Category:
    """Return a category, also by its name. Raises ``CuratorError``."""
    try:
        return Category(value)
    except ValueError:
        raise CuratorError(f"{value!r} is not a category.", f"Choose one of {', '.join(Category)}.") from None
