"""The files of a work tree: the relevant ones, those that a text names, and their contents in git.

A check takes a few git processes. They read the content of anchors, and find where the same content is now.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator import clock
from curator.code.symbols import language_of
from curator.io import files, git
from curator.model import Anchor

CHUNK = 1 << 20

_SHA256 = 64


def blob_id(content: bytes) -> str:
    """Return git's id of a content without git (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects).

    >>> blob_id(b"hello\\n")
    'ce013625030ba8dba906f756967f9e9ca394464a'
    """
    return _git_hash("sha1", content)


def has_id(content: bytes, id_: str) -> bool:
    """Return whether git gives this id to a content, by either of its hashes. git may store the line ends of Windows as LF."""
    kind = "sha256" if len(id_) == _SHA256 else "sha1"
    return any(_git_hash(kind, form) == id_ for form in (content, content.replace(b"\r\n", b"\n")))


def _git_hash(kind: str, content: bytes) -> str:
    return hashlib.new(kind, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass(slots=True)
class WorkFiles:
    """The current files of one folder, each hashed at most once.

    A caller that checks often keeps it: a file with equal size, time and inode is not read again.
    """

    folder: Path
    blobs: dict[str, tuple[tuple[int, int, int], str]] = field(default_factory=dict)

    def blob(self, path: str) -> str | None:
        """Return the id of a file's content. Return an empty text if the file is missing, and ``None`` if it can't be read."""
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
    """Return the path of a file relative to ``folder``, with slashes. Return an empty text if it leads outside or into another
    repository.
    """
    if not file or "\0" in file:
        return ""
    root = os.path.abspath(folder)
    path = os.path.relpath(os.path.normpath(os.path.join(root, file)), root)
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
    """Return a file's bytes. Return ``None`` if it is larger than ``largest``, can't be read, or is really elsewhere."""
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


MAX_NAMED_FILES = 6
"""A text that names more is a list of files, not a lesson about them."""

_PATH = re.compile(r"[\w.@+~-]+(?:/[\w.@+~-]+)*")


def mentions(folder: str, text: str) -> tuple[str, ...]:
    """Return the files in ``folder`` that a text names by their paths, in order; at most ``MAX_NAMED_FILES``.

    A word counts if it has a slash or an ending like a path, and the file exists. A full stop of a sentence is no ending.
    """
    words = (match[0].rstrip(".") for match in _PATH.finditer(text))
    looks = dict.fromkeys(word for word in words if "/" in word or "." in word.strip("."))
    top = Path(folder)
    found = (path for word in looks if (path := inside(top, word)) and os.path.isfile(top / path))
    return tuple(dict.fromkeys(found))[:MAX_NAMED_FILES]


MAX_DIFF_BYTES = 2 << 20
"""Bytes of a file beyond which no diff is made."""

_ALTOGETHER = 64 << 20
_UNTRACKED = 200
_FRESH = 2_000
_SOURCES = 20_000
_VERSIONS = 30
_HASH = re.compile(r"[0-9a-fA-F]{7,64}")
SKIPPED_FOLDERS = frozenset({"node_modules", "vendor", "target", "dist", "build", "__pycache__", "venv"})
"""Folders with files that the project's people did not write."""


@dataclass(frozen=True, slots=True)
class Past:
    """The content of a file at the time of its anchor. ``exact`` is false if it may be only the nearest commit's content."""

    text: str
    exact: bool


def contents(folder: Path, anchors: Sequence[Anchor]) -> Mapping[Anchor, Past]:
    """Return the anchored contents that git has, by blob or by the anchor's commit. It starts at most two processes.

    Some contents are missing: uncommitted and binary ones, and those outside a shallow clone or above ``MAX_DIFF_BYTES``.
    """
    names = {
        anchor: [*([anchor.blob] if anchor.blob else []), *([f"{anchor.commit}:./{anchor.path}"] if anchor.commit else [])]
        for anchor in anchors
    }
    objects = [name for several in names.values() for name in several if _askable(name)]
    sizes = dict(zip(objects, _sizes(folder, objects), strict=False))
    origins: dict[Anchor, tuple[str, str]] = {}
    budget = _ALTOGETHER
    for anchor, several in names.items():
        for name in several:
            blob, size = sizes.get(name, ("", MAX_DIFF_BYTES + 1))
            if blob and size <= min(MAX_DIFF_BYTES, budget):
                origins[anchor] = name, blob
                budget -= size
                break
    texts = _texts(folder, {blob for _, blob in origins.values()})
    return {
        anchor: Past(texts[blob], not anchor.blob or _exact(anchor.blob, blob, texts[blob]))
        for anchor, (_, blob) in origins.items()
        if blob in texts and "\0" not in texts[blob]
    }


