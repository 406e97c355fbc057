"""A damaged index of the database: it is named, and rebuilt from the lessons."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from curator.settings import load
from tests.cli.conftest import Shell, shell

__all__ = ["shell"]

SEARCH_INDEX = {
    "structure": "UPDATE recall_data SET block = randomblob(40) WHERE id <= 10",
    "amounts": "UPDATE recall_data SET block = "
    "x'6bc459cb74337faba87decf1bdfc63dde1cc3df988404c06c0d4370d265deac1934f4e368209edcb' WHERE id <= 10",  # a MemoryError
    "emptied": "DELETE FROM recall_data",
    "content": "UPDATE recall_content SET c0 = 'other words'",
    "settings": "DELETE FROM recall_config",
}


def change(*statements: str) -> None:
    with closing(sqlite3.connect(load().database, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def overwrite_page(name: str) -> bytes:
    """Overwrite the first page of a table or an index; return what the file then holds."""
    change("PRAGMA wal_checkpoint(TRUNCATE)")
    with closing(sqlite3.connect(load().database)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(load().database.read_bytes())
    data[(page - 1) * size : page * size] = b"\x99" * size
    load().database.write_bytes(data)
    return bytes(data)


def fill(shell: Shell) -> None:
    for name in ("kitchen", "garden", "cellar"):
        shell.add(f"Always sweep the {name} before the guests come")


@pytest.mark.parametrize("statement", SEARCH_INDEX.values(), ids=[*SEARCH_INDEX])
def test_doctor_names_a_damaged_search_index_and_rebuilds_it(shell: Shell, statement: str) -> None:
    fill(shell)
    change(statement)
    found = shell("doctor")
    assert found.code == 1
    assert "! database: The search index" in found.out
    assert "`curator doctor --fix`" in found.out
    fixed = shell("doctor", "--fix")
    assert (fixed.code, fixed.err) == (0, "Rebuilt the indexes of the database.\n")
    shell.add("Always sweep the attic before the guests come")
    assert len(shell.json("list")) == 4
    assert shell("undo").code == 0
    assert len(shell.json("search", "cellar")) == 1


@pytest.mark.parametrize("kind", ["structure", "amounts", "emptied", "settings"])
def test_a_command_that_meets_the_damage_names_the_command_that_repairs_it(shell: Shell, kind: str) -> None:
    fill(shell)
    change(SEARCH_INDEX[kind])
    done = shell("add", "Always sweep the attic before the guests come")
    assert done.code == 3
    assert "The search index in" in done.err
    assert "Run `curator doctor --fix`" in done.err


def test_an_index_of_a_table_is_rebuilt_too(shell: Shell) -> None:
    fill(shell)
    schema = "PRAGMA writable_schema = ON"
    change(schema, "UPDATE sqlite_master SET sql = sql || ' WHERE 0' WHERE name = 'entries_session'")
    change("UPDATE entries SET session = 'another'")
    change(schema, "UPDATE sqlite_master SET sql = replace(sql, ' WHERE 0', '') WHERE name = 'entries_session'")
    assert "entries_session" in shell("doctor").out
    assert shell("doctor", "--fix").code == 0


def test_a_lost_index_is_made_again(shell: Shell) -> None:
    fill(shell)
    change("DROP INDEX entries_library")
    assert "it has no index entries_library" in shell("doctor").out
    assert shell("doctor", "--fix").code == 0


def test_a_lost_table_is_not_replaced_by_an_empty_one(shell: Shell) -> None:
    fill(shell)
    change("DROP TABLE hub_outbox")
    done = shell("doctor", "--fix")
    assert done.code == 3
    assert "no such table" in done.err


def test_an_index_whose_page_is_overwritten_is_rebuilt(shell: Shell) -> None:
    fill(shell)
    overwrite_page("entries_inbox")
    assert shell("doctor").code == 1
    assert shell("doctor", "--fix").code == 0
    assert len(shell.json("list")) == 3


def test_the_indexes_are_not_rebuilt_below_an_open_window(shell: Shell) -> None:
    fill(shell)
    with closing(sqlite3.connect(load().database)) as window:
        window.execute("SELECT count(*) FROM entries").fetchone()
        assert "in use by another process" in shell("doctor", "--fix").err
    assert shell("doctor", "--fix").code == 0


def test_damage_outside_the_indexes_is_left_as_it_is(shell: Shell) -> None:
    fill(shell)
    data = overwrite_page("events")
    done = shell("doctor", "--fix")
    assert done.code == 3
    assert "`curator restore`" in done.err
    assert load().database.read_bytes() == data
