"""The screen of a replay: what lessons would have done in past sessions, and each that came up again there.

Two places of transcripts stand side by side: where a lesson was stated first, and where it came up again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.message import Message
from textual.screen import ModalScreen

from curator import app, clock
from curator.app import Curator
from curator.model import JSON, Evidence, Kind, Line
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.bars import Foot, Toast
from curator.tui.card import excerpt
from curator.tui.history import ROWS, Page
from curator.tui.host import Host
from curator.tui.overlays import SCROLL
from curator.tui.pane import Frame, Pane
from curator.tui.styles import Palette
from curator.tui.text import age, ago, fit, fit_path, hanging

if TYPE_CHECKING:
    from curator.app.replay_report import Recurrence
    from curator.app.scan import Step

NARROW = 60
"""Cells below which a row has two lines."""
WIDE = 110
"""Cells from which on a row says all that lies between what was sent and the line."""
FEW, MANY = 4, 12
"""Weeks that are drawn, where there are few lines and where there are many."""
HIGH = 30
"""Lines that are many."""
NOTHING_KEPT = "No lesson is kept here yet, so there is nothing to replay. Keep some first: g i is the inbox."
NO_SESSIONS = "No session was found here. Agents delete old ones; `curator where` shows the places that are looked at."
NEVER_AGAIN = "No lesson came up again in a later session: none had to be said twice. Few ever are."
NO_CONTROL = "There is no control: no other project has lessons."
ENDED = "The replay did not come to its end. R starts it again."
STOPPED = "Stopped. R starts it again, esc goes back to the inbox."


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What a replay gave: its figures, what came up again, and when it was asked."""

    figures: JSON
    rows: Sequence[Recurrence]
    at: float


