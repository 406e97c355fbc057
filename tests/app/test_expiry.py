"""Candidates that nobody decides on expire; they can be reopened, and are when they are stated again."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.sessions.scan import expire_idle_candidates
from curator.errors import CuratorError
from curator.model import Category, Entry, Relating, Relation, State, Verb
from curator.settings import DAY_SECONDS
from tests.app.conftest import Make, Open, Transcript, put, scanned
from tests.conftest import Clock
from tests.sayings import VENDOR


@pytest.fixture
def curator(opened: Open, work: Path, still: Clock) -> Curator:
    return opened(folder=work)


def proposed(curator: Curator, still: Clock, *entries: Entry) -> list[str]:
    """Store entries as proposed now."""
    return put(curator, *(entry._replace(updated=still.at) for entry in entries), at=still.at)


def pass_days(curator: Curator, still: Clock, days: int, step: int = 1) -> list[str]:
    """Let somebody look now and after every so many days; returns the ids of what expired."""
    gone = expire_idle_candidates(curator)
    for _ in range(0, days, step):
        still.forward(step * DAY_SECONDS)
        gone += expire_idle_candidates(curator)
    return [entry.id for entry in gone]


def state(curator: Curator, id_: str) -> State:
    return curator.lessons.find(id_).state


def test_other_words_for_a_card_that_expires_then_are_no_decision(curator: Curator, still: Clock, make: Make) -> None:
    (id_,) = proposed(curator, still, make(category=Category.TOOLING))
    curator.decisions.edit(id_, category=Category.DECISION)
    assert app.statistics.today(curator) == {}
    assert pass_days(curator, still, 31) == [id_]
    assert app.statistics.decisions(curator) == []
    curator.decisions.reopen([id_])
    curator.decisions.edit(id_, keep=True, headline="Kept")
    curator.decisions.edit(id_, headline="Kept and edited")
    assert [decision.verb for decision in app.statistics.decisions(curator)] == [Verb.REOPEN, Verb.EDIT, Verb.EDIT]


def test_what_nobody_decides_on_expires_after_a_month(curator: Curator, still: Clock, make: Make) -> None:
    (old,) = proposed(curator, still, make())
    assert pass_days(curator, still, 20) == []
    (young,) = proposed(curator, still, make())
    assert pass_days(curator, still, 10) == []
    still.forward(1)
    assert pass_days(curator, still, 0) == [old]
    assert (state(curator, old), state(curator, young)) == (State.EXPIRED, State.OPEN)
    (*_, event) = curator.lessons.history(old)
    assert (event.verb, event.actor) == (Verb.EXPIRE, "curator")
    assert app.statistics.summary(curator)["states"] == {"expired": 1, "open": 1}
    assert expire_idle_candidates(curator) == []


def test_a_scan_lets_them_expire_unless_it_is_stopped(curator: Curator, still: Clock, make: Make, root: Path) -> None:
    (id_,) = proposed(curator, still, make())
    pass_days(curator, still, 29)
    still.forward(2 * DAY_SECONDS)
    stop = threading.Event()
    stop.set()
    app.scan.scan(curator, roots=[root], stop=stop)
    assert state(curator, id_) is State.OPEN
    app.scan.scan(curator, roots=[root])
    assert state(curator, id_) is State.EXPIRED


@pytest.mark.parametrize(("days", "after", "expired"), [(0, 40, False), (3, 4, True), (3, 2, False)])
def test_expiry_is_a_setting(opened: Open, still: Clock, make: Make, work: Path, days: int, after: int, expired: bool) -> None:
    curator = opened("other", work, expire_days=days)
    (id_,) = proposed(curator, still, make())
    assert pass_days(curator, still, after) == [id_] * expired


def test_only_candidates_do_and_only_unattended_ones(curator: Curator, still: Clock, make: Make) -> None:
    (lesson,) = proposed(curator, still, make(state=State.ACTIVE))
    clash = Relation(other=lesson, relating=Relating.CONTRADICTS)
    conflict, snoozed, edited, kept, back = proposed(curator, still, make(rival=clash), make(), make(), make(), make())
    curator.decisions.snooze([snoozed], still.at + 40 * DAY_SECONDS)
    curator.decisions.accept([kept, back])
    pass_days(curator, still, 20)
    curator.decisions.edit(edited, headline="Other words")
    pass_days(curator, still, 15)
    for _ in range(3):
        curator.decisions.undo()
    curator.decisions.snooze([snoozed], still.at + 1)
    assert state(curator, back) is State.OPEN, "decided on, and taken back today"
    assert expire_idle_candidates(curator) == []
    assert {*pass_days(curator, still, 31)} == {snoozed, edited, kept, back}
    assert state(curator, conflict) is State.OPEN


def test_they_can_be_reopened_kept_or_dropped_and_that_undone(curator: Curator, still: Clock, make: Make) -> None:
    ids = proposed(curator, still, make(), make(), make())
    pass_days(curator, still, 31)
    curator.decisions.reopen(ids[:1])
    curator.decisions.accept(ids[1:2])
    curator.decisions.drop(ids[2:])
    assert [state(curator, id_) for id_ in ids] == [State.OPEN, State.ACTIVE, State.DISMISSED]
    assert expire_idle_candidates(curator) == [], "its time begins anew"
    for _ in ids:
        curator.decisions.undo()
    assert [state(curator, id_) for id_ in ids] == [State.EXPIRED] * 3
    curator.decisions.redo()
    assert state(curator, ids[0]) is State.OPEN
    with pytest.raises(CuratorError, match=r"is open\."):
        curator.decisions.reopen(ids[:1])


def test_what_is_stated_again_waits_again(curator: Curator, still: Clock, work: Path, root: Path) -> None:
    Transcript(root, work, 1).says(VENDOR)
    scanned(curator, root)
    (id_,) = pass_days(curator, still, 31)
    Transcript(root, work, 2).says(VENDOR)
    scanned(curator, root)
    entry = curator.lessons.find(id_)
    assert (entry.state, entry.times_stated) == (State.OPEN, 2)


@pytest.mark.parametrize("jump", [366, 40, 8, -366])
def test_a_clock_that_jumps_expires_nothing(curator: Curator, still: Clock, make: Make, jump: int) -> None:
    (id_,) = proposed(curator, still, make())
    assert pass_days(curator, still, 22) == []
    still.forward(jump * DAY_SECONDS)
    assert expire_idle_candidates(curator) == []
    still.forward(-jump * DAY_SECONDS)
    assert pass_days(curator, still, 8) == []
    assert pass_days(curator, still, 1) == [id_]


def test_a_long_absence_does_not_count_and_a_look_once_a_week_is_enough(curator: Curator, still: Clock, make: Make) -> None:
    (id_,) = proposed(curator, still, make())
    pass_days(curator, still, 2)
    still.forward(60 * DAY_SECONDS)
    assert pass_days(curator, still, 20) == []
    assert pass_days(curator, still, 1) == [id_]
    (id_,) = proposed(curator, still, make())
    assert pass_days(curator, still, 35, step=7) == [id_]
