"""The question what is to become of the verdicts of a window whose database was deleted or replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from curator.errors import Replaced
from curator.text.plurals import counted
from curator.tui.bars import Foot
from curator.tui.pane import Pane
from curator.tui.styles import Palette
from curator.tui.text import hanging

CARRY, WITHOUT, LATER = "carry", "without", "later"


class LostScreen(ModalScreen[str]):
    """Says what happened. Answers ``CARRY``, ``WITHOUT`` (go on with what stands there now) or ``LATER``."""

    AUTO_FOCUS = "#text"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "answer('carry')", "Carry over"),
        Binding("n", "answer('without')", "Without"),
        Binding("escape,q", "answer('later')", "Later"),
    ]

    def __init__(self, error: Replaced, verdicts: int, *, gone: bool) -> None:
        super().__init__()
        self.error = error
        self.verdicts = verdicts
        self.gone = gone

    def compose(self) -> ComposeResult:
        """What happened, and the keys."""
        with Vertical(id="sheet"):
            yield Pane(id="text", can_focus=True, key="j")
        yield Foot(id="foot")

    def on_mount(self) -> None:
        """The words once there is room to break them."""
        self.query_one("#sheet", Vertical).border_title = "the database"
        self.query_one(Pane).show(self._lines)
        options = [("c", "Put it back" if self.gone else "Carry over"), ("esc", "Later")]
        if not self.gone:
            options.insert(1, ("n", "Go on without"))
        self.query_one(Foot).show("lost", None, options)

    def _lines(self, width: int, palette: Palette) -> Sequence[Text]:
        made = counted(self.verdicts, "verdict") if self.verdicts else "no verdict"
        if self.gone:
            offer = f"c writes it back as it was open here, with all that was in it and the {made} of this window."
        else:
            offer = f"This window has made {made}. c carries what is not in the other database over into it; n does not."
        lines = hanging(Text(""), Text(self.error.message, palette.bad), width)
        return [*lines, Text(""), *hanging(Text(""), Text(offer, palette.plain), width)]

    def action_answer(self, answer: str) -> None:
        """Leave with an answer that there is."""
        if not (self.gone and answer == WITHOUT):
            self.dismiss(answer)
