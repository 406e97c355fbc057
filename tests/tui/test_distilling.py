"""A model reads sessions from the inbox: first what it takes, then its cards, and undo."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from textual.message import Message

from curator.app import Curator, distill, scan
from curator.model import Advice, Anchor, Applicability, Change, Drift, Finding, State, Verb
from curator.settings import load
from curator.tui import background
from tests.cli.test_distill import LESSON, talked
from tests.tui.conftest import Driver, Inbox, Make, Place


@pytest.fixture
def curator(tmp_path: Path, place: Place) -> Curator:
    """Two sessions that were scanned, and a program as distiller that names one lesson in each."""
    script = tmp_path / "model.py"
    script.write_text(f"import sys\nsys.stdin.read()\nprint({json.dumps([LESSON])!r})\n", encoding="utf-8")
    made = place("app", distiller="command", distill_command=(sys.executable, str(script)), export=False)
    talked(tmp_path / "app", tmp_path / "agents")
    scan.scan(made, roots=[tmp_path / "agents"])
    return made


@pytest.fixture
async def driver(inbox: Inbox) -> AsyncIterator[Driver]:
    """The inbox with these sessions."""
    async with inbox(120, 40) as opened:
        yield opened


def news(driver: Driver) -> str:
    return str(driver.screen.toast.text.plain)


def ends(curator: Curator) -> list[float]:
    """When each session ended."""
    return [path.stat().st_mtime for path in curator.settings.home.parent.rglob("*.jsonl")]


async def read_ended(driver: Driver) -> None:
    """Have the reader look for sessions that have ended, until it has read them."""
    driver.app.distilling.read_ended_sessions()
    await driver.settle()
    assert not driver.app.distilling.busy


def told(driver: Driver) -> list[str]:
    """Return a list that gets each message about reading from now on."""
    said: list[str] = []
    post: Callable[[Message], bool] = driver.app.distilling.post

    def listen(message: Message) -> bool:
        said.append(str(getattr(message, "reading", "")))
        return post(message)

    driver.app.distilling.post = listen
    return said


def words(curator: Curator) -> list[str]:
    return [entry.headline for entry in curator.lessons.entries(curator.lessons.waiting())]


async def test_nothing_is_sent_before_the_estimate_was_agreed_to(driver: Driver, curator: Curator) -> None:
    before = words(curator)
    await driver.press("d")
    assert "press d again to send 1 session to " in news(driver)
    assert words(curator) == before
    await driver.press("d")
    assert "1 session read: 1 new, 0 chosen, 1 left out" in news(driver)
    assert LESSON["headline"] in words(curator)
    await driver.press("u")
    assert words(curator) == before


async def test_all_that_is_unread_is_read_and_the_header_says_how_many(driver: Driver, curator: Curator) -> None:
    assert driver.app.unread_sessions == 2
    assert "2 sessions not read by your model" in driver.screen.top.render().plain
    await driver.press("j")
    at_hand = driver.entry.id
    await driver.press("D")
    assert "repeat to send 2 sessions" in news(driver)
    await driver.press("D")
    assert "2 sessions read" in news(driver)
    assert driver.app.unread_sessions == 0
    assert driver.entry.id == at_hand, "the row under the cursor stays"
    waiting = curator.lessons.entries(curator.lessons.waiting())
    (made,) = [entry for entry in waiting if entry.headline == LESSON["headline"]]
    assert made.distiller.endswith("model.py")
    await driver.press("D")
    assert "your model has read every session" in news(driver)


async def test_a_card_that_the_model_leaves_out_stays_under_the_cursor_and_says_so(driver: Driver, curator: Curator) -> None:
    at_hand = driver.entry.id
    await driver.press("D", "D")
    assert driver.entry.id == at_hand
    assert driver.entry.left_out
    assert not driver.screen.list.rows.settled_rows
    await driver.press("y")
    assert curator.lessons.find(at_hand).state is State.ACTIVE


async def test_undo_of_a_run_says_what_is_shown_again_and_how_many_cards_are_gone(driver: Driver) -> None:
    await driver.press("D", "D", "u")
    assert "is shown again, and 1 other with it; 1 new card gone" in news(driver)


@pytest.mark.parametrize("width", [45, 80])
async def test_a_narrow_window_shows_the_whole_estimate(inbox: Inbox, curator: Curator, width: int) -> None:
    curator.settings = curator.settings._replace(distill_price=3.0)
    async with inbox(width, 40) as driver:
        await driver.press("D")
        foot = driver.screen.foot.render().plain
        shown = " ".join([*news(driver).split(), *(foot.split() if width == 45 else ())])
        assert "repeat to send 2 sessions to " in shown
        assert "model.py: about " in shown
        assert "k tokens, cost 0.00" in shown
        await driver.press("j")
        assert "Keep" in driver.screen.foot.render().plain


async def test_without_a_distiller_the_way_is_said(inbox: Inbox, curator: Curator) -> None:
    curator.settings = curator.settings._replace(distiller="")
    async with inbox(120, 40) as driver:
        await driver.press("d")
        assert "who reads your sessions" in driver.text()
        assert "each agent reads its own sessions" in driver.text()
        await driver.press("escape", "D")
        assert "who reads your sessions" in driver.text()
        assert driver.app.unread_sessions == 0
        await driver.press(*"command", "enter")
        await driver.settle()
        assert "model.py found 0 of 1 lesson" in news(driver), "its answer quotes another session"
        assert load({"CURATOR_HOME": str(curator.settings.home)}).distiller == "command"
        assert driver.app.unread_sessions == 2


async def test_what_has_ended_is_read_by_itself_once_it_was_agreed_to(inbox: Inbox, curator: Curator) -> None:
    curator.settings = curator.settings._replace(distill_when="end")
    async with inbox(120, 40) as driver:
        before = words(curator)
        driver.still.at = max(ends(curator)) + 3_600
        await read_ended(driver)
        assert words(curator) == before  # nobody has agreed to this model
        curator.store.distilling.ask("", distill.make(curator.settings)[1].model, 1.0, 1, 0.0)
        with distill.single_run_lock(curator.settings):  # in another window
            await read_ended(driver)
        assert not {word for word in ("Another window", "sending") if word in news(driver)}
        await read_ended(driver)
        assert "2 sessions read" in news(driver)
        assert LESSON["headline"] in words(curator)


async def test_the_header_counts_on_over_the_batches(inbox: Inbox, curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "BATCH_SIZE", 1)
    curator.settings = curator.settings._replace(distill_when="end")
    distill.agree(curator)
    async with inbox(120, 40) as driver:
        driver.still.at = max(ends(curator)) + 3_600
        said = told(driver)
        await read_ended(driver)
        counted = [words.partition(" read ")[2] for words in said if " read " in words]
        assert counted == ["1 session, 1 card", "2 sessions, 1 card"]


async def test_a_new_choice_says_when_a_session_that_goes_on_is_read(inbox: Inbox, curator: Curator) -> None:
    async with inbox(120, 40) as driver:
        driver.still.at = min(ends(curator)) + 60
        curator.settings = curator.settings._replace(distill_when="end")
        driver.app.distilling.choose("command")
        distill.agree(curator)
        await read_ended(driver)
        assert "Your model reads a session 10 minutes after its last message." in news(driver)


@pytest.fixture
def failing(curator: Curator, tmp_path: Path) -> Path:
    """A program as reader that notes each call and fails; a person has agreed to it."""
    calls, script = tmp_path / "calls", tmp_path / "fails.py"
    script.write_text(f"import sys\nopen({str(calls)!r}, 'a').write('x')\nsys.exit('not logged in')\n", encoding="utf-8")
    command = (sys.executable, str(script))
    curator.settings = curator.settings._replace(distill_when="end", distill_command=command)
    distill.agree(curator)
    return calls


async def test_a_reader_that_fails_is_not_asked_again_each_minute(inbox: Inbox, curator: Curator, failing: Path) -> None:
    async with inbox(120, 40) as driver:
        driver.still.at = max(ends(curator)) + 3_600
        said = told(driver)
        for _ in range(3):
            await read_ended(driver)
            driver.still.forward(60.0)
        assert any("read 0 sessions, 0 cards, 1 failed" in words for words in said)
        assert failing.read_text(encoding="utf-8") == "xx", "each of the two sessions once"
        assert "not logged in. `:reader` tries it again." in news(driver)
        driver.still.forward(3_600.0)
        await read_ended(driver)
        assert failing.read_text(encoding="utf-8") == "xxxx"


async def test_a_stop_by_key_holds(inbox: Inbox, curator: Curator, failing: Path) -> None:
    async with inbox(120, 40) as driver:
        driver.still.at = max(ends(curator)) + 3_600
        driver.app.distilling.read_ended_sessions()
        driver.app.distilling.read("", "repeat")  # while it reads: this stops it
        await driver.settle()
        asked = failing.read_text(encoding="utf-8") if failing.exists() else ""
        driver.still.forward(100_000.0)
        await read_ended(driver)
        assert (failing.read_text(encoding="utf-8") if failing.exists() else "") == asked


async def test_y_takes_the_words_that_a_model_gives_a_stale_lesson(inbox: Inbox, place: Place, make: Make) -> None:
    curator = place(export=False)
    advice = Advice(Applicability.REWORD, "def pay(cents, currency):", "small", "Pay with a currency", "Give `pay` a currency.")
    stale = make(
        state=State.ACTIVE,
        anchors=(Anchor(path="src/pay.py", symbol="pay"),),
        findings=(Finding(path="src/pay.py", symbol="pay", drift=Drift.SIGNATURE, severity=0.9),),
        advice=advice,
    )
    curator.store.apply([(Verb.ADD, Change(before=None, after=stale))], actor="person", at=1.0)
    async with inbox(100, 40, curator=curator) as driver:
        await driver.press("y")
        after = curator.lessons.find(stale.id)
        assert (after.headline, after.insight, after.findings) == (advice.headline, advice.insight, ())
        await driver.press("u")
        assert curator.lessons.find(stale.id).headline == stale.headline
