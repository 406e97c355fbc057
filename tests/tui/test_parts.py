"""The window is put together from parts: every key finds its function."""

from __future__ import annotations

from curator.keymap import ACTIONS, LISTS
from curator.tui import actions, history
from curator.tui.overlays import FullScreen
from tests.tui.conftest import Driver


def test_every_action_of_a_list_is_a_function_and_no_function_is_left_over() -> None:
    named = {action.name for action in ACTIONS if not action.screens or action.screens & LISTS}
    assert set(actions.ACTIONS) == named - {"choose"}


def test_every_action_of_the_log_is_a_function_and_no_function_is_left_over() -> None:
    named = {action.name for action in ACTIONS if not action.screens or "history" in action.screens}
    assert set(history.ACTIONS) == named


async def test_a_second_click_on_a_row_opens_its_evidence(driver: Driver) -> None:
    await driver.press("j", "j")
    rows = driver.screen.list.rows
    await driver.pilot.click("#list", offset=(5, rows.position - rows.top), times=2)
    await driver.settle()
    assert isinstance(driver.app.screen, FullScreen)
