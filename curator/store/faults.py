"""Database faults as sentences: what happened, where, what to do. None of them is ever turned into an empty answer."""

from __future__ import annotations

import filecmp
import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curator.errors import CuratorError, StoreBusy, StoreError

log = logging.getLogger(__name__)


@contextmanager
def speaking(path: Path) -> Iterator[None]:
    """Raise every database error of the block as a ``StoreError`` that a person can act on."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error


def translate(error: sqlite3.Error, path: Path) -> CuratorError:
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
            "Move the damaged file away and start again: `curator import` brings lessons back from .curator/lessons, "
            "`curator scan --since all` the candidates.",
        )
    log.error("%s: an error of the database that was not foreseen", path, exc_info=error)
    return StoreError(f"{path}: {text}.", "The log has the details; see `curator where`.")


def damaged(error: sqlite3.Error) -> bool:
    """Whether an error says that the file itself is broken."""
    return any(sign in str(error) for sign in ("malformed", "not a database", "corrupt"))


def put_aside(path: Path) -> Path:
    """Copy a damaged database beside itself, once; returns where it is."""
    try:
        for number in range(1, 100):
            target = path.with_name(f"{path.name}.damaged" + (f"-{number}" if number > 1 else ""))
            if target.exists() and filecmp.cmp(path, target, shallow=False):
                return target
            if not target.exists():
                shutil.copy2(path, target)
                return target
    except OSError:
        pass
    return path
