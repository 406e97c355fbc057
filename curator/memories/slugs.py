"""Folders that agents name after a project's path: ``/srv/my.app`` is ``-srv-my-app``, which several paths may be."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from curator.io import files, worktree

MAX_HEAD_BYTES = 64 * 1024
"""Bytes of a session that are searched for its folder."""
MAX_JSON_BYTES = 1 << 20
MAX_SESSIONS = 3
MAX_FOLDERS = 2_000
"""Folders that are looked into for the path of one name."""
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.){1,4096}")')


def slug(path: str) -> str:
    """Return the name of a project's folder.

    >>> slug("/srv/my.app")
    '-srv-my-app'
    """
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def folders(parent: Path) -> list[Path]:
    """Return the folders in a folder, sorted; without links, and none if it can't be read."""
    try:
        with os.scandir(parent) as entries:
            return [*map(Path, sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False)))]
    except OSError:
        return []


def read_object(path: Path, folder: Path) -> dict[str, Any]:
    """Return the object in a JSON file of a folder; empty if it can't be read."""
    try:
        found = json.loads(files.read(path, folder, MAX_JSON_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def project_of(folder: Path) -> str:
    """Return the project of a folder of sessions: from their text, from an existing path, or else from its name."""
    return _said(folder) or next(_paths(folder.name), "") or folder.name


def _said(folder: Path) -> str:
    """Return the folder with this slug that sessions name. It may lie above the session's folder."""
    try:
        sessions = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    except OSError:
        return ""
    for name in sessions[-MAX_SESSIONS:]:
        cwd = Path(cwd_of(os.path.join(folder, name)))
        for place in (cwd, *cwd.parents):
            if slug(str(place)) == folder.name:
                return str(place)
    return ""


def cwd_of(session: str) -> str:
    """Return the folder that the beginning of a session names; empty if it names none."""
    found = _CWD.search(worktree.first_bytes(session, MAX_HEAD_BYTES))
    try:
        return str(json.loads(found[1])) if found else ""
    except ValueError:
        return ""


def _paths(name: str, top: str = os.sep, left: list[int] | None = None) -> Iterator[str]:
    """Yield the folders of this machine that have a slug, looking into few."""
    left = [MAX_FOLDERS] if left is None else left
    left[0] -= 1
    if left[0] < 0:
        return
    with suppress(OSError):
        for path in (os.path.join(top, inner) for inner in sorted(os.listdir(top))):
            begin = slug(path)
            if not f"{name}-".startswith(f"{begin}-") or not os.path.isdir(path) or os.path.islink(path):
                continue
            if begin == name:
                yield path
            else:
                yield from _paths(name, path, left)
