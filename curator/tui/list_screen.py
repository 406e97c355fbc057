"""What the parts of a list's screen know of it: the selection that it shows, and the screen itself by a protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from curator.app import Curator
from curator.model import Kind, Query
from curator.tui.bars import Foot, Toast
from curator.tui.host import Host
from curator.tui.list_widget import RowList

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Split:
    """One of the views of a list: its name, its letter in narrow terminals, the kind of row it shows."""

    name: str
    letter: str
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows a list shows: those of a split that have these words; with ``rest`` also what is held back."""

    split: Split
    words: tuple[str, ...] = ()
    rest: bool = False


Ask = Callable[[Host, Selection], Query]
"""What a list asks the database for, to show a selection."""


class ListScreen(Protocol):
    """The screen of a list as its parts see it; ``Board`` is it."""

    selection: Selection
    list: RowList
    toast: Toast
    foot: Foot

    @property
    def app(self) -> Host:
        """The application."""

    @property
    def wanted(self) -> Query:
        """What the list shows now."""

    @property
    def typing(self) -> bool:
        """Whether keys are letters of a text."""

    @property
    def in_front(self) -> bool:
        """Whether nothing lies over it."""

    def refresh_bars(self) -> None:
        """Draw header and footer as things stand."""

    def leave_input(self) -> None:
        """Go back to the list from whatever is typed in."""

    def action_act(self, name: str) -> None:
        """Do what an action of the table says, if it means anything here."""

    def beside(
        self, group: str, ask: Callable[[Curator], Answer], then: Callable[[Answer], object], *, exclusive: bool = True
    ) -> None:
        """Ask in a thread with a connection of its own; ``then`` gets the answer where widgets may be touched."""

    def call_after_refresh(self, callback: Callable[..., object], *args: object) -> bool:
        """Call something once the screen is painted."""
