"""The log of what people did: a line a batch, opened to its parts, filtered, in the words of the keys."""

from __future__ import annotations

from typing import Any

import pytest

from curator.tui.overlays import FullScreen
from tests.tui.conftest import Driver, Inbox


def lines(driver: Any) -> list[str]:
    """The lines of the log, the words of each one blank apart."""
    return [" ".join(line.split()) for line in driver.text().splitlines()[1:-2] if line.strip()]


@pytest.mark.parametrize("size", [(80, 24), (45, 40)])
async def test_a_batch_is_one_line_in_the_words_of_the_keys_and_opens_to_its_parts(inbox: Inbox, size: tuple[int, int]) -> None:
    async with inbox(*size) as driver:
        await driver.press("j", "j")
        marked = driver.rows()[2:5]
        await driver.press("space", "space", "space", "x", "z")
        await driver.press("g", "h")
        snoozed, dropped = lines(driver)
        assert snoozed.startswith("▌ now snoozed") or "snoozed" in snoozed
        if size[0] < 60:
            assert f"3 dropped: {marked[0]}"[:35] in dropped
        else:
            assert "dropped 3 " in dropped
            assert dropped.endswith("and 2 others")
        assert "o Lesson" in driver.text()
        await driver.press("j")
        assert "o Parts" in driver.text() or size[0] < 60
        await driver.press("enter")
        parts = lines(driver)[2:]
        assert [part.removeprefix("dropped").removeprefix(":")[1:13] for part in parts] == [
            headline[:12] for headline in marked
        ]
        await driver.press("j", "o")
        assert isinstance(driver.app.screen, FullScreen)
        assert marked[0][:20] in driver.text()
        assert "history" in driver.text()
        await driver.press("o", "k", "o")
        assert len(lines(driver)) == 2, "closed again"


async def test_what_an_edit_changed_is_shown_word_by_word(driver: Driver) -> None:
    await driver.press("j", "j", "e", *" ever", "ctrl+s", "g", "h", "o")
    text = driver.text()
    assert "- Use `uv run pytest`, never bare `pytest`" in text
    assert "+ Use `uv run pytest`, never bare `pytest` ever" in text


async def test_the_keys_of_a_list_move_in_the_log(inbox: Inbox) -> None:
    async with inbox(80, 24) as driver:
        for _ in range(5):
            await driver.press("x")
        await driver.press("g", "h")
        screen = driver.app.screen
        for keys, at in ((["G"], 4), (["home"], 0), (["end"], 4), (["g", "g"], 0), (["pagedown"], 4), (["pageup"], 0)):
            await driver.press(*keys)
            assert screen.at == at, keys


async def test_the_log_counts_todays_decisions_anew_and_forgets_a_message_at_the_next_key(driver: Driver) -> None:
    await driver.press("x", "g", "h")
    assert "0✓ 1✗" in driver.text().splitlines()[0]
    await driver.press("u")
    assert "✗" not in driver.text().splitlines()[0]
    await driver.press("u")
    assert "This decision is already undone" in driver.text()
    await driver.press("U")
    assert "0✓ 1✗" in driver.text().splitlines()[0]
    assert "already undone" not in driver.text()
