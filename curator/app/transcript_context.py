"""The lines of a transcript around a quote, beyond the few that are stored with it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from curator import plugins
from curator.app.origins import speaker
from curator.model import Evidence, Line, Role, Turn
from curator.transcripts.base import discover, follow

BEFORE, AFTER = 12, 12
"""Turns that are shown before a quoted one, and after it."""
LONGEST = 1_200
"""Characters of a turn that is not the quoted one."""


def transcript(quoted: Evidence) -> Path | None:
    """The transcript that is quoted, if it is still there: no other file, whatever the evidence names."""
    path = Path(os.path.expanduser(quoted.file))
    try:
        return path if quoted.file and path.is_absolute() and discover.format_of(path, plugins.formats()) else None
    except (OSError, ValueError):
        return None


def around(quoted: Evidence) -> Sequence[Line]:
    """What was said before and after a quote, with secrets masked; empty where its transcript is gone or says it no more."""
    path = transcript(quoted)
    if path is None:
        return ()
    before: deque[Turn] = deque(maxlen=BEFORE)
    hit: Turn | None = None
    after: list[Turn] = []
    for turn in turns(path):
        if quoted.session and turn.session != quoted.session:
            continue
        if hit is None and turn.locator.line <= quoted.line <= turn.locator.line_end and _is_quoted(turn, quoted):
            hit = turn
        elif hit is None:
            before.append(turn)
        elif len(after) < AFTER:
            after.append(turn)
        else:
            break
    lines = [_line(turn, turn is hit) for turn in (*before, hit, *after) if turn.text.strip()] if hit else []
    return [replace(line, role=speaker(line.role)) for line in lines] if quoted.role is Role.FILE else lines


def turns(path: Path) -> Iterator[Turn]:
    """All turns of a transcript, read as it goes; none where no format knows it."""
    format_ = discover.format_of(path, plugins.formats())
    for progress in follow.portions(format_, path) if format_ else ():
        yield from progress.turns[progress.seen :]


def sessions(path: Path) -> dict[str, list[Turn]]:
    """The turns of a transcript by their session. Raises ``OSError``."""
    found: dict[str, list[Turn]] = {}
    for turn in turns(path):
        found.setdefault(turn.session, []).append(turn)
    return found


def _is_quoted(turn: Turn, quoted: Evidence) -> bool:
    """Whether a turn is the quoted one; a record of several turns has one place for all."""
    wanted = " ".join(quoted.quote.split())[:40]
    return turn.role is quoted.role or wanted in " ".join(turn.text.split())


def _line(turn: Turn, hit: bool) -> Line:
    return Line(turn.role, turn.text if hit or len(turn.text) <= LONGEST else f"{turn.text[:LONGEST]} …", hit)
