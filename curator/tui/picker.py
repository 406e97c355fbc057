"""Pick one of many by typing: a lesson, a project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

from curator.tui import styles
from curator.tui.bars import Foot
from curator.tui.host import Host
from curator.tui.pane import Frame, Pane
from curator.tui.styles import Palette
from curator.tui.text import fit, fit_path


@dataclass(frozen=True, slots=True)
class Option:
    """Something to pick: what it is known by, its words, and a note at the end of its line."""

    key: str
    text: str
    note: str = ""


Find = Callable[[str], Sequence[Option]]
"""What there is for words, the likest first; for none what is offered before anything is typed."""


class PickScreen(ModalScreen[str | None]):
    """What ``find`` gives for the words typed. Answers the key of what is picked, ``None`` for nothing."""

    AUTO_FOCUS = "#typed"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", priority=True),
        Binding("up,ctrl+p", "move(-1)", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", show=False, priority=True),
    ]

    def __init__(self, title: str, verb: str, find: Find, look: Callable[[str], object] = lambda key: None) -> None:
        super().__init__()
        self.look = look
        """What is done with the key under the cursor, before it is picked."""
        self.heading = title
        self.verb = verb
        self.find = find
        self.options: Sequence[Option] = ()
        self.at = 0

    def compose(self) -> ComposeResult:
        """A line to type in, and what there is below it."""
        with Frame(id="sheet"):
            yield Input(placeholder="type some of its words", compact=True, id="typed")
            yield Pane(id="text", key=styles.DOWN)
        yield Foot(id="foot")

    def on_mount(self) -> None:
        """What is offered before a word is typed."""
        self.query_one("#sheet", Frame).entitle(self.heading)
        keys = [("type", "Search"), ("enter", self.verb), (f"{styles.UP} {styles.DOWN}", "Choose"), ("esc", "Back")]
        self.query_one(Foot).show("pick", None, keys)
        self._look("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look as somebody types."""
        self._look(event.value)

    def on_input_submitted(self) -> None:
        """Take the one under the cursor."""
        if self.options:
            self.dismiss(self.options[self.at].key)

    def action_move(self, by: int) -> None:
        """Another one."""
        self.at = max(0, min(len(self.options) - 1, self.at + by))
        self._draw()

    def _look(self, typed: str) -> None:
        self.options, self.at = self.find(typed.strip()), 0
        self._draw()

    def _draw(self) -> None:
        if self.options:
            self.look(self.options[self.at].key)
        pane = self.query_one(Pane)
        pane.show(self._lines)
        pane.scroll_by(self.at - pane.outer_size.height + 2)  # the one under the cursor is in sight, and above the sign

    def _lines(self, width: int, palette: Palette) -> Sequence[Text]:
        lines = []
        for at, option in enumerate(self.options):
            here = at == self.at
            note = (
                f" {fit_path(option.note, max(8, width - 3 - max(8, cell_len(option.text))), styles.ELLIPSIS)}"
                if option.note
                else ""
            )
            text = fit(option.text, max(8, width - 2 - len(note)), styles.ELLIPSIS)
            sign = (styles.BAR if here else " ", palette.accent)
            lines.append(Text.assemble(sign, (text, palette.strong if here else palette.plain), (note, palette.quiet)))
        return lines or [Text("Nothing has these words.", style=palette.quiet)]


def pick_theme(host: Host) -> None:
    """Let somebody choose a theme, each worn while the cursor is on it; esc wears the old one again.

    What is chosen is saved.
    """
    before = host.theme

    def find(typed: str) -> Sequence[Option]:
        names = sorted(host.available_themes, key=lambda name: (name != before, name))
        return [Option(name, name) for name in names if all(word in name for word in typed.lower().split())]

    def wear(name: str) -> None:
        host.theme = name

    def answer(name: str | None) -> None:
        host.theme = name or before
        if name:
            host.keep_theme(name)

    screen = PickScreen("theme", "Choose", find, wear)
    screen.add_class("-below")  # what wears it is seen above
    host.push_screen(screen, answer)
