"""The screen of a replay, by keys: a made-up history with known answers, and both places of each case."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events

from curator.app import Curator
from curator.errors import CuratorError
from curator.transcripts.base import discover
from curator.tui import replay
from curator.tui.replay import PlacesScreen, ReplayScreen
from tests.app.conftest import work
from tests.app.test_replay import FIRST, Told, curator, history, learn, root
from tests.conftest import Clock
from tests.sayings import VENDOR
from tests.tui import keyboard

__all__ = ["curator", "root", "work"]

Inbox = Callable[..., Any]
SIZES = [(160, 45), (80, 24), (45, 40)]


def words(driver: Any) -> str:
    """What is on the screen, however it is broken."""
    return " ".join(driver.text().replace("│", " ").split())


def side(driver: Any, name: str) -> str:
    """What one side shows, without its marks."""
    return " ".join(driver.app.screen.query_one(f"#{name}").text.replace("▌", "").split())


@pytest.fixture
def made(curator: Curator, root: Path, work: Path) -> Curator:
    """Five statements that came up again, each with another outcome but two."""
    history(curator, root, work)
    return curator


@pytest.mark.parametrize("size", SIZES)
async def test_figures_weeks_and_rows_are_those_of_the_history(
    inbox: Inbox, made: Curator, root: Path, size: tuple[int, int]
) -> None:
    async with inbox(*size, curator=made, roots=[root]) as driver:
        await driver.press("g", "r")
        pane = driver.app.screen.query_one("#page")
        lines = [" ".join(line.split()) for line in pane.text.splitlines()]
        for line in ("sent before 1 20% (4% to 62%)", "sent too late 1 20% (4% to 62%)", "not sent 2 40% (12% to 77%)"):
            assert line in lines
        assert "2026-06-29 5 ████░░░░░░░░░░░░░░░░" in lines
        assert [row.case.outcome for row in driver.app.screen.rows] == [
            "not sent",
            "in a file already",
            "not sent",
            "sent too late",
            "sent before",
        ]
        await driver.press("G")
        here = next(at for at, line in enumerate(driver.text().splitlines()) if line.startswith("▌"))
        row = " ".join(driver.text().splitlines()[here : here + 2])
        assert "We never edit vendor/" in row
        assert "4 turns" in row
        await driver.press("home")
        assert "What came up again" in driver.text(), "the figures stand above the first row"


@pytest.mark.parametrize("size", SIZES)
async def test_a_row_opens_both_places_and_comes_back_to_itself(
    inbox: Inbox, made: Curator, root: Path, size: tuple[int, int]
) -> None:
    async with inbox(*size, curator=made, roots=[root]) as driver:
        await driver.press("g", "r", "G", "enter")
        screen = driver.app.screen
        first, again = (screen.query_one(f"#{side}") for side in ("first", "again"))
        assert (first.region.y == again.region.y) == (size[0] >= 100)
        assert (first.region.x == again.region.x) == (size[0] < 100)
        assert "0000.jsonl:1" in first.text
        assert [line for line in again.text.splitlines() if line.endswith((".jsonl:2", ".jsonl:5"))]
        marked = [" ".join(line[1:].split()) for line in again.text.splitlines() if line.startswith("▌")]
        assert marked[0].startswith("agent $ vendor/a.py") or "nightly sync" in marked[0], "what made the hook send it"
        assert "no, we never edit vendor/ by hand" in words(driver)
        await driver.press("tab", "j")
        assert again.offset_y == (1 if again.hidden_below or again.offset_y else 0)
        await driver.press("escape")
        assert isinstance(driver.app.screen, ReplayScreen)
        assert driver.app.screen.at == 4


async def test_a_place_opens_in_the_editor_at_its_line(
    inbox: Inbox, made: Curator, root: Path, tmp_path: Path, editor: Callable[[str], None]
) -> None:
    editor(f'echo "$@" >> {tmp_path}/opened')
    async with inbox(120, 30, curator=made, roots=[root]) as driver:
        await driver.press("g", "r", "G", "enter", "o", "tab", "o")
    first, again = (tmp_path / "opened").read_text().splitlines()
    assert first.startswith("+1 ")
    assert first.endswith("0000.jsonl")
    assert again.startswith("+5 ")
    assert again.endswith("0030.jsonl")


async def test_a_transcript_that_is_gone_or_changed_is_told(inbox: Inbox, made: Curator, root: Path) -> None:
    async with inbox(120, 30, curator=made, roots=[root]) as driver:
        await driver.press("g", "r", "G")
        next(root.rglob("*0000.jsonl")).unlink()
        changed = next(root.rglob("*0030.jsonl"))
        changed.write_text(changed.read_text().replace("vendor/ by hand", "sources by hand"))
        await driver.press("enter")
        told = {name: side(driver, name) for name in replay.TITLES}
        assert replay.GONE in told["first"]
        assert VENDOR in told["first"], "what was kept of it"
        assert replay.CHANGED in told["again"]
        await driver.press("o")
        assert "Its transcript is not here." in driver.text()


async def test_esc_stops_it_and_r_starts_it_again(
    inbox: Inbox, made: Curator, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    going, find = threading.Event(), discover.find
    begun: list[None] = []

    def held_up(*asked: Any) -> Any:
        begun.append(None)
        assert going.wait(60)
        return find(*asked)

    async with inbox(80, 24, curator=made, roots=[root]) as driver:
        monkeypatch.setattr(discover, "find", held_up)
        for key in ("g", "r", "escape"):
            driver.app.post_message(events.Key(key, key))
            await keyboard._rest(driver.app)
            assert key != "r" or "reading transcripts again" in driver.text()
        assert "stopping" in driver.text()
        going.set()
        await driver.settle()
        assert replay.STOPPED in words(driver)
        assert not driver.app.screen.rows
        await driver.press("R")
        assert len(driver.app.screen.rows) == 5
        assert len(begun) == 2
        await driver.press("escape")
        assert driver.screen.listing.name == "inbox"
        await driver.press("g", "r")
        assert len(driver.app.screen.rows) == 5
        assert len(begun) == 2, "what was found is still there"


async def test_where_there_is_nothing_it_says_what_to_do(inbox: Inbox, curator: Curator, root: Path, work: Path) -> None:
    Told(root, work, 50).says("hello")
    async with inbox(80, 24, curator=curator, roots=[root]) as driver:
        await driver.press("g", "r", "enter", "j")
        assert replay.NOTHING_KEPT in words(driver)
        learn(curator, root, work)
        await driver.press("R")
        assert replay.NEVER_AGAIN in words(driver)
        for file in root.rglob("*.jsonl"):
            file.unlink()
        await driver.press("R")
        assert replay.NO_SESSIONS in words(driver)


async def test_a_lesson_that_was_added_by_hand_was_stated_first_nowhere(
    inbox: Inbox, curator: Curator, root: Path, work: Path, still: Clock
) -> None:
    now, still.at = still.at, FIRST.timestamp()
    curator.verdicts.add(VENDOR.removeprefix("no, "), read=True)
    still.at = now
    Told(root, work, 30).says(VENDOR)
    async with inbox(120, 30, curator=curator, roots=[root]) as driver:
        await driver.press("g", "r")
        assert [row.first for row in driver.app.screen.rows] == [None]
        await driver.press("enter")
        assert isinstance(driver.app.screen, PlacesScreen)
        assert replay.UNKNOWN in side(driver, "first")


async def test_a_fault_is_said_and_ends_nothing(
    inbox: Inbox, made: Curator, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*asked: Any) -> Any:
        raise CuratorError("The disk is gone.", "Put it back.")

    async with inbox(80, 24, curator=made, roots=[root]) as driver:
        with monkeypatch.context() as gone:
            gone.setattr(discover, "find", lost)
            await driver.press("g", "r")
        assert "The disk is gone." in driver.text()
        assert replay.ENDED in words(driver)
        await driver.press("R")
        assert len(driver.app.screen.rows) == 5
