"""An inbox on the sample, driven by real keys without a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from curator.app import Curator
from curator.demo import fill
from curator.model import Change, Entry, Verb
from curator.settings import Settings
from curator.tui import background
from curator.tui.app import CuratorApp
from curator.tui.list_screen import ListScreen
from tests.files import write_program
from tests.tui import keyboard, style_sheets

OWN_KEYS = {
    "accept-repository": "Q",
    "category": "i",
    "code": "A",
    "read-all": "D",
    "edit-whole": "E",
    "preview": "V",
    "reopen": "b",
    "scope": "t",
    "snooze-until": "Z",
}
"""Keys for actions without a key, as a person may set them."""


class Driver:
    """Presses keys and looks at what is on the screen."""

    def __init__(self, pilot: Pilot[Any], app: Any, still: Any) -> None:
        self.pilot = pilot
        self.app = app
        self.still = still
        self.pace = 0.5
        """Seconds between keys, by the clock that stands still otherwise."""

    @property
    def screen(self) -> Any:
        """The screen, which must be on top."""
        assert isinstance(self.app.screen, ListScreen), self.app.screen
        return self.app.screen

    @property
    def entry(self) -> Any:
        """What the card shows."""
        return self.screen.card.entry

    @property
    def headline(self) -> str:
        return self.screen.card.entry.headline if self.screen.card.entry else ""

    async def press(self, *keys: str) -> None:
        """Press keys, each after the one before has been carried out and drawn."""
        await keyboard.press(self.app, *keys, pace=lambda: self.still.forward(self.pace))

    async def go(self, headline: str) -> None:
        """Move down to the row of a headline."""
        while self.headline != headline:
            await self.press("j")

    async def settle(self) -> None:
        """Wait until nothing is under way."""
        await keyboard.settle(self.app)

    async def poll(self) -> None:
        """Look for what other processes did."""
        self.app.poll()
        await self.settle()

    async def pause(self) -> None:
        """Let what follows decisions happen: it waits until a person pauses, and these keys know no pause."""
        beside = self.app.background
        if timer := beside._timer:
            timer.cancel()
            await asyncio.to_thread(timer.join)
        await asyncio.to_thread(beside._settle_now)
        await self.settle()

    def text(self) -> str:
        """The screen as plain text."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    def rows(self) -> list[str]:
        """The headlines of the list, in order."""
        rows = self.screen.list.rows
        heads = self.app.curator.lessons.heads(list(rows.order))
        return [heads[seq].headline for seq in rows.order]


@pytest.fixture(autouse=True, scope="session")
def parse_style_sheets_once() -> Iterator[None]:
    with style_sheets.parsed_once():
        yield


@pytest.fixture
def sample(tmp_path: Path, still: object) -> Iterator[Callable[..., Curator]]:
    """Open a database of its own with the sample, with settings that are given."""
    numbers = itertools.count()
    with contextlib.ExitStack() as stack:

        def filled(**changes: Any) -> Curator:
            folder = tmp_path / f"sample-{next(numbers)}"
            return stack.enter_context(closing(fill(folder, Settings(home=folder / "home", keys=OWN_KEYS)._replace(**changes))))

        yield filled


@pytest.fixture
def curator(tmp_path: Path, still: object) -> Iterator[Curator]:
    with closing(fill(tmp_path, Settings(home=tmp_path / "home", keys=OWN_KEYS))) as opened:
        yield opened


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Callable[..., Curator]]:
    """Open a database in which nothing is, at a project of these folders: of the last one, or of all."""
    numbers = itertools.count()
    with contextlib.ExitStack() as stack:

        def empty(*folders: str, every: bool = False, **changes: Any) -> Curator:
            home = tmp_path / f"place-{next(numbers)}"
            opened = stack.enter_context(closing(Curator(Settings(home=home, keys=OWN_KEYS)._replace(**changes))))
            for name in folders:
                (tmp_path / name).mkdir(parents=True, exist_ok=True)
                project = opened.enter(str(tmp_path / name))
                opened.store.sources.remember(project, project.folder)
            if every:
                opened.project = None
            return opened

        yield empty


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make a line of shell the person's editor; the terminal that is put aside for it is what tests have none of."""

    def become(line: str) -> None:
        monkeypatch.setenv("EDITOR", str(write_program(tmp_path / "my-editor", line)))
        monkeypatch.setattr(CuratorApp, "suspend", lambda app: contextlib.nullcontext())

    return become


Inbox = Callable[..., Any]
Make = Callable[..., Entry]
Place = Callable[..., Curator]
Sample = Callable[..., Curator]
TOKENS = ("The parser keeps comments in `tokens`", "The lexer writes `tokens` to a file that the parser maps into memory")
"""Two texts that are somewhat alike."""


@pytest.fixture
def inbox(curator: Curator, still: Any, monkeypatch: pytest.MonkeyPatch) -> Inbox:
    """Open the inbox at a size: ``async with inbox(80, 24) as driver``. What follows decisions waits for ``driver.pause``."""
    for seconds in ("SETTLE_SECONDS", "LATEST_SECONDS"):  # else a busy machine would make pauses
        monkeypatch.setattr(background, seconds, 600.0)

    @asynccontextmanager
    async def opened(width: int = 100, height: int = 30, **more: Any) -> AsyncIterator[Driver]:
        looking = more.pop("looking", False)
        app = CuratorApp(more.pop("curator", curator), watch=more.pop("watch", False), **more)
        app.looking |= looking
        async with app.run_test(size=(width, height)) as pilot:
            driver = Driver(pilot, app, still)
            await driver.settle()
            yield driver

    return opened


@pytest.fixture
async def driver(inbox: Inbox) -> AsyncIterator[Driver]:
    """The inbox at its usual size."""
    async with inbox() as opened:
        yield opened


def propose(curator: Curator, *entries: Entry, actor: str = "detector") -> None:
    """Store entries as cards that were found just now."""
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries], actor=actor, at=1.0)


def best(curator: Curator, make: Make, *texts: str, **more: Any) -> list[Entry]:
    """Store the best cards of the sample, which say these texts."""
    made = [make(**{"project": "demo", "score": 0.999, "headline": text, "insight": text} | more) for text in texts]
    propose(curator, *made)
    return made


def rules(curator: Curator, make: Make, count: int) -> None:
    """Store so many weak cards of one signal, each of a session of its own."""
    fields = {"project": "demo", "signal": "standing-rule", "score": 0.86, "score_parts": {"base": 0.5}}
    propose(curator, *(make(session=f"s{n}", headline=f"Rule number {n}", **fields) for n in range(count)))
