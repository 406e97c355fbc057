"""Choose which code a lesson speaks of: type to find files and symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input

from curator import app
from curator.app import Curator
from curator.app.anchoring import places_of
from curator.errors import CuratorError
from curator.model import Entry
from curator.tui import styles
from curator.tui.bars import Foot
from curator.tui.host import Host
from curator.tui.pane import Frame, Pane
from curator.tui.styles import Palette
from curator.tui.text import fit_path

Place = tuple[str, str]
MOST = 40


def ask(app: Host, entry: Entry, then: Callable[[Sequence[Place]], None]) -> None:
    """Let a person choose the code of an entry; ``then`` gets the places if they are others than before."""

    def answer(places: Sequence[Place] | None) -> None:
        if places is not None:
            then(places)

    app.push_screen(PlacesScreen(app.curator, entry), answer)


class PlacesScreen(ModalScreen[Sequence[Place] | None]):
    """The places of an entry, and what the project offers. Answers the places there should be, ``None`` if none changed."""

    AUTO_FOCUS = "#typed"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "done", "Done", priority=True),
        Binding("up,ctrl+p", "move(-1)", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", show=False, priority=True),
        Binding("tab", "complete", show=False, priority=True),
    ]

    class Indexed(Message):
        """The project's code is known now."""

    def __init__(self, curator: Curator, entry: Entry) -> None:
        super().__init__()
        self.curator = curator
        self.entry = entry
        self.before = places_of(entry)
        self.choice = list(self.before)
        self.suggestions: list[Place] = []
        self.at = 0
        self.reading = True
        self.wrong = ""

    def compose(self) -> ComposeResult:
        """A line to type in, and the places below it."""
        with Frame(id="sheet"):
            yield Input(placeholder="a file, a symbol, or file:symbol", compact=True, id="typed")
            yield Pane(id="text", key=styles.DOWN)
        yield Foot(id="foot")

    def on_mount(self) -> None:
        """What is there at once; the project's code is read meanwhile."""
        self.query_one("#sheet", Frame).entitle(f"code of “{self.entry.headline}”")
        self.query_one(Foot).show("code", None, [("enter", "Add or take away"), ("↑ ↓", "Choose"), ("esc", "Done")])
        self.run_worker(self._read, thread=True, exit_on_error=False)
        self._look()

    def _read(self) -> None:
        curator = self.curator.fork()
        try:
            app.anchoring.refresh(curator, curator.lessons.find(self.entry.id), lambda: self.is_attached)
        except CuratorError as error:
            self.wrong = str(error)
        finally:
            curator.close()
        self.post_message(self.Indexed())

    def on_places_screen_indexed(self) -> None:
        """Now there is something to offer."""
        self.reading = False
        self._look()

    def on_input_changed(self) -> None:
        """Look as somebody types."""
        self.at = 0
        self._look()

    def on_input_submitted(self) -> None:
        """Add the place under the cursor, or take it away."""
        shown = self.visible_places()
        if not shown:
            return
        place = shown[min(self.at, len(shown) - 1)]
        if place in self.choice:
            self.choice.remove(place)
        else:
            self.choice = [one for one in self.choice if one != (place[0], "")] + [place]
        typed = self.query_one("#typed", Input)
        if typed.value:
            typed.value = ""  # which looks again
        else:
            self._look()

    def action_move(self, by: int) -> None:
        """Another place."""
        self.at = max(0, min(len(self.visible_places()) - 1, self.at + by))
        self._show()

    def action_complete(self) -> None:
        """The place under the cursor as text, to type on."""
        if shown := self.visible_places():
            path, symbol = shown[min(self.at, len(shown) - 1)]
            typed = self.query_one("#typed", Input)
            typed.value = f"{path}:{symbol}" if symbol else f"{path}:"
            typed.cursor_position = len(typed.value)

    def action_done(self) -> None:
        """Leave; what changed is one verdict."""
        self.dismiss(None if tuple(self.choice) == self.before else tuple(self.choice))

    def visible_places(self) -> list[Place]:
        """The places in the order in which they stand: without a word typed the entry's own, else what is offered."""
        return self.suggestions if self.query_one("#typed", Input).value.strip() else self.choice

    def _look(self) -> None:
        typed = self.query_one("#typed", Input).value.strip()
        try:
            self.suggestions = (
                app.anchoring.suggest_places(self.curator, self.curator.lessons.find(self.entry.id), typed, limit=MOST)
                if typed
                else []
            )
        except CuratorError as error:
            self.suggestions, self.wrong = [], str(error)
        self._show()

    def _show(self) -> None:
        pane = self.query_one(Pane)
        pane.show(self._lines)
        pane.scroll_by(self.at - pane.outer_size.height + 2)  # the place under the cursor is in sight, and above the sign

    def _lines(self, width: int, palette: Palette) -> Sequence[Text]:
        shown = self.visible_places()
        self.at = max(0, min(self.at, len(shown) - 1))
        lines = []
        for at, place in enumerate(shown):
            sign = styles.BAR if at == self.at else " "
            tick = styles.DONE if place in self.choice else " "
            text = fit_path(":".join(filter(None, place)), max(10, width - 4), styles.ELLIPSIS)
            style = palette.strong if at == self.at else palette.plain
            lines.append(Text.assemble((sign, palette.accent), (f"{tick} ", palette.good), (text, style)))
        if not shown:
            lines.append(Text(self._nothing(), style=palette.quiet))
        elif self.reading:
            lines += [Text(""), Text("reading the project's code …", style=palette.quiet)]
        return lines

    def _nothing(self) -> str:
        if self.wrong:
            return self.wrong
        if self.reading:
            return "reading the project's code …"
        if self.query_one("#typed", Input).value.strip():
            return "Nothing of that name."
        return "It speaks of no code yet: type a name."
