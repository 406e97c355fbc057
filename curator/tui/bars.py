"""The top line and the two lines at the foot: the place, the last change, the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from curator.keymap import ACTIONS, Action, fits
from curator.model import Kind, State
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.styles import palette_of
from curator.tui.text import fit, wrap

KEYCAPS = {
    "space": styles.SPACE,
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "down": styles.DOWN,
    "up": styles.UP,
    "left": styles.LEFT,
    "right": styles.ARROW,
}


def keycap(key: str) -> str:
    """Return how a key is written on the screen.

    >>> keycap("ctrl+d"), keycap("pageup"), keycap("+")
    ('^d', 'pgup', '+')
    """
    for held, sign in (("ctrl+", "^"), ("shift+", styles.SHIFT)):
        if key.startswith(held):
            return sign + keycap(key.removeprefix(held))
    return KEYCAPS.get(key, key)


SHORT_NAMES = {"Candidates": "Cand", "Conflicts": "Conf"}


class Header(NamedTuple):
    """The contents of the header."""

    place: str = ""
    sample: bool = False
    """True for the demo's made-up lessons."""
    splits: Sequence[tuple[str, str, int]] = ()
    """(name, letter for narrow terminals, count) of each split."""
    current: str = ""
    pending: int = 0
    live: str = ""
    unread_sessions: int = 0
    """The number of sessions that no model has read, if one is set."""
    readers: str = ""
    """The agents that could read sessions, while no reader is chosen."""
    today: Mapping[str, int] = {}


class TopBar(Widget):
    """Project, splits with counts, arrivals, today's tally."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.header = Header()

    def show(self, header: Header) -> None:
        """Draw another header, if it differs."""
        if header != self.header:
            self.header = header
            self.refresh()

    def render(self) -> Text:
        """Return the line at the current width."""
        width, now = self.size.width, self.header
        right = Text()
        if (unread := now.unread_sessions) and width >= 60:
            words = f"{pluralize(unread, 'session')} not read by your model" if width >= 120 else f"{unread} unread"
            right.append(f"{words}  ", Style(dim=True, meta={"@click": "screen.act('read-all')"}))
        if now.readers and width >= 60:
            words = f":reader lets {now.readers} read" if width >= 120 else ":reader"
            right.append(f"{words}  ", Style(dim=True, meta={"@click": "screen.act('reader')"}))
        if now.live:
            right.append(f"{now.live} ", Style(dim=True))
        if now.pending:
            text = f"+{now.pending} R" if width < 60 else f"{now.pending} new {styles.UP} R"
            right.append(f" {text} ", Style(reverse=True, bold=True, meta={"@click": "screen.act('refresh')"}))
            right.append(" ")
        if now.today:
            kept, dropped = now.today.get("kept", 0), now.today.get("dropped", 0)
            right.append(f"{'today ' if width >= 100 else ''}{kept}{styles.DONE} {dropped}{styles.DROPPED} ")
        left = self._letters() if width < 60 else self._splits(width >= 100)
        if left.cell_len + right.cell_len > width >= 60:
            left = self._splits(False, short=True)
        room = width - left.cell_len - right.cell_len
        if room < 0:
            left.truncate(max(0, width - right.cell_len), overflow="ellipsis")
        return Text.assemble(left, " " * max(0, room), right, no_wrap=True, end="")

    def _letters(self) -> Text:
        text = Text(" ")
        for name, letter, count in self.header.splits:
            if letter and (count or name == self.header.current):
                style = Style(bold=True, reverse=name == self.header.current, meta={"@click": f"screen.split('{name}')"})
                text.append(f"{letter}{count}", style)
                text.append(" ")
        if self.header.sample:
            text.append("sample data ", Style(dim=True))
        return text if text.plain.strip() else Text(f" {self.header.place}", Style(bold=True))

    def _splits(self, roomy: bool, *, short: bool = False) -> Text:
        text = Text(" sample data" if self.header.sample else " curator", Style(bold=True))
        if self.header.place and roomy:
            text.append(f" {styles.DOT} {self.header.place}")
        text.append("  ")
        for name, _, count in self.header.splits:
            here = name == self.header.current
            style = Style(bold=here, reverse=here, meta={"@click": f"screen.split('{name}')"})
            text.append(f" {SHORT_NAMES.get(name, name) if short else name} {count} ", style)
        if not self.header.splits:
            text.append(f" {self.header.current} ", Style(bold=True, reverse=True))
        return text


LEFT = frozenset({"add", "rest", "quit"})
"""The actions that make sense without a row."""
QUOTED = 12
"""Minimum cells of a quotation that makes room for later words."""


class Toast(Widget):
    """The last change, and the key that undoes it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.text = Text("")
        self.once = False
        self.bad = False

    def forget(self) -> None:
        """Remove a hint after another key."""
        if self.once:
            self.show("")

    def leave(self) -> None:
        """Remove the message about a row after the cursor has left it. An error stays."""
        if not self.bad:
            self.show("")

    def show(self, text: str, *, back: str = "", bad: bool = False, once: bool = False, whole: bool = False) -> None:
        """Show a sentence and the key that undoes it (``back``).

        ``bad`` ones stand out. ``once`` ones disappear at the next key. A ``whole`` sentence must be read completely. If one
        line is too short, it continues in the line of the keys until the next key.
        """
        width = self.app.size.width
        rest = ""
        if whole and self.display and cell_len(text) + len(back) + 3 > width:
            first, *more = wrap(Text(text), width - 1)
            text, rest, once = first.plain, Text(" ").join(more).plain, True
        self.once, self.bad = once, bad
        line = _line(text, "" if rest else back, width, bad)
        self.text = line
        self.refresh()
        if not self.display and not self.has_class("-away"):  # too little space for a separate line
            self.screen.query_one(Footer).tell(line)
        elif self.display:
            self.screen.query_one(Footer).tell(_line(rest, back if rest else "", width, bad))

    def render(self) -> Text:
        """Return the line."""
        return self.text


