"""Backups of the database: one per day with a decision, whole and private; and putting one back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator import app
from curator.app import Curator
from curator.errors import CuratorError, StoreError
from curator.model import Entry, State
from curator.settings import Settings, load
from curator.store import backups
from curator.store.database import Store
from tests.cli.conftest import Shell, shell
from tests.threads import at_once

__all__ = ["shell"]
DAY = 86_400.0


def states(settings: Settings) -> dict[str, State]:
    with closing(Curator(settings)) as other:
        return {entry.id: entry.state for entry in other.lessons.entries(other.lessons.library(tuple(State)))}


def backed_up(curator: Curator, id_: str = "AAAA-0000") -> Path:
    """Drop a card; the path of the day's backup."""
    curator.decisions.drop([id_])
    app.settling.settle(curator, [])
    (backup,) = backups.list_backups(curator.settings.database)
    return backup


def closed(curator: Curator) -> Path:
    """The path of the database, which nobody has open any more, all of it in one file."""
    curator.store.empty_log()
    curator.close()
    return curator.settings.database


def test_a_backup_a_day_is_kept_for_three_days_private_and_whole(curator: Curator, settings: Settings, still: Any) -> None:
    for day in range(5):
        for number in (0, 1):
            curator.decisions.drop([f"AAAA-000{number}"])
            app.settling.settle(curator, [])
            curator.decisions.undo()
        still.forward(DAY)
        assert len(backups.list_backups(settings.database)) == min(day + 1, 3)
    kept = backups.list_backups(settings.database)
    assert [path.stat().st_mode & 0o777 for path in kept] == [0o600] * 3
    assert kept[0].parent.stat().st_mode & 0o777 == 0o700
    first = [backups.describe(path) for path in kept]
    assert [one.entries for one in first] == [8, 8, 8]
    assert [one.events - first[-1].events for one in first] == [8, 4, 0], "after the day's first decision, not after its second"


def test_two_may_make_the_day_s_backup_at_once(curator: Curator, settings: Settings) -> None:
    curator.decisions.accept(["AAAA-0000"])

    def make() -> None:
        with closing(Store(settings.database)) as store:
            for _ in range(8):
                backups.make(store.connection, settings.database, "2026-01-31")

    at_once(make, 3)
    assert not [*backups.folder(settings.database).glob("*.tmp")]
    assert backups.describe(backups.of_day(settings.database, "2026-01-31")).entries == 8


def test_a_damaged_database_takes_no_backups_place(curator: Curator, settings: Settings, still: Any) -> None:
    app.settling.settle(curator, [])
    before = [path.read_bytes() for path in backups.list_backups(settings.database)]
    still.forward(DAY)
    curator.store.empty_log()
    at = settings.database.read_bytes().index(b"always use tool 1") // 4096 * 4096
    with open(settings.database, "r+b") as file:
        file.seek(at)
        file.write(b"\xab" * 4096)
    curator.store.connection.execute("PRAGMA shrink_memory")
    with pytest.raises(StoreError):
        backups.back_up(curator.store.connection, settings.database)
    assert [path.read_bytes() for path in backups.list_backups(settings.database)] == before
    assert not list(backups.folder(settings.database).glob("*.tmp*"))


@pytest.mark.parametrize("how", ["deleted", "emptied"])
def test_a_missing_database_with_backups_is_no_fresh_start(curator: Curator, settings: Settings, how: str) -> None:
    newest = backed_up(curator)
    path = closed(curator)
    if how == "deleted":
        path.unlink()
    else:
        os.truncate(path, 0)
    with pytest.raises(StoreError) as caught:
        Curator(settings)
    assert str(newest) in caught.value.message
    assert backups.day_of(newest) in caught.value.hint
    assert path.exists() == (how == "emptied"), "nothing was made"
    backups.restore(settings.database, backups.day_of(newest))
    assert states(settings)["AAAA-0000"] is State.DISMISSED


def test_the_database_from_before_is_kept_with_its_log(curator: Curator, settings: Settings) -> None:
    backup = backed_up(curator)
    curator.decisions.drop(["AAAA-0001"])  # stands in the log alone, and a window has both open
    _, kept = backups.restore(settings.database, backups.day_of(backup))
    assert kept is not None
    assert states(settings)["AAAA-0001"] is State.OPEN
    elsewhere = settings.home / "elsewhere"
    elsewhere.mkdir()
    os.replace(kept, elsewhere / "curator.db")
    os.replace(f"{kept}-wal", elsewhere / "curator.db-wal")
    assert states(Settings(home=elsewhere))["AAAA-0001"] is State.DISMISSED


def test_a_strange_name_and_a_damaged_backup_change_nothing(curator: Curator, settings: Settings) -> None:
    backup = backed_up(curator)
    app.forget.forget(curator, ["AAAA-0001"])
    assert b"tool 2" not in backup.read_bytes(), "what was forgotten is in no backup"
    assert backups.describe(backup).entries == 7
    before = closed(curator).read_bytes()
    with pytest.raises(CuratorError, match="no backup called"):
        backups.restore(settings.database, "../curator")
    backup.write_bytes(b"this was never a database\n" * 400)
    with pytest.raises(CuratorError, match="damaged"):
        backups.restore(settings.database, backups.day_of(backup))
    assert settings.database.read_bytes() == before


def test_restore_lists_the_backups_and_puts_one_back(shell: Shell, make: Callable[..., Entry]) -> None:
    assert "no backup yet" in shell("restore").out
    one, other = shell.put(make(), make())
    shell("keep", one)
    shell("retire", other)
    backups.of_day(load().database, "2099-01-01").write_bytes(b"this was never a database\n" * 400)
    listed = shell("restore", "--list", "--json")
    assert (listed.code, "curator-2099-01-01.db is damaged" in listed.err) == (0, True)
    backup = listed.one
    assert list(backup) == ["backup", "at", "entries", "events"]
    assert (backup["entries"], backup["events"]) == (2, 3), "two proposals and the day's first decision"
    load().database.write_bytes(b"\0" * 4096)
    damaged = shell("list")
    assert damaged.code == 3
    assert "curator restore" in damaged.err
    done = shell("restore", backup["backup"], "--json")
    assert json.loads(done.out) == backup
    assert [row["id"] for row in shell.json("list")] == [one]
    assert shell("restore", "2020-02-30").code == 3
    backups.of_day(load().database, backup["backup"]).unlink()
    listed = shell("restore")
    assert (listed.out, listed.code) == ("", 0)


def test_a_newer_lesson_comes_back_from_its_file_as_a_candidate(shell: Shell, make: Callable[..., Entry]) -> None:
    (one,) = shell.put(make())
    shell("keep", one)
    (later,) = shell.json("add", "Feed the zebra before the tests run.")
    (backup,) = shell.json("restore")
    shell("restore", backup["backup"])
    assert [row["id"] for row in shell.json("list")] == [one]
    shell("import")
    assert [row["id"] for row in shell.json("list", "--candidates")] == [later["id"]], "a person decides again"
