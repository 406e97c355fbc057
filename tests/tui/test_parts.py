"""The window is put together from parts: no class of it grows into all of it again, and every key finds its function."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

import pytest

from curator import tui
from curator.keymap import ACTIONS, LIST
from curator.tui import actions, history
from curator.tui.detail import FullScreen
from tests.tui.conftest import Inbox

MOST = 30


def classes() -> Iterator[type]:
    for found in iter_modules(tui.__path__, "curator.tui."):
        module = import_module(found.name)
        yield from (one for one in vars(module).values() if inspect.isclass(one) and one.__module__ == found.name)


def methods(cls: type) -> set[str]:
    """The names of its methods and properties, with those it inherits from classes of ours."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith("curator.")]
    kinds = (property, classmethod, staticmethod)
    return {name for base in ours for name, one in vars(base).items() if inspect.isfunction(one) or isinstance(one, kinds)}


@pytest.mark.parametrize("cls", classes(), ids=lambda cls: cls.__name__)
def test_no_class_has_too_many_methods(cls: type) -> None:
    assert len(found := methods(cls)) <= MOST, sorted(found)


def test_inherited_methods_count() -> None:
    assert {"fill", "move", "on_key"} <= methods(history.HistoryScreen)


def test_every_action_of_a_list_is_a_function_and_no_function_is_left_over() -> None:
    named = {action.name for action in ACTIONS if not action.screens or action.screens & LIST}
    assert set(actions.ACTIONS) == named - {"choose"}


@pytest.mark.parametrize(("table", "screen"), [(history.PAGE, "stats"), (history.HISTORY, "history")])
def test_what_a_page_does_has_a_key_there(table: dict[str, object], screen: str) -> None:
    there = {action.name for action in ACTIONS if not action.screens or action.screens & {screen, "history"}}
    assert set(table) <= there


async def test_a_second_click_on_a_row_opens_its_evidence(inbox: Inbox) -> None:
    async with inbox() as driver:
        await driver.press("j", "j")
        rows = driver.screen.list.rows
        await driver.pilot.click("#list", offset=(5, rows.position - rows.top), times=2)
        await driver.settle()
        assert isinstance(driver.app.screen, FullScreen)
