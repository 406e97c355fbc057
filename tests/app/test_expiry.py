"""Candidates that nobody decides on expire; they can be reopened, and are when they are stated again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.sessions.scan import expire
from curator.errors import CuratorError
from curator.model import Category, Change, Entry, Relating, Relation, State, Verb
from curator.settings import DAY, Settings
from tests.app.test_ingest import Transcript
from tests.conftest import Clock
from tests.sayings import VENDOR

Make = Callable[..., Entry]


@pytest.fixture
def curator(tmp_path: Path, work: Path, still: Clock) -> Iterator[Curator]:
    opened = Curator(Settings(home=tmp_path / "home"))
    opened.enter(str(work))
    yield opened
    opened.close()


def put(curator: Curator, still: Clock, *entries: Entry) -> list[str]:
    """Store entries as proposed now."""
    assert curator.project is not None
    own = [entry._replace(project=curator.project.id, updated=still.at) for entry in entries]
    deeds = [(Verb.PROPOSE, Change(before=None, after=entry)) for entry in own]
    curator.store.apply(deeds, actor="detector", at=still.at)
    return [entry.id for entry in own]


def pass_days(curator: Curator, still: Clock, days: int) -> list[Entry]:
    """So many days on each of which somebody looks; what expired."""
    gone = expire(curator)
    for _ in range(days):
        still.forward(DAY)
        gone += expire(curator)
    return gone


def state(curator: Curator, id_: str) -> State:
    return curator.lessons.find(id_).state


def test_other_words_for_a_card_that_expires_then_are_no_verdict(curator: Curator, still: Clock, make: Make) -> None:
    (id_,) = put(curator, still, make(category=Category.TOOLING))
    curator.verdicts.edit(id_, category=Category.DECISION)
    assert app.statistics.today(curator) == {}
    assert [entry.id for entry in pass_days(curator, still, 31)] == [id_]
    assert app.statistics.decisions(curator) == []
    curator.verdicts.reopen([id_])
    curator.verdicts.edit(id_, keep=True, headline="Kept")
    curator.verdicts.edit(id_, headline="Kept and edited")
    assert [decision.verb for decision in app.statistics.decisions(curator)] == [Verb.REOPEN, Verb.EDIT, Verb.EDIT]


def test_what_nobody_decides_on_expires_after_a_month(curator: Curator, still: Clock, make: Make) -> None:
    (old,) = put(curator, still, make())
    assert pass_days(curator, still, 20) == []
    (young,) = put(curator, still, make())
    assert pass_days(curator, still, 10) == []
    still.forward(1)
    assert [entry.id for entry in expire(curator)] == [old]
    assert (state(curator, old), state(curator, young)) == (State.EXPIRED, State.OPEN)
    (*_, event) = curator.lessons.history(old)
    assert (event.verb, event.actor) == (Verb.EXPIRE, "curator")
    assert app.statistics.summary(curator)["states"] == {"expired": 1, "open": 1}
    assert expire(curator) == []


def test_a_scan_lets_them_expire_unless_it_is_stopped(curator: Curator, still: Clock, make: Make, tmp_path: Path) -> None:
    import threading

    (id_,) = put(curator, still, make())
    pass_days(curator, still, 29)
    still.forward(2 * DAY)
    stop = threading.Event()
    stop.set()
    app.scan.scan(curator, roots=[tmp_path], stop=stop)
    assert state(curator, id_) is State.OPEN
    app.scan.scan(curator, roots=[tmp_path])
    assert state(curator, id_) is State.EXPIRED


@pytest.mark.parametrize(("days", "after", "expired"), [(0, 40, False), (3, 4, True), (3, 2, False)])
def test_how_long_is_a_setting(
    tmp_path: Path, still: Clock, make: Make, work: Path, days: int, after: int, expired: bool
) -> None:
    curator = Curator(Settings(home=tmp_path / "other", expire_days=days))
    curator.enter(str(work))
    (id_,) = put(curator, still, make())
    pass_days(curator, still, after)
    assert (state(curator, id_) is State.EXPIRED) is expired
    curator.close()


def test_only_candidates_do_and_only_unattended_ones(curator: Curator, still: Clock, make: Make) -> None:
    (lesson,) = put(curator, still, make(state=State.ACTIVE))
    clash = Relation(other=lesson, relating=Relating.CONTRADICTS)
    conflict, snoozed, edited, kept, back = put(curator, still, make(rival=clash), make(), make(), make(), make())
    curator.verdicts.snooze([snoozed], still.at + 40 * DAY)
    curator.verdicts.accept([kept, back])
    pass_days(curator, still, 20)
    curator.verdicts.edit(edited, headline="Other words")
    pass_days(curator, still, 15)
    curator.verdicts.undo()
    curator.verdicts.undo()
    curator.verdicts.undo()
    curator.verdicts.snooze([snoozed], still.at + 1)
    assert state(curator, back) is State.OPEN, "decided on, and taken back today"
    assert expire(curator) == []
    assert {entry.id for entry in pass_days(curator, still, 31)} == {snoozed, edited, kept, back}
    assert state(curator, conflict) is State.OPEN


def test_they_can_be_reopened_kept_or_dropped_and_that_undone(curator: Curator, still: Clock, make: Make) -> None:
    ids = put(curator, still, make(), make(), make())
    pass_days(curator, still, 31)
    one, two, three = ids
    curator.verdicts.reopen([one])
    curator.verdicts.accept([two])
    curator.verdicts.drop([three])
    assert [state(curator, id_) for id_ in ids] == [State.OPEN, State.ACTIVE, State.DISMISSED]
    assert expire(curator) == [], "its time begins anew"
    for _ in ids:
        curator.verdicts.undo()
    assert [state(curator, id_) for id_ in ids] == [State.EXPIRED] * 3
    curator.verdicts.redo()
    assert state(curator, one) is State.OPEN
    with pytest.raises(CuratorError, match=r"is open\."):
        curator.verdicts.reopen([one])


def test_what_is_stated_again_waits_again(curator: Curator, still: Clock, work: Path, tmp_path: Path) -> None:
    first = Transcript(tmp_path / "claude", work)
    first.says(VENDOR)
    app.scan.scan(curator, roots=[tmp_path / "claude"])
    pass_days(curator, still, 31)
    (entry,) = curator.lessons.entries(curator.lessons.library((State.EXPIRED,)))
    again = Transcript(tmp_path / "claude", work, "5e551011-0000-4000-8000-000000000002")
    again.says(VENDOR)
    app.scan.scan(curator, roots=[tmp_path / "claude"])
    entry = curator.lessons.find(entry.id)
    assert (entry.state, entry.seen) == (State.OPEN, 2)


@pytest.mark.parametrize("jump", [366, 40, 8, -366])
def test_a_clock_that_jumps_expires_nothing(curator: Curator, still: Clock, make: Make, jump: int) -> None:
    (id_,) = put(curator, still, make())
    assert pass_days(curator, still, 22) == []
    still.forward(jump * DAY)
    assert expire(curator) == []
    still.forward(-jump * DAY)
    assert pass_days(curator, still, 8) == []
    assert [entry.id for entry in pass_days(curator, still, 1)] == [id_]


def test_a_long_absence_is_no_time_to_decide(curator: Curator, still: Clock, make: Make) -> None:
    (id_,) = put(curator, still, make())
    pass_days(curator, still, 2)
    still.forward(60 * DAY)
    assert pass_days(curator, still, 20) == []
    assert [entry.id for entry in pass_days(curator, still, 1)] == [id_]


def test_once_a_week_is_often_enough(curator: Curator, still: Clock, make: Make) -> None:
    (id_,) = put(curator, still, make())
    gone = expire(curator)
    for _ in range(5):
        still.forward(7 * DAY)
        gone += expire(curator)
    assert [entry.id for entry in gone] == [id_]
