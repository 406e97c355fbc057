"""A choice of one item by typing: an action, a lesson, a project, a theme, or the code of a lesson."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from curator import app
from curator.app import Curator
from curator.errors import CuratorError
from curator.keymap import ACTIONS, Action, fits
from curator.model import Entry, Kind, State
from curator.settings import NO_READER, remember
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.app_state import AppState
from curator.tui.bars import keycap
from curator.tui.overlays import Sheet
from curator.tui.pane import Pane
from curator.tui.styles import Palette
from curator.tui.text import fit, fit_path, hanging


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


class PickScreen(Sheet[str | None]):
    """A line to type in, and below it the results of ``find`` for these words, with a cursor on one of them.

    It returns the key of the picked result, or ``None``.
    """

    AUTO_FOCUS = "#typed"
    HINT: ClassVar[str] = "type some of its words"
    """The text in the line before anything is typed."""
    LEAVE: ClassVar[str] = "Back"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", priority=True),
        Binding("up,ctrl+p", "move(-1)", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", show=False, priority=True),
        Binding("pageup", "move(-10)", show=False, priority=True),
        Binding("pagedown", "move(10)", show=False, priority=True),
    ]

    def __init__(self, title: str, verb: str, find: Find, try_on: Callable[[str], object] = lambda key: None) -> None:
        super().__init__()
        self.heading = title
        self.verb = verb
        self.find = find
        self.try_on = try_on
        """The action on the key under the cursor, before it is picked."""
        self.options: Sequence[Option] = ()
        self.at = 0
        self.line = 0
        """The last line of the option under the cursor."""

    def above(self) -> Sequence[Widget]:
        """Return the line to type in."""
        return (Input(placeholder=self.HINT, compact=True, id="typed"),)

    @property
    def typed(self) -> Input:
        """Return the line to type in."""
        return self.query_one("#typed", Input)

    def on_mount(self) -> None:
        """Show the options offered before a word is typed."""
        self.set_title(self.heading)
        self.look()

    def on_input_changed(self) -> None:
        """Search while somebody types."""
        self.at = 0
        self.look()

    def on_input_submitted(self) -> None:
        """Take the one under the cursor."""
        if self.options:
            self.take(self.current)

    @property
    def current(self) -> str:
        """Return the key under the cursor. Return an empty text if there is none."""
        return self.options[self.at].key if self.options else ""

    def take(self, key: str) -> None:
        """Answer with a key."""
        self.dismiss(key)

    def action_move(self, by: int) -> None:
        """Move to another option. After the last one, there may be lines that are no options."""
        before, self.at = self.at, max(0, min(len(self.options) - 1, self.at + by))
        if before == self.at:
            self.query_one(Pane).scroll_by(by)
        else:
            self.draw()

    def look(self) -> None:
        """Search for the typed words."""
        self.options = self.find(self.typed.value.strip())
        self.at = max(0, min(len(self.options) - 1, self.at))
        self.draw()

    def draw(self) -> None:
        """Draw the options, with the current one in sight above the sign for more text, and try it on."""
        if self.options:
            self.try_on(self.current)
        choose = [("enter", self.verb), (f"{styles.UP} {styles.DOWN}", "Choose")] if self.options else []
        self.show(self.lines, [("type", "Search"), *choose, ("esc", self.LEAVE)])
        pane = self.query_one(Pane)
        pane.scroll_by(self.line - pane.outer_size.height + 2)

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return an option a line, its note at the right."""
        lines, self.line = [], self.at
        for at, option in enumerate(self.options):
            here, room = at == self.at, max(8, width - 3 - max(8, cell_len(option.text)))
            note = f" {fit_path(option.note, room)}" if option.note else ""
            text = self.cut(option.text, max(8, width - 2 - cell_len(note)))
            sign = (styles.BAR if here else " ", palette.accent)
            lines.append(Text.assemble(sign, (text, palette.strong if here else palette.plain), (note, palette.quiet)))
        return lines or [Text(self.nothing, style=palette.quiet)]

    def cut(self, text: str, width: int) -> str:
        """Return a text that fits into its line."""
        return fit(text, width)

    @property
    def nothing(self) -> str:
        """Return the text in place of options."""
        return "No match."


ELSEWHERE = "In other places"
MIN_TABLE_WIDTH = 60
"""Cells from which help is a table."""


