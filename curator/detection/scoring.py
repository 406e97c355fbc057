"""What judges sentences: the shipped classifier, or the table of rules where there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from curator.detection.context import Scene
from curator.detection.features import Statement
from curator.detection.sentences import Sentence
from curator.model import Category


class Judged(NamedTuple):
    """A statement and its worth: the log-odds that a person keeps a card made of it."""

    statement: Statement
    worth: float


class Judge(Protocol):
    """Tells how likely a sentence states a lesson, and which kind."""

    @property
    def floor(self) -> float:
        """The likelihood below which nothing is proposed."""

    def judge(self, scene: Scene, sentences: Sequence[Sentence]) -> Sequence[Judged | None]:
        """Every sentence of a turn in order; ``None`` for one that is no lesson whatever stands beside it."""

    def why(self, scene: Scene, sentences: Sequence[Sentence], place: int) -> Mapping[str, float]:
        """The named parts that the worth of a judged sentence of a turn is the sum of."""

    def category(self, scene: Scene, sentences: Sequence[Sentence], place: int, quoted: range) -> Category:
        """The kind of lesson that a sentence states, with the sentences that are quoted with it."""


def logistic(odds: float) -> float:
    """Log-odds as a likelihood, three digits."""
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))), 3)
