"""The search for stores and their reading: plain files of limited size, in a limited number of folders.

A repository may hold links to any path, pipes and files of any size, so each skipped file is reported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from curator.io import files
from curator.memories.note import Place, Source, Store, Surroundings
from curator.text import redact
from curator.text.clean import strip
from curator.text.markdown import BEGIN, NOTE

MAX_FILE_BYTES = 1 << 20
"""Bytes of a file with notes; the largest known one has a quarter of that."""
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
    """Return a file as a source, or say why it is left out; nothing for one that was read before."""
    try:
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
