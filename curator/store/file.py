"""The file of the database: whether it is ours, who holds it, and its errors as sentences: what happened, where, what
to do.

Nothing here or elsewhere opens and closes a database, or the index of its log, in a process that may have a connection
to it: closing any descriptor of a file drops all locks of the process on it, also those by which SQLite keeps writers
apart, see https://www.sqlite.org/howtocorrupt.html, 2.2. ``descriptor`` is what may be read instead.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import zip_longest
from pathlib import Path

from curator.errors import CuratorError, StoreBusy, StoreError
from curator.io import files

ASIDE = ("-wal", "-shm")
"""What SQLite keeps beside a database: its write-ahead log, and the index of that."""
KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
PORTION = 1 << 20
"""Bytes that are copied at once."""
_DESCRIPTORS: dict[tuple[int, int], int] = {}
_GUARD = threading.Lock()
HEADER, LOG, FRAME = 100, 32, 24
"""Bytes of a database's header, of a log's, and before each page in a log."""
NAME = slice(68, 72)
"""Where in its header a database has the number that we give each (``application_id``)."""
END = slice(16, 20)
"""Where in the log's index the number of its last valid page stands."""
Identity = tuple[int, int]
"""Device and inode."""


def identity(path: Path) -> Identity | None:
    """Which file stands at a path; ``None`` where none does, or an empty one, which is no database yet. Raises ``OSError``."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size else None


def beside(path: Path) -> tuple[Path, ...]:
    """The files that SQLite keeps beside a database."""
    return tuple(path.with_name(path.name + end) for end in ASIDE)


def descriptor(path: Path) -> int:
    """A descriptor for reading that stays open for as long as the file has a name. Raises ``OSError``."""
    with _GUARD:
        for known, fd in list(_DESCRIPTORS.items()):
            if not os.fstat(fd).st_nlink:  # SQLite deletes an index when the last connection closes: nobody has a lock on it
                os.close(_DESCRIPTORS.pop(known))
        found = path.stat()
        key = (found.st_dev, found.st_ino)
        if key not in _DESCRIPTORS:
            _DESCRIPTORS[key] = os.open(path, os.O_RDONLY)
        return _DESCRIPTORS[key]


def look(path: Path) -> None:
    """Raise ``StoreError`` where the database, or what belongs beside it, is no plain file: a pipe would never answer.

    Likewise where the log beside it is another database's: SQLite would write that one's pages into this one. Raises
    ``OSError`` where it can't be looked at.
    """
    for one in (path, *beside(path)):
        try:
            mode = one.stat().st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            kind = KINDS.get(stat.S_IFMT(mode), "a device")
            raise StoreError(
                f"{one} is {kind} and no file.", "Move it away, or choose another place with CURATOR_HOME; then try again."
            )
    if is_foreign(path):
        log = beside(path)[0]
        raise StoreError(
            f"{log} is not the log of {path}, but another database's. Nothing was opened or written.",
            "If you have put a copy in the database's place, move that log away, too. `curator restore` shows what is where.",
        )


def is_foreign(path: Path) -> bool:
    """Whether the write-ahead log beside a database begins with another one: its first page bears another name.

    The format is that of https://www.sqlite.org/fileformat2.html. Raises ``OSError``.
    """
    log = beside(path)[0]
    if identity(path) is None or identity(log) is None:
        return False
    with suppress(FileNotFoundError), open(log, "rb") as logged:  # whoever had it open may just have closed it
        size = int.from_bytes(logged.read(LOG)[8:12], "big")
        own = _name(path) if 512 <= size <= 1 << 16 else b""
        if not any(own):
            return False
        salts = os.pread(logged.fileno(), 8, 16)
        for begin in range(LOG, os.fstat(logged.fileno()).st_size - size, FRAME + size):
            head = os.pread(logged.fileno(), FRAME + HEADER, begin)
            if head[8:16] != salts:
                return False
            if head[:4] == b"\0\0\0\1":
                return head[FRAME:][NAME] != own
    return False


def _name(path: Path) -> bytes:
    """The name in a database's own header, whatever its log says; empty where it can't be read."""
    try:  # by SQLite, which closes what it opened only once that drops no lock
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            number: int = connection.execute("PRAGMA application_id").fetchone()[0]
            return number.to_bytes(4, "big", signed=True)
    except sqlite3.Error:
        return b""


def count_rejects(path: Path) -> int:
    """How many transactions of an open database's log SQLite leaves out, since what stands before them is damaged.

    One may be what a power cut left of a write that nobody was told of; of two, the first was acknowledged. Where the log
    ends for SQLite stands in its index: see https://www.sqlite.org/walformat.html. Raises ``OSError``.
    """
    log, index = beside(path)
    if identity(log) is None or identity(index) is None:
        return 0
    with open(log, "rb") as logged:
        head = logged.read(LOG)
        frame = FRAME + int.from_bytes(head[8:12], "big")
        if frame <= FRAME:
            return 0
        begin, end = _end(index), os.fstat(logged.fileno()).st_size
        heads = {at: os.pread(logged.fileno(), 16, at) for at in range(LOG + begin * frame, end, frame)}
        # Somebody may be writing: what has become valid meanwhile, or what a log was that begins anew, is not left out.
        valid = LOG + _end(index) * frame
        if os.pread(logged.fileno(), LOG, 0) != head:
            return 0
    return sum(at >= valid and one[8:16] == head[16:24] and any(one[4:8]) for at, one in heads.items())


def _end(index: Path) -> int:
    """The number of a log's last valid page."""
    return int.from_bytes(os.pread(descriptor(index), END.stop, 0)[END], sys.byteorder)


