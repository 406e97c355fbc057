"""What entries come from and go to: transcripts that are followed, projects and their folders, lesson files written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.codec import decode, dumps, encode
from curator.model import Entry, Project
from curator.store.faults import speaking


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript that was read: how far (the tail's own text), when, how many turns, and what went wrong last."""

    path: str
    agent: str
    followed: str
    read_at: float
    turns: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A lesson file as it was last written or read: its place, stat and digest, and the entry at that time."""

    id: str
    folder: str
    name: str
    size: int
    mtime_ns: int
    digest: str
    version: float
    base: Entry


def record(row: Sequence[Any]) -> FileRecord:
    """A row of the table as a record."""
    id_, folder, name, size, mtime_ns, digest, version, base = row
    return FileRecord(id_, folder, name, size, mtime_ns, digest, version, decode(json.loads(base)))


class Sources:
    """Queries and writes for transcripts, projects and lesson files; writes join the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path

    def followed(self) -> dict[str, Source]:
        """Every transcript that was read, by path."""
        return {row[0]: Source(*row) for row in self._rows("SELECT path, agent, followed, read_at, turns, error FROM files")}

    def follow(self, source: Source) -> None:
        """Remember how far a transcript was read."""
        self._write(
            "INSERT OR REPLACE INTO files (path, agent, followed, read_at, turns, error) VALUES (?, ?, ?, ?, ?, ?)",
            source.path,
            source.agent,
            source.followed,
            source.read_at,
            source.turns,
            source.error,
        )

    def projects(self) -> dict[str, Project]:
        """Every project, by id."""
        rows = self._rows("SELECT id, name, folder, root_commit, remote FROM projects")
        return {row[0]: Project(id=row[0], name=row[1], folder=row[2], root_commit=row[3], remote=row[4]) for row in rows}

    def folders(self) -> dict[str, str]:
        """The project's id of every folder seen."""
        return dict(self._rows("SELECT folder, project FROM folders"))

    def remember(self, project: Project, folder: str) -> None:
        """Remember a project and that this folder belongs to it."""
        self._write(
            """INSERT INTO projects (id, name, folder, root_commit, remote) VALUES (?, ?, ?, ?, ?)
               ON CONFLICT (id) DO UPDATE SET folder = excluded.folder, remote = excluded.remote""",
            project.id,
            project.name,
            project.folder,
            project.root_commit,
            project.remote,
        )
        self._write("INSERT OR REPLACE INTO folders (folder, project) VALUES (?, ?)", folder, project.id)

    def written(self, folder: str) -> dict[str, FileRecord]:
        """The lesson files in a folder, by entry id."""
        rows = self._rows(
            "SELECT id, folder, name, size, mtime_ns, digest, version, base FROM written WHERE folder = ?", folder
        )
        return {row[0]: record(row) for row in rows}

    def write(self, records: Sequence[FileRecord]) -> None:
        """Remember lesson files as they stand on disk now."""
        for record in records:
            self._write(
                """INSERT OR REPLACE INTO written (id, folder, name, size, mtime_ns, digest, version, base)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                record.id,
                record.folder,
                record.name,
                record.size,
                record.mtime_ns,
                record.digest,
                record.version,
                dumps(encode(record.base)),
            )

    def unwrite(self, folder: str, ids: Sequence[str]) -> None:
        """Forget lesson files that are gone."""
        for id_ in ids:
            self._write("DELETE FROM written WHERE folder = ? AND id = ?", folder, id_)

    def _write(self, statement: str, *values: Any) -> None:
        with speaking(self.path):
            self.connection.execute(statement, values)

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with speaking(self.path):
            return self.connection.execute(statement, values).fetchall()
