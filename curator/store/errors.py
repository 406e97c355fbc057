"""Database errors as sentences: what happened, where, what to do. None becomes an empty answer."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curator.errors import CuratorError, StoreBusy, StoreError
from curator.store import file

log = logging.getLogger(__name__)


RAISED = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)
"""What the module of SQLite raises: its errors, what their own text does to it, and sizes that damage made up."""
RECOVER = "`curator restore` shows what can be brought back, from the file itself and from backups, and how many verdicts."
SIGNS = (
    "malformed",
    "not a database",
    "corrupt",
    "no such table",
    "no such column",
    "no such index",
    "vtable constructor failed",
    "utf-8",
    "out of memory",
)
"""What SQLite says of a file that is broken, or lacks what its version has."""


@contextmanager
def speaking(path: Path) -> Iterator[None]:
    """Raise every database error of the block as a ``StoreError`` that a person can act on."""
    try:
        yield
    except RAISED as error:
        raise translate(error, path) from error


def translate(error: Exception, path: Path) -> CuratorError:
    """The sentence for an error; for a damaged database a copy is put aside first."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return StoreBusy(
            f"{path} is in use by another process.", "Nothing was lost; try again when the other curator is done writing."
        )
    if "full" in text:
        return StoreError(
            f"{path} could not be written: {text}.",
            "Free some room on that disk, then try again; what was saved before is intact.",
        )
    if "readonly" in text or "read-only" in text:
        return StoreError(
            f"{path} is read-only: {text}.",
            "Give yourself the right to write there, or choose another place with CURATOR_HOME.",
        )
    if "unable to open" in text:
        return StoreError(
            f"{path} can't be opened: {text}.", "Look at the rights of the folder, or choose another with CURATOR_HOME."
        )
    if damaged(error):
        kept = put_aside(path)
        return StoreError(
            f"{path} is damaged: {text}. Nothing was overwritten; a copy is at {kept}.",
            RECOVER,
        )
    log.error("%s: an error of the database that was not foreseen", path, exc_info=error)
    return StoreError(f"{path}: {text}.", "The log has the details; see `curator where`.")


def damaged(error: Exception) -> bool:
    """Whether an error says that the file itself is broken."""
    return isinstance(error, UnicodeDecodeError | OverflowError | MemoryError) or any(sign in str(error) for sign in SIGNS)


def put_aside(path: Path) -> Path:
    """Copy a damaged database beside itself, once, with its write-ahead log; returns where it is."""
    try:
        for number in range(1, 100):
            target = path.with_name(f"{path.name}.damaged" + (f"-{number}" if number > 1 else ""))
            if target.exists() and all(map(file.same, files(path), files(target))):
                return target
            if not target.exists():
                for one, copy in zip(files(path), files(target), strict=True):
                    if one.is_file():
                        file.copy(one, copy)
                return target
    except OSError:
        pass
    return path


def files(path: Path) -> tuple[Path, Path]:
    """A database and its write-ahead log, which has what was written last; the copy's is called like its own."""
    return path, path.with_name(f"{path.name}-wal")
