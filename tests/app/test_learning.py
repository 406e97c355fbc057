"""What verdicts teach: signal by signal, project by project, seen, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import app, curate, detection
from curator.app import Curator, statistics
from curator.errors import StoreError
from curator.inbox import (
    MAX_ADJUSTMENT,
    MIN_VERDICTS,
    CandidateVerdict,
    adjustment,
    is_hidden,
    learn_adjustments,
    likelihood,
    odds,
    reweigh,
)
from curator.model import Entry, Project, Query, Relating, Relation, State, Verb
from curator.store import database
from tests.app.conftest import Make, Open
from tests.app.conftest import put as store
from tests.app.conftest import waiting as in_inbox

FLOOR = detection.floor()
ABOVE = round(FLOOR + 0.02, 3)
GOOD = 0.95
Teach = Callable[..., list[str]]


@pytest.fixture
def curator(opened: Open, tmp_path: Path) -> Curator:
    curator = opened()
    curator.project = Project(id="p1", name="app", folder=str(tmp_path))
    return curator


def put(curator: Curator, *entries: Entry) -> list[str]:
    with curator.store.transaction():
        for entry in entries:
            folder = f"/nowhere/{entry.project}"
            curator.store.sources.remember(Project(id=entry.project, name=entry.project, folder=folder), folder)
        return store(curator, *entries)


@pytest.fixture
def teach(curator: Curator, make: Make) -> Teach:
    """Drop so many cards of the same signal, or keep them; returns their ids."""

    def taught(count: int, *, kept: bool = False, **fields: object) -> list[str]:
        ids = put(curator, *(make(session=f"taught {n}", score=0.6, **fields) for n in range(count)))
        (curator.verdicts.accept if kept else curator.verdicts.drop)(ids)
        app.settling.settle(curator, ids)
        return ids

    return taught


@pytest.fixture
def weak(curator: Curator, make: Make) -> str:
    """A card whose score is just enough."""
    (id_,) = put(curator, make(score=ABOVE))
    return id_


def waiting(curator: Curator, **how: bool) -> list[str]:
    return [entry.id for entry in in_inbox(curator, **how)]


def held_back(curator: Curator) -> list[str]:
    return [entry.id for entry in curator.lessons.entries(curator.lessons.library((State.OPEN,), hidden=True))]


def test_dropping_a_signal_again_and_again_holds_its_weak_cards_back(
    curator: Curator, make: Make, weak: str, teach: Teach
) -> None:
    strong, other = put(curator, make(score=GOOD), make(score=ABOVE, signal="root-cause", session="s2"))
    teach(6)
    assert set(waiting(curator)) == {strong, other}
    assert held_back(curator) == [weak]
    assert weak in waiting(curator, rest=True)
    (later,) = put(curator, make(score=ABOVE, session="s3"))
    assert set(held_back(curator)) == {weak, later}
    numbers = statistics.summary(curator)
    rule = numbers["signals"]["standing-rule"]
    assert (rule["kept"], rule["dropped"], rule["precision"], rule["held"]) == (0, 6, 0.0, 2)
    assert rule["adjustment"] == pytest.approx(-0.9, abs=0.3)
    assert numbers["held"] == 2


def test_many_cards_are_weighed_again_in_portions_so_that_nobody_waits_long(
    curator: Curator, make: Make, teach: Teach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PORTION", 3)
    ids = put(curator, *(make(score=ABOVE, session=f"s{n}") for n in range(10)))
    elsewhere = put(curator, *(make(score=ABOVE, session=f"t{n}", project="p2") for n in range(4)))
    statements: list[str] = []
    curator.store.connection.set_trace_callback(statements.append)
    teach(6)
    assert set(held_back(curator)) == set(ids)
    assert not set(elsewhere) & {entry.id for entry in curator.lessons.entries(Query(hidden=True, states=(State.OPEN,)))}
    scores = curator.store.connection.execute("SELECT score FROM entries WHERE project = 'p2'").fetchall()
    assert len(scores) == len(elsewhere)
    assert all(score < ABOVE for (score,) in scores)
    weighed_at = [at for at, one in enumerate(statements) if one.startswith("UPDATE entries SET rank")]
    between = statements[weighed_at[0] : weighed_at[-1]]
    assert between.count("COMMIT") >= len(ids + elsewhere) // 3


def test_whoever_comes_next_finishes_what_a_crash_left_half_done(
    curator: Curator, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = put(curator, *(make(score=ABOVE, session=f"s{n}") for n in range(10)))
    monkeypatch.setattr(database, "PORTION", 3)
    portions = []

    def stopped(statement: str) -> None:
        portions.append(statement.startswith("UPDATE entries SET rank"))
        if sum(portions) == 5:
            curator.store.connection.interrupt()

    curator.verdicts.drop(put(curator, *(make(session=f"taught {n}", score=0.6) for n in range(6))))
    curator.store.connection.set_trace_callback(stopped)
    with pytest.raises(StoreError):
        statistics.learn(curator)
    curator.store.connection.set_trace_callback(None)
    assert 0 < len(held_back(curator)) < len(ids)
    assert statistics.learn(curator) == 0
    assert set(held_back(curator)) == set(ids)
    assert not [signal for _, signal in curator.store.sources.adjustments() if signal.startswith(database.PENDING_PREFIX)]


def test_the_reason_names_the_verdicts_and_what_the_detector_said_stays(curator: Curator, make: Make, teach: Teach) -> None:
    (id_,) = put(curator, make(score=GOOD, why={"base": odds(GOOD)}))
    teach(6)
    stored = curator.lessons.find(id_)
    shown = curator.lessons.with_score(stored)
    assert stored.score == GOOD
    assert shown.why["your verdicts on standing-rule"] < 0
    assert shown.score == pytest.approx(likelihood(sum(shown.why.values())), abs=0.002)
    (seq,) = curator.lessons.order(curator.lessons.waiting())
    assert curator.lessons.heads([seq])[seq].score == shown.score
    before = curator.store.connection.total_changes
    assert statistics.learn(curator) == 0
    assert curator.store.connection.total_changes == before, "what stands as it should is not written again"


def test_undo_a_change_of_mind_and_keeping_bring_it_back(curator: Curator, weak: str, teach: Teach) -> None:
    taught = teach(6)
    assert held_back(curator) == [weak]
    for verdict, held in ((curator.verdicts.undo, []), (curator.verdicts.redo, [weak])):
        verdict()
        app.settling.settle(curator, taught)
        assert held_back(curator) == held
    curator.verdicts.reopen(taught)
    app.settling.settle(curator, taught)
    assert held_back(curator) == []
    curator.verdicts.drop(taught)
    app.settling.settle(curator, taught)
    assert held_back(curator) == [weak]
    teach(12, kept=True)
    assert waiting(curator) == [weak]
    assert curator.lessons.with_score(curator.lessons.find(weak)).score > ABOVE


def test_learning_can_be_reset_for_one_project_or_all(
    curator: Curator, opened: Open, make: Make, weak: str, teach: Teach
) -> None:
    teach(6)
    assert statistics.reset_learning(curator) > 0
    assert (waiting(curator), held_back(curator)) == ([weak], [])
    app.settling.settle(curator, [weak])
    assert waiting(curator) == [weak]
    everywhere = opened()
    (elsewhere,) = put(curator, make(score=ABOVE, project="p3", session="elsewhere"))
    teach(6, project="p3")
    assert elsewhere in [entry.id for entry in everywhere.lessons.entries(Query(hidden=True))]
    statistics.reset_learning(everywhere)
    assert list(everywhere.lessons.entries(Query(hidden=True))) == []


def test_what_a_person_touched_and_conflicts_are_never_held_back(curator: Curator, make: Make, teach: Teach) -> None:
    rival = Relation(other="none", relating=Relating.SUPERSEDES)
    edited, snoozed, conflict = put(
        curator, make(score=ABOVE), make(score=ABOVE, session="s2"), make(score=ABOVE, session="s3", rival=rival)
    )
    curator.verdicts.edit(edited, headline="Mine")
    curator.verdicts.snooze([snoozed])
    curator.verdicts.undo()
    teach(8)
    assert held_back(curator) == []
    assert set(waiting(curator)) == {edited, snoozed, conflict}


def test_what_is_held_back_takes_no_place_below_the_cap(curator: Curator, make: Make, teach: Teach) -> None:
    teach(8)
    put(curator, *(make(score=ABOVE, session="long") for _ in range(6)))
    others = put(curator, *(make(score=0.3, signal="finding", session="long") for _ in range(5)))
    assert waiting(curator) == others


def test_being_stated_again_with_a_better_score_brings_it_back(curator: Curator, weak: str, teach: Teach) -> None:
    teach(6)
    entry = curator.lessons.find(weak)
    again = curate.see_again(entry, [entry.evidence[0]._replace(session="s9", line=77)], GOOD, 5.0)
    assert again is not None
    curator.store.apply([(Verb.SEE_AGAIN, again)], actor="detector", at=5.0)
    assert waiting(curator) == [weak]


def test_verdicts_of_other_projects_move_scores_and_hold_nothing_back(curator: Curator, weak: str, teach: Teach) -> None:
    """A fresh project keeps its inbox, in another order; its own verdicts hold back, from the fifth on."""
    teach(12, project="p2")
    assert waiting(curator) == [weak]
    assert curator.lessons.with_score(curator.lessons.find(weak)).score < FLOOR
    taught = teach(MIN_VERDICTS - 1)
    assert waiting(curator) == [weak]
    teach(1)
    assert held_back(curator) == [weak]
    curator.verdicts.reopen(taught[:1])
    app.settling.settle(curator, taught[:1])
    assert weak in waiting(curator)


# --- the arithmetic -----------------------------------------------------------------------------------------------------


def dropped(project: str, count: int) -> list[CandidateVerdict]:
    return [CandidateVerdict(project, "s", 0.6, False)] * count


def kept(project: str, count: int) -> list[CandidateVerdict]:
    return [CandidateVerdict(project, "s", 0.6, True)] * count


def test_the_more_verdicts_the_further_and_other_projects_are_believed_at_first() -> None:
    shifts = [learn_adjustments(dropped("p", n))["p", "s"].odds for n in (4, 5, 10, 200)]
    assert shifts[0] == 0.0
    assert shifts[1] < 0
    assert shifts == sorted(shifts, reverse=True)
    assert shifts[-1] == -MAX_ADJUSTMENT
    elsewhere = {key: one.odds for key, one in learn_adjustments(dropped("other", 10)).items()}
    assert adjustment(elsewhere, "new", "s") == adjustment(elsewhere, "other", "s") < 0
    both = learn_adjustments(dropped("other", 10) + kept("p", 30))
    assert both["p", "s"].odds > 0 > both["other", "s"].odds
    assert both["p", "s"].hiding_odds == 0


def test_no_more_is_held_back_than_by_the_project_alone_or_by_all() -> None:
    alone, told = (learn_adjustments(dropped("p", 5) + dropped("other", many))["p", "s"] for many in (0, 30))
    assert (alone.odds, alone.hiding_odds) == (alone.hiding_odds, told.hiding_odds)
    assert told.odds < told.hiding_odds < 0
    praised = learn_adjustments(dropped("p", 5) + kept("other", 30))["p", "s"]
    assert alone.hiding_odds < praised.hiding_odds == min(0.0, praised.odds)


def test_verdicts_that_go_as_the_scores_say_change_nothing() -> None:
    verdicts = dropped("p", 40) + kept("p", 60)
    assert learn_adjustments(verdicts) == {("p", "s"): (0.0, 0.0), ("", "s"): (0.0, 0.0)}


VERDICTS = st.lists(
    st.builds(CandidateVerdict, st.sampled_from("pq"), st.sampled_from("st"), st.floats(0.0, 1.0), st.booleans()), max_size=60
)


@given(VERDICTS)
def test_adjustments_are_bounded_tenths_and_the_order_of_verdicts_does_not_matter(verdicts: list[CandidateVerdict]) -> None:
    found = learn_adjustments(verdicts)
    assert all(
        -MAX_ADJUSTMENT <= one.odds <= one.hiding_odds <= 0 or (0 <= one.odds <= MAX_ADJUSTMENT and not one.hiding_odds)
        for one in found.values()
    )
    assert all(round(value, 1) == value for one in found.values() for value in one)
    again = learn_adjustments(verdicts[::-1])
    assert again.keys() == found.keys()
    assert all(abs(value - was) < 0.11 for key, one in again.items() for value, was in zip(one, found[key], strict=True))


def test_nothing_is_held_back_by_praise_and_what_began_below_the_floor_is_spared_a_little(make: Make) -> None:
    low = make(score=FLOOR / 2)
    assert not is_hidden(low, 0.5, FLOOR)
    assert not is_hidden(low, -0.4, FLOOR)
    assert is_hidden(low, -0.5, FLOOR)
    assert reweigh(low._replace(state=State.ACTIVE), -0.5).score == low.score