def _line(text: str, back: str, width: int, bad: bool) -> Text:
    """Return a sentence on one line, with its undo key at the end."""
    line = Text(_cut(f" {text}", width - (len(back) + 2 if back else 0)), no_wrap=True) if text else Text("")
    if bad:
        line.stylize(Style(bold=True, reverse=True))
    if back:
        line.truncate(max(8, width - len(back) - 2), overflow="ellipsis", pad=True)
        line.append(f"  {back}"[: max(0, width - line.cell_len)], Style(dim=True))
    return line


def _cut(text: str, width: int) -> str:
    """Return a sentence cut to the width. Its last quotation is shortened first, and stays closed."""
    if cell_len(text) <= width:
        return text
    before, quote, after = text.rpartition("”")
    head, opening, quoted = before.rpartition("“")  # a sentence of two lines may have that in the first one
    room = width - cell_len(head + opening + after) - 2
    if quote and after and room >= QUOTED:
        return f"{head}{opening}{fit(quoted, room).rstrip()}”{after}"
    short = fit(text, max(8, width - 1)).rstrip()
    return short + ("”" if short.count("“") > short.count("”") else "")


class FooterContext(NamedTuple):
    """The place whose keys the footer shows: a screen, with the cursor on this kind of row or on ``marked`` ones.

    ``asleep``: the rows are snoozed. ``dim``: the terminal lacks the focus.
    """

    screen: str = "inbox"
    kind: Kind | None = None
    state: State | None = None
    marked: int = 0
    asleep: bool = False
    dim: bool = False


