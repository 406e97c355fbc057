"""A key behind the one that closes the window means nothing, and ends nothing with an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.keys import key_to_character

from curator.app import Curator
from curator.model import PERSON
from tests.tui.conftest import curator, inbox
from tests.tui.keyboard import settle

__all__ = ["curator", "inbox"]


@pytest.mark.parametrize(
    ("page", "key"),
    [("", key) for key in ("y", "e", "m", "question_mark", "colon", "slash", "g")]
    + [("gh", "e"), ("gl", "y"), ("gl", "slash")],
)
async def test_a_key_behind_the_last_one_means_nothing(
    inbox: Callable[..., Any], curator: Curator, page: str, key: str
) -> None:
    async with inbox() as driver:
        await driver.press(*page)
        before = curator.lessons.last_event()
        for each in ("q", key):
            driver.app.post_message(events.Key(each, key_to_character(each)))
        await settle(driver.app)
        assert driver.app.is_leaving
    assert driver.app._exception is None
    assert [event for event in curator.store.events.recent() if event.seq > before and event.actor == PERSON] == []
