"""Finding files below a folder without following symlinks round in circles."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
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