class Footer(Widget):
    """The keys that work here. Help always stays, and the others disappear by priority."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.auto_links = False  # otherwise keys and words get one colour, since both can be clicked
        self.place = FooterContext()
        self.options: tuple[tuple[str, str], ...] = ()
        self.news = Text("")

    def tell(self, news: Text) -> None:
        """Show news in place of the keys. An empty text brings the keys back."""
        if news or self.news:
            self.news = news
            self.refresh()

    def show(self, place: FooterContext, options: Sequence[tuple[str, str]] = ()) -> None:
        """Show the keys of a place, or the options that follow a leading key."""
        wanted = place, tuple(options)
        if wanted != (self.place, self.options):
            self.place, self.options = wanted
            self._make_room()
            self.refresh()

    def on_resize(self) -> None:
        """Make space again, because a text of one line may need two now."""
        self._make_room()

    def _make_room(self) -> None:
        """Give options that need a second line the line of the news, so that nothing above moves."""
        more = bool(self.options) and len(chips(self.options, self.app.size.width)) > 1
        if more != self.has_class("-more"):
            self.set_class(more, "-more")
            for toast in self.screen.query(Toast):
                toast.set_class(more and toast.display, "-away")

    def render(self) -> Text:
        """Return the line, or two lines of options, at the current width."""
        width = self.size.width
        if self.news:
            return self.news
        key = palette_of(self.app.theme_variables, dark=self.app.current_theme.dark).accent
        if self.options:
            return Text("\n").join(chips(self.options, width, key))
        line = footer(self.place, width, key)
        if self.place.dim:
            line.stylize(Style(dim=True))
        return line


BOLD = Style(bold=True)


def footer(place: FooterContext, width: int, key: Style = BOLD) -> Text:
    """Return the footer for a place at a width. With several marked rows, it shows their number.

    ``key`` is the style of keys, apart from their words.
    """
    kind, state, many, narrow = place.kind, place.state, place.marked > 1, width < 60

    def is_offered(action: Action) -> bool:
        if action.name == "help" or not fits(action, place.screen, kind, state):
            return False
        quiet = kind in action.quiet and not (many and action.name == "merge")
        return (bool(action.priority) and not quiet) or (kind is None and action.name in LEFT)

    def chip(action: Action, at: int) -> Text:
        count = f" {place.marked:,}" if many and action.batch else ""
        word = (place.asleep and action.asleep) or _word(action, kind, state, narrow, at)
        return _chip(keycap(action.keys[0]), word + count, action.name, key)

    valid = [action for action in ACTIONS if is_offered(action)]
    help_ = _chip("?", "Help", "help", key)
    room = width - help_.cell_len - 2
    shown: dict[str, Text] = {}
    for action in sorted(valid, key=lambda action: -action.priority):
        word = chip(action, len(shown))
        if sum(one.cell_len + 1 for one in shown.values()) + word.cell_len <= room:
            shown[action.name] = word
    # In the order of the table, so that a key does not change places when another one fits.
    words = [shown[action.name] for action in ACTIONS if action.name in shown]
    gap = 2 if sum(word.cell_len + 2 for word in words) <= room else 1
    line = Text.assemble(" ", Text(" " * gap).join(words), no_wrap=True)
    line.append(" " * max(1, width - line.cell_len - help_.cell_len - 1))
    return line.append_text(help_)


def _word(action: Action, kind: Kind | None, state: State | None, narrow: bool, place: int) -> str:
    """Return the verb of a key. In narrow terminals, verbs disappear before keys."""
    label = action.label_for(kind, state)
    if not narrow:
        return label
    own = label if label != action.label else ""
    return own or (label.split()[0] if place < 4 else "")


def _chip(key: str, label: str, action: str, style: Style) -> Text:
    """Return a key and its word, which can be clicked if they are an action."""
    click = Style(meta={"@click": f"screen.act('{action}')"}) if action else Style()
    return Text.assemble((key, style + click), (f" {label.strip()}" if label.strip() else "", click))


def chips(options: Sequence[tuple[str, str]], width: int, style: Style = BOLD) -> list[Text]:
    """Return keys and words on one line, or on two if needed. A word is cut only if it is longer than a line."""
    words = [_chip(key, label, "", style) for key, label in options]
    for gap in (2, 1):
        line = Text.assemble(" ", Text(" " * gap).join(words), no_wrap=True, overflow="ellipsis")
        if line.cell_len <= width:
            return [line]
    lines = [Text(no_wrap=True, overflow="ellipsis")]
    for word in words:
        if lines[-1] and len(lines) == 1 and lines[-1].cell_len + 1 + word.cell_len > width:
            lines.append(Text(no_wrap=True, overflow="ellipsis"))
        lines[-1].append(" ").append_text(word)
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines
