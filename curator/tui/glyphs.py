"""The few signs that the inbox draws, each with an ASCII twin; colour is never the only signal.

Where ASCII is wanted, a filter puts the twins in at the very end, frames included: nothing else needs to know.
"""

from __future__ import annotations

import re

from rich.cells import cell_len
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
ALARM = "⚠"

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
        ALARM: "!",
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


UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, C1
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0"  # fillers and blanks
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, bidi, annotation
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e0fff]"  # tags
)
"""What drives a terminal, or is there without being seen. Joiners stay: scripts and emoji need them."""


class Unseen(LineFilter):
    """Takes out what no text may send to the terminal, whatever the database holds: the last gate before it."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """One line without them; the few that take a cell leave a dot, so that nothing moves."""
        if all(text.isprintable() for text, _, control in segments if not control):
            return segments
        return [Segment(text if control else UNSEEN.sub(_blank, text), style, control) for text, style, control in segments]


def _blank(found: re.Match[str]) -> str:
    return DOT * cell_len(found[0])
