"""What footer, help and dialogs offer is what the keys do to the row at hand."""

from __future__ import annotations

from typing import Any

import pytest

from curator.app import Curator
from curator.model import Change, Relating, Relation, State, Verb
from curator.tui.overlays import MergeScreen
from tests.tui.conftest import Driver, Inbox, Make, propose


def foot(driver: Any) -> str:
    """The last line, its words one blank apart."""
    return " ".join(driver.text().splitlines()[-1].split())


@pytest.mark.parametrize("width", [80, 160])
async def test_each_part_of_the_library_offers_its_keys(inbox: Inbox, curator: Curator, make: Make, width: int) -> None:
    states = {State.RETIRED: "Retired", State.DISMISSED: "Dropped", State.EXPIRED: "Expired", State.MERGED: "Dropped"}
    for n, state in enumerate(states):
        entry = make(project="demo", state=state, headline=f"It is {state}", insight="Over.", updated=1.0 + n)
        propose(curator, entry)
    said = {
        State.RETIRED: "y Bring back e Edit u Undo",
        State.DISMISSED: "y Keep e Edit u Undo",
        State.EXPIRED: "y Keep x Drop e Edit u Undo",
        State.MERGED: "u Undo",
    }
    async with inbox(width, 24, screen="lessons") as driver:
        for state, split in states.items():
            driver.screen.action_split(split)
            await driver.settle()
            await driver.go(f"It is {state}")
            assert foot(driver).startswith(f"{said[state]} ␣ Mark o Evidence"), state
            word = "dropped" if state is State.DISMISSED else state.value
            assert f"─ {word} · acme-api" in driver.text()


async def test_merge_is_offered_where_there_is_something_to_merge_with(inbox: Inbox) -> None:
    async with inbox(160, 24) as driver:
        assert "m Merge s New wins" in foot(driver), "a conflict has another side"
        await driver.press("j", "j")
        assert "Merge" not in foot(driver)
        assert "Supersede" not in foot(driver)
        await driver.press("space", "space")
        assert "m Merge" in foot(driver), "marked rows go into each other"


async def test_a_merge_of_opposites_says_so_and_counts_only_existing_quotes(inbox: Inbox, curator: Curator, make: Make) -> None:
    old = make(project="demo", state=State.ACTIVE, headline="Indent with tabs", insight="Indent with tabs", evidence=())
    rival = Relation(other=old.id, relating=Relating.CONTRADICTS, likeness=0.9)
    new = make(
        project="demo", headline="Indent with spaces", insight="Indent with spaces", evidence=(), rival=rival, score=0.99
    )
    curator.store.apply([(Verb.ADD, Change(before=None, after=one)) for one in (old, new)], actor="person", at=1.0)
    async with inbox(80, 24) as driver:
        await driver.go(new.headline)
        await driver.press("m")
        assert isinstance(driver.app.screen, MergeScreen)
        assert "They contradict each other" in driver.text()
        assert "quote" not in driver.text()
        assert "alike" in driver.text()
        await driver.press("escape")
        await driver.go("Prefix migrations with the ticket id")
        await driver.press("space", "space", "m")
        assert isinstance(driver.app.screen, MergeScreen)
        assert "contradict" not in driver.text()
        assert "new quote" in driver.text()


@pytest.mark.parametrize(("keys", "sign"), [(("question_mark",), " ↓ "), (("j", "o"), " j ")])
async def test_the_sign_that_there_is_more_names_a_key_that_works(inbox: Inbox, keys: tuple[str, ...], sign: str) -> None:
    async with inbox(80, 10) as driver:
        await driver.press(*keys)
        more = driver.text().splitlines()[-3]
        assert sign in more, more
        before = driver.text()
        await driver.press("down" if sign == " ↓ " else "j")
        assert driver.text() != before


@pytest.mark.parametrize("words", ["snoo", "undo", "merge", "dup"])
async def test_what_enter_runs_stands_on_top_of_what_was_found(driver: Driver, words: str) -> None:
    await driver.press("j", "j", "question_mark", *words)
    help_ = driver.app.screen
    assert help_.current in ("", help_.matches[0].name)
