"""What lessons mean, as vectors: one a lesson, of the model that is set. Derived, so it can be made anew at any time.

A vector tells something of the words it was made of: it goes when they do (see ``ranking_index.write``).
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

TABLE = """CREATE TABLE IF NOT EXISTS vectors (
    lesson TEXT PRIMARY KEY, -- its id
    model TEXT NOT NULL, -- as the embedder names itself
    digest TEXT NOT NULL, -- of the words
    vector BLOB NOT NULL -- float32, in the order of this machine
) STRICT"""


class Unembedded(NamedTuple):
    """A lesson without a vector of its present words."""

    id: str
    text: str


class Vectors:
    """Reads and writes them; joins the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def lacking(self, model: str) -> list[Unembedded]:
        """The active lessons of every project that have none of this model and of what is told of them now."""
        rows = self.connection.execute(
            "SELECT id, line, digest FROM lessons LEFT JOIN vectors ON lesson = id AND model = ? ORDER BY seq", (model,)
        )
        return [Unembedded(id_, text) for id_, text, known in rows.fetchall() if known != digest(text)]

    def put(self, model: str, lessons: Iterable[tuple[Unembedded, Sequence[float]]]) -> None:
        """Store vectors; that of a lesson whose words are others by now is left out."""
        self.connection.executemany(
            """INSERT OR REPLACE INTO vectors (lesson, model, digest, vector)
               SELECT id, ?, ?, ? FROM lessons WHERE id = ? AND line = ?""",
            ((model, digest(one.text), array("f", vector).tobytes(), one.id, one.text) for one, vector in lessons),
        )

    def of(self, project: str, model: str) -> list[tuple[int, Sequence[float]]]:
        """(lesson's number, vector) of a project's lessons and the global ones, as far as this model has seen them."""
        rows = self.connection.execute(
            """SELECT seq, vector FROM lessons JOIN vectors ON lesson = id
               WHERE project IN (?, '') AND model = ? AND length(vector) % 4 = 0""",
            (project, model),
        )
        return [(seq, array("f", vector)) for seq, vector in rows.fetchall()]


def digest(text: str) -> str:
    """Tells words apart."""
    from hashlib import blake2b  # loads OpenSSL; the inbox opens without it

    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()


def remove(connection: sqlite3.Connection, lesson: str) -> None:
    """Drop a lesson's vector."""
    connection.execute("DELETE FROM vectors WHERE lesson = ?", (lesson,))
