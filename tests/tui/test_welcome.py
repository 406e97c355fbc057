"""What a first run is told, and for how long its keys mean what it says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from curator.app import Curator
from curator.model import Change, Entry, Project, Relating, Relation, State, Verb
from curator.settings import Settings
from curator.tui.app import CuratorApp
from curator.tui.messages import Surveyed
from tests.tui.conftest import Driver
from tests.tui.test_inbox import state


@asynccontextmanager
async def welcomed(tmp_path: Path, still: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Driver, list[bool]]]:
    """The inbox of a first run, with what its welcome has set going."""
    opened = Curator(Settings(home=tmp_path / "home"), Project(id="p", name="new", folder=str(tmp_path)))
    app = CuratorApp(opened, watch=False)
    read: list[bool] = []
    monkeypatch.setattr(app.background, "scan", lambda *, everything=False: read.append(everything))
    async with app.run_test(size=(100, 30)) as pilot:
        driver = Driver(pilot, app, still)
        app.post_message(Surveyed((1, 1, 100)))
        await driver.settle()
        yield driver, read
    opened.close()


async def test_the_welcomes_digits_act_only_while_the_welcome_is_what_one_sees(
    tmp_path: Path, still: Any, monkeypatch: pytest.MonkeyPatch, make: Callable[..., Entry]
) -> None:
    async with welcomed(tmp_path, still, monkeypatch) as (driver, read):
        assert "Welcome" in driver.text()
        await driver.press("2")
        assert read == [True]
        driver.app.post_message(Surveyed((1, 1, 100)))
        curator = driver.app.curator
        old = make(project="p", state=State.ACTIVE, headline="Indent with tabs", insight="Indent with tabs")
        rival = Relation(other=old.id, relating=Relating.CONTRADICTS, likeness=0.9)
        new = make(project="p", headline="Indent with spaces", insight="Indent with spaces", rival=rival)
        curator.store.apply([(Verb.ADD, Change(before=None, after=one)) for one in (old, new)], actor="person", at=1.0)
        driver.screen.arrivals.catch_up()
        await driver.settle()
        assert driver.headline == "Indent with spaces"
        await driver.press("3")
        assert "3 again is for the card" in driver.text(), "it came under the finger"
        assert state(curator, "Indent with spaces") is State.OPEN
        still.forward(2.0)
        await driver.press("3")
        assert driver.app.is_running, "no demo"
        assert state(curator, "Indent with spaces") is State.ACTIVE
        assert state(curator, "Indent with tabs") is State.ACTIVE
        await driver.press("1")
        assert read == [True], "the emptied inbox is no welcome"
