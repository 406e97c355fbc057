"""A model reads sessions from the inbox: first what it takes, then its cards, and undo."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from curator import clock
from curator.app import Curator, distill, scan
from curator.model import Advice, Anchor, Change, Drift, Finding, Holding, State, Verb
from curator.settings import Settings
from curator.tui.app import CuratorApp
from tests.transcripts import transcript_records as records
from tests.tui import keyboard
from tests.tui.conftest import Make

LESSON = {
    "kind": "tooling",
    "headline": "Run `make db` before the tests",
    "insight": "The tests need `make db` first, or they find no schema.",
    "line": 4,
    "quote": "the tests find no schema without `make db`",
    "worth": 3,
}


@pytest.fixture
def curator(tmp_path: Path) -> Curator:
    """Two sessions that were scanned, and a program as distiller that names one lesson in each."""
    folder = tmp_path / "app"
    folder.mkdir()
    rules = {"s-1": "no, never edit vendor/ by hand, always change `sync.toml` instead", "s-2": "always log through slog here"}
    for name, rule in rules.items():
        said = [
            records.user("fix the timeout in vendor/lib/http.py"),
            records.assistant(records.text("I edited vendor/lib/http.py.")),
            records.user(rule),
            records.assistant(records.text(f"Fine. Shall I look at why in {name} the tests find no schema without `make db`?")),
        ]
        told = [one | {"sessionId": name, "cwd": str(folder), "uuid": f"{name}-{at}"} for at, one in enumerate(said)]
        records.write(tmp_path / "agents" / "projects" / "-app" / f"{name}.jsonl", *told)
    script = tmp_path / "model.py"
    script.write_text(f"import sys\nsys.stdin.read()\nprint({json.dumps([LESSON])!r})\n", encoding="utf-8")
    settings = Settings(home=tmp_path / "home", distiller="command", distill_command=(sys.executable, str(script)))
    made = Curator(settings._replace(export=False))
    scan.scan(made, roots=[tmp_path / "agents"])
    return made


def news(app: CuratorApp) -> str:
    return app.screen.toast.text.plain  # type: ignore[attr-defined,no-any-return]


def words(app: CuratorApp) -> list[str]:
    return [entry.headline for entry in app.curator.lessons.entries(app.curator.lessons.waiting())]


async def test_nothing_is_sent_before_the_estimate_was_agreed_to(curator: Curator) -> None:
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(120, 40)):
        await keyboard.settle(app)
        before = words(app)
        await keyboard.press(app, "d")
        assert "d again sends 1 session to " in news(app)
        assert words(app) == before
        await keyboard.press(app, "d")
        assert "1 session read: 1 new, 0 chosen, 1 left out" in news(app)
        assert LESSON["headline"] in words(app)
        await keyboard.press(app, "u")
        assert words(app) == before
    curator.close()


async def test_all_that_is_unread_is_read_and_the_header_says_how_many(curator: Curator) -> None:
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(120, 40)):
        await keyboard.settle(app)
        assert app.unread_sessions == 2
        assert "2 sessions unread by the model" in app.screen.top.render().plain  # type: ignore[attr-defined]
        await keyboard.press(app, "D")
        assert "D again sends 2 sessions" in news(app)
        await keyboard.press(app, "D")
        assert "2 sessions read" in news(app)
        assert app.unread_sessions == 0
        await keyboard.press(app, "D")
        assert "no session is unread" in news(app)
    curator.close()


async def test_the_row_under_the_cursor_stays_and_its_card_says_who_worded_it(curator: Curator) -> None:
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(120, 40)):
        await keyboard.settle(app)
        await keyboard.press(app, "j")
        at_hand = app.screen.card.entry.id  # type: ignore[attr-defined]
        await keyboard.press(app, "D")
        assert "again sends" in news(app)
        await keyboard.press(app, "D")
        assert "2 sessions read" in news(app)
        assert app.screen.card.entry.id == at_hand  # type: ignore[attr-defined]
        (made,) = [
            entry
            for entry in app.curator.lessons.entries(app.curator.lessons.waiting())
            if entry.headline == LESSON["headline"]
        ]
        assert made.distiller.endswith("model.py")
    curator.close()


async def test_a_card_that_the_model_leaves_out_stays_under_the_cursor_and_says_so(curator: Curator) -> None:
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(120, 40)):
        await keyboard.settle(app)
        at_hand = app.screen.card.entry.id  # type: ignore[attr-defined]
        await keyboard.press(app, "D", "D")
        assert app.screen.card.entry.id == at_hand  # type: ignore[attr-defined]
        assert app.screen.card.entry.left_out  # type: ignore[attr-defined]
        assert not app.screen.list.rows.settled_rows  # type: ignore[attr-defined]
        await keyboard.press(app, "y")
        kept = app.curator.lessons.peek(at_hand)
        assert kept is not None
        assert kept.state is State.ACTIVE
    curator.close()


async def test_undo_of_a_run_says_what_is_shown_again_and_how_many_cards_are_gone(curator: Curator) -> None:
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(120, 40)):
        await keyboard.settle(app)
        await keyboard.press(app, "D", "D", "u")
        assert "is shown again, and 1 other with it; 1 new card gone" in news(app)
    curator.close()


@pytest.mark.parametrize("width", [45, 80])
async def test_a_narrow_window_shows_the_whole_estimate(curator: Curator, width: int) -> None:
    curator.settings = curator.settings._replace(distill_price=3.0)
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(width, 40)):
        await keyboard.settle(app)
        await keyboard.press(app, "D")
        foot = app.screen.foot.render().plain  # type: ignore[attr-defined]
        shown = " ".join([*news(app).split(), *(foot.split() if width == 45 else ())])
        assert "D again sends 2 sessions to " in shown
        assert "model.py: about " in shown
        assert "k tokens, cost 0.00" in shown
        await keyboard.press(app, "j")
        assert "Keep" in app.screen.foot.render().plain  # type: ignore[attr-defined]
    curator.close()


async def test_without_a_distiller_the_way_is_said(curator: Curator) -> None:
    curator.settings = curator.settings._replace(distiller="")
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(120, 40)):
        await keyboard.settle(app)
        await keyboard.press(app, "d")
        assert "No distiller is set" in news(app)
        assert app.unread_sessions == 0
    curator.close()


async def test_what_has_ended_is_read_by_itself_once_it_was_agreed_to(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator.settings = curator.settings._replace(distill_when="end")
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(120, 40)):
        await keyboard.settle(app)
        before = words(app)
        later = clock.now() + 3_600
        monkeypatch.setattr(clock, "now", lambda: later)
        app.distilling.rest()
        await keyboard.settle(app)
        assert not app.distilling.busy
        assert words(app) == before  # nobody has agreed to this model
        curator.store.distilling.ask("", distill.make(curator.settings)[1].model, 1.0, 1, 0.0)
        with distill.alone(curator.settings):  # in another window
            app.distilling.rest()
            await keyboard.settle(app)
            assert not app.distilling.busy
        assert not {word for word in ("Another window", "sending") if word in news(app)}
        app.distilling.rest()
        await keyboard.settle(app)
        assert "2 sessions read" in news(app)
        assert LESSON["headline"] in words(app)
    curator.close()


async def test_y_takes_the_words_that_a_model_gives_a_stale_lesson(tmp_path: Path, make: Make) -> None:
    curator = Curator(Settings(home=tmp_path / "home", export=False))
    advice = Advice(Holding.REWORD, "def pay(cents, currency):", "small", "Pay with a currency", "Give `pay` a currency.")
    stale = make(
        state=State.ACTIVE,
        anchors=(Anchor(path="src/pay.py", symbol="pay"),),
        findings=(Finding(path="src/pay.py", symbol="pay", drift=Drift.SIGNATURE, severity=0.9),),
        advice=advice,
    )
    curator.store.apply([(Verb.ADD, Change(before=None, after=stale))], actor="person", at=1.0)
    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(100, 40)):
        await keyboard.settle(app)
        await keyboard.press(app, "y")
        after = curator.lessons.find(stale.id)
        assert (after.headline, after.insight, after.findings) == (advice.headline, advice.insight, ())
        await keyboard.press(app, "u")
        assert curator.lessons.find(stale.id).headline == stale.headline
    curator.close()
