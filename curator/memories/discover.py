"""The search for stores and their reading: plain files of limited size, in a limited number of folders.

Agents name a folder after a project's path: ``/srv/my.app`` is ``-srv-my-app``, which several paths may be.

A repository may hold links to any path, pipes and files of any size, so each skipped file is reported.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from curator.io import files, worktree
from curator.memories.note import Place, Source, Store, Surroundings
from curator.text import redact
from curator.text.clean import strip
from curator.text.markdown import BEGIN, NOTE

MAX_FILE_BYTES = 1 << 20
"""Maximum bytes of a file with notes. The largest known one has a quarter of that."""
MAX_FILES = 10_000
"""Files of one place that are read."""
MAX_DEPTH = 6
"""Folders below a place that are looked into."""


@dataclass(slots=True)
class Found:
    """The files with notes, each with its store, a sentence for each that was left out, and where curator looked."""

    sources: list[tuple[Store, Source]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    looked: list[Place] = field(default_factory=list)


def find(stores: Sequence[Store], around: Surroundings, file: Path | None = None) -> Found:
    """Read the files of these stores. A file is read once, however many places lead to it. Raises nothing.

    With ``file``, only the places are read that hold this file.
    """
    found, seen = Found(), set[tuple[int, int]]()
    for store in stores:
        for place in store.places(around):
            if file and place.path not in (file, *file.parents):
                continue
            found.looked.append(place)
            if not os.path.lexists(place.path):
                continue
            if not files.inside(place.path, place.base):
                found.skipped.append(f"{place.path}: a link leads out of {place.base}; curator skipped it")
                continue
            names = list(_names(place.path, found.skipped))
            inner = frozenset(names)
            wanted = [name for name in names if store.files.fullmatch(name)]
            if len(wanted) > MAX_FILES:
                found.skipped.append(f"{place.path}: it has more than {MAX_FILES} files; curator skipped the rest")
            for name in wanted[:MAX_FILES]:
                path = place.path if place.path.is_file() else place.path / name
                source = _read(place, path, name, inner, seen, found.skipped)
                if source and not (path.name == NOTE and BEGIN in source.text):
                    found.sources.append((store, source))
    return found


def _names(top: Path, skipped: list[str]) -> Iterator[str]:
    """Yield the names of all files of a place, sorted, with those of links to files."""
    if not top.is_dir():
        yield top.name
        return
    waiting = [("", 0)]
    while waiting:
        prefix, depth = waiting.pop()
        try:
            with os.scandir(top / prefix) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            skipped.append(f"{top / prefix}: can't be read ({error.strerror or error}); curator skipped it")
            continue
        inner = [f"{prefix}{entry.name}/" for entry in found if entry.is_dir(follow_symlinks=False) and entry.name != ".git"]
        yield from (f"{prefix}{entry.name}" for entry in found if not entry.is_dir(follow_symlinks=False))
        if inner and depth == MAX_DEPTH:
            skipped.append(f"{top / prefix}: it nests deeper than {MAX_DEPTH} folders; curator skipped the rest")
        elif inner:
            waiting += [(name, depth + 1) for name in reversed(inner)]


def _read(
    place: Place, path: Path, name: str, names: frozenset[str], seen: set[tuple[int, int]], skipped: list[str]
) -> Source | None:
    """Return a file as a source, or say why it is left out. Return nothing for one that was read before."""
    try:
        str(path).encode()  # SQLite stores no other name
        content = files.read(path, place.path, MAX_FILE_BYTES)
        stat = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        skipped.append(f"{path}: {reason}; curator skipped it")
        return None
    if b"\0" in content:
        skipped.append(f"{path}: it is not a text; curator skipped it")
        return None
    if (stat.st_dev, stat.st_ino) in seen:
        return None
    seen.add((stat.st_dev, stat.st_ino))
    return source_of(place, path, name, content, stat.st_mtime, names)


def source_of(
    place: Place, path: Path, name: str, content: bytes, at: float = 0.0, names: frozenset[str] = frozenset()
) -> Source:
    """Return the bytes of a file as a source: cleaned, with secrets masked."""
    text, secrets = _mask(content)
    return Source(place, path, name, text, at, names, secrets)


@lru_cache(maxsize=2048)  # of a watched store all files are read again after a write to one
def _mask(content: bytes) -> tuple[str, frozenset[int]]:
    """Return the text of a file without its secrets, and the lines that had one."""
    plain = strip(content.decode("utf-8", "replace"))
    masked = redact.mask(plain)
    pairs = enumerate(zip(plain.split("\n"), masked.split("\n"), strict=False), 1) if masked != plain else ()
    return masked, frozenset(number for number, (before, after) in pairs if before != after)


# --- folders that are named after a project ------------------------------------------------------------

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
    """Return the folders in a folder, sorted, without links. Return none if it can't be read."""
    try:
        with os.scandir(parent) as entries:
            return [*map(Path, sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False)))]
    except OSError:
        return []


def read_object(path: Path, folder: Path) -> dict[str, Any]:
    """Return the object in a JSON file of a folder. It is empty if the file can't be read."""
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
    """Return the folder that the beginning of a session names. Return an empty text if it names none."""
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
