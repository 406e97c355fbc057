"""A damaged or deleted database: what can be read of it comes back, with what was dropped, put off and undone."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator import app
from curator.app import Curator, restore
from curator.errors import CuratorError, StoreError
from curator.model import Change, Entry, Event, State, Verb
from curator.settings import Settings
from curator.store import Store, backups, recovery
from curator.store.recovery import salvage

DAY = 86_400.0


def decide(curator: Curator) -> None:
    """One verdict of each kind."""
    curator.verdicts.accept(["AAAA-0000"])
    curator.verdicts.drop(["AAAA-0001"], reason="wrong")
    curator.verdicts.snooze(["AAAA-0002"])
    curator.verdicts.accept(["AAAA-0003"])
    curator.verdicts.undo()


def seen(settings: Settings) -> tuple[dict[str, Entry], list[Event]]:
    """All entries and all events of the database at the path."""
    with closing(Curator(settings)) as other:
        every = other.lessons.entries(other.lessons.library(tuple(State)))
        return {entry.id: entry for entry in every}, other.lessons.history()


def closed(curator: Curator) -> Path:
    """The path of the database, which nobody has open any more, all of it in one file."""
    curator.store.empty_log()
    curator.close()
    return curator.settings.database


def overwrite(path: Path, at: int, data: bytes) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def page_of(path: Path, text: bytes) -> int:
    """Where the page begins on which a text stands."""
    return path.read_bytes().index(text) // 4096 * 4096


@pytest.mark.parametrize("damage", ["header", "schema", "inner pages"])
def test_what_was_dropped_put_off_and_undone_comes_back(curator: Curator, settings: Settings, damage: str) -> None:
    decide(curator)
    before = seen(settings)
    path = closed(curator)
    if damage == "header":
        overwrite(path, 0, b"\0" * 100)
    elif damage == "schema":
        overwrite(path, 108, b"\xff" * 3_900)
    else:
        data = path.read_bytes()
        for at in range(4096, len(data), 4096):
            if data[at] in (2, 5):  # the ways to the leaves, of indexes and tables
                overwrite(path, at, b"\0" * 4096)
        overwrite(path, 28, (2).to_bytes(4, "big"))
    broken = path.read_bytes()
    done = restore.restore(settings, "now")
    assert seen(settings) == before
    assert done.missing == 0
    assert not done.losses
    assert done.copy is not None
    assert done.copy.read_bytes() == broken, "what was damaged is kept"
    with closing(Curator(settings)) as again:
        again.verdicts.undo()
        assert again.lessons.find("AAAA-0002").snoozed_until is None, "and verdicts can be undone as before"


def test_an_entry_that_cannot_be_read_comes_from_the_backup_with_what_happened_since(
    curator: Curator, settings: Settings
) -> None:
    curator.verdicts.accept(["AAAA-0000"])
    app.settling.settle(curator, ["AAAA-0000"])
    curator.verdicts.drop(["AAAA-0000"], reason="obsolete")
    before = seen(settings)[0]["AAAA-0000"]
    path = closed(curator)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE entries SET body = substr(body, 1, 40) WHERE id = 'AAAA-0000'")
        connection.commit()
    done = restore.restore(settings, "now")
    assert not done.losses
    assert seen(settings)[0]["AAAA-0000"] == before
    assert before.state is State.RETIRED


def test_what_is_lost_is_named_where_nothing_else_has_it(curator: Curator, settings: Settings) -> None:
    curator.verdicts.drop(["AAAA-0000"])
    path = closed(curator)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE entries SET body = 'x' WHERE id = 'AAAA-0000'")
        connection.commit()
    assert restore.restore(settings, "now").losses == ("AAAA-0000",)
    assert len(seen(settings)[0]) == 7


def test_verdicts_behind_a_damaged_place_in_the_log_come_back(curator: Curator, settings: Settings) -> None:
    curator.store.empty_log()
    decide(curator)
    before = seen(settings)
    log = settings.home / "curator.db-wal"
    base, broken = settings.database.read_bytes(), bytearray(log.read_bytes())
    closed(curator)
    broken[32 + (24 + 4096) * 3 + 30] ^= 0xFF  # in the fourth page of it
    settings.database.write_bytes(base)
    log.write_bytes(broken)
    assert any("log is damaged" in fault for fault in salvage(settings.database).faults), "SQLite says nothing of it"
    with pytest.raises(StoreError, match="damaged"):
        Curator(settings)  # what it wrote next would go over them
    restore.restore(settings, "now")
    assert seen(settings)[1] == before[1]


def test_a_verdict_on_a_page_whose_last_copy_is_damaged_comes_from_the_copy_before(
    curator: Curator, settings: Settings, tmp_path: Path
) -> None:
    decide(curator)
    before = set(salvage(settings.database).events)
    path, log = settings.database, settings.database.with_name("curator.db-wal")
    apart = tmp_path / "apart" / path.name
    apart.parent.mkdir()
    apart.write_bytes(path.read_bytes())
    data = bytearray(log.read_bytes())
    batch = curator.lessons.history()[-1].batch.encode()
    last = data.rindex(batch)  # of the first verdict, on the newest copy of its page
    page = (last - 32) // 4120 * 4120 + 32 + 24
    data[page + 8 : page + 60] = b"\xff" * 52  # where its rows are
    apart.with_name("curator.db-wal").write_bytes(data)
    assert set(salvage(apart).events) == before


def test_what_stands_behind_an_event_s_own_words_does_no_harm(curator: Curator, settings: Settings) -> None:
    decide(curator)
    before = seen(settings)
    path = closed(curator)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("""UPDATE events SET "after" = CAST(CAST("after" AS BLOB) || x'FFC328' AS TEXT)""")
        connection.commit()
    done = restore.restore(settings, "now")
    assert not done.losses
    assert seen(settings) == before


def test_the_copy_of_a_damaged_database_has_its_log(curator: Curator, settings: Settings) -> None:
    curator.verdicts.accept(["AAAA-0000"])
    log = (settings.home / "curator.db-wal").read_bytes()
    assert log
    with pytest.raises(StoreError, match="damaged"):
        curator.store.rows.ask("SELECT * FROM nowhere")
    assert (settings.home / "curator.db.damaged-wal").read_bytes() == log
    assert (settings.home / "curator.db.damaged").stat().st_mode & 0o777 == 0o600


def test_a_backup_a_day_is_kept_for_three_days_private_and_whole(curator: Curator, settings: Settings, still: Any) -> None:
    for day in range(5):
        for number in (0, 1):
            curator.verdicts.drop([f"AAAA-000{number}"])
            app.settling.settle(curator, [])
            curator.verdicts.undo()
        still.forward(DAY)
        assert len(backups.list_backups(settings.database)) == min(day + 1, 3)
    kept = backups.list_backups(settings.database)
    assert [path.stat().st_mode & 0o777 for path in kept] == [0o600] * 3
    assert kept[0].parent.stat().st_mode & 0o777 == 0o700
    held = [salvage(path) for path in kept]
    assert not any(one.faults for one in held)
    assert [len(one.verdicts) for one in held] == [9, 7, 5], "after the day's first verdict, and not after its second"


def test_two_may_make_the_day_s_backup_at_once(curator: Curator, settings: Settings) -> None:
    decide(curator)
    failures: list[BaseException] = []

    def make() -> None:
        try:
            with closing(Store(settings.database)) as store:
                for _ in range(8):
                    backups.make(store.connection, settings.database, "2026-01-31")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert not [*backups.folder(settings.database).glob("*.tmp")]
    assert salvage(backups.of_day(settings.database, "2026-01-31")).events.keys() == salvage(settings.database).events.keys()


def test_a_damaged_database_takes_no_backups_place(curator: Curator, settings: Settings, still: Any) -> None:
    app.settling.settle(curator, [])
    before = [path.read_bytes() for path in backups.list_backups(settings.database)]
    still.forward(DAY)
    curator.store.empty_log()
    overwrite(settings.database, page_of(settings.database, b"always use tool 1"), b"\xab" * 4096)
    curator.store.connection.execute("PRAGMA shrink_memory")
    with pytest.raises(StoreError):
        restore.back_up(curator)
    assert [path.read_bytes() for path in backups.list_backups(settings.database)] == before
    assert not list(backups.folder(settings.database).glob("*.tmp*"))


@pytest.mark.parametrize("how", ["deleted", "emptied"])
def test_a_missing_database_beside_backups_is_no_fresh_start(curator: Curator, settings: Settings, how: str) -> None:
    curator.verdicts.drop(["AAAA-0000"])
    app.settling.settle(curator, [])
    path = closed(curator)
    if how == "deleted":
        path.unlink()
    else:
        os.truncate(path, 0)
    with pytest.raises(StoreError) as caught:
        Curator(settings)
    (newest,) = backups.list_backups(path)
    assert str(newest) in caught.value.message
    assert backups.day_of(newest) in caught.value.hint
    assert path.exists() == (how == "emptied"), "nothing was made"
    restore.restore(settings, backups.day_of(newest))
    assert seen(settings)[0]["AAAA-0000"].state is State.DISMISSED


def test_a_log_without_its_database_is_no_fresh_start(curator: Curator, settings: Settings) -> None:
    decide(curator)
    settings.database.unlink()
    with pytest.raises(StoreError, match="written to it last"):
        Store(settings.database)
    assert (settings.home / "curator.db-wal").stat().st_size, "SQLite would delete it beside an empty file"
    restore.restore(settings, "now")
    assert seen(settings)[0]["AAAA-0001"].state is State.DISMISSED


def test_a_backup_says_how_many_verdicts_it_lacks_and_where_they_are(curator: Curator, settings: Settings) -> None:
    curator.verdicts.accept(["AAAA-0000"])
    app.settling.settle(curator, [])
    curator.verdicts.drop(["AAAA-0001"])
    curator.verdicts.drop(["AAAA-0002"])
    closed(curator)
    (backup,) = backups.list_backups(settings.database)
    done = restore.restore(settings, backups.day_of(backup))
    assert done.missing == 2
    assert done.copy is not None
    assert seen(settings)[0]["AAAA-0001"].state is State.OPEN
    restore.restore(settings, done.copy.name)
    assert seen(settings)[0]["AAAA-0001"].state is State.DISMISSED


def test_what_was_forgotten_comes_back_from_nowhere(curator: Curator, settings: Settings) -> None:
    curator.verdicts.drop(["AAAA-0000"])
    app.settling.settle(curator, [])
    old = backups.list_backups(settings.database)[0].read_bytes()
    app.forget.forget(curator, ["AAAA-0001"])
    (left,) = backups.list_backups(settings.database)
    assert b"tool 2" not in left.read_bytes(), "backups are made anew"
    assert salvage(left).entries.keys() == {f"AAAA-000{n}" for n in (0, 2, 3, 4, 5, 6, 7)}
    path = closed(curator)
    left.write_bytes(old)  # as if somebody had kept one elsewhere
    overwrite(path, 0, b"\0" * 16)
    restore.restore(settings, "now")
    assert "AAAA-0001" not in seen(settings)[0]


def test_a_whole_database_needs_no_recovery_and_a_strange_name_is_none(curator: Curator, settings: Settings) -> None:
    closed(curator)
    before = settings.database.read_bytes()
    with pytest.raises(CuratorError, match="whole"):
        restore.restore(settings, "now")
    with pytest.raises(CuratorError, match="nothing called"):
        restore.restore(settings, "yesterday")
    assert settings.database.read_bytes() == before


def test_nothing_readable_changes_nothing(settings: Settings) -> None:
    settings.home.mkdir()
    settings.database.write_bytes(b"this was never a database\n" * 400)
    with pytest.raises(CuratorError, match="Nothing can be read"):
        restore.restore(settings, "now")
    assert sorted(path.name for path in settings.home.iterdir()) == ["curator.db"]


def test_pages_give_every_row_also_long_ones(tmp_path: Path, make: Callable[..., Entry]) -> None:
    """What is read off the pages is what SQLite says, whatever is in the file and what is in its log."""
    with closing(Store(tmp_path / "c.db")) as store:
        entries = [make(insight="ä" * length, score=n / 3, seen=n * 1000) for n, length in enumerate((1, 900, 4_100, 30_000))]
        for entry in entries:
            store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor="detector", at=1.5)
        store.empty_log()
        old = entries[0]
        store.apply([(Verb.DISMISS, Change(before=old, after=old._replace(state=State.DISMISSED)))], actor="person", at=2.0)
        found = {row.number: row.values for row in recovery.rows(store.path, tmp_path / "c.db-wal") if len(row.values) == 22}
        stored = store.connection.execute("SELECT * FROM entries").fetchall()
        assert {number: values[1:] for number, values in found.items()} == {row[0]: row[1:] for row in stored}
        older = {row.number: row.values for row in recovery.rows(store.path) if len(row.values) == 22}
        assert older[1][3] == "open", "without the log, what was before"
