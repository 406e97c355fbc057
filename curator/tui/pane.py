"""A pane of finished lines: wraps once, draws the visible ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.containers import Container, Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from curator.tui.styles import Palette, palette_of
from curator.tui.text import wrap

Compose = Callable[[int, Palette], Sequence[Text]]
"""The contents of a pane at a width in cells: lines or paragraphs, wrapped by the pane."""
_TINY = 3
"""The height below which the last line counts as seen, although the sign for more text covers its end."""


class Frame(Vertical):
    """A border around the list, and around the card or the editor. Its title may be anybody's words, and changes often."""

    def set_title(self, title: str) -> None:
        """Set the title in the border. ``border_title`` would parse markup in it and draw the whole widget again."""
        content = Content(title)
        if content != self._border_title:
            self._border_title = content
            self.refresh(Region(-self.gutter.left, -self.gutter.top, self.outer_size.width, 1))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the visible lines. The lines between top and bottom share an object, since Textual caches per object."""
        alike: dict[tuple[Segment, ...], Strip] = {}
        return [alike.setdefault(tuple(strip), strip) for strip in super().render_lines(crop)]


class Lines(Widget):
    """A widget of finished lines, without a border or padding.

    Textual builds every line again for those, up to four times. This widget reuses a drawn line wherever it moves on the
    screen.
    """

    _base = Style()

    def fit(self) -> None:
        """Adopt the current size before drawing, because Textual's message about it comes too late."""

    def scroll_by(self, lines: int) -> None:
        """Scroll, but stop at both ends."""

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the widget under the pointer."""
        event.stop()
        self.scroll_by(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the widget under the pointer."""
        event.stop()
        self.scroll_by(-3)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the visible lines, filtered as every widget's are. Their common style is computed once, not for each."""
        self.fit()
        self._base = self.rich_style
        filters, (_, background) = self.get_line_filters(), self.background_colors
        strips = []
        for y in crop.line_range:
            strip = self.render_line(y)
            for one in filters:
                strip = strip.apply_filter(one, background)
            strips.append(strip.crop(*crop.column_span))
        return strips


class BlankBackground(Widget):
    """A background without a sign of its own: one blank line is drawn, and kept, only once."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return that line, as often as there are any."""
        strip, (_, background) = Strip.blank(crop.width, self.rich_style), self.background_colors
        for one in self.get_line_filters():
            strip = strip.apply_filter(one, background)
        return [strip] * crop.height


class Body(Container, BlankBackground):
    """The middle of a screen, which contains the frames."""


class Pane(Lines):
    """Shows the lines that a function composes for its width, and scrolls them."""

    def __init__(self, *, id: str | None = None, can_focus: bool = False, key: str = "J") -> None:
        super().__init__(id=id)
        self.can_focus = can_focus
        self.key = key
        """The key that scrolls on, shown by the sign for more text."""
        self.offset_y = 0
        self.furthest = 0
        """The number of lines, from the first, that were completely on the screen since the contents changed."""
        self._compose_text: Compose = lambda width, palette: ()
        self._strips: list[Strip] = []
        self._last_size = Size(-1, -1)

    def show(self, compose: Compose, *, keep_place: bool = False) -> None:
        """Show other lines, from the top unless ``keep_place``."""
        self._compose_text = compose
        self._last_size = Size(-1, -1)
        was, before = self._strips, len(self._strips) - self.offset_y
        if not keep_place:
            self.offset_y = self.furthest = 0
        self._layout_text()
        same = (at for at, lines in enumerate(zip(was, self._strips, strict=False)) if lines[0].text != lines[1].text)
        self.furthest = min(self.furthest, next(same, len(was)))  # other words in their place were not read
        # Draw only lines with old or new text, so that a short card does not draw the blank part below it.
        used = max(before, len(self._strips) - self.offset_y)
        self.refresh(Region(0, 0, self.size.width, min(used, self.size.height)))

    def scroll_by(self, lines: int) -> None:
        """Scroll, but stop at both ends."""
        self.offset_y = min(max(0, self.offset_y + lines), self._last_top)
        self.refresh()

    def reveal(self, lines: int) -> bool:
        """Return whether this many lines have been on the screen. If not, scroll to the first unseen line."""
        if not self.region or self.furthest >= min(lines, len(self._strips)):
            return True
        unseen = self.furthest if self.furthest != self.offset_y else self.offset_y + 1
        self.offset_y = min(max(lines - self.outer_size.height + 1, 0), unseen, self._last_top)
        self.refresh()
        return False

    @property
    def _last_top(self) -> int:
        return max(0, len(self._strips) - self.outer_size.height)

    @property
    def hidden_below(self) -> int:
        """Return the number of lines below the edge."""
        return max(0, len(self._strips) - self.offset_y - self.outer_size.height)

    @property
    def text(self) -> str:
        """Return the whole content as plain text."""
        return "\n".join(strip.text.rstrip() for strip in self._strips)

    def on_resize(self) -> None:
        """Update the amount of text at once, drawn or not."""
        self.fit()

    def fit(self) -> None:
        """Compose again for another size."""
        if self.outer_size != self._last_size:
            self.furthest = 0
            self._layout_text()
            self.offset_y = min(self.offset_y, self._last_top)

    def notify_style_update(self) -> None:
        """Compose again for another theme."""
        super().notify_style_update()
        self._last_size = Size(-1, -1)
        self._layout_text()

    def _layout_text(self) -> None:
        size = self.outer_size
        if size == self._last_size or size.width <= 0:
            return
        self._last_size = size
        console, base = self.app.console, self.rich_style
        palette = palette_of(self.app.theme_variables, dark=self.app.current_theme.dark)
        self._strips = [
            strip_of(line, size.width, base, console)
            for paragraph in self._compose_text(size.width, palette)
            for line in wrap(paragraph, size.width, tab=4)
        ]

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        at = y + self.offset_y
        width, height = self.outer_size
        if at >= len(self._strips):
            return Strip.blank(width, self._base)
        strip = self._strips[at]
        covered = y == height - 1 and self.hidden_below
        if at <= self.furthest and (not covered or height < _TINY):
            self.furthest = max(self.furthest, at + 1)
        if covered:
            mark = f" +{self.hidden_below} {self.key} "
            strip = strip.crop(0, max(0, width - len(mark))) + Strip([Segment(mark, self._base + Style(reverse=True))])
        return strip


def strip_of(line: Text, width: int, base: Style, console: Console) -> Strip:
    """Return a drawn line of text, exactly ``width`` cells wide."""
    ground = base + line.style if isinstance(line.style, Style) else base
    # Rich omits the style of a line without spans.
    segments = [Segment(part.text, ground + part.style if part.style else ground) for part in line.render(console)]
    length = line.cell_len
    if length < width:
        segments.append(Segment(" " * (width - length), base))
    return Strip(segments, max(length, width)).crop(0, width)
