"""The list. It draws only the visible rows, so 100,000 rows cost no more than 100."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from curator import clock
from curator.app import signal_of
from curator.model import Head, Kind, State
from curator.tui import styles
from curator.tui.app_state import AppState
from curator.tui.pane import Lines
from curator.tui.rows import Rows
from curator.tui.styles import palette_of
from curator.tui.text import CHANGED, age, fit, fit_words, moment

PREFETCHED_ROWS = 60
"""The number of rows beyond the visible ones to fetch with them."""
LETTERS = {Kind.CONFLICT: "!", Kind.STALE: "S", Kind.CONSOLIDATE: "G"}
ENDED_LETTERS = {State.RETIRED: "R", State.DISMISSED: "D", State.MERGED: "M", State.EXPIRED: "E"}
"""The letter for the state of a row, in any colour. A row of the list's own kind has none."""
ROOMY_WIDTH = 90
"""Minimum number of cells for a row with its project and its number of statements."""
REASON_WIDTH = 15
"""Cells of the reason."""


def reason(head: Head) -> str:
    """Return why a row is there, in one or two words."""
    if head.kind is Kind.STALE:
        return "an agent asks" if head.is_wished else "code changed"
    if head.kind is Kind.CONFLICT:
        return "nearly the same" if head.repeats else "conflict"
    if head.kind is Kind.CONSOLIDATE:
        return "one rule"
    if head.kind is Kind.LESSON:
        return "retire it?" if head.is_offered else ""
    return signal_of(head.signal).short


def insight_after_headline(head: Head) -> str:
    """Return the rest of an insight that begins with the headline. For any other insight, return an empty text."""
    insight = " ".join(head.insight.split())
    same = insight[: len(head.headline)].lower() == head.headline.lower()
    return insight[len(head.headline) :] if same else ""


@dataclass
class Highlighted(Message):
    """The cursor is on another row (``None``: the list is empty)."""

    seq: int | None


class RowLook(NamedTuple):
    """Everything that affects the look of a row. A row with an equal look is not drawn again, wherever it is."""

    head: Head
    width: int
    minute: int
    """The minute of drawing, since some rows show their age."""
    cursor: str
    track: str
    marked: bool
    settled: bool


