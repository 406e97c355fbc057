"""Code in colour, and what changed between two texts, word by word."""

from __future__ import annotations

import difflib
import re

from rich.style import Style
from rich.text import Text

from curator.tui import signs
from curator.tui.palette import Palette

LONGEST_LINE = 1_000
MOST_LINES = 200
FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w+#.-]*)")
WORD = re.compile(r"\w+|\s+|[^\w\s]")
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
    """Code as styled text, by Pygments; an unknown language stays plain. Long lines are cut at 1,000 characters."""
    lines = [line[:LONGEST_LINE] for line in code.split("\n")[:MOST_LINES]]
    if not palette.coloured:
        return Text("\n".join(lines).rstrip())
    from rich.syntax import Syntax

    lexer = BY_SUFFIX.get(language, language) or "text"
    syntax = Syntax("", lexer, theme="ansi_dark" if palette.dark else "ansi_light", background_color="default")
    text = syntax.highlight("\n".join(lines))
    text.rstrip()
    text.no_wrap = False
    return text


def prose(text: str, palette: Palette, base: Style | None = None) -> list[Text]:
    """Prose with fenced code blocks, as lines; code inside is coloured."""
    found: list[Text] = []
    fence, language, code = "", "", list[str]()
    for line in text.split("\n")[:MOST_LINES]:
        line = line[:LONGEST_LINE]
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


def unified(old: str, new: str, palette: Palette) -> list[Text]:
    """Two short texts as - and + lines with the changed words marked; equal texts as one line."""
    if old == new:
        return [Text(f"  {old}", style=palette.plain)]
    before, after = worded(old, new, palette)
    return [Text.assemble(("- ", palette.bad), before), Text.assemble(("+ ", palette.good), after)]


def worded(old: str, new: str, palette: Palette) -> tuple[Text, Text]:
    """Both texts with the words marked that the other lacks: bold and underlined, so that it shows without colour."""
    a, b = WORD.findall(old), WORD.findall(new)
    before, after = Text(), Text()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        changed = tag != "equal"
        mark = Style(bold=True, underline=True)
        before.append("".join(a[i1:i2]), palette.bad + mark if changed else palette.plain)
        after.append("".join(b[j1:j2]), palette.good + mark if changed else palette.plain)
    return before, after


def blended(old: str, new: str, palette: Palette, most: int = 6) -> Text | None:
    """Both texts as one line in which only what differs is marked, ``[old → new]``; ``None`` where they share too little.

    ``most`` are the words that may differ on each side; half of all must be the same.
    """
    a, b = WORD.findall(old), WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    steps = matcher.get_opcodes()
    gone = sum(bool(word.strip()) for tag, i1, i2, _, _ in steps if tag != "equal" for word in a[i1:i2])
    come = sum(bool(word.strip()) for tag, _, _, j1, j2 in steps if tag != "equal" for word in b[j1:j2])
    changes = sum(tag != "equal" for tag, *_ in steps)
    if old == new or changes > 2 or max(gone, come) > most or matcher.ratio() < 0.5:
        return None
    line = Text()
    for tag, i1, i2, j1, j2 in steps:
        before, after = "".join(a[i1:i2]), "".join(b[j1:j2])
        if tag == "equal":
            line.append(before, palette.plain)
            continue
        lead, end = (" " if any(side and side[at].isspace() for side in (before, after)) else "" for at in (0, -1))
        sides = (Text(before.strip(), palette.bad + Style(strike=True)), Text(after.strip(), palette.good + Style(bold=True)))
        change = Text(f" {signs.ARROW} ", palette.quiet).join(sides)
        line.append_text(Text.assemble((f"{lead}[", palette.quiet), change, (f"]{end}", palette.quiet)))
    return line


def patch(diff: str, path: str, palette: Palette) -> list[Text]:
    """A unified diff without its file names: context as code, removed and added lines by sign and style, and in lines that
    were replaced the words that differ marked.
    """
    language = path.rpartition(".")[2]
    found: list[Text] = []
    old, new = list[str](), list[str]()

    def flush() -> None:
        marked = [worded(*pair, palette) for pair in zip(old, new, strict=False)]
        before = [text for text, _ in marked] + [Text(line, style=palette.bad) for line in old[len(marked) :]]
        after = [text for _, text in marked] + [Text(line, style=palette.good) for line in new[len(marked) :]]
        found.extend(Text.assemble(("-", palette.bad), line) for line in before)
        found.extend(Text.assemble(("+", palette.good), line) for line in after)
        old.clear()
        new.clear()

    for line in diff.rstrip("\n").split("\n")[:MOST_LINES]:
        text = line[1:LONGEST_LINE].expandtabs(4)
        if line.startswith("-") and not line.startswith("--- "):
            if new:
                flush()
            old.append(text)
        elif line.startswith("+") and not line.startswith("+++ "):
            new.append(text)
        else:
            flush()
            if line.startswith("@@"):
                found.append(Text(line, style=palette.quiet))
            elif line.startswith(" "):
                found.append(Text.assemble(" ", highlight(text, language, palette)))
            elif not line.startswith(("--- ", "+++ ")):
                found.append(Text(line, style=palette.quiet))
    flush()
    return found
