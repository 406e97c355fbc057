"""What a model has read: which sessions, as of which words, and what that took in tokens and money."""

from __future__ import annotations

from curator.store.errors import speaking
from curator.store.rows import Rows


class Distilling:
    """Queries and writes for sessions that a model reads; writes join the caller's transaction."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.connection = rows.connection
        self.path = rows.path

    def sessions(self) -> dict[str, str]:
        """The digest of each session that was read, by the session's hash."""
        return dict(self.rows.ask("SELECT session, digest FROM distilled"))

    def files(self, scope: str) -> dict[str, float]:
        """When each transcript was last looked through, with all sessions of a project (or all, for "") read or left out."""
        return dict(self.rows.ask("SELECT path, max(at) FROM distilled_files WHERE scope IN ('', ?) GROUP BY path", (scope,)))

    def ask(self, session: str, model: str, at: float, tokens: int, cost: float) -> None:
        """Say that a session is about to be sent. What was sent counts, whatever becomes of the answer."""
        self._write(
            "INSERT INTO asked (at, session, model, tokens, cost) VALUES (?, ?, ?, ?, ?)", at, session, model, tokens, cost
        )

    def finish(self, session: str, digest: str, model: str, at: float) -> None:
        """Remember a session as read."""
        self._write(
            "INSERT OR REPLACE INTO distilled (session, digest, model, at) VALUES (?, ?, ?, ?)", session, digest, model, at
        )

    def look_through(self, path: str, scope: str, at: float) -> None:
        """Remember a transcript of which nothing of a project (or nothing at all, for "") is unread."""
        self._write("INSERT OR REPLACE INTO distilled_files (path, scope, at) VALUES (?, ?, ?)", path, scope, at)

    def forget(self, session: str) -> None:
        """Drop what is known of a session, by its hash; what it took still counts."""
        self._write("DELETE FROM distilled WHERE session = ?", session)
        self._write("UPDATE asked SET session = '' WHERE session = ?", session)

    def tokens_since(self, at: float) -> int:
        """The tokens that were sent and asked for since then."""
        return int(self.rows.ask("SELECT coalesce(sum(tokens), 0) FROM asked WHERE at >= ?", (at,))[0][0])

    def asked(self, model: str) -> bool:
        """Whether this model was ever asked: a person has agreed to it then."""
        return bool(self.rows.ask("SELECT 1 FROM asked WHERE model = ? LIMIT 1", (model,)))

    def spent(self, since: float = 0.0) -> dict[str, tuple[int, int, float]]:
        """(sessions, tokens, cost) by model."""
        rows = self.rows.ask(
            "SELECT model, count(DISTINCT session), sum(tokens), sum(cost) FROM asked WHERE at >= ? GROUP BY model", (since,)
        )
        return {model: (sessions, tokens, cost) for model, sessions, tokens, cost in rows}

    def _write(self, statement: str, *values: object) -> None:
        with speaking(self.path):
            self.connection.execute(statement, values)
