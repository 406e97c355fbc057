"""The reader and writer of a folder of lesson files. It writes only changed files, and never a file that somebody else changed.

The caller keeps one ``KnownFile`` per entry: the state of the file when it was last written or read. A file with the same size
and time is not opened. A file that differs was changed by a person, an agent or git. It is never overwritten or removed. It is
reported, so that the caller imports it first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from curator.errors import CuratorError, MalformedFile
from curator.io import files
from curator.lesson_files import lesson
from curator.model import Entry

MAX_FILE_BYTES = 1 << 20
"""Maximum bytes of a lesson file. A larger one is refused and not read."""

_DRAFTS = ".lesson"
_TAIL = len("-7k3f-q2md.md")


class KnownFile(NamedTuple):
    """The state of a lesson's file when it was last written or read. The caller keeps one per entry.

    ``digest`` is of the file's bytes, and ``rendered`` of curator's text for the same entry. They differ if a person edited the
    file, which keeps its layout until the lesson changes.
    """

    name: str
    size: int
    mtime_ns: int
    digest: str
    rendered: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that was left alone, where in it, and why."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of ``write``. The caller keeps ``known_files`` for the next time. The others are ids in the given order."""

    known_files: Mapping[str, KnownFile]
    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    disk_changes: tuple[str, ...] = ()
    """Skipped because the file changed since. Read it first."""
    refusals: tuple[Refusal, ...] = ()
    """The lessons not written, since no reader would take the file: it would hinder every command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The result of ``read``. The caller keeps ``known_files``, also those of deleted files, once the entries are imported."""

    known_files: Mapping[str, KnownFile]
    entries: Mapping[str, Entry] = field(default_factory=dict)
    """The new and changed lessons by file name."""
    refusals: tuple[Refusal, ...] = ()


def holding(written: KnownFile, entry: Entry) -> KnownFile:
    """Return a file as the current one of this entry, in another layout. It keeps its layout until the entry changes."""
    return written._replace(rendered=digest_of(entry))


def digest_of(entry: Entry) -> str:
    """Return the digest of curator's text for an entry. It is equal for entries with equal files."""
    return _digest(lesson.render(entry).encode())


def write(
    folder: Path,
    entries: Iterable[Entry],
    known_files: Mapping[str, KnownFile],
    intend: Callable[[Mapping[str, KnownFile]], None] = lambda planned: None,
) -> Report:
    """Write the changed entries to ``folder``, and remove the files in ``known_files`` whose entries are missing.

    Retired lessons are entries like others. Their file stays and says so, so that teammates learn of it. Each file is replaced
    in one step. After any failure, every file is either the old or the new one. Raises ``CuratorError`` when the folder can't
    be written. A later call finds the finished part and continues.

    ``intend`` is called once with the files to write, by id, without sizes and times. A caller that stores them can later tell
    files of a killed writer from files that somebody changed (see ``confirm``).
    """
    entries = list(entries)
    if not entries and not known_files:
        return Report(known_files={})
    _refuse_links(folder)
    writing = _Writing(folder, known_files)
    try:
        if entries:
            if files.is_private_place(folder):
                files.private_folder(folder)
            folder.mkdir(parents=True, exist_ok=True)
            files.clean_drafts(folder, _DRAFTS)
        for entry in entries:
            writing.put(entry)
        writing.carry_out(intend)
        kept = {entry.id for entry in entries}
        for id in [id for id in known_files if id not in kept]:
            writing.take_away(id)
        if writing.outcomes["written"] or writing.outcomes["removed"]:
            _sync(folder)
    except OSError as error:
        raise CuratorError(
            f"{folder}: the lessons can't be written: {error.strerror or error}",
            "Files written so far are complete. Free some space or fix the permissions, then run `curator export`.",
        ) from error
    outcomes = {name: tuple(ids) for name, ids in writing.outcomes.items()}
    return Report(known_files=writing.now, refusals=tuple(writing.refusals), **outcomes)


