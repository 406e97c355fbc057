"""The screens of the log and of the numbers."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Label

from curator import app, clock
from curator.app import HAPPENED, RULES, Outcome, sections
from curator.keymap import BY_NAME, TARGETS, fits
from curator.model import JSON, Event, Kind, Verb
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.actions import EVERYWHERE
from curator.tui.bars import Foot, Header, Toast, TopBar
from curator.tui.board import FILTER_KEYS
from curator.tui.host import Host
from curator.tui.keys import key_name
from curator.tui.overlays import show_help
from curator.tui.pane import Pane
from curator.tui.styles import Palette
from curator.tui.text import age, fit, hanging

MOST = 2_000
"""Events of the log that are read."""
NARROW = 60
"""Cells below which there is little room: a line of the history has no columns then, and no project."""
END = 99_999
"""More lines than any page has."""


class Page(Screen[None]):
    """A screen that is one pane: shares the leading key, help and quit with the lists."""

    NAME: ClassVar[str] = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-medium"), (110, "-wide")]  # noqa: RUF012
    AUTO_FOCUS = "#page"
    app: Host

    def __init__(self) -> None:
        super().__init__()
        self.actions: Mapping[str, Callable[[Any], object]] = PAGE
        self.leading = False

    def compose(self) -> ComposeResult:
        """Header, pane, toast, a filter where there is one, footer."""
        yield TopBar(id="top")
        yield Pane(id="page", can_focus=True, key="j")
        yield Toast(id="toast")
        yield from self.filters()
        yield Foot(id="foot")

    def filters(self) -> Sequence[Widget]:
        """What stands above the footer."""
        return ()

    def on_mount(self) -> None:
        """Fill it."""
        self.app.attempt(self.fill)

    def on_screen_resume(self) -> None:
        """Fill it anew: things have changed since."""
        if self.query("#page"):
            self.app.attempt(self.fill)

    def fill(self) -> None:
        """Draw everything."""
        self.query_one(TopBar).show(
            Header(place=self.app.names.here, sample=self.app.names.sample, current=self.NAME.title(), today=self.app.today)
        )
        self.query_one(Pane).show(self.lines, keep_place=True)
        self.refresh_foot()

    def refresh_foot(self) -> None:
        """The keys as things stand."""
        options = [(key, label) for key, (_, label) in TARGETS.items()] if self.leading else ()
        roomy = self.app.size.width >= 60  # else the keys that everybody tries stand back for the others' words
        self.query_one(Foot).show(self.NAME, None, options or [one for one in self.keys() if roomy or one[0] != "j k"])

    @property
    def kind(self) -> Kind | None:
        """What sort of row is at hand."""
        return None

    def keys(self) -> Sequence[tuple[str, str]]:
        """The keys in the footer."""
        return [("j k", "Scroll"), ("g i", "Inbox"), ("g l", "Lessons"), ("q", "Quit"), ("?", "Help")]

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """What the pane shows."""
        raise NotImplementedError

    def action_act(self, name: str) -> None:
        """Do what an action of the table says, if it means anything here."""
        if fits(BY_NAME[name], self.NAME, self.kind):
            self.app.attempt(lambda: self.actions.get(name, lambda page: None)(self))

    def on_key(self, event: events.Key) -> None:
        """A key of the table, or one after the leading key."""
        event.stop()
        if self.app.is_leaving:
            return
        self.query_one(Foot).tell(Text(""))
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


def _lead(page: Page) -> None:
    page.leading = True
    page.fill()


def _scroll(by: int) -> Callable[[Page], None]:
    return lambda page: page.query_one(Pane).scroll_by(by)


PAGE: Mapping[str, Callable[[Any], object]] = {
    "clear": lambda page: page.app.switch_mode("inbox"),
    "go": _lead,
    "down": _scroll(1),
    "up": _scroll(-1),
    "page-down": _scroll(15),
    "page-up": _scroll(-15),
    "bottom": _scroll(END),
    "top": _scroll(-END),
    "help": lambda page: show_help(page.app, page.NAME, page.action_act, page.kind),
    **EVERYWHERE,
}
"""What keys do on every page, by the names of the table of actions."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the log: a batch, or one of its events where it is ``part`` of an opened one."""

    events: tuple[Event, ...]
    part: bool = False

    @property
    def place(self) -> tuple[int, bool]:
        """What it is known by."""
        return self.events[0].seq, self.part


