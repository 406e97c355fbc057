"""Each role tries what it may not do: write, speak for somebody else, read or touch another team."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from curator import hub as client
from curator.hub import connect
from tests.files import TOP
from tests.hub.conftest import Database

SECRET = "Rotate the turbine key on Tuesdays"


def event(team: str, lesson: str = "AAAA-0001", verb: str = "share", base: int = 0, **fields: Any) -> client.Sending:
    fields = fields or ({"state": "active", "headline": SECRET, "insight": SECRET} if verb == "share" else {})
    return client.Sending(uuid4().hex, team, lesson, verb, fields, base)


def send(hub: Database, login: str, *events: client.Sending) -> list[str]:
    with connect(hub.url(login)) as connection:
        return [answer.outcome for answer in client.push(connection, events)]


@pytest.fixture
def teams(hub: Database) -> Database:
    """Ann and Bob write for red, Cid reads it; Eve writes for blue. Red has a lesson."""
    hub.person("ann", "red")
    hub.person("bob", "red")
    hub.person("cid", "red", role="curator_read")
    hub.person("eve", "blue")
    assert send(hub, "ann", event("red")) == ["stored"]
    return hub


def refused(hub: Database, login: str, statement: str, *values: object) -> str:
    """Run a statement that must fail or touch nothing; returns the server's words."""
    import psycopg

    try:
        with psycopg.connect(hub.url(login), autocommit=True) as connection:
            assert connection.execute(statement.encode(), values).rowcount == 0
    except psycopg.Error as error:
        return str(error)
    return ""


def test_who_reads_may_not_write(teams: Database) -> None:
    assert send(teams, "cid", event("red", "AAAA-0002")) == ["refused"]
    assert "permission denied" in refused(teams, "cid", "INSERT INTO curator.event (team) VALUES ('red')")
    assert teams.ask("SELECT count(*) FROM curator.event") == [(1,)]
    assert teams.ask("SELECT id FROM curator.lesson", login="cid") == [("AAAA-0001",)]


def test_who_writes_may_not_touch_another_team(teams: Database) -> None:
    assert send(teams, "eve", event("red", "AAAA-0002"), event("red", verb="keep")) == ["refused", "refused"]
    refused(teams, "eve", "UPDATE curator.lesson SET seq = 9 WHERE team = 'red'")
    refused(teams, "eve", "UPDATE curator.event SET patch = '{}' WHERE team = 'red'")
    refused(teams, "eve", "DELETE FROM curator.event")
    assert teams.ask("SELECT count(*), min(patch ->> 'headline') FROM curator.event") == [(1, SECRET)]


def test_nobody_speaks_for_somebody_else(teams: Database) -> None:
    columns, values = "team, id, lesson, verb, actor", "'red', gen_random_uuid(), 'AAAA-0001', 'keep', 'bob'"
    assert "row-level security" in refused(teams, "ann", f"INSERT INTO curator.event ({columns}) VALUES ({values})")
    assert "permission denied" in refused(teams, "ann", "SET SESSION AUTHORIZATION bob")
    refused(teams, "ann", "INSERT INTO curator.member VALUES ('blue', 'ann', 'Ann')")
    assert teams.ask("SELECT team FROM curator.member WHERE login = 'ann'") == [("red",)]


def test_a_tampering_client_cannot_change_a_lesson_but_by_an_event(teams: Database) -> None:
    for words in (
        "UPDATE curator.lesson SET body = '{}'",
        "UPDATE curator.lesson SET seq = 1",
        "UPDATE curator.lesson SET seq = 7",
        "INSERT INTO curator.lesson (team, id, seq) VALUES ('red', 'AAAA-0009', 1)",
        "UPDATE curator.event SET patch = '{}'",
        'UPDATE curator.event SET patch = \'{"headline": "x"}\'',
        "DELETE FROM curator.lesson",
        "TRUNCATE curator.event",
    ):
        assert refused(teams, "bob", words), words
    assert teams.ask("SELECT body ->> 'headline' FROM curator.lesson") == [(SECRET,)]


@pytest.mark.parametrize(
    "words",
    [
        "SELECT * FROM curator.lesson",
        "SELECT * FROM curator.event",
        "SELECT * FROM curator.team WHERE name = 'red'",
        "SELECT * FROM curator.member WHERE team = 'red'",
        "SELECT * FROM curator.search('turbine')",
        "SELECT * FROM curator.search('turbin')",
        "SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE schemaname = 'curator'",
        "SELECT * FROM pg_stats_ext",
        "INSERT INTO curator.event (team, id, lesson, verb) SELECT 'red', id, lesson, 'keep' FROM curator.event",
    ],
)
def test_nobody_sees_another_team(teams: Database, words: str) -> None:
    teams.ask("ANALYZE")
    assert "turbine" not in refused(teams, "eve", words)


