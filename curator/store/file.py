"""The database as a file: looked at before SQLite sees it, and known again by device and inode."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from pathlib import Path

from curator.errors import StoreError

ASIDE = ("-wal", "-shm")
"""What SQLite keeps beside a database: its write-ahead log, and the index of that."""
KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}

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
    with open(path, "rb") as database, open(log, "rb") as logged:
        own, size = database.read(HEADER)[NAME], int.from_bytes(logged.read(LOG)[8:12], "big")
        if not 512 <= size <= 1 << 16 or not any(own):
            return False
        salts = os.pread(logged.fileno(), 8, 16)
        for begin in range(LOG, os.fstat(logged.fileno()).st_size - size, FRAME + size):
            head = os.pread(logged.fileno(), FRAME + HEADER, begin)
            if head[8:16] != salts:
                return False
            if head[:4] == b"\0\0\0\1":
                return head[FRAME:][NAME] != own
    return False


def rejected(path: Path) -> int:
    """How many transactions of an open database's log SQLite leaves out, since what stands before them is damaged.

    One may be what a power cut left of a write that nobody was told of; of two, the first was acknowledged. Where the log
    ends for SQLite stands in its index: see https://www.sqlite.org/walformat.html. Raises ``OSError``.
    """
    log, index = beside(path)
    if identity(log) is None or identity(index) is None:
        return 0
    with open(log, "rb") as logged, open(index, "rb") as indexed:
        end = int.from_bytes(indexed.read(END.stop)[END], sys.byteorder)
        head = logged.read(LOG)
        frame = FRAME + int.from_bytes(head[8:12], "big")
        if frame <= FRAME:
            return 0
        heads = (os.pread(logged.fileno(), 16, at) for at in range(LOG + end * frame, os.fstat(logged.fileno()).st_size, frame))
        return sum(one[8:16] == head[16:24] and any(one[4:8]) for one in heads)


def close(connection: sqlite3.Connection, path: Path) -> None:
    """Close a connection; a log with transactions that SQLite leaves out stays, which else the last one to close deletes."""
    log = beside(path)[0]
    kept = log.with_name(f"{log.name}.kept")
    if rejected(path) < 2:
        connection.close()
        return
    os.replace(log, kept)
    try:
        connection.close()
    finally:
        os.replace(kept, log)
