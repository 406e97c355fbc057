"""Finding files below a folder without following symlinks round in circles."""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from curator import clock
from curator.hookspecs import Companions, Format

log = logging.getLogger(__name__)

HEAD = 16 * 1024
"""Bytes of a file that ``Format.claims`` sees."""

PASSED_OVER = frozenset((".git", "node_modules", ".venv", "__pycache__", "tool-results"))

TICK = 2.0
"""Seconds by which the coarsest file systems count; most count by some milliseconds."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one ``stat`` of a transcript, and one of each of its companions, say; ``None`` for a companion that is absent."""

    stat: os.stat_result
    beside: tuple[os.stat_result | None, ...] = ()
    at: float = 0.0
    """When it was looked at, in seconds since the epoch."""

    @property
    def size(self) -> int:
        """Bytes, those of companions included."""
        return self.stat.st_size + sum(one.st_size for one in self.beside if one and stat.S_ISREG(one.st_mode))

    @property
    def mtime(self) -> float:
        """When any of them was last changed, in seconds since the epoch."""
        return max(self.stat.st_mtime, *(one.st_mtime for one in self.beside if one), 0.0)

    @property
    def settled(self) -> bool:
        """Whether a later write is sure to show: right after a write, another one may leave size and time as they are."""
        return abs(self.at - self.mtime) > TICK

    @property
    def stamp(self) -> str:
        """The same while no companion changes; empty for a transcript that has none."""
        if not self.beside:
            return ""
        stats = [one and (one.st_ino, one.st_size, one.st_mtime_ns) for one in self.beside]
        return hashlib.sha256(repr(stats).encode()).hexdigest()[:16]


def look(format_: Format, path: Path) -> Look:
    """Look at a transcript without opening anything. Raises ``OSError`` if it is not there."""
    at = clock.now()
    now = path.stat()
    if not isinstance(format_, Companions):
        return Look(now, at=at)
    try:
        return Look(now, tuple(_stat(beside) for beside in format_.companions(path)), at)
    except Exception:  # a plugin's bug must not hide the transcript
        log.exception("the format %s can't say what %s consists of", format_.agent, path)
        return Look(now, at=at)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def files(root: Path, suffix: str) -> Iterator[Path]:
    """Regular files below ``root`` (or ``root`` itself) with this suffix, sorted within each folder.

    Links to folders are not followed except ``root`` itself; folders that can't be read are passed over
    (``discover.find`` names them).
    """
    if root.is_file():
        if root.suffix == suffix:
            yield root
        return
    waiting = [os.fspath(root)]
    while waiting:
        folders = []
        for entry in _listed(waiting.pop()):
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in PASSED_OVER:
                    folders.append(entry.path)
            # A listing tells regular files from fifos; only a link must be looked at.
            elif entry.name.endswith(suffix) and (entry.is_file(follow_symlinks=False) or is_regular(Path(entry.path))):
                yield Path(entry.path)
        waiting += reversed(folders)


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def is_regular(path: Path) -> bool:
    """Whether there is a regular file (or a link to one): opening a fifo would wait for ever."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def head(path: Path) -> bytes:
    """The first bytes of a regular file; empty when it can't be read, which the reader will then say."""
    try:
        if not is_regular(path):
            return b""
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


def claimed(
    root: Path, suffix: str, agent: str, claims: Callable[[Path, bytes], bool], known: Mapping[Path, str]
) -> tuple[Path, ...]:
    """The files below ``root`` with this suffix that are an agent's: known to be, or else by their head."""
    return tuple(path for path in files(root, suffix) if is_of(agent, path, claims, known))


def is_of(agent: str, path: Path, claims: Callable[[Path, bytes], bool], known: Mapping[Path, str]) -> bool:
    """Whether a file is an agent's; one that was read before is not opened."""
    return known[path] == agent if path in known else claims(path, head(path))
