"""The styles of text, taken from whatever theme a person likes; each differs in something other than colour, too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rich.style import Style
from textual.color import Color


@dataclass(frozen=True, slots=True)
class Palette:
    """What kinds of text there are: ``good`` and ``bad`` are the two sides of a diff, ``hit`` is a quoted line."""

    plain: Style
    strong: Style
    quiet: Style
    accent: Style
    good: Style
    bad: Style
    hit: Style
    dark: bool


def palette_of(variables: dict[str, str], *, dark: bool) -> Palette:
    """The palette for a theme's variables. A theme of the terminal's own colours has no values to mix: it gets styles."""
    names = ("foreground", "background", "text-accent", "text-primary", "text-warning")
    return _palette(*(variables.get(name, "") for name in names), dark)


@lru_cache(maxsize=8)
def _palette(foreground: str, background: str, accent: str, good: str, bad: str, dark: bool) -> Palette:
    mixed = None
    if foreground.startswith("#") and background.startswith("#"):
        # Two thirds of the text's colour is the quietest that stays readable (4.5:1) in both default themes; a test measures it.
        mixed = Color.parse(foreground).blend(Color.parse(background), 0.34).hex6

    def tinted(value: str, *, bold: bool = False) -> Style:
        return Style(color=value[:7] if value.startswith("#") else None, bold=bold)

    return Palette(
        plain=Style(),
        strong=Style(bold=True),
        quiet=tinted(mixed) if mixed else Style(dim=True),
        accent=tinted(accent, bold=True),
        good=tinted(good, bold=True),
        bad=tinted(bad, bold=True),
        hit=Style(underline=True, bold=True),
        dark=dark,
    )
