"""The screen of the log: decisions and undone decisions."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from curator import app, clock
from curator.app import HAPPENED, Outcome
from curator.keymap import BY_NAME, TARGETS, fits
from curator.model import Event, Kind, Verb
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.app_state import AppState
from curator.tui.bars import Footer, FooterContext, Header, Toast, TopBar
from curator.tui.list_parts import key_name
from curator.tui.overlays import FullScreen, pages
from curator.tui.pane import Pane
from curator.tui.picker import show_help
from curator.tui.styles import Palette
from curator.tui.text import age, fit

MAX_EVENTS = 2_000
"""Events of the log that are read."""
NARROW_WIDTH = 60
"""Cells below which a line of the history has no columns and no project."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the log: a batch, or an event of an open batch (``part``)."""

    events: tuple[Event, ...]
    part: bool = False

    @property
    def place(self) -> tuple[int, bool]:
        """Return the key that identifies a row."""
        return self.events[0].seq, self.part


def rows(events: Sequence[Event], opened: Container[str]) -> list[Row]:
    """Return the lines of a log, newest first: one per batch, and the events of an open batch below it."""
    found = []
    for batch, group in groupby(events, key=lambda event: event.batch):
        parts = tuple(reversed([*group]))
        found.append(Row(parts))
        if batch in opened and len(parts) > 1:
            found += [Row((part,), part=True) for part in parts]
    return found


def _verb(events: Sequence[Event]) -> Verb:
    """Return the verb of a batch. A merge may also keep its target."""
    return Verb.MERGE if any(event.verb is Verb.MERGE for event in events) else events[-1].verb


