"""The requests of a member to the hub: read policies, send events, fetch lessons, search, wait for news."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from curator.model import JSON
from curator.model.codec import dumps

if TYPE_CHECKING:
    from curator.hub.connection import Connection

PORTION = 1_000
"""Lessons that are fetched at once, and events that are sent at once."""


class Team(NamedTuple):
    """A team of this login: its policy, and the number of its newest event."""

    name: str
    arrive: str
    second: bool
    last: int


class Shared(NamedTuple):
    """A lesson at the hub. ``held`` says that a second person must keep it first."""

    id: str
    seq: int
    state: str
    body: JSON
    shared_by: str
    kept_by: int
    at: float
    held: bool


class Sending(NamedTuple):
    """An event to be sent; ``base`` is the number of the event that the sender has seen of the lesson."""

    id: str
    team: str
    lesson: str
    verb: str
    patch: JSON
    base: int


class Answer(NamedTuple):
    """The hub's answer to an event: stored, known, behind or refused, and why; ``seq`` is the event's number."""

    id: str
    outcome: str
    seq: int
    reason: str


class Found(NamedTuple):
    """A lesson that a search found."""

    team: str
    id: str
    category: str
    headline: str
    insight: str
    shared_by: str
    kept_by: int
    score: float


def teams(connection: Connection) -> dict[str, Team]:
    """Return the teams of this login, by name."""
    rows = connection.execute(
        """SELECT t.name, t.arrive, t.second, coalesce((SELECT max(l.seq) FROM curator.lesson AS l WHERE l.team = t.name), 0)
           FROM curator.team AS t JOIN curator.member AS m ON m.team = t.name WHERE m.login = current_user"""
    )
    return {row[0]: Team._make(row) for row in rows}


def push(connection: Connection, events: Sequence[Sending]) -> list[Answer]:
    """Send events, in order; to send one again changes nothing."""
    data = dumps([event._asdict() for event in events])
    rows = connection.execute(
        "SELECT replace(event::text, '-', ''), outcome, number, reason FROM curator.push(%s::jsonb)", (data,)
    )
    return [Answer._make(row) for row in rows]


def pull(connection: Connection, team: str, after: int, most: int = PORTION) -> list[Shared]:
    """Return the lessons of a team that changed after an event, in the order of their newest events."""
    rows = connection.execute(
        """SELECT l.id, l.seq, l.state, l.body, l.shared_by, cardinality(l.keepers), extract(epoch FROM l.at)::float8,
                  t.second AND cardinality(l.keepers) < 2
           FROM curator.lesson AS l JOIN curator.team AS t ON t.name = l.team
           WHERE l.team = %s AND l.seq > %s ORDER BY l.seq LIMIT %s""",
        (team, after, most),
    )
    return [Shared._make(row) for row in rows]


def event_id(connection: Connection, team: str, seq: int) -> str:
    """Return the id of a team's event; empty if it has no event of this number."""
    rows = connection.execute("SELECT id::text FROM curator.event WHERE team = %s AND seq = %s", (team, seq)).fetchall()
    return str(rows[0][0]) if rows else ""


def count(connection: Connection, team: str, after: int) -> int:
    """Return how many lessons of a team changed after an event."""
    rows = connection.execute("SELECT count(*) FROM curator.lesson WHERE team = %s AND seq > %s", (team, after)).fetchall()
    return int(rows[0][0])


def search(connection: Connection, words: str, most: int) -> list[Found]:
    """Return the active lessons that words find, best first."""
    return [Found._make(row) for row in connection.execute("SELECT * FROM curator.search(%s, %s)", (words, most))]


def listen(connection: Connection) -> None:
    """Ask the hub to send notifications."""
    connection.execute("LISTEN curator")


def wait(connection: Connection, seconds: float, teams: Collection[str]) -> bool:
    """Wait for news of teams from others. Return whether there is any. A notification holds the team and the event's number."""
    mine = connection.info.backend_pid
    return any(news.pid != mine and news.payload.partition(" ")[0] in teams for news in connection.notifies(timeout=seconds))
