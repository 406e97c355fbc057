"""The red line of a card: what dangerous order a lesson gives, its words marked."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from curator.app import faults, offers, orders, orders_given, refused
from curator.model import Entry, State
from curator.tui import styles
from curator.tui.styles import Palette

MARK = Style(bold=True, underline=True)


def alarm(entry: Entry, palette: Palette, side: str = "") -> list[Text]:
    """What is to be known of a text before agents are sent it; nothing for most. ``side``: whose words, where two are shown."""
    lines = []
    waits = entry.state is State.OPEN
    words = [entry.headline, entry.insight, *(text for _, text, _ in offers(entry) if waits)]
    if given := orders_given(*words):
        whose = f"{side} " if side else ""
        ask = ": read it before you keep it" if waits else ""
        lines.append(Text(f"{styles.ALARM} {whose}{given if side else given[0].upper() + given[1:]}{ask}", palette.bad + MARK))
    if why := "; ".join(faults(f"{entry.headline}\n{entry.insight}")) if waits else refused(entry):
        line = Text(f"{'will be' if waits else 'not'} sent to {'no agent' if waits else 'agents'}: {why}", palette.bad)
        lines.append(line if waits else Text.assemble(line, ("  T send anyway", palette.accent)))
    return lines


def mark(text: Text, palette: Palette) -> Text:
    """The text with the words of its orders marked."""
    for flag in orders(text.plain):
        text.stylize(palette.bad + MARK, flag.start, flag.end)
    return text
