"""Class Curator: an open database seen from a project, with its parts: what is read of lessons, and what can be decided."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from functools import cached_property
from typing import Self

from curator import inbox, projects
from curator.app.lessons import Lessons
from curator.app.verdicts import Verdicts
from curator.io import git, worktree
from curator.model import MEMORY, PERSON, Project
from curator.settings import Settings
from curator.store import Store
from curator.store.file import as_store_errors
from curator.store.hook_reader import HookReader
from curator.text.statement import name


class Curator:
    """An open database, seen from one project (or from all of them, where ``project`` is ``None``).

    ``lessons`` reads, ``verdicts`` decides; both know of it what ``View`` says. What else can be done with it are functions:
    one module a use case.
    """

    def __init__(
        self, settings: Settings, project: Project | None = None, *, actor: str = PERSON, timeout: float = 5.0
    ) -> None:
        self.settings = settings
        self.project = project
        self.actor = actor
        self.cwd = ""
        """The folder that a person stands in, where none was entered: see ``here``."""
        self.store = Store(settings.database, order=inbox, timeout=timeout)
        self.lessons = Lessons(self)
        self.verdicts = Verdicts(self)

    def fork(self, timeout: float = 5.0) -> Self:
        """Return the same with a connection of its own, for another thread.

        Raises ``ReplacedDatabase``: it opens no other file.
        """
        self.store.verify()
        other = type(self)(self.settings, self.project, actor=self.actor, timeout=timeout)
        other.cwd = self.cwd
        return other

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Why of each row that made no sense and was left out, by its name."""
        return self.store.rows.unreadable

    def has_read(self) -> bool:
        """Return whether any transcript or note was read, of whatever project."""
        return bool(self.store.sources.sources()) or self.store.entries.has_signal(MEMORY)

    def enter(self, folder: str, *, quick: bool = False) -> Project:
        """See the database from the project of a folder, which need not be on this machine, from now on.

        ``quick``: by the folders that are known, as hooks do, without a question to git; one that is not known has nothing.
        """
        known = self.projects()
        if quick:
            self.project = known.get(self._id_of(folder)) or projects.project_from_folder(folder)
        else:
            linked = projects.linked(folder, self.store.sources.links())
            self.project = known.get(linked) or projects.identify(folder, known.values())
        return self.project

    def _id_of(self, folder: str) -> str:
        """Return the id of the known project around a folder; empty where none is."""
        with as_store_errors(self.store.path), closing(HookReader(str(self.settings.database))) as reader:
            found = worktree.project(reader, os.path.abspath(folder))
        return found[0] if found else ""

    def here(self) -> Project | None:
        """Return the project entered, else that of the folder that the person stands in: files go there if it is the
        lesson's.
        """
        if self.project is None and self.cwd:
            return projects.identify(self.cwd, self.projects().values())
        return self.project

    def projects(self) -> dict[str, Project]:
        """Return every project, by id."""
        return self.store.sources.projects()

    def tops(self, project: Project) -> list[str]:
        """Return where a project lies: the folder at hand, where it was last seen, and its other work trees that are there.

        Folders are remembered as somebody worked in them: only the top of a work tree says what lies where in the project.
        """
        known = self.projects().get(project.id, project)
        others = (folder for folder, id_ in self.store.sources.folders().items() if id_ == project.id)
        trees = (folder for folder in others if os.path.exists(os.path.join(folder, ".git")))
        return [*dict.fromkeys((project.folder, known.folder, *trees))]

    @property
    def scope(self) -> str | None:
        """The project's id, ``None`` for all."""
        return self.project.id if self.project else None

    @property
    def environment(self) -> dict[str, str]:
        """The environment for finding transcripts: some agents keep theirs in the project, which is the one at hand here."""
        folder = self.project.folder if self.project else self.cwd
        return {**os.environ, **({"PWD": folder} if folder else {})}

    @cached_property
    def keeper(self) -> str:
        """The name that git has for who sits here; empty where it has none."""
        here = self.here()
        folder = here.folder if here else self.cwd
        return name(git.first_line(git.ask(folder or os.curdir, "config", "user.name")))