class _Writing:
    """One pass of ``write``: the known files, and the work so far. It examines only relevant files."""

    def __init__(self, folder: Path, known_files: Mapping[str, KnownFile]) -> None:
        self.folder = folder
        self.now = dict(known_files)
        self.plan: dict[str, tuple[KnownFile, bytes]] = {}
        self.refusals: list[Refusal] = []
        self.outcomes: dict[str, list[str]] = {name: [] for name in ("written", "unchanged", "removed", "disk_changes")}

    @cached_property
    def by_tail(self) -> Mapping[str, str]:
        """Return the existing files by the end of their names, which contains the id."""
        return {name[-_TAIL:].lower(): name for name in os.listdir(self.folder) if is_lesson(name)}

    def put(self, entry: Entry) -> None:
        """Plan to write one entry, unless its file already has it, has changed on disk, or is gone.

        To write a missing file again, the caller removes its id from ``known_files``.
        """
        was = self.now.get(entry.id)
        name = was.name if was else self._name(entry)
        there = self._stat(name)
        if was and there is None:
            return
        text = lesson.render(entry).encode()
        digest = _digest(text)
        if was and there and (there.st_size, there.st_mtime_ns) == (was.size, was.mtime_ns) and was.rendered == digest:
            self.outcomes["unchanged"].append(entry.id)
            return
        on_disk = self._digest_of(name, there)
        if was and on_disk == was.digest and digest == was.rendered:
            self._keep(entry.id, was, there, "unchanged")
        elif on_disk == digest:  # written before a crash, or by a teammate
            self._keep(entry.id, KnownFile(name, 0, 0, digest, digest), there, "unchanged")
        elif on_disk and not (was and on_disk == was.digest):
            self.outcomes["disk_changes"].append(entry.id)
        elif why := _unreadable(text, name):
            self.refusals.append(why)
        else:
            self.plan[entry.id] = KnownFile(name, 0, 0, digest, digest), text

    def carry_out(self, intend: Callable[[Mapping[str, KnownFile]], None]) -> None:
        """Write the planned files."""
        if self.plan:
            intend({id: written for id, (written, _) in self.plan.items()})
        for id, (written, text) in self.plan.items():
            self._keep(id, written, _replace(self.folder, written.name, text), "written")

    def take_away(self, id: str) -> None:
        """Remove the unchanged file of a deleted entry."""
        was = self.now[id]
        there = self._stat(was.name)
        if there is not None:
            if self._digest_of(was.name, there) != was.digest:
                self.outcomes["disk_changes"].append(id)
                return
            with contextlib.suppress(FileNotFoundError):  # another process took it away in the same moment
                (self.folder / was.name).unlink()
            self.outcomes["removed"].append(id)
        del self.now[id]

    def _name(self, entry: Entry) -> str:
        name = lesson.file_name(entry)
        found = self.by_tail.get(name[-_TAIL:], name)  # a colleague's file for the same lesson, with any slug
        return found if found.lower().endswith(f"-{entry.id.lower()}.md") else name

    def _stat(self, name: str) -> os.stat_result | None:
        try:
            return os.lstat(self.folder / name)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _digest_of(self, name: str, found: os.stat_result | None) -> str:
        if found is None:
            return ""
        try:
            return _digest(_content(self.folder, name, found))
        except MalformedFile as error:
            return error.reason  # equals no digest, so curator does not touch it

    def _keep(self, id: str, written: KnownFile, found: os.stat_result | None, how: str) -> None:
        """Remember a file as it was ``found`` before it was read, so that a later change is noticed."""
        assert found is not None
        self.now[id] = written._replace(size=found.st_size, mtime_ns=found.st_mtime_ns)
        self.outcomes[how].append(id)


def confirm(folder: Path, plan: Mapping[str, KnownFile]) -> Mapping[str, KnownFile]:
    """Return the files with exactly the announced content, by id."""
    found: dict[str, KnownFile] = {}
    for id, written in plan.items():
        with contextlib.suppress(OSError, MalformedFile):
            there = os.lstat(folder / written.name)
            if _digest(_content(folder, written.name, there)) == written.digest:
                found[id] = written._replace(size=there.st_size, mtime_ns=there.st_mtime_ns)
    return found


def read(folder: Path, known_files: Mapping[str, KnownFile], *, project: str = "", remember: bool = True) -> Reading:
    """Read the files that are new or changed since ``known_files``.

    Files that can't be understood are refused one by one and stay unchanged. A missing folder counts as empty. Raises
    ``CuratorError`` if the folder can't be read. Without ``remember`` there are no ``known_files``, because making them takes
    as long as the reading.
    """
    _refuse_links(folder)
    if remember:  # a mere look changes nothing
        files.clean_drafts(folder, _DRAFTS)
    there = _files_in(folder)
    ids = {written.name: id for id, written in known_files.items()}
    now = dict(known_files)
    entries: dict[str, Entry] = {}
    refused: list[Refusal] = []
    holders = {ids[name]: name for name in there if name in ids}  # first those that we know: a copy is the later one
    for name, found in there.items():
        if not name.isprintable():
            refused.append(Refusal(ascii(name)[1:-1], 1, "its name has characters that a lesson file can't have"))
            continue
        was = known_files[ids[name]] if name in ids else None
        if was and (found.st_size, found.st_mtime_ns) == (was.size, was.mtime_ns):
            continue
        try:
            content = _content(folder, name, found)
            if was and _digest(content) == was.digest:  # only touched, as by a checkout
                now[ids[name]] = was._replace(size=found.st_size, mtime_ns=found.st_mtime_ns)
                continue
            entry = lesson.parse(_decode(content, name), name, project=project)
            _claim(entry.id, name, ids.get(name), holders)
        except MalformedFile as error:
            refused.append(Refusal(name, error.line, error.reason))
            continue
        entries[name] = entry
        if remember:
            read_now = KnownFile(name, found.st_size, found.st_mtime_ns, _digest(content), "")
            now[entry.id] = holding(read_now, entry)
    return Reading(known_files=now, entries=entries, refusals=tuple(refused))


