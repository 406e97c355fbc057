"""Where transcripts are on this machine, and what format a file has."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.hookspecs import NOTHING, Companions, Format
from curator.io import files
from curator.transcripts.base import walk

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """A transcript: whose, where, and what a look at it and its companions says."""

    format: Format
    path: Path
    look: walk.Look

    @property
    def size(self) -> int:
        """Bytes, those of companions included."""
        return self.look.size

    @property
    def mtime(self) -> float:
        """When it, or a companion, was last changed, in seconds since the epoch."""
        return self.look.mtime

    @property
    def inode(self) -> int:
        """Its number in the file system."""
        return self.look.stat.st_ino


@dataclass(frozen=True, slots=True)
class Discovery:
    """The transcripts, oldest change first, and a sentence for each place that could not be read."""

    found: tuple[Found, ...]
    errors: tuple[str, ...] = ()


def find(
    formats: Sequence[Format],
    roots: Sequence[Path] | None,
    home: Path,
    env: Mapping[str, str],
    known: Mapping[Path, str] = NOTHING,
) -> Discovery:
    """Every transcript of these formats below ``roots``; ``None`` stands for each format's native places.

    A root is an agent's root, its ``projects`` or ``sessions``, or any folder above or below such. A file is found once,
    however many roots and links lead to it, for the first format that claims it. ``known`` says of
    files that were read before which agent's they are: they are not opened. Raises nothing.
    """
    found: dict[tuple[int, int], Found] = {}
    errors = []
    if roots is not None:
        places = [(format_, root) for root in roots for format_ in formats]
        errors += [f"{root}: there is no such file or folder" for root in roots if not root.exists()]
    else:
        places = [(format_, root) for format_ in formats for root in format_.roots(home, env)]
    for format_, root in places:
        try:
            paths = format_.find(root, known)
        except Exception as error:  # a plugin's bug must not hide other formats' transcripts
            log.exception("%s could not look for transcripts in %s", format_.agent, root)
            errors.append(f"{root}: looking for transcripts of {format_.agent} failed: {error}")
            continue
        top = git_top(root, home)
        if top and not files.inside(root, top):
            errors += [f"{root}: a link leads out of {top}; it is left out"] if paths else []
            continue
        for path in paths:
            if not os.path.islink(path) or files.inside(path, root):  # no link to a folder is followed below a root
                _add(found, format_, path)
            else:
                errors.append(f"{path}: a link leads out of {root}; it is left out")
    for root in dict.fromkeys(root for _, root in places):
        errors += denied(root)
    by_age = sorted(found.values(), key=lambda item: (item.mtime, item.path))
    return Discovery(tuple(by_age), tuple(dict.fromkeys(errors)))


def git_top(root: Path, home: Path) -> Path | None:
    """The repository in which a root lies, by its name: what links in one say is anybody's. A home folder is none."""
    above = (folder for folder in (root, *root.parents) if os.path.lexists(folder / ".git"))
    return next((folder for folder in above if folder != home and folder not in home.parents), None)


def _add(found: dict[tuple[int, int], Found], format_: Format, path: Path) -> None:
    try:
        look = walk.look(format_, path)
    except OSError:  # it vanished since, which is no error: agents clean up
        return
    found.setdefault((look.stat.st_dev, look.stat.st_ino), Found(format_, path, look))


def denied(root: Path) -> list[str]:
    """A sentence for each folder at or below ``root`` that may not be read."""
    errors: list[str] = []

    def note(error: OSError) -> None:
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            errors.append(f"{error.filename}: can't be read ({error.strerror}); its transcripts are left out")

    for _, folders, _ in os.walk(root, onerror=note):
        folders[:] = [name for name in folders if name not in walk.PASSED_OVER]
    return errors


def format_of(path: Path, formats: Sequence[Format]) -> Format | None:
    """The format of one file by how it begins; ``None`` when no format claims it. Raises ``OSError``."""
    path.stat()
    if not walk.is_regular(path):
        return None
    with path.open("rb") as file:
        head = file.read(walk.HEAD)
    return next((format_ for format_ in formats if format_.claims(path, head)), None)


def transcript_of(written: Path, formats: Sequence[Format], known: Mapping[Path, str] = NOTHING) -> Path:
    """The transcript that a file which was written belongs to: itself, unless it is the companion of one."""
    for format_ in formats:
        try:
            path = format_.transcript(written) if isinstance(format_, Companions) else None
            if path and path != written and walk.is_of(format_.agent, path, format_.claims, known):
                return path
        except Exception:  # a plugin's bug must not hide other formats' transcripts
            log.exception("%s could not say whose %s is", format_.agent, written)
    return written
