"""What stands where no card does: filters, cleanup, a new lesson, and keys that are for other places."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.projects import project_from_folder
from tests.tui.conftest import TOKENS, Inbox, Make, best, propose


async def test_a_filter_tells_of_what_is_held_back(inbox: Inbox, curator: Curator, make: Make) -> None:
    for n, name in enumerate("ant bee cow dog eel fox zebra".split()):
        entry = make(project="demo", session="many", score=round(0.99 - n / 1000, 3), headline=f"The {name}")
        propose(curator, entry)
    async with inbox(80, 24) as driver:
        await driver.press("slash", *"zebra", "enter")
        assert "No match; press + to search 1 weaker card too. Press esc to clear the" in driver.text()
        assert "─ /zebra ─" in driver.text()
        await driver.press("plus")
        assert driver.rows() == ["The zebra"]
        await driver.press("slash", "ctrl+u", *"quaggas", "enter")
        assert "No match. Press esc to clear the filter." in driver.text()
        foot = driver.text().splitlines()[-1]
        assert [word for word in ("u Undo", "a Add", "+ Weaker", "q Quit", "? Help") if word not in foot] == []


async def test_an_empty_part_says_which_rows_it_has_none_of(inbox: Inbox, curator: Curator) -> None:
    async with inbox(80, 24) as driver:
        await driver.press("asterisk", "x", "g", "i", "R", *["right_square_bracket"] * 3)
        assert "No stale lessons." in driver.text()
        await driver.press("g", "c", *["right_square_bracket"] * 3)
        assert "No groups of lessons." in driver.text()


async def test_the_cleanup_that_asked_nothing_counts_no_decisions(inbox: Inbox) -> None:
    async with inbox(80, 24) as driver:
        await driver.press("asterisk", "y", "g", "c")
        while driver.screen.list.rows.cursor is not None:
            driver.screen.list.rows.remove([driver.screen.list.rows.cursor])
        driver.screen.card.reload()
        await driver.settle()
        assert "Nothing to clean up." in driver.text()
        assert "kept" not in driver.text()


@pytest.mark.parametrize("size", [(80, 24), (45, 40), (160, 45)])
async def test_a_new_lesson_shows_nothing_of_the_card_at_hand(inbox: Inbox, size: tuple[int, int]) -> None:
    async with inbox(*size) as driver:
        assert "sample data" in driver.text().splitlines()[0]
        await driver.press("j", "j", "a")
        assert "a new lesson, by hand" in driver.text()
        assert "o full" not in driver.text()
        await driver.press(*"Half", "escape")
        assert "o full" in driver.text()
        await driver.press("a")
        assert "draft, just now. ctrl-u clears a field" in driver.text()


async def test_a_key_that_is_for_another_place_says_what_for_and_where(inbox: Inbox) -> None:
    async with inbox(80, 24) as driver:
        await driver.press("b")
        assert "This key does nothing here. In the library: move a dropped or expired card" in driver.text()


async def test_a_hint_is_cut_with_a_sign_and_goes_with_the_next_key(inbox: Inbox, curator: Curator, make: Make) -> None:
    best(curator, make, *TOKENS)
    async with inbox(80, 24) as driver:
        await driver.press("slash", *"tokens", "enter", "m")
        assert driver.text().splitlines()[-2].endswith("…”")
        await driver.press("j")
        assert "Nothing says" not in driver.text()


async def test_esc_closes_the_reasons_before_it_clears_anything(inbox: Inbox) -> None:
    async with inbox(80, 24) as driver:
        await driver.press("j", "space", "w")
        assert "person said it" in driver.text()
        await driver.press("escape")
        assert "person said it" not in driver.text()
        assert "1 marked" in driver.text()
        await driver.press("escape")
        assert "1 marked" not in driver.text()


@pytest.mark.parametrize(("width", "shown"), [(80, True), (45, False)])
async def test_rows_of_all_projects_say_whose_they_are(inbox: Inbox, curator: Curator, width: int, shown: bool) -> None:
    curator.project = None
    async with inbox(width, 24) as driver:
        row = next(line for line in driver.text().splitlines() if "Use pnpm" in line)
        assert ("acme-api" in row) is shown


async def test_no_word_is_cut_in_a_narrow_terminal(inbox: Inbox) -> None:
    async with inbox(45, 40) as driver:
        await driver.press("x", "question_mark")
        assert "type to search, enter runs one" in driver.text()
        await driver.press("escape", "g", "h")
        foot = " ".join(driver.text().splitlines()[-2:]).split()
        assert foot == "o Lesson u Undo this U Redo g i Inbox ? Help".split()


async def test_a_folder_without_sessions_is_no_inbox_zero(inbox: Inbox, curator: Curator, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    curator.enter(str(folder))
    async with inbox(100, 30) as driver:
        assert "curator found no agent session here" in driver.text()
        assert "Inbox zero" not in driver.text()
        assert "cards in other projects" in driver.text()
        await driver.press("p", "down", "enter")
        assert len(driver.screen.list.rows), "the project with cards is shown in this window"
        assert curator.project is not None
        assert curator.project.folder != str(folder)
        with curator.store.transaction():
            for folder in (tmp_path / "a" / "cli", tmp_path / "b" / "cli"):
                curator.store.sources.remember(project_from_folder(str(folder)), str(folder))
        await driver.press("p")
        assert driver.text().count("cli in /") == 2, "two projects of one name are told apart"
        await driver.press("enter")
        assert curator.scope is None, "every project"
        assert driver.screen.has_class("-every")


async def test_a_project_that_is_linked_to_another_is_not_offered(inbox: Inbox, curator: Curator, tmp_path: Path) -> None:
    gone, here = tmp_path / "oldname", tmp_path / "elsewhere"
    here.mkdir()
    curator.enter(str(here))
    with curator.store.transaction():
        for folder in (gone, here):
            curator.store.sources.remember(project_from_folder(str(folder)), str(folder))
    app.project.link(curator, str(gone), str(here))
    async with inbox(100, 30) as driver:
        await driver.press("p")
        shown = driver.text()
        assert "oldname" not in shown
        assert all(row["name"] in shown for row in app.project.listing(curator)), "the same projects as `curator project`"
