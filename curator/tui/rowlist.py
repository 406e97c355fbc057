"""The list: draws only the rows in sight, so that 100,000 cost what 100 cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip

from curator.model import Head, Kind
from curator.tui import signs
from curator.tui.messages import Chosen, Highlighted
from curator.tui.palette import palette_of
from curator.tui.pane import Titled
from curator.tui.rows import Rows
from curator.tui.text import age, fit, glyph, letter, share

WINDOW = 60
"""How many rows beyond the ones in sight are fetched along with them."""

Fetch = Callable[[Sequence[int]], dict[int, Head]]


class RowList(Titled, can_focus=True):
    """Rows of the inbox or the library, one line each.

    Draws ``rows`` with the heads that ``fetch`` gives; tells of the cursor with ``Highlighted`` and of a double choice with
    ``Chosen``. Changing ``rows`` is the screen's business, followed by ``show``.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rowlist--cursor",
        "rowlist--marked",
        "rowlist--label",
    }

    focused_app: reactive[bool] = reactive(True)

    def __init__(self, fetch: Fetch, *, now: Callable[[], float], id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = Rows()
        self.fetch = fetch
        self.now = now
        self.labels: dict[int, str] = {}
        self._heads: dict[int, Head] = {}
        self._told: int | None = -1
        self._base = Style()

    # --- what the screen calls ----------------------------------------------------------------------------------------

    def show(self, *, stale: Sequence[int] = (), everything: bool = False) -> None:
        """Draw the rows as they are now; ``stale`` heads, or all of them, are fetched again."""
        if everything:
            self._heads.clear()
        for seq in stale:
            self._heads.pop(seq, None)
        self.refresh()
        if self._told != self.rows.cursor:
            self._told = self.rows.cursor
            self.post_message(Highlighted(self.rows.cursor))

    def moved(self, before: int | None, top: int) -> None:
        """Draw no more than a cursor step needs: two lines, or everything if the view has scrolled."""
        if top != self.rows.top or self.rows.anchor is not None:
            self.show()
            return
        for seq in (before, self.rows.cursor):
            if seq is not None and self.rows.holds(seq):
                self.refresh(self.row_region(self.rows.find(seq)))
        if self._told != self.rows.cursor:
            self._told = self.rows.cursor
            self.post_message(Highlighted(self.rows.cursor))

    def row_region(self, position: int) -> Region:
        """The region of one row, for a partial repaint; Textual adds the border by itself."""
        return Region(0, position - self.rows.top, self.content_size.width, 1)

    def head(self, seq: int) -> Head | None:
        """What is known of a row; fetches it with its neighbours."""
        if seq not in self._heads:
            rows = self.rows
            around = rows.order[max(0, rows.top - WINDOW) : rows.top + rows.height + WINDOW]
            if len(self._heads) > 4 * WINDOW + 4 * rows.height:
                self._heads.clear()
            self._heads |= self.fetch([wanted for wanted in (*around, seq) if wanted not in self._heads])
        return self._heads.get(seq)

    # --- drawing ------------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Keep the cursor in sight at any size."""
        self.rows.resize(self.content_size.height)
        self.show()

    def watch_focused_app(self) -> None:
        """A terminal without the focus shows a hollow cursor."""
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in sight; their common style is worked out once, not for each."""
        self._base = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One row, or nothing below the last."""
        width = self.content_size.width
        position = self.rows.top + y
        if position >= len(self.rows):
            return Strip.blank(width, self._base)
        seq = self.rows.order[position]
        head = self.head(seq)
        if head is None:
            return Strip([Segment(fit("   gone", width), self._base + Style(dim=True))], width)
        return Strip(self._segments(seq, head, width, y), width)

    def _segments(self, seq: int, head: Head, width: int, y: int) -> list[Segment]:
        rows = self.rows
        at_cursor, marked = seq == rows.cursor, seq in rows.marks or (rows.anchor is not None and seq in rows.marked())
        base = self._base
        if at_cursor:
            base += self._style("rowlist--cursor")
        elif marked:
            base += self._style("rowlist--marked")
        if seq in rows.settled:
            base += Style(dim=True)
        kind_style = base
        palette = palette_of(self.app.theme_variables, dark=self.app.current_theme.dark)
        if head.kind in (Kind.CONFLICT, Kind.STALE) and not at_cursor:
            kind_style = base + palette.bad
        bar = (signs.BAR if self.focused_app else signs.HOLLOW) if at_cursor else " "
        sign = signs.DONE if marked else glyph(head.kind)
        label = self.labels.get(seq)
        if label:
            sign = label
        right = self._right(head, width)
        room = width - 5 - len(right) - self._track_width
        text = f"{head.headline} (resolved elsewhere)" if seq in rows.settled else head.headline
        segments = [
            Segment(bar, base),
            Segment(sign, base + self._style("rowlist--label") if label else kind_style),
            Segment(" ", base),
            Segment(letter(head.kind, head.state) + " ", kind_style),
            Segment(fit(text, room, signs.ELLIPSIS), base),
            Segment(right, base if at_cursor else base + palette.quiet),
        ]
        if self._track_width:
            segments.append(Segment(self._track(y), base if at_cursor else base + palette.quiet))
        return segments

    def _right(self, head: Head, width: int) -> str:
        """The columns at the right: how often seen, and score or age; they go first when room is short."""
        if width < 30:
            return " "
        seen = f"{head.seen}{signs.TIMES}" if head.seen > 1 else ""
        last = age(self.now() - head.updated) if head.kind in (Kind.STALE, Kind.LESSON) else share(head.score)
        return f" {seen:>3} {last:>3} " if width >= 60 else f" {seen or last:>3} "

    @property
    def _track_width(self) -> int:
        return 1 if len(self.rows) > self.rows.height else 0

    def _track(self, y: int) -> str:
        """The scroll bar: one column, there only when there is something to scroll."""
        rows = self.rows
        size = max(1, rows.height * rows.height // len(rows))
        start = round((rows.height - size) * rows.top / max(1, len(rows) - rows.height))
        return signs.THUMB if start <= y < start + size else " "

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)

    # --- the mouse ----------------------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """A click selects; a second one on the same row opens it."""
        offset = event.get_content_offset(self)
        if offset is None or self.rows.top + offset.y >= len(self.rows):
            return
        seq = self.rows.order[self.rows.top + offset.y]
        if seq == self.rows.cursor and event.chain > 1:
            self.post_message(Chosen(seq))
            return
        before, top = self.rows.cursor, self.rows.top
        self.rows.go_to(seq)
        self.moved(before, top)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel scrolls what the pointer is on."""
        event.stop()
        self.rows.scroll(3)
        self.show()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel scrolls what the pointer is on."""
        event.stop()
        self.rows.scroll(-3)
        self.show()
