"""The indexes of lessons: full text, and the words and places for the ranking. Both are derived and can be rebuilt.

The full text uses FTS5 with its Porter stemmer. A row has the number of its entry, which gives the project and state.

The ranking reads the words and places of every active lesson. Terms come from ``curator.text.words``, each with its lessons. So
a question reads only the words that it shares with its own project. ``curator.store.hook_reader`` reads it.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from curator.model import JSON, Durability, Entry, Finding, State
from curator.model.codec import dumps, encode
from curator.store import hook_reader
from curator.store.entries import GLOBAL
from curator.store.file import Queries, as_store_errors, field, valid_entries
from curator.text.statement import oneline, origin, quote_text
from curator.text.words import MAX_WORD_CHARACTERS, path_terms, terms


def digest(text: str) -> str:
    """Return a hash that is different for different words."""
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()


COLUMNS = frozenset(("headline", "insight", "files", "symbols", "paths"))
"""The indexed parts of an entry: a change of another part leaves its row alone."""
TEXTS = """CREATE VIRTUAL TABLE IF NOT EXISTS recall USING fts5(
    words, names, tokenize = "porter unicode61 remove_diacritics 2")"""
MAX_RANKED_ENTRIES = 400
"""Maximum number of entries ranked by the rarest words together. One word alone may lead to as many."""
RANKED = 1_000
"""The number of newest entries ranked for any words: a limit, since frequent words would take ever more time."""
MAX_QUERY_WORDS = 12
"""Words that are looked for at most."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")


class FullText(Queries):
    """Finds entries by words. Writes join the caller's transaction."""

    def find(
        self, words: Iterable[str], project: str | None, states: Sequence[State], limit: int, *, rivals: Iterable[str] = ()
    ) -> list[Entry]:
        """Return a project's entries (``None``: all projects) and global lessons that share the rarest of these words, best
        first.

        For ``rivals``, frequent words count too, because the rank decides there.
        """
        if not self._any(project, states):
            return []
        return self.rows.entries(self._rank("id, body", tuple(words), project, states, limit, tuple(rivals)))

    def texts(self, words: Iterable[str], project: str | None, states: Sequence[State], limit: int) -> list[tuple[str, str]]:
        """Return (id, insight or headline) of the same entries, without decoding all fields."""
        found = self._rank(f"id, coalesce(nullif({field('insight')}, ''), headline)", tuple(words), project, states, limit, ())
        return [(id_, text) for id_, text in found]

    def write(self, seq: int, body: JSON) -> None:
        """Index an encoded entry under its number, replacing an earlier version."""
        self.connection.execute("INSERT OR REPLACE INTO recall (rowid, words, names) VALUES (?, ?, ?)", (seq, *columns(body)))

    def remove(self, seq: int) -> None:
        """Take an entry out."""
        self.connection.execute("DELETE FROM recall WHERE rowid = ?", (seq,))

    def purge(self) -> None:
        """Remove all traces of deleted text. A removed word stays in its segment until that is rewritten."""
        self.connection.execute("INSERT INTO recall (recall) VALUES ('optimize')")

    def _rarest(self, words: tuple[str, ...]) -> list[str]:
        """Return the rarest words, quoted: at least two, and more while they lead to few entries."""
        split = dict.fromkeys(part.lower() for word in words for part in (*_WORD.findall(word), *_parts(word)) if len(part) > 1)
        if len(split) <= 2:
            return [*map(quote, split)]
        count = "SELECT count(*) FROM (SELECT 1 FROM recall WHERE recall MATCH ? LIMIT ?)"
        counts = [
            (self.connection.execute(count, (quote(word), MAX_RANKED_ENTRIES)).fetchone()[0], quote(word)) for word in split
        ]
        chosen: list[str] = []
        total = 0
        for number, word in sorted(pair for pair in counts if pair[0]):
            if len(chosen) >= MAX_QUERY_WORDS or (
                total + number > MAX_RANKED_ENTRIES and (len(chosen) >= 2 or (chosen and number == MAX_RANKED_ENTRIES))
            ):
                break
            chosen.append(word)
            total += number
        return chosen

    def _rank(
        self, what: str, words: tuple[str, ...], project: str | None, states: Sequence[State], limit: int, rivals: Sequence[str]
    ) -> list[Any]:
        """Return these columns of the best entries. Matches of rivals follow those of words, each entry once."""
        with as_store_errors(self.path):
            found: dict[int, None] = {}
            for terms in (self._rarest(words), [quote(word) for word in rivals]):
                if terms:
                    found |= dict.fromkeys(self._numbers(" OR ".join(terms), project, states, limit))
            query = f"SELECT seq, {what} FROM entries WHERE seq IN (SELECT value FROM json_each(?))"
            by_number = {seq: rest for seq, *rest in self._rows(query, dumps([*found]))}
        return [by_number[number] for number in found if number in by_number]

    def _any(self, project: str | None, states: Sequence[State]) -> bool:
        """Return whether there is anything to find: most projects have no lessons yet."""
        here = f"SELECT 1 FROM entries WHERE state = ?{'' if project is None else ' AND project = ?'} LIMIT 1"
        values = [] if project is None else [project]
        everywhere = f"SELECT 1 FROM entries WHERE {GLOBAL} LIMIT 1"
        with as_store_errors(self.path):
            return any(self.connection.execute(here, (state, *values)).fetchone() for state in states) or (
                State.ACTIVE in states and self.connection.execute(everywhere).fetchone() is not None
            )

    def _numbers(self, expression: str, project: str | None, states: Sequence[State], limit: int) -> list[int]:
        """Return the numbers of the best. A unary plus keeps SQLite from reading all entries of the project instead."""
        marks = ", ".join("?" * len(states))
        newest = f"SELECT rowid FROM recall WHERE recall MATCH ? ORDER BY rowid DESC LIMIT {RANKED}"
        rows = self.connection.execute(
            f"""SELECT seq FROM recall CROSS JOIN entries ON seq = recall.rowid
                WHERE recall MATCH ? AND recall.rowid >= coalesce((SELECT min(rowid) FROM ({newest})), 0)
                  AND +state IN ({marks}) AND (? IS NULL OR +project = ? OR ({GLOBAL}))
                ORDER BY recall.rank, seq LIMIT ?""",
            (expression, expression, *states, project, project, limit),
        )
        return [number for (number,) in rows]


