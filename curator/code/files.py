"""Files of a work tree: which of them count, what git calls their content, and which of them a text names.

The files that a text names by their paths.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from curator.io import files

CHUNK = 1 << 20

_SHA256 = 64


def blob_id(content: bytes) -> str:
    """Git's id of a file's content, computed without git (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects).

    >>> blob_id(b"hello\\n")
    'ce013625030ba8dba906f756967f9e9ca394464a'
    """
    return _git_hash("sha1", content)


def called(content: bytes, id_: str) -> bool:
    """Whether git calls a content so, by either of its hashes; it may keep the line ends of Windows as LF."""
    kind = "sha256" if len(id_) == _SHA256 else "sha1"
    return any(_git_hash(kind, form) == id_ for form in (content, content.replace(b"\r\n", b"\n")))


def _git_hash(kind: str, content: bytes) -> str:
    return hashlib.new(kind, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass(slots=True)
class Seen:
    """The files of one folder as they are, each hashed at most once.

    Kept from call to call by whoever checks often: a file whose size, time and inode are the same is not read again.
    """

    folder: Path
    blobs: dict[str, tuple[tuple[int, int, int], str]] = field(default_factory=dict)

    def blob(self, path: str) -> str | None:
        """The id of a file's content; empty when there is no such file, ``None`` when it can't be read."""
        place = os.path.join(self.folder, path)
        try:
            found = os.stat(place)
            if not stat.S_ISREG(found.st_mode):
                return ""
            mark = (found.st_size, found.st_mtime_ns, found.st_ino)
            known = self.blobs.get(path)
            if known is None or known[0] != mark:
                if not files.inside(place, self.folder):
                    return ""
                known = mark, _hash(place, found.st_size)
                self.blobs[path] = known
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (OSError, ValueError):
            return None
        return known[1]


def inside(folder: Path, file: str) -> str:
    """The path of a file relative to ``folder``, with slashes; empty when it leads outside or into another repository."""
    if not file or "\0" in file:
        return ""
    root = os.path.abspath(folder)
    try:
        path = os.path.relpath(os.path.normpath(os.path.join(root, file)), root)
    except ValueError:  # on another drive
        return ""
    if path.split(os.sep)[0] in ("..", ".", ".git") or os.path.isabs(path):
        return ""
    real, real_root = os.path.realpath(os.path.join(root, path)), os.path.realpath(root)
    if os.path.commonpath([real, real_root]) != real_root:
        return ""
    parent = os.path.dirname(path)
    while parent:
        if os.path.lexists(os.path.join(root, parent, ".git")):
            return ""
        parent = os.path.dirname(parent)
    return path.replace(os.sep, "/")


def content(folder: Path, path: str, largest: int) -> bytes | None:
    """A file's bytes; ``None`` when it is larger than ``largest``, can't be read, or really lies elsewhere."""
    try:
        return files.read(folder / path, folder, largest)
    except (OSError, ValueError):
        return None


def _hash(place: str, size: int) -> str:
    with open(place, "rb") as file:
        if size <= CHUNK:
            return blob_id(file.read())
        made = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        while piece := file.read(CHUNK):
            made.update(piece)
        return made.hexdigest()


MOST = 6
"""A text that names more is a list of files, not a lesson about them."""

_PATH = re.compile(r"[\w.@+~-]+(?:/[\w.@+~-]+)*")


def mentioned(folder: str, text: str) -> tuple[str, ...]:
    """The files below ``folder`` that a text names by their paths from there, in the order of their mention, ``MOST`` at most.

    A word counts when it looks like a path, with a slash or an ending, and the file exists: sentences have full stops, too.
    """
    words = (match[0].rstrip(".") for match in _PATH.finditer(text))
    looks = dict.fromkeys(word for word in words if "/" in word or "." in word.strip("."))
    top = Path(folder)
    found = (path for word in looks if (path := inside(top, word)) and os.path.isfile(top / path))
    return tuple(dict.fromkeys(found))[:MOST]
