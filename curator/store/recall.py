"""The index by which lessons are found: words and names of every entry, beside it in the same transaction.

FTS5 with its Porter stemmer. A row has the number of its entry; project and state are read off the entry. It holds what
``entries`` holds, so it can be made anew at any time.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from curator.codec import decode
from curator.model import JSON, Entry, State
from curator.store.entries import GLOBAL
from curator.store.faults import speaking

COLUMNS = frozenset(("headline", "insight", "files", "symbols", "paths"))
"""What of an entry is indexed: a change of anything else leaves its row alone."""
TABLE = """CREATE VIRTUAL TABLE IF NOT EXISTS recall USING fts5(
    words, names, tokenize = "porter unicode61 remove_diacritics 2", detail = column)"""
FEW = 400
"""So many entries are ranked at most for the sake of the rarest words together; a word alone may lead to as many."""
MOST = 12
"""Words that are looked for at most."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"\w+")


class Recall:
    """Finds entries by words; writes join the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path

    def find(
        self, words: Iterable[str], project: str | None, states: Sequence[State], limit: int, *, rivals: Iterable[str] = ()
    ) -> list[Entry]:
        """The entries of a project (``None`` for all), and global lessons, that share the rarest of these words, best first.

        ``rivals`` are looked for however many have them: there the rank decides.
        """
        asked = [self._rarest(words), [_quoted(word) for word in dict.fromkeys(rivals)]]
        found: dict[int, str] = {}
        for terms in asked:
            if terms:
                found |= self._ranked(" OR ".join(terms), project, states, limit)
        return [decode(json.loads(body)) for body in found.values()]

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

    def _rarest(self, words: Iterable[str]) -> list[str]:
        """The rarest words, quoted; as many as lead to few entries, two at least."""
        split = dict.fromkeys(part.lower() for word in words for part in (*_WORD.findall(word), *_parts(word)) if len(part) > 1)
        count = "SELECT count(*) FROM (SELECT 1 FROM recall WHERE recall MATCH ? LIMIT ?)"
        with speaking(self.path):
            held = [(self.connection.execute(count, (_quoted(word), FEW)).fetchone()[0], _quoted(word)) for word in split]
        chosen: list[str] = []
        total = 0
        for number, word in sorted(pair for pair in held if pair[0]):
            if len(chosen) >= MOST or (total + number > FEW and len(chosen) >= 2):
                break
            chosen.append(word)
            total += number
        return chosen

    def _ranked(self, asked: str, project: str | None, states: Sequence[State], limit: int) -> dict[int, str]:
        """Bodies by number, best first. The unary plus keeps SQLite from reading all entries of the project instead."""
        marks = ", ".join("?" * len(states))
        where = f"+state IN ({marks}) AND (? IS NULL OR +project = ? OR ({GLOBAL}))"
        statement = f"""SELECT seq, body FROM
            (SELECT recall.rowid AS number, recall.rank AS worth FROM recall
             CROSS JOIN entries ON seq = recall.rowid WHERE recall MATCH ? AND {where} ORDER BY recall.rank LIMIT ?)
            CROSS JOIN entries ON seq = number ORDER BY worth, seq"""
        with speaking(self.path):
            return dict(self.connection.execute(statement, (asked, *states, project, project, limit)).fetchall())


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the table, where it is missing, and fill it from the entries."""
    connection.execute(TABLE)
    connection.execute("DELETE FROM recall")
    rows = connection.execute("SELECT seq, body FROM entries")
    connection.executemany(
        "INSERT INTO recall (rowid, words, names) VALUES (?, ?, ?)", ((seq, *columns(json.loads(body))) for seq, body in rows)
    )


def columns(body: JSON) -> tuple[str, str]:
    """The words and the names of an encoded entry; the parts of compound names stand beside them."""
    words = f"{body['headline']} {body.get('insight', '')}"
    names = " ".join([*body.get("files", ()), *body.get("symbols", ()), *body.get("paths", ())])
    return f"{words} {' '.join(_parts(words))}".strip(), f"{names} {' '.join(_parts(names))}".strip()


def _parts(text: str) -> list[str]:
    """The parts of compound words that the tokenizer leaves whole."""
    return [part for word in _WORD.findall(text) for part in re.split(r"_+", _CAMEL.sub("_", word)) if part and part != word]


def _quoted(word: str) -> str:
    return '"' + word.replace('"', " ") + '"'
