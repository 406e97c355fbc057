"""The messages that widgets and workers send to screens."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message


@dataclass
class Highlighted(Message):
    """The cursor stands on another row (``None``: the list is empty)."""

    seq: int | None


@dataclass
class Chosen(Message):
    """A row was chosen with the mouse."""

    seq: int


class Changed(Message):
    """The database has been written by somebody else: another window, a scan, the watcher."""

    def can_replace(self, message: Message) -> bool:
        """A burst of changes is one change."""
        return isinstance(message, Changed)


@dataclass
class Progress(Message):
    """How far a scan in the background is."""

    files_done: int
    files_total: int
    candidates: int

    def can_replace(self, message: Message) -> bool:
        """Only the newest figure matters."""
        return isinstance(message, Progress)


@dataclass
class Live(Message):
    """Transcripts are followed from now on, or no longer."""

    following: bool


@dataclass
class Surveyed(Message):
    """Nothing was ever read, and this is what there is: (transcripts, those of the last days, the bytes of these)."""

    sizes: tuple[int, int, int]


@dataclass
class Taught(Message):
    """What verdicts did to rules, (name, whether it counts less now), and how many cards more they hold back."""

    signals: list[tuple[str, bool]]
    hidden: int


@dataclass
class Model(Message):
    """How a model's reading goes: words for the header, a line of news with the key that takes it ``back``, and how many
    sessions it has not read; ``None`` where that has not changed."""

    reading: str | None = None
    news: str = ""
    back: str = ""
    bad: bool = False
    unread_sessions: int | None = None


@dataclass
class Failed(Message):
    """Something went wrong in the background; shown with what to do."""

    error: Exception
