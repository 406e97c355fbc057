"""Finding files below a folder without following symlinks round in circles."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

HEAD = 16 * 1024
"""Bytes of a file that ``Format.claims`` sees."""

PASSED_OVER = frozenset((".git", "node_modules", ".venv", "__pycache__", "tool-results"))


def files(root: Path, suffix: str) -> Iterator[Path]:
    """Regular files below ``root`` (or ``root`` itself) with this suffix, sorted within each folder.

    Links to folders are not followed except ``root`` itself; folders that can't be read are passed over
    (``discover.find`` names them).
    """
    if root.is_file():
        if root.suffix == suffix:
            yield root
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER)
        for name in sorted(names):
            if name.endswith(suffix) and is_regular(path := Path(folder, name)):
                yield path


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


def claimed(root: Path, suffix: str, claims: Callable[[Path, bytes], bool]) -> tuple[Path, ...]:
    """The files below ``root`` with this suffix whose head a format claims."""
    return tuple(path for path in files(root, suffix) if claims(path, head(path)))