def rebuild_full_text(connection: sqlite3.Connection) -> None:
    """Make the table, where it is missing, and fill it from the entries."""
    connection.execute(TEXTS)
    connection.execute("DELETE FROM recall")
    rows = connection.execute("SELECT seq, body FROM entries")
    connection.executemany(
        "INSERT INTO recall (rowid, words, names) VALUES (?, ?, ?)",
        ((seq, *columns(encode(entry))) for seq, entry in valid_entries(rows)),
    )


def columns(body: JSON) -> tuple[str, str]:
    """Return the words and the names of an encoded entry, with the parts of compound names."""
    words = f"{body['headline']} {body.get('insight', '')}"
    names = " ".join([*body.get("files", ()), *body.get("symbols", ()), *body.get("paths", ())])
    return f"{words} {' '.join(_parts(words))}".strip(), f"{names} {' '.join(_parts(names))}".strip()


def _parts(text: str) -> list[str]:
    """Return the parts of compound words, which the tokenizer leaves whole."""
    mixed = (word for word in _WORD.findall(text) if not word.islower())
    return [part for word in mixed if len(parts := _CAMEL.split(word)) > 1 for part in parts]


def quote(word: str) -> str:
    """Return a word quoted for FTS5, so that it is never an operator."""
    return '"' + word.replace('"', " ").replace("\0", " ") + '"'


