"""What every screen may ask of the application that shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from textual.app import App

from curator.actions import keymap
from curator.service import Curator, Outcome


class Host(App[str]):
    """The state that screens share, and what they may set going beside them; ``CuratorApp`` does it.

    ``live`` and ``watching`` say how reading goes, ``held_back`` how many cards the cap holds back. ``welcome`` is what a first
    run is told: (transcripts in all, those of the last days, the bytes of these).
    """

    def __init__(self, curator: Curator, *, session: str = "") -> None:
        super().__init__()
        self.curator = curator
        self.session = session
        self.keymap = keymap(curator.settings.keys)
        self.today: Counter[str] = Counter()
        self.live = ""
        self.watching = ""
        self.held_back = 0
        self.welcome: tuple[int, int, int] | None = None
        self.names: dict[str, str] = {}
        self.learn_names()

    @property
    def place(self) -> str:
        """The project's name, for the header."""
        return self.curator.project.name if self.curator.project else "every project"

    def project_name(self, id_: str) -> str:
        """The name of a project."""
        return self.names.get(id_) or (self.curator.project.name if self.curator.project else "project")

    def learn_names(self) -> None:
        """Look the projects' names up."""
        self.names = {id_: project.name for id_, project in self.curator.projects().items()}

    def rescan(self, *, everything: bool = False) -> None:
        """Read the transcripts again."""
        raise NotImplementedError

    def settle(self, ids: Sequence[str]) -> None:
        """Let files and anchors follow a verdict."""
        raise NotImplementedError

    def took_back(self, outcome: Outcome) -> None:
        """A verdict was taken back on another screen."""
        self.settle([entry.id for entry in outcome.entries])
