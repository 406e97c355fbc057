"""What goes wrong is said in the line of news; the window stays, and so does the truth of what it shows."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles
from textual.worker import WorkerFailed

from curator import app, tui
from curator.app import Curator
from curator.errors import StoreBusy
from curator.model import Evidence, Project, Role
from curator.settings import Settings
from curator.tui import background, styles
from curator.tui.background import Failed, Progress, Status
from tests.tui.conftest import Driver, Inbox, Make, propose, rules


async def test_an_editor_that_is_not_there_is_said(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "no-such-editor")
    async with inbox() as driver:
        monkeypatch.setattr(driver.app, "suspend", contextlib.nullcontext)  # a terminal is what tests have none of
        await driver.press("E")
        assert "There is no program 'no-such-editor'" in driver.text()


@pytest.mark.parametrize("script", ["#!/bin/sh\nexec sleep 30\n", "not a program"])
async def test_a_bad_clipboard_tool_is_said(inbox: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    tool = tmp_path / "wl-copy"
    tool.write_text(script, encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("curator.tui.commands.MAX_CLIPBOARD_SECONDS", 0.05)
    monkeypatch.setenv("WAYLAND_DISPLAY", "x")
    async with inbox() as driver:
        await driver.press("c")
        assert "failed" in driver.text()


async def test_a_database_that_fails_is_said_and_can_be_left(driver: Driver, curator: Curator) -> None:
    curator.store.connection.execute("ALTER TABLE entries RENAME TO elsewhere")  # stands for any fault of the database
    await driver.press("j")
    assert str(curator.settings.database)[:70] in driver.screen.toast.text.plain, "as much as the line holds"
    assert driver.entry is None, "no key decides on a card that could not be read"
    for key in ("j", "y", "o", "slash", "escape", "right_square_bracket", "R", "G", "question_mark", "escape", "u"):
        await driver.press(key)
    driver.app.poll()
    driver.app.on_changed()
    driver.screen.list.show(everything=True)  # all of it is asked for while drawing
    await driver.settle()
    assert driver.app.is_running
    await driver.press("g", "h", "j", "g", "l")
    assert driver.app.is_running
    curator.store.connection.execute("ALTER TABLE elsewhere RENAME TO entries")
    await driver.press("g", "i")
    assert len(driver.rows()) == 6, "the candidates, as ] had asked for"


def break_other_connections(curator: Curator, folder: Path) -> None:
    """Whoever opens the database from now on, as threads do, finds one that is none."""
    curator.settings = curator.settings._replace(home=folder / "broken")
    curator.settings.home.mkdir()
    curator.settings.database.write_bytes(b"no database" * 1000)


@pytest.mark.parametrize(
    ("before", "key", "left"),
    [(["right_square_bracket"] * 2, "left_square_bracket", 200), (["asterisk"], "x", None)],
    ids=["a list in portions", "a batch"],
)
async def test_a_thread_that_fails_is_said_and_goes_on_for_nobody(
    inbox: Inbox, curator: Curator, make: Make, tmp_path: Path, before: list[str], key: str, left: int | None
) -> None:
    rules(curator, make, 250)
    async with inbox() as driver:
        await driver.press(*before)
        break_other_connections(curator, tmp_path)
        with contextlib.suppress(WorkerFailed):
            await driver.press(key)
        await driver.settle()
        assert "file is not a database" in " ".join(driver.text().split())
        assert "saving" not in driver.text()
        assert left is None or len(driver.screen.list.rows) == left


# --- beside the window ------------------------------------------------------------------------------------------------


class Window:
    """As much of an application as threads speak to."""

    def __init__(self, curator: Curator) -> None:
        self.curator = curator
        self.told: list[Any] = []

    def post_message(self, message: Any) -> bool:
        self.told.append(message)
        return True


def test_a_decision_made_while_files_are_written_is_written_too(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "SETTLE_SECONDS", 0)
    written: list[list[str]] = []
    writing, go_on, second = threading.Event(), threading.Event(), threading.Event()

    def settle(self: Curator, ids: list[str], **_: object) -> None:
        written.append(ids)
        if len(written) == 1:
            writing.set()
            go_on.wait(10)
        else:
            second.set()

    monkeypatch.setattr(app.settling, "settle", settle)
    beside = background.Background(Window(curator), None, watch=False)
    beside.settle(["first"])
    assert writing.wait(10)
    beside.settle(["second"])
    go_on.set()
    assert second.wait(10)
    beside.stop()
    assert written == [["first"], ["second"]]


@pytest.mark.parametrize(("latest", "early", "late"), [(600.0, [], [["first", "second"]]), (0.0, [["first", "second"]], [])])
def test_decisions_without_a_pause_are_settled_together_but_nobody_waits_for_ever_and_none_is_lost(
    curator: Curator, monkeypatch: pytest.MonkeyPatch, latest: float, early: list[list[str]], late: list[list[str]]
) -> None:
    monkeypatch.setattr(background, "SETTLE_SECONDS", 600.0)
    monkeypatch.setattr(background, "LATEST_SECONDS", latest)
    written: list[list[str]] = []
    monkeypatch.setattr(app.settling, "settle", lambda self, ids, **_: written.append(ids))
    beside = background.Background(Window(curator), None, watch=False)
    beside.settle(["first"])
    beside.settle(["second"])
    beside._settle_in_a_pause()  # the timer's first end: somebody is still at it
    assert written == early
    beside.stop()
    assert written == early + late


def test_a_fault_in_writing_is_said_and_stops_no_later_decision(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[list[str]] = []

    def settle(self: Curator, ids: list[str], **_: object) -> None:
        written.append(ids)
        if len(written) == 1:
            raise ZeroDivisionError

    monkeypatch.setattr(app.settling, "settle", settle)
    window = Window(curator)
    beside = background.Background(window, None, watch=False)
    beside.settle(["first"])
    beside._settle_now()
    assert [type(message.error) for message in window.told] == [ZeroDivisionError]
    beside.settle(["second"])
    beside.stop()
    assert written[-1] == ["second"]


def test_a_repository_that_git_refuses_is_said_in_the_window(curator: Curator, tmp_path: Path) -> None:
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (tmp_path / ".git" / "config").write_text("[core\n", encoding="utf-8")
    curator.enter(str(tmp_path))
    window = Window(curator)
    for _ in range(2):
        background.Background(window, [tmp_path / "none"], watch=True)._begin()
    said = [str(message.error) for message in window.told if isinstance(message, Failed)]
    assert [line for line in said if "git can't read the repository" in line] == said[:1]


def test_polling_in_place_of_watching_is_said_once(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = Window(curator)
    beside = background.Background(window, [tmp_path], watch=True)

    def fails(*_: Path, force_polling: bool, **__: Any) -> Iterator[set[Any]]:
        if not force_polling:
            raise OSError("no watches left")
        beside.stopping.set()
        yield set()

    monkeypatch.setattr(watchfiles, "watch", fails)
    for work in (beside._follow, beside._follow_code, beside._follow):
        beside.stopping.clear()
        work(curator)
    said = [str(message.error) for message in window.told if isinstance(message, Failed)]
    assert len(said) == 1
    assert "looks at them every two seconds (no watches left)" in said[0]
    headers = [message.following for message in window.told if isinstance(message, Status) and message.following is not None]
    assert headers == ["live", "every 2 s", ""] * 2


def test_nothing_is_begun_in_a_window_that_closes(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    """It closes while the first look at the transcripts goes on: following then ends at once, and nobody waits for it."""
    followed: list[object] = []
    beside = background.Background(Window(curator), None, watch=True)

    def survey(*_: object) -> app.scan.Survey:
        beside.stop()
        return app.scan.Survey()

    monkeypatch.setattr(app.scan, "survey", survey)
    monkeypatch.setattr(app.staleness, "check", lambda *_: [])
    monkeypatch.setattr(app.staleness, "follow_code", lambda *_, **__: followed.append("code"))
    monkeypatch.setattr(app.scan, "follow", lambda self, stop, *_, **__: followed.append(stop.is_set()))
    curator.settings = curator.settings._replace(watch=True)
    beside._begin()
    beside.stop()
    assert followed == [True]
    assert beside.threads == []


@pytest.mark.parametrize("total", [0, 1], ids=["no transcripts", "transcripts"])
def test_a_first_run_follows_once_a_person_has_chosen(curator: Curator, monkeypatch: pytest.MonkeyPatch, total: int) -> None:
    followed: list[bool] = []
    monkeypatch.setattr(app.scan, "survey", lambda *_: app.scan.Survey(total))
    monkeypatch.setattr(app.scan, "scan", lambda *_, **__: None)
    monkeypatch.setattr(app.scan, "follow", lambda *_, **__: followed.append(True))
    curator.settings = curator.settings._replace(watch=True)
    beside = background.Background(Window(curator), None, watch=True)
    beside.start()
    (first,) = beside.threads
    first.join(timeout=0.5 if total else 10)
    assert followed == ([] if total else [True])
    if total:
        beside.scan()
        first.join(timeout=10)
    assert followed == [True]
    beside.stop()


def test_garbage_is_looked_for_again_where_the_window_could_not_be_opened(curator: Curator) -> None:
    curator.close()
    with pytest.raises(Exception, match="closed"):
        tui.run(curator)
    assert gc.isenabled()


def test_a_scan_that_fails_does_not_keep_following_from_starting(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    followed = []

    def fail(*_: object, **__: object) -> None:
        raise StoreBusy("The database is in use.")

    def follow(*_: object, **__: object) -> None:
        followed.append(True)
        fail()

    monkeypatch.setattr(app.scan, "survey", lambda *_: app.scan.Survey(1, {}, read_before=True))
    monkeypatch.setattr(app.scan, "scan", fail)
    monkeypatch.setattr(app.staleness, "check", fail)
    monkeypatch.setattr(app.scan, "follow", follow)
    curator.settings = curator.settings._replace(watch=True)
    window = Window(curator)
    background.Background(window, None, watch=True)._begin()
    assert followed
    assert [message.following for message in window.told if isinstance(message, Status) and message.following is not None] == [
        "live",
        "",
    ]
    assert sum(isinstance(message, Failed) for message in window.told) == 3


async def test_the_header_says_live_only_while_transcripts_are_followed(driver: Driver) -> None:
    driver.app.on_progress(Progress(1, 1, 0))
    assert not driver.app.live
    driver.app.on_status(Status(following="live"))
    driver.app.on_progress(Progress(1, 2, 0))
    assert driver.app.live == "reading 1/2"
    driver.app.on_progress(Progress(2, 2, 0))
    assert "live" in driver.app.live
    driver.app.on_status(Status(following=""))
    assert not driver.app.live
    assert not driver.app.following


# --- hostile text -----------------------------------------------------------------------------------------------------

HOSTILE = "a\x1b]0;x\x07b\u202ec\x9b2J\U000e0041d"


async def test_no_control_character_of_the_database_is_drawn(inbox: Inbox, tmp_path: Path, still: object, make: Make) -> None:
    curator = Curator(Settings(home=tmp_path / "home"), Project(id="p1", name=f"work {HOSTILE}", folder=str(tmp_path)))
    quote = Evidence(quote=HOSTILE, role=Role.HUMAN, file=f"{HOSTILE}.jsonl", line=1, line_end=1, session=HOSTILE)
    fields = dict.fromkeys(("insight", "session", "agent"), HOSTILE) | {"headline": f"Head {HOSTILE}", "files": (HOSTILE,)}
    propose(curator, make(evidence=(quote,), **fields))
    async with inbox(curator=curator) as driver:
        for key in ("w", "o", "escape", "slash", "escape", "y", "g", "h"):
            await driver.press(key)
            assert styles.CONTROL_OR_HIDDEN.search(driver.text().replace("\n", "")) is None, key
        assert "Head a]0;xbc2Jd" in driver.text()
    curator.close()
