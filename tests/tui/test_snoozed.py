"""What was put away is not out of the world: a split shows it with its date, and lets it wait again."""

from __future__ import annotations

import re

import pytest

from curator.app import statistics
from tests.tui.conftest import Driver, Inbox


@pytest.mark.parametrize(("size", "count"), [((80, 24), "Snoozed 1"), ((45, 40), "Z1")])
async def test_snoozed_rows_stand_in_a_split_with_their_date(inbox: Inbox, size: tuple[int, int], count: str) -> None:
    async with inbox(*size) as driver:
        assert "Snoozed" not in driver.text(), "an empty one takes no room"
        await driver.press("j", "j")
        away = driver.headline
        await driver.press("Z", "3")
        assert count in driver.text().splitlines()[0]
        assert away not in driver.rows()
        await driver.press("left_square_bracket")
        assert driver.rows() == [away]
        row = next(line for line in driver.text().splitlines() if away[:20] in line)
        assert re.search(r" \d{1,2} [A-Z][a-z]{2}(?!\w)", row), row
        assert "snoozed until" in driver.text()
        if size[0] > 45:
            assert "z Bring back" in driver.text().splitlines()[-1]
        await driver.press("z")
        assert driver.rows() == []
        assert "back in the inbox: “" in driver.text()
        assert "No snoozed cards." in driver.text()
        await driver.press("right_square_bracket")
        assert away in driver.rows()
        assert "Snoozed" not in driver.text()


async def test_what_was_brought_back_is_no_longer_snoozed(driver: Driver) -> None:
    await driver.press("z", "left_square_bracket", "z", "right_square_bracket", "x", "u")
    assert "is in the inbox again" in driver.text()
    assert "snoozed until" not in driver.text()
    rows = statistics.decision_rows(statistics.summary(driver.app.curator))
    assert "undecided: 1 brought back" in rows[0][2]


async def test_the_end_of_the_list_says_what_comes_back(driver: Driver) -> None:
    await driver.press("asterisk", "z")
    assert "press [ to see 8" in driver.text()
    assert "snoozed card" in driver.text()