class HistoryScreen(Screen[None]):
    """The decisions of people, newest first, one line per batch. A batch opens to its parts, and one row to all details."""

    NAME = "history"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-medium"), (110, "-wide")]  # noqa: RUF012
    AUTO_FOCUS = "#page"
    app: AppState

    def __init__(self) -> None:
        super().__init__()
        self.leading = False
        self.rows: list[Row] = []
        self.headlines: dict[str, str] = {}
        self.open_batches: set[str] = set()
        self.at = 0

    def compose(self) -> ComposeResult:
        """Lay out the header, pane, toast and footer."""
        yield TopBar(id="top")
        yield Pane(id="page", can_focus=True, key="j")
        yield Toast(id="toast")
        yield Footer(id="foot")

    def on_mount(self) -> None:
        """Fill it."""
        self.app.attempt(self.fill)

    def on_screen_resume(self) -> None:
        """Fill the list again, since things may have changed."""
        if self.query("#page"):
            self.app.attempt(self.fill)

    def fill(self) -> None:
        """Read and draw the log, with the cursor at its earlier place."""
        curator, place = self.app.curator, self.row.place if self.row else None
        events = curator.lessons.history(limit=MAX_EVENTS, people=True)
        self.headlines = curator.lessons.headlines({event.id for event in events})
        self.rows = rows(events, self.open_batches)
        places = [row.place for row in self.rows]
        self.at = places.index(place) if place in places else min(self.at, max(0, len(self.rows) - 1))
        names = self.app.names
        header = Header(place=names.here, sample=names.sample, current=self.NAME.title(), today=app.statistics.today(curator))
        self.query_one(TopBar).show(header)
        self.draw()

    @property
    def row(self) -> Row | None:
        """Return the current line."""
        return self.rows[self.at] if self.rows else None

    @property
    def kind(self) -> Kind | None:
        """Return the kind of the current row, if any. The keys of the log are the same for all kinds."""
        return Kind.LESSON if self.rows else None

    def _refresh_foot(self) -> None:
        """Update the keys in the footer."""
        many = self.row is not None and len(self.row.events) > 1
        there = [("o", "Parts" if many else "Lesson"), ("u", "Undo this"), ("U", "Redo")]
        there = [*([("j k", "Move")] if self.app.size.width >= NARROW_WIDTH else []), *there] if self.rows else []
        options = [(key, label) for key, (_, label) in TARGETS.items()] if self.leading else ()
        self.query_one(Footer).show(FooterContext(self.NAME), options or [*there, ("g i", "Inbox"), ("?", "Help")])

    def _lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return one line per batch, in the words of the keys."""
        if not self.rows:
            return [Text(""), Text("No decisions yet.", justify="center")]
        return [self._line(row, at == self.at, width, palette) for at, row in enumerate(self.rows)]

    def _line(self, row: Row, here: bool, width: int, palette: Palette) -> Text:
        last, bar = row.events[-1], styles.BAR if here else " "
        headline, verb = self.headlines.get(row.events[0].id, "(forgotten)"), HAPPENED[_verb(row.events)]
        when = f"{age(clock.now() - last.at):>4}" if not row.part else " " * 4
        indent = "  " if row.part else ""
        many = len(row.events) > 1
        if width < NARROW_WIDTH:
            text = f"{bar}{when} {indent}{f'{len(row.events)} ' if many else ''}{verb}: {headline}"
            return Text(fit(text, width), style=palette.strong if here else palette.plain)
        entries = len({event.id for event in row.events})
        count = f"{entries:>4} " if entries > 1 else " " * 5
        more = f" and {pluralize(entries - 1, 'other')}" if entries > 1 else ""
        project = "" if self.app.curator.project else f" {self.app.names.label(row.events[0].project)}"
        head = f"{bar}{when}  {indent}{verb:<12}{count}"
        room = max(8, width - cell_len(head) - cell_len(more) - cell_len(project))
        text = head + (headline if cell_len(headline) <= room else fit(headline, room)) + more
        return Text(fit(text, width - cell_len(project)) + project, style=palette.strong if here else palette.plain)

    def move(self, by: int) -> None:
        """Go to another line."""
        self.at = min(max(0, self.at + by), max(0, len(self.rows) - 1))
        self.draw()

    def draw(self) -> None:
        """Draw the lines with the current one in sight."""
        pane = self.query_one(Pane)
        place = pane.offset_y
        pane.show(self._lines, keep_place=True)
        height = max(1, pane.content_size.height)
        pane.scroll_by(min(max(place, self.at - height + 1), self.at) - pane.offset_y)
        self._refresh_foot()

    def bring_back(self, outcome: Outcome) -> None:
        """Update the files after an undo or redo, and read the log again."""
        self.app.background.settle([entry.id for entry in outcome.entries])
        self.fill()

    def action_act(self, name: str) -> None:
        """Run an action of the key table if it applies here."""
        if fits(BY_NAME[name], self.NAME, self.kind):
            self.app.attempt(lambda: ACTIONS[name](self))

    def on_key(self, event: events.Key) -> None:
        """Handle a key of the table, or one after the leading key."""
        event.stop()
        if self.app.is_leaving:
            return
        self.query_one(Footer).tell(Text(""))
        self.query_one(Toast).show("")
        if self.app.screen is not self:
            self.app.post_message(events.Key(event.key, event.character))
        elif self.leading:
            self.leading = False
            place = TARGETS.get(event.character or "", ("", ""))[0]
            if place == "top":
                self.action_act("top")
            elif place:
                self.app.switch_mode(place)
            self.app.attempt(self.fill)
        elif name := self.app.keymap.get(key_name(event)):
            self.action_act(name)


def _lead(page: HistoryScreen) -> None:
    page.leading = True
    page.fill()


def _undo(page: HistoryScreen) -> None:
    """Take back the batch under the cursor, if nothing later depends on it."""
    if page.row:
        outcome = page.app.curator.decisions.undo(page.row.events[0].seq)
        page.bring_back(outcome)
        page.query_one(Toast).show(f"undone: {outcome.entries[0].headline}")


def _open(page: HistoryScreen) -> None:
    """Open or close a batch. For a single row, show everything about it."""
    if page.row is None:
        return
    first = page.row.events[0]
    if len(page.row.events) > 1:
        page.open_batches ^= {first.batch}
        page.fill()
    elif (entry := page.app.curator.lessons.peek(first.id)) and pages(entry):
        page.app.push_screen(FullScreen(page.app.curator, entry, 0, last=True))
    else:
        page.query_one(Toast).show("There is nothing more to show." if entry else "This lesson was forgotten.", once=True)


def _move(by: int) -> Callable[[HistoryScreen], None]:
    return lambda page: page.move(by)


def _move_page(by: int) -> Callable[[HistoryScreen], None]:
    return lambda page: page.move(by * page.query_one(Pane).content_size.height)


ACTIONS: Mapping[str, Callable[[HistoryScreen], object]] = {
    "clear": lambda page: page.app.switch_mode("inbox"),
    "go": _lead,
    "down": _move(1),
    "up": _move(-1),
    "page-down": _move_page(1),
    "page-up": _move_page(-1),
    "bottom": _move(MAX_EVENTS),
    "top": _move(-MAX_EVENTS),
    "help": lambda page: show_help(page.app, page.NAME, page.action_act, page.kind),
    "evidence": _open,
    "undo": _undo,
    "redo": lambda page: page.bring_back(page.app.curator.decisions.redo()),
    "quit": lambda page: page.app.exit(),
}
"""Every action of the log, by the names of the table of actions."""