TABLES = (
    """CREATE TABLE IF NOT EXISTS lessons (
    seq INTEGER PRIMARY KEY, -- that of its entry
    id TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL, -- '' for global ones
    line TEXT NOT NULL, -- what it says
    scope TEXT NOT NULL,
    places TEXT NOT NULL, -- a line each: globs of its scope, and files and folders it speaks of behind a "="
    length INTEGER NOT NULL, -- terms
    outcome_odds REAL NOT NULL, -- what came of sending it: see outcomes
    created REAL NOT NULL,
    always INTEGER NOT NULL, -- what speaks for sending it at every start: 1 it was stated in several sessions, 2 it is pinned
    fades REAL NOT NULL, -- when a temporary lesson is old; 0 for others
    stale TEXT NOT NULL, -- what its code has become, where that matters
    after TEXT NOT NULL, -- a line each: the lessons that it replaces; what it may contradict behind a !, copies behind a =
    message TEXT NOT NULL -- what agents are sent: what it says in quotes, with its origin
) STRICT""",
    "CREATE INDEX IF NOT EXISTS lessons_project ON lessons (project, scope, always, outcome_odds, length)",
    "CREATE INDEX IF NOT EXISTS lessons_related ON lessons (project, id, after) WHERE after != ''",
    """CREATE TABLE IF NOT EXISTS lesson_terms (
    term TEXT NOT NULL,
    project TEXT NOT NULL,
    lesson INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (term, project, lesson)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS lesson_terms_lesson ON lesson_terms (lesson)",
    """CREATE TABLE IF NOT EXISTS lesson_places (
    place TEXT NOT NULL, -- a file or folder, without wildcards
    project TEXT NOT NULL,
    lesson INTEGER NOT NULL,
    PRIMARY KEY (place, project, lesson)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS lesson_places_lesson ON lesson_places (lesson)",
    """CREATE TABLE IF NOT EXISTS stating_files (
    lesson TEXT NOT NULL, -- its id
    project TEXT NOT NULL, -- whose file it is: a global lesson holds in several
    file TEXT NOT NULL, -- which says the same
    PRIMARY KEY (lesson, project, file)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS compared (
    project TEXT PRIMARY KEY,
    stamp TEXT NOT NULL -- of files and lessons when they were compared: see app.agent_files
) STRICT, WITHOUT ROWID""",
)
RANKING = ("lessons", "lesson_terms", "lesson_places", "stating_files", "compared")
"""The names of these tables."""
BESIDES = ("stating_files",)
"""Tables with facts about a lesson's words, by its id. Their rows are deleted with the words."""
SERVED = frozenset(
    """state headline insight scope paths files symbols anchors durability findings project supersedes rival proposal updated
    evidence kept keeper""".split()
)
"""The parts of an entry that make the index: a change of another part leaves it alone."""
FADED_SECONDS = 14 * 86_400.0
"""Seconds without a touch after which a temporary lesson is old."""
AGAINST, COPY = "!", "="
"""The marks for ``ranking`` before a lesson that may contradict this one, and before one that says nearly the same."""
GLOBS = frozenset("*?[{")


class Line(NamedTuple):
    """A lesson of the index. See the columns of the same names. ``text`` is its line."""

    id: str
    text: str
    places: tuple[str, ...]
    outcome_odds: float
    created: float
    message: str
    copies: tuple[str, ...] = ()


class RankingIndex:
    """Keeps the index in step with the entries. It joins the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def write(self, seq: int, entry: Entry) -> None:
        """Index a lesson, replacing its earlier version. Remove an entry that is no active lesson."""
        write(self.connection, seq, entry)

    def remove(self, seq: int) -> None:
        """Take a lesson out."""
        for table in BESIDES:
            self.connection.execute(f"DELETE FROM {table} WHERE lesson = (SELECT id FROM lessons WHERE seq = ?)", (seq,))
        _take_out(self.connection, seq)

    def lines(self, project: str) -> list[Line]:
        """Return the lines to send for a project's lessons and the global ones, in the order of proposal."""
        rows = self.connection.execute(
            """SELECT id, line, places, outcome_odds, created, message, after
               FROM lessons WHERE project IN (?, '') ORDER BY seq""",
            (project,),
        ).fetchall()
        return [
            Line(id_, text, tuple(places.split("\n")) if places else (), odds, created, message, _copies(after))
            for id_, text, places, odds, created, message, after in rows
        ]

    def statements(self, project: str) -> list[tuple[str, str]]:
        """Return (lesson, file of the project that says the same)."""
        query = "SELECT lesson, file FROM stating_files WHERE project = ? ORDER BY 1, 2"
        return self.connection.execute(query, (project,)).fetchall()

    def comparison_stamp(self, project: str) -> str:
        """Return the stamp of a project's files and lessons at their last comparison; empty if there was none."""
        row = self.connection.execute("SELECT stamp FROM compared WHERE project = ?", (project,)).fetchone()
        return row[0] if row else ""

    def write_statements(self, project: str, statements: Sequence[tuple[str, str]], stamp: str) -> None:
        """Store the files of a project that state its lessons, replacing the earlier list."""
        self.connection.execute("DELETE FROM stating_files WHERE project = ?", (project,))
        self.connection.executemany(
            "INSERT OR IGNORE INTO stating_files VALUES (?, ?, ?)", ((id_, project, file) for id_, file in statements)
        )
        self.connection.execute("INSERT OR REPLACE INTO compared VALUES (?, ?)", (project, stamp))


def _copies(after: str) -> tuple[str, ...]:
    return tuple(one.removeprefix(COPY) for one in after.split("\n") if one.startswith(COPY))


def create(connection: sqlite3.Connection) -> None:
    """Make the tables where they are missing."""
    for table in TABLES:
        connection.execute(table)


def rebuild_ranking(connection: sqlite3.Connection) -> None:
    """Rebuild the index from the entries."""
    for table in RANKING:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    create(connection)
    for seq, entry in valid_entries(connection.execute("SELECT seq, body FROM entries WHERE state = 'active'").fetchall()):
        write(connection, seq, entry)


def write(connection: sqlite3.Connection, seq: int, entry: Entry) -> None:
    """See ``RankingIndex.write``."""
    before = connection.execute("SELECT line FROM lessons WHERE seq = ?", (seq,)).fetchone()
    if before:
        _take_out(connection, seq)
    if before and (entry.state is not State.ACTIVE or before[0] != oneline(entry)):
        for table in BESIDES:
            connection.execute(f"DELETE FROM {table} WHERE lesson = ?", (entry.id,))
    if entry.state is not State.ACTIVE:
        return
    counted, project = term_counts(entry), owner(entry)
    values = (*row(seq, entry, counted.total(), outcome_odds(connection, entry.id)), project, entry.created)
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO lessons ({hook_reader.COLUMNS}, project, created) VALUES ({marks})", values)
    connection.executemany(
        "INSERT INTO lesson_terms VALUES (?, ?, ?, ?)", ((term, project, seq, times) for term, times in counted.items())
    )
    connection.executemany(
        "INSERT OR IGNORE INTO lesson_places VALUES (?, ?, ?)", ((place, project, seq) for place in literal_places(entry))
    )


def owner(entry: Entry) -> str:
    """Return the project of a lesson in the index: empty for a global one."""
    return "" if entry.scope == "global" else entry.project


def term_counts(entry: Entry) -> Counter[str]:
    """Return how often a lesson has each of its terms."""
    found = terms(entry.headline)
    if entry.insight != entry.headline:
        found += terms(entry.insight)
    for symbol in {*entry.symbols, *(anchor.symbol for anchor in entry.anchors)}:
        found += terms(symbol)
    for path in {place.lstrip("=").rstrip("*/") for place in places(entry)}:
        found += path_terms(path)
    return Counter([term for term in found if len(term) <= MAX_WORD_CHARACTERS])


def row(seq: int, entry: Entry, length: int, odds: float) -> tuple[Any, ...]:
    """Return the row of an active lesson with this number of terms, in the order of ``hook_reader.COLUMNS``."""
    line = oneline(entry)
    return (
        seq,
        entry.id,
        line,
        entry.scope,
        "\n".join(places(entry)),
        max(1, length),
        odds,
        session_start_weight(entry),
        entry.updated + FADED_SECONDS if entry.durability is Durability.TEMPORARY else 0.0,
        _stale(entry.findings),
        "\n".join([*entry.supersedes, *_relations(entry)]),
        f"{quote_text(line)} ({origin(entry)})",
    )


def _relations(entry: Entry) -> Iterator[str]:
    """Yield the lessons that a lesson may contradict or repeat, without a decision yet, each after its mark."""
    if entry.rival:
        yield f"{COPY if entry.rival.repeats else AGAINST}{entry.rival.other}"
    for id_ in entry.proposal.copies if entry.proposal else ():
        yield f"{COPY}{id_}"


def session_start_weight(entry: Entry) -> int:
    """Return the strength of a lesson for every session start: see the column."""
    if entry.durability is Durability.PINNED:
        return 2
    return int(len({one.session for one in entry.evidence if one.session}) > 1)


def _take_out(connection: sqlite3.Connection, seq: int) -> None:
    """Remove a lesson's own rows. The statements in files stay."""
    for table, column in (("lessons", "seq"), ("lesson_terms", "lesson"), ("lesson_places", "lesson")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (seq,))


def places(entry: Entry) -> list[str]:
    """Return the globs of its scope, and after a ``=`` its linked files."""
    files = dict.fromkeys([anchor.path for anchor in entry.anchors] + list(entry.files))
    return [*entry.paths, *(f"={file}" for file in files if file and not file.startswith(("/", "..", "~")))]


def literal_places(entry: Entry) -> Iterator[str]:
    """Yield the paths for looking up a lesson: the folder before a path's first wildcard, and for a file also its folder."""
    for place in places(entry):
        if place.startswith("="):
            yield place[1:]
            if "/" in place:
                yield place[1:].rpartition("/")[0]
            continue
        parts = []
        for part in place.split("/"):
            if GLOBS.intersection(part):
                break
            parts.append(part)
        if any(parts):
            yield "/".join(parts)


def _stale(findings: tuple[Finding, ...]) -> str:
    """Return the worst state of its code that matters, or ``edited`` for a small change."""
    worst = max(findings, key=lambda finding: finding.severity, default=None)
    if worst is None or not worst.alarming:
        return ""
    return "edited" if worst.drift.state == "changed" and not worst.grave else worst.drift.state


def renew_odds(connection: sqlite3.Connection, lessons: Iterable[str]) -> None:
    """Update the odds of these lessons from their outcomes."""
    for id_ in lessons:
        connection.execute("UPDATE lessons SET outcome_odds = ? WHERE id = ?", (outcome_odds(connection, id_), id_))


def outcome_odds(connection: sqlite3.Connection, id_: str) -> float:
    """Return the outcomes of a lesson as log-odds compared with a new one: see ``upper_odds``."""
    rows = connection.execute("SELECT kind, sum(weight) FROM outcomes WHERE lesson = ? AND forgot = 0 GROUP BY kind", (id_,))
    sums = dict(rows.fetchall())
    return upper_odds(sums.get("helped", 0.0), sums.get("hurt", 0.0) + sums.get("ignored", 0.0))


def upper_odds(helped: float, hurt: float) -> float:
    """Return the upper bound (mean and one deviation) of Beta(helped + 1, hurt + 1), in log-odds compared with a new lesson.

    A new lesson gets 0. A lesson that helped gets more, and one that did not help gets less. The result is between -2 and 1.

    >>> round(upper_odds(0, 0), 2), round(upper_odds(3, 0), 2), round(upper_odds(0, 3), 2)
    (0.0, 1.0, -1.88)
    """
    return round(min(1.0, max(-2.0, _upper(helped + 1.0, hurt + 1.0) - _upper(1.0, 1.0))), 4)


def _upper(a: float, b: float) -> float:
    total = a + b
    bound = min(0.99, a / total + math.sqrt(a * b / (total * total * (total + 1.0))))
    return math.log(bound / (1.0 - bound))
