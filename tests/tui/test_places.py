"""Saying which code a lesson speaks of, by keys; and the periodic cleanup."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from curator import app
from curator.app import Curator
from curator.app.project.anchoring import places_of
from curator.model import State
from curator.tui.picker import HelpScreen
from tests.tui.conftest import Inbox, Place

CODE = "class Pool:\n    def close(self):\n        return 1\n\n\ndef connect():\n    return Pool()\n"
RULE = "Connections end before the process does"


@pytest.fixture
def project(place: Place, tmp_path: Path, still: object) -> Curator:
    opened = place("work")
    (tmp_path / "work" / "pool.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "work" / "notes.py").write_text("LIMIT = 3\n", encoding="utf-8")
    opened.decisions.add(RULE, files=["notes.py"])
    return opened


def places(curator: Curator) -> list[str]:
    (entry,) = curator.lessons.entries(curator.lessons.library((State.ACTIVE,)))
    return [":".join(filter(None, place)) for place in places_of(entry)]


async def test_typing_finds_enter_adds_and_esc_saves(inbox: Inbox, project: Curator) -> None:
    async with inbox(curator=project) as driver:
        await driver.press("g", "l", "A")
        assert "notes.py" in driver.text()
        await driver.press(*"clo")
        assert "pool.py:Pool.close" in driver.text()
        await driver.press("enter", "escape")
        assert places(project) == ["notes.py", "pool.py:Pool.close"]
        assert "pool.py:Pool.close" in driver.text(), "on the card"
        await driver.press("u")
        assert places(project) == ["notes.py"]


async def test_enter_takes_away_what_is_there_and_nothing_changed_is_no_decision(inbox: Inbox, project: Curator) -> None:
    async with inbox(curator=project) as driver:
        await driver.press("g", "l", "A", "escape")
        before = project.lessons.last_event()
        await driver.press("A", "enter", "escape")
        assert places(project) == []
        assert project.lessons.last_event() == before + 1
        await driver.press("A")
        assert "No code linked yet" in driver.text()
        await driver.press(*"nowhere")
        assert "No match" in driver.text()


async def test_without_the_folder_no_key_offers_to_add_code(inbox: Inbox, project: Curator, tmp_path: Path) -> None:
    async with inbox(curator=project) as driver:
        await driver.press("g", "l", "A")
        assert "Add or remove" in driver.text()
        await driver.press("enter", "escape")
        shutil.rmtree(tmp_path / "work")
        await driver.press("A")
        assert "does not exist" in driver.text()
        assert "Add or remove" not in driver.text()
        await driver.press("x")
        assert "does not exist" in driver.text()


async def test_the_cursor_chooses_among_what_is_offered(inbox: Inbox, project: Curator) -> None:
    async with inbox(45, 30, curator=project) as driver:
        await driver.press("g", "l", "A", *"p", "down", "enter", "escape")
        assert len(places(project)) == 2


async def test_over_the_list_no_key_opens_help(inbox: Inbox, project: Curator) -> None:
    async with inbox(curator=project) as driver:
        await driver.press("g", "l", "A", "ctrl+p", "down", "enter", "escape")
        assert "esc Done" not in driver.text()
        await driver.press("ctrl+p")
        assert isinstance(driver.app.screen, HelpScreen)


async def test_the_cleanup_has_an_end(inbox: Inbox, curator: Curator) -> None:
    async with inbox(screen="cleanup") as driver:
        assert "Conflicts 1  Stale 1  Faded 0" in driver.text()
        await driver.press("y", "y")
        assert "Cleanup done." in driver.text()
        await driver.press("u")
        assert len(driver.rows()) == 1
        await driver.press("g", "i")
        assert "Candidates" in driver.text()
        await driver.press("g", "c")
        assert len(driver.rows()) == 1


async def test_only_the_cleanup_offers_to_put_a_lesson_away(inbox: Inbox, project: Curator, still: Any) -> None:
    still.forward(200 * 86_400)
    async with inbox(curator=project, screen="cleanup") as driver:
        assert driver.rows() == [RULE]
        assert "z Later" in driver.text()
        await driver.press("y")
        assert "Cleanup done" in driver.text(), "confirmed takes it out"
        await driver.press("u", "z")
        assert "Cleanup done" in driver.text()
        await driver.press("g", "l")
        assert driver.rows() == [RULE]
        assert "z Later" not in driver.text()


async def test_a_lesson_whose_code_is_gone_can_hold_but_is_watched_no_more(inbox: Inbox, project: Curator) -> None:
    assert project.project
    (entry,) = project.lessons.entries(project.lessons.library((State.ACTIVE,)))
    app.anchoring.link_code(project, entry.id, [("pool.py", "connect")])
    Path(project.project.folder, "pool.py").write_text("LIMIT = 3\n", encoding="utf-8")
    app.staleness.check(project)
    async with inbox(curator=project, screen="cleanup") as driver:
        assert "gone" in driver.text()
        await driver.press("y")
        assert "confirmed; its code no longer exists, so curator stops watching it" in driver.text()


async def test_a_lesson_that_is_told_to_speak_of_no_code_is_not_said_to_have_lost_it(inbox: Inbox, project: Curator) -> None:
    (entry,) = project.lessons.entries(project.lessons.library((State.ACTIVE,)))
    app.anchoring.link_code(project, entry.id, [("pool.py", "connect")])
    async with inbox(curator=project) as driver:
        await driver.press("g", "l", "A", "enter", "escape")
        assert places(project) == []
        assert "✓ saved" in driver.text()
