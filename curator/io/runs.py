"""What this process has run and written, the last of it, for whoever wants to see what happens beside the screen.

Kept in memory alone: file names and arguments may have words of lessons, and what was forgotten must not linger in a log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from curator import clock

MOST = 500


class Run(NamedTuple):
    """A command that ended, or a file that was written: when (seconds since 1970), what, and how it ended."""

    at: float
    what: str
    result: str = ""


_last: deque[Run] = deque(maxlen=MOST)
"""Threads append to it: read a copy."""


def note_command(words: Sequence[str], result: object) -> None:
    """Remember that a command has ended; ``result`` is its exit code, or why it has none."""
    import shlex  # hooks, which write files, run nothing

    _last.append(Run(clock.now(), shlex.join([words[0].rpartition("/")[2], *words[1:]]), str(result)))


def note_file(path: object) -> None:
    """Remember that a file was written."""
    _last.append(Run(clock.now(), f"write {path}"))


def last() -> Sequence[Run]:
    """What was run and written last, the newest first."""
    return list(_last)[::-1]
