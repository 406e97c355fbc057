"""The gate on real candidates: what is wrong on purpose rarely comes through, the offline words nearly always do."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from curator import app
from curator.app.distill import brief
from curator.app.ingest import proposed
from curator.distill import gate
from curator.hookspecs import Brief
from curator.model import Wording

SHARED = Path(__file__).resolve().parents[3] / "shared"
NOT = re.compile(r"(?i)\b(?:never|not|no|cannot|do not|\w+n't) ")
pytestmark = pytest.mark.skipif(
    not (SHARED / "transcripts").is_dir(), reason="the shared transcripts and labels are not beside this checkout"
)


@cache
def labels() -> dict[str, list[Wording]]:
    """What a careful reader found in each transcript, in the reader's words."""
    found: dict[str, list[Wording]] = defaultdict(list)
    for path in sorted((SHARED / "eval" / "detection").glob("gold*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            label = json.loads(line)
            found[label["file"]].append(Wording(label["headline"], label["insight"], label["quote"]))
    return found


@cache
def candidates() -> list[tuple[str, Brief]]:
    """The best candidates of some labelled transcripts of middling size."""
    files = [file for file in sorted(labels()) if 20_000 < (SHARED / "transcripts" / file).stat().st_size < 400_000]
    previews = [(file, app.preview(SHARED / "transcripts" / file, 5)) for file in files[::3]]
    return [(file, brief(proposed(one, "p", 0.0))) for file, found in previews if found for one in found.candidates]


def share(trials: list[tuple[Wording, Brief]]) -> float:
    """How many of the wordings come through."""
    assert len(trials) > 20, "too few candidates: detection or a reader is broken"
    return sum(not gate.fault(wording, told) for wording, told in trials) / len(trials)


def test_the_words_that_stand_come_through() -> None:
    assert share([(Wording(told.headline, told.insight, ""), told) for _, told in candidates()]) > 0.9


def test_what_was_said_of_something_else_in_the_same_session_does_not() -> None:
    trials = [(label, told) for file, told in candidates() for label in labels()[file] if unlike(label, told)]
    assert share(trials) < 0.04


def unlike(label: Wording, told: Brief) -> bool:
    """Whether a reader's lesson rests on other words than a candidate."""
    return not any(label.label[:40] in quote or quote[:40] in label.label for quote in told.quotes)


def test_a_lost_not_does_not() -> None:
    bare = [
        (NOT.sub("", told.headline), NOT.sub("", told.insight), told) for _, told in candidates() if NOT.search(told.insight)
    ]
    assert share([(Wording(headline, insight, ""), told) for headline, insight, told in bare]) < 0.08


def test_a_not_that_nobody_said_does_not() -> None:
    plain = [told for _, told in candidates() if not NOT.search(f"{told.headline} {told.insight}")]
    assert share([(Wording(f"Never {told.headline}", f"Never {told.insight}", ""), told) for told in plain]) < 0.15
