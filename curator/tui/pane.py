"""A pane of finished lines: the card, evidence, a diff, help. Wraps once, draws what is in sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from curator.tui.palette import Palette, palette_of
from curator.tui.text import wrapped

Compose = Callable[[int, Palette], Sequence[Text]]
"""What a pane shows at a width in cells: lines or paragraphs, wrapped by the pane."""


class Titled(Widget):
    """A widget whose title may be anybody's words, and changes often."""

    def entitle(self, title: str) -> None:
        """Show a title in the border; ``border_title`` would read markup in it, and draw all of the widget anew."""
        content = Content(title)
        if content != self._border_title:
            self._border_title = content
            self.refresh(Region(-self.gutter.left, -self.gutter.top, self.outer_size.width, 1))


class Side(Titled, Vertical):
    """What stands beside the list: the card, or the editor."""


class Pane(Widget):
    """Shows what a function composes for its width; scrolls by lines."""

    def __init__(self, *, id: str | None = None, can_focus: bool = False) -> None:
        super().__init__(id=id)
        self.can_focus = can_focus
        self.offset_y = 0
        self._compose_text: Compose = lambda width, palette: ()
        self._strips: list[Strip] = []
        self._laid = Size(-1, -1)
        self._base = Style()

    def show(self, compose: Compose, *, keep_place: bool = False) -> None:
        """Show something else, from the top unless ``keep_place``."""
        self._compose_text = compose
        self._laid = Size(-1, -1)
        before = len(self._strips) - self.offset_y
        if not keep_place:
            self.offset_y = 0
        self._layout_text()
        # No more than the lines that held or hold something: a short card does not draw the blank below it anew.
        used = max(before, len(self._strips) - self.offset_y)
        self.refresh(Region(0, 0, self.size.width, min(used, self.size.height)))

    def scroll_by(self, lines: int) -> None:
        """Scroll; stops at both ends."""
        last = max(0, len(self._strips) - self.content_size.height)
        self.offset_y = min(max(0, self.offset_y + lines), last)
        self.refresh()

    @property
    def hidden_below(self) -> int:
        """How many lines are below the edge."""
        return max(0, len(self._strips) - self.offset_y - self.content_size.height)

    @property
    def text(self) -> str:
        """All that it shows, as plain text."""
        return "\n".join(strip.text.rstrip() for strip in self._strips)

    def on_resize(self) -> None:
        """Compose anew for another size."""
        self._layout_text()
        self.scroll_by(0)

    def notify_style_update(self) -> None:
        """Compose anew for another theme."""
        super().notify_style_update()
        self._laid = Size(-1, -1)
        self._layout_text()

    def _layout_text(self) -> None:
        width = self.content_size.width
        if self.content_size == self._laid or width <= 0:
            return
        self._laid = self.content_size
        console = self.app.console
        palette = palette_of(self.app.theme_variables, dark=self.app.current_theme.dark)
        strips = []
        for paragraph in self._compose_text(width, palette):
            for line in wrapped(paragraph, width, tab=4):
                base = line.style if isinstance(line.style, Style) else Style.null()
                # Rich leaves the base style out where a line has no spans.
                segments = [Segment(part.text, base + part.style if part.style else base) for part in line.render(console)]
                strips.append(Strip(segments).adjust_cell_length(width))
        self._strips = strips

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines in sight; their common style is worked out once, not for each."""
        self._base = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line."""
        at = y + self.offset_y
        width = self.content_size.width
        base = self._base
        if at >= len(self._strips):
            return Strip.blank(width, base)
        strip = self._strips[at].apply_style(base)
        if y == self.content_size.height - 1 and self.hidden_below:
            mark = f" +{self.hidden_below} J "
            strip = strip.crop(0, max(0, width - len(mark))) + Strip([Segment(mark, base + Style(reverse=True))])
        return strip

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel scrolls what the pointer is on."""
        event.stop()
        self.scroll_by(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel scrolls what the pointer is on."""
        event.stop()
        self.scroll_by(-3)