def close(connection: sqlite3.Connection, path: Path) -> None:
    """Close a connection; a log with transactions that SQLite leaves out stays, which else the last one to close deletes."""
    if count_rejects(path) < 2:
        connection.close()
        return
    log = beside(path)[0]
    copy = log.with_name(f"{log.name}.{os.getpid()}-{threading.get_ident()}")
    os.link(log, copy)
    try:
        connection.close()
    finally:
        with suppress(FileExistsError):  # others have it open
            os.link(copy, log)
        copy.unlink()


def copy(path: Path, target: Path) -> None:
    """Copy a file of the database to a new one of ours. Raises ``OSError``."""
    files.private_file(target)
    with open(target, "wb") as written:
        written.writelines(_portions(path))


def same(one: Path, other: Path) -> bool:
    """Whether two files of databases hold the same, or neither is there. Raises ``OSError``."""
    if not one.is_file() or not other.is_file():
        return one.is_file() == other.is_file()
    return all(mine == theirs for mine, theirs in zip_longest(_portions(one), _portions(other)))


def _portions(path: Path) -> Iterator[bytes]:
    fd, at = descriptor(path), 0
    while part := os.pread(fd, PORTION, at):
        yield part
        at += len(part)


log = logging.getLogger(__name__)
RAISED = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)
"""What the module of SQLite raises: its errors, what their own text does to it, and sizes that damage made up."""
RECOVER = "`curator restore` shows what can be brought back, from the file itself and from backups, and how many verdicts."
SIGNS = (
    "malformed",
    "not a database",
    "corrupt",
    "no such table",
    "no such column",
    "no such index",
    "vtable constructor failed",
    "utf-8",
    "out of memory",
)
"""What SQLite says of a file that is broken, or lacks what its version has."""


@contextmanager
def speaking(path: Path) -> Iterator[None]:
    """Raise every database error of the block as a ``StoreError`` that a person can act on."""
    try:
        yield
    except RAISED as error:
        raise translate(error, path) from error


def translate(error: Exception, path: Path) -> CuratorError:
    """The sentence for an error; for a damaged database a copy is put aside first."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return StoreBusy(
            f"{path} is in use by another process.", "Nothing was lost; try again when the other curator is done writing."
        )
    if "full" in text:
        return StoreError(
            f"{path} could not be written: {text}.",
            "Free some room on that disk, then try again; what was saved before is intact.",
        )
    if ("unable to open" in text or "readonly" in text) and path.exists() and not os.access(path.parent, os.W_OK):
        return StoreError(
            f"{path.parent} is read-only, and SQLite needs to write beside its database even to read it.",
            "Give yourself the right to write there, or copy the folder and name the copy with CURATOR_HOME.",
        )
    if "readonly" in text or "read-only" in text:
        return StoreError(
            f"{path} is read-only: {text}.",
            "Give yourself the right to write there, or choose another place with CURATOR_HOME.",
        )
    if "unable to open" in text:
        return StoreError(
            f"{path} can't be opened: {text}.", "Look at the rights of the folder, or choose another with CURATOR_HOME."
        )
    if is_damage(error):
        copy = put_aside(path)
        return StoreError(f"{path} is damaged: {text}. Nothing was overwritten; a copy is at {copy}.", RECOVER)
    log.error("%s: an error of the database that was not foreseen", path, exc_info=error)
    return StoreError(f"{path}: {text}.", "The log has the details; see `curator where`.")


def is_damage(error: Exception) -> bool:
    """Whether an error says that the file itself is broken."""
    return isinstance(error, UnicodeDecodeError | OverflowError | MemoryError) or any(sign in str(error) for sign in SIGNS)


def put_aside(path: Path) -> Path:
    """Copy a damaged database beside itself, once, with its write-ahead log; returns where it is."""
    try:
        for number in range(1, 100):
            target = path.with_name(f"{path.name}.damaged" + (f"-{number}" if number > 1 else ""))
            if target.exists() and all(map(same, with_log(path), with_log(target))):
                return target
            if not target.exists():
                for one, aside in zip(with_log(path), with_log(target), strict=True):
                    if one.is_file():
                        copy(one, aside)
                return target
    except OSError:
        pass
    return path


def with_log(path: Path) -> tuple[Path, Path]:
    """A database and its write-ahead log, which has what was written last; the copy's is called like its own."""
    return path, path.with_name(f"{path.name}-wal")
