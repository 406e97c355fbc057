"""The inbox whose database is taken away: no tick for what is not stored, and a key that carries the verdicts over."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator.app import Curator
from curator.model import State
from curator.tui.overlays import LostScreen
from tests.tui.conftest import curator, inbox

__all__ = ["curator", "inbox"]
Inbox = Callable[..., Any]
DROPPED = (State.DISMISSED, State.RETIRED)


async def test_a_deleted_database_is_said_at_the_first_key_and_put_back(inbox: Inbox, curator: Curator) -> None:
    async with inbox(100, 30) as driver:
        first = driver.screen.card.entry.id
        await driver.press("x")
        second = driver.screen.card.entry.id
        curator.settings.database.unlink()
        await driver.press("x")
        assert isinstance(driver.app.screen, LostScreen)
        assert "deleted" in driver.text()
        assert "1 verdict" in driver.text()
        assert not curator.settings.database.exists()
        await driver.press("c")
        assert driver.screen.card.entry.id == second, "what was not stored is asked again"
        assert "every verdict of this window" in driver.screen.toast.text.plain
        await driver.press("x")
        with closing(Curator(curator.settings)) as other:
            assert all(other.lessons.find(id_).state in DROPPED for id_ in (first, second))


@pytest.mark.parametrize(("key", "state"), [("c", State.DISMISSED), ("n", State.OPEN)])
async def test_a_backup_in_its_place_takes_the_verdicts_over(
    inbox: Inbox, curator: Curator, tmp_path: Path, key: str, state: State
) -> None:
    async with inbox(100, 30) as driver:
        copy = tmp_path / "copy.db"
        with closing(sqlite3.connect(copy)) as to:
            curator.store.connection.backup(to)
        first = driver.screen.card.entry.id
        await driver.press("x")
        os.replace(copy, curator.settings.database)
        driver.app.poll()
        await driver.settle()
        assert isinstance(driver.app.screen, LostScreen), "said before any key"
        await driver.press(key)
        with closing(Curator(curator.settings)) as other:
            assert other.lessons.find(first).state is state
        later = driver.screen.card.entry.id
        await driver.press("x")
        with closing(Curator(curator.settings)) as other:
            assert other.lessons.find(later).state in DROPPED


async def test_later_leaves_the_window_and_asks_again_at_the_next_verdict(inbox: Inbox, curator: Curator) -> None:
    async with inbox(100, 30) as driver:
        curator.settings.database.unlink()
        await driver.press("x", "escape")
        driver.app.poll()
        await driver.settle()
        assert not isinstance(driver.app.screen, LostScreen)
        await driver.press("x")
        assert isinstance(driver.app.screen, LostScreen)
