"""A model proposes rules for groups of lessons; a person takes them or not."""

from __future__ import annotations

import pytest

from curator.app import Curator, advice
from curator.app.decisions import tidy
from curator.distill import questions
from curator.errors import CuratorError
from curator.model import Entry, Kind, State
from tests.app.conftest import Make, Open, put
from tests.app.test_distill import Model, model

__all__ = ["model"]
TEXTS = (
    "Start Redis with make redis before the ledger tests run",
    "The ledger tests hang without Redis",
    "Ledger tests of a branch need Redis from make redis",
)
RULE = {
    "rule": "Ledger tests need Redis",
    "insight": "Run make redis before the ledger tests, else they hang.",
    "of": [1, 2],
    "quotes": ["before the ledger tests run", "hang without Redis"],
}
APART = {"rule": "", "of": [3]}


@pytest.fixture
def curator(opened: Open) -> Curator:
    return opened(distiller="test", export=False)


@pytest.fixture(autouse=True)
def lessons(curator: Curator, make: Make) -> list[str]:
    made = (make(state=State.ACTIVE, headline=text, insight=text, created=float(at)) for at, text in enumerate(TEXTS))
    return put(curator, *made, make(state=State.ACTIVE, headline="Amounts are in cents", insight="Amounts are in cents"))


def asked(curator: Curator, model: Model, *reply: object) -> advice.Report[questions.Rule]:
    model.replies = [list(reply)]
    return advice.propose_rules(curator, advice.plan_rules(curator))


def test_an_estimate_needs_no_reader_and_names_only_lessons_that_may_be_about_one_thing(curator: Curator) -> None:
    curator.settings = curator.settings._replace(distiller="")
    with pytest.raises(CuratorError, match="No model is set up"):
        advice.plan_rules(curator)
    plan = advice.plan_rules(curator, estimate=True)
    ((group, text),) = plan.questions
    assert ([one.headline for one in group], plan.tokens > 0) == ([*TEXTS], True)
    assert "cents" not in text


def test_a_rule_becomes_a_card_that_stays_and_is_asked_for_once(curator: Curator, model: Model, lessons: list[str]) -> None:
    assert asked(curator, model, RULE, APART).results.keys() == {lessons[0]}
    for _ in range(2):
        (card,) = tidy.propose(curator)
        assert card.proposal
        assert (card.kind, card.state, card.headline) == (Kind.CONSOLIDATE, State.ACTIVE, TEXTS[0]), "nothing is decided"
        assert (card.proposal.headline, card.proposal.members) == (RULE["rule"], (lessons[1],))
        assert dict(card.proposal.quotes)[lessons[1]] == "hang without Redis"
    assert all(card.id not in [one.id for one in group] for group, _ in advice.plan_rules(curator).questions)
    curator.decisions.accept([card.id])
    rule = curator.lessons.find(card.id)
    assert (rule.headline, rule.insight) == (RULE["rule"], RULE["insight"])
    assert curator.lessons.find(lessons[1]).merged_into == card.id


def test_an_answer_that_the_gate_refuses_makes_no_card(curator: Curator, model: Model) -> None:
    report = asked(curator, model, RULE)
    assert ([*report.results], list(report.refusals.values())) == ([], ["the answer does not account for each lesson once"])
    assert tidy.propose(curator) == []


def test_a_lesson_that_changed_meanwhile_gets_no_rule(curator: Curator, model: Model, lessons: list[str]) -> None:
    plan = advice.plan_rules(curator)
    curator.decisions.edit(lessons[1], headline="Ledger tests are slow", insight="")
    model.replies = [[RULE, APART]]
    assert advice.propose_rules(curator, plan).results == {}
    entry: Entry = curator.lessons.find(lessons[0])
    assert entry.proposal is None
