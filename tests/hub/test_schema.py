"""The schema: made once however often it is asked for, and gone without a trace."""

from __future__ import annotations

from curator import hub as client
from curator.hub import connect
from tests.hub.conftest import Database
from tests.threads import at_once


def test_many_may_create_it_at_once(empty: Database) -> None:
    def create() -> list[str]:
        with connect(empty.url()) as connection:
            return client.create(connection)

    assert sorted(at_once(create, 4)) == [[], [], [], ["001_hub.sql"]]
    assert empty.ask("SELECT name FROM curator.migration") == [("001_hub.sql",)]


def test_every_table_has_forced_row_security(hub: Database) -> None:
    tables = hub.ask(
        """SELECT relname FROM pg_class WHERE relnamespace = 'curator'::regnamespace AND relkind = 'r'
           AND NOT (relrowsecurity AND relforcerowsecurity)"""
    )
    definers = hub.ask("SELECT proname FROM pg_proc WHERE pronamespace = 'curator'::regnamespace AND prosecdef")
    assert (tables, definers) == ([], [])
