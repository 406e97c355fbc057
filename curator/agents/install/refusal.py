"""Refuse to edit a file of another program: name its line, and leave it alone."""

from __future__ import annotations

from curator.errors import MalformedFile


def refused(name: str, line: int, reason: str) -> MalformedFile:
    """A file that can't be edited safely, as an error to raise."""
    error = MalformedFile(name, line, reason)
    error.hint = "Mend the file, then run this again; it was left untouched."
    return error
