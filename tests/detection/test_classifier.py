"""The shipped classifier: what it is made of, that its reasons add up, and what it says when its file is damaged."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import resources
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.detection import classifier, detect, sentences
from curator.detection.context import speaking_turns
from curator.detection.sentences import prose
from curator.errors import CuratorError
from curator.model import Category
from tests.detection.test_detect import CAUSE, RULE, agent, human, session

shipped = classifier.load_model


def test_it_ships_with_its_provenance_and_figures() -> None:
    given_ = json.loads(resources.files("curator.detection").joinpath(classifier.DATA).read_text("utf-8"))
    told = given_["provenance"]
    assert "scikit-learn" in told["made by"]
    assert "repositories" in told["from"]
    assert 0 < told["cross-validated by repository"]["precision"] < 1


def test_a_rule_and_a_cause_are_proposed_and_talk_of_progress_is_not() -> None:
    assert [one.category for one in detect(session(human("Go on"), agent(CAUSE)), judge=shipped())]
    rule = detect(session(human("Go on"), human(RULE)), judge=shipped())[0]
    assert rule.headline.startswith("We should always use table-driven")
    assert detect(session(human("Go on"), agent("Done. I've updated the three tests and they pass now."))) == []


SAID = [CAUSE, RULE, "never use npm here", "Let me look.", "ok", "It fails — `a.py` can't be read!", "根本原因是缓存", "(no)"]


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=8), st.booleans())
def test_the_worth_is_the_sum_of_the_reasons(said: list[str], person: bool) -> None:
    turns = session(human("Go"), (human if person else agent)("\n\n".join(said)))
    model = shipped()
    for scene in speaking_turns(turns):
        sentences = list(prose(scene.turn.text))
        for place, judged in enumerate(model.judge(scene, sentences)):
            if judged is not None:
                assert math.isclose(judged.worth, sum(model.why(scene, sentences, place).values()), abs_tol=1e-9)


def test_what_stands_beside_a_sentence_counts() -> None:
    model = replace(shipped(), agents=classifier.Speaker(-1.0, {}, {"broke": 2.0}, {"fixed": 4.0}))
    (scene,) = (one for one in speaking_turns(session(human("Go"), agent("x"))) if not one.human)
    text = "It broke `one` thing and then another. The cache must be cleared after `make`. I fixed that in `b.py` at once."
    worths = [one.worth if one else None for one in model.judge(scene, list(prose(text)))]
    assert worths == pytest.approx([-1.0, 5.0, -1.0])


def test_the_order_in_which_weights_are_added_up_tells_nothing() -> None:
    (scene,) = speaking_turns(session(human("one two three four")))
    worths = set()
    for weights in permutations((0.1, 0.2, 0.3, -0.6)):
        own = dict(zip(("one", "two", "three", "four"), weights, strict=True))
        model = replace(shipped(), people=classifier.Speaker(0.0, own, {}, {}))
        worths |= {one.worth for one in model.judge(scene, list(prose(scene.turn.text))) if one}
    assert worths == {0.0}


def test_names_of_things_are_features_only_by_their_kind() -> None:
    text = "In src/app/api.py `SecretThing` calls getUserToken with --force 3 times, see https://example.org/x"
    said = sentences.tokens(text)
    assert {"<path>", "<code>", "<name>", "<flag>", "<num>", "<url>"} <= set(said)
    assert not {"secretthing", "getusertoken", "example", "api"} & set(said)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 99}', '{"version": 1, "people": 3}'])
def test_a_damaged_file_is_no_model(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        classifier.parse(text)


def test_without_the_file_an_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "DATA", "absent.json")
    classifier.load_model.cache_clear()
    try:
        with pytest.raises(CuratorError, match=r"absent\.json can't be read"):
            detect(session(human("Go"), agent(CAUSE)))
    finally:
        classifier.load_model.cache_clear()


def test_every_kind_can_be_told() -> None:
    assert {kind for votes in shipped().kinds.values() for kind in votes} == set(Category)
