"""A lesson typed by hand: where it shows, and how it is taken back."""

from __future__ import annotations

from pathlib import Path

from curator.app import Curator
from curator.settings import Settings
from curator.tui.board import Board
from curator.tui.pane import Frame
from tests.tui.conftest import Driver, Inbox, Make, propose

LINT = [*"Lint first", "tab", *"Lint runs in CI.", "enter"]


async def test_undo_of_an_added_lesson_says_what_it_took_back_and_how_it_comes_again(driver: Driver, curator: Curator) -> None:
    await driver.press("a", *LINT, "u")
    assert "undone: “Lint first” is gone " in driver.text()
    assert "U redo" in driver.text()
    await driver.press("U")
    assert "“Lint first” is a lesson again" in driver.text()
    assert "Lint first" in {entry.headline for entry in curator.lessons.entries(curator.lessons.library())}


async def test_with_every_project_one_says_first_whose_lesson_it_is(inbox: Inbox, tmp_path: Path, make: Make) -> None:
    every = Curator(Settings(home=tmp_path / "every"))
    projects = {}
    for name in ("api", "web", "docs"):
        (tmp_path / name).mkdir()
        projects[name] = every.enter(str(tmp_path / name))
        every.store.sources.remember(projects[name], projects[name].folder)
    entry = make(project=projects["web"].id, headline="Use pnpm in web")
    propose(every, entry)
    every.project = None
    async with inbox(80, 24, curator=every) as driver:
        await driver.press("a")
        assert "the project of a new lesson" in driver.text()
        order = [line.strip("│ ▌") for line in driver.text().splitlines()]
        assert order.index("web") < order.index("api") < order.index("docs"), "that of the card at hand first"
        await driver.press("escape")
        assert isinstance(driver.app.screen, Board), "nothing was begun"
        await driver.press("a", *"oc", "enter")
        assert "a new lesson of docs, by hand" in driver.text()
        await driver.press(*LINT)
        (kept,) = every.lessons.entries(every.lessons.library())
        assert (kept.headline, kept.project) == ("Lint first", projects["docs"].id)
        await driver.press("u")
        assert not [*every.lessons.entries(every.lessons.library())]
    every.close()


async def test_projects_of_one_name_are_told_apart_by_their_folders(inbox: Inbox, tmp_path: Path) -> None:
    every = Curator(Settings(home=tmp_path / "every"))
    for name in ("first/cli", "second/cli", "web"):
        (tmp_path / name).mkdir(parents=True)
        project = every.enter(str(tmp_path / name))
        every.store.sources.remember(project, project.folder)
    every.project = None
    async with inbox(80, 24, curator=every) as driver:
        await driver.press("a")
        first, second, web = [
            row for line in driver.text().splitlines() if (row := line.strip("│ ▌")).startswith(("cli", "web"))
        ]
        assert (first[-5:], second[-6:], web) == ("t/cli", "nd/cli", "web")
    every.close()


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


async def test_of_a_draft_that_was_emptied_nothing_is_said(driver: Driver) -> None:
    await driver.press("a", "x", "escape", "a")
    assert "ctrl-u clears a field" in driver.text()
    await driver.press("ctrl+u", "escape")
    assert "ctrl-u clears a field" not in driver.text()


async def test_a_folder_in_wide_letters_keeps_its_line(inbox: Inbox, tmp_path: Path) -> None:
    every = Curator(Settings(home=tmp_path / "every"))
    for name in ("開発者の作業場/first/cli", "開発者の作業場/second/cli"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        every.store.sources.remember(every.enter(str(folder)), str(folder))
    every.project = None
    async with inbox(45, 30, curator=every) as driver:
        await driver.press("a")
        shown = [line for line in driver.text().splitlines() if "作業場" in line]
        assert [line.strip("│▌ ").split()[0] for line in shown] == ["cli", "cli"], "name and folder on one line"
    every.close()
