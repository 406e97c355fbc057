"""Files and folders that only their owner may read: what is kept of sessions is nobody else's on a shared machine."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
OTHERS = 0o077


def folder(path: Path) -> None:
    """Make a folder of ours with those above it; one that others could enter is closed to them. Raises ``OSError``.

    The home folder, one above it, and one that everybody writes to (/tmp) are not ours, even where somebody names them.
    """
    for missing in [one for one in (*reversed(path.parents), path) if not one.exists()]:
        missing.mkdir(FOLDER, exist_ok=True)
    home = Path.home()
    mode = path.stat().st_mode
    if mode & OTHERS and not mode & stat.S_ISVTX and path != home and path not in home.parents:
        with suppress(OSError):  # somebody else's
            path.chmod(FOLDER)


def file(path: Path) -> None:
    """Make an empty file of ours, or close one that is there to others. Raises ``OSError``."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE))
        return
    if path.is_file() and path.stat().st_mode & OTHERS:
        with suppress(OSError):  # somebody else's
            path.chmod(FILE)


def opener(path: str, flags: int) -> int:
    """What ``open`` opens a new file by."""
    return os.open(path, flags, FILE)


def wanted(path: Path) -> bool:
    """Whether what is made here is to be private, as the nearest folder that is there is."""
    there = next((one for one in (path, *path.parents) if one.is_dir()), None)
    return there is not None and not there.stat().st_mode & OTHERS