class HelpScreen(PickScreen):
    """Every action with its keys. Enter runs the one under the cursor, which passes over those that do nothing here."""

    HINT = "type to search, enter runs one"

    def __init__(self, screen_name: str, kind: Kind | None, state: State | None) -> None:
        super().__init__("help", "Run", self._find)
        self.screen_name = screen_name
        self.kind = kind
        self.state = state
        self.matches: Sequence[Action] = ()

    def _fits(self, action: Action) -> bool:
        return fits(action, self.screen_name, self.kind, self.state)

    def _section(self, action: Action) -> str:
        """Return the heading of an action. Decisions on the current row come first, actions for other places last."""
        if not self._fits(action):
            return ELSEWHERE
        return self._here if action.group == "Decide" and action.needs_row else action.group

    @property
    def _here(self) -> str:
        """Return the heading of the decisions on the current row."""
        return f"On this {'stale lesson' if self.kind is Kind.STALE else self.kind}"

    def _find(self, typed: str) -> Sequence[Option]:
        words = typed.lower()
        sections = [self._here, *dict.fromkeys(action.group for action in ACTIONS), ELSEWHERE]

        def names(action: Action) -> list[str]:
            return [action.name, action.label.lower(), action.label_for(self.kind, self.state).lower(), *action.keys]

        def matches(action: Action) -> bool:
            text = " ".join([*names(action), *action.labels.values(), self._words(action)[1], action.group]).lower()
            return all(word in text for word in words.split())

        def place(action: Action) -> tuple[bool, bool, bool] | int:
            """Sort by: can be run, has exactly this name, has a name that begins like this."""
            called = names(action)
            if not words:
                return sections.index(self._section(action))
            return not self._runs(action), words not in called, not any(name.startswith(words) for name in called)

        self.matches = sorted(filter(matches, ACTIONS), key=place)
        return [Option(action.name, action.label) for action in self.matches if self._runs(action)]

    def _runs(self, action: Action) -> bool:
        """Return whether enter can run it. A digit needs a choice."""
        return action.name != "choose" and self._fits(action)

    def _words(self, action: Action) -> tuple[str, str]:
        return action.label_for(self.kind, self.state), action.help_for(self.kind, self.state)

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return the actions, below the headings of their sections before anything is typed."""
        lines: list[Text] = []
        group = ""
        for action in self.matches:
            if (section := self._section(action)) != group and not self.typed.value.strip():
                group = section
                lines += [*([Text("")] if lines else []), Text(group, style=palette.accent)]
            here, (label, help_) = action.name == self.current, self._words(action)
            sign, style = styles.BAR if here else " ", palette.plain if self._fits(action) else palette.quiet
            keys = " ".join(keycap(key) for key in action.keys)
            if width >= MIN_TABLE_WIDTH:
                line = Text.assemble((f"{sign}{keys:<9}", palette.strong), (f"{label:<15} ", style), (help_, style))
                lines += hanging(line[:26], line[26:], width)
            else:
                lines.append(Text.assemble((f"{sign}{keys:<7} ", palette.strong), (label, style)))
                lines += hanging(Text(" " * 9), Text(help_, style=palette.quiet), width)
            if here:
                self.line = len(lines) - 1
        return lines or [Text(self.nothing, style=palette.quiet)]


def show_help(
    host: AppState, screen: str, act: Callable[[str], None], kind: Kind | None = None, state: State | None = None
) -> None:
    """Show help for a kind of row on a screen. ``act`` runs the chosen action."""

    def run(name: str | None) -> None:
        if name:
            host.attempt(lambda: act(name))

    host.push_screen(HelpScreen(screen, kind, state), run)


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
    order = sorted(app.project.unlinked(curator), key=lambda project: (-counts[project.id], project.name))
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


def ask_for_code(host: AppState, entry: Entry, then: Callable[[Sequence[Place]], None]) -> None:
    """Let a person choose the code of an entry. ``then`` gets the code if it changed."""
    screen = CodeScreen(host.curator, entry)

    def answer(_: str | None) -> None:
        if tuple(screen.choice) != app.anchoring.places_of(entry):
            then(screen.choice)

    host.push_screen(screen, answer)


READING = "reading the project's code …"


class CodeScreen(PickScreen):
    """The places of an entry, and those that the project offers. Enter adds or removes one of ``choice``."""

    HINT = "a file, a symbol, or file:symbol"
    LEAVE = "Done"

    def __init__(self, curator: Curator, entry: Entry) -> None:
        super().__init__(f"code linked to “{entry.headline}”", "Add or remove", self._find)
        self.curator = curator
        self.entry = entry
        self.choice = list(app.anchoring.places_of(entry))
        self.places: dict[str, Place] = {}
        """The linked code on the screen, by the options' keys."""
        self.reading = True
        self.wrong = ""

    def on_mount(self) -> None:
        """Read the project's code in the background. The known options are shown at once."""
        self.run_worker(self._read, thread=True, exit_on_error=False)

    def _read(self) -> None:
        with closing(self.curator.fork()) as curator:
            try:
                app.anchoring.refresh(curator, curator.lessons.find(self.entry.id), lambda: self.is_attached)
            except CuratorError as error:
                self.wrong = str(error)
        self.reading = False
        if self.is_attached:
            self.app.call_from_thread(self.look)

    def _find(self, typed: str) -> Sequence[Option]:
        """Return the places that match the typed words. Without words, return those of the entry. A tick marks linked code."""
        places = self.choice
        try:
            if typed:
                entry = self.curator.lessons.find(self.entry.id)
                places = app.anchoring.suggest_places(self.curator, entry, typed, limit=MAX_OPTIONS)
        except CuratorError as error:
            self.wrong, places = str(error), []
        self.places = {":".join(filter(None, place)): place for place in places}
        return [Option(name, f"{styles.DONE if one in self.choice else ' '} {name}") for name, one in self.places.items()]

    def cut(self, text: str, width: int) -> str:
        """Return a place without the middle of its path."""
        return fit_path(text, width)

    def take(self, key: str) -> None:
        """Add or remove a place. A symbol replaces its whole file."""
        place = self.places[key]
        if place in self.choice:
            self.choice.remove(place)
        else:
            self.choice = [one for one in self.choice if one != (place[0], "")] + [place]
        if self.typed.value:
            self.typed.value = ""  # a change of the words starts a search
        else:
            self.look()

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return the options, and a last line while the project is read."""
        more = [Text(READING, style=palette.quiet)] if self.reading and self.options else []
        return [*super().lines(width, palette), *more]

    @property
    def nothing(self) -> str:
        """Return the reason why there is nothing to choose."""
        if self.wrong or self.reading:
            return self.wrong or READING
        return super().nothing if self.typed.value.strip() else "No code linked yet. Type a file or symbol name."
