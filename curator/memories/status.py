"""Tell a note that reports how far some work is from one that says how to work."""

from __future__ import annotations

from curator.memories.note import Note


def is_status(note: Note) -> bool:
    """Return whether a note is a report of progress, which is old as soon as it is read."""
    return False
