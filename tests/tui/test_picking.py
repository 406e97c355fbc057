"""Where no lesson is likely to be the one whose place a card takes, a person finds it by typing."""

from __future__ import annotations

from curator.app import Curator
from curator.model import Relating, Relation, State
from curator.tui.overlays import MergeScreen
from tests.tui.conftest import Driver, Inbox, Make, propose


async def test_a_lesson_to_supersede_is_found_by_typing(inbox: Inbox, curator: Curator, make: Make) -> None:
    for headline, more in (
        ("Quaggas graze at noon", {"state": State.OPEN, "score": 0.999}),
        ("Deploys happen on Tuesdays", {"state": State.ACTIVE}),
    ):
        entry = make(project="demo", headline=headline, insight=f"{headline}.", **more)
        propose(curator, entry)
    async with inbox(100, 30) as driver:
        await driver.go("Quaggas graze at noon")
        await driver.press("s")
        assert "Which lesson does it replace?" in driver.text()
        await driver.press(*"zzz", "enter")
        assert "No match." in driver.text(), "and enter takes nothing"
        await driver.press("ctrl+u", *"tues deploy")
        assert "Deploys happen on Tuesdays" in driver.text()
        await driver.press("enter")
        assert isinstance(driver.app.screen, MergeScreen), "no lesson goes without a look"
        assert "replaces" in driver.text()
        await driver.press("slash", *"tues")
        assert "Which lesson does it replace?" in driver.text(), "another one can still be found"
        await driver.press("enter", "y")
        states = {entry.headline: entry.state for entry in curator.lessons.entries(curator.lessons.library(tuple(State)))}
        assert states["Quaggas graze at noon"] is State.ACTIVE
        assert states["Deploys happen on Tuesdays"] is State.RETIRED
        await driver.press("u")
        states = {entry.headline: entry.state for entry in curator.lessons.entries(curator.lessons.library(tuple(State)))}
        assert states["Deploys happen on Tuesdays"] is State.ACTIVE


async def test_a_lesson_in_conflict_is_called_a_lesson(inbox: Inbox, curator: Curator, make: Make) -> None:
    old, new = "Feed the quaggas at noon", "Feed the quaggas at noon and at dawn"
    rival = Relation(other="none", relating=Relating.CONTRADICTS, likeness=0.9)
    propose(curator, make(project="demo", headline=old, insight=old, state=State.ACTIVE, rival=rival))
    propose(curator, make(project="demo", headline=new, insight=new, score=0.999))
    async with inbox(100, 30) as driver:
        await driver.go(new)
        await driver.press("s")
        assert "% alike" in driver.text()
        assert "conflict " not in driver.text()
        assert f"- {old}" in driver.text()
        assert f"+ {new}" in driver.text()


async def test_row_and_card_say_that_an_agent_wants_to_change_a_lesson(inbox: Inbox, curator: Curator, make: Make) -> None:
    text = "Install with pnpm in the web app"
    lesson = make(project="demo", headline=text, insight=text, state=State.ACTIVE)
    propose(curator, lesson)
    curator.decisions.wish([lesson.id], "claude-code", "change this: headline “pnpm forbidden”")
    async with inbox(100, 40) as driver:
        row = next(line for line in driver.text().splitlines() if text in line)
        assert "an agent asks" in row
        await driver.go(text)
        said = " ".join(driver.text().replace("│", " ").split())
        assert "wants to change this: headline “pnpm forbidden”. Press y to leave the lesson as it is, e to edit it" in said
        await driver.press("y")
        assert curator.lessons.find(lesson.id).wishes == ()


async def test_a_likely_lesson_is_shown_at_once_and_esc_leaves_the_search(driver: Driver) -> None:
    await driver.press("G", "s")
    assert "Which lesson does it replace?" in driver.text()
    at = driver.app.screen_stack[0].card.entry.headline
    await driver.press("escape")
    assert driver.headline == at
