"""Draw the evidence: who said it, what was said around it, the quote underlined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from curator.model import FROM_FILE, Entry, Evidence, Line, Role
from curator.tui import styles
from curator.tui.code import prose
from curator.tui.styles import Palette
from curator.tui.text import ago, ellipsed, fit, hanging, wrapped

SPEAKERS = {
    Role.HUMAN: "you",
    Role.FILE: "file",
    Role.ASSISTANT: "agent",
    Role.TOOL_CALL: "agent",
    Role.TOOL_RESULT: "",
    Role.EVENT: "",
}
FILE = "file"
"""Who speaks where a lesson's file quotes somebody: nothing here shows that it was said."""
LABEL = 6
"""Cells before each line, for who says it."""
NEAR = 12
"""Lines of a text around its quote that a card looks at."""
SIZES = ((12, 3, 99, 99), (8, 2, 99, 99), (8, 1, 2, 2), (6, 1, 1, 1), (6, 1, 1, 0))
"""From all to little: lines of the quoted speaker, lines of each other one, how many others before and after."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one speaker says, in lines; ``at`` is that in which the quote begins, -1 where there is none."""

    role: Role
    label: Text
    body: Sequence[Text]
    at: int = -1

    def cut(self, most: int, width: int) -> Sequence[Text]:
        """At most so many lines, from the quote on, with a little before it where there is room."""
        if len(self.body) <= most:
            return self.body
        start = max(0, min(self.at - (most > 2), len(self.body) - most))
        shown = list(self.body[start : start + most])
        return [*shown[:-1], ellipsed(shown[-1], width)] if start + most < len(self.body) else shown


class Quotation:
    """One quote of an entry on its card, in as many lines as there is room for. ``bare`` leaves out the bar above it."""

    def __init__(self, entry: Entry, at: int, now: float, width: int, palette: Palette, *, bare: bool = False) -> None:
        self.width = width
        self.bar: list[Text] = []
        self.parts: list[Part] = []
        if not entry.evidence:
            self.bar = [Text("a file, without evidence" if entry.signal == FROM_FILE else "added by hand", style=palette.quiet)]
            return
        at = min(at, len(entry.evidence) - 1)
        quoted = entry.evidence[at]
        title = f"evidence {at + 1}/{len(entry.evidence)}"
        self.bar = [] if bare else [_bar(quoted, title, now, width, palette)]
        self.parts = parts(quoted, width, palette, near=NEAR, claimed=entry.signal == FROM_FILE)

    @property
    def quote(self) -> int:
        """Which part has the quote."""
        return next((at for at, part in enumerate(self.parts) if part.at >= 0), 0)

    @property
    def least(self) -> int:
        """The lines below which it never goes: two of the quote, or as many as it has."""
        return len(self.bar) + min(2, len(self.parts[self.quote].body) if self.parts else 0)

    def lines(self, room: int = 0) -> list[Text]:
        """The quote and what was said around it in at most ``room`` lines, though never in fewer than ``least``."""
        if not self.parts:
            return self.bar
        for size in SIZES:
            lines = self._sized(*size)
            if not room or len(lines) <= room:
                return lines
        return self._sized(max(room, self.least) - len(self.bar), 0, 0, 0)

    def _sized(self, quote: int, other: int, before: int, after: int) -> list[Text]:
        at, room = self.quote, self.width - LABEL
        shown = range(max(0, at - before), min(len(self.parts), at + after + 1))
        chosen = [(self.parts[one], self.parts[one].cut(quote if one == at else other, room)) for one in shown]
        return self.bar + _labelled(chosen, self.width)


def excerpt(quoted: Evidence, width: int, palette: Palette, context: Sequence[Line] | None = None) -> list[Text]:
    """A quote, underlined, with what was said around it: the ``context`` given, else what was kept of it."""
    whole = replace(quoted, excerpt=tuple(context)) if context else quoted
    return _labelled([(part, part.body) for part in parts(whole, width, palette)], width)


def parts(quoted: Evidence, width: int, palette: Palette, near: int = 0, *, claimed: bool = False) -> list[Part]:
    """What was said, speaker by speaker; of long texts ``near`` lines around the quote, 0 means all.

    ``claimed``: a lesson's file says so.
    """
    return [
        _part(line, quoted.quote, max(10, width - LABEL), palette, near, claimed=claimed)
        for line in quoted.excerpt or (Line(quoted.role, quoted.quote, hit=True),)
    ]


def _part(line: Line, quote: str, width: int, palette: Palette, near: int, *, claimed: bool) -> Part:
    text = f"$ {line.text}" if line.role is Role.TOOL_CALL and not line.text.startswith("$ ") else line.text
    if line.role is Role.TOOL_CALL:
        text = f"```bash\n{text}\n```"
    paragraphs = prose(text, palette, None if line.hit else palette.quiet)
    marked = _underlined(paragraphs, quote, palette) if line.hit else 0
    if near:
        start = max(0, marked - near // 2)
        paragraphs, marked = paragraphs[start : start + near], marked - start
    before = sum(len(wrapped(one, width)) for one in paragraphs[:marked])
    body = [part for paragraph in paragraphs for part in wrapped(paragraph, width)] or [Text("")]
    at = next((at for at in range(before, len(body)) if any(span.style == palette.hit for span in body[at].spans)), 0)
    label = Text(f"{FILE if claimed else SPEAKERS[line.role]:<{LABEL}}", style=palette.accent if line.hit else palette.quiet)
    return Part(line.role, label, body, at if line.hit else -1)


def _labelled(chosen: Sequence[tuple[Part, Sequence[Text]]], width: int) -> list[Text]:
    lines: list[Text] = []
    before: Role | None = None
    for part, body in chosen:
        goes_on = part.role is before and part.role in (Role.HUMAN, Role.FILE, Role.ASSISTANT)
        label = Text(" " * LABEL) if goes_on else part.label
        for at, line in enumerate(body):
            lines += hanging(Text(" " * LABEL) if at else label, line, width)
        before = part.role
    return lines


def _underlined(body: Sequence[Text], quote: str, palette: Palette) -> int:
    """Mark the quote wherever one of its lines stands in the text; returns the first line that has some of it."""
    first = len(body)
    for wanted in (part.strip() for part in quote.split("\n")):
        for number, line in enumerate(body if wanted else ()):
            at = line.plain.find(wanted)
            if at >= 0:
                line.stylize(palette.hit, at, at + len(wanted))
                first = min(first, number)
    return first % len(body) if body else 0


def _bar(quoted: Evidence, title: str, now: float, width: int, palette: Palette) -> Text:
    """The line above a quote: which of how many, from which session, how old."""
    title += f" {styles.DOT} from a file in this repository" if quoted.role is Role.FILE else ""
    title += f" {styles.DOT} found in no transcript yet" if quoted.role is Role.TOOL_CALL and not quoted.file else ""
    title += f" {styles.DOT} {quoted.session[:8]}" if quoted.session else ""
    title += f" {styles.DOT} {ago(now - quoted.at)}" if quoted.at else ""
    rule, full = styles.RULE, " o full"
    head = fit(f"{rule * 2} {title}", min(len(title) + 3, width - len(full) - 1), styles.ELLIPSIS)
    return Text(f"{head} {rule * max(0, width - len(head) - len(full) - 1)}{full}", style=palette.quiet, no_wrap=True)
