"""A choice of one item by typing: a lesson, a project, a theme, or the code of a lesson."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ScreenResultType
from textual.widget import Widget
from textual.widgets import Input

from curator import app
from curator.app import Curator
from curator.errors import CuratorError
from curator.model import Entry
from curator.settings import NO_READER, remember
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.app_state import AppState
from curator.tui.overlays import Sheet
from curator.tui.pane import Pane
from curator.tui.styles import Palette
from curator.tui.text import fit, fit_path

CHOOSE = (f"{styles.UP} {styles.DOWN}", "Choose")


class Picker(Sheet[ScreenResultType]):
    """A line to type in, and below it the results for these words, with a cursor on one of them."""

    AUTO_FOCUS = "#typed"
    HINT: ClassVar[str]
    """The text in the line before anything is typed."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+p", "move(-1)", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", show=False, priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.at = 0

    def above(self) -> Sequence[Widget]:
        """Return the line to type in."""
        return (Input(placeholder=self.HINT, compact=True, id="typed"),)

    @property
    def typed(self) -> Input:
        """The line to type in."""
        return self.query_one("#typed", Input)

    def on_input_changed(self) -> None:
        """Search while somebody types."""
        self.at = 0
        self.look()

    def action_move(self, by: int) -> None:
        """Another one."""
        self.at = max(0, min(self.count() - 1, self.at + by))
        self.draw()

    def draw(self) -> None:
        """Draw the items, with the current one in sight above the sign for more text."""
        pane = self.query_one(Pane)
        pane.show(self.lines)
        pane.scroll_by(self.at - pane.outer_size.height + 2)

    def count(self) -> int:
        """Return how many there are."""
        raise NotImplementedError

    def look(self) -> None:
        """Search for the typed words, and draw the result."""
        raise NotImplementedError

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return the items, one per line."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Option:
    """Something to pick: its key, its words, and a note at the end of its line."""

    key: str
    text: str
    note: str = ""
    hidden: str = ""
    """Further words that find it."""


Find = Callable[[str], Sequence[Option]]
"""The options for words, the most similar first; without words, those offered before typing."""


def among(options: Sequence[Option]) -> Find:
    """Return the search for the options that have all the words typed."""

    def find(typed: str) -> Sequence[Option]:
        words = typed.lower().split()
        return [one for one in options if all(word in f"{one.text} {one.note} {one.hidden}".lower() for word in words)]

    return find


