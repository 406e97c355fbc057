"""The index of a project's symbols: to find what a lesson names, and to complete what a person types."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from curator.io import files
from curator.model import Project
from curator.settings import Settings
from curator.store.symbols import Defined, Mark, SymbolIndex

BATCH = 200
"""Files that are stored together: a first look that is stopped goes on from there."""
SMALL = 1_500
"""Source files that are indexed without asking: a few seconds."""
SHORTEST = 4
"""Letters of a name that is looked for in the whole project."""


def index_of(settings: Settings, project: Project) -> SymbolIndex:
    """The index of a project, as it was when it was last brought up to date."""
    return SymbolIndex(place_of(settings, project))


def place_of(settings: Settings, project: Project) -> Path:
    """The file that holds a project's index."""
    name = "".join(letter if letter.isalnum() else "-" for letter in project.id)
    return settings.cache / "symbols" / f"{name}.db"


def update(
    settings: Settings,
    project: Project,
    progress: Callable[[int, int], bool | None] = lambda done, of: None,
    *,
    only: Iterable[str] | None = None,
) -> tuple[int, int]:
    """Bring a project's index up to date with its folder; returns how many files were read and how many are gone.

    Files whose size, time and inode are the same are not opened. ``progress`` is told after each batch how many files of how
    many were read, and stops it with ``False``. ``only`` names paths that may have changed: then no other is looked at.
    """
    folder = Path(project.folder)
    if not project.folder or not folder.is_dir():
        return 0, 0
    with closing(index_of(settings, project)) as index:
        known = index.marks(only)
        there = dict(_marks(folder, only))
        changed = [path for path, mark in there.items() if known.get(path) != mark]
        removed = [path for path in known if path not in there]
        if removed:
            index.remove(removed)
        for start in range(0, len(changed), BATCH):
            paths = changed[start : start + BATCH]
            index.replace((path, there[path], defined(folder, path)) for path in paths)
            if progress(start + len(paths), len(changed)) is False:
                break
        return len(changed), len(removed)


def places(settings: Settings, project: Project, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The names that only one file defines, by that file; very short names are left out.

    The index is brought up to date first. A large project without an index has none made for this: ``curator check`` does.
    """
    from curator import code

    telling = [name for name in dict.fromkeys(names) if len(name) >= SHORTEST or "_" in name.strip("_")]
    folder = Path(project.folder)
    if not telling or not folder.is_dir():
        return {}
    if not place_of(settings, project).exists() and len(code.sources(folder)) > SMALL:
        return {}
    update(settings, project)
    with closing(index_of(settings, project)) as index:
        defining = {name: {defined.path for defined in index.named(name.replace("::", "."))} for name in telling}
    found: dict[str, list[str]] = {}
    for name, paths in defining.items():
        if len(paths) == 1:
            found.setdefault(next(iter(paths)), []).append(name)
    return found


def _marks(folder: Path, only: Iterable[str] | None) -> Iterator[tuple[str, Mark]]:
    from curator import code

    top = f"{folder}{os.sep}"
    for path in code.sources(folder) if only is None else filter(code.language_of, only):
        try:
            found = os.lstat(top + path)
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode):
            yield path, (found.st_size, found.st_mtime_ns, found.st_ino)


def defined(folder: Path, path: str) -> Sequence[Defined]:
    """What a file defines; nothing where it can't be read symbol by symbol."""
    from curator import code

    language = code.language_of(path)
    try:
        source = files.read(folder / path, folder)
        return [Defined(path, *found) for found in code.outline(source, language)] if language else ()
    except (OSError, code.Unreadable):
        return ()
