"""Editing in place: the headline becomes an input, the insight a second one; what is typed is told at once, to be kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Label

from curator.model import Entry

MOST_WORDS = 12


def retold(entry: Entry | None, headline: str, insight: str) -> str:
    """The insight to save: one that only repeated the headline is shown once, and is edited once."""
    repeats = entry and insight == entry.insight and insight.rstrip(".") == entry.headline.rstrip(".")
    return headline if repeats else insight


class Editor(Vertical):
    """Two inputs and a count of words. Posts ``Typed`` while somebody types, then ``Saved`` or ``Left``."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave a draft", show=False)]

    @dataclass
    class Saved(Message):
        """The texts to save; ``id`` is the entry's, empty for a new lesson."""

        id: str
        headline: str
        insight: str

    @dataclass
    class Typed(Message):
        """The texts as they stand, after each change."""

        id: str
        headline: str
        insight: str

    @dataclass
    class Left(Message):
        """Editing was left; what was typed is kept as a draft."""

        id: str
        headline: str
        insight: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entry_id = ""
        self._told = ("", "")

    def compose(self) -> ComposeResult:
        """The inputs."""
        yield Input(id="headline", placeholder="the lesson, in at most 12 words", compact=True, select_on_focus=False)
        yield Input(id="insight", placeholder="one sentence that stands alone (tab)", compact=True, select_on_focus=False)
        yield Label("", id="count")

    def open(self, entry_id: str, headline: str, insight: str) -> None:
        """Start editing: the cursor at the end of the headline."""
        self.entry_id, self._told = entry_id, (headline.strip(), insight.strip())
        for name, value in (("headline", headline), ("insight", insight)):
            field = self.query_one(f"#{name}", Input)
            field.value = value
            field.cursor_position = len(value)
        self.display = True
        self.query_one("#headline", Input).focus()
        self._count()

    def close(self) -> None:
        """Stop editing."""
        self.display = False

    def texts(self) -> tuple[str, str]:
        """Headline and insight as they stand."""
        return self.query_one("#headline", Input).value.strip(), self.query_one("#insight", Input).value.strip()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Count the words, and tell of a change."""
        event.stop()
        self._count()
        if self.texts() != self._told:
            self._told = self.texts()
            self.post_message(self.Typed(self.entry_id, *self._told))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter saves."""
        event.stop()
        self.post_message(self.Saved(self.entry_id, *self.texts()))

    def action_leave(self) -> None:
        """Esc leaves; the text stays as a draft."""
        self.post_message(self.Left(self.entry_id, *self.texts()))

    def _count(self) -> None:
        words = len(self.query_one("#headline", Input).value.split())
        label = self.query_one("#count", Label)
        label.set_class(words > MOST_WORDS, "-over")
        over = f": {words - MOST_WORDS} too many to read in a glance" if words > MOST_WORDS else ""
        label.update(f"{words}/{MOST_WORDS} words{over}")
