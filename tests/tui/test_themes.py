"""curator's own themes: every text can be read on the ground that it stands on."""

from __future__ import annotations

import pytest
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from curator.tui.styles import THEMES, contrast, palette_of

READABLE = 4.5
"""The contrast that WCAG 2 level AA asks for."""


def color(style: Style, *, ground: bool = False) -> Color:
    value = style.bgcolor if ground else style.color
    assert value is not None
    return Color.parse(value.name)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_each_text_is_readable(theme: Theme) -> None:
    variables = theme.to_color_system().generate() | theme.variables
    background, surface, foreground = (Color.parse(variables[name][:7]) for name in ("background", "surface", "foreground"))
    palette = palette_of(variables, dark=theme.dark)
    texts = {name: color(getattr(palette, name)) for name in ("quiet", "accent", "good", "bad", "warning", "you", "agent")}
    pairs = {name: (text, background) for name, text in texts.items()} | {
        "text": (foreground, background),
        "footer": (foreground, surface),
        "a key in the footer": (texts["accent"], surface),
        "added": (texts["good"], color(palette.added, ground=True)),
        "removed": (texts["bad"], color(palette.removed, ground=True)),
        "the row at the cursor": (
            Color.parse(variables["block-cursor-foreground"]),
            Color.parse(variables["block-cursor-background"]),
        ),
    }
    assert {name: contrast(*pair) for name, pair in pairs.items() if contrast(*pair) < READABLE} == {}


def test_what_is_dim_or_coloured_is_readable_in_a_theme_of_textual() -> None:
    variables = BUILTIN_THEMES["textual-dark"].to_color_system().generate()
    palette = palette_of(variables, dark=True)
    for name in ("quiet", "accent", "good", "bad"):
        assert contrast(color(getattr(palette, name)), Color.parse(variables["background"])) >= READABLE, name
