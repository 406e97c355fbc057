"""The few signs that the inbox draws, each with an ASCII twin; colour is never the only signal.

Where ASCII is wanted, a filter puts the twins in at the very end, frames included: nothing else needs to know.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

BAR = "▌"
HOLLOW = "▏"
OPEN = "●"
STALE = "◌"
CONFLICT = "⇄"
DONE = "✓"
GONE = "✗"
TIMES = "×"
ELLIPSIS = "…"
RULE = "─"
ARROW = "→"
UP = "↑"
DOWN = "↓"
LEFT = "←"
SHIFT = "⇧"
SPACE = "␣"
DOT = "·"
THUMB = "▐"

TWINS = str.maketrans(
    {
        BAR: ">",
        HOLLOW: "|",
        OPEN: "*",
        STALE: "o",
        CONFLICT: "#",
        DONE: "+",
        GONE: "x",
        TIMES: "x",
        ELLIPSIS: "~",
        RULE: "-",
        ARROW: ">",
        UP: "^",
        DOWN: "v",
        LEFT: "<",
        SHIFT: "^",
        SPACE: "_",
        DOT: "-",
        THUMB: "#",
        "“": '"',
        "”": '"',
        **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼", "+"),
        **dict.fromkeys("│┃║▎▏▕", "|"),
        **dict.fromkeys("─━═▁▔▄▀", "-"),
    }
)
"""Every twin takes one cell, as its sign does, so that nothing moves."""


class AsciiFilter(LineFilter):
    """Draws the ASCII twins."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """One line with its signs replaced."""
        return [Segment(text.translate(TWINS), style, control) for text, style, control in segments]
