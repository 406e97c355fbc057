"""The symbols of a project's files: a cache next to the database, rebuilt if it can't be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from curator.io import files

FORMAT = 3
"""The version. Raise it when the stored data, or the definition of a symbol, changes."""
Mark = tuple[int, int, int]
"""Size, time and inode, by which ``stat`` shows that a file is unchanged."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol in the index, by file and qualified name."""

    path: str
    name: str
    kind: str
    first: int
    last: int


SCHEMA = """
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, inode INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE symbols (
    path TEXT NOT NULL, name TEXT NOT NULL, simple TEXT NOT NULL COLLATE NOCASE, kind TEXT NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL
) STRICT;
CREATE INDEX symbols_path ON symbols (path);
CREATE INDEX symbols_simple ON symbols (simple)
"""


class SymbolIndex:
    """The index of one project, in its own file. It holds only copies of facts about the code."""

    def __init__(self, place: Path) -> None:
        files.private_folder(place.parent)
        files.private_file(place)
        try:
            self.connection = self._open(place)
        except sqlite3.DatabaseError:  # damaged, or no database at all: it can be made again
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    place.with_name(place.name + suffix).unlink()
            self.connection = self._open(place)

    @staticmethod
    def _open(place: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            if connection.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                connection.execute("BEGIN IMMEDIATE")
                for table in ("files", "symbols"):
                    connection.execute(f"DROP TABLE IF EXISTS {table}")
                for statement in SCHEMA.split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def marks(self) -> Mapping[str, Mark]:
        """Return the marks of the files at the last reading."""
        rows = self.connection.execute("SELECT path, size, mtime, inode FROM files")
        return {path: (size, mtime, inode) for path, size, mtime, inode in rows}

    def replace(self, files: Iterable[tuple[str, Mark, Sequence[Definition]]]) -> None:
        """Replace the definitions of files in one transaction."""
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for path, mark, symbols in files:
                connection.execute("DELETE FROM symbols WHERE path = ?", (path,))
                connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (path, *mark))
                connection.executemany(
                    "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?)",
                    [(path, s.name, s.name.rpartition(".")[2], s.kind, s.first, s.last) for s in symbols],
                )
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files that no longer exist."""
        rows = [(path,) for path in paths]
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("DELETE FROM symbols WHERE path = ?", rows)
        self.connection.executemany("DELETE FROM files WHERE path = ?", rows)
        self.connection.execute("COMMIT")

    def find(self, name: str) -> list[Definition]:
        """Return the symbols with a name, qualified or not, in the order of their files."""
        simple = name.rpartition(".")[2]
        rows = self.connection.execute(f"{_SELECT} WHERE simple = ? ORDER BY path, first", (simple,))
        return [found for row in rows if (found := Definition(*row)).name == name or f".{found.name}".endswith(f".{name}")]

    def matching(self, part: str, file: str = "", limit: int = 20) -> list[Definition]:
        """Return the symbols whose simple name contains a part, in files whose path contains another, in any case.

        Names that begin with the part come first, then the shortest. A part with a dot is compared with qualified names. If
        ``part`` is empty, all of a file's symbols come in the order of their lines. A file named ``file`` comes before others.
        """
        name = "name" if "." in part else "simple"
        rest = f"length({name}), {name}, path, first" if part else "length(path), path, first"
        rows = self.connection.execute(
            f"""{_SELECT} WHERE instr(lower({name}), lower(:part)) AND instr(lower(path), lower(:file))
            ORDER BY instr('.' || lower({name}), '.' || lower(:part)) = 0,
            :file != '' AND substr('/' || path, -length(:file) - 1) != '/' || :file, {rest} LIMIT :limit""",
            {"part": part, "file": file, "limit": limit},
        )
        return [Definition(*row) for row in rows]

    def paths(self, part: str, limit: int = 20) -> list[str]:
        """Return the files whose path contains this part, shortest first."""
        rows = self.connection.execute(
            "SELECT path FROM files WHERE instr(lower(path), lower(?)) ORDER BY length(path), path LIMIT ?", (part, limit)
        )
        return [path for (path,) in rows]


_SELECT = "SELECT path, name, kind, first, last FROM symbols"
