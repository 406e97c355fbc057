"""What verdicts teach: how much likelier a person keeps what a signal proposes.

A score is a likelihood, so verdicts can be held against it: where 10 cards of .5 were shown, 5 should have been kept. What was
kept is smoothed by ``PRIOR`` cards that go as the score said, first over the other projects, then, with that as what is to be
expected, over this one (a beta prior each). The difference in log-odds is the adjustment.

Verdicts in other projects move scores, and so the order, but keep nothing out of the inbox: see ``Adjustment``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from curator.model import Entry, State

PRIOR = 12.0
"""How many verdicts it takes until they count as much as the score itself."""
LEAST = 5
"""Verdicts on a signal before anything is learned of it: in all projects for scores, in one before that holds a card back."""
MOST = 1.0
"""Log-odds that verdicts may add or take away."""
SPARED = 0.5
"""Log-odds that verdicts may take from what scored below the floor from the beginning: no judge gave that score."""

EVERYWHERE = ""
"""Stands for a project of which nothing is known yet."""


class Lesson(NamedTuple):
    """One verdict on a candidate: where, what proposed it with which score, whether it was kept."""

    project: str
    signal: str
    score: float
    kept: bool


class Adjustment(NamedTuple):
    """What verdicts add to the score of what a signal proposes in a project, in log-odds."""

    odds: float = 0.0
    """By the verdicts of every project."""
    hiding_odds: float = 0.0
    """What of it may keep a card out of the inbox: no more than the project's own verdicts come to; 0 if they are few."""


@dataclass(frozen=True, slots=True)
class _Tally:
    """Verdicts: how many, how many of them kept, and how many were to be expected by their scores."""

    count: int = 0
    keeps: float = 0.0
    expected: float = 0.0

    def __add__(self, other: _Tally) -> _Tally:
        return _Tally(self.count + other.count, self.keeps + other.keeps, self.expected + other.expected)

    def __sub__(self, other: _Tally) -> _Tally:
        return _Tally(self.count - other.count, self.keeps - other.keeps, self.expected - other.expected)

    def shift(self, prior: float = 0.0) -> float:
        """By how many log-odds more was kept than expected, where ``prior`` is believed beforehand."""
        if not self.count:
            return prior
        expected = odds(self.expected / self.count)
        smoothed = (self.keeps + PRIOR * likelihood(expected + prior)) / (self.count + PRIOR)
        return odds(smoothed) - expected


def learn_adjustments(verdicts: Iterable[Lesson]) -> dict[tuple[str, str], Adjustment]:
    """What was taught by (project, signal), in tenths; under ``EVERYWHERE`` that of projects without verdicts.

    Tenths, since each change moves every open card of the signal.
    """
    tallies: dict[tuple[str, str], _Tally] = {}
    for one in verdicts:
        if one.signal:
            for key in ((one.project, one.signal), (EVERYWHERE, one.signal)):
                tallies[key] = tallies.get(key, _Tally()) + _Tally(1, float(one.kept), one.score)
    found = {}
    for (project, signal), tally in tallies.items():
        every = tallies[EVERYWHERE, signal]
        odds = _tenths(tally.shift((every - tally).shift() if project else 0.0)) if every.count >= LEAST else 0.0
        own = _tenths(tally.shift()) if project and tally.count >= LEAST else 0.0
        found[project, signal] = Adjustment(odds, min(0.0, max(own, odds)))
    return found


def _tenths(shift: float) -> float:
    return round(max(-MOST, min(MOST, shift)), 1) + 0.0


def adjustment(found: Mapping[tuple[str, str], float], project: str, signal: str) -> float:
    """The adjustment that holds for a signal in a project."""
    return found.get((project, signal), found.get((EVERYWHERE, signal), 0.0))


def tolerance(confirmations: int, actions: int) -> float:
    """By what the severity of a change is multiplied, 0.5 to 1, where a person found that so many stale lessons still hold
    (``confirmations``) and acted on so many (``actions``): an alarm that is mostly answered by "still true" was one too many.

    >>> tolerance(0, 0), tolerance(12, 0), tolerance(6, 6)
    (1.0, 0.5, 1.0)
    """
    count = confirmations + actions
    if count < LEAST:
        return 1.0
    rate = (actions + PRIOR / 2) / (count + PRIOR)
    return round(min(1.0, max(0.5, 2 * rate)), 2)


def reweigh(entry: Entry, shift: float) -> Entry:
    """An open entry as it counts once verdicts are heard: its score, and what they did as a part of the reason."""
    if not shift or entry.state is not State.OPEN:
        return entry
    why = {**entry.why, f"your verdicts on {entry.signal}": shift}
    return entry._replace(score=likelihood(odds(entry.score) + shift), why=why)


def is_hidden(entry: Entry, shift: float, floor: float) -> bool:
    """Whether verdicts on its like in its project keep a candidate out of the inbox: with them it would not have been proposed.

    ``shift`` is what these verdicts may hold back by: ``Taught.holds``.
    """
    if shift >= 0 or entry.state is not State.OPEN or entry.rival is not None:
        return False
    return likelihood(odds(entry.score) + shift) < floor and (entry.score >= floor or shift <= -SPARED)


def odds(likely: float) -> float:
    """A likelihood as log-odds.

    >>> odds(0.5)
    0.0
    """
    likely = min(0.999, max(0.001, likely))
    return math.log(likely / (1 - likely))


def likelihood(log_odds: float) -> float:
    """Log-odds as a likelihood, three digits."""
    return round(1 / (1 + math.exp(-log_odds)), 3)
