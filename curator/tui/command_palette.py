"""The command palette: every action by name, with its key."""

from __future__ import annotations

from typing import Any

from textual.command import DiscoveryHit, Hit, Hits, Provider

from curator.keymap import ACTIONS, fits
from curator.tui.board import Board

THEME = "theme"


class Actions(Provider):
    """The palette: the actions of the table that mean something here, with their keys, so that it teaches them."""

    def _valid(self) -> list[tuple[str, str, str]]:
        screen = self.screen
        name = screen.listing.name if isinstance(screen, Board) else getattr(screen, "NAME", "")
        entry = screen.card.entry if isinstance(screen, Board) else None
        kind, state = (entry.kind, entry.state) if entry else (None, None)
        return [
            (
                f"{action.worded(kind, state)}{f'  ({action.keys[0]})' if action.keys else ''}",
                action.name,
                action.help,
            )
            for action in ACTIONS
            if fits(action, name, kind, state) and action.name not in ("palette", "choose")
        ] + [("Theme", THEME, "Choose colours; remembered")]

    def _run(self, name: str) -> Any:
        if name == THEME:
            return self.app.action_change_theme
        return lambda: self.screen.action_act(name)  # type: ignore[attr-defined]

    async def discover(self) -> Hits:
        """Everything, before a word is typed."""
        for label, name, help_ in self._valid():
            yield DiscoveryHit(label, self._run(name), help=help_)

    async def search(self, query: str) -> Hits:
        """What matches."""
        matcher = self.matcher(query)
        for label, name, help_ in self._valid():
            score = matcher.match(f"{label} {help_}")
            if score:
                yield Hit(score, matcher.highlight(label), self._run(name), help=help_)
