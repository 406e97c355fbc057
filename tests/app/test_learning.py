"""What decisions teach: signal by signal, project by project, seen, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import app, curate
from curator.app import Curator, statistics
from curator.app.sessions.origins import FILE_ONLY_PENALTY
from curator.errors import StoreError
from curator.inbox import (
    LIKELY_SCORE,
    LIKELY_SCORES,
    MAX_ADJUSTMENT,
    CandidateDecision,
    adjustment,
    learn_adjustments,
    likelihood,
    odds,
    reweigh,
    tier,
)
from curator.model import Entry, Evidence, Project, Query, Relating, Relation, Role, State, Tier, Verb
from curator.store import database
from tests.app.conftest import Make, Open
from tests.app.conftest import put as store
from tests.app.conftest import waiting as in_inbox

ABOVE = round(max(LIKELY_SCORES.values()) + 0.02, 3)
GOOD = 0.95
JUDGED = {"base": 0.5}
"""The reason of a card whose score the detector gave."""
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
        (curator.decisions.accept if kept else curator.decisions.drop)(ids)
        app.settling.settle(curator, ids)
        return ids

    return taught


@pytest.fixture
def weak(curator: Curator, make: Make) -> str:
    """A card whose score is just enough."""
    (id_,) = put(curator, make(score_parts=JUDGED, score=ABOVE))
    return id_


def waiting(curator: Curator, **how: bool) -> list[str]:
    return [entry.id for entry in in_inbox(curator, **how)]


def hidden(curator: Curator) -> list[str]:
    shown = set(curator.lessons.order(Query(waiting=True, tier=Tier.LIKELY, project=curator.scope)))
    every = curator.lessons.order(Query(waiting=True, project=curator.scope))
    return [head.id for head in curator.lessons.heads([seq for seq in every if seq not in shown]).values()]


def test_dropping_a_signal_many_times_hides_its_weak_cards(curator: Curator, make: Make, weak: str, teach: Teach) -> None:
    strong, other = put(
        curator, make(score_parts=JUDGED, score=GOOD), make(score_parts=JUDGED, score=ABOVE, signal="root-cause", session="s2")
    )
    teach(6)
    assert set(waiting(curator)) == {strong, other}
    assert hidden(curator) == [weak]
    assert weak in waiting(curator, rest=True)
    (later,) = put(curator, make(score_parts=JUDGED, score=ABOVE, session="s3"))
    assert set(hidden(curator)) == {weak, later}
    numbers = statistics.summary(curator)
    rule = numbers["signals"]["standing-rule"]
    assert (rule["kept"], rule["dropped"], rule["precision"]) == (0, 6, 0.0)
    assert rule["adjustment"] == pytest.approx(-0.9, abs=0.3)


def test_cards_are_reweighed_in_portions(curator: Curator, make: Make, teach: Teach, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PORTION", 3)
    ids = put(curator, *(make(score_parts=JUDGED, score=ABOVE, session=f"s{n}") for n in range(10)))
    elsewhere = put(curator, *(make(score_parts=JUDGED, score=ABOVE, session=f"t{n}", project="p2") for n in range(4)))
    statements: list[str] = []
    curator.store.connection.set_trace_callback(statements.append)
    teach(6)
    assert set(hidden(curator)) == set(ids)
    scores = curator.store.connection.execute("SELECT score FROM entries WHERE project = 'p2'").fetchall()
    assert len(scores) == len(elsewhere)
    assert all(score < ABOVE for (score,) in scores)
    weighed_at = [at for at, one in enumerate(statements) if one.startswith("UPDATE entries SET rank")]
    between = statements[weighed_at[0] : weighed_at[-1]]
    assert between.count("COMMIT") >= len(ids + elsewhere) // 3


def test_the_next_run_finishes_what_a_crash_left_undone(curator: Curator, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = put(curator, *(make(score_parts=JUDGED, score=ABOVE, session=f"s{n}") for n in range(10)))
    monkeypatch.setattr(database, "PORTION", 3)
    portions = []

    def stopped(statement: str) -> None:
        portions.append(statement.startswith("UPDATE entries SET rank"))
        if sum(portions) == 5:
            curator.store.connection.interrupt()

    curator.decisions.drop(put(curator, *(make(session=f"taught {n}", score=0.6) for n in range(6))))
    curator.store.connection.set_trace_callback(stopped)
    with pytest.raises(StoreError):
        statistics.learn(curator)
    curator.store.connection.set_trace_callback(None)
    assert 0 < len(hidden(curator)) < len(ids)
    assert statistics.learn(curator) == 0
    assert set(hidden(curator)) == set(ids)
    assert not [signal for _, signal in curator.store.sources.adjustments() if signal.startswith(database.PENDING_PREFIX)]


def test_the_reason_names_the_decisions_and_what_the_detector_said_stays(curator: Curator, make: Make, teach: Teach) -> None:
    (id_,) = put(curator, make(score=GOOD, score_parts={"base": odds(GOOD)}))
    teach(6)
    stored = curator.lessons.find(id_)
    shown = curator.lessons.with_score(stored)
    assert stored.score == GOOD
    assert shown.score_parts["your decisions on standing-rule"] < 0
    assert shown.score == pytest.approx(likelihood(sum(shown.score_parts.values())), abs=0.002)
    (seq,) = curator.lessons.order(curator.lessons.waiting())
    assert curator.lessons.heads([seq])[seq].score == shown.score
    before = curator.store.connection.total_changes
    assert statistics.learn(curator) == 0
    assert curator.store.connection.total_changes == before, "what stands as it should is not written again"


def test_undo_a_change_of_mind_and_keeping_bring_it_back(curator: Curator, weak: str, teach: Teach) -> None:
    taught = teach(6)
    assert hidden(curator) == [weak]
    for decision, held in ((curator.decisions.undo, []), (curator.decisions.redo, [weak])):
        decision()
        app.settling.settle(curator, taught)
        assert hidden(curator) == held
    curator.decisions.reopen(taught)
    app.settling.settle(curator, taught)
    assert hidden(curator) == []
    curator.decisions.drop(taught)
    app.settling.settle(curator, taught)
    assert hidden(curator) == [weak]
    teach(12, kept=True)
    assert waiting(curator) == [weak]
    assert curator.lessons.with_score(curator.lessons.find(weak)).score > ABOVE


def test_learning_is_reset_for_one_project_or_all(curator: Curator, opened: Open, make: Make, weak: str, teach: Teach) -> None:
    teach(6)
    assert statistics.reset_learning(curator) > 0
    assert (waiting(curator), hidden(curator)) == ([weak], [])
    app.settling.settle(curator, [weak])
    assert waiting(curator) == [weak]
    everywhere = opened()
    (elsewhere,) = put(curator, make(score_parts=JUDGED, score=ABOVE, project="p3", session="elsewhere"))
    teach(6, project="p3")
    assert elsewhere in hidden(everywhere)
    statistics.reset_learning(everywhere)
    assert hidden(everywhere) == []


def test_what_a_person_touched_and_conflicts_are_never_hidden(curator: Curator, make: Make, teach: Teach) -> None:
    rival = Relation(other="none", relating=Relating.SUPERSEDES)
    edited, snoozed, conflict = put(
        curator,
        make(score_parts=JUDGED, score=ABOVE),
        make(score_parts=JUDGED, score=ABOVE, session="s2"),
        make(score_parts=JUDGED, score=ABOVE, session="s3", rival=rival),
    )
    curator.decisions.edit(edited, headline="Mine")
    curator.decisions.snooze([snoozed], until=1.0)
    teach(8)
    assert hidden(curator) == []
    assert set(waiting(curator)) == {edited, snoozed, conflict}


@pytest.mark.parametrize("decide", ["drop", "snooze", "accept"])
def test_a_decision_that_is_undone_moves_no_card(curator: Curator, make: Make, teach: Teach, decide: str) -> None:
    (weak,) = put(curator, make(score_parts=JUDGED, score=0.2))
    getattr(curator.decisions, decide)([weak])
    curator.decisions.undo()
    assert hidden(curator) == [weak]
    curator.decisions.edit(weak, headline="Mine")
    curator.decisions.drop([weak])
    curator.decisions.undo()
    assert hidden(curator) == [], "the edit is still in force"
    curator.decisions.undo()
    assert hidden(curator) == [weak]
    curator.decisions.redo()
    assert hidden(curator) == []


def test_what_is_held_back_takes_no_place_below_the_cap(curator: Curator, make: Make, teach: Teach) -> None:
    teach(8)
    put(curator, *(make(score_parts=JUDGED, score=ABOVE, session="long") for _ in range(6)))
    others = put(curator, *(make(score=0.75, signal="finding", session="long") for _ in range(5)))
    assert waiting(curator) == others


def test_being_stated_again_with_a_better_score_brings_it_back(curator: Curator, weak: str, teach: Teach) -> None:
    teach(6)
    entry = curator.lessons.find(weak)
    again = curate.see_again(entry, [entry.evidence[0]._replace(session="s9", line=77)], GOOD, 5.0)
    assert again is not None
    curator.store.apply([(Verb.SEE_AGAIN, again)], actor="detector", at=5.0)
    assert waiting(curator) == [weak]


def test_a_fresh_project_learns_from_others_until_it_has_own_decisions(curator: Curator, weak: str, teach: Teach) -> None:
    teach(12, project="p2")
    assert hidden(curator) == [weak]
    teach(30, kept=True)
    assert weak in waiting(curator)


def test_a_card_is_shown_by_its_score_by_who_speaks_and_by_whether_a_model_reads(make: Make) -> None:
    words = Evidence(quote="use pnpm", role=Role.HUMAN, file="a.jsonl", line=1, line_end=1)
    conclusion = words._replace(role=Role.ASSISTANT)
    person = make(score_parts=JUDGED, score=ABOVE, evidence=(words,))
    agent = make(score_parts=JUDGED, score=ABOVE, evidence=(conclusion,), signal="finding")
    person_floor, agent_floor = LIKELY_SCORES[Role.HUMAN], LIKELY_SCORE
    assert (tier(person), tier(agent)) == (Tier.SURE, Tier.LIKELY)
    assert tier(person._replace(score=person_floor - 0.01)) is Tier.REST
    assert tier(agent._replace(score=agent_floor - 0.01)) is Tier.REST
    assert tier(agent._replace(score=agent_floor - 0.01, times_stated=2)) is Tier.LIKELY, "it was stated again"
    command = words._replace(role=Role.TOOL_CALL)
    fixed = make(score_parts=JUDGED, score=0.711, evidence=(command,), signal="failed-then-worked")
    assert tier(fixed) is Tier.SURE, "a fixed command has the same score every time"
    committed = make(score_parts=JUDGED, score=LIKELY_SCORES[Role.FILE], evidence=(words._replace(role=Role.FILE),))
    assert tier(committed) is Tier.LIKELY, "its score was lowered when it was read"
    assert tier(agent._replace(score=0.1, score_parts={})) is Tier.SURE, "no detector gave that score"
    assert tier(agent._replace(score=0.1, state=State.ACTIVE)) is Tier.SURE
    assert tier(person._replace(left_out=True)) is Tier.REST


def test_a_committed_file_moves_the_score_and_the_limit_of_a_persons_words_alike() -> None:
    moved = likelihood(odds(LIKELY_SCORES[Role.HUMAN]) - FILE_ONLY_PENALTY)
    assert LIKELY_SCORES[Role.FILE] == pytest.approx(moved, abs=0.005)


def test_with_a_reader_the_detectors_cards_wait_but_for_the_surest(opened: Open, make: Make, tmp_path: Path) -> None:
    curator = opened(distiller="own")
    curator.project = Project(id="p1", name="app", folder=str(tmp_path))
    quote = Evidence(quote="use pnpm", role=Role.ASSISTANT, file="a.jsonl", line=1, line_end=1)
    person, agent, model = put(
        curator,
        make(score_parts=JUDGED, score=ABOVE, evidence=(quote._replace(role=Role.HUMAN),)),
        make(score_parts=JUDGED, score=GOOD, evidence=(quote,), signal="finding", session="s2"),
        make(score_parts={"a model says that it is useful": 1.7}, score=0.85, signal="read by m", session="s2"),
    )
    assert set(waiting(curator)) == {person, model}
    assert curator.lessons.count_hidden() == 1
    assert set(waiting(curator, rest=True)) == {person, agent, model}


# --- the arithmetic -----------------------------------------------------------------------------------------------------


def dropped(project: str, count: int) -> list[CandidateDecision]:
    return [CandidateDecision(project, "s", 0.6, False)] * count


def kept(project: str, count: int) -> list[CandidateDecision]:
    return [CandidateDecision(project, "s", 0.6, True)] * count


def test_the_more_decisions_the_further_and_other_projects_are_believed_at_first() -> None:
    shifts = [learn_adjustments(dropped("p", n))["p", "s"] for n in (4, 5, 10, 200)]
    assert shifts[0] == 0.0
    assert shifts[1] < 0
    assert shifts == sorted(shifts, reverse=True)
    assert shifts[-1] == -MAX_ADJUSTMENT
    elsewhere = learn_adjustments(dropped("other", 10))
    assert adjustment(elsewhere, "new", "s") == adjustment(elsewhere, "other", "s") < 0
    both = learn_adjustments(dropped("other", 10) + kept("p", 30))
    assert both["p", "s"] > 0 > both["other", "s"]


def test_decisions_that_go_as_the_scores_say_change_nothing() -> None:
    decisions = dropped("p", 40) + kept("p", 60)
    assert learn_adjustments(decisions) == {("p", "s"): 0.0, ("", "s"): 0.0}


DECISIONS = st.lists(
    st.builds(CandidateDecision, st.sampled_from("pq"), st.sampled_from("st"), st.floats(0.0, 1.0), st.booleans()), max_size=60
)


@given(DECISIONS)
def test_adjustments_are_bounded_tenths_and_the_order_of_decisions_does_not_matter(decisions: list[CandidateDecision]) -> None:
    found = learn_adjustments(decisions)
    assert all(-MAX_ADJUSTMENT <= odds <= MAX_ADJUSTMENT and round(odds, 1) == odds for odds in found.values())
    again = learn_adjustments(decisions[::-1])
    assert again.keys() == found.keys()
    assert all(abs(odds - found[key]) < 0.11 for key, odds in again.items())


def test_only_open_entries_are_weighed_anew(make: Make) -> None:
    assert reweigh(make(score=0.3, state=State.ACTIVE), -0.5).score == 0.3
