"""Keys as the table of actions writes them, and the question that the next key answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events


def pressed(event: events.Key) -> str:
    """A key as the table of actions writes it: the character itself, or a name such as ``pagedown``."""
    return event.character if event.is_printable and event.character and event.character != " " else event.key


@dataclass(frozen=True, slots=True)
class Menu:
    """What may follow a leading key: (key, label) pairs, and what happens then."""

    options: Sequence[tuple[str, str]]
    answer: Callable[[str], None]
