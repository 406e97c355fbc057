"""Why a card is where it is, in words for people."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path

from curator.app.reasons import NAMES, RULES, SHOWN, reasons
from curator.detection.classifier import AGENTS, PEOPLE
from curator.detection.cues import PHRASES
from curator.detection.features import NOTHING


def parts() -> set[str]:
    """The names of all parts that the shipped classifier and the table of rules know."""
    model = json.loads(resources.files("curator.detection").joinpath("classifier.json").read_text("utf-8"))
    marked = {name[1:] for who in ("people", "agents") for name in model[who]["own"] if name[0] in "#@" and len(name) > 2}
    return (marked | set(PHRASES) | set(PEOPLE) | set(AGENTS)) - {name[1:] for name in NOTHING}


def test_every_part_of_a_score_has_a_name_of_its_own() -> None:
    assert parts() - set(NAMES) == set()
    assert len(set(NAMES.values())) == len(NAMES)


def test_the_strongest_are_shown_and_the_others_counted() -> None:
    why = {name: worth / 10 for worth, name in enumerate(sorted(NAMES)[:12], 1)} | {"words": -9.0}
    shown, smaller = reasons(why)
    assert len(shown) == SHOWN
    assert len(shown) + smaller == len(why)
    assert shown[0] == (-9.0, NAMES["words"])
    assert [abs(worth) for worth, _ in shown] == sorted((abs(worth) for worth, _ in shown), reverse=True)
    assert reasons({}) == ([], 0)


def test_what_own_verdicts_did_is_never_left_out() -> None:
    why = dict.fromkeys(sorted(NAMES)[:12], 2.0) | {"your verdicts on remark": -0.1}
    assert (-0.1, "your verdicts on remark") in reasons(why)[0]


def test_every_rule_that_the_page_on_detection_names_is_told_in_words() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "detection.md").read_text(encoding="utf-8")
    told = page.split("## Signals")[1].split("\n## ")[0]
    assert {"rediscovery", *re.findall(r"^- `([a-z-]+)`:", told, flags=re.MULTILINE)} == set(RULES)
