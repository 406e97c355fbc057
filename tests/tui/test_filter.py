"""What one sees while a filter is typed, and where one is once it is gone."""

from __future__ import annotations

import pytest

from curator.app import Curator
from curator.tui.bars import Footer
from tests.tui.conftest import Inbox, Make, rules


@pytest.mark.parametrize("size", [(80, 24), (45, 40)])
async def test_the_footer_tells_what_keys_do_in_the_filter(inbox: Inbox, size: tuple[int, int]) -> None:
    async with inbox(*size) as driver:
        await driver.press("slash", *"vendor")
        *_, line, foot = driver.text().splitlines()
        assert line.strip() == "/ vendor"
        assert foot.strip() == "enter Keep the filter  esc Clear it"
        await driver.press("enter")
        assert "y Keep" in driver.text().splitlines()[-1]


@pytest.mark.parametrize("size", [(80, 24), (45, 40)])
async def test_a_filter_that_finds_nothing_moves_nothing(inbox: Inbox, size: tuple[int, int]) -> None:
    async with inbox(*size) as driver:
        await driver.press("j", "j", "j")
        at, places = driver.headline, [driver.screen.query_one(name).region for name in ("#rows", "#side")]
        await driver.press("slash", *"quagga")
        assert [driver.screen.query_one(name).region for name in ("#rows", "#side")] == places
        assert "No match. Press esc to clear" in driver.text()
        await driver.press("escape")
        assert driver.headline == at
        await driver.press("V", "slash", *"quagga", "enter")
        assert "No match. Press esc to clear the filter." in driver.text(), "also where the card is hidden"


async def test_a_cleared_filter_leaves_the_cursor_where_it_was(inbox: Inbox, curator: Curator, make: Make) -> None:
    rules(curator, make, 300)
    async with inbox(80, 24) as driver:
        await driver.press("G", "k", "k")
        rows = driver.screen.list.rows
        at, top = driver.headline, rows.top
        await driver.press("slash", *"quagga", "enter", "escape")
        assert (driver.headline, rows.top) == (at, top), "nothing was found"
        await driver.press("slash", *"vendor", "escape")
        assert (driver.headline, rows.top) == (at, top), "what was found was not wanted"
        await driver.press("slash", *"vendor", "enter", "escape")
        assert (driver.headline, rows.top) == (at, top), "nor was it when it was looked at"
        await driver.press("slash", *"vendor", "enter", "slash", *" d", "enter", "escape")
        assert (driver.headline, rows.top) == (at, top), "wherever the filter was changed"
        await driver.press("slash", *"vendor", "enter", "x", "escape", "u")
        assert "vendor" in driver.headline, "undo goes to what it brings back"
        assert len(rows) == 308


async def test_a_click_into_the_list_brings_its_keys_back(inbox: Inbox) -> None:
    async with inbox(80, 24) as driver:
        await driver.press("slash")
        driver.screen.list.focus()
        await driver.settle()
        assert driver.screen.query_one(Footer).options == ()


async def test_a_filter_holds_in_the_next_part_of_the_list(inbox: Inbox) -> None:
    async with inbox(100, 40) as driver:
        await driver.press("slash", *"vendor", "enter")
        found = driver.rows()
        await driver.press("right_square_bracket")
        assert "/vendor" in driver.text().splitlines()[1]
        assert 0 < len(driver.rows()) <= len(found)
