"""The screens of the log and of the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from curator import app, clock
from curator.app import Outcome, sections
from curator.keymap import BY_NAME, TARGETS, fits
from curator.model import JSON, Event
from curator.tui import styles
from curator.tui.actions import EVERYWHERE
from curator.tui.bars import Foot, Header, Toast, TopBar
from curator.tui.host import Host
from curator.tui.keys import pressed
from curator.tui.overlays import show_help
from curator.tui.pane import Pane
from curator.tui.styles import Palette
from curator.tui.text import age, fit, hanging

MOST = 500


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
        """Header, pane, toast, footer."""
        yield TopBar(id="top")
        yield Pane(id="page", can_focus=True, key="j")
        yield Toast(id="toast")
        yield Foot(id="foot")

    def on_mount(self) -> None:
        """Fill it."""
        self.app.guarded(self.fill)

    def on_screen_resume(self) -> None:
        """Fill it anew: things have changed since."""
        if self.query("#page"):
            self.app.guarded(self.fill)

    def fill(self) -> None:
        """Draw everything."""
        self.query_one(TopBar).show(
            Header(place=self.app.names.here, sample=self.app.names.sample, current=self.NAME.title(), today=self.app.today)
        )
        self.query_one(Pane).show(self.lines)
        options = [(key, label) for key, (_, label) in TARGETS.items()] if self.leading else ()
        roomy = self.app.size.width >= 60  # else the keys that everybody tries stand back for the others' words
        self.query_one(Foot).show(self.NAME, None, options or [one for one in self.keys() if roomy or one[0] != "j k"])

    def keys(self) -> Sequence[tuple[str, str]]:
        """The keys in the footer."""
        return [("j k", "Scroll"), ("g i", "Inbox"), ("g l", "Lessons"), ("q", "Quit"), ("?", "Help")]

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """What the pane shows."""
        raise NotImplementedError

    def action_act(self, name: str) -> None:
        """Do what an action of the table says, if it means anything here."""
        if fits(BY_NAME[name], self.NAME, None):
            self.app.guarded(lambda: self.actions.get(name, lambda page: None)(self))

    def on_key(self, event: events.Key) -> None:
        """A key of the table, or one after the leading key."""
        event.stop()
        self.query_one(Foot).tell(Text(""))
        if self.app.screen is not self:
            self.app.post_message(events.Key(event.key, event.character))
        elif self.leading:
            self.leading = False
            place = TARGETS.get(event.character or "", ("", ""))[0]
            if place == "top":
                self.query_one(Pane).scroll_by(-99_999)
            elif place:
                self.app.switch_mode(place)
            self.app.guarded(self.fill)
        elif name := self.app.keymap.get(pressed(event)):
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
    "help": lambda page: show_help(page.app, page.NAME, page.action_act),
    **EVERYWHERE,
}
"""What keys do on every page, by the names of the table of actions."""


class HistoryScreen(Page):
    """Events, newest first, one line each."""

    NAME = "history"

    def __init__(self) -> None:
        super().__init__()
        self.actions = HISTORY
        self.events: list[Event] = []
        self.headlines: dict[str, str] = {}
        self.at = 0

    def keys(self) -> Sequence[tuple[str, str]]:
        """The keys in the footer."""
        there = [("j k", "Move"), ("r", "Undo this"), ("u", "Undo"), ("U", "Redo")] if self.events else []
        return [*there, ("g i", "Inbox"), ("?", "Help")]

    def fill(self) -> None:
        """Read the log."""
        curator = self.app.curator
        self.events = curator.lessons.history(limit=MOST, people=True)
        rows = curator.lessons.rows_of(list({event.id for event in self.events}))
        self.headlines = {head.id: head.headline for head in curator.lessons.heads(list(rows.values())).values()}
        self.at = min(self.at, max(0, len(self.events) - 1))
        super().fill()

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """One line an event."""
        if not self.events:
            return [Text(""), Text("Nothing was decided yet.", justify="center")]
        now = clock.now()
        lines = []
        for at, event in enumerate(self.events):
            headline = self.headlines.get(event.id, "(gone)")
            bar = styles.BAR if at == self.at else " "
            text = f"{bar}{age(now - event.at):>4}  {event.verb.value:<10} {f'{event.id}  ' if width >= 60 else ''}{headline}"
            style = palette.strong if at == self.at else palette.plain
            lines.append(Text(fit(text, width, styles.ELLIPSIS), style=style))
        return lines

    def move(self, by: int) -> None:
        """Go to another event."""
        self.at = min(max(0, self.at + by), max(0, len(self.events) - 1))
        pane = self.query_one(Pane)
        place = pane.offset_y
        pane.show(self.lines, keep_place=True)
        height = max(1, pane.content_size.height)
        pane.scroll_by(min(max(place, self.at - height + 1), self.at) - pane.offset_y)

    def bring_back(self, outcome: Outcome) -> None:
        """A verdict was taken back or done again: let files follow, and read the log anew."""
        self.app.background.settle([entry.id for entry in outcome.entries])
        self.fill()


def _revert(page: HistoryScreen) -> None:
    """Take back the batch of the event under the cursor, if nothing later depends on it."""
    if page.events:
        outcome = page.app.curator.verdicts.undo(page.events[page.at].seq)
        page.bring_back(outcome)
        page.query_one(Toast).show(f"undone: {outcome.entries[0].headline}")


HISTORY: Mapping[str, Callable[[Any], object]] = {
    **PAGE,
    "down": lambda page: page.move(1),
    "up": lambda page: page.move(-1),
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
        self.found: JSON = {}

    def fill(self) -> None:
        """Count; not while drawing, where a fault would end the window."""
        self.found = app.statistics.summary(self.app.curator)
        super().fill()

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Counts, seconds per decision, what each rule is worth."""
        lines: list[Text] = []
        for heading, rows in sections(self.found).items():
            lines += [Text(""), Text(f"  {heading}", style=palette.accent)]
            for name, figure, note in rows:
                lines += hanging(Text(f"  {name:<12}{figure:>8}  "), Text(note, style=palette.quiet), width)
        signals, room = self.found["signals"], min(20, width - 40)
        if signals:
            lines += [Text(""), Text("  what each rule is worth", style=palette.accent)]
        for signal, count in signals.items():
            kept, total = count["kept"], count["kept"] + count["dropped"]
            filled = round(room * kept / total) if total else 0
            bar = "#" * filled + "." * (room - filled)
            hidden = f"  {count['held']} held back" if count["held"] else ""
            lines.append(Text.assemble(f"  {signal:<22}{bar} {kept:>4} of {total:<5}", (hidden, palette.quiet)))
        return lines
