"""Two places of transcripts side by side: where a lesson was stated first, and where it came up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import ModalScreen

from curator import app, clock
from curator.model import Evidence, Line
from curator.tui import styles
from curator.tui.bars import Foot, Toast
from curator.tui.card import excerpt
from curator.tui.host import Host
from curator.tui.overlays import SCROLL
from curator.tui.pane import Frame, Pane
from curator.tui.styles import Palette
from curator.tui.text import ago, fit_path, hanging

if TYPE_CHECKING:
    from curator.app.replay_report import Recurrence

TURNS, FEW = 6, 2
"""So many are shown before a place, and after it; few where it was sent, since what it is about stands at the line."""
TITLES: Mapping[str, str] = {"first": "stated first", "again": "came up again"}
"""The sides, and what stands above each."""
GONE = "This transcript is not here any more; agents delete old ones. What follows is what was kept of it."
CHANGED = (
    "This transcript was written anew since: the words are not at this line any more. R on the screen before reads it again."
)
UNKNOWN = "Nobody knows where it was stated first: it was added by hand, or came from a file."
READING = "reading the transcript …"


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a transcript, and what it is to the lesson."""

    title: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Around:
    """What was said around a spot, if it could be ``read``, and what is to be known of its transcript."""

    read: Sequence[Line]
    news: str = ""


def spots(row: Recurrence) -> tuple[list[Spot], list[Spot]]:
    """What stands on either side; what was sent before that stands above the line that says it again."""
    case = row.case
    first = [Spot("stated first", row.first)] if row.first else []
    sent = [Spot(f"sent here, at a {MOMENTS.get(case.moment, case.moment)}", row.sending)] if row.sending else []
    return first, [*sent, Spot(f"came up again: {case.outcome}", row.again)]


MOMENTS: Mapping[str, str] = {"start": "session's start", "prompt": "prompt", "file": "file's first touch"}
"""When lessons are sent, in words."""


def look_up(quoted: Evidence) -> Around:
    """Read what was said around a place."""
    if app.origins.transcript(quoted) is None:
        return Around((), GONE)
    try:
        read = app.origins.around(quoted, TURNS if quoted.quote else FEW)
    except Exception as error:
        return Around((), f"This transcript can't be read: {error}. What follows is what was kept of it.")
    words = " ".join(quoted.quote.split())[:40]
    there = any(words in " ".join(line.text.split()) for line in read)
    return Around(read) if there else Around((), CHANGED)


def quote_in_turn(quoted: Evidence, read: Sequence[Line]) -> Evidence:
    """The place with words that can be found in its turn: all of the turn where the quote itself stands in another."""
    hit = next((line.text for line in read if line.hit), quoted.quote)
    return quoted if quoted.quote and quoted.quote in hit else replace(quoted, quote=hit)


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
        found = {spot.evidence: look_up(spot.evidence) for places in self.sides.values() for spot in places}
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
            lines += [*([Text("")] if lines else []), *self._spot(spot, width, palette)]
        return lines if self.sides[side] else [*lines, Text(""), *hanging(Text(""), Text(UNKNOWN, style=palette.quiet), width)]

    def _spot(self, spot: Spot, width: int, palette: Palette) -> list[Text]:
        quoted, around = spot.evidence, self.around.get(spot.evidence)
        when = ago(clock.now() - quoted.at) if quoted.at else ""
        title = f" {styles.DOT} ".join(filter(None, (spot.title, quoted.agent, when)))
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
        path = app.origins.transcript(places[-1].evidence) if places else None
        if path is None:
            self.query_one(Toast).show("Its transcript is not here." if places else UNKNOWN, once=True)
        else:
            open_at(self.app, path, places[-1].evidence.line)