def _files_in(folder: Path) -> Mapping[str, os.stat_result]:
    """Return the lesson files of a folder by name; none if there is no folder. Raises ``CuratorError``."""
    there: dict[str, os.stat_result] = {}
    try:
        with os.scandir(folder) if folder.is_dir() else contextlib.nullcontext(()) as items:
            for item in items:
                with contextlib.suppress(FileNotFoundError):  # git may be at work in the same moment
                    if is_lesson(item.name):
                        there[item.name] = item.stat(follow_symlinks=False)
    except OSError as error:
        raise CuratorError(
            f"{folder}: the lessons can't be read: {error.strerror or error}", "Check its permissions."
        ) from error
    return dict(sorted(there.items()))


def _claim(id: str, name: str, before: str | None, holders: dict[str, str]) -> None:
    """Assign an id to a file. Raises ``MalformedFile`` if the file had another id ``before``, or another file has it."""
    if before is not None and id != before:
        raise MalformedFile(name, 2, f"the id was {before}. An id never changes; a new lesson needs a new file")
    holder = holders.setdefault(id, name)
    if holder != name:
        raise MalformedFile(name, 2, f"{holder} has the same id {id}. Remove one of the two")


def _unreadable(text: bytes, name: str) -> Refusal | None:
    """Return the reason for which a file with this text would be refused when it is read."""
    try:
        if len(text) > MAX_FILE_BYTES:
            raise MalformedFile(name, 1, f"is larger than {MAX_FILE_BYTES} bytes")
        lesson.parse(text.decode("utf-8"), name)
    except MalformedFile as error:
        return Refusal(name, error.line, f"this lesson can't have a file: {error.reason}")
    return None


def is_lesson(name: str) -> bool:
    """Return whether a file of the folder is a lesson's, by its name."""
    return name.endswith(".md") and not name.startswith(".")


def _content(folder: Path, name: str, found: os.stat_result) -> bytes:
    """Return a plain file's bytes. Raises ``MalformedFile`` for links, pipes, folders, and files that are too large or
    unreadable.
    """
    if stat.S_ISLNK(found.st_mode):
        raise MalformedFile(name, 1, "is a symbolic link. A lesson must be a plain file in this folder")
    if not stat.S_ISREG(found.st_mode):
        raise MalformedFile(name, 1, "is not a plain file")
    if found.st_size > MAX_FILE_BYTES:
        raise MalformedFile(name, 1, f"is larger than {MAX_FILE_BYTES} bytes")
    try:
        with open(os.open(os.path.join(folder, name), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            return file.read(MAX_FILE_BYTES)
    except OSError as error:
        raise MalformedFile(name, 1, f"can't be read: {error.strerror or error}") from error


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MalformedFile(name, line, f"is not UTF-8 (byte 0x{content[error.start]:02x}). Save it as UTF-8") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _replace(folder: Path, name: str, content: bytes) -> os.stat_result:
    """Replace a file in one step, so that a crash leaves the old or the new one. Return its state."""
    opener = files.private_opener if files.is_private_place(folder) else None
    with files.draft(folder / name, _DRAFTS) as draft, open(draft, "xb", opener=opener) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        return os.fstat(file.fileno())


def _sync(folder: Path) -> None:
    """Make renames durable, if the system can sync a folder."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _refuse_links(folder: Path) -> None:
    """Refuse to read or write through a link. A repository may contain ``.curator`` as a link to any path of the machine."""
    for place in (folder, folder.parent) if folder.parent.name == ".curator" else (folder,):
        if place.is_symlink():
            raise CuratorError(f"{place} is a symbolic link", "Replace the link with a real folder.")
