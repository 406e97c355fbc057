"""Deliveries to agents, and their outcomes: receipts of decisions, the lessons in them, outcomes.

They are facts about sessions and not changes of lessons, so they are no events. They never leave the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from curator.model import JSON
from curator.model.codec import dumps
from curator.store import indexes
from curator.store.file import Queries, expect

TABLES = (
    """CREATE TABLE receipts (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    session TEXT NOT NULL,
    agent TEXT NOT NULL,
    project TEXT NOT NULL,
    body TEXT NOT NULL -- the decision: asked, shown, withheld
) STRICT""",
    "CREATE INDEX receipts_session ON receipts (session, at)",
    "CREATE INDEX receipts_project ON receipts (project, at)",
    """CREATE TABLE deliveries (
    receipt INTEGER NOT NULL REFERENCES receipts (seq),
    at REAL NOT NULL,
    lesson TEXT NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    event TEXT NOT NULL,
    rank INTEGER NOT NULL, -- 1 the first
    score REAL NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (lesson, session, receipt)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX deliveries_session ON deliveries (session, lesson)",
    "CREATE INDEX deliveries_receipt ON deliveries (receipt)",
    """CREATE TABLE outcomes (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    lesson TEXT NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    kind TEXT NOT NULL, -- helped, ignored, hurt
    source TEXT NOT NULL, -- who or what says so: report, decision, again, against, quiet
    weight REAL NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    forgot INTEGER NOT NULL DEFAULT 0, -- a person reset what was learnt
    UNIQUE (lesson, session, source)
) STRICT""",
    """CREATE TABLE delivery_sessions (
    session TEXT PRIMARY KEY, -- in which lessons were sent, and whose transcript was read
    last REAL NOT NULL, -- its last turn
    judged REAL NOT NULL DEFAULT -1 -- its last turn when it was taken to be over
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE drained (
    file TEXT PRIMARY KEY, -- of the spool
    offset INTEGER NOT NULL
) STRICT, WITHOUT ROWID""",
)
BY_SESSION = ("deliveries", "outcomes", "receipts", "delivery_sessions")
"""The tables that have a column of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One decision of a hook: ``body`` has asked, shown and withheld, as the hook wrote them."""

    at: float
    session: str
    agent: str
    project: str
    body: JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a lesson in a session: helped, ignored or hurt. ``source`` names the person or process that reported
    it.
    """

    lesson: str
    session: str
    project: str
    at: float
    kind: str
    source: str
    weight: float = 1.0
    note: str = ""


class Deliveries(Queries):
    """Queries and writes for receipts, deliveries and outcomes. Writes join the caller's transaction."""

    def add(self, receipts: Iterable[Receipt]) -> int:
        """Store decisions and the lessons that they delivered. Return the number of decisions.

        If the agent is known to ignore the answer (``unheard``), nothing was delivered and there is no outcome.
        """
        count = 0
        for receipt in receipts:
            count += 1
            seq = self.connection.execute(
                "INSERT INTO receipts (at, session, agent, project, body) VALUES (?, ?, ?, ?, ?)",
                (receipt.at, receipt.session, receipt.agent, receipt.project, dumps(receipt.body)),
            ).lastrowid
            event = str(receipt.body.get("event", ""))
            shown = () if receipt.body.get("unheard") else receipt.body.get("shown", ())
            self.connection.executemany(
                "INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (seq, receipt.at, lesson, receipt.session, receipt.project, event, rank, score, tokens)
                    for lesson, rank, score, tokens, *_ in shown
                ),
            )
        return count

    def receipts(self, session: str) -> list[Receipt]:
        """Return the decisions of a session, in order."""
        rows = self._rows("SELECT at, session, agent, project, body FROM receipts WHERE session = ? ORDER BY at, seq", session)
        return self.rows.readable(((f"a receipt of {session}", row) for row in rows), _receipt)

    def sessions(self, prefix: str = "", project: str | None = None, limit: int = 3) -> list[str]:
        """Return sessions with decisions whose id begins with a prefix, of a project or all, latest first."""
        escaped = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        query = """SELECT session FROM receipts WHERE session LIKE ? ESCAPE '\\' AND (? IS NULL OR project = ?)
            GROUP BY session ORDER BY max(at) DESC LIMIT ?"""
        rows = self._rows(query, f"{escaped}%", project, project, limit)
        return [session for (session,) in rows]

    def last_hook_session(self, project: str, agent: str, after: float, besides: str) -> str:
        """Return this agent's latest session after a time, from any moment except ``besides``; empty if there is none."""
        query = """SELECT session FROM receipts WHERE project = ? AND at > ? AND agent = ? AND body ->> 'moment' != ?
            ORDER BY at DESC LIMIT 1"""
        rows = self._rows(query, project, after, agent, besides)
        return rows[0][0] if rows else ""

    def first_deliveries(self, session: str) -> dict[str, float]:
        """Return the lessons sent in a session, with when each was sent first."""
        return dict(self._rows("SELECT lesson, min(at) FROM deliveries WHERE session = ? GROUP BY lesson", session))

    def project_of(self, lesson: str, session: str) -> str:
        """Return the project in which a session got a lesson; empty if there is none. A global lesson may come from another
        one.
        """
        query = "SELECT project FROM deliveries WHERE lesson = ? AND session = ? ORDER BY at DESC LIMIT 1"
        rows = self._rows(query, lesson, session)
        return str(rows[0][0]) if rows else ""

    def record(self, outcome: Outcome) -> bool:
        """Store an outcome of a sent lesson, once per session and source, and update its odds. The last report counts.

        Return whether anything changed.
        """
        before = self.connection.total_changes
        self.connection.execute(
            """INSERT INTO outcomes (at, lesson, session, project, kind, source, weight, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (lesson, session, source) DO UPDATE
               SET kind = excluded.kind, weight = excluded.weight, note = excluded.note, at = excluded.at, forgot = 0
               WHERE kind != excluded.kind OR weight != excluded.weight OR note != excluded.note OR forgot""",
            (outcome.at, outcome.lesson, outcome.session, outcome.project, outcome.kind, outcome.source, outcome.weight,
             outcome.note),
        )  # fmt: skip
        changed = self.connection.total_changes > before
        if changed:
            indexes.renew_odds(self.connection, [outcome.lesson])
        return changed

    def retract(self, lesson: str, session: str, source: str) -> None:
        """Remove a source's outcome of a lesson in a session."""
        query = "DELETE FROM outcomes WHERE lesson = ? AND session = ? AND source = ?"
        if self._write(query, lesson, session, source).rowcount:
            indexes.renew_odds(self.connection, [lesson])

    def first(self, lesson: str) -> float | None:
        """Return the time at which a lesson was first sent. Return ``None`` if it never was."""
        at = self._rows("SELECT min(at) FROM deliveries WHERE lesson = ?", lesson)[0][0]
        return None if at is None else float(at)

    def sessions_with_outcome(self, lesson: str, source: str) -> set[str]:
        """Return the sessions with an outcome from a source, including reset ones. For decisions, return the batches."""
        rows = self._rows("SELECT session FROM outcomes WHERE lesson = ? AND source = ?", lesson, source)
        return {session for (session,) in rows}

    def record_read(self, session: str, last: float) -> None:
        """Record that a transcript of a session was read until a time. Only sessions with sent lessons are stored."""
        query = """INSERT INTO delivery_sessions (session, last)
            SELECT ?, ? WHERE EXISTS (SELECT 1 FROM deliveries WHERE session = ?1)
            ON CONFLICT (session) DO UPDATE SET last = max(last, excluded.last)"""
        self._write(query, session, last)

    def finished_sessions(self, before: float) -> list[str]:
        """Return finished sessions that were read and have continued since their last outcome, if any. Their last turn is
        before a time.
        """
        rows = self._rows("SELECT session FROM delivery_sessions WHERE last < ? AND judged < last", before)
        return [session for (session,) in rows]

    def lessons_with_outcome(self, session: str) -> set[str]:
        """Return the lessons with an outcome in a session."""
        return {lesson for (lesson,) in self._rows("SELECT DISTINCT lesson FROM outcomes WHERE session = ?", session)}

    def mark_judged(self, session: str) -> None:
        """Record that a finished session was judged."""
        self.connection.execute("UPDATE delivery_sessions SET judged = last WHERE session = ?", (session,))

    def outcomes(self, lesson: str) -> list[Outcome]:
        """Return the outcomes of a sent lesson in order, without reset ones."""
        names = ("lesson", "session", "project", "at", "kind", "source", "weight", "note")
        query = f"SELECT {', '.join(names)} FROM outcomes WHERE lesson = ? AND forgot = 0 ORDER BY at, seq"
        return [Outcome(**dict(zip(names, row, strict=True))) for row in self._rows(query, lesson)]

    def reset(self, project: str | None = None) -> int:
        """Ignore the outcomes until now of a project's lessons, or of all. Return their number."""
        where, values = "forgot = 0 AND (? IS NULL OR project = ?)", (project, project)
        touched = self.connection.execute(f"SELECT DISTINCT lesson FROM outcomes WHERE {where}", values).fetchall()
        count = self.connection.execute(f"UPDATE outcomes SET forgot = 1 WHERE {where}", values).rowcount
        indexes.renew_odds(self.connection, [id_ for (id_,) in touched])
        return count

    def prune(self, before: float) -> int:
        """Delete older receipts of decisions that sent nothing. Return their number."""
        query = "DELETE FROM receipts WHERE at < ? AND NOT EXISTS (SELECT 1 FROM deliveries WHERE receipt = receipts.seq)"
        return self._write(query, before).rowcount

    def stats_by_lesson(self, project: str | None = None, lesson: str | None = None, since: float = 0.0) -> dict[str, JSON]:
        """Return, by lesson sent since a time, the fields of ``statistics.DeliveryStats``: of a project, one lesson, or all."""
        scope = "(? IS NULL OR project = ?) AND (? IS NULL OR lesson = ?) AND at >= ?"
        values = (project, project, lesson, lesson, since)
        query = f"""SELECT lesson, count(*), count(DISTINCT session), min(at), max(at), sum(tokens)
            FROM deliveries WHERE {scope} GROUP BY lesson"""
        sent = self._rows(query, *values)
        query = f"""SELECT lesson, kind, sum(weight), sum(source IN ('again', 'against'))
            FROM outcomes WHERE {scope} AND forgot = 0 GROUP BY lesson, kind"""
        came = self._rows(query, *values)
        names = ("times", "sessions", "first", "last", "tokens")
        found: dict[str, JSON] = {id_: dict(zip(names, counts, strict=True)) for id_, *counts in sent}
        for id_, kind, weight, again in came:
            fields = found.setdefault(id_, {})
            fields |= {kind: weight, "again": fields.get("again", 0) + again}
        return found

    def count_hook_calls(self, project: str, since: float, most: int) -> int:
        """Return the number of hook calls in a project since a time, counted up to ``most``."""
        query = "SELECT count(*) FROM (SELECT 1 FROM receipts WHERE project = ? AND at > ? LIMIT ?)"
        return int(self._rows(query, project, since, most)[0][0])

    def last_work(self, project: str) -> dict[str, float]:
        """Return the last time at which a hook of a project asked about each file."""
        files = "json_each(CASE WHEN json_valid(body) THEN body END, '$.asked.files')"
        query = f"SELECT value, max(at) FROM receipts, {files} WHERE project = ? GROUP BY value"
        return dict(self._rows(query, project))

    def spool_offsets(self) -> Mapping[str, int]:
        """Return how far each file of the spool was read, in bytes."""
        return dict(self._rows("SELECT file, offset FROM drained"))

    def set_spool_offset(self, file: str, offset: int | None) -> None:
        """Record how far a file of the spool was read. ``None`` means that the file is gone."""
        if offset is None:
            self.connection.execute("DELETE FROM drained WHERE file = ?", (file,))
        else:
            self.connection.execute("INSERT OR REPLACE INTO drained VALUES (?, ?)", (file, offset))

    def forget(self, lessons: Iterable[str], sessions: Iterable[str], asked: Iterable[str] = ()) -> None:
        """Purge the deliveries of these lessons, and all decisions of these sessions.

        In the sessions ``asked``, only the questions are removed. The deliveries stay.
        """
        for id_ in lessons:
            for table in ("deliveries", "outcomes"):
                self.connection.execute(f"DELETE FROM {table} WHERE lesson = ?", (id_,))
        for session in sessions:
            for table in BY_SESSION:
                self.connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
        for session in asked:
            self._write("UPDATE receipts SET body = json_set(body, '$.asked.prompt', '') WHERE session = ?", session)


def _receipt(row: tuple[Any, ...]) -> Receipt:
    at, session, agent, project, body = expect(row, (float, str, str, str))
    return Receipt(at=at, session=session, agent=agent, project=project, body=dict(json.loads(body)))
