"""Why a card is where it is, in words for people."""

from __future__ import annotations

import json
from importlib import resources

from curator.app.presentation import MAX_SHOWN_PARTS, NAMES, SIGNALS, reasons
from curator.detection.actions import REDISCOVERY
from curator.detection.classifier import NO_NEIGHBOR
from curator.detection.cues import AGENTS, PEOPLE, PHRASES


def parts() -> set[str]:
    """The names of all parts that the shipped classifier and the cues know."""
    model = json.loads(resources.files("curator.detection").joinpath("classifier.json").read_text("utf-8"))
    marked = {name[1:] for who in ("people", "agents") for name in model[who]["own"] if name[0] in "#@" and len(name) > 2}
    return (marked | set(PHRASES)) - {name[1:] for name in NO_NEIGHBOR}


def test_every_part_of_a_score_has_a_name_of_its_own() -> None:
    assert parts() - set(NAMES) == set()
    assert len(set(NAMES.values())) == len(NAMES)


def test_the_strongest_are_shown_and_the_others_counted() -> None:
    why = {name: worth / 10 for worth, name in enumerate(sorted(NAMES)[:12], 1)} | {"words": -9.0}
    shown, smaller = reasons(why)
    assert len(shown) == MAX_SHOWN_PARTS
    assert len(shown) + smaller == len(why)
    assert shown[0] == (-9.0, NAMES["words"])
    assert [abs(worth) for worth, _ in shown] == sorted((abs(worth) for worth, _ in shown), reverse=True)
    assert reasons({}) == ([], 0)


def test_what_own_decisions_did_is_never_left_out() -> None:
    why = dict.fromkeys(sorted(NAMES)[:12], 2.0) | {"your decisions on remark": -0.1}
    assert (-0.1, "your decisions on remark") in reasons(why)[0]


def test_every_signal_is_told_in_words() -> None:
    signals = {name for name, _ in (*PEOPLE, *AGENTS)} | {"remark", "finding", "choice", "failed-then-worked", REDISCOVERY}
    assert signals | {"", "by-hand", "file", "memory", "rules-file"} == set(SIGNALS)
