"""What a person has turned down, so that it does not come back in other words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from curator.inbox import WITHDRAWN
from curator.model import Candidate, State
from curator.store import Store

if TYPE_CHECKING:
    from curator.comparison import Said


@dataclass(slots=True)
class _Known:
    """What is known of one project, and as of which version of the database."""

    said: Said
    version: int = -1
    changed: dict[str, float] = field(default_factory=dict)


class Dismissed:
    """The dismissed candidates of projects, and lessons retired as wrong; read once, then kept up with other connections."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._projects: dict[str, _Known] = {}

    def says(self, candidate: Candidate, project: str) -> bool:
        """Whether this was turned down before."""
        from curator.comparison import Said  # 5 MB that a window need not hold while nothing is new

        known, version = self._projects.setdefault(project, _Known(Said())), self.store.version()
        if known.version != version:
            self._catch_up(known, project)
            known.version = version
        return known.said.find(candidate.insight or candidate.headline) is not None

    def _catch_up(self, known: _Known, project: str) -> None:
        now = self.store.entries.dropped(project)
        for id_ in known.changed.keys() - now.keys():
            known.said.drop(id_)
        fresh = [id_ for id_, updated in now.items() if known.changed.get(id_) != updated]
        for id_, state, reason, text in self.store.entries.texts(fresh):
            known.said.drop(id_)
            if reason == "wrong" or (state == State.DISMISSED and reason != WITHDRAWN):
                known.said.add(id_, text)
        known.changed = now