class ReplayScreen(Page):
    """Replays when it is first opened, beside the window; then figures, a bar a week, and a row for each case."""

    NAME = "replay"

    @dataclass
    class Reading(Message):
        """How far it is."""

        step: Step

        def can_replace(self, message: Message) -> bool:
            """Only the newest figure matters."""
            return isinstance(message, ReplayScreen.Reading)

    @dataclass
    class Ended(Message):
        """It is over; ``result`` is what it gave, if it was not stopped and nothing went wrong."""

        result: ReplayResult | None

    def __init__(self) -> None:
        super().__init__()
        self.actions = REPLAY
        self.stop: threading.Event | None = None
        """There while it runs."""
        self.step: Step | None = None
        self.result: ReplayResult | None = None
        self.news = ""
        """Why there is nothing to show."""
        self.at = 0
        self.places: list[int] = []
        """In which line each row begins."""

    @property
    def rows(self) -> Sequence[Recurrence]:
        """What came up again."""
        return self.result.rows if self.result and not self.stop else ()

    @property
    def kind(self) -> Kind | None:
        """What can be looked at are lessons."""
        return Kind.LESSON if self.rows else None

    def keys(self) -> Sequence[tuple[str, str]]:
        """The keys in the footer."""
        if self.stop:
            return [("esc", "Stop"), ("g i", "Inbox"), ("q", "Quit"), ("?", "Help")]
        there = [("j k", "Move"), ("enter", "Both places")] if self.rows else []
        return [*there, ("R", "Replay again"), ("g i", "Inbox"), ("?", "Help")]

    def on_mount(self) -> None:
        """Begin at once."""
        self.app.attempt(self.begin)

    def on_unmount(self) -> None:
        """It ends with the window."""
        if self.stop:
            self.stop.set()

    def begin(self) -> None:
        """Replay, unless that is under way."""
        if self.stop is None:
            self.stop, self.step, self.news = threading.Event(), None, ""
            self.app.background.beside(partial(self._replay, self.stop))
        self.fill()

    def _replay(self, stop: threading.Event, curator: Curator) -> None:
        """In a thread of its own: ask, and say how far it is."""
        window, found = self.app.background, None

        def tell(step: Step) -> None:
            if window.stopping.is_set():
                stop.set()
            self.post_message(self.Reading(step))

        try:
            report = app.replay.replay(curator, roots=window.roots, progress=tell, stop=stop)
            if not stop.is_set():
                rows = app.replay_report.recurrences(curator, report)
                found = ReplayResult(app.replay.figures(curator, report), rows, clock.now())
        finally:
            self.post_message(self.Ended(found))

    def on_replay_screen_reading(self, message: Reading) -> None:
        """Show how far it is."""
        message.stop()
        self.step = message.step
        self.draw()

    def on_replay_screen_ended(self, message: Ended) -> None:
        """Show what was found, or why there is nothing."""
        message.stop()
        stopped = self.stop is not None and self.stop.is_set()
        self.stop = None
        self.result = message.result or self.result
        self.news = "" if message.result else STOPPED if stopped else ENDED
        self.at = 0
        self.draw()

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """How far it is; then figures, weeks and rows."""
        high = self.query_one(Pane).outer_size.height
        self.places = []
        if self.stop:
            return _middle(self._progress(), width, high, palette)
        if self.news or self.result is None:
            return _middle([self.news], width, high, palette)
        figures = self.result.figures
        if not figures["lessons"] or not figures["sessions"]:
            return _middle([NO_SESSIONS if figures["lessons"] else NOTHING_KEPT], width, high, palette)
        lines = self._figures(figures, width, FEW if high < HIGH else MANY, palette)
        for at, row in enumerate(self.rows):
            self.places.append(len(lines))
            lines += self._row(row, at == self.at, width, palette)
        return lines if self.rows else [*lines, Text(""), *hanging(Text("  "), Text(NEVER_AGAIN), width)]

    def _progress(self) -> list[str]:
        assert self.stop is not None
        if self.stop.is_set():
            return ["stopping …"]
        if self.step is None or self.step.files_done < self.step.files_total or not self.step.files_total:
            far = f" {self.step.files_done:,} of {self.step.files_total:,}" if self.step else ""
            return [f"reading transcripts again{far}", "to see what would have been sent in them; nothing is written"]
        return [f"asking what would have been sent in {pluralize(self.step.count, 'session')}", "nothing is written"]

    def _figures(self, figures: JSON, width: int, weeks: int, palette: Palette) -> list[Text]:
        report, found = app.replay_report, self.result
        lately = age(clock.now() - found.at) if found else ""
        asked = "" if lately == "now" else f"; replayed {lately} ago"
        known = f"{pluralize(figures['sessions'], 'session')}, {pluralize(figures['lessons'], 'lesson')}{asked}"
        lines = [*hanging(Text("  "), Text(f"What came up again in later sessions: {known}", style=palette.accent), width)]
        fitting = [(name, figure, note) for name, figure, note in report.volume(figures) if name == "fitting"]
        drawn = report.weeks(figures, weeks)
        for name, figure, note in (*report.recurrence_rows(figures), *fitting):
            lines += hanging(Text(f"  {name:<17}{figure:>6}  "), Text(note, style=palette.quiet), width)
        for note in () if figures["chance"] else (NO_CONTROL,):
            lines += hanging(Text("  "), Text(note, style=palette.quiet), width)
        if drawn:
            title = f"a week; {styles.FULL} was sent before, {styles.LIGHT} was not"
            lines += [Text(""), Text(f"  {title}", style=palette.accent)]
        lines += [Text(f"  {name:<12}{figure:>4}  {note}") for name, figure, note in drawn]
        wide = f"{'first':>7} {'again':>5}  {'what became of it':<18}{'sent before by':<{_room(width)}} lesson"
        head = wide if width >= NARROW else "  lesson, what became of it; first, again"
        return [*lines, Text(""), Text(head, style=palette.accent)] if self.rows else lines

    def _row(self, row: Recurrence, here: bool, width: int, palette: Palette) -> list[Text]:
        """When it was stated first and again, what became of it, how much sooner it was sent, and what it says."""
        now, case = clock.now(), row.case
        first = age(now - row.first.at) if row.first and row.first.at else ""
        bar, style = styles.BAR if here else " ", palette.strong if here else palette.plain
        project = "" if self.app.curator.project else f" {self.app.names.label(row.project)}"
        sooner = _sooner(row, whole=width >= WIDE)
        if width < NARROW:
            became = f"{case.outcome}{f', {sooner}' if sooner else ''}; {first or '?'}, {age(now - case.at)}"
            head, below = fit(f"{bar}{row.headline}", width), fit(f"{bar}  {became}", width)
            return [Text(head, style=style), Text(below, style=palette.quiet)]
        head = f"{bar}{first:>6} {age(now - case.at):>5}  {case.outcome:<18}{sooner:<{_room(width)}} "
        text = fit(head + row.headline, width - cell_len(project))
        return [Text(text + project, style=style)]

    def move(self, by: int) -> None:
        """Go to another row; where there is none, scroll."""
        if self.rows:
            self.at = min(max(0, self.at + by), len(self.rows) - 1)
            self.draw()
        else:
            self.query_one(Pane).scroll_by(by)

    def draw(self) -> None:
        """The lines as they stand, the row at hand in sight: with the first one the figures above it, too."""
        pane = self.query_one(Pane)
        place = pane.offset_y
        pane.show(self.lines, keep_place=True)
        if self.places:
            top = self.places[self.at]
            last = self.places[self.at + 1] if self.at + 1 < len(self.places) else len(pane.text.split("\n"))
            height = max(1, pane.outer_size.height)
            wanted = min(max(place, last - height + 1), top) if self.at else 0
            pane.scroll_by(wanted - pane.offset_y)
        self.refresh_foot()


