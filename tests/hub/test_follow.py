"""The exchange that runs by itself while the inbox is open."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from curator import app
from curator import hub as client
from curator.app import Curator
from curator.app import hub as use_case
from curator.hub import connect
from curator.store.hub import Membership
from curator.tui.app import CuratorApp
from curator.tui.background import Background, Status
from tests.hub.conftest import Arrive, Database, Machine

TEXT = "Run make gen after an edit of a proto file"


class Window:
    """The part of the inbox that the exchange needs: its curator, and the receiver of messages."""

    def __init__(self, curator: Curator, told: Callable[[Any], object]) -> None:
        self.curator = curator
        self.told = told

    def post_message(self, message: Any) -> bool:
        self.told(message)
        return True


@contextmanager
def following(one: Machine, changed: Callable[[int], object], away: Callable[[str], object]) -> Iterator[None]:
    stop, own = threading.Event(), one.curator.fork()
    thread = threading.Thread(target=lambda: app.hub.follow(own, stop, changed, away), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(30)
        own.close()


def test_what_a_colleague_shares_arrives_and_a_decision_leaves_by_itself(hub: Database, machine: Arrive) -> None:
    ann, bob = machine("ann"), machine("bob")
    arrived: queue.Queue[int] = queue.Queue()
    ready: queue.Queue[str] = queue.Queue()
    with following(bob, arrived.put, ready.put):
        assert ready.get(timeout=30) == ""
        id_ = ann.shares(TEXT)
        assert arrived.get(timeout=30) == 1
        assert [card.id for card in bob.cards()] == [id_]
        with following(ann, lambda count: None, lambda why: None):
            bob.curator.decisions.accept([id_])
            while not hub.ask("SELECT 1 FROM curator.lesson WHERE cardinality(keepers) = 2"):
                ready.get(timeout=30)


def test_a_hub_that_goes_away_is_said_once_it_is_back_work_goes_on(
    hub: Database, machine: Arrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(use_case, "EVERY_SECONDS", 0.1)
    monkeypatch.setattr(use_case, "LOOK_SECONDS", 0.1)
    ann = machine("ann")
    said: queue.Queue[str] = queue.Queue()
    with following(ann, lambda count: None, said.put):
        assert said.get(timeout=30) == ""
        hub.server.stop()
        while not said.get(timeout=30):
            pass
        (entry,) = ann.curator.decisions.add(TEXT).entries
        app.hub.share(ann.curator, entry.id, "red")
        (row,) = app.hub.status(ann.curator)
        assert (row["ahead"], row["behind"], "can't be reached" in row["error"]) == (1, None, True)
        hub.server.start()
        while not hub.ask("SELECT 1 FROM curator.lesson"):
            said.get(timeout=30)


def test_news_of_another_team_wakes_nobody(hub: Database, machine: Arrive) -> None:
    eve = machine("eve", "blue")
    with connect(hub.url()) as everything, connect(hub.url()) as red:
        for one in (everything, red):
            client.listen(one)
        eve.shares(TEXT, "blue")
        assert client.wait(everything, 30, {"blue"})
        assert not client.wait(red, 0, {"red"})


def test_what_one_sends_oneself_is_no_news(hub: Database, machine: Arrive) -> None:
    ann = machine("ann")
    (address,) = {team.url for team in ann.curator.store.hub.teams().values()}
    with connect(ann.url) as own, connect(hub.url()) as other:
        for one in (own, other):
            client.listen(one)
        (entry,) = ann.curator.decisions.add(TEXT).entries
        app.hub.share(ann.curator, entry.id, "red")
        assert app.hub.sync(ann.curator, {address: own})[0].sent == 1
        assert client.wait(other, 30, {"red"})
        assert not client.wait(own, 0.5, {"red"})


def test_without_a_team_nothing_is_done(machine: Arrive) -> None:
    ann = machine("ann")
    app.hub.leave(ann.curator)
    told: list[object] = []
    app.hub.follow(ann.curator, threading.Event(), told.append, told.append)
    assert told == []


def test_a_team_joined_while_the_window_is_open_is_followed(hub: Database, machine: Arrive) -> None:
    ann, bob = machine("ann"), machine("bob")
    app.hub.leave(bob.curator)
    id_ = ann.shares(TEXT)
    told: queue.Queue[Any] = queue.Queue()

    beside = Background(Window(bob.curator, told.put), None, watch=True)
    beside.follow_hub(bob.curator)
    assert beside.threads == []
    app.hub.join(bob.curator, bob.url, ["red"])
    beside.follow_hub(bob.curator)
    beside.follow_hub(bob.curator)
    assert len(beside.threads) == 1
    while not bob.cards():
        told.get(timeout=30)
    beside.stop()
    assert [card.id for card in bob.cards()] == [id_]


async def test_the_header_says_quietly_that_the_hub_is_away(machine: Arrive) -> None:
    ann = machine("ann")
    with ann.curator.store.transaction():
        ann.curator.store.hub.join(Membership("red", "host=/nowhere", ann.curator.scope or "", False))
    window = CuratorApp(ann.curator, watch=False)
    told: list[Any] = []
    stopped = threading.Event()

    def stop(message: Any) -> None:
        told.append(message)
        beside.stopping.set()
        stopped.set()

    beside = Background(Window(ann.curator, stop), None, watch=False)
    beside.run_in_thread(beside._follow_hub)
    assert stopped.wait(30)
    (message,) = [one for one in told if isinstance(one, Status)]
    assert message.hub == "hub away"
    async with window.run_test(size=(100, 30)) as pilot:
        for away in (message.hub, ""):
            window.post_message(Status(hub=away))
            await pilot.pause()
            strips = window.screen._compositor.render_strips()
            top = "".join(segment.text for segment in strips[0])
            assert ("hub away" in top) == bool(away)
