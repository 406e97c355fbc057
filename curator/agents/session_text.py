"""The text that hooks send: one mark around one line per lesson. ``transcripts`` removes it again by this mark."""

from __future__ import annotations

OPENING = '<curator-lessons v="1" ids="{}">'
CLOSING = "</curator-lessons>"
TAG = "curator-lessons"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def block(lessons: Sequence[tuple[str, str]]) -> str:
    """Return the text for lessons given as (id, line); empty for none."""
    if not lessons:
        return ""
    ids = " ".join(id_ for id_, _ in lessons)
    return "\n".join([OPENING.format(ids), *(plain(line) for _, line in lessons), CLOSING])


def fitting(lessons: Sequence[tuple[str, str]], limit: int) -> int:
    """Return how many of these lessons, from the first on, fit into ``limit`` characters with the sentinel."""
    many = len(lessons)
    while many and len(block(lessons[:many])) > limit:
        many -= 1
    return many


def plain(line: str) -> str:
    """One line without control or invisible characters, and without anything that reads as our sentinel.

    >>> plain("a\\x1b[2J  b\\nc")
    'a [2J b c'
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in line).split())
    return line.replace("<", "‹") if TAG in line.lower() else line
