"""The search for transcripts on this machine, and for a file's format: folders are walked without following links in
circles."""

from __future__ import annotations

import codecs
import errno
import hashlib
import logging
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

from curator import clock
from curator.hookspecs import NOTHING_KNOWN, Companions, Format
from curator.io import files

log = logging.getLogger(__name__)

HEAD = 16 * 1024
"""Bytes of a file that ``Format.claims`` sees."""

COMPRESSED = ".zst"
"""The ending of a compressed transcript."""

PASSED_OVER = frozenset((".git", "node_modules", ".venv", "__pycache__", "tool-results"))

TICK = 2.0
"""The time unit of the coarsest file systems in seconds. Most use milliseconds."""


@dataclass(frozen=True, slots=True)
class FileStats:
    """The results of one ``stat`` of a transcript and of each of its companions; ``None`` for an absent companion."""

    stat: os.stat_result
    beside: tuple[os.stat_result | None, ...] = ()
    at: float = 0.0
    """The time of the look, in seconds since the epoch."""

    @property
    def size(self) -> int:
        """Return the number of bytes, including those of companions."""
        return self.stat.st_size + sum(one.st_size for one in self.beside if one and stat.S_ISREG(one.st_mode))

    @property
    def mtime(self) -> float:
        """Return the time of the last change of any of them, in seconds since the epoch."""
        return max(self.stat.st_mtime, *(one.st_mtime for one in self.beside if one), 0.0)

    @property
    def is_settled(self) -> bool:
        """Return whether a later write will surely show. Right after a write, another may leave size and time unchanged."""
        return abs(self.at - self.mtime) > TICK

    @property
    def stamp(self) -> str:
        """Return a hash that changes only with a companion. Return an empty text for a transcript without companions."""
        if not self.beside:
            return ""
        stats = [one and (one.st_ino, one.st_size, one.st_mtime_ns) for one in self.beside]
        return hashlib.sha256(repr(stats).encode()).hexdigest()[:16]


def look(format_: Format, path: Path) -> FileStats:
    """Look at a transcript without opening anything. Raises ``OSError`` if it is not there."""
    at = clock.now()
    now = path.stat()
    if not isinstance(format_, Companions):
        return FileStats(now, at=at)
    try:
        return FileStats(now, tuple(_stat(beside) for beside in format_.companions(path)), at)
    except Exception:  # a plugin's bug must not hide the transcript
        log.exception("the format %s can't say what %s consists of", format_.agent, path)
        return FileStats(now, at=at)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def files_below(root: Path, endings: str | tuple[str, ...]) -> Iterator[Path]:
    """Yield the regular files below ``root`` whose names have one of these endings, sorted within each folder.

    Links to folders are not followed, except ``root`` itself. Folders that can't be read are left out (``discover.find`` names
    them).
    """
    waiting = [os.fspath(root)]
    while waiting:
        folders = []
        for entry in _list_folder(waiting.pop()):
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in PASSED_OVER:
                    folders.append(entry.path)
            # A listing shows which files are regular and which are fifos, so only links need a ``stat``.
            elif entry.name.endswith(endings) and (entry.is_file(follow_symlinks=False) or is_regular(Path(entry.path))):
                yield Path(entry.path)
        waiting += reversed(folders)


