"""The line to type a filter in."""

from __future__ import annotations

import asyncio

from textual import events, work
from textual.containers import Horizontal
from textual.widgets import Input, Label

from curator.tui.contents import Contents
from curator.tui.list_screen import ListScreen

KEYS = (("enter", "Keep the filter"), ("esc", "Clear it"))
"""What the keys that are no letters do in the filter."""


class Filter(Horizontal):
    """A field to type words in, which the list follows."""

    def __init__(self, board: ListScreen, contents: Contents) -> None:
        super().__init__(id="find")
        self.board = board
        self.contents = contents

    def open(self) -> None:
        """Take the keys, with the words that the list is filtered by."""
        if not self.children:
            self.mount(Label("/ "), Input(placeholder="words to look for", compact=True, id="filter"))
        rows, field = self.board.list.rows, self.query_one(Input)
        if rows.cursor is not None:
            self.contents.before = rows.cursor, rows.position - rows.top
        field.value = " ".join(self.board.selection.words)
        self.display = True
        self.board.toast.display = False
        field.focus()

    def close(self) -> None:
        """Go; what was typed last must not come after what was decided since."""
        self.workers.cancel_group(self, "filter")
        self.display = False

    def on_descendant_focus(self) -> None:
        """The footer tells the keys of the filter from when it takes them."""
        self.board.refresh_bars()

    def on_descendant_blur(self) -> None:
        """Until another takes them."""
        self.board.refresh_bars()

    def on_key(self, event: events.Key) -> None:
        """Esc shows all again."""
        if event.key == "escape":
            event.stop()
            self.board.leave_input()
            self.contents.filter("", back=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as you type, a tenth of a second behind the fingers."""
        event.stop()
        if self.display:
            self._filter_soon(event.value)

    @work(exclusive=True, group="filter")
    async def _filter_soon(self, text: str) -> None:
        await asyncio.sleep(0.1)
        self.contents.filter(text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Back to the list; the filter stays."""
        event.stop()
        self.board.leave_input()
        self.contents.filter(event.value)
