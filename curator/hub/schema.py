"""The hub's schema: its migrations, its roles, and its end."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from curator.errors import CuratorError

if TYPE_CHECKING:
    from curator.hub.client import Connection

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
    """Lay or update the schema in one transaction; returns the migrations that were run."""
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
    """Make a team, or change its policy; who connects becomes its first member."""
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
