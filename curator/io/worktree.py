"""Work trees by git's own files, without git: gitrepository-layout(5). Cheap enough for the path of hooks."""

from __future__ import annotations

import os
import stat

LONG = 4_096
"""Bytes of a file that names a folder."""
POINTS = b"gitdir: "
BESIDE = "/.git/worktrees/"


def around(place: str) -> tuple[str, str]:
    """The top of the work tree around a place, and that of the repository's first; empty where there is none."""
    while place:
        file = os.path.join(place, ".git")
        try:
            mode = os.lstat(file).st_mode
        except (OSError, ValueError):
            mode = 0
        if stat.S_ISDIR(mode):
            return place, place
        if stat.S_ISREG(mode):
            return place, _first(place, file)
        above = os.path.dirname(place)
        place = above if above != place else ""
    return "", ""


def _first(top: str, file: str) -> str:
    """The first work tree of the repository that a file ``.git`` points into; empty for a submodule, or one that lies."""
    content = _line(file)
    if not content.startswith(POINTS) or b"\0" in content:
        return ""
    own = os.path.normpath(os.path.join(top, os.fsdecode(content[len(POINTS) :])))
    first, beside, _ = own.replace(os.sep, "/").rpartition(BESIDE)
    back = os.path.join(own, os.fsdecode(_line(os.path.join(own, "gitdir"))))
    return first if beside and os.path.realpath(back) == os.path.realpath(file) else ""


def _line(path: str) -> bytes:
    """The first line of a file; empty where there is none."""
    return start(path, LONG).partition(b"\n")[0].rstrip()


def start(path: str, size: int) -> bytes:
    """The first bytes of a file; empty where there is none, and for a pipe."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return b""
    try:
        return os.read(fd, size)
    except OSError:
        return b""
    finally:
        os.close(fd)