def test_errors_of_constraints_tell_nothing(teams: Database) -> None:
    ((known,),) = teams.ask("SELECT id FROM curator.event")
    wanted = "INSERT INTO curator.event (team, id, lesson, verb) VALUES (%s, %s, 'AAAA-0001', 'keep')"
    same = [refused(teams, "eve", wanted, team, known).partition("\n")[0] for team in ("red", "none")]
    assert same[0] == same[1]
    assert "row-level security" in same[0]
    clash = "INSERT INTO curator.lesson (team, id, seq) VALUES ('red', 'AAAA-0001', 1)"
    assert "changed by an event alone" in refused(teams, "eve", clash)
    # The same words in blue are a lesson of blue, and no clash with what eve can't see.
    assert send(teams, "eve", event("blue")) == ["stored"]


def _note(words: list[str], notice: Any) -> None:
    words.append(str(notice.message_primary))


def test_a_function_of_somebody_else_reads_nothing_either(teams: Database) -> None:
    """A leaky function must not be run on rows that its caller may not see."""
    tell = "BEGIN RAISE NOTICE '%', $1; RETURN true; END"
    teams.ask(f"CREATE FUNCTION public.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $${tell}$$")
    import psycopg

    said: dict[str, list[str]] = {"ann": [], "eve": []}
    for login, words in said.items():
        with psycopg.connect(teams.url(login), autocommit=True) as connection:
            connection.add_notice_handler(partial(_note, words))
            connection.execute("SELECT * FROM curator.lesson WHERE public.leak(text)")
    assert (len(said["ann"]), said["eve"]) == (1, [])


def test_only_who_shared_it_or_an_admin_forgets(teams: Database) -> None:
    assert send(teams, "bob", event("red", verb="forget")) == ["refused"]
    assert send(teams, "bob", event("red", verb="edit", base=1, insight=f"{SECRET}.")) == ["stored"]
    assert send(teams, "ann", event("red", verb="forget")) == ["stored"]
    everything = teams.ask("SELECT e::text FROM curator.event AS e") + teams.ask("SELECT l::text FROM curator.lesson AS l")
    assert SECRET not in json.dumps(everything)
    assert send(teams, "bob", event("red", verb="edit", base=3, insight=SECRET)) == ["refused"]


def test_nothing_but_a_lesson_can_be_stored(teams: Database) -> None:
    assert send(teams, "ann", event("red", "AAAA-0002", state="active", headline="x", session="s1")) == ["refused"]
    assert send(teams, "ann", event("red", "AAAA-0002", state="active", headline="x" * 70_000)) == ["refused"]
    assert send(teams, "ann", event("red", "AAAA-0002", state="open", headline="x")) == ["refused"]


def test_who_serves_rest_is_the_person_of_the_token_and_nobody_without_one(teams: Database) -> None:
    """PostgREST logs in as the page says, and takes a person's role for each request."""
    import psycopg

    page = (TOP / "docs" / "hub.md").read_text("utf-8")
    (made,) = re.findall(r"```sql\n(CREATE ROLE authenticator.*?)```", page, re.DOTALL)
    teams.ask("DROP ROLE IF EXISTS authenticator")
    teams.ask(made)

    def rest(role: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(teams.url("authenticator")) as connection:
            if role:
                connection.execute(f"SET LOCAL ROLE {role}".encode())
            lessons = connection.execute("SELECT team FROM curator.lesson").fetchall()
            return lessons + connection.execute("SELECT team FROM curator.search('turbine')").fetchall()

    assert rest("ann") == [("red",), ("red",)]
    for role in ("", "eve", "curator_admin"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            rest(role)
    teams.ask("DROP ROLE authenticator")


def test_no_function_of_a_member_runs_as_another(teams: Database) -> None:
    """Before PostgreSQL 15 everybody may make functions in ``public``. One with closer types comes before a built-in one."""
    teams.ask("GRANT CREATE ON SCHEMA public TO PUBLIC")
    ran = "BEGIN RAISE EXCEPTION 'ran as %', current_user; END"
    for signature in ("cardinality(name[])", "websearch_to_tsquery(text, text)", "count(bigint)"):
        sql = f"CREATE FUNCTION public.{signature} RETURNS int LANGUAGE plpgsql AS $${ran}$$"
        teams.ask(sql, login="eve")
    with connect(teams.url("ann")) as connection:
        assert [one.id for one in client.pull(connection, "red", 0)] == ["AAAA-0001"]
        assert client.count(connection, "red", 0) == 1
        assert [one.id for one in client.search(connection, "turbine", 5)] == ["AAAA-0001"]
    assert teams.ask("SELECT id FROM curator.search('turbine')", login="ann") == [("AAAA-0001",)]
