"""The window is put together from parts: every key finds its function."""

from __future__ import annotations

import pytest

from curator.keymap import ACTIONS, LIST
from curator.tui import actions, history


def test_every_action_of_a_list_is_a_function_and_no_function_is_left_over() -> None:
    named = {action.name for action in ACTIONS if not action.screens or action.screens & LIST}
    assert set(actions.ACTIONS) == named - {"choose"}


@pytest.mark.parametrize(("table", "screen"), [(history.PAGE, "stats"), (history.HISTORY, "history")])
def test_what_a_page_does_has_a_key_there(table: dict[str, object], screen: str) -> None:
    there = {action.name for action in ACTIONS if not action.screens or action.screens & {screen, "history"}}
    assert set(table) <= there
