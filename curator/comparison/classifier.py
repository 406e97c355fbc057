"""The shipped classifier of pairs: linear over ``features``, evaluated in plain Python.

Its weights are data (``classifier.json``), made by ``tests/benchmarks/train_relations.py``, which says from what. Without
that file the rules of ``compare`` judge.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from curator.comparison.features import FREELY, features
from curator.model import Relating

log = logging.getLogger(__name__)

DATA = "classifier.json"
VERSION = 2
UNRELATED = "unrelated"
LABELS: tuple[str, ...] = (*Relating, UNRELATED)
"""What a pair can be, in the order of the numbers in the file."""
CONFLICTS = frozenset((Relating.SUPERSEDES, Relating.CONTRADICTS))
KINDS = ("edited", "freely")
"""A pair of lines of which one may be an edit of the other, and a pair in free words; everything weighs otherwise in these."""
DIGITS = 9
"""Decimals that count of a sum of weights: the order of adding up must not decide."""


@dataclass(frozen=True, slots=True)
class Odds:
    """How likely each label is for a pair, adding up to 1, and the label that it gets."""

    of: Mapping[str, float]
    label: str

    @property
    def conflict(self) -> float:
        """How likely the two can't both be followed."""
        return sum(self.of[label] for label in CONFLICTS)


@dataclass(frozen=True, slots=True)
class Model:
    """By kind of pair for each feature a weight a label, and what is added before one is chosen; how much a root tells."""

    weights: Mapping[str, Mapping[str, Sequence[float]]]
    roots: Mapping[str, float]
    """How much a root tells, 0 to 1, for those that many repositories use; any other tells 1."""
    lean: Mapping[str, Sequence[float]]
    """What is added to the log-odds of each label, since the labels are not equally dear."""

    def weight(self, root: str) -> float:
        """How much a shared root tells."""
        return self.roots.get(root, 1.0)

    def judge(self, older: str, newer: str) -> Odds:
        """How two statements relate."""
        return self.judged(features(older, newer, self.weight))

    def judged(self, found: Mapping[str, float]) -> Odds:
        """The same from the features."""
        kind = kind_of(found)
        known = self.weights[kind]
        rows: list[Sequence[float]] = [[0.0] * len(LABELS)]
        for name, value in found.items():
            if weights := known.get(name):
                rows.append(weights if value == 1.0 else [value * weight for weight in weights])
        sums = [sum(column) for column in zip(*rows, strict=True)]
        highest = max(sums)
        shares = [math.exp(each - highest) for each in sums]
        leaned = [round(each + added, DIGITS) for each, added in zip(sums, self.lean[kind], strict=True)]
        return Odds(
            {label: share / sum(shares) for label, share in zip(LABELS, shares, strict=True)},
            LABELS[leaned.index(max(leaned))],
        )


def kind_of(found: Mapping[str, float]) -> str:
    """Of which kind a pair with these features is."""
    return "freely" if FREELY in found else "edited"


def parse(text: str) -> Model:
    """A model from its JSON text. Raises ``ValueError`` for anything that is none of this version."""
    try:
        given = json.loads(text)
        if given["version"] != VERSION or tuple(given["labels"]) != LABELS:
            raise ValueError(f"version {given['version']}, labels {given['labels']}")
        return Model({kind: given[kind] for kind in KINDS}, given["roots"], {kind: given["lean"][kind] for kind in KINDS})
    except (KeyError, TypeError) as error:
        raise ValueError(f"no classifier: {error!r}") from error


@cache
def shipped() -> Model | None:
    """The model that comes with curator; ``None``, and a line in the log, when its file is absent or damaged."""
    try:
        return parse(Path(__file__).with_name(DATA).read_text("utf-8"))
    except (OSError, ValueError) as error:
        log.warning("the classifier of relations can't be used, rules judge instead: %s", error)
        return None