def rows(events: Sequence[Event], opened: Container[str]) -> list[Row]:
    """The lines of a log, newest first: one for each batch, and its events in order below it where it is opened."""
    found = []
    for batch, group in groupby(events, key=lambda event: event.batch):
        parts = tuple(reversed([*group]))
        found.append(Row(parts))
        if batch in opened and len(parts) > 1:
            found += [Row((part,), part=True) for part in parts]
    return found


def _verb(events: Sequence[Event]) -> Verb:
    """What a batch did: what a merge went into may be kept by it, too."""
    return Verb.MERGE if any(event.verb is Verb.MERGE for event in events) else events[-1].verb


class HistoryScreen(Page):
    """What people did, newest first, one line a batch; a batch opens to its parts, and one row to all that is known of it."""

    NAME = "history"

    def __init__(self) -> None:
        super().__init__()
        self.actions = HISTORY
        self.events: list[Event] = []
        self.rows: list[Row] = []
        self.headlines: dict[str, str] = {}
        self.open_batches: set[str] = set()
        self.words: tuple[str, ...] = ()
        self.before: tuple[int, bool] | None = None
        """Where one was when the filter was opened."""
        self.at = 0

    def filters(self) -> Sequence[Widget]:
        """The filter, as in a list."""
        return (Horizontal(Label("/ "), Input(placeholder="words to look for", compact=True, id="filter"), id="find"),)

    @property
    def kind(self) -> Kind | None:
        """What of an entry can be looked at is the same for all kinds."""
        return Kind.LESSON if self.rows else None

    @property
    def row(self) -> Row | None:
        """The line at hand."""
        return self.rows[self.at] if self.rows else None

    def keys(self) -> Sequence[tuple[str, str]]:
        """The keys in the footer."""
        if self.filtering:
            return FILTER_KEYS
        many = self.row is not None and len(self.row.events) > 1
        there = [("j k", "Move"), ("o", "Parts" if many else "Lesson"), ("r", "Undo this"), ("u", "Undo"), ("U", "Redo")]
        return [*(there if self.rows else []), ("/", "Filter"), ("g i", "Inbox"), ("?", "Help")]

    def fill(self) -> None:
        """Read the log."""
        curator = self.app.curator
        self.events = curator.lessons.history(limit=MOST, people=True)
        self.headlines = curator.lessons.headlines({event.id for event in self.events})
        self.lay()
        super().fill()

    def lay(self, place: tuple[int, bool] | None = None) -> None:
        """Find the lines that are wanted, the cursor at a ``place``, or where it is."""
        place = place or (self.row.place if self.row else None)
        wanted = [event for event in self.events if self._matches(event)]
        self.rows = rows(wanted, self.open_batches)
        places = [row.place for row in self.rows]
        self.at = places.index(place) if place in places else min(self.at, max(0, len(self.rows) - 1))

    def _matches(self, event: Event) -> bool:
        said = f"{HAPPENED[event.verb]} {self.headlines.get(event.id, '')}".lower()
        return all(word in said for word in self.words)

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """One line a batch, in the words of the keys."""
        if not self.rows:
            nothing = "Nothing matches; esc clears the filter." if self.words else "Nothing was decided yet."
            return [Text(""), Text(nothing, justify="center")]
        return [self._line(row, at == self.at, width, palette) for at, row in enumerate(self.rows)]

    def _line(self, row: Row, here: bool, width: int, palette: Palette) -> Text:
        last, bar = row.events[-1], styles.BAR if here else " "
        headline, verb = self.headlines.get(row.events[0].id, "(forgotten)"), HAPPENED[_verb(row.events)]
        when = f"{age(clock.now() - last.at):>4}" if not row.part else " " * 4
        indent = "  " if row.part else ""
        many = len(row.events) > 1
        if width < NARROW:
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
        """The lines as they stand, the one at hand in sight."""
        pane = self.query_one(Pane)
        place = pane.offset_y
        pane.show(self.lines, keep_place=True)
        height = max(1, pane.content_size.height)
        pane.scroll_by(min(max(place, self.at - height + 1), self.at) - pane.offset_y)
        self.refresh_foot()

    def bring_back(self, outcome: Outcome) -> None:
        """A verdict was taken back or done again: let files follow, and read the log anew."""
        self.app.background.settle([entry.id for entry in outcome.entries])
        self.fill()

    @property
    def filtering(self) -> bool:
        """Whether keys are letters of the filter."""
        return isinstance(self.focused, Input)

    def filter(self, words: str, place: tuple[int, bool] | None = None) -> None:
        """Show only lines with these words."""
        self.words = tuple(words.lower().split())
        self.lay(place)
        self.draw()

    def open_filter(self) -> None:
        """Type words, which the log follows."""
        self.before = self.before or (self.row.place if self.row else None)
        self.query_one("#find").display = True
        self.query_one(Input).focus()
        self.call_after_refresh(self.refresh_foot)

    def close_filter(self, *, clear: bool) -> None:
        """Back to the log; where the filter goes, to the line one was on."""
        self.query_one("#find").display = False
        self.query_one(Pane).focus()
        if clear:
            self.query_one(Input).value = ""
            self.filter("", self.before)
            self.before = None
        self.call_after_refresh(self.refresh_foot)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as you type."""
        if self.filtering:
            self.filter(event.value)

    def on_input_submitted(self) -> None:
        """Back to the log; the filter stays."""
        self.close_filter(clear=False)

    def on_key(self, event: events.Key) -> None:
        """Letters of the filter are no keys of the log; else the handler of ``Page`` gets them, too."""
        if self.filtering:
            event.prevent_default()
            if event.key == "escape":
                event.stop()
                self.close_filter(clear=True)


def _revert(page: HistoryScreen) -> None:
    """Take back the batch under the cursor, if nothing later depends on it."""
    if page.row:
        outcome = page.app.curator.verdicts.undo(page.row.events[0].seq)
        page.bring_back(outcome)
        page.query_one(Toast).show(f"undone: {outcome.entries[0].headline}")


def _open(page: HistoryScreen) -> None:
    """Open a batch to its parts, or close it; of a single row show all that is known."""
    from curator.tui.detail import FullScreen, pages

    if page.row is None:
        return
    first = page.row.events[0]
    if len(page.row.events) > 1:
        page.open_batches ^= {first.batch}
        page.lay()
        page.draw()
    elif (entry := page.app.curator.lessons.peek(first.id)) and pages(entry):
        page.app.push_screen(FullScreen(page.app.curator, entry, 0, last=True))
    else:
        page.query_one(Toast).show("There is nothing more of it." if entry else "It was forgotten.", once=True)


def _leave(page: HistoryScreen) -> None:
    """The filter first, then the screen."""
    if page.words:
        page.close_filter(clear=True)
    else:
        page.app.switch_mode("inbox")


def _move(by: int) -> Callable[[Any], None]:
    return lambda page: page.move(by)


ROWS: Mapping[str, Callable[[Any], object]] = {
    **PAGE,
    "down": _move(1),
    "up": _move(-1),
    "page-down": lambda page: page.move(page.query_one(Pane).content_size.height),
    "page-up": lambda page: page.move(-page.query_one(Pane).content_size.height),
    "bottom": _move(END),
    "top": _move(-END),
}
"""What keys do on a page of rows, one of which is at hand."""
HISTORY: Mapping[str, Callable[[Any], object]] = {
    **ROWS,
    "clear": _leave,
    "evidence": _open,
    "filter": lambda page: page.open_filter(),
    "undo": lambda page: page.bring_back(page.app.curator.verdicts.undo()),
    "redo": lambda page: page.bring_back(page.app.curator.verdicts.redo()),
    "revert": _revert,
}
"""What keys do in the log."""


class StatsScreen(Page):
    """How it goes, in numbers."""

    NAME = "stats"

    def __init__(self) -> None:
        super().__init__()
        self.figures: JSON = {}

    def fill(self) -> None:
        """Count; not while drawing, where a fault would end the window."""
        self.figures = app.statistics.summary(self.app.curator)
        super().fill()

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return the counts under their headings."""
        lines: list[Text] = []
        for heading, rows in sections(self.figures, RULES).items():
            room = max(12, *(cell_len(name) + 1 for name, _, _ in rows))
            lines += [Text(""), Text(f"  {heading}", style=palette.accent)]
            for name, figure, note in rows:
                head = f"  {name:<{room}}{figure:>8}  " if name or figure or width >= NARROW else "    "
                lines += hanging(Text(head), Text(note, style=palette.quiet), width)
        return lines
