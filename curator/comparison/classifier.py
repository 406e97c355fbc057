"""Relate two statements: exact evidence first, then the trained classifier, then, without it, the rules.

Its weights are data (``classifier.json``), made by ``tests/benchmarks/train_relations.py``, which says from what. Without
that file the rules of ``baseline`` judge.

What two statements are to each other: exact evidence first, then the trained model, then, without it, the rules.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from curator.comparison.baseline import compared, exact, likeness
from curator.comparison.conflict_words import Clash, as_written, clashing, denied
from curator.comparison.demands import opposed, overturned
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
        data = json.loads(text)
        if data["version"] != VERSION or tuple(data["labels"]) != LABELS:
            raise ValueError(f"version {data['version']}, labels {data['labels']}")
        return Model({kind: data[kind] for kind in KINDS}, data["roots"], {kind: data["lean"][kind] for kind in KINDS})
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


BARS = {
    "edited": {"duplicate": 0.5, "refines": 0.5, "conflict": 0.6},
    "freely": {"duplicate": 0.65, "refines": 0.65, "conflict": 0.5},
}
"""How certain it must be that a pair is this before a person is asked, by whether a rule was edited or both are in free words.
On repositories that the model had not seen 88 of 100 such conflicts of edited rules were right; see docs/relations.md."""

TURNED_DOWN = frozenset(f"{side} turns down>0.65" for side in "ab")
"""Features of a pair of which one turns down what the other asks for. That it says the same, or adds something, is wrong
there in four of ten cases however certain it seems, so nobody is asked."""

BRIEF = 6
"""Words of a demand that are shown whole where it clashes with another."""

LONG = 1200
"""Characters of a text that are compared: what is longer is no lesson, and edits of it would take seconds to find."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the newer statement relates to the older one; ``None`` stands for unrelated."""

    relating: Relating | None
    clash: Clash = ()
    likeness: float = 0.0
    """How much the two have in common, 0 to 1; 1 for the same words."""
    sure: bool = False
    """Whether it is certain enough to ask a person."""
    exact: bool = False
    """Whether it is no guess: the same words, two values for one declared key, the same words denied or turned round, or
    what one forbids and the other asks for."""
    partial: bool = False
    """Whether the newer goes against a part of the older only, as a special case does: it can't take its place."""


NOTHING = Verdict(None)


def between(older: str, newer: str) -> Verdict:
    """The best guess for two texts.

    >>> between("Use npm, not pnpm", "Use pnpm, not npm").relating
    <Relating.SUPERSEDES: 'supersedes'>
    """
    older, newer = older[:LONG], newer[:LONG]
    model = shipped()
    if found := exact(older, newer):
        relating, clash = found
        if model and relating is Relating.CONTRADICTS and not clash:
            clash = _demanded(older, newer, model)
        same = relating is Relating.DUPLICATE
        return Verdict(relating, clash, 1.0 if same else likeness(older, newer), sure=True, exact=True)
    if model and (clash := _demanded(older, newer, model)):
        whole = overturned(older, newer, model.weight)
        return Verdict(Relating.CONTRADICTS, clash, likeness(older, newer), sure=True, exact=whole, partial=not whole)
    return _guessed(model, older, newer) if model else _ruled(older, newer)


def _demanded(older: str, newer: str, model: Model) -> Clash:
    """What one of the two forbids and the other asks for, whatever else they say; nothing where they do not."""
    if not (words := opposed(older, newer, model.weight)):
        return ()
    brief = denied(older, newer) if max(map(len, words)) > BRIEF else ()
    return brief or ((as_written(words[0], older), as_written(words[1], newer)),)


def _guessed(model: Model, older: str, newer: str) -> Verdict:
    found = features(older, newer, model.weight)
    odds = model.judged(found)
    if odds.label == UNRELATED:
        return NOTHING
    relating = Relating(odds.label)
    conflict = relating in CONFLICTS
    bar = BARS[kind_of(found)]["conflict" if conflict else relating]
    sure = (odds.conflict if conflict else odds.of[relating]) >= bar and (conflict or not TURNED_DOWN & found.keys())
    return Verdict(relating, clashing(older, newer) if conflict else (), likeness(older, newer), sure)


def _ruled(older: str, newer: str) -> Verdict:
    found = compared(older, newer)
    return Verdict(*found, sure=True) if found else NOTHING
