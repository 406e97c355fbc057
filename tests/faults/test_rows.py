"""A row that makes no sense is named and left out; it keeps nobody from the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.errors import CuratorError, StoreError, Unreadable
from curator.io import sqlite
from curator.model import Entry, State
from curator.ranking import Question
from curator.settings import Settings, load
from curator.store.hook_reader import HookReader
from curator.store.schema import inspect
from tests.cli.conftest import Shell, shell

__all__ = ["shell"]


def write(path: Path, statement: str, *values: object) -> None:
    """Write what STRICT tables would not take."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ') STRICT', ')') WHERE name IN ('entries', 'events')")
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


BODIES = ('{"broken":', "[]", "null", "{}", '{"id":1}', '{"id":"AAAA-0001","state":"none"}', b"\xff\xfe", 7)


@pytest.mark.parametrize("body", BODIES)
def test_a_rotten_row_is_left_out_of_every_list_and_named(curator: Curator, settings: Settings, body: object) -> None:
    curator.decisions.accept(["AAAA-0001", "AAAA-0002"])
    app.settling.settle(curator, [])
    write(settings.database, "UPDATE entries SET body = ? WHERE id = 'AAAA-0001'", body)
    with closing(Curator(settings, curator.project)) as other:
        assert [entry.id for entry in other.lessons.entries(other.lessons.library())] == ["AAAA-0002"]
        assert list(other.unreadable) == ["AAAA-0001"]
        with pytest.raises(Unreadable, match="AAAA-0001 can't be read"):
            other.lessons.find("AAAA-0001")
        assert other.decisions.accept(["AAAA-0003"]).entries[0].state is State.ACTIVE, "others can be decided on"
        assert app.statistics.summary(other)["decisions"]
    (named,) = inspect(settings.database).unreadable
    assert named.startswith("AAAA-0001 (")


EVENTS = (("after", "{"), ("after", "[1]"), ("at", None), ("at", 1e300), ("verb", "sing"), ("batch", None), ("seconds", "long"))


@pytest.mark.parametrize(("column", "value"), EVENTS)
def test_a_rotten_event_is_left_out_of_the_history(curator: Curator, settings: Settings, column: str, value: object) -> None:
    curator.decisions.accept(["AAAA-0001"])
    curator.decisions.drop(["AAAA-0002"])
    seq = curator.lessons.history()[1].seq
    curator.close()
    with closing(sqlite3.connect(settings.database)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'events'")
        connection.commit()
    write(settings.database, f"UPDATE events SET {column} = ? WHERE seq = ?", value, seq)
    with closing(Curator(settings, curator.project)) as other:
        assert seq not in [event.seq for event in other.lessons.history()]
        assert len(other.lessons.history()) == 9
        assert list(other.unreadable) == [f"event {seq}"]
        app.statistics.summary(other)
        other.decisions.undo()
        assert other.lessons.find("AAAA-0002").state is State.OPEN


def test_a_letter_that_is_none_costs_a_letter_and_keeps_no_lesson_from_hooks(curator: Curator, settings: Settings) -> None:
    write(settings.database, "UPDATE entries SET headline = CAST(x'556cff' AS TEXT) WHERE id = 'AAAA-0001'")
    with closing(Curator(settings, curator.project)) as other:
        heads = other.lessons.heads(other.lessons.order(other.lessons.waiting()))
        assert len(heads) == 8
        assert "Ul\N{REPLACEMENT CHARACTER}" in {head.headline for head in heads.values()}
    curator.decisions.accept(["AAAA-0001", "AAAA-0002"])
    curator.close()
    write(settings.database, "UPDATE lessons SET line = CAST(x'55ff' AS TEXT) WHERE id = 'AAAA-0001'")
    with closing(HookReader(str(settings.database))) as fast:
        found = fast.gather("p1", Question("prompt", prompt="which tool for task 2 and task 3?", files=()))
    assert {row[1] for row in found.rows.values()} == {"AAAA-0001", "AAAA-0002"}


def test_commands_name_what_is_left_out_and_doctor_counts_it(shell: Shell, make: Callable[..., Entry]) -> None:
    one, other = shell.put(make(state=State.ACTIVE), make(state=State.ACTIVE))
    write(load().database, "UPDATE entries SET body = '{' WHERE id = ?", one)
    done = shell("list")
    assert done.code == 0
    assert other in done.out
    assert one not in done.out
    assert f"1 row of the database can't be read and were skipped: {one}" in done.err or one in done.err
    doctor = shell("doctor")
    assert doctor.code == 1
    assert f"1 row skipped because they are invalid: {one}" in doctor.out
    assert "curator restore" in doctor.out


def test_a_new_database_beside_lesson_files_is_said(shell: Shell, make: Callable[..., Entry]) -> None:
    assert "curator made a new database" not in shell("list").err
    (one,) = shell.put(make())
    shell("keep", one)
    for path in (load().home, load().home / "snapshots"):
        for file in [*path.iterdir()]:
            if file.is_file():
                file.unlink()
    said = shell("list").err
    assert "curator made a new database" in said
    assert "1 lesson file is in this project" in said


def test_a_home_that_nobody_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_HOME", "~nosuchuser/x")
    with pytest.raises(CuratorError, match="nosuchuser"):
        load()


def test_one_bad_byte_in_another_programs_schema_is_an_unreadable_transcript(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE session (id TEXT)")
    for _ in spoilt(path, b"tablesession", 0, 30):
        with suppress(OSError):
            sqlite.rows(path, "SELECT id FROM session")


def spoilt(path: Path, mark: bytes, before: int, behind: int) -> Iterator[None]:
    """Spoil one byte after another around a mark in a file."""
    data = path.read_bytes()
    at = data.index(mark)
    for byte in range(at - before, at + behind):
        path.write_bytes(data[:byte] + b"\xff" + data[byte + 1 :])
        yield


def test_a_database_whose_schema_has_a_bad_byte_is_said(curator: Curator, settings: Settings) -> None:
    curator.store.empty_log()
    curator.close()
    for _ in spoilt(settings.database, b"CREATE TABLE events", 12, 20):
        with suppress(StoreError), closing(Curator(settings)) as other:
            other.lessons.history()
