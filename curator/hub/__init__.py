"""The hub: an organisation's lessons in its own PostgreSQL. Only this package imports psycopg, and only when it is asked to.

Most of the hub is SQL: see ``migrations``. This package connects a member, sends the requests, and makes or drops the schema
and its roles. It turns the errors of the server into words that a person can act on.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from configparser import RawConfigParser
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from curator.errors import CuratorError
from curator.model import JSON
from curator.model.codec import dumps

if TYPE_CHECKING:
    import psycopg

    Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

MISSING = CuratorError("The hub needs the package psycopg.", "Install it with `pip install 'lesson-curator[hub]'`.")
LOCAL = ("", "localhost", "127.0.0.1", "::1")
"""Hosts that are this machine. A path is a socket on it."""


class HubAway(CuratorError):
    """The hub can't be reached now. Everything on this machine works as usual."""


def address(url: str, *, keep_password: bool = False) -> str:
    """Return the address of a hub for storage, without a password unless it is used at once. A bare word names a service.

    Raises ``CuratorError`` for an invalid address, and without psycopg.
    """
    try:
        from psycopg import Error, conninfo  # an extra: most people have no hub
    except ImportError as error:
        raise MISSING from error
    if not any(sign in url for sign in "=:/"):
        url = f"service={url}"
    try:
        parts = conninfo.conninfo_to_dict(url)
    except Error as error:
        raise CuratorError(
            "This is not a PostgreSQL address.", "Write postgresql://host/database, or a service's name."
        ) from error
    secret = () if keep_password else ("password", "sslpassword")
    return conninfo.make_conninfo("", **{key: value for key, value in parts.items() if key not in secret})


def lacks_tls(url: str) -> bool:
    """Return whether an address leads to another machine and does not ask for TLS with a verified host."""
    from psycopg import conninfo  # the address was made by it

    given = conninfo.conninfo_to_dict(url)
    service = _service(str(given.get("service") or os.environ.get("PGSERVICE", "")))
    host, mode = (
        str(given.get(name) or service.get(name) or os.environ.get(variable, ""))
        for name, variable in (("host", "PGHOST"), ("sslmode", "PGSSLMODE"))
    )
    foreign = any(one not in LOCAL and not one.startswith("/") for one in host.split(","))
    return foreign and mode != "verify-full"


def _service(name: str) -> Mapping[str, str]:
    """Return the parameters of a service in libpq's file. Return none if there is no such service."""
    services = RawConfigParser(strict=False)
    services.read(os.environ.get("PGSERVICEFILE") or Path.home() / ".pg_service.conf", encoding="utf-8")
    return services[name] if services.has_section(name) else {}


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """Open a connection in autocommit mode. Raises ``HubAway`` if the server is away, and ``CuratorError`` for its refusals."""
    try:
        import psycopg  # an extra: most people have no hub
    except ImportError as error:
        raise MISSING from error
    try:
        # Others may make functions in ``public``, which would run as this login.
        options = "-c statement_timeout=30s -c lock_timeout=10s -c search_path=pg_catalog"
        with psycopg.connect(
            url, autocommit=True, connect_timeout=5, application_name="curator", options=options
        ) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise HubAway(
            f"The hub can't be reached: {_first_line(error)}", "Your lessons are safe here. Try again later."
        ) from error
    except psycopg.errors.InvalidSchemaName as error:
        raise CuratorError("There is no hub in this database.", "An admin makes one with `curator hub create URL`.") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise CuratorError(f"The hub refused: {_first_line(error)}", "Ask an admin of the hub for this right.") from error
    except psycopg.Error as error:
        raise CuratorError(f"The hub failed: {_first_line(error)}", "Tell an admin of the hub.") from error


def _first_line(error: Exception) -> str:
    """Return the main sentence of a server's error: its details may quote rows."""
    return f"{(str(error).strip().splitlines() or ['no reason was given'])[0].rstrip('.')}."


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
    """An event to be sent. ``base`` is the number of the lesson's last event that the sender has seen."""

    id: str
    team: str
    lesson: str
    verb: str
    patch: JSON
    base: int


class Answer(NamedTuple):
    """The hub's answer to an event: stored, known, behind or refused, and the reason. ``seq`` is the event's number."""

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
    """Send events, in order. To send an event again changes nothing."""
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
    """Return the id of a team's event. Return an empty text if it has no event of this number."""
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


NAME = "curator"
"""The schema's name."""
LOCK = "SELECT pg_advisory_xact_lock(hashtext('curator.migration'))"
START = """
CREATE SCHEMA IF NOT EXISTS curator;
CREATE TABLE IF NOT EXISTS curator.migration (
    name text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
)
"""
ROLES = ("curator_admin", "curator_write", "curator_read")


def create(connection: Connection) -> list[str]:
    """Create or update the schema in one transaction. Return the migrations that were run."""
    with connection.transaction():
        connection.execute(LOCK)
        if _exists(connection):
            known = {name for (name,) in connection.execute("SELECT name FROM curator.migration")}
        else:
            connection.execute(START)
            known = set()
        steps = sorted(
            (one for one in files("curator.hub").joinpath("migrations").iterdir() if one.name.endswith(".sql")),
            key=lambda one: one.name,
        )
        run = [step for step in steps if step.name not in known]
        for step in run:
            connection.execute(step.read_bytes())
            connection.execute("INSERT INTO curator.migration (name) VALUES (%s)", (step.name,))
    return [step.name for step in run]


def add_team(connection: Connection, team: str, person: str, *, arrive: str, second: bool) -> None:
    """Create a team, or change its policy. The person who connects becomes its first member."""
    with connection.transaction():
        connection.execute(
            "INSERT INTO curator.team VALUES (%s, %s, %s) ON CONFLICT (name) DO UPDATE SET arrive = %s, second = %s",
            (team, arrive, second, arrive, second),
        )
        connection.execute(
            "INSERT INTO curator.member VALUES (%s, current_user, %s) ON CONFLICT DO NOTHING", (team, person or "admin")
        )


def grants(team: str) -> str:
    """Return the SQL that gives a colleague access."""
    return (
        "CREATE ROLE ann LOGIN PASSWORD '…';  -- unless she has a login\n"
        "GRANT curator_write TO ann;          -- curator_read to read, curator_admin to manage teams\n"
        f"INSERT INTO curator.member (team, login, person) VALUES ('{team}', 'ann', 'Ann');"
    )


def drop(connection: Connection) -> list[str]:
    """Remove the schema with all lessons. Return the roles that stay because something else depends on them."""
    from psycopg import errors  # A caller with a connection has it.

    if not _exists(connection):
        raise CuratorError("There is no hub in this database.", "Nothing was removed.")
    connection.execute("DROP SCHEMA curator CASCADE")
    left = []
    for role in ROLES:
        try:
            connection.execute(f"DROP ROLE IF EXISTS {role}")
        except errors.DependentObjectsStillExist:
            left.append(role)
    return left


def _exists(connection: Connection) -> bool:
    return connection.execute("SELECT to_regclass('curator.migration')").fetchone() != (None,)
