"""Editing in place: no words are saved that the person has not seen, and each field says what it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from curator.app import Curator
from curator.model import Entry, State
from tests.tui.conftest import Driver, Inbox, Make, best

OLD = "Log with slog"
CLAUSE = f"{OLD} so that the levels can be set per package in production"
NEW = "Log with slog, levels per package"
APART = "Levels per package"
MORE = ". The gateway reads them."
Editing = Callable[..., AbstractAsyncContextManager[tuple[Driver, Callable[[], Entry]]]]


@pytest.fixture
def editing(inbox: Inbox, curator: Curator, make: Make) -> Editing:
    """Open the editor on a card; gives the keyboard, and the entry as it is stored."""

    @asynccontextmanager
    async def opened(
        insight: str, headline: str = OLD, size: tuple[int, int] = (80, 24)
    ) -> AsyncIterator[tuple[Driver, Callable[[], Entry]]]:
        (entry,) = best(curator, make, headline, insight=insight)
        async with inbox(*size) as driver:
            while driver.entry.id != entry.id:
                await driver.press("j")
            await driver.press("e")
            yield driver, lambda: curator.lessons.find(entry.id)

    return opened


@pytest.mark.parametrize("size", [(80, 24), (45, 40), (80, 12)])
async def test_enter_shows_the_lesson_that_follows_before_it_saves_it(editing: Editing, size: tuple[int, int]) -> None:
    async with editing(CLAUSE, size=size) as (driver, stored):
        await driver.press(*", always")
        assert "enter Lesson" in driver.text()
        await driver.press("enter")
        assert stored().state is State.OPEN, "saved what was not looked at"
        assert driver.screen.focused.id == "insight"
        assert "production" in driver.text()
        await driver.press(*["backspace"] * len(CLAUSE[len(OLD) :]), "enter")
        kept = stored()
        assert (kept.state, kept.headline, kept.insight) == (State.ACTIVE, f"{OLD}, always", f"{OLD}, always")


@pytest.mark.parametrize(
    ("headline", "insight", "typed", "foot", "key", "saved"),
    [
        # A rewritten headline replaces what it repeated, and nothing is said twice.
        (OLD, CLAUSE, ["ctrl+u", *NEW], "enter Save and keep", "enter", (NEW, NEW)),
        (OLD, CLAUSE, ["ctrl+u", *NEW], "enter Save and keep", "ctrl+s", (NEW, NEW)),
        (OLD, f"{CLAUSE}.", ["ctrl+u", *APART], "enter Save and keep", "enter", (APART, f"{APART}.")),
        (APART, f"In production, levels per package are set by {OLD}", ["ctrl+u", *NEW], "Save and keep", "enter", (NEW, NEW)),
        # Words that it never repeated stay, and enter shows them first.
        (OLD, CLAUSE + MORE, ["ctrl+u", *NEW], "enter Lesson  ^s Save and keep", "ctrl+s", (NEW, NEW + MORE)),
        (OLD, OLD + MORE, [*" only"], "^s Save and keep", "ctrl+s", (f"{OLD} only", f"{OLD} only{MORE}")),
        # Where nothing else changes, enter saves at once.
        (OLD, OLD, ["exclamation_mark"], "enter Save and keep", "enter", (f"{OLD}!", f"{OLD}!")),
        (OLD, f"{OLD}.", ["exclamation_mark"], "enter Save and keep", "enter", (f"{OLD}!", f"{OLD}!.")),
        (OLD, "Why not?", ["exclamation_mark"], "enter Save and keep", "enter", (f"{OLD}!", "Why not?")),
        (OLD, "", ["exclamation_mark"], "enter Save and keep", "enter", (f"{OLD}!", "")),
        # A lesson into which somebody typed follows no more.
        (OLD, CLAUSE, ["tab", *" too", "shift+tab", "end", "exclamation_mark"], "Save", "enter", (f"{OLD}!", f"{CLAUSE} too")),
    ],
)
async def test_what_is_saved(
    editing: Editing, headline: str, insight: str, typed: list[str], foot: str, key: str, saved: tuple[str, str]
) -> None:
    async with editing(insight, headline) as (driver, stored):
        await driver.press(*typed)
        assert foot in driver.text()
        await driver.press(key)
        kept = stored()
        assert (kept.state, kept.headline, kept.insight) == (State.ACTIVE, *saved)
        await driver.press("u")
        assert (stored().headline, stored().insight) == (headline, insight)


async def test_a_reopened_draft_shows_its_lesson_before_it_is_saved(editing: Editing) -> None:
    async with editing(CLAUSE) as (driver, stored):
        await driver.press(*" here", "escape", "e", "enter")
        assert stored().state is State.OPEN
        await driver.press("enter")
        assert stored().insight == CLAUSE.replace(OLD, f"{OLD} here")


async def test_each_field_has_its_name_and_its_count_and_the_lesson_is_seen_whole(editing: Editing) -> None:
    async with editing(CLAUSE, size=(45, 40)) as (driver, _):
        lines = driver.text().splitlines()
        assert any("Headline" in line and OLD in line and "3/16" in line for line in lines)
        assert any("Lesson" in line and "14/30" in line for line in lines)
        assert "production" in driver.text()
