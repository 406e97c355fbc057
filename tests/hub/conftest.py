"""A hub for each test: a database of its own on one server a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from curator import app
from curator.app import Curator
from curator.model import Entry
from curator.settings import Settings
from tests.cli.conftest import shell  # noqa: F401
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

    def copy(self, source: str, target: str) -> None:
        """Replace a database with a copy of another one, as an admin who makes or restores a backup."""
        import psycopg

        with psycopg.connect(self.server.url(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {target} WITH (FORCE)".encode())
            connection.execute(f"CREATE DATABASE {target} TEMPLATE {source}".encode())

    def person(self, login: str, *teams: str, role: str = "curator_write") -> str:
        """Make a login that is a member of teams; returns its address."""
        if not self.ask("SELECT 1 FROM pg_roles WHERE rolname = %s", login):
            self.ask(f"CREATE ROLE {login} LOGIN")
        self.ask(f"REVOKE curator_read, curator_write FROM {login}")  # roles are those of the whole server
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
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def hub(empty: Database) -> Database:
    """A database with a hub."""
    from curator import hub as client

    with client.connect(empty.url()) as opened:
        client.create(opened)
    return empty


class Machine:
    """A person's machine: a database and a project of its own, and teams that were joined."""

    def __init__(self, hub: Database, home: Path, login: str, *teams: str, **settings: Any) -> None:
        self.url = hub.person(login, *teams)
        self.login = login
        folder = home / "app"
        folder.mkdir(parents=True, exist_ok=True)
        self.curator = Curator(Settings(home=home / "curator", **settings))
        self.curator.enter(str(folder))
        app.hub.join(self.curator, self.url, teams)

    def sync(self) -> app.hub.Report:
        (report,) = app.hub.sync(self.curator)
        assert report.error == ""
        app.settling.settle(self.curator, app.hub.changed_entries([report]))
        return report

    def shares(self, text: str, team: str = "red", **more: Any) -> str:
        """Add a lesson and share it; returns its id."""
        (entry,) = self.curator.decisions.add(text, **more).entries
        app.hub.share(self.curator, entry.id, team)
        self.sync()
        return entry.id

    def get(self, id_: str) -> Entry:
        return self.curator.lessons.find(id_)

    def cards(self) -> list[Entry]:
        return list(self.curator.lessons.entries(self.curator.lessons.waiting(rest=True)))


Arrive = Callable[..., Machine]


@pytest.fixture
def machine(hub: Database, tmp_path: Path) -> Iterator[Arrive]:
    """Make the machine of a person who is a member of teams."""
    made: list[Machine] = []

    def make(login: str, *teams: str, **settings: Any) -> Machine:
        made.append(Machine(hub, tmp_path / login, login, *(teams or ("red",)), **settings))
        return made[-1]

    yield make
    for one in made:
        one.curator.close()
