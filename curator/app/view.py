"""What the parts of ``Curator`` know of it: an open database, and from where it is seen."""

from __future__ import annotations

from typing import Protocol

from curator.model import Project
from curator.settings import Settings
from curator.store import Store


class View(Protocol):
    """An open database, seen from one project (or from all of them, where ``project`` is ``None``) by an ``actor``."""

    settings: Settings
    store: Store
    project: Project | None
    actor: str

    @property
    def scope(self) -> str | None:
        """The project's id, ``None`` for all."""

    @property
    def keeper(self) -> str:
        """The name of who sits here; empty where none is known."""

    def here(self) -> Project | None:
        """The project entered, else that of the folder that the person stands in."""

    def projects(self) -> dict[str, Project]:
        """Every project, by id."""

    def tops(self, project: Project) -> list[str]:
        """Where a project lies: the folder at hand, where it was last seen, and its other work trees that are there."""
