"""What a first run is told, and for how long its keys mean what it says."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from curator.app import Curator
from curator.model import Change, Entry, Project, Relating, Relation, State, Verb
from curator.settings import Settings
from curator.tui.app import CuratorApp
from curator.tui.messages import Surveyed
from tests.transcripts import transcript_records as records
from tests.tui.conftest import Driver
from tests.tui.test_inbox import state


@asynccontextmanager
async def welcomed(tmp_path: Path, still: Any) -> AsyncIterator[Driver]:
    """The inbox of a first run, beside a transcript of years ago."""
    opened = Curator(Settings(home=tmp_path / "home"), Project(id="p", name="new", folder=str(tmp_path)))
    app = CuratorApp(opened, watch=False)
    write_greeting("old", at=1.0)
    async with app.run_test(size=(100, 30)) as pilot:
        driver = Driver(pilot, app, still)
        app.post_message(Surveyed((1, 1, 100)))
        await driver.settle()
        yield driver
    opened.close()


def write_greeting(name: str, at: float) -> None:
    """A transcript that teaches nothing."""
    path = records.write(Path.home() / ".claude" / "projects" / "-app" / f"{name}.jsonl", records.user("hello"))
    os.utime(path, (at, at))


def transcripts(driver: Driver) -> list[str]:
    """The names of those that were read."""
    return sorted(Path(path).stem for path in driver.app.curator.store.sources.followed())


async def test_lesson_files_beside_an_emptied_database_are_named(tmp_path: Path, still: Any) -> None:
    folder = tmp_path / ".curator" / "lessons"
    folder.mkdir(parents=True)
    (folder / "use-ninja-7k3f-q2md.md").write_text("---\nid: 7K3F-Q2MD\n---\n", encoding="utf-8")
    opened = Curator(Settings(home=tmp_path / "home"), Project(id="p", name="new", folder=str(tmp_path)))
    app = CuratorApp(opened, watch=True)
    async with app.run_test(size=(140, 30)) as pilot:
        driver = Driver(pilot, app, still)
        await driver.settle()
        assert "1 lesson file of this project the database knows nothing of. `curator import`" in driver.text()
        await driver.press("g", "l")
        assert "1 lesson file of this project the database knows nothing of:" in driver.text()
        assert "`curator import` brings them in" in driver.text()
    opened.close()


async def test_the_welcomes_digits_act_only_while_the_welcome_is_what_one_sees(
    tmp_path: Path, still: Any, make: Callable[..., Entry]
) -> None:
    async with welcomed(tmp_path, still) as driver:
        assert "Welcome" in driver.text()
        await driver.press("2")
        assert transcripts(driver) == ["old"]
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
        write_greeting("new", at=still())
        await driver.press("1")
        assert transcripts(driver) == ["old"], "the emptied inbox is no welcome"