def _list_folder(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def is_regular(path: Path) -> bool:
    """Return whether there is a regular file (or a link to one). Opening a fifo would wait without end."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


@contextmanager
def open_transcript(path: Path) -> Iterator[BinaryIO]:
    """Open a transcript, and decompress one that its agent has compressed (``.zst``).

    Raises ``OSError``, also later for a damaged compressed file.
    """
    if path.suffix != COMPRESSED:
        with path.open("rb") as file:
            yield file
        return
    zstd = _zstd()
    try:
        with zstd.open(path, "rb") as unpacked, BufferedReader(unpacked) as file:
            yield file
    except (zstd.ZstdError, EOFError) as error:
        raise OSError(errno.EIO, f"it is damaged: {error}", str(path)) from error


def decompress(data: bytes, limit: int) -> bytes:
    """Return decompressed data, at most this many bytes. Raises ``ValueError`` for damaged data."""
    zstd = _zstd()
    try:
        return bytes(zstd.ZstdDecompressor().decompress(data, max_length=limit))
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error


def _zstd() -> Any:
    """Return the module that unpacks. It loads late, because most agents compress nothing."""
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def head(path: Path) -> bytes:
    """Return the first bytes of a regular file, without a byte order mark.

    Empty when the file can't be read, which the reader will then say.
    """
    try:
        if not is_regular(path):
            return b""
        with open_transcript(path) as file:
            return file.read(HEAD).removeprefix(codecs.BOM_UTF8)
    except OSError:
        return b""


def is_of(agent: str, path: Path, claims: Callable[[Path, bytes], bool], known: Mapping[Path, str]) -> bool:
    """Return whether a file is an agent's. A file that was read before is not opened."""
    return known[path] == agent if path in known else claims(path, head(path))


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript: its agent, its place, and the last look at it and its companions."""

    format: Format
    path: Path
    look: FileStats

    @property
    def size(self) -> int:
        """Return the number of bytes, including those of companions."""
        return self.look.size

    @property
    def mtime(self) -> float:
        """Return the time of the last change of it or a companion, in seconds since the epoch."""
        return self.look.mtime


@dataclass(frozen=True, slots=True)
class Discovery:
    """The transcripts, oldest change first, and a sentence for each place that could not be read."""

    transcripts: tuple[Transcript, ...]
    errors: tuple[str, ...] = ()


def find(
    formats: Sequence[Format],
    roots: Sequence[Path] | None,
    home: Path,
    env: Mapping[str, str],
    known: Mapping[Path, str] = NOTHING_KNOWN,
) -> Discovery:
    """Return every transcript of these formats below ``roots``. ``None`` stands for each format's native places.

    A root is an agent's root, its ``projects`` or ``sessions``, or any folder above or below one. A file is found once, however
    many roots and links lead to it, for the first format that claims it. ``known`` gives the agent of files that were read
    before. They are not opened. Raises nothing.
    """
    found: dict[tuple[int, int], Transcript] = {}
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
        if paths and (top := git_top(root, home)) and not files.inside(root, top):
            errors.append(f"{root}: a link leads out of {top}; it is left out")
            continue
        for path in paths:
            if not os.path.islink(path) or files.inside(path, root):  # no link to a folder is followed below a root
                _add(found, format_, path)
            else:
                errors.append(f"{path}: a link leads out of {root}; it is left out")
    for root in dict.fromkeys(root for _, root in places):
        errors += unreadable_folders(root)
    by_age = sorted(found.values(), key=lambda item: (item.mtime, item.path))
    return Discovery(tuple(by_age), tuple(dict.fromkeys(errors)))


def git_top(root: Path, home: Path) -> Path | None:
    """Return the repository that contains a root, by its name, because links inside may lead anywhere. A home folder counts as
    none.
    """
    root = Path(os.path.abspath(root))  # the folders above ../x are not those above the current one
    above = (folder for folder in (root, *root.parents) if os.path.lexists(folder / ".git"))
    return next((folder for folder in above if folder != home and folder not in home.parents), None)


def _add(found: dict[tuple[int, int], Transcript], format_: Format, path: Path) -> None:
    try:
        look_ = look(format_, path)
    except OSError:  # it vanished since, which is no error: agents clean up
        return
    found.setdefault((look_.stat.st_dev, look_.stat.st_ino), Transcript(format_, path, look_))


def unreadable_folders(root: Path) -> list[str]:
    """Return a sentence for each folder at or below ``root`` that may not be read."""
    errors: list[str] = []

    def note(error: OSError) -> None:
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            errors.append(f"{error.filename}: can't be read ({error.strerror}); its transcripts are left out")

    for _, folders, _ in os.walk(root, onerror=note):
        folders[:] = [name for name in folders if name not in PASSED_OVER]
    return errors


def format_of(path: Path, formats: Sequence[Format]) -> Format | None:
    """Return the format of one file by its beginning. Return ``None`` if no format claims it. Raises ``OSError``."""
    path.stat()
    first = head(path)
    return next((format_ for format_ in formats if format_.claims(path, first)), None) if is_regular(path) else None


def transcript_of(written: Path, formats: Sequence[Format], known: Mapping[Path, str] = NOTHING_KNOWN) -> Path:
    """Return the transcript that a file which was written belongs to: itself, unless it is the companion of one."""
    for format_ in formats:
        try:
            path = format_.transcript(written) if isinstance(format_, Companions) else None
            if path and path != written and is_of(format_.agent, path, format_.claims, known):
                return path
        except Exception:  # a plugin's bug must not hide other formats' transcripts
            log.exception("%s could not say whose %s is", format_.agent, written)
    return written
