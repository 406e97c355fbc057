"""Class Curator: an open database seen from a project. Its parts read lessons and make decisions.

The caller of a command or a script is a person, or an agent, which decides nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Self

from curator import inbox, projects
from curator.app.decide import Decisions
from curator.app.lessons import Lessons
from curator.errors import CuratorError
from curator.io import git, worktree
from curator.model import IN_AGENT, MEMORY, PERSON, Entry, Project
from curator.settings import Settings
from curator.store.database import Store
from curator.store.file import as_store_errors
from curator.store.hook_reader import HookReader
from curator.text.statement import name


class Curator:
    """An open database, seen from one project, or from all if ``project`` is ``None``.

    ``lessons`` reads and ``decisions`` decides. Both know the database through ``View``. The other use cases are functions, one
    module each.
    """

    def __init__(
        self, settings: Settings, project: Project | None = None, *, actor: str = PERSON, timeout: float = 5.0
    ) -> None:
        self.settings = settings
        self.project = project
        self.actor = actor
        self.cwd = ""
        """The person's current folder, if no project was entered (see ``here``)."""
        self.store = Store(settings.database, order=inbox, timeout=timeout)
        self.lessons = Lessons(self)
        self.decisions = Decisions(self)

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
        """Return the reason for each unreadable row that was left out, by the row's name."""
        return self.store.rows.unreadable

    def has_read(self) -> bool:
        """Return whether curator has read any transcript or note of any project."""
        return bool(self.store.sources.sources()) or self.store.entries.has_signal(MEMORY)

    def enter(self, folder: str, *, quick: bool = False) -> Project:
        """Switch to the project of a folder, even of one that is not on this machine.

        ``quick``: use only known folders, as hooks do, without asking git. An unknown folder has no entries.
        """
        known = self.projects()
        if quick:
            self.project = known.get(self._id_of(folder)) or projects.project_from_folder(folder)
        else:
            linked = projects.linked(folder, self.store.sources.links())
            self.project = known.get(linked) or projects.identify(folder, known.values())
        return self.project

    def _id_of(self, folder: str) -> str:
        """Return the id of the known project around a folder. Return an empty text if there is none."""
        with as_store_errors(self.store.path), closing(HookReader(str(self.settings.database))) as reader:
            found = worktree.project(reader, os.path.abspath(folder))
        return found[0] if found else ""

    def here(self) -> Project | None:
        """Return the entered project, or else the project of the person's folder. curator writes the lesson files of this
        project there.
        """
        if self.project is None and self.cwd:
            return projects.identify(self.cwd, self.projects().values())
        return self.project

    def projects(self) -> dict[str, Project]:
        """Return every project, by id."""
        return self.store.sources.projects()

    def projects_of(self, entries: Iterable[Entry]) -> frozenset[str]:
        """Return the projects in which entries may apply: their own, and every project for a global lesson."""
        entries = list(entries)
        every = self.projects() if any(entry.scope == "global" for entry in entries) else ()
        return frozenset([entry.project for entry in entries] + [*every])

    def tops(self, project: Project) -> list[str]:
        """Return the folders of a project: the current one, the last known one, and its other existing work trees.

        curator remembers the folders in which somebody worked. Only the top of a work tree tells the place of a file in the
        project.
        """
        known = self.projects().get(project.id, project)
        others = (folder for folder, id_ in self.store.sources.folders().items() if id_ == project.id)
        trees = (folder for folder in others if os.path.exists(os.path.join(folder, ".git")))
        return [*dict.fromkeys((project.folder, known.folder, *trees))]

    @property
    def scope(self) -> str | None:
        """Return the project's id, or ``None`` for all."""
        return self.project.id if self.project else None

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment for finding transcripts. Some agents keep theirs in the project, here the current one."""
        folder = self.project.folder if self.project else self.cwd
        return {**os.environ, **({"PWD": folder} if folder else {})}

    @property
    def work_folder(self) -> Path:
        """Return the folder whose work tree may have agents' notes: the project's, or else the current one."""
        return Path(self.project.folder if self.project else os.getcwd())

    @cached_property
    def keeper(self) -> str:
        """Return the person's name in git. It is empty if there is none."""
        here = self.here()
        folder = here.folder if here else self.cwd
        return name(git.first_line(git.ask(folder or os.curdir, "config", "user.name")))


def running_agent() -> str:
    """Return the agent that runs this process. Return an empty text for a person."""
    from curator.agents import processes  # the inbox, which a person starts, paints without it

    return processes.agent(os.environ)


def actor() -> str:
    """Return the name that the history records for this process."""
    name = running_agent()
    return IN_AGENT.format(name) if name else PERSON


def refuse_agents() -> None:
    """Raise ``CuratorError`` if an agent runs this process."""
    if name := running_agent():
        raise CuratorError(
            f"{name} runs this command, but only a person decides about lessons.",
            "Ask the person to run the command in their own terminal. `curator add` proposes a lesson.",
        )
