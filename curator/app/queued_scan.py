"""``curator scan --queued``: what hooks started beside an agent: the transcripts that were just written are read.

One process at a time: whoever holds the lock. A hook hands it over as standard input (see ``agents.scan_queue``), so that from
the moment it looked there is nobody else.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from curator.agents import receipts as spool
from curator.agents import scan_queue
from curator.app import deliveries, outcomes, scan
from curator.app.ingest import Ingest
from curator.app.reader import Reader
from curator.errors import CuratorError
from curator.io import private

log = logging.getLogger(__name__)

TAKEN = ".taken"
GENTLE = 10
"""What is added to the niceness: an agent is at work beside us."""


def read_queue(reader: Reader) -> int:
    """Read the transcripts that hooks have queued, and take over what they decided; returns how many were read.

    Does nothing where another process is at it. What was queued while the lock was given back is read as well.
    """
    folder, done = reader.settings.spool / scan_queue.FOLDER, 0
    while True:
        with _holding(folder) as held:
            if not held:
                return done
            deliveries.drain(reader)
            while waiting := take(folder):
                for path in waiting:
                    done += _read(reader, path)
            deliveries.drain(reader)
            outcomes.settle(reader)
        if not any(folder.glob("*.json")):
            return done


@contextmanager
def _holding(folder: Path) -> Iterator[bool]:
    """Hold the queue's lock, which we may have been born with."""
    private.folder(folder)
    path = folder / scan_queue.LOCK
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        inherited = _is(0, fd)
        mine = 0 if inherited else fd
        held = spool.lock(mine)
        try:
            yield held
        finally:
            if held:
                spool.unlock(mine)
    finally:
        os.close(fd)


def _is(one: int, other: int) -> bool:
    """Whether two numbers of open files mean the same file."""
    try:
        return os.path.sameopenfile(one, other)
    except OSError:
        return False


def take(folder: Path) -> list[Path]:
    """Put a mark on all that is queued, so that what comes meanwhile is queued again; also what a killed run left marked."""
    for path in folder.glob("*.json"):
        with suppress(FileNotFoundError):  # its session has just been forgotten
            path.replace(path.with_suffix(TAKEN))
    return sorted(folder.glob(f"*{TAKEN}"))


def _read(reader: Reader, path: Path) -> int:
    """Read the transcript that a note names; the note goes once it is read, or can't be."""
    try:
        note = json.loads(path.read_bytes())
        place, agent = str(note["transcript_path"]), str(note["agent"])
    except (OSError, ValueError, TypeError, KeyError):
        place = agent = ""
    try:
        if reader.settings.hook_scan and agent:
            _ingest(reader, place, agent)
    except CuratorError as error:
        log.warning("the transcript of a session of %s was not read: %s", agent, error.message)
    path.unlink(missing_ok=True)
    return 1


def _ingest(reader: Reader, place: str, agent: str) -> None:
    run = Ingest(reader)
    if place:
        if os.path.isabs(place):
            scan.read_one(run, Path(place))
        return
    # An agent that does not say where: whatever of its transcripts has changed, which is a look at each.
    run.formats = tuple(format_ for format_ in run.formats if format_.agent == agent)
    for item in run.discover(None).found:
        run.file(item.format, item.path, item.look)


def be_gentle() -> None:
    """Leave the processor to those who are waited for."""
    if hasattr(os, "nice"):
        os.nice(GENTLE)
