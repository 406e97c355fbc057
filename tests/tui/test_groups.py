"""The card of a group: the rule, the lessons below it, and the keys that decide."""

from __future__ import annotations

import pytest

from curator import app
from curator.app import Curator
from curator.model import State
from tests.tui.conftest import Inbox, Place

SAME = (
    "Integration tests of the ledger need a local running Redis; start it with make redis first",
    "Start Redis with make redis first, else the integration tests of the ledger hang",
    "The integration tests of the ledger hang without a running Redis, so start Redis with make redis first",
)


@pytest.fixture
def curator(place: Place) -> Curator:
    """A project with three lessons that say one thing, from before curator compared them."""
    opened = place("work")
    for text in SAME:
        opened.decisions.add(text)
    return opened


def active(curator: Curator) -> list[str]:
    return [one.headline for one in curator.lessons.entries(curator.lessons.library((State.ACTIVE,)))]


@pytest.mark.parametrize("size", [(60, 20), (140, 40)])
async def test_a_group_shows_its_lessons_and_one_key_joins_them(inbox: Inbox, curator: Curator, size: tuple[int, int]) -> None:
    async with inbox(*size, curator=curator, screen="cleanup") as driver:
        await driver.poll()
        assert driver.rows() == [SAME[0]]
        assert "one rule of 3 lessons" in driver.text()
        await driver.press("y", "y", "y")
        assert "Cleanup done." in driver.text()
        assert len(active(curator)) == 1
        await driver.press("u")
        assert driver.rows() == [SAME[0]]
        assert len(active(curator)) == 3


async def test_keys_keep_a_group_apart_take_a_lesson_out_and_edit_the_rule(inbox: Inbox, curator: Curator) -> None:
    async with inbox(140, 40, curator=curator, screen="cleanup") as driver:
        await driver.poll()
        assert "loses" in driver.text()
        await driver.press("x")
        assert "Cleanup done." in driver.text()
        assert len(active(curator)) == 3
        await driver.press("u", "1")
        assert "kept apart: “" in driver.text()
        assert "one rule of 2 lessons" in driver.text()
        await driver.press("4")
        assert "has no lesson 4" in driver.text()
        await driver.press("e", "ctrl+u", *"Redis", "ctrl+s")
        assert sorted(active(curator))[0] == "Redis"
        assert len(active(curator)) == 2


async def test_a_row_and_a_card_offer_to_retire_what_earns_too_little(inbox: Inbox, place: Place) -> None:
    opened = place("work", max_lessons=1)
    for text in (SAME[0], "Amounts are stored in cents, never as floats"):
        opened.decisions.add(text)
    async with inbox(140, 40, curator=opened, screen="cleanup") as driver:
        await driver.poll()
        assert driver.text().count("retire it?") == 1
        assert "Retire it? The project has 2 lessons" in driver.text()


async def test_a_row_says_that_a_lesson_is_nearly_the_same_and_not_that_it_conflicts(inbox: Inbox, place: Place) -> None:
    opened = place("work")
    made = [opened.decisions.add(text).entries[0].id for text in SAME[:2]]
    app.settling.settle(opened, made)
    async with inbox(140, 40, curator=opened) as driver:
        (row,) = [row for line in driver.text().split("\n") if "nearly the same " in (row := line.partition("││")[0])]
        assert "conflict" not in row


async def test_a_small_card_still_shows_what_each_lesson_loses(inbox: Inbox, curator: Curator) -> None:
    async with inbox(80, 24, curator=curator, screen="cleanup") as driver:
        await driver.poll()
        assert "one lesson says it in these words" in driver.text()
        assert driver.text().count("loses") == 2
