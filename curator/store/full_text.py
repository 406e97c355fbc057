"""The full-text index of lessons, written in the same transaction as the lesson.

FTS5 with its Porter stemmer. A row has the number of its entry; project and state are read off the entry. It holds what
``entries`` holds, so it can be made anew at any time.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from curator.model import JSON, Entry, State
from curator.model.codec import dumps, encode
from curator.store.entries import GLOBAL
from curator.store.file import speaking
from curator.store.rows import Rows, field, sound

COLUMNS = frozenset(("headline", "insight", "files", "symbols", "paths"))
"""What of an entry is indexed: a change of anything else leaves its row alone."""
TABLE = """CREATE VIRTUAL TABLE IF NOT EXISTS recall USING fts5(
    words, names, tokenize = "porter unicode61 remove_diacritics 2")"""
FEW = 400
"""So many entries are ranked at most for the sake of the rarest words together; a word alone may lead to as many."""
RANKED = 1_000
"""So many entries are ranked for any words, the newest: where each word is in more, the time would grow with all there is."""
MOST = 12
"""Words that are looked for at most."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")


class FullText:
    """Finds entries by words; writes join the caller's transaction."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.connection = rows.connection
        self.path = rows.path

    def find(
        self, words: Iterable[str], project: str | None, states: Sequence[State], limit: int, *, rivals: Iterable[str] = ()
    ) -> list[Entry]:
        """The entries of a project (``None`` for all), and global lessons, that share the rarest of these words, best first.

        ``rivals`` are looked for however many have them: there the rank decides.
        """
        if not self._any(project, states):
            return []
        return self.rows.entries(self._ranked("id, body", tuple(words), project, states, limit, tuple(rivals)))

    def texts(self, words: Iterable[str], project: str | None, states: Sequence[State], limit: int) -> list[tuple[str, str]]:
        """(id, insight or else headline) of the same, without decoding them whole."""
        found = self._ranked(
            f"id, coalesce(nullif({field('insight')}, ''), headline)", tuple(words), project, states, limit, ()
        )
        return [(id_, text) for id_, text in found]

    def write(self, seq: int, body: JSON) -> None:
        """Index an encoded entry under its number, in place of what stood there."""
        self.connection.execute("INSERT OR REPLACE INTO recall (rowid, words, names) VALUES (?, ?, ?)", (seq, *columns(body)))

    def remove(self, seq: int) -> None:
        """Take an entry out."""
        self.connection.execute("DELETE FROM recall WHERE rowid = ?", (seq,))

    def rebuild(self) -> None:
        """Make the index anew from the entries."""
        rebuild(self.connection)

    def purge(self) -> None:
        """Let nothing linger of what was taken out: a removed word stays in its segment until that is written anew."""
        self.connection.execute("INSERT INTO recall (recall) VALUES ('optimize')")

    def _rarest(self, words: tuple[str, ...]) -> list[str]:
        """The rarest words, quoted; as many as lead to few entries, two at least."""
        split = dict.fromkeys(part.lower() for word in words for part in (*_WORD.findall(word), *_parts(word)) if len(part) > 1)
        if len(split) <= 2:
            return [*map(quoted, split)]
        count = "SELECT count(*) FROM (SELECT 1 FROM recall WHERE recall MATCH ? LIMIT ?)"
        counts = [(self.connection.execute(count, (quoted(word), FEW)).fetchone()[0], quoted(word)) for word in split]
        chosen: list[str] = []
        total = 0
        for number, word in sorted(pair for pair in counts if pair[0]):
            if len(chosen) >= MOST or (total + number > FEW and (len(chosen) >= 2 or (chosen and number == FEW))):
                break
            chosen.append(word)
            total += number
        return chosen

    def _ranked(
        self, what: str, words: tuple[str, ...], project: str | None, states: Sequence[State], limit: int, rivals: Sequence[str]
    ) -> list[Any]:
        """These columns of the best entries; what rivals lead to follows what words do, each entry once."""
        with speaking(self.path):
            found: dict[int, None] = {}
            for asked in (self._rarest(words), [quoted(word) for word in rivals]):
                if asked:
                    found |= dict.fromkeys(self._numbers(" OR ".join(asked), project, states, limit))
            by_number = {
                row[0]: row[1:]
                for row in self.connection.execute(
                    f"SELECT seq, {what} FROM entries WHERE seq IN (SELECT value FROM json_each(?))", (dumps([*found]),)
                )
            }
        return [by_number[number] for number in found if number in by_number]

    def _any(self, project: str | None, states: Sequence[State]) -> bool:
        """Whether there is anything to find: most projects have no lessons yet."""
        here = f"SELECT 1 FROM entries WHERE state = ?{'' if project is None else ' AND project = ?'} LIMIT 1"
        values = [] if project is None else [project]
        everywhere = f"SELECT 1 FROM entries WHERE {GLOBAL} LIMIT 1"
        with speaking(self.path):
            return any(self.connection.execute(here, (state, *values)).fetchone() for state in states) or (
                State.ACTIVE in states and self.connection.execute(everywhere).fetchone() is not None
            )

    def _numbers(self, asked: str, project: str | None, states: Sequence[State], limit: int) -> list[int]:
        """The numbers of the best. A unary plus keeps SQLite from reading all entries of the project instead."""
        marks = ", ".join("?" * len(states))
        newest = f"SELECT rowid FROM recall WHERE recall MATCH ? ORDER BY rowid DESC LIMIT {RANKED}"
        rows = self.connection.execute(
            f"""SELECT seq FROM recall CROSS JOIN entries ON seq = recall.rowid
                WHERE recall MATCH ? AND recall.rowid >= coalesce((SELECT min(rowid) FROM ({newest})), 0)
                  AND +state IN ({marks}) AND (? IS NULL OR +project = ? OR ({GLOBAL}))
                ORDER BY recall.rank, seq LIMIT ?""",
            (asked, asked, *states, project, project, limit),
        )
        return [number for (number,) in rows]


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the table, where it is missing, and fill it from the entries."""
    connection.execute(TABLE)
    connection.execute("DELETE FROM recall")
    rows = connection.execute("SELECT seq, body FROM entries")
    connection.executemany(
        "INSERT INTO recall (rowid, words, names) VALUES (?, ?, ?)",
        ((seq, *columns(encode(entry))) for seq, entry in sound(rows)),
    )


def columns(body: JSON) -> tuple[str, str]:
    """The words and the names of an encoded entry; the parts of compound names stand beside them."""
    words = f"{body['headline']} {body.get('insight', '')}"
    names = " ".join([*body.get("files", ()), *body.get("symbols", ()), *body.get("paths", ())])
    return f"{words} {' '.join(_parts(words))}".strip(), f"{names} {' '.join(_parts(names))}".strip()


def _parts(text: str) -> list[str]:
    """The parts of compound words, which the tokenizer leaves whole."""
    return [part for word in _WORD.findall(text) if len(parts := _CAMEL.split(word)) > 1 for part in parts]


def quoted(word: str) -> str:
    """A word as FTS5 takes it for one, whatever it means to it otherwise."""
    return '"' + word.replace('"', " ").replace("\0", " ") + '"'
