"""A model says of stale lessons whether they hold; a person takes that or not."""

from __future__ import annotations

import json

import pytest

from curator.app import Curator, advice
from curator.curate import with_notice
from curator.errors import CuratorError
from curator.model import Advice, Anchor, Applicability, Drift, Finding, State
from tests.app.conftest import Make, Open, put
from tests.app.test_distill import Model, model
from tests.distill.test_stale import DIFF, HOLDS, REWORD

__all__ = ["model"]
FINDING = Finding(path="src/pay.py", symbol="round_total", drift=Drift.SIGNATURE, severity=0.9, diff=DIFF)
STALE = "BBBB-0001"


@pytest.fixture
def curator(opened: Open) -> Curator:
    return opened(distiller="test", export=False)


@pytest.fixture(autouse=True)
def lessons(curator: Curator, make: Make) -> None:
    """A stale lesson and one that is not."""
    stale = make(
        id=STALE,
        state=State.ACTIVE,
        headline="Round with `round_total`",
        insight="Always round with `round_total` in src/pay.py.",
        anchors=(Anchor(path="src/pay.py", symbol="round_total"),),
        findings=(FINDING,),
    )
    put(curator, stale, make(state=State.ACTIVE))


def advised(curator: Curator, model: Model, reply: object) -> advice.Report[Advice]:
    model.replies = [reply]
    return advice.advise(curator, advice.plan_stale(curator))


def test_an_estimate_needs_no_reader(curator: Curator) -> None:
    curator.settings = curator.settings._replace(distiller="")
    with pytest.raises(CuratorError, match="No model is set up"):
        advice.plan_stale(curator)
    plan = advice.plan_stale(curator, estimate=True)
    assert (plan.reader, len(plan.questions), plan.tokens > 0) == (None, 1, True)


def test_only_stale_lessons_are_asked_about_and_nothing_is_decided(curator: Curator, model: Model) -> None:
    done = advised(curator, model, HOLDS)
    assert [*done.results] == [STALE]
    entry = curator.lessons.find(STALE)
    assert entry.advice
    assert (entry.advice.holding, entry.state, entry.findings) == (Applicability.HOLDS, State.ACTIVE, (FINDING,))
    assert advice.plan_stale(curator).questions == ()
    assert with_notice(entry, findings=entry.findings).advice
    other = (FINDING._replace(drift=Drift.DELETED),)
    assert with_notice(entry, findings=other).advice is None, "it goes with the findings that it speaks of"
    curator.decisions.undo()
    assert curator.lessons.find(STALE).advice is None


def test_a_person_takes_other_words_only_where_they_were_on_the_card(curator: Curator, model: Model) -> None:
    advised(curator, model, REWORD)
    before = curator.lessons.find(STALE)
    curator.decisions.accept([STALE])
    after = curator.lessons.find(STALE)
    assert (after.headline, after.findings, after.advice) == (before.headline, (), None)
    curator.decisions.undo()
    curator.decisions.accept([STALE], advised=True)
    assert curator.lessons.find(STALE).headline == REWORD["headline"]


def test_an_answer_that_is_not_believed_leaves_the_card_as_it_was(curator: Curator, model: Model) -> None:
    done = advised(curator, model, json.dumps(HOLDS | {"quote": "nobody wrote this"}))
    assert "no line of what changed" in done.refusals[STALE]
    assert curator.lessons.find(STALE).advice is None
