"""A lesson typed by hand: where it shows, and how it is taken back."""

from __future__ import annotations

from curator.app import Curator
from curator.tui.list_screen import ListScreen
from curator.tui.pane import Frame
from tests.tui.conftest import Driver, Inbox, Make, Place, propose

LINT = [*"Lint first", "tab", *"Lint runs in CI.", "enter"]


async def test_undo_of_an_added_lesson_says_what_it_took_back_and_how_it_comes_again(driver: Driver, curator: Curator) -> None:
    await driver.press("a", *LINT, "u")
    assert "undone: “Lint first” is gone " in driver.text()
    assert "U redo" in driver.text()
    await driver.press("U")
    assert "“Lint first” is a lesson again" in driver.text()
    assert "Lint first" in {entry.headline for entry in curator.lessons.entries(curator.lessons.library())}


async def test_with_every_project_one_says_first_whose_lesson_it_is(inbox: Inbox, place: Place, make: Make) -> None:
    every = place("api", "web", "docs", every=True)
    projects = {one.name: one.id for one in every.projects().values()}
    propose(every, make(project=projects["web"], headline="Use pnpm in web"))
    async with inbox(80, 24, curator=every) as driver:
        await driver.press("a")
        assert "Which project is the new lesson for?" in driver.text()
        order = [line.strip("│ ▌") for line in driver.text().splitlines()]
        assert order.index("web") < order.index("api") < order.index("docs"), "that of the card at hand first"
        await driver.press("escape")
        assert isinstance(driver.app.screen, ListScreen), "nothing was begun"
        await driver.press("a", *"oc", "enter")
        assert "a new lesson of docs, by hand" in driver.text()
        await driver.press(*LINT)
        (kept,) = every.lessons.entries(every.lessons.library())
        assert (kept.headline, kept.insight, kept.project) == ("Lint first", "Lint runs in CI.", projects["docs"])
        await driver.press("u")
        assert not [*every.lessons.entries(every.lessons.library())]


async def test_projects_of_one_name_are_told_apart_by_their_folders_which_find_them_too(inbox: Inbox, place: Place) -> None:
    async with inbox(80, 24, curator=place("first/cli", "second/cli", "billing/app", "web", every=True)) as driver:
        await driver.press("a")
        rows = [line.strip("│ ▌") for line in driver.text().splitlines()]
        first, second, web = [row for row in rows if row.startswith(("cli", "web"))]
        assert (first[-5:], second[-6:], web) == ("t/cli", "nd/cli", "web")
        await driver.press(*"billing", "enter")
        assert "a new lesson of app, by hand" in driver.text()


async def test_a_folder_in_wide_letters_keeps_its_line(inbox: Inbox, place: Place) -> None:
    folders = ("開発者の作業場/first/cli", "開発者の作業場/second/cli")
    async with inbox(45, 30, curator=place(*folders, every=True)) as driver:
        await driver.press("a")
        shown = [line for line in driver.text().splitlines() if "作業場" in line]
        assert [line.strip("│▌ ").split()[0] for line in shown] == ["cli", "cli"], "name and folder on one line"


async def test_the_library_shows_what_was_added_and_goes_there(inbox: Inbox, curator: Curator) -> None:
    async with inbox(100, 30, screen="lessons") as driver:
        before = driver.rows()
        await driver.press("j", "a", *LINT)
        assert driver.rows() == ["Lint first", *before]
        assert driver.headline == "Lint first"
        assert f"Active {len(before) + 1} " in driver.text()
        assert f"lessons 1/{len(before) + 1} " in driver.text()
        await driver.press("A")
        assert driver.app.screen.query_one("#sheet", Frame).border_title == "code linked to “Lint first”"
        await driver.press("escape", "u")
        assert driver.rows() == before
        assert "is gone" in driver.text()


async def test_an_added_lesson_stays_out_of_a_list_that_does_not_want_it(inbox: Inbox) -> None:
    async with inbox(100, 30, screen="lessons") as driver:
        await driver.press("right_square_bracket", "a", *LINT)
        assert driver.rows() == []
        assert "added “Lint first”" in driver.text()


async def test_of_a_draft_that_was_emptied_nothing_is_said(driver: Driver) -> None:
    await driver.press("a", "x", "escape", "a")
    assert "ctrl-u clears a field" in driver.text()
    await driver.press("ctrl+u", "escape")
    assert "ctrl-u clears a field" not in driver.text()