class RowList(Lines, can_focus=True):
    """Rows of the inbox or the library, one line each.

    Posts ``Highlighted`` when the cursor moves. The screen changes ``rows`` and then calls ``show``.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rowlist--cursor"}

    app: AppState
    focused_app: reactive[bool] = reactive(True)

    def __init__(self) -> None:
        super().__init__(id="list")
        self.rows = Rows()
        self._heads: dict[int, Head] = {}
        self._last_cursor: int | None = -1
        self._strips: dict[int, tuple[RowLook, Strip]] = {}

    # --- what the screen calls ----------------------------------------------------------------------------------------

    def show(self, *, stale: Sequence[int] = (), everything: bool = False) -> None:
        """Draw the current rows. The ``stale`` heads, or all of them, are fetched again."""
        if everything:
            self._heads.clear()
        for seq in stale:
            self._heads.pop(seq, None)
        self.refresh()
        self._tell_cursor()

    def _tell_cursor(self) -> None:
        if self._last_cursor != self.rows.cursor:
            self._last_cursor = self.rows.cursor
            self.post_message(Highlighted(self.rows.cursor))

    def step(self, move: Callable[[Rows], None]) -> None:
        """Move the cursor, and draw only the changed part: two lines, or everything after scrolling."""
        before, top = self.rows.cursor, self.rows.top
        move(self.rows)
        gone = before is not None and not self.rows.contains(before)  # decided elsewhere: those below it have moved up
        if top != self.rows.top or self.rows.anchor is not None or gone:
            self.show()
            return
        for seq in (before, self.rows.cursor):
            if seq is not None and self.rows.contains(seq):
                self.refresh(Region(0, self.rows.find(seq) - self.rows.top, self.outer_size.width, 1))
        self._tell_cursor()

    def head(self, seq: int) -> Head | None:
        """Return the head of a row. Fetch it with those of adjacent rows if needed."""
        if seq not in self._heads:
            rows = self.rows
            around = rows.order[max(0, rows.top - PREFETCHED_ROWS) : rows.top + rows.height + PREFETCHED_ROWS]
            if len(self._heads) > 4 * PREFETCHED_ROWS + 4 * rows.height:
                self._heads.clear()
            missing = [wanted for wanted in (*around, seq) if wanted not in self._heads]
            # An error while drawing would end the window.
            self.app.attempt(lambda: self._heads.update(self.app.curator.lessons.heads(missing)))
        return self._heads.get(seq)

    def decision_heads(self) -> Sequence[Head]:
        """Return the rows that a decision applies to: the marked rows in order with the range, or else the row under the
        cursor.
        """
        return [head for seq in self.rows.decision_rows() if (head := self.head(seq))]

    # --- drawing ------------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Set the step by a page to the page's length, drawn or not."""
        self.fit()

    def fit(self) -> None:
        """Keep the cursor in sight at any size."""
        if self.rows.height != self.outer_size.height:
            self.rows.resize(self.outer_size.height)

    def watch_focused_app(self) -> None:
        """Show a hollow cursor in a terminal without the focus."""
        self.refresh()

    def notify_style_update(self) -> None:
        """Draw again for another theme."""
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        """Return one row as a line, or an empty line below the last."""
        rows, width = self.rows, self.outer_size.width
        position = rows.top + y
        if position >= len(rows):
            return Strip.blank(width, self._base)
        seq = rows.order[position]
        head = self.head(seq)
        if head is None:
            return Strip([Segment(fit("   gone", width), self._base + Style(dim=True))], width)
        look = RowLook(
            head=head,
            width=width,
            minute=int(clock.now() // 60),
            cursor=" " if seq != rows.cursor else styles.BAR if self.focused_app else styles.HOLLOW,
            track=self._track(y) if len(rows) > rows.height else "",
            marked=seq in rows.marks or (rows.anchor is not None and seq in rows.marked_rows()),
            settled=seq in rows.settled_rows,
        )
        drawn = self._strips.get(seq)
        if drawn is None or drawn[0] != look:
            if (
                len(self._strips) > PREFETCHED_ROWS + 2 * rows.height
            ):  # because every decision reads the heads again, and none of these would be removed
                self._strips.clear()
            drawn = self._strips[seq] = look, Strip(self._segments(look), width)
        return drawn[1]

    def _segments(self, look: RowLook) -> list[Segment]:
        head, base, at_cursor = look.head, self._base, look.cursor != " "
        if at_cursor:
            base += self.get_component_rich_style("rowlist--cursor", partial=True)
        elif look.marked:
            base += CHANGED
        if look.settled:
            base += Style(dim=True)
        palette = palette_of(self.app.theme_variables, dark=self.app.current_theme.dark)
        colours = {Kind.CONFLICT: palette.bad, Kind.STALE: palette.warning}
        kind_style = base + colours.get(head.kind, palette.plain) if not at_cursor else base
        sign = styles.DONE if look.marked else ENDED_LETTERS.get(head.state) or LETTERS.get(head.kind, " ")
        text = f"{head.headline} (decided in another window)" if look.settled else head.headline
        right = self._right(head, look.width)
        room = look.width - 3 - len(right) - len(look.track)
        more = "" if look.settled else insight_after_headline(head)
        shown = fit_words(text + more, room)
        length = min(len(text), len(shown)) if more else len(shown)
        return [
            Segment(look.cursor, base),
            Segment(sign, kind_style),
            Segment(" ", base),
            Segment(shown[:length], base),
            *([Segment(shown[length:], base + (Style(bold=False) if at_cursor else palette.quiet))] if shown[length:] else []),
            *(Segment(part, base if at_cursor else base + palette.quiet) for part in (right, look.track) if part),
        ]

    def _right(self, head: Head, width: int) -> str:
        """Return the columns on the right: the number of statements, and the speaker or the age. They disappear first in a
        narrow list.
        """
        if width < 30:
            return " "
        if (head.snoozed_until or 0.0) > clock.now():
            return f" {moment(head.snoozed_until or 0.0, clock.now()):>9} "
        seen, old = f"{head.times_stated}{styles.TIMES}" if head.times_stated > 1 else "", age(clock.now() - head.stated)
        if width < 60:
            return f" {seen or old:>4} "
        place = "" if self.app.curator.project else self.app.names.label(head.project)
        what = fit(reason(head), REASON_WIDTH)
        often = f"{seen:>3} " if not place or width >= ROOMY_WIDTH else ""
        return f"{' ' if place else ''}{place} {what}{often}{old:>4} "

    def _track(self, y: int) -> str:
        """Return the scroll bar: one column, there only when there is something to scroll."""
        rows = self.rows
        size = max(1, rows.height * rows.height // len(rows))
        start = round((rows.height - size) * rows.top / max(1, len(rows) - rows.height))
        return styles.THUMB if start <= y < start + size else " "

    # --- the mouse ----------------------------------------------------------------------------------------------------

    async def on_click(self, event: events.Click) -> None:
        """Select the clicked row. A second click on the same row opens its evidence."""
        offset = event.get_content_offset(self)
        if offset is None or self.rows.top + offset.y >= len(self.rows):
            return
        seq = self.rows.order[self.rows.top + offset.y]
        if seq == self.rows.cursor and event.chain > 1:
            await self.run_action("screen.act('evidence')")
        else:
            self.step(lambda rows: rows.go_to(seq))

    def scroll_by(self, lines: int) -> None:
        """Move the view."""
        self.rows.scroll(lines)
        self.show()
