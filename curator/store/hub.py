"""The local records of the hub: its teams, the shared lessons, and the outbox.

The event of a decision on a shared lesson and its line in the outbox are written in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from curator.model import JSON, PERSON, State
from curator.model.codec import dumps
from curator.store.file import Queries

TABLES = (
    """CREATE TABLE hub_teams (
    team TEXT PRIMARY KEY,
    url TEXT NOT NULL, -- without a password
    project TEXT NOT NULL, -- which gets the lessons of projects that are not on this machine
    trusted INTEGER NOT NULL, -- its lessons arrive as lessons: its policy when a person joined
    seen INTEGER NOT NULL DEFAULT 0, -- the number of the newest event that arrived
    mark TEXT NOT NULL DEFAULT '', -- the id of that event: the hub was restored from a backup if it has another one
    reached REAL NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE hub_lessons (
    lesson TEXT NOT NULL,
    team TEXT NOT NULL,
    seq INTEGER NOT NULL, -- of the event that is known here; 0 while it was not sent
    body TEXT NOT NULL, -- what the hub and this machine have in common
    theirs TEXT NOT NULL DEFAULT '', -- what arrived and waits for a person's choice between both sides
    shared_by TEXT NOT NULL DEFAULT '',
    kept_by INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (lesson, team)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE hub_outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))), -- the hub knows by it what was sent before
    lesson TEXT NOT NULL,
    team TEXT NOT NULL,
    verb TEXT NOT NULL,
    patch TEXT, -- fixed before it is sent the first time, so that a second time says the same
    base INTEGER NOT NULL DEFAULT 0,
    refused TEXT NOT NULL DEFAULT ''
) STRICT""",
    "CREATE INDEX hub_outbox_lesson ON hub_outbox (team, lesson)",
)


class Membership(NamedTuple):
    """A team that this machine has joined."""

    team: str
    url: str
    project: str
    trusted: bool
    seen: int = 0
    reached: float = 0.0
    error: str = ""
    mark: str = ""


class SharedLesson(NamedTuple):
    """A lesson that is shared with a team. ``body`` is the common version. ``theirs`` needs a person's decision."""

    lesson: str
    team: str
    seq: int
    body: JSON
    theirs: JSON | None = None
    shared_by: str = ""
    kept_by: int = 0


class Outgoing(NamedTuple):
    """A line of the outbox. ``patch`` is ``None`` until shortly before it is sent."""

    number: int
    id: str
    lesson: str
    team: str
    verb: str
    patch: JSON | None
    base: int
    refused: str


