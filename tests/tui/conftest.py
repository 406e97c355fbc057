"""An inbox on the sample, driven by real keys without a terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from curator.app import Curator
from curator.demo import fill
from curator.settings import Settings
from curator.tui.app import CuratorApp
from curator.tui.board import Board


class Driver:
    """Presses keys and looks at what is on the screen."""

    def __init__(self, pilot: Pilot[Any], app: CuratorApp, still: Any) -> None:
        self.pilot = pilot
        self.app = app
        self.still = still
        self.pace = 0.5
        """Seconds between keys, by the clock that stands still otherwise."""

    @property
    def screen(self) -> Board:
        screen = self.app.screen
        assert isinstance(screen, Board), screen
        return screen

    @property
    def headline(self) -> str:
        return self.screen.card.entry.headline if self.screen.card.entry else ""

    async def press(self, *keys: str) -> None:
        """Press keys, each after the one before has been carried out and drawn."""
        for key in keys:
            self.still.forward(self.pace)
            await self.pilot.press(key)
            await self.pilot.pause()
        await self.settle()

    async def settle(self) -> None:
        """Wait for the threads that load and count."""
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    def text(self) -> str:
        """The screen as plain text."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    def rows(self) -> list[str]:
        """The headlines of the list, in order."""
        rows = self.screen.list.rows
        heads = self.app.curator.lessons.heads(list(rows.order))
        return [heads[seq].headline for seq in rows.order]


@pytest.fixture
def curator(tmp_path: Path, still: object) -> Iterator[Curator]:
    opened = fill(tmp_path, Settings(home=tmp_path / "home"))
    yield opened
    opened.close()


Inbox = Callable[..., Any]


@pytest.fixture
def inbox(curator: Curator, still: Any) -> Inbox:
    """Open the inbox at a size: ``async with inbox(80, 24) as driver``."""

    @asynccontextmanager
    async def opened(width: int = 100, height: int = 30, **more: Any) -> AsyncIterator[Driver]:
        app = CuratorApp(more.pop("curator", curator), watch=False, **more)
        async with app.run_test(size=(width, height)) as pilot:
            driver = Driver(pilot, app, still)
            await driver.settle()
            yield driver

    return opened


async def wait_for(condition: Callable[[], bool], pause: Callable[[], Awaitable[None]], tries: int = 200) -> None:
    """Wait until something holds; the tries bound it, no clock does."""
    for _ in range(tries):
        if condition():
            return
        await pause()
    raise AssertionError("it never came to hold")