class PickScreen(Picker[str | None]):
    """The results of ``find`` for the words typed. Answers the key of the picked one, ``None`` for nothing."""

    HINT = "type some of its words"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back", priority=True)]

    def __init__(self, title: str, verb: str, find: Find, try_on: Callable[[str], object] = lambda key: None) -> None:
        super().__init__()
        self.heading = title
        self.verb = verb
        self.find = find
        self.try_on = try_on
        """The action on the key under the cursor, before it is picked."""
        self.options: Sequence[Option] = ()

    def on_mount(self) -> None:
        """Show the options offered before a word is typed."""
        self.set_title(self.heading)
        self.show(self.lines, [("type", "Search"), ("enter", self.verb), CHOOSE, ("esc", "Back")])
        self.look()

    def on_input_submitted(self) -> None:
        """Take the one under the cursor."""
        if self.options:
            self.dismiss(self.options[self.at].key)

    def count(self) -> int:
        """Return how many options there are."""
        return len(self.options)

    def look(self) -> None:
        """Search for the typed words."""
        self.options = self.find(self.typed.value.strip())
        self.draw()

    def draw(self) -> None:
        """Try the option under the cursor on, too."""
        if self.options:
            self.try_on(self.options[self.at].key)
        super().draw()

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return an option a line, its note at the right."""
        lines = []
        for at, option in enumerate(self.options):
            here, room = at == self.at, max(8, width - 3 - max(8, cell_len(option.text)))
            note = f" {fit_path(option.note, room)}" if option.note else ""
            text = fit(option.text, max(8, width - 2 - cell_len(note)))
            sign = (styles.BAR if here else " ", palette.accent)
            lines.append(Text.assemble(sign, (text, palette.strong if here else palette.plain), (note, palette.quiet)))
        return lines or [Text("No match.", style=palette.quiet)]


def pick_theme(host: AppState) -> None:
    """Let a person choose a theme, with a preview of the current one. Esc restores the old one.

    The choice is saved.
    """
    before = host.theme

    options = [Option(name, name) for name in sorted(host.available_themes, key=lambda name: (name != before, name))]

    def preview_theme(name: str) -> None:
        host.theme = name

    def answer(name: str | None) -> None:
        host.theme = name or before
        if name and not host.no_color:
            host.attempt(lambda: remember(host.curator.settings, "theme", name))

    screen = PickScreen("theme", "Choose", among(options), preview_theme)
    screen.add_class("-below")  # the screen above shows the theme
    host.push_screen(screen, answer)


def pick_project(host: AppState, begin: Callable[[], object]) -> None:
    """Let a person choose the project of the window, those with the most cards first. ``begin`` shows it."""
    curator = host.curator
    counts = Counter(curator.lessons.waiting_by_project())
    order = sorted(app.links.unlinked(curator), key=lambda project: (-counts[project.id], project.name))
    named = Counter(project.name for project in order)
    options = [Option("", "every project", pluralize(counts.total(), "card"))]
    for project in order:
        place = f" in {project.folder}" if named[project.name] > 1 else ""
        options.append(Option(project.id, f"{project.name}{place}", pluralize(counts[project.id], "card")))

    def answer(id_: str | None) -> None:
        if id_ is not None:
            curator.project = curator.projects().get(id_)
            host.names.learn()
            host.attempt(begin)

    host.push_screen(PickScreen("project", "Show", among(options)), answer)


READER_WORDS = {app.distill.OWN: "each agent reads its own sessions", NO_READER: "no reader"}


def pick_reader(host: AppState) -> None:
    """Let a person choose a reader. It then reads a made-up session, and the result is shown."""
    found = {**app.distill.available(host.curator.settings), NO_READER: "curator works without a model"}
    options = [Option(name, READER_WORDS.get(name, name), note) for name, note in found.items()]

    def answer(name: str | None) -> None:
        if name:
            host.attempt(lambda: host.distilling.choose(name))
            host.distilling.try_reader()

    host.push_screen(PickScreen("who reads your sessions", "Choose and try", among(options)), answer)


Place = tuple[str, str]
MAX_OPTIONS = 40
READING = "reading the project's code …"


def ask_for_code(host: AppState, entry: Entry, then: Callable[[Sequence[Place]], None]) -> None:
    """Let a person choose the code of an entry. ``then`` gets the places if they changed."""

    def answer(places: Sequence[Place] | None) -> None:
        if places is not None:
            then(places)

    host.push_screen(CodeScreen(host.curator, entry), answer)


class CodeScreen(Picker[Sequence[Place] | None]):
    """The places of an entry, and those that the project offers. Answers the wanted places, or ``None`` without a change."""

    HINT = "a file, a symbol, or file:symbol"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "done", "Done", priority=True),
        Binding("tab", "complete", show=False, priority=True),
    ]

    class Indexed(Message):
        """The project's code is known now."""

    def __init__(self, curator: Curator, entry: Entry) -> None:
        super().__init__()
        self.curator = curator
        self.entry = entry
        self.before = app.anchoring.places_of(entry)
        self.choice = list(self.before)
        self.suggestions: list[Place] = []
        self.reading = True
        self.wrong = ""

    def on_mount(self) -> None:
        """Show the known options at once, and read the project's code in the background."""
        self.set_title(f"code linked to “{self.entry.headline}”")
        self.run_worker(self._read, thread=True, exit_on_error=False)
        self.look()

    def _read(self) -> None:
        with closing(self.curator.fork()) as curator:
            try:
                app.anchoring.refresh(curator, curator.lessons.find(self.entry.id), lambda: self.is_attached)
            except CuratorError as error:
                self.wrong = str(error)
        self.post_message(self.Indexed())

    def on_code_screen_indexed(self) -> None:
        """Now there is something to offer."""
        self.reading = False
        self.look()

    def on_input_submitted(self) -> None:
        """Add or remove the place under the cursor."""
        shown = self.visible_places()
        if not shown:
            return
        place = shown[min(self.at, len(shown) - 1)]
        if place in self.choice:
            self.choice.remove(place)
        else:
            self.choice = [one for one in self.choice if one != (place[0], "")] + [place]
        if self.typed.value:
            self.typed.value = ""  # which looks again
        else:
            self.look()

    def action_complete(self) -> None:
        """The place under the cursor as text, to type on."""
        if shown := self.visible_places():
            path, symbol = shown[min(self.at, len(shown) - 1)]
            self.typed.value = f"{path}:{symbol}"
            self.typed.cursor_position = len(self.typed.value)

    def action_done(self) -> None:
        """Leave. The changes become one decision."""
        self.dismiss(None if tuple(self.choice) == self.before else tuple(self.choice))

    def visible_places(self) -> list[Place]:
        """Return the visible places: without typed words the entry's own, or else the matches."""
        return self.suggestions if self.typed.value.strip() else self.choice

    def count(self) -> int:
        """Return how many places there are."""
        return len(self.visible_places())

    def look(self) -> None:
        """Search for the typed words; without words show nothing."""
        typed, self.suggestions = self.typed.value.strip(), []
        try:
            if typed:
                entry = self.curator.lessons.find(self.entry.id)
                self.suggestions = app.anchoring.suggest_places(self.curator, entry, typed, limit=MAX_OPTIONS)
        except CuratorError as error:
            self.wrong = str(error)
        self.draw()

    def draw(self) -> None:
        """Draw the keys. If the project can't be read and no place is visible, nothing can be added."""
        choice = [] if self.wrong and not self.count() else [("enter", "Add or remove"), CHOOSE]
        self.show(self.lines, [*choice, ("esc", "Done")])
        super().draw()

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return a place a line, those of the entry with a tick."""
        shown = self.visible_places()
        self.at = max(0, min(self.at, len(shown) - 1))
        lines = []
        for at, place in enumerate(shown):
            sign = styles.BAR if at == self.at else " "
            tick = styles.DONE if place in self.choice else " "
            text = fit_path(":".join(filter(None, place)), max(10, width - 4))
            style = palette.strong if at == self.at else palette.plain
            lines.append(Text.assemble((sign, palette.accent), (f"{tick} ", palette.good), (text, style)))
        if not shown:
            lines.append(Text(self._nothing(), style=palette.quiet))
        elif self.reading:
            lines += [Text(""), Text(READING, style=palette.quiet)]
        return lines

    def _nothing(self) -> str:
        """Why there is none."""
        nothing = "No match." if self.typed.value.strip() else "No code linked yet. Type a file or symbol name."
        return self.wrong or (READING if self.reading else nothing)