class HubRecords(Queries):
    """Queries and writes for the hub. Writes join the caller's transaction."""

    def teams(self) -> dict[str, Membership]:
        """Return the teams that this machine has joined, by name."""
        rows = self._rows("SELECT team, url, project, trusted, seen, reached, error, mark FROM hub_teams ORDER BY team")
        return {row[0]: Membership._make((*row[:3], bool(row[3]), *row[4:])) for row in rows}

    def join(self, membership: Membership) -> None:
        """Store a team. Earlier arrivals stay known."""
        self._write(
            """INSERT INTO hub_teams (team, url, project, trusted) VALUES (?, ?, ?, ?) ON CONFLICT (team)
               DO UPDATE SET url = excluded.url, project = excluded.project, trusted = excluded.trusted""",
            *membership[:4],
        )

    def leave(self, team: str) -> None:
        """Delete a team and the records of its shared lessons. The lessons stay."""
        for table in ("hub_outbox", "hub_lessons", "hub_teams"):
            self._write(f"DELETE FROM {table} WHERE team = ?", team)

    def record_last_event(self, team: str, seq: int, mark: str = "") -> None:
        """Remember the newest event that arrived, by its number and its id."""
        self._write("UPDATE hub_teams SET seen = ?, mark = ? WHERE team = ?", seq, mark, team)

    def restart(self, team: str) -> None:
        """Compare everything with a hub that was restored from a backup, and share the missing lessons again."""
        self._write("UPDATE hub_lessons SET seq = 0, body = '{}', theirs = '' WHERE team = ?", team)
        self._write("UPDATE hub_outbox SET patch = NULL, base = 0 WHERE team = ? AND refused = ''", team)
        self._write(
            "INSERT INTO hub_outbox (lesson, team, verb) SELECT lesson, team, 'edit' FROM hub_lessons WHERE team = ?", team
        )
        self.record_last_event(team, 0)

    def record_contact(self, team: str, at: float, error: str) -> None:
        """Remember when the hub was reached, or why it was not."""
        self._write("UPDATE hub_teams SET reached = iif(? = '', ?, reached), error = ? WHERE team = ?", error, at, error, team)

    def shared(self, team: str) -> dict[str, SharedLesson]:
        """Return the lessons that are shared with a team, by id."""
        rows = self._rows(f"SELECT {SHARED} FROM hub_lessons WHERE team = ?", team)
        return {row[0]: _shared(row) for row in rows}

    def lesson(self, team: str, id_: str) -> SharedLesson | None:
        """Return the record of a lesson at the hub."""
        rows = self._rows(f"SELECT {SHARED} FROM hub_lessons WHERE team = ? AND lesson = ?", team, id_)
        return _shared(rows[0]) if rows else None

    def of_lesson(self, id_: str) -> list[SharedLesson]:
        """Return the records of a lesson in each of its teams."""
        return [_shared(row) for row in self._rows(f"SELECT {SHARED} FROM hub_lessons WHERE lesson = ?", id_)]

    def undecided(self, team: str) -> list[SharedLesson]:
        """Return the lessons with another version that needs a person's decision."""
        return [_shared(row) for row in self._rows(f"SELECT {SHARED} FROM hub_lessons WHERE team = ? AND theirs != ''", team)]

    def write(self, one: SharedLesson) -> None:
        """Store the record of a lesson at the hub."""
        theirs = dumps(one.theirs) if one.theirs is not None else ""
        values = (*one[:3], dumps(one.body), theirs, *one[5:])
        self._write(f"INSERT OR REPLACE INTO hub_lessons ({SHARED}) VALUES (?, ?, ?, ?, ?, ?, ?)", *values)

    def remove(self, team: str, id_: str) -> None:
        """Stop sharing a lesson with a team."""
        for table in ("hub_outbox", "hub_lessons"):
            self._write(f"DELETE FROM {table} WHERE team = ? AND lesson = ?", team, id_)

    def forget(self, id_: str) -> None:
        """Delete a lesson's records, except the order to the hubs to forget it too."""
        for known in self.of_lesson(id_):
            query = "SELECT 1 FROM hub_outbox WHERE team = ? AND lesson = ? AND patch IS NOT NULL"
            was_sent = known.seq or self._rows(query, known.team, id_)
            self.remove(known.team, id_)
            if was_sent:
                self.write(SharedLesson(id_, known.team, known.seq, {}))
                self.add(known.team, id_, "forget")

    def add(self, team: str, id_: str, verb: str) -> None:
        """Put something into the outbox."""
        self._write("INSERT INTO hub_outbox (lesson, team, verb) VALUES (?, ?, ?)", id_, team, verb)

    def add_change(self, id_: str, actor: str, after: object) -> None:
        """Put a change of a shared lesson into the outbox of its teams, except of the team that it came from.

        Python does this, because a trigger makes SQLite write the pending full text to disk at each event. Only a person keeps.
        """
        keeps = actor == PERSON and isinstance(after, dict) and after.get("state") == State.ACTIVE
        for (team,) in self._rows("SELECT team FROM hub_lessons WHERE lesson = ?", id_):
            if actor != f"hub:{team}":
                self.add(team, id_, "keep" if keeps else "edit")

    def outbox(self, team: str, *, refused: bool = False) -> list[Outgoing]:
        """Return the lines to send, or those that the hub refused, oldest first."""
        query = f"SELECT {OUTGOING} FROM hub_outbox WHERE team = ? AND (refused != '') = ? ORDER BY number"
        rows = self._rows(query, team, refused)
        return [Outgoing._make((*row[:5], json.loads(row[5]) if row[5] else None, *row[6:])) for row in rows]

    def newest(self) -> int:
        """Return the number of the newest line that ever was in the outbox."""
        rows = self._rows("SELECT seq FROM sqlite_sequence WHERE name = 'hub_outbox'")
        return int(rows[0][0]) if rows else 0

    def fix(self, number: int, verb: str, patch: JSON | None, base: int) -> None:
        """Store the content of a line in the outbox, or let it be computed again."""
        text = None if patch is None else dumps(patch)
        self._write("UPDATE hub_outbox SET verb = ?, patch = ?, base = ? WHERE number = ?", verb, text, base, number)

    def refuse(self, number: int, reason: str) -> None:
        """Remember that the hub refused a line."""
        self._write("UPDATE hub_outbox SET refused = ? WHERE number = ?", reason, number)

    def refuse_arrival(self, team: str, id_: str, reason: str) -> None:
        """Remember why a lesson of the hub was not taken in, or with an empty reason that it was."""
        self._write("DELETE FROM hub_outbox WHERE team = ? AND lesson = ? AND verb = 'arrive'", team, id_)
        if reason:
            query = "INSERT INTO hub_outbox (lesson, team, verb, refused) VALUES (?, ?, 'arrive', ?)"
            self._write(query, id_, team, reason)

    def sent(self, numbers: Sequence[int]) -> set[int]:
        """Delete lines from the outbox. Return those that existed."""
        return {number for number in numbers if self._write("DELETE FROM hub_outbox WHERE number = ?", number).rowcount}


SHARED = "lesson, team, seq, body, theirs, shared_by, kept_by"
OUTGOING = "number, id, lesson, team, verb, patch, base, refused"


def _shared(row: tuple[str, str, int, str, str, str, int]) -> SharedLesson:
    lesson, team, seq, body, theirs, shared_by, kept_by = row
    return SharedLesson(lesson, team, seq, json.loads(body), json.loads(theirs) if theirs else None, shared_by, kept_by)
