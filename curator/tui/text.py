"""Words in cells: widths, ellipses and ages. Code in colour. The differences of two texts, word by word."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.style import Style
from rich.text import Text

from curator.tui import styles
from curator.tui.styles import Palette


def fit(text: str, width: int) -> str:
    """Return text in exactly ``width`` cells, cut at the end.

    >>> fit("constraint", 6), fit("ok", 4)
    ('const…', 'ok  ')
    """
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + styles.ELLIPSIS if width > 1 else set_cell_size(text, max(0, width))


def fit_words(text: str, width: int) -> str:
    """Return text in exactly ``width`` cells, cut after a word unless this would lose a third of the space.

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
    """Return a text after a head, with its further lines indented by the head's width.

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
    """Return the console that Rich asks for, and does not use."""
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


CHANGED = Style(bold=True, underline=True)
MAX_LINE_CHARACTERS = 1_000
MAX_LINES = 200
FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w+#.-]*)")
WORD = re.compile(r"\w+|\s+|[^\w\s]")
TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|[\w-]+|\s+|[^\w\s]")
"""Words of code: a text in quotes, and a name with hyphens, is one."""
BY_SUFFIX = {
    "py": "python",
    "ts": "typescript",
    "js": "javascript",
    "rs": "rust",
    "md": "markdown",
    "yml": "yaml",
    "sh": "bash",
}


def highlight(code: str, language: str, palette: Palette) -> Text:
    """Return code as styled text, by Pygments. An unknown language stays plain. Long lines are cut at 1,000 characters."""
    lines = [line[:MAX_LINE_CHARACTERS] for line in code.split("\n")[:MAX_LINES]]
    if not palette.coloured:
        return Text("\n".join(lines).rstrip())
    from rich.syntax import Syntax  # loads Pygments; the first card is drawn without colours

    lexer = BY_SUFFIX.get(language, language) or "text"
    syntax = Syntax("", lexer, theme="ansi_dark" if palette.dark else "ansi_light")
    text = syntax.highlight("\n".join(lines))
    text.rstrip()
    text.no_wrap = False
    text.style = ""  # because its background would differ from that of the card
    return text


def command(text: str, palette: Palette) -> list[Text]:
    """Return a command as lines.

    Commands gain little from colour, and the colouring of code takes 2 MiB.
    """
    return [Text(line[:MAX_LINE_CHARACTERS], style=palette.plain) for line in text.split("\n")[:MAX_LINES]]


def prose(text: str, palette: Palette, base: Style | None = None) -> list[Text]:
    """Return prose with fenced code blocks as lines. The code is coloured."""
    found: list[Text] = []
    fence, language, code = "", "", list[str]()
    for line in text.split("\n")[:MAX_LINES]:
        line = line[:MAX_LINE_CHARACTERS]
        match = FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not match[2]:
                found += highlight("\n".join(code), language, palette).split("\n", allow_blank=True)
                fence, code = "", []
            else:
                code.append(line)
        elif match:
            fence, language = match[1], match[2].lower()
        else:
            found.append(Text(line, style=base or palette.plain))
    if code:
        found += highlight("\n".join(code), language, palette).split("\n", allow_blank=True)
    return found


def diff_lines(old: str, new: str, width: int, palette: Palette) -> list[Text]:
    """Return two short texts as - and + lines with the changed words marked. Return equal texts as one line."""
    if old == new:
        return hanging(Text("  "), Text(old, style=palette.plain), width)
    before, after = mark_words(old, new, palette)
    return [*hanging(Text("- ", palette.bad), before, width), *hanging(Text("+ ", palette.good), after, width)]


MAX_COMPARED_WORDS = 600
"""Maximum words and blanks of two texts to compare. The time grows with their cube."""


def steps(old: str, new: str, token: re.Pattern[str] = WORD) -> list[tuple[bool, str, str]]:
    """Return two texts in pieces: whether both have the piece, its old text, and its new text.

    A word or two between two changes belong to the change, and blanks are no change. Texts that share less than a third of
    their words are completely different. Small equal pieces between changes would be hard to read.

    >>> steps("Use npm", "Use  npm")
    [(True, 'Use npm', 'Use  npm')]
    >>> steps("Use npm in web", "Use pnpm in web")
    [(True, 'Use ', 'Use '), (False, 'npm', 'pnpm'), (True, ' in web', ' in web')]
    >>> steps("Use npm everywhere", "The web app builds with pnpm only")
    [(False, 'Use npm everywhere', 'The web app builds with pnpm only')]
    """
    a, b = token.findall(old), token.findall(new)
    if len(a) + len(b) > MAX_COMPARED_WORDS:
        return [(False, old, new)]
    codes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    found: list[tuple[bool, str, str]] = []
    for at, (tag, i1, i2, j1, j2) in enumerate(codes):
        before, after = "".join(a[i1:i2]), "".join(b[j1:j2])
        same = not (before + after).strip() or (tag == "equal" and (at in (0, len(codes) - 1) or _words(before) > 2))
        if found and found[-1][0] == same:
            found[-1] = (same, found[-1][1] + before, found[-1][2] + after)
        else:
            found.append((same, before, after))
    shared = sum(_words(before) for same, before, _ in found if same)
    return found if 3 * shared >= max(_words(old), _words(new)) else [(False, old, new)]


def _words(text: str) -> int:
    return sum(part[0].isalnum() for part in WORD.findall(text))


def mark_words(old: str, new: str, palette: Palette, token: re.Pattern[str] = WORD) -> tuple[Text, Text]:
    """Return both texts with the words marked that the other lacks.

    The marks are bold and underlined, so that they show without colour. In completely different texts nothing is marked.
    """
    stretches = steps(old, new, token)
    if not any(same for same, _, _ in stretches):
        return Text(old, style=palette.plain), Text(new, style=palette.plain)
    before, after = Text(), Text()
    for same, was, is_ in stretches:
        before.append(was, palette.plain if same else palette.bad + CHANGED)
        after.append(is_, palette.plain if same else palette.good + CHANGED)
    return before, after


def patch(diff: str, path: str, palette: Palette) -> list[Text]:
    """Return a unified diff without its heads: context as code, removed and added lines on a ground of their own.

    In lines that were replaced, the words that differ are marked.
    """
    language = path.rpartition(".")[2]
    found: list[Text] = []
    old, new = list[str](), list[str]()

    def flush() -> None:
        marked = [mark_words(*pair, palette, TOKEN) for pair in zip(old, new, strict=False)]
        before = [text for text, _ in marked] + [Text(line, style=palette.bad) for line in old[len(marked) :]]
        after = [text for _, text in marked] + [Text(line, style=palette.good) for line in new[len(marked) :]]
        for sign, side, ground, lines in (
            ("- ", palette.bad, palette.removed, before),
            ("+ ", palette.good, palette.added, after),
        ):
            for line in lines:
                found.append(Text.assemble((sign, side), line))
                found[-1].stylize_before(ground)
        old.clear()
        new.clear()

    for line in diff.rstrip("\n").split("\n")[:MAX_LINES]:
        text = line[1:MAX_LINE_CHARACTERS].expandtabs(4)
        if line.startswith("-") and not line.startswith("--- "):
            if new:
                flush()
            old.append(text)
        elif line.startswith("+") and not line.startswith("+++ "):
            new.append(text)
        else:
            flush()
            if line.startswith("@@"):
                found += [Text("⋯", style=palette.quiet)] if found else []
            elif line.startswith(" ") and (text.strip() or (found and found[-1].plain.strip())):
                found.append(Text.assemble("  ", highlight(text, language, palette)))
            elif not line.startswith(("--- ", "+++ ", " ")):
                found.append(Text(line, style=palette.quiet))
    flush()
    while found and not found[-1].plain.strip():
        found.pop()
    return found
