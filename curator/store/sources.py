"""The sources of entries: followed transcripts, projects with their folders, and sessions that a model has read.

The module also stores the adjustments learned from decisions, and the tokens and cost of a model's reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from curator.model import Project
from curator.model.codec import dumps
from curator.store.file import Queries, as_store_errors

SOURCE = "path, agent, followed, read_at, turns, error, unknown, sessions"


class Source(NamedTuple):
    """A transcript that was read: its position (the tail's text), its time, its number of turns and sessions, and its last
    error.

    ``unknown`` is JSON: the counts of records that gave no turn, by type, where most gave none.
    """

    path: str
    agent: str
    bookmark: str
    read_at: float
    turns: int
    error: str = ""
    unknown: str = "{}"
    sessions: int = 0


class Sources(Queries):
    """Queries and writes for transcripts, projects and learned adjustments. Writes join the caller's transaction."""

    def sources(self) -> dict[str, Source]:
        """Return every transcript that was read, by path."""
        return {row[0]: Source(*row) for row in self._rows(f"SELECT {SOURCE} FROM files")}

    def source(self, path: str) -> Source | None:
        """Return the current record of one transcript."""
        return next((Source(*row) for row in self._rows(f"SELECT {SOURCE} FROM files WHERE path = ?", path)), None)

    def save(self, source: Source) -> None:
        """Remember how far a transcript was read."""
        self._write(f"INSERT OR REPLACE INTO files ({SOURCE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *source)

    def first_sources(self, keys: Iterable[int]) -> dict[int, int]:
        """Return the first source of each turn, by key. Unknown turns are left out."""
        query = "SELECT key, source FROM first_tellers WHERE key IN (SELECT value FROM json_each(?))"
        return dict(self._rows(query, dumps([*keys])))

    def record_first_sources(self, tellers: Mapping[int, int]) -> None:
        """Record the source of each turn, by key, unless it has one."""
        with as_store_errors(self.path):
            self.connection.executemany("INSERT OR IGNORE INTO first_tellers VALUES (?, ?)", sorted(tellers.items()))

    def record_sighting(self, project: str, signature: str, session: str) -> int:
        """Record that a session met an error or a sentence. Return the number of such sessions; 0 if this one was known."""
        added = self._write("INSERT OR IGNORE INTO error_sessions VALUES (?, ?, ?)", project, signature, session)
        if added.rowcount <= 0:
            return 0
        query = "SELECT count(*) FROM error_sessions WHERE project = ? AND signature = ?"
        return int(self._rows(query, project, signature)[0][0])

    def count_sightings(self, signature: str) -> tuple[int, int]:
        """Return in how many projects a signature was met, and in how many sessions of one project at most."""
        query = (
            "SELECT count(*) FROM error_sessions WHERE project IN (SELECT id FROM projects) AND signature = ? GROUP BY project"
        )
        counts = [count for (count,) in self._rows(query, signature)]
        return len(counts), max(counts, default=0)

    def delete_session_errors(self, sessions: Iterable[str], signatures: Iterable[str]) -> None:
        """Delete the errors of these sessions, and the sessions of these errors."""
        for column, values in (("session", sessions), ("signature", signatures)):
            self._write(f"DELETE FROM error_sessions WHERE {column} IN (SELECT value FROM json_each(?))", dumps([*values]))

    def adjustments(self) -> dict[tuple[str, str], float]:
        """Return the log-odds that decisions add to scores, by (project, signal)."""
        rows = self._rows("SELECT project, signal, odds FROM learned")
        return {(project, signal): odds for project, signal, odds in rows}

    def adjustment(self, project: str, signal: str) -> float:
        """Return the same for one signal in a project: of all projects where there were no decisions in this one."""
        where = "signal = ? AND project IN ('', ?) ORDER BY project DESC LIMIT 1"
        rows = self._rows(f"SELECT odds FROM learned WHERE {where}", signal, project)
        return float(rows[0][0]) if rows else 0.0

    def learn(self, adjustments: Mapping[tuple[str, str], float]) -> None:
        """Replace the learned adjustments."""
        self._write("DELETE FROM learned")
        for (project, signal), odds in adjustments.items():
            self._write("INSERT INTO learned (project, signal, odds) VALUES (?, ?, ?)", project, signal, odds)

    def clear_adjustment(self, project: str, signal: str) -> None:
        """Forget the odds of a signal in a project, or in all where none is named."""
        self._write("DELETE FROM learned WHERE signal = ? AND (? = '' OR project = ?)", signal, project, project)

    def unlearn_times(self) -> dict[str, float]:
        """Return the time until which decisions teach nothing, by project."""
        return dict(self._rows("SELECT project, at FROM unlearned"))

    def unlearn(self, projects: Iterable[str], at: float) -> None:
        """Ignore the decisions of these projects until now in later learning."""
        for project in projects:
            self._write("INSERT OR REPLACE INTO unlearned VALUES (?, ?)", project, at)

    def record_active_day(self, day: int) -> None:
        """Record a day on which somebody could have decided, as days since the epoch."""
        self._write("INSERT OR IGNORE INTO days VALUES (?)", day)

    def active_days(self, until: int, limit: int) -> list[int]:
        """Return the last of these days, the newest first."""
        return [day for (day,) in self._rows("SELECT day FROM days WHERE day <= ? ORDER BY day DESC LIMIT ?", until, limit)]

    def projects(self) -> dict[str, Project]:
        """Return every project, by id."""
        rows = self._rows("SELECT id, name, folder, root_commit, remote FROM projects")
        return {row[0]: Project(id=row[0], name=row[1], folder=row[2], root_commit=row[3], remote=row[4]) for row in rows}

    def folders(self) -> dict[str, str]:
        """Return the project's id of every folder seen."""
        return dict(self._rows("SELECT folder, project FROM folders"))

    def remember(self, project: Project, folder: str) -> None:
        """Remember a project and that this folder belongs to it."""
        query = """INSERT INTO projects (id, name, folder, root_commit, remote) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET folder = excluded.folder, remote = excluded.remote"""
        self._write(query, project.id, project.name, project.folder, project.root_commit, project.remote)
        self._write("INSERT OR REPLACE INTO folders (folder, project) VALUES (?, ?)", folder, project.id)

    def links(self) -> dict[str, str]:
        """Return the project's id of every folder that a person has linked, unless the cards went back by undo."""
        undone = """SELECT verb = 'undo' FROM events WHERE "of" = links.batch ORDER BY seq DESC LIMIT 1"""
        return dict(self._rows(f"SELECT folder, project FROM links WHERE NOT coalesce(({undone}), 0)"))

    def link(self, folder: str, project: str, batch: str) -> None:
        """Remember the project for the statements in a folder, and the batch of the cards that moved with it."""
        self._write("INSERT OR REPLACE INTO links VALUES (?, ?, ?)", folder, project, batch)

    def unlink(self, folder: str) -> str:
        """Forget the link of a folder. Return its batch."""
        return str(self._write("DELETE FROM links WHERE folder = ? RETURNING batch", folder).fetchone()[0])


class Distilling(Queries):
    """Queries and writes for sessions that a model reads. Writes join the caller's transaction."""

    def sessions(self) -> dict[str, str]:
        """Return the digest of each session that was read, by the session's hash."""
        return dict(self.rows.ask("SELECT session, digest FROM distilled"))

    def files(self, scope: str) -> dict[str, float]:
        """Return the time of each transcript's last look that left nothing unread of a project (or at all, for "")."""
        return dict(self.rows.ask("SELECT path, max(at) FROM distilled_files WHERE scope IN ('', ?) GROUP BY path", (scope,)))

    def ask(self, session: str, model: str, at: float, tokens: int, cost: float) -> int:
        """Record that a session is about to be sent, and return the call's number. Its tokens count, unless it is refunded."""
        query = "INSERT INTO asked (at, session, model, tokens, cost) VALUES (?, ?, ?, ?, ?)"
        return self._write(query, at, session, model, tokens, cost).lastrowid or 0

    def refund(self, call: int) -> None:
        """Record that a call did not reach its model."""
        self._write("UPDATE asked SET tokens = 0, cost = 0 WHERE seq = ?", call)

    def finish(self, session: str, digest: str, model: str, at: float) -> None:
        """Remember a session as read."""
        query = "INSERT OR REPLACE INTO distilled (session, digest, model, at) VALUES (?, ?, ?, ?)"
        self._write(query, session, digest, model, at)

    def mark_read(self, path: str, scope: str, at: float) -> None:
        """Record that a transcript has nothing unread for a project (or at all, for "")."""
        self._write("INSERT OR REPLACE INTO distilled_files (path, scope, at) VALUES (?, ?, ?)", path, scope, at)

    def forget(self, session: str) -> None:
        """Delete the record of a session by its hash. Its tokens still count."""
        self._write("DELETE FROM distilled WHERE session = ?", session)
        self._write("UPDATE asked SET session = '' WHERE session = ?", session)

    def tokens_since(self, at: float) -> int:
        """Return the tokens that were sent and asked for since then."""
        return int(self.rows.ask("SELECT coalesce(sum(tokens), 0) FROM asked WHERE at >= ?", (at,))[0][0])

    def has_asked(self, model: str) -> bool:
        """Return whether this model was ever asked: a person has agreed to it then."""
        return bool(self.rows.ask("SELECT 1 FROM asked WHERE model = ? LIMIT 1", (model,)))

    def spending(self, since: float = 0.0) -> dict[str, tuple[int, int, float]]:
        """Return (sessions that it read, tokens, cost) by model, of all projects."""
        read = "EXISTS (SELECT 1 FROM distilled WHERE distilled.session = asked.session AND distilled.model = asked.model)"
        figures = f"model, count(DISTINCT session) FILTER (WHERE {read}), sum(tokens), sum(cost)"
        query = f"SELECT {figures} FROM asked WHERE at >= ? AND tokens > 0 GROUP BY model"
        rows = self._rows(query, since)
        return {model: (sessions, tokens, cost) for model, sessions, tokens, cost in rows}