def _askable(name: str) -> bool:
    return "\n" not in name and not name.startswith("-")


def _sizes(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the blob id and size of each name. The id is empty if git does not have it or it is not a blob."""
    answer = (
        git.ask(folder, "cat-file", "--batch-check", "--buffer", stdin="".join(f"{name}\n" for name in names))
        if names
        else None
    )
    for line in (answer or "").split("\n")[: len(names)]:
        words = line.rsplit(" ", 2)
        found = len(words) == 3 and words[1] == "blob" and words[2].isdecimal()  # git says "missing" there, after any name
        yield (words[0], int(words[2])) if found else ("", 0)


def _texts(folder: Path, blobs: Iterable[str]) -> Mapping[str, str]:
    """Return the texts of blobs in one process.

    ``git.ask`` returns text, so git's sizes in bytes are useless. Therefore this asks for an impossible object after each blob:
    git's line about it, with a random name, ends the content.
    """
    order = sorted(blobs)
    end = f"no-such-object-{clock.new_id()}"
    answer = git.ask(folder, "cat-file", "--batch", stdin="".join(f"{blob}\n{end}\n" for blob in order)) if order else None
    pieces = (answer or "").split(f"\n{end} missing\n")
    return {
        blob: piece.partition("\n")[2] for blob, piece in zip(order, pieces, strict=False) if piece.startswith(f"{blob} blob ")
    }


def _exact(target: str, blob: str, text: str) -> bool:
    """Return whether a blob is the wanted content. git may store other line ends, or use another hash."""
    return target == blob or target in (blob_id(text.replace("\n", end).encode("utf-8", "replace")) for end in ("\n", "\r\n"))


def find_moved_content(work_files: WorkFiles, blobs: Mapping[str, str], anchors: Sequence[Anchor]) -> Mapping[Anchor, str]:
    """Return the new paths of the content of missing files: the only other path with this content, or the one with the same
    name.

    Empty files are skipped. ``blobs`` is git's index. Files that git does not know cost one process.
    """
    places = {anchor.blob: set[str]() for anchor in anchors if anchor.blob != blob_id(b"")}
    for path, blob in blobs.items():
        if blob in places and work_files.blob(path) == blob:
            places[blob].add(path)
    if not all(places.values()):
        suffixes = {os.path.splitext(anchor.path)[1] for anchor in anchors}
        answer = git.ask(work_files.folder, "ls-files", "-z", "--others", "--exclude-standard")
        fresh = [path for path in (answer or "").split("\0") if path and os.path.splitext(path)[1] in suffixes]
        for path in fresh[:_UNTRACKED]:
            if (found := work_files.blob(path)) in places:
                places[found or ""].add(path)
    chosen = {anchor: _choice(anchor.path, places.get(anchor.blob, set())) for anchor in anchors}
    return {anchor: path for anchor, path in chosen.items() if path}


def _choice(path: str, places: set[str]) -> str:
    name = path.rpartition("/")[2]
    for several in ([place for place in places if place.rpartition("/")[2] == name], list(places)):
        if len(several) == 1:
            return several[0]
    return ""


def blobs_in_commit(folder: Path, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
    """Return the blobs that files have in a commit, in one process."""
    return {path: blob for (_, path), blob in blobs(folder, [(commit, path) for path in paths]).items()}


def blobs_in_commits(folder: Path, anchors: Iterable[Anchor]) -> Mapping[Anchor, str]:
    """Return the blobs of anchored contents as the commits that hold them have them, in one process."""
    places = {anchor: (anchor.holder, anchor.path) for anchor in anchors if _HASH.fullmatch(anchor.holder)}
    found = blobs(folder, list(dict.fromkeys(places.values())))
    return {anchor: found[place] for anchor, place in places.items() if place in found}


def blobs(folder: Path, places: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return the blobs at (commit, path), in one process. A blob that git does not have is left out."""
    names = {place: f"{place[0]}:./{place[1]}" for place in places}
    objects = {place: name for place, name in names.items() if _askable(name)}
    found = _sizes(folder, list(objects.values()))
    return {place: blob for place, (blob, _) in zip(objects, found, strict=False) if blob}


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between a commit and the work tree: new or changed paths, and old → new of renamed files."""

    came: Sequence[str]
    renames: Mapping[str, str]


def difference(work_files: WorkFiles, commit: str) -> Difference | None:
    """Return the changes below a folder since a commit, with three processes. Return ``None`` if git lacks the commit.

    Git compares the commit with its index, and curator compares the index with the files. A diff of the work tree would run
    filters.
    """
    if not commit or not _HASH.fullmatch(commit):
        return None
    answer = git.ask(work_files.folder, "diff-index", "--cached", "--name-status", "-z", "-M", "--relative", commit, "--")
    if answer is None:
        return None
    came, renamed = [], {}
    words = iter(answer.split("\0"))
    for status in words:
        if status.startswith(("R", "C")):
            old, new = next(words, ""), next(words, "")
            came.append(new)
            if status.startswith("R"):
                renamed[old] = new
        elif status:
            path = next(words, "")
            if not status.startswith("D"):
                came.append(path)
    return Difference([*dict.fromkeys((*came, *_dirty_files(work_files), *untracked_files(work_files.folder)))], renamed)


_ENTRY = re.compile(
    r"\d{6} (?P<blob>[0-9a-f]+) \d\t(?P<path>[^\0]+)\0(?:  (?!mtime|size)[^\n]*\n)*  mtime: (?P<seconds>\d+):(?P<rest>\d+)\n"
    r"(?:  (?!size)[^\n]*\n)*  size: (?P<size>\d+)\t"
)
"""An entry of the index in the output of ``ls-files --debug``: git's last data about the file."""


def _dirty_files(work_files: WorkFiles) -> Iterator[str]:
    """Return tracked files whose content differs from the index. Only files with other data are read."""
    low = 0xFFFFFFFF  # The index stores only these bits of a number.
    for entry in _ENTRY.finditer(git.ask(work_files.folder, "ls-files", "-s", "-z", "--debug") or ""):
        path = entry["path"]
        try:
            now = os.lstat(os.path.join(work_files.folder, path))
        except (OSError, ValueError):
            continue
        seconds, rest = divmod(now.st_mtime_ns, 10**9)
        known = int(entry["seconds"]), int(entry["rest"]), int(entry["size"])
        if (seconds & low, rest, now.st_size & low) != known and not _same(work_files, path, entry["blob"]):
            yield path


def _same(work_files: WorkFiles, path: str, blob: str) -> bool:
    return work_files.blob(path) == blob or has_id(content(work_files.folder, path, MAX_DIFF_BYTES) or b"", blob)


def untracked_files(folder: Path) -> Sequence[str]:
    """Return files that git neither tracks nor ignores."""
    answer = git.ask(folder, "ls-files", "-z", "--others", "--exclude-standard")
    return [path for path in (answer or "").split("\0") if path][:_FRESH]


def content_in_commit(folder: Path, commit: str, path: str) -> bytes | None:
    """Return a file's content in a commit. Return ``None`` if the commit does not have the file."""
    name = f"{commit}:./{path}"
    answer = git.ask(folder, "cat-file", "blob", name) if _askable(name) else None
    return None if answer is None else answer.encode()


def sources(folder: Path) -> Sequence[str]:
    """Return the source files in a folder: those that git tracks, or outside git those that are not hidden."""
    answer = git.ask(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = walk(folder) if answer is None else dict.fromkeys(answer.split("\0"))
    return [path for path in paths if language_of(path)][:_SOURCES]


def walk(folder: Path) -> Iterator[str]:
    """Yield the files below a folder that are not hidden, in order; at most ``_SOURCES``."""
    work_files = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            work_files += 1
            if work_files > _SOURCES:
                return
            yield os.path.relpath(os.path.join(parent, name), folder).replace(os.sep, "/")


def contents_in_history(folder: Path, path: str) -> Iterator[str]:
    """Return the contents of a file in all commits, newest first. A rebase may have removed the anchor's own commit."""
    answer = git.ask(folder, "log", "--all", "--format=", "--raw", "--no-abbrev", "--no-renames", f"-{_VERSIONS}", "--", path)
    blobs = [words[3] for line in git.lines(answer) if len(words := line.split()) > 4 and set(words[3]) != {"0"}]
    texts = _texts(folder, dict.fromkeys(blobs))
    return (texts[blob] for blob in dict.fromkeys(blobs) if blob in texts)


@dataclass(frozen=True, slots=True)
class Index:
    """Git's index in a folder: path → blob, and the paths that a sparse checkout omits."""

    blobs: Mapping[str, str]
    hidden: frozenset[str]


def index(folder: Path) -> Index:
    """Return the index in one process. It is empty outside git and in a bare repository."""
    blobs, hidden = {}, set()
    for line in (git.ask(folder, "ls-files", "-s", "-t", "-z") or "").split("\0"):
        head, _, path = line.partition("\t")
        words = head.split(" ")
        if len(words) == 4:
            blobs[path] = words[2]
            if words[0] == "S":
                hidden.add(path)
    return Index(blobs, frozenset(hidden))


def has_work_tree(folder: Path) -> bool:
    """Return false in a bare repository and inside a ``.git`` folder. Return true outside git."""
    return git.first_line(git.ask(folder, "rev-parse", "--is-inside-work-tree")) != "false"
