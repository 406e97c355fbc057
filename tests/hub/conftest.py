"""A hub for each test: a database of its own on one server a worker."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.hub.server import Server, running

NUMBERS = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'lesson-curator[hub]'")
    with running() as started:
        yield started


class Database:
    """A database with a hub in it."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.name = name

    def url(self, login: str = "admin") -> str:
        return self.server.url(login, self.name)

    def ask(self, statement: str, *values: object, login: str = "admin") -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(self.url(login), autocommit=True) as connection:
            done = connection.execute(statement.encode(), values or None)
            return done.fetchall() if done.description else []

    def person(self, login: str, *teams: str, role: str = "curator_write") -> str:
        """Make a login that is a member of teams; returns its address."""
        if not self.ask("SELECT 1 FROM pg_roles WHERE rolname = %s", login):
            self.ask(f"CREATE ROLE {login} LOGIN")
        self.ask(f"GRANT {role} TO {login}")
        for team in teams:
            self.ask("INSERT INTO curator.team (name) VALUES (%s) ON CONFLICT DO NOTHING", team)
            self.ask("INSERT INTO curator.member VALUES (%s, %s, %s)", team, login, login.title())
        return self.url(login)


@pytest.fixture
def empty(server: Server) -> Iterator[Database]:
    """A database without a hub."""
    import psycopg

    name = f"hub{next(NUMBERS)}"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield Database(server, name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def hub(empty: Database) -> Database:
    """A database with a hub."""
    from curator.hub import connection, schema

    with connection.connect(empty.url()) as opened:
        schema.create(opened)
    return empty
