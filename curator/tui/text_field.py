"""The field for a lesson, with as many wrapped lines as it needs. Imported only when somebody types."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.message import Message
from textual.widgets import TextArea


class Sentence(TextArea):
    """Text that wraps. Posts ``Entered`` for the key that would break a line elsewhere."""

    class Entered(Message):
        """Enter was pressed."""

    def __init__(self, **more: Any) -> None:
        super().__init__(compact=True, highlight_cursor_line=False, **more)

    def say(self, text: str) -> None:
        """Show other words, with the cursor at their end."""
        self.text = text
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Entered())
