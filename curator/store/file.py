"""The database as a file: looked at before SQLite sees it, and known again by device and inode."""

from __future__ import annotations

import stat
from pathlib import Path

from curator.errors import StoreError

ASIDE = ("-wal", "-shm")
"""What SQLite keeps beside a database: its write-ahead log, and the index of that."""
KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}

Identity = tuple[int, int]
"""Device and inode."""


def identity(path: Path) -> Identity | None:
    """Which file stands at a path; ``None`` where none does, or an empty one, which is no database yet. Raises ``OSError``."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size else None


def beside(path: Path) -> tuple[Path, ...]:
    """The files that SQLite keeps beside a database."""
    return tuple(path.with_name(path.name + end) for end in ASIDE)


def look(path: Path) -> None:
    """Raise ``StoreError`` where the database, or what belongs beside it, is no plain file: a pipe would never answer.

    Raises ``OSError`` where it can't be looked at.
    """
    for one in (path, *beside(path)):
        try:
            mode = one.stat().st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            kind = KINDS.get(stat.S_IFMT(mode), "a device")
            raise StoreError(
                f"{one} is {kind} and no file.", "Move it away, or choose another place with CURATOR_HOME; then try again."
            )
