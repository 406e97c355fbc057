"""Editing in place: no words are saved that the person has not seen, and each field says what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from curator.app import Curator
from curator.model import Entry, State
from tests.tui.conftest import Inbox, Make, propose

OLD = "Log with slog"
CLAUSE = f"{OLD} so that the levels can be set per package in production"
NEW = "Log with slog, levels per package"


@pytest.fixture
def put(curator: Curator, make: Make) -> Make:
    def stored(headline: str, insight: str) -> Entry:
        entry = make(headline=headline, insight=insight, project="demo", score=0.999)
        propose(curator, entry)
        return entry

    return stored


@pytest.fixture
def editing(inbox: Inbox) -> Callable[..., Any]:
    """Open the editor on an entry's card."""

    async def opened(driver: Any, entry: Entry) -> None:
        while driver.entry.id != entry.id:
            await driver.press("j")
        await driver.press("e")

    return opened


@pytest.mark.parametrize("size", [(80, 24), (45, 40), (80, 12)])
async def test_enter_shows_the_lesson_that_follows_before_it_saves_it(
    inbox: Inbox, curator: Curator, put: Make, editing: Callable[..., Any], size: tuple[int, int]
) -> None:
    entry = put(OLD, CLAUSE)
    async with inbox(*size) as driver:
        await editing(driver, entry)
        await driver.press(*", always")
        assert "enter Lesson" in driver.text()
        await driver.press("enter")
        assert curator.lessons.find(entry.id).state is State.OPEN, "saved what was not looked at"
        assert driver.screen.focused.id == "insight"
        assert "production" in driver.text()
        await driver.press(*[key for _ in CLAUSE[len(OLD) :] for key in ("backspace",)], "enter")
        kept = curator.lessons.find(entry.id)
        assert (kept.state, kept.headline, kept.insight) == (State.ACTIVE, f"{OLD}, always", f"{OLD}, always")


@pytest.mark.parametrize("save", ["enter", "ctrl+s"])
@pytest.mark.parametrize(
    ("headline", "insight", "new", "saved"),
    [
        (OLD, CLAUSE, NEW, NEW),
        (OLD, f"{CLAUSE}.", "Set levels per package", "Set levels per package."),
        ("Levels per package", f"In production, levels per package are set by {OLD}", NEW, NEW),
    ],
)
async def test_a_rewritten_headline_replaces_what_it_repeated_by_three_keys_beside_the_words(
    inbox: Inbox,
    curator: Curator,
    put: Make,
    editing: Callable[..., Any],
    headline: str,
    insight: str,
    new: str,
    saved: str,
    save: str,
) -> None:
    entry = put(headline, insight)
    async with inbox(80, 24) as driver:
        await editing(driver, entry)  # e
        await driver.press("ctrl+u", *new)
        assert "enter Save and keep" in driver.text()
        await driver.press(save)
        kept = curator.lessons.find(entry.id)
        assert (kept.state, kept.headline, kept.insight) == (State.ACTIVE, new, saved), "nothing is said twice"
        await driver.press("u")
        assert curator.lessons.find(entry.id).insight == insight


async def test_what_a_rewritten_headline_never_repeated_stays_and_is_seen_first(
    inbox: Inbox, curator: Curator, put: Make, editing: Callable[..., Any]
) -> None:
    entry = put(OLD, f"{CLAUSE}. The gateway reads them.")
    async with inbox(80, 24) as driver:
        await editing(driver, entry)
        await driver.press("ctrl+u", *NEW)
        assert "enter Lesson  ^s Save and keep" in driver.text()
        await driver.press("ctrl+s")
        assert curator.lessons.find(entry.id).insight == f"{NEW}. The gateway reads them."


async def test_ctrl_s_saves_from_either_field(inbox: Inbox, curator: Curator, put: Make, editing: Callable[..., Any]) -> None:
    entry = put(OLD, f"{OLD}. Levels are set in production.")
    async with inbox(80, 24) as driver:
        await editing(driver, entry)
        await driver.press(*" only", "ctrl+s")
        assert curator.lessons.find(entry.id).insight == f"{OLD} only. Levels are set in production."


@pytest.mark.parametrize(("insight", "saved"), [(OLD, f"{OLD}!"), (f"{OLD}.", f"{OLD}!."), ("Why not?", "Why not?"), ("", "")])
async def test_enter_saves_at_once_where_nothing_else_changes(
    inbox: Inbox, curator: Curator, put: Make, editing: Callable[..., Any], insight: str, saved: str
) -> None:
    entry = put(OLD, insight)
    async with inbox(80, 24) as driver:
        await editing(driver, entry)
        await driver.press("exclamation_mark", "enter")
        kept = curator.lessons.find(entry.id)
        assert (kept.state, kept.headline, kept.insight) == (State.ACTIVE, f"{OLD}!", saved)


async def test_what_somebody_typed_into_the_lesson_follows_no_more(
    inbox: Inbox, curator: Curator, put: Make, editing: Callable[..., Any]
) -> None:
    entry = put(OLD, CLAUSE)
    async with inbox(80, 24) as driver:
        await editing(driver, entry)
        await driver.press("tab", *" too", "shift+tab", "end", "exclamation_mark", "enter")
        assert curator.lessons.find(entry.id).insight == f"{CLAUSE} too"


async def test_a_reopened_draft_shows_its_lesson_before_it_is_saved(
    inbox: Inbox, curator: Curator, put: Make, editing: Callable[..., Any]
) -> None:
    entry = put(OLD, CLAUSE)
    async with inbox(80, 24) as driver:
        await editing(driver, entry)
        await driver.press(*" here", "escape", "e", "enter")
        assert curator.lessons.find(entry.id).state is State.OPEN
        await driver.press("enter")
        assert curator.lessons.find(entry.id).insight == CLAUSE.replace(OLD, f"{OLD} here")


async def test_each_field_has_its_name_and_its_count_and_the_lesson_is_seen_whole(
    inbox: Inbox, put: Make, editing: Callable[..., Any]
) -> None:
    entry = put(OLD, CLAUSE)
    async with inbox(45, 40) as driver:
        await editing(driver, entry)
        lines = driver.text().splitlines()
        assert any("Headline" in line and OLD in line and "3/16" in line for line in lines)
        assert any("Lesson" in line and "14/30" in line for line in lines)
        assert "production" in driver.text()
