"""Word lists, written as text."""

from __future__ import annotations


def listed(*lines: str) -> frozenset[str]:
    """The words of some lines as a set."""
    return frozenset(word for line in lines for word in line.split())
