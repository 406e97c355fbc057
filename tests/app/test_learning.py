"""What verdicts teach: signal by signal, project by project, seen, and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import app, detection
from curator.app import Curator, statistics
from curator.errors import StoreError
from curator.inbox import LEAST, MOST, Lesson, adjustment, is_hidden, learn_adjustments, likelihood, odds, reweigh
from curator.model import Change, Entry, Project, Query, Relating, Relation, State, Verb
from curator.settings import Settings
from curator.store import database

Make = Callable[..., Entry]
FLOOR = detection.floor()
ABOVE = round(FLOOR + 0.02, 3)
GOOD = 0.95


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    opened = Curator(Settings(home=tmp_path / "home"), Project(id="p1", name="app", folder=str(tmp_path)))
    yield opened
    opened.close()


def put(curator: Curator, *entries: Entry) -> list[str]:
    with curator.store.transaction():
        for entry in entries:
            folder = f"/nowhere/{entry.project}"
            curator.store.sources.remember(Project(id=entry.project, name=entry.project, folder=folder), folder)
        curator.store.apply([(Verb.PROPOSE, Change(before=None, after=one)) for one in entries], actor="detector", at=1.0)
    return [entry.id for entry in entries]


def teach(curator: Curator, make: Make, count: int, *, kept: bool = False, **fields: object) -> list[str]:
    ids = put(curator, *(make(session=f"taught {n}", score=0.6, **fields) for n in range(count)))
    (curator.verdicts.accept if kept else curator.verdicts.drop)(ids)
    app.settling.settle(curator, ids)
    return ids


def waiting(curator: Curator) -> list[str]:
    return [entry.id for entry in curator.lessons.entries(curator.lessons.waiting())]


def held_back(curator: Curator) -> list[str]:
    return [entry.id for entry in curator.lessons.entries(curator.lessons.library((State.OPEN,), hidden=True))]


def test_dropping_a_signal_again_and_again_holds_its_weak_cards_back(curator: Curator, make: Make) -> None:
    weak, strong, other = put(
        curator, make(score=ABOVE), make(score=GOOD), make(score=ABOVE, signal="root-cause", session="s2")
    )
    teach(curator, make, 6)
    assert set(waiting(curator)) == {strong, other}
    assert held_back(curator) == [weak]
    assert weak in [entry.id for entry in curator.lessons.entries(curator.lessons.waiting(rest=True))]
    (later,) = put(curator, make(score=ABOVE, session="s3"))
    assert set(held_back(curator)) == {weak, later}


def test_many_cards_are_weighed_again_in_portions_so_that_nobody_waits_long(
    curator: Curator, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PORTION", 3)
    ids = put(curator, *(make(score=ABOVE, session=f"s{n}") for n in range(10)))
    elsewhere = put(curator, *(make(score=ABOVE, session=f"t{n}", project="p2") for n in range(4)))
    statements: list[str] = []
    curator.store.connection.set_trace_callback(statements.append)
    teach(curator, make, 6)
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

    decided = put(curator, *(make(session=f"taught {n}", score=0.6) for n in range(6)))
    curator.verdicts.drop(decided)
    curator.store.connection.set_trace_callback(stopped)
    with pytest.raises(StoreError):
        statistics.learn(curator)
    curator.store.connection.set_trace_callback(None)
    assert 0 < len(held_back(curator)) < len(ids)
    assert statistics.learn(curator) == 0
    assert set(held_back(curator)) == set(ids)
    assert not [signal for _, signal in curator.store.sources.adjustments() if signal.startswith(database.BEHIND)]


def test_what_stands_as_it_should_is_not_written_again(curator: Curator, make: Make) -> None:
    put(curator, make(score=GOOD))
    teach(curator, make, 6)
    before = curator.store.connection.total_changes
    assert statistics.learn(curator) == 0
    assert curator.store.connection.total_changes == before


def test_a_few_verdicts_teach_nothing(curator: Curator, make: Make) -> None:
    (weak,) = put(curator, make(score=ABOVE))
    teach(curator, make, LEAST - 1)
    assert waiting(curator) == [weak]


def test_the_reason_names_the_verdicts_and_what_the_detector_said_stays(curator: Curator, make: Make) -> None:
    (id_,) = put(curator, make(score=GOOD, why={"base": odds(GOOD)}))
    teach(curator, make, 6)
    stored = curator.lessons.find(id_)
    shown = curator.lessons.with_score(stored)
    assert stored.score == GOOD
    assert shown.why["your verdicts on standing-rule"] < 0
    assert shown.score == pytest.approx(likelihood(sum(shown.why.values())), abs=0.002)
    (seq,) = curator.lessons.order(curator.lessons.waiting())
    assert curator.lessons.heads([seq])[seq].score == shown.score


def test_undo_and_a_change_of_mind_bring_it_back(curator: Curator, make: Make) -> None:
    (weak,) = put(curator, make(score=ABOVE))
    taught = teach(curator, make, 6)
    assert held_back(curator) == [weak]
    curator.verdicts.undo()
    app.settling.settle(curator, taught)
    assert held_back(curator) == []
    curator.verdicts.redo()
    app.settling.settle(curator, taught)
    assert held_back(curator) == [weak]
    curator.verdicts.reopen(taught)
    app.settling.settle(curator, taught)
    assert held_back(curator) == []


def test_keeping_raises_scores_and_brings_back(curator: Curator, make: Make) -> None:
    (weak,) = put(curator, make(score=ABOVE))
    teach(curator, make, 6)
    teach(curator, make, 12, kept=True)
    assert waiting(curator) == [weak]
    assert curator.lessons.with_score(curator.lessons.find(weak)).score > ABOVE


def test_learning_can_be_reset_for_one_project_or_all(curator: Curator, make: Make) -> None:
    (weak,) = put(curator, make(score=ABOVE))
    teach(curator, make, 6)
    assert statistics.reset_learning(curator) > 0
    assert (waiting(curator), held_back(curator)) == ([weak], [])
    app.settling.settle(curator, [weak])
    assert waiting(curator) == [weak]
    everywhere = Curator(curator.settings)
    (elsewhere,) = put(curator, make(score=ABOVE, project="p3", session="elsewhere"))
    teach(curator, make, 6, project="p3")
    assert elsewhere in [entry.id for entry in everywhere.lessons.entries(Query(hidden=True))]
    statistics.reset_learning(everywhere)
    assert list(everywhere.lessons.entries(Query(hidden=True))) == []
    everywhere.close()


def test_what_a_person_touched_and_conflicts_are_never_held_back(curator: Curator, make: Make) -> None:
    rival = Relation(other="none", relating=Relating.SUPERSEDES)
    edited, snoozed, conflict = put(
        curator, make(score=ABOVE), make(score=ABOVE, session="s2"), make(score=ABOVE, session="s3", rival=rival)
    )
    curator.verdicts.edit(edited, headline="Mine")
    curator.verdicts.snooze([snoozed])
    curator.verdicts.undo()
    teach(curator, make, 8)
    assert held_back(curator) == []
    assert set(waiting(curator)) == {edited, snoozed, conflict}


def test_what_is_held_back_takes_no_place_below_the_cap(curator: Curator, make: Make) -> None:
    teach(curator, make, 8)
    put(curator, *(make(score=ABOVE, session="long") for _ in range(6)))
    others = put(curator, *(make(score=0.3, signal="finding", session="long") for _ in range(5)))
    assert waiting(curator) == others


def test_being_stated_again_with_a_better_score_brings_it_back(curator: Curator, make: Make) -> None:
    from curator import curate

    weak = make(score=ABOVE)
    put(curator, weak)
    teach(curator, make, 6)
    again = curate.see_again(weak, [weak.evidence[0]._replace(session="s9", line=77)], GOOD, 5.0)
    assert again is not None
    curator.store.apply([(Verb.SEE_AGAIN, again)], actor="detector", at=5.0)
    assert waiting(curator) == [weak.id]


def test_stats_say_what_was_learned(curator: Curator, make: Make) -> None:
    put(curator, make(score=ABOVE))
    teach(curator, make, 6)
    numbers = app.statistics.summary(curator)
    rule = numbers["signals"]["standing-rule"]
    assert (rule["kept"], rule["dropped"], rule["precision"], rule["held"]) == (0, 6, 0.0, 1)
    assert rule["adjustment"] == pytest.approx(-0.9, abs=0.3)
    assert numbers["held"] == 1


def test_the_more_verdicts_the_further_and_other_projects_are_believed_at_first() -> None:
    shifts = [learn_adjustments([Lesson("p", "s", 0.6, False)] * n)["p", "s"].odds for n in (4, 5, 10, 200)]
    assert shifts[0] == 0.0
    assert shifts[1] < 0
    assert shifts == sorted(shifts, reverse=True)
    assert shifts[-1] == -MOST
    elsewhere = {key: one.odds for key, one in learn_adjustments([Lesson("other", "s", 0.6, False)] * 10).items()}
    assert adjustment(elsewhere, "new", "s") == adjustment(elsewhere, "other", "s") < 0
    both = learn_adjustments([Lesson("other", "s", 0.6, False)] * 10 + [Lesson("p", "s", 0.6, True)] * 30)
    assert both["p", "s"].odds > 0 > both["other", "s"].odds
    assert both["p", "s"].hiding_odds == 0


def test_verdicts_of_other_projects_move_scores_and_hold_nothing_back(curator: Curator, make: Make) -> None:
    """A fresh project keeps its inbox, in another order; what holds back is its own verdicts, from the fifth on."""
    (here,) = put(curator, make(score=ABOVE))
    teach(curator, make, 12, project="p2")
    assert waiting(curator) == [here]
    assert curator.lessons.with_score(curator.lessons.find(here)).score < FLOOR
    taught = teach(curator, make, LEAST - 1)
    assert waiting(curator) == [here]
    teach(curator, make, 1)
    assert held_back(curator) == [here]
    curator.verdicts.reopen(taught[:1])
    app.settling.settle(curator, taught[:1])
    assert here in waiting(curator)


def test_no_more_is_held_back_than_by_the_project_alone_or_by_all() -> None:
    few, many = [Lesson("p", "s", 0.6, False)] * 5, [Lesson("other", "s", 0.6, False)] * 30
    alone, told = learn_adjustments(few)["p", "s"], learn_adjustments(few + many)["p", "s"]
    assert (alone.odds, alone.hiding_odds) == (alone.hiding_odds, told.hiding_odds)
    assert told.odds < told.hiding_odds < 0
    praised = learn_adjustments(few + [Lesson("other", "s", 0.6, True)] * 30)["p", "s"]
    assert alone.hiding_odds < praised.hiding_odds == min(0.0, praised.odds)


def test_verdicts_that_go_as_the_scores_say_change_nothing() -> None:
    verdicts = [Lesson("p", "s", 0.6, n % 10 < 6) for n in range(100)]
    assert learn_adjustments(verdicts) == {("p", "s"): (0.0, 0.0), ("", "s"): (0.0, 0.0)}


VERDICTS = st.lists(
    st.builds(Lesson, st.sampled_from("pq"), st.sampled_from("st"), st.floats(0.0, 1.0), st.booleans()), max_size=60
)


@given(VERDICTS)
def test_adjustments_are_bounded_tenths_and_the_order_of_verdicts_does_not_matter(verdicts: list[Lesson]) -> None:
    found = learn_adjustments(verdicts)
    assert all(
        -MOST <= one.odds <= one.hiding_odds <= 0 or (0 <= one.odds <= MOST and not one.hiding_odds) for one in found.values()
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
