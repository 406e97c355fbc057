"""The header and the list's title count the same rows, and say how many more there are."""

from __future__ import annotations

import re

from curator.app import Curator
from tests.tui.conftest import Driver, Inbox, Make, rules


def counts(driver: Driver) -> tuple[int, int]:
    """How many rows the header and the title speak of; the split on show has both."""
    text = driver.text()
    header = re.search(rf" {driver.screen.selection.split.name} (\d+) ", text)
    title = re.search(r"inbox \d+/(\d+) ", text)
    assert header, text
    assert title, text
    return int(header[1]), int(title[1])


async def test_rows_that_decisions_hide_leave_list_and_tally_when_asked(inbox: Inbox, curator: Curator, make: Make) -> None:
    rules(curator, make, 30)
    async with inbox(100, 40) as driver:
        while not driver.headline.startswith("Rule"):
            await driver.press("j")
        before = len(driver.rows())
        await driver.press(*["x"] * 20)
        await driver.pause()
        await driver.press("right_square_bracket", "left_square_bracket")
        assert counts(driver) == (before - 20,) * 2, "nothing leaves during a sitting"
        await driver.press("R")
        assert not [row for row in driver.rows() if row.startswith("Rule")]
        assert counts(driver) == (before - 30,) * 2
        assert "learned: cards found by standing-rule now rank lower in this project" in driver.text()
        assert "+ shows 10 more" in driver.text().splitlines()[1]
        await driver.press("right_square_bracket")
        await driver.press("left_square_bracket")
        assert counts(driver)[0] == counts(driver)[1]
        await driver.press("plus")
        assert counts(driver) == (before - 20,) * 2
        assert "+ hides 10 again" in driver.text()
        await driver.press("G", "x", "x")
        await driver.pause()
        await driver.press("R")
        assert len(driver.rows()) < before - 20
        assert "rank lower" not in driver.text(), "it is said once"
    waiting = curator.lessons.entries(curator.lessons.waiting())
    assert not [entry for entry in waiting if entry.headline.startswith("Rule")], "the next opening has learned, too"


async def test_the_split_on_show_counts_as_its_list_does_at_every_decision(inbox: Inbox) -> None:
    async with inbox(100, 40) as driver:
        await driver.press("right_square_bracket")
        for key in ("x", "u", "y", "z", "u", "R"):
            await driver.press(key)
            assert counts(driver)[0] == counts(driver)[1], key


async def test_a_decision_before_the_first_count_is_not_taken_from_zero(inbox: Inbox) -> None:
    async with inbox(100, 40) as driver:
        driver.screen.data.counts.clear()
        driver.screen.refresh_bars()
        await driver.pause()
        assert not re.search(r"\d", driver.text().splitlines()[0].partition("today")[0])
        await driver.press("y")
        assert counts(driver)[0] == counts(driver)[1]
