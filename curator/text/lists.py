"""Word lists, written as text, and whether one of their words stands in another text."""

from __future__ import annotations

from collections.abc import Iterable


def listed(*lines: str) -> frozenset[str]:
    """The words of some lines as a set."""
    return frozenset(word for line in lines for word in line.split())


def contains_any(text: str, hints: Iterable[str]) -> bool:
    """Whether one of these stands in a text in lower case: plain search spares most texts a dear expression."""
    for hint in hints:  # noqa: SIM110 - any() with its generator costs twice as much, and this runs for every text
        if hint in text:
            return True
    return False
