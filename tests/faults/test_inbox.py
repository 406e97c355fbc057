"""The inbox whose database is taken away closes with a sentence, and shows no tick for a decision that is not stored."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curator.app import Curator
from curator.store import backups
from tests.tui.conftest import curator, inbox

__all__ = ["curator", "inbox"]
Inbox = Callable[..., Any]


def delete(curator: Curator) -> None:
    curator.settings.database.unlink()


def replace(curator: Curator) -> None:
    copy = curator.settings.home / "copy.db"
    backups.copy(curator.store.connection, copy, curator.settings.database)
    os.replace(copy, curator.settings.database)


@pytest.mark.parametrize(("how", "words"), [(delete, "deleted"), (replace, "replaced")])
async def test_a_decision_on_a_lost_database_closes_the_window(
    inbox: Inbox, curator: Curator, how: Callable[[Curator], None], words: str
) -> None:
    async with inbox(100, 30) as driver:
        await driver.press("x")
        how(curator)
        await driver.press("x")
        assert driver.app.lost is not None
        assert words in driver.app.lost.message
        assert "curator restore" in driver.app.lost.hint
        assert not driver.app.is_running or driver.app._exit
        assert driver.app.today["dismiss"] <= 1, "the second decision is not counted as made"


async def test_the_window_closes_before_any_key(inbox: Inbox, curator: Curator, tmp_path: Path) -> None:
    async with inbox(100, 30) as driver:
        delete(curator)
        driver.app.poll()
        await driver.settle()
        assert driver.app.lost is not None
        assert not curator.settings.database.exists(), "nothing took its place"
