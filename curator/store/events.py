"""The append-only log of events: actions, their actors, and the batches that can be undone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from curator.model import FROM_FILE, IN_AGENT, JSON, PERSON, Event, Verb
from curator.model.codec import dumps
from curator.store.file import Queries, as_store_errors, expect, field

VALUES = 'batch, at, actor, verb, id, project, before, after, "of", seconds'
FIELDS = f"seq, {VALUES}"
TYPES = (int, str, float, str, str, str, str)
DECISION = (str, str, str, str, (float, int), float)
LATEST = 253_370_764_800.0
"""The year 9999: dates end there."""
IN_FORCE = """(coalesce((SELECT later.verb FROM events AS later WHERE later."of" = events.batch AND later."of" != ''
                      ORDER BY later.seq DESC LIMIT 1), '') != 'undo')"""
"""True of an event that was not undone, or was done again since."""


class Events(Queries):
    """Queries over the events, and the only statement that adds to them.

    A query for a batch in ``of`` also requires that it is not empty. Only then does SQLite use the partial index.
    """

    def append(
        self,
        batch: str,
        at: float,
        actor: str,
        verb: Verb,
        id_: str,
        project: str,
        before: object,
        after: object,
        of: str,
        seconds: float | None,
    ) -> int:
        """Add an event and return its number. ``Store.apply`` calls this inside its transaction."""
        sides = (None if side is None else dumps(side) for side in (before, after))
        values = (batch, at, actor, verb, id_, project, *sides, of, seconds)
        added = self.connection.execute(f"INSERT INTO events ({VALUES}) VALUES ({', '.join('?' * 10)})", values)
        return added.lastrowid or 0

    def batch(self, batch: str) -> list[Event]:
        """Return the events of one key press, in order."""
        return self._events("batch = ? ORDER BY seq", batch)

    def batch_of(self, seq: int) -> str | None:
        """Return the batch of an event."""
        rows = self._rows("SELECT batch FROM events WHERE seq = ?", seq)
        return str(rows[0][0]) if rows else None

    def of_entry(self, id_: str) -> list[Event]:
        """Return the events of an entry, oldest first."""
        return self._events("id = ? ORDER BY seq", id_)

    def recent(self, project: str | None = None, limit: int = -1, *, people: bool = False) -> list[Event]:
        """Return the newest events first."""
        where, values = ("project = ?", [project]) if project is not None else ("1", [])
        if people:
            where += " AND (actor = ? OR actor LIKE ?)"
            values += [PERSON, IN_AGENT.format("%")]
        return self._events(f"{where} ORDER BY seq DESC LIMIT ?", *values, limit)

    def last(self) -> int:
        """Return the newest event's number, 0 for an empty log."""
        return int(self._rows("SELECT coalesce(max(seq), 0) FROM events")[0][0])

    def changes_since(self, seq: int) -> list[tuple[int, str, str]]:
        """Return (event, batch, id) of all events after event ``seq``, in order."""
        return self._rows("SELECT seq, batch, id FROM events WHERE seq > ? ORDER BY seq", seq)

    def undoable(self, project: str | None, actor: str = PERSON) -> str | None:
        """Return the batch, not undone, that the actor began last.

        A model's run may continue while a person decides, so its events may be newer.
        """
        last, began = None, 0
        for batch, seq, undone in self._batches(project, actor):
            if seq < began:
                break
            if not undone and batch != last:
                start = self._rows("SELECT min(seq) FROM events WHERE batch = ?", batch)[0][0]
                last, began = (batch, start) if start > began else (last, began)
        return last

    def redoable(self, project: str | None, actor: str = PERSON) -> str | None:
        """Return the batch that an actor has undone last, unless they have done something new since."""
        scope, values = (" AND actor = ?", [actor]) if project is None else (" AND actor = ? AND project = ?", [actor, project])
        rows = self._rows(f"SELECT coalesce(max(seq), 0) FROM events WHERE verb NOT IN ('undo', 'redo'){scope}", *values)
        query = f"""SELECT "of", max(seq) AS newest, verb FROM events
            WHERE "of" != '' AND seq > ?{scope} GROUP BY "of" ORDER BY newest DESC"""
        found = self._rows(query, rows[0][0], *values)
        return next((of for of, _, verb in found if verb == "undo"), None)

    def is_undone(self, batch: str) -> bool:
        """Return whether a batch is undone at present."""
        rows = self._rows("""SELECT verb FROM events WHERE "of" = ? AND "of" != '' ORDER BY seq DESC LIMIT 1""", batch)
        return bool(rows) and rows[0][0] == "undo"

    def _batches(self, project: str | None, actor: str) -> Any:
        """Yield (batch, event, whether undone) of an actor's decisions, newest first. Usually the caller needs only one."""
        scope, values = ("", [actor]) if project is None else (" AND project = ?", [actor, project])
        with as_store_errors(self.path):
            yield from self.connection.execute(
                f"""SELECT batch, seq, NOT {IN_FORCE}
                    FROM events WHERE actor = ? AND verb NOT IN ('undo', 'redo', 'forget'){scope}
                    ORDER BY seq DESC""",
                values,
            )

    def is_touched(self, id_: str) -> bool:
        """Return whether a person did something to an entry itself, and has not taken that back."""
        query = f"""SELECT 1 FROM events WHERE id = ? AND actor = ? AND verb NOT IN ('distill', 'link', 'undo', 'redo')
            AND {IN_FORCE} LIMIT 1"""
        return bool(self._rows(query, id_, PERSON))

    def is_reworded(self, id_: str) -> bool:
        """Return whether a person has changed an entry's words, kind or scope, and not taken that back."""
        query = f"SELECT 1 FROM events WHERE id = ? AND actor = ? AND verb = 'edit' AND {IN_FORCE} LIMIT 1"
        return bool(self._rows(query, id_, PERSON))

    def decisions(self, project: str | None = None, since: float = 0.0) -> list[tuple[Any, ...]]:
        """Return (batch, verb, entry's signal, seconds, entry's id, project and score, at) of every valid decision, oldest
        first.

        Edits of words, category or scope of a waiting card do not count. A lesson from a file has no signal, since no rule of
        the detector proposed it.
        """
        query = f"""SELECT batch, verb, coalesce(nullif(entries.signal, '{FROM_FILE}'), ''), seconds,
                   events.id, events.project, coalesce(entries.score, 0), at
            FROM events LEFT JOIN entries USING (id)
            WHERE actor = '{PERSON}' AND at >= ?
              AND verb NOT IN ('undo', 'redo', 'forget', 'add', 'import', 'distill', 'link')
              AND NOT (verb = 'edit' AND coalesce((SELECT {field("state", "was.after")} FROM events AS was
                                                   WHERE was.id = events.id AND was.seq <= events.seq
                                                     AND {field("state", "was.after")} IS NOT NULL
                                                   ORDER BY was.seq DESC LIMIT 1), '') = 'open')
              AND (? IS NULL OR events.project = ?)
              AND {IN_FORCE}
            ORDER BY events.seq"""
        rows = self._rows(query, since, project, project)
        return self.rows.readable(((f"a decision on {row[4]}", row) for row in rows), _decision)

    def _events(self, where: str, *values: Any) -> list[Event]:
        rows = self._rows(f"SELECT {FIELDS} FROM events WHERE {where}", *values)
        return self.rows.readable(((f"event {row[0]}", row) for row in rows), event)


def event(row: Sequence[Any]) -> Event:
    """Return a row of the table as an event. Raises ``ValueError`` or ``TypeError`` if it is invalid."""
    seq, batch, at, actor, verb, id_, project, before, after, of, seconds = expect(row, TYPES)
    if not isinstance(of, str) or not isinstance(seconds, float | None) or not 0.0 <= at < LATEST:
        raise ValueError("a time or a batch that is none")
    return Event(
        seq=seq,
        batch=batch,
        at=at,
        actor=actor,
        verb=Verb(verb),
        id=id_,
        project=project,
        before=_side(before),
        after=_side(after),
        of=of,
        seconds=seconds,
    )


def _decision(row: Sequence[Any]) -> tuple[Any, ...]:
    batch, verb, signal, seconds, *rest = row
    expect((batch, signal, *rest), DECISION)
    if not isinstance(seconds, float | None) or not 0.0 <= rest[-1] < LATEST:
        raise ValueError("a time that is none")
    return batch, Verb(verb), signal, seconds, *rest


def _side(text: str | None) -> JSON | None:
    side = None if text is None else json.loads(text)
    if not isinstance(side, dict | None):
        raise ValueError("a side of it is no object")
    return side
