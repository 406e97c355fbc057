"""Fit words into cells: widths, ellipses, ages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from curator.tui import styles


def fit(text: str, width: int) -> str:
    """Text in exactly ``width`` cells, cut at the end.

    >>> fit("constraint", 6), fit("ok", 4)
    ('const…', 'ok  ')
    """
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + styles.ELLIPSIS if width > 1 else set_cell_size(text, max(0, width))


def fit_words(text: str, width: int) -> str:
    """Return text in exactly ``width`` cells, cut behind a word unless a third of the room would be lost.

    >>> fit_words("Mock the clock with time_machine", 26), fit_words("incomprehensibilities", 8)
    ('Mock the clock with…      ', 'incompr…')
    """
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    cut = set_cell_size(text, max(0, width - 1))
    words = cut.rpartition(" ")[0].rstrip(" ,;:")
    whole = words if cell_len(words) >= 2 * width // 3 else cut.rstrip()
    return set_cell_size(whole + styles.ELLIPSIS, width)


def without_folders(command: str) -> str:
    """Return a command line, or the name of a model, with files for whole paths.

    >>> without_folders("/usr/bin/python3 /home/me/ask.py --fast"), without_folders("openai/gpt-6")
    ('python3 ask.py --fast', 'openai/gpt-6')
    """
    return " ".join(word.rsplit("/", 1)[-1] if word.startswith("/") else word for word in command.split(" "))


def wrap(text: Text, width: int, *, tab: int = 8) -> Sequence[Text]:
    """Return a text in lines of at most ``width`` cells. Most lines of a card are short, and to find that out takes Rich long.

    >>> [line.plain for line in wrap(Text("one two three"), 8)]
    ['one two ', 'three']
    """
    plain = text.plain
    if text.justify is None and "\n" not in plain and "\t" not in plain and cell_len(plain) <= width:
        return [text]
    return list(text.wrap(_console(), width, tab_size=tab)) or [Text("")]


def hanging(head: Text, body: Text, width: int) -> list[Text]:
    """Return a text behind a head, its further lines indented as far.

    >>> [line.plain for line in hanging(Text("you  "), Text("one two three"), 13)]
    ['you  one two ', '     three']
    """
    lines = wrap(body, max(10, width - head.cell_len))
    return [Text.assemble(Text(" " * head.cell_len) if at else head, line) for at, line in enumerate(lines)]


def with_ellipsis(line: Text, width: int) -> Text:
    """Return a line after which more was left out.

    >>> with_ellipsis(Text("one two "), 20).plain, with_ellipsis(Text("one two"), 7).plain
    ('one two…', 'one tw…')
    """
    shown = line.copy()
    shown.rstrip()
    shown.truncate(width - 1)
    return shown.append(styles.ELLIPSIS)


@cache
def _console() -> Console:
    """Rich asks for one, and asks nothing of it."""
    return Console()


def fit_path(path: str, width: int) -> str:
    """Return a path in at most ``width`` cells, cut in the middle: its end says most.

    >>> fit_path("curator/tui/rows.py", 12)
    'cur…/rows.py'
    >>> fit_path("道具箱/作業場の名前", 12)
    '…業場の名前'
    """
    if cell_len(path) <= width:
        return path
    keep = max(0, width - 1)
    most = min(keep, max(keep * 2 // 3, cell_len(path[path.rfind("/") :])))
    tail = set_cell_size(path[::-1], most)[::-1].lstrip()  # A blank stands for half of a wide letter.
    return set_cell_size(path, max(0, keep - cell_len(tail))).rstrip() + styles.ELLIPSIS + tail


def age(seconds: float) -> str:
    """Return how long ago, in two or three characters.

    >>> age(5), age(7200), age(91 * 86400), age(800 * 86400)
    ('now', '2h', '91d', '2y')
    """
    units = (("y", 365 * 86_400), ("d", 86_400), ("h", 3_600), ("m", 60))
    return next((f"{int(seconds // size)}{unit}" for unit, size in units if seconds >= size), "now")


def ago(seconds: float) -> str:
    """Return an age in a sentence.

    >>> ago(5), ago(7200)
    ('just now', '2h ago')
    """
    return "just now" if seconds < 60 else f"{age(seconds)} ago"


def moment(at: float, now: float) -> str:
    """Return a time to come, as short as it is clear by the wall clock here.

    >>> day = datetime(2026, 3, 2, 9, 30).timestamp()
    >>> [moment(day + hours * 3600, day) for hours in (1, 24, 24 * 30)]
    ['10:30', 'Tue 09:30', '1 Apr']
    """
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now).date()
    if then.date() == today:
        return f"{then:%H:%M}"
    if (then.date() - today).days < 7:
        return f"{DAYS[then.weekday()]} {then:%H:%M}"
    return f"{then.day} {MONTHS[then.month - 1]}"


DAYS: Sequence[str] = "Mon Tue Wed Thu Fri Sat Sun".split()
MONTHS: Sequence[str] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
