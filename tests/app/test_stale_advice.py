"""A model says of stale lessons whether they hold; a person takes that or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator.app import Curator, stale_advice
from curator.curate import with_notice
from curator.model import Anchor, Change, Drift, Entry, Finding, Holding, State, Verb
from curator.settings import Settings
from tests.app.test_distill import Model, model
from tests.distill.test_stale import DIFF, HOLDS, REWORD

__all__ = ["model"]
FINDING = Finding(path="src/pay.py", symbol="round_total", drift=Drift.SIGNATURE, severity=0.9, diff=DIFF)


@pytest.fixture
def curator(tmp_path: Path, make: Callable[..., Entry]) -> Iterator[Curator]:
    """A database with a stale lesson and one that is not."""
    one = Curator(Settings(home=tmp_path / "home", distiller="test", export=False))
    stale = make(
        id="BBBB-0001",
        state=State.ACTIVE,
        headline="Round with `round_total`",
        insight="Always round with `round_total` in src/pay.py.",
        anchors=(Anchor(path="src/pay.py", symbol="round_total"),),
        findings=(FINDING,),
    )
    entries = [stale, make(state=State.ACTIVE)]
    one.store.apply([(Verb.ADD, Change(before=None, after=entry)) for entry in entries], actor="person", at=1.0)
    yield one
    one.close()


def advised(curator: Curator, model: Model, reply: object) -> stale_advice.AdviceReport:
    model.replies = [reply]
    return stale_advice.run(curator, stale_advice.plan(curator))


def test_only_stale_lessons_are_asked_about_and_nothing_is_decided(curator: Curator, model: Model) -> None:
    done = advised(curator, model, HOLDS)
    assert [*done.advice] == ["BBBB-0001"]
    entry = curator.lessons.find("BBBB-0001")
    assert entry.advice
    assert (entry.advice.holding, entry.state, entry.findings) == (Holding.HOLDS, State.ACTIVE, (FINDING,))
    assert stale_advice.plan(curator).questions == ()
    curator.verdicts.undo()
    assert curator.lessons.find("BBBB-0001").advice is None


def test_a_person_takes_other_words_only_where_they_were_on_the_card(curator: Curator, model: Model) -> None:
    advised(curator, model, REWORD)
    before = curator.lessons.find("BBBB-0001")
    curator.verdicts.accept(["BBBB-0001"])
    after = curator.lessons.find("BBBB-0001")
    assert (after.headline, after.findings, after.advice) == (before.headline, (), None)
    curator.verdicts.undo()
    curator.verdicts.accept(["BBBB-0001"], advised=True)
    assert curator.lessons.find("BBBB-0001").headline == REWORD["headline"]


def test_advice_goes_with_the_findings_that_it_speaks_of(curator: Curator, model: Model) -> None:
    advised(curator, model, HOLDS)
    entry = curator.lessons.find("BBBB-0001")
    assert with_notice(entry, findings=entry.findings).advice
    assert with_notice(entry, findings=(FINDING._replace(drift=Drift.DELETED),)).advice is None


def test_an_answer_that_is_not_believed_leaves_the_card_as_it_was(curator: Curator, model: Model) -> None:
    done = advised(curator, model, json.dumps(HOLDS | {"quote": "nobody wrote this"}))
    assert "no line of what changed" in done.refusals["BBBB-0001"]
    assert curator.lessons.find("BBBB-0001").advice is None
