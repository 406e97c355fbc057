"""curator's own themes: dark, light and high contrast. A test checks that each text is readable (WCAG 2 level AA)."""

from __future__ import annotations

from textual.theme import Theme

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
