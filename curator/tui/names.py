"""What the window calls the projects whose lessons it shows."""

from __future__ import annotations

from collections.abc import Mapping

from curator.app import Curator


class Names:
    """The names of projects by their ids."""

    def __init__(self, curator: Curator) -> None:
        self.curator = curator
        self._names: Mapping[str, str] = {}
        self.learn()

    def learn(self) -> None:
        """Look the names up."""
        self._names = {id_: project.name for id_, project in self.curator.projects().items()}

    def of(self, id_: str) -> str:
        """The name of a project."""
        return self._names.get(id_) or (self.curator.project.name if self.curator.project else "project")

    @property
    def here(self) -> str:
        """What the window shows, for the header."""
        return self.curator.project.name if self.curator.project else "every project"

    @property
    def sample(self) -> bool:
        """Whether this is the demo's made-up project."""
        return self.curator.scope == "demo"
