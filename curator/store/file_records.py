"""The records of lesson files that were written or read, and of repositories that a person accepts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from curator.model import FROM_FILE, Entry, Repository
from curator.model.codec import dumps, encode
from curator.store.entries import VERSION
from curator.store.file import Queries, decode_entry, field

UNWRITTEN = -1.0
"""The version of a file that must be written. No entry has this time, but a handmade file may have the time 0."""
WAITING = -2.0
"""The version of a file from another machine whose lesson is not decided yet."""
REMOVED = -3.0
"""The version of a file that is to go, since its lesson was forgotten."""


RECORD = "id, name, size, mtime_ns, digest, rendered, version"


class FileRecord(NamedTuple):
    """A lesson's file as last written or read, with the time of the entry's last change then.

    A tuple, because an export reads one per lesson and a tuple takes a tenth of a dataclass's time.
    """

    id: str
    name: str
    size: int
    mtime_ns: int
    digest: str
    rendered: str
    version: float


class FileRecords(Queries):
    """Queries and writes for lesson files and accepted repositories. Writes join the caller's transaction."""

    def in_folder(self, folder: str) -> dict[str, FileRecord]:
        """Return the lesson files in a folder, by entry id."""
        rows = self._rows(f"SELECT {RECORD} FROM written WHERE folder = ?", folder)
        return {row[0]: FileRecord._make(row) for row in rows}

    def base(self, folder: str, id_: str) -> Entry | None:
        """Return the entry of the time when its file was last written or read: the common base of both sides."""
        rows = self._rows("SELECT base FROM written WHERE folder = ? AND id = ?", folder, id_)
        return self.rows.one(f"what was written of {id_}", rows[0][0], decode_entry) if rows else None

    def places(self, id_: str) -> list[tuple[str, FileRecord]]:
        """Return every folder that has a file of an entry, with the record."""
        rows = self._rows(f"SELECT folder, {RECORD} FROM written WHERE id = ?", id_)
        return [(row[0], FileRecord(*row[1:])) for row in rows]

    def contests(self, project: str) -> dict[str, list[Entry]]:
        """Return the open conflicts between lessons and their files: their cards by the lesson's id."""
        query = f"SELECT id, body FROM entries WHERE project = ? AND {VERSION} AND state = 'open' ORDER BY seq"
        rows = self._rows(query, project)
        found: dict[str, list[Entry]] = {}
        for card in self.rows.entries(rows):
            if card.rival is not None:
                found.setdefault(card.rival.other, []).append(card)
        return found

    def unwritten_lessons(self, folder: str, project: str) -> list[Entry]:
        """Return the lessons of a project that changed since their file was written, and those without a file."""
        query = """SELECT id, body FROM entries WHERE id IN (
              SELECT id FROM (SELECT id, updated FROM entries WHERE project = ? AND state IN ('active', 'retired')
                              EXCEPT SELECT id, version FROM written WHERE folder = ?))
            ORDER BY id"""
        rows = self._rows(query, project, folder)
        return self.rows.entries(rows)

    def orphans(self, folder: str, project: str) -> list[str]:
        """Return the ids with a file of curator that are no lessons of the project any more. Files of other authors stay."""
        left = f"""project != ? AND EXISTS (SELECT 1 FROM events WHERE events.id = entries.id
            AND {field("project", "before")} = ?)"""
        query = f"""SELECT id FROM written WHERE folder = ? AND version != {WAITING}
            EXCEPT SELECT id FROM entries WHERE (state IN ('active', 'retired') OR signal = '{FROM_FILE}') AND NOT ({left})"""
        rows = self._rows(query, folder, project, project)
        return [row[0] for row in rows]

    def reread(self, folder: str) -> None:
        """Mark the files of undecided lessons to be read again, also after an undo."""
        waits = f"version = {WAITING} OR id IN (SELECT id FROM entries WHERE signal = '{FROM_FILE}' AND state = 'open')"
        self._write(f"DELETE FROM written WHERE folder = ? AND ({waits})", folder)

    def accept(self, repository: Repository, at: float, batch: str) -> None:
        """Record that a person accepts this repository's changes, while the batch is not undone."""
        self._write("INSERT OR REPLACE INTO accepted VALUES (?, ?, ?, ?, ?)", *repository, at, batch)

    def revoke(self, repository: Repository) -> None:
        """Forget that."""
        self._write("DELETE FROM accepted WHERE (folder, root_commit, remote) = (?, ?, ?)", *repository)

    def accepted_repositories(self) -> set[Repository]:
        """Return the repositories that a person has accepted and not given up by undo."""
        undone = """SELECT verb = 'undo' FROM events WHERE "of" = accepted.batch ORDER BY seq DESC LIMIT 1"""
        query = f"SELECT folder, root_commit, remote FROM accepted WHERE NOT coalesce(({undone}), 0)"
        return {Repository(*row) for row in self._rows(query)}

    def write(self, folder: str, records: Sequence[tuple[FileRecord, Entry]]) -> None:
        """Record the current lesson files on disk, with the entry of each."""
        for record, entry in records:
            query = f"INSERT OR REPLACE INTO written (folder, {RECORD}, base) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            self._write(query, folder, *record, dumps(encode(entry)))
            self._write("DELETE FROM intended WHERE folder = ? AND id = ?", folder, record.id)

    def intend(self, folder: str, records: Sequence[tuple[FileRecord, Entry]]) -> None:
        """Remember lesson files that are about to be written, until ``write`` says that they are."""
        for record, entry in records:
            values = (folder, *record, dumps(encode(entry)))
            self._write("INSERT OR REPLACE INTO intended VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *values)

    def intentions(self, folder: str) -> list[tuple[FileRecord, Entry]]:
        """Return the lesson files in a folder whose writing was announced but not confirmed."""
        rows = self._rows(f"SELECT {RECORD}, base FROM intended WHERE folder = ? AND version != {REMOVED}", folder)
        bases = ((row, self.rows.one(f"what was to be written of {row[0]}", row[-1], decode_entry)) for row in rows)
        return [(FileRecord(*row[:-1]), base) for row, base in bases if base is not None]

    def remove(self, folder: str, records: Iterable[FileRecord]) -> None:
        """Record that these files will be deleted, without their content, until ``delete_file_records`` confirms it."""
        for record in records:
            values = (folder, *record._replace(version=REMOVED), "")
            self._write("INSERT OR REPLACE INTO intended VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *values)

    def removals(self) -> dict[str, dict[str, FileRecord]]:
        """Return the files that are to go: by folder and id."""
        found: dict[str, dict[str, FileRecord]] = {}
        for folder, *fields in self._rows(f"SELECT folder, {RECORD} FROM intended WHERE version = {REMOVED}"):
            found.setdefault(folder, {})[fields[0]] = FileRecord(*fields)
        return found

    def touch(self, folder: str, records: Sequence[FileRecord]) -> None:
        """Remember that files were only touched: same content, another time."""
        for record in records:
            query = "UPDATE written SET size = ?, mtime_ns = ? WHERE folder = ? AND id = ?"
            self._write(query, record.size, record.mtime_ns, folder, record.id)

    def outdate(self, ids: Iterable[str]) -> None:
        """Mark these lessons to be written again. Their files' content may have changed without a person."""
        query = f"""UPDATE written SET version = {UNWRITTEN} WHERE id IN (SELECT value FROM json_each(?))
            AND version = (SELECT updated FROM entries WHERE entries.id = written.id)"""
        self._write(query, dumps([*ids]))

    def delete_file_records(self, folder: str, ids: Sequence[str]) -> None:
        """Forget lesson files that are gone."""
        for id_ in ids:
            for table in ("written", "intended"):
                self._write(f"DELETE FROM {table} WHERE folder = ? AND id = ?", folder, id_)
