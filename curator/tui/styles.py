"""The themes, colours, weights and signs of the inbox, each sign with an ASCII twin. Colour is never the only signal.

A test checks that each text is readable in curator's own themes: dark, light and high contrast (WCAG 2 level AA).

In ASCII mode, a filter inserts the twins at the very end, frames included. So no other code needs to know.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme


class Palette(NamedTuple):
    """The styles of text by its meaning.

    ``accent`` is for keys, ``good`` and ``bad`` for the sides of a diff, ``added`` and ``removed`` for the background of its
    lines, ``you`` and ``agent`` for speakers, ``hit`` for a quote. Code is in colour unless ``coloured`` is false.
    """

    plain: Style
    strong: Style
    quiet: Style
    accent: Style
    good: Style
    bad: Style
    warning: Style
    you: Style
    agent: Style
    added: Style
    removed: Style
    hit: Style
    dark: bool
    coloured: bool = True


MEANINGS = (
    "foreground",
    "background",
    "text-accent",
    "text-success",
    "text-error",
    "text-warning",
    "text-primary",
    "text-secondary",
)
"""The variables of a theme that the palette reads."""


def palette_of(variables: dict[str, str], *, dark: bool) -> Palette:
    """Return the palette for a theme's variables.

    A theme of the terminal's own colours has no values to mix: it gets styles.
    """
    return _palette(tuple(variables.get(name, "") for name in MEANINGS), dark)


@lru_cache(maxsize=8)
def _palette(values: tuple[str, ...], dark: bool) -> Palette:
    foreground, background, accent, good, bad, warning, you, agent = values
    mixable = foreground.startswith("#") and background.startswith("#")

    def tinted(value: str) -> Style:
        if not (mixable and value.startswith("#")):
            return Style(bold=True)
        return Style(color=readable(Color.parse(value[:7]), Color.parse(background), Color.parse(foreground)).hex6, bold=True)

    def ground(value: str) -> Style:
        if not (mixable and value.startswith("#")):
            return Style()
        return Style(bgcolor=Color.parse(background).blend(Color.parse(value[:7]), 0.16).hex6)

    quiet = Style(dim=True)
    if mixable:
        text, behind = Color.parse(foreground), Color.parse(background)
        quiet = Style(color=readable(text.blend(behind, 0.4), behind, text).hex6)
    return Palette(
        plain=Style(),
        strong=Style(bold=True),
        quiet=quiet,
        accent=tinted(accent),
        good=tinted(good),
        bad=tinted(bad),
        warning=tinted(warning),
        you=tinted(you),
        agent=tinted(agent),
        added=ground(good),
        removed=ground(bad),
        hit=Style(underline=True),
        dark=dark,
    )


def readable(colour: Color, ground: Color, text: Color) -> Color:
    """Return a colour moved towards the text's colour until it is readable on the background (4.5:1, WCAG 2 level AA)."""
    for part in range(11):
        mixed = colour.blend(text, part / 10)
        if contrast(mixed, ground) >= 4.5:
            return mixed
    return text


def contrast(a: Color, b: Color) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as WCAG 2 defines it."""

    def luminance(colour: Color) -> float:
        parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


BAR = "▌"
HOLLOW = "▏"
OPEN = "●"
DONE = "✓"
DROPPED = "✗"
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
FULL = "█"
ALARM = "⚠"
TWINS = str.maketrans(
    {
        BAR: ">",
        HOLLOW: "|",
        OPEN: "*",
        DONE: "+",
        DROPPED: "x",
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
        FULL: "#",
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
        """Return one line with its signs replaced."""
        return [Segment(text.translate(TWINS), style, control) for text, style, control in segments]


CONTROL_OR_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, C1
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0"  # fillers and blanks
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, bidi, annotation
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e0fff]"  # tags
)
"""Characters that control a terminal or are invisible. Joiners stay, because scripts and emoji need them."""


class ControlFilter(LineFilter):
    """Removes all characters that text may not send to the terminal. It is the last check, for any content of the database."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return a line without such characters. Those that take a cell become a dot, so that nothing moves."""
        if all(text.isprintable() for text, _, control in segments if not control):
            return segments
        return [
            Segment(text if control else CONTROL_OR_HIDDEN.sub(lambda found: DOT * cell_len(found[0]), text), style, control)
            for text, style, control in segments
        ]


DEFAULT = "curator-dark"
THEMES = (
    Theme(
        name=DEFAULT,
        primary="#7aa2f7",
        secondary="#bb9af7",
        accent="#e0af68",
        warning="#ff9e64",
        error="#f7768e",
        success="#9ece6a",
        foreground="#dfe3ee",
        background="#15171e",
        surface="#1c1f28",
        panel="#2b3040",
        variables={"block-cursor-background": "#33467c", "block-cursor-foreground": "#ffffff"},
    ),
    Theme(
        name="curator-light",
        primary="#0b57b0",
        secondary="#6b3fb5",
        accent="#8a5a00",
        warning="#a34a00",
        error="#b3202c",
        success="#1a6e31",
        foreground="#1d2129",
        background="#fbfbfa",
        surface="#f1f1ef",
        panel="#dcdcd8",
        dark=False,
        variables={"block-cursor-background": "#cfe0fb", "block-cursor-foreground": "#1d2129"},
    ),
    Theme(
        name="curator-contrast",
        primary="#6cb6ff",
        secondary="#dcbdfb",
        accent="#ffdf5d",
        warning="#ffb77c",
        error="#ff9492",
        success="#7ee787",
        foreground="#ffffff",
        background="#000000",
        surface="#0c0c0c",
        panel="#3a3a3a",
        variables={"block-cursor-background": "#ffffff", "block-cursor-foreground": "#000000"},
    ),
)
"""Colours by their meaning: ``primary`` for you, ``secondary`` for agents, ``accent`` for keys, ``warning`` for stale code."""