def _middle(words: Sequence[str], width: int, high: int, palette: Palette) -> list[Text]:
    """Words in the middle of the pane."""
    said = [Text(line, palette.quiet if at else palette.plain, justify="center") for at, line in enumerate(words)]
    return [*(Text("") for _ in range(max(1, high // 2 - len(words)))), *said]


def _room(width: int) -> int:
    """Cells for what ``_sooner`` gives."""
    return 28 if width >= WIDE else 15


def _sooner(row: Recurrence, *, whole: bool) -> str:
    """How long before it came up again it was sent: turns, and where there is room time and tokens."""
    case = row.case
    if case.turns is None:
        return ""
    turns = pluralize(case.turns, "turn")
    spent = age(case.seconds) if case.seconds is not None and case.seconds >= 60 else ""
    parts = [turns, spent, pluralize(case.tokens, "token") if case.tokens is not None else ""]
    return ", ".join(filter(None, parts)) if whole else turns


def _open(page: ReplayScreen) -> None:
    """Both places, side by side."""
    if page.rows:
        page.app.push_screen(PlacesScreen(page.rows[page.at]))


def _leave(page: ReplayScreen) -> None:
    """Stop it first, then leave."""
    if page.stop and not page.stop.is_set():
        page.stop.set()
        page.draw()
    else:
        page.app.switch_mode("inbox")


REPLAY: Mapping[str, Callable[[Any], object]] = {
    **ROWS,
    "clear": _leave,
    "evidence": _open,
    "refresh": lambda page: page.begin(),
}
"""What keys do on the screen of a replay."""


# --- both places of a row -----------------------------------------------------------------------------------------------

TURNS, TURNS_SENT = 6, 2
"""So many are shown before a place, and after it; few where it was sent, since what it is about stands at the line."""
TITLES: Mapping[str, str] = {"first": "stated first", "again": "came up again"}
"""The sides, and what stands above each."""
GONE = "This transcript is not here any more; agents delete old ones. What follows is what was kept of it."
CHANGED = (
    "This transcript was written anew since: the words are not at this line any more. R on the screen before reads it again."
)
UNKNOWN = "Nobody knows where it was stated first: it was added by hand, or came from a file."
READING = "reading the transcript …"


Spot = tuple[str, Evidence]
"""What a place in a transcript is to the lesson, and the place."""


@dataclass(frozen=True, slots=True)
class Around:
    """What was said around a spot, if it could be ``read``, and what is to be known of its transcript."""

    read: Sequence[Line]
    news: str = ""


def spots(row: Recurrence) -> tuple[list[Spot], list[Spot]]:
    """What stands on either side; what was sent before that stands above the line that says it again."""
    case = row.case
    first = [("stated first", row.first)] if row.first else []
    sent = [(f"sent here, at a {MOMENTS.get(case.moment, case.moment)}", row.sending)] if row.sending else []
    return first, [*sent, (f"came up again: {case.outcome}", row.again)]


MOMENTS: Mapping[str, str] = {"start": "session's start", "prompt": "prompt", "file": "file's first touch"}
"""When lessons are sent, in words."""


def look_up(quoted: Evidence) -> Around:
    """Read what was said around a place."""
    if app.origins.transcript(quoted) is None:
        return Around((), GONE)
    try:
        read = app.origins.around(quoted, TURNS if quoted.quote else TURNS_SENT)
    except Exception as error:
        return Around((), f"This transcript can't be read: {error}. What follows is what was kept of it.")
    words = " ".join(quoted.quote.split())[:40]
    there = any(words in " ".join(line.text.split()) for line in read)
    return Around(read) if there else Around((), CHANGED)


def quote_in_turn(quoted: Evidence, read: Sequence[Line]) -> Evidence:
    """The place with words that can be found in its turn: all of the turn where the quote itself stands in another."""
    hit = next((line.text for line in read if line.hit), quoted.quote)
    return quoted if quoted.quote and quoted.quote in hit else quoted._replace(quote=hit)


def _with_mark(line: Text, palette: Palette) -> Text:
    """A line with a bar before it where it has the words that are meant."""
    meant = any(span.style == palette.hit for span in line.spans)
    return Text.assemble((styles.BAR, palette.accent) if meant else " ", line)


class PlacesScreen(ModalScreen[None]):
    """Two panes, below each other where the window is narrow; keys go to the one in front."""

    HORIZONTAL_BREAKPOINTS = [(0, "-below"), (100, "-beside")]  # noqa: RUF012 - Textual's own name and type
    AUTO_FOCUS = "#first"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "Back"),
        Binding("tab,shift+tab,h,l,left,right", "other", "Other side"),
        Binding("o", "edit", "Editor"),
        *SCROLL,
    ]

    app: Host

    def __init__(self, row: Recurrence) -> None:
        super().__init__()
        self.row = row
        self.sides = dict(zip(TITLES, spots(row), strict=True))
        self.around: dict[Evidence, Around] = {}
        """What transcripts say, as far as they were read."""

    def compose(self) -> ComposeResult:
        """Both sides, news, keys."""
        with Container(id="places"):
            for side in self.sides:
                with Frame(classes="place"):
                    yield Pane(id=side, can_focus=True, key="j")
        yield Toast(id="toast")
        yield Foot(id="foot")

    def on_mount(self) -> None:
        """What is known at once; transcripts are read beside."""
        self._draw()
        keys = [("j k", "Scroll"), ("tab", "Other side"), ("o", "Open in the editor"), ("esc", "Back")]
        self.query_one(Foot).show("places", None, keys)
        self._read()

    def on_descendant_focus(self) -> None:
        """The title says which side keys go to."""
        self._entitle()

    @property
    def side(self) -> str:
        """The one in front."""
        return (self.focused.id if self.focused else None) or "first"

    def _entitle(self) -> None:
        for frame, (side, title) in zip(self.query(Frame), TITLES.items(), strict=True):
            frame.entitle(f"{styles.BAR if side == self.side else ''}{title}")

    @work(thread=True, exit_on_error=False)
    def _read(self) -> None:
        """Transcripts may be long."""
        found = {quoted: look_up(quoted) for places in self.sides.values() for _, quoted in places}
        if self.is_attached:
            self.app.call_from_thread(self._know, found)

    def _know(self, found: Mapping[Evidence, Around]) -> None:
        self.around |= found
        if self.is_attached:
            self._draw()

    def _draw(self) -> None:
        self._entitle()
        for side in self.sides:
            pane = self.query_one(f"#{side}", Pane)
            pane.show(partial(self._lines, side))
            lines = pane.text.split("\n")
            at = next((at for at, line in enumerate(lines) if line.startswith(styles.BAR)), 0)
            pane.scroll_by(at - pane.outer_size.height // 3 if at >= pane.outer_size.height else 0)

    def _lines(self, side: str, width: int, palette: Palette) -> Sequence[Text]:
        lines = hanging(Text(""), Text(self.row.headline, style=palette.strong), width) if side == "first" else []
        if side == "again" and self.row.case.reason:
            lines += hanging(Text("not sent: "), Text(self.row.case.reason), width)
        for spot in self.sides[side]:
            lines += [*([Text("")] if lines else []), *self._spot(*spot, width, palette)]
        return lines if self.sides[side] else [*lines, Text(""), *hanging(Text(""), Text(UNKNOWN, style=palette.quiet), width)]

    def _spot(self, title: str, quoted: Evidence, width: int, palette: Palette) -> list[Text]:
        around = self.around.get(quoted)
        when = ago(clock.now() - quoted.at) if quoted.at else ""
        title = f" {styles.DOT} ".join(filter(None, (title, quoted.agent, when)))
        lines = hanging(Text(""), Text(title, style=palette.accent), width)
        lines.append(Text(fit_path(f"{quoted.file}:{quoted.line}", width), style=palette.quiet))
        if around is None:
            return [*lines, Text(READING, style=palette.quiet)]
        if around.news:
            lines += hanging(Text(""), Text(around.news, style=palette.quiet), width)
        shown = quote_in_turn(quoted, around.read)
        said = excerpt(shown, width - 1, palette, around.read) if around.read or shown.quote else []
        return [*lines, *(_with_mark(line, palette) for line in said)]

    def action_scroll(self, by: int) -> None:
        """Scroll the side in front."""
        self.query_one(f"#{self.side}", Pane).scroll_by(by)

    def action_other(self) -> None:
        """The keys go to the other side."""
        self.query_one("#again" if self.side == "first" else "#first", Pane).focus()

    def action_edit(self) -> None:
        """Open the transcript of the side in front at its line."""
        self.app.attempt(self._edit)

    def _edit(self) -> None:
        from curator.tui.commands import open_at

        places = self.sides[self.side]
        quoted = places[-1][1] if places else None
        path = app.origins.transcript(quoted) if quoted else None
        if quoted is None or path is None:
            self.query_one(Toast).show("Its transcript is not here." if places else UNKNOWN, once=True)
        else:
            open_at(self.app, path, quoted.line)
