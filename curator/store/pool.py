"""Lessons in memory, asked as hooks ask the database: those that were known at some moment of the past."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from curator.model import Entry, State
from curator.model.codec import dumps
from curator.store import hook_reader, indexes
from curator.store.entries import columns
from curator.store.file import Rows
from curator.store.indexes import FullText
from curator.store.schema import STEPS

if TYPE_CHECKING:
    from curator.store.hook_reader import Request, Retrieval


class Pool:
    """An index in memory. It starts empty, and ``add`` adds a lesson. It writes no file, and the caller closes it."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        for step in STEPS.values():
            step(self.connection)
        self.connection.execute("BEGIN")  # This transaction never ends; closing the connection discards it.
        self.full_text = FullText(Rows(self.connection, Path(":memory:")))
        self._count = 0

    def close(self) -> None:
        """Forget all of it."""
        self.connection.close()

    def add(self, entry: Entry, files: Sequence[tuple[str, str]] = (), *, searched: bool = True) -> None:
        """Make a lesson known, with the (project, file) that say the same.

        One that is not ``searched`` is sent all the same, but not found by ``near``.
        """
        self._count += 1
        indexes.write(self.connection, self._count, entry)
        said = ((entry.id, project, file) for project, file in files)
        self.connection.executemany("INSERT OR IGNORE INTO stating_files VALUES (?, ?, ?)", said)
        if searched:
            body = {name: getattr(entry, name) for name in (*indexes.COLUMNS, "scope")}
            row = columns(entry, dumps(body)) | {"seq": self._count, "rank": 0.0, "score": entry.score, "tier": 0}
            marks = ", ".join(f":{name}" for name in row)
            self.connection.execute(f"INSERT INTO entries ({', '.join(row)}) VALUES ({marks})", row)
            self.full_text.write(self._count, body)

    def gather(self, project: str, question: Request) -> Retrieval:
        """Return the lessons that a hook would find: see ``hook_reader.gather``."""
        return hook_reader.gather(hook_reader.Table(self.connection, project), question)

    def by_fingerprint(self, project: str, fingerprint: str) -> str:
        """Return the id of a project's lesson with this fingerprint; empty for none."""
        found = self.connection.execute("SELECT id FROM entries WHERE project = ? AND fingerprint = ?", (project, fingerprint))
        return next((id_ for (id_,) in found), "")

    def near(self, words: Iterable[str], project: str, limit: int) -> list[tuple[str, str]]:
        """(id, words) of the lessons of a project, and global ones, that share the rarest of these words, best first."""
        return self.full_text.texts(words, project, (State.ACTIVE,), limit)
