"""A lesson typed by hand: where it shows, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from curator.app import Curator
from curator.tui.pane import Frame

Inbox = Callable[..., Any]
LINT = [*"Lint first", "tab", *"Lint runs in CI.", "enter"]


async def test_undo_of_an_added_lesson_says_what_it_took_back_and_how_it_comes_again(inbox: Inbox, curator: Curator) -> None:
    async with inbox() as driver:
        await driver.press("a", *LINT, "u")
        assert "undone: “Lint first” is gone " in driver.text()
        assert "U redo" in driver.text()
        await driver.press("U")
        assert "“Lint first” is a lesson again" in driver.text()
        assert "Lint first" in {entry.headline for entry in curator.lessons.entries(curator.lessons.library())}


async def test_the_library_shows_what_was_added_and_goes_there(inbox: Inbox, curator: Curator) -> None:
    async with inbox(100, 30, screen="lessons") as driver:
        before = driver.rows()
        await driver.press("j", "a", *LINT)
        assert driver.rows() == ["Lint first", *before]
        assert driver.headline == "Lint first"
        assert f"Active {len(before) + 1} " in driver.text()
        assert f"lessons 1/{len(before) + 1} " in driver.text()
        await driver.press("A")
        assert driver.app.screen.query_one("#sheet", Frame).border_title == "code of “Lint first”"
        await driver.press("escape", "u")
        assert driver.rows() == before
        assert "is gone" in driver.text()


async def test_an_added_lesson_stays_out_of_a_list_that_does_not_want_it(inbox: Inbox) -> None:
    async with inbox(100, 30, screen="lessons") as driver:
        await driver.press("right_square_bracket", "a", *LINT)
        assert driver.rows() == []
        assert "added “Lint first”" in driver.text()
