"""Numbers about decisions: how fast, how precise each signal, how many wait."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from curator.model import DISTILLED, JSON, Verb

KEPT = frozenset({Verb.KEEP, Verb.CONFIRM, Verb.EDIT, Verb.SUPERSEDE, Verb.COEXIST})
DROPPED = frozenset({Verb.DISMISS, Verb.RETIRE})
UNDECIDED = frozenset({Verb.SNOOZE, Verb.REOPEN})
"""A card with such a last word still waits."""
PAIRED: Mapping[Verb, int] = MappingProxyType({Verb.MERGE: 0, Verb.SUPERSEDE: 1})
"""Verbs that write two events a card, and which of the two is the card's: what leaves comes before what takes its place."""
_NAMES = dict.fromkeys(KEPT, "kept") | dict.fromkeys(DROPPED, "dropped") | {Verb.MERGE: "merged"}
SLOW = 5.0
"""Seconds that a decision may take: the promise that is measured."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One verdict by a person that stands; ``seconds`` from the card's first paint, where a card was looked at."""

    batch: str
    verb: Verb
    signal: str
    seconds: float | None
    id: str = ""
    project: str = ""
    score: float = 0.0
    """What the detector gave the entry."""
    at: float = 0.0


def percentile(values: Iterable[float], share: float) -> float:
    """The value below which this share lies (nearest rank); 0 for none.

    >>> percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)
    9
    """
    ordered = sorted(values)
    return ordered[max(0, -(-int(len(ordered) * share * 1000) // 1000) - 1)] if ordered else 0


def midnight(now: float) -> float:
    """When today began, by the wall clock here."""
    return datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def cards(decisions: Iterable[Decision]) -> list[Decision]:
    """The last word on each card, oldest first, of verdicts in their order.

    What a card was merged into and what it replaced are no cards: nobody was asked about them.
    """
    last: dict[str, Decision] = {}
    places: Counter[tuple[str, Verb]] = Counter()
    for decision in decisions:
        place = places[decision.batch, decision.verb] % 2
        places[decision.batch, decision.verb] += 1
        if PAIRED.get(decision.verb, place) == place:
            card = decision.id or decision.batch
            if decision.verb is Verb.SNOOZE and card in last:
                continue  # a lesson that is put away from the cleanup was kept all the same
            last.pop(card, None)
            last[card] = decision
    return list(last.values())


def tally(decisions: Iterable[Decision]) -> Counter[str]:
    """Cards counted as kept, dropped, merged and others by the verb of the last word on them."""
    return Counter(_NAMES.get(decision.verb, decision.verb.value) for decision in cards(decisions))


def precision(decisions: Iterable[Decision]) -> dict[str, JSON]:
    """For each signal how many of its candidates were kept (as they were, edited or merged) and dropped.

    A card counts once, by the last word on it: one that was kept and then edited is one that was kept.
    """
    last: dict[tuple[str, str], bool] = {}
    for decision in decisions:
        if decision.signal and decision.verb in KEPT | {Verb.MERGE, Verb.DISMISS}:
            last[decision.signal, decision.id or decision.batch] = decision.verb is not Verb.DISMISS
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    for (signal, _), kept in last.items():
        counts[signal][kept] += 1
    return {
        signal: {"kept": count[True], "dropped": count[False], "precision": round(count[True] / count.total(), 3)}
        for signal, count in sorted(counts.items())
    }


def signals(decisions: Iterable[Decision], adjustments: Mapping[str, float], hidden: Mapping[str, int]) -> dict[str, JSON]:
    """For each signal what was kept and dropped, what verdicts add to its scores, and how many cards they hold back."""
    counts = precision(decisions)
    none: JSON = {"kept": 0, "dropped": 0, "precision": None}
    return {
        signal: counts.get(signal, none) | {"adjustment": adjustments.get(signal, 0.0), "held": hidden.get(signal, 0)}
        for signal in sorted(counts.keys() | hidden.keys())
    }


def distillers(decisions: Iterable[Decision], spent: Mapping[str, tuple[int, int, float]]) -> dict[str, JSON]:
    """For each model how many sessions it has read, what that took, and what became of its cards by the last word on each."""
    fates: dict[str, Counter[str]] = defaultdict(Counter)
    for decision in cards(decisions):
        if decision.signal.startswith(DISTILLED):
            name = "edited" if decision.verb is Verb.EDIT else _NAMES.get(decision.verb, decision.verb.value)
            fates[decision.signal.removeprefix(DISTILLED)][name] += 1
    return {
        model: dict(zip(("sessions", "tokens", "cost"), spent.get(model, (0, 0, 0.0)), strict=True))
        | {name: fates[model][name] for name in ("kept", "edited", "merged", "dropped")}
        for model in sorted(spent.keys() | fates.keys())
    }


def summary(
    states: Mapping[tuple[str, str], int],
    decisions: list[Decision],
    adjustments: Mapping[str, float] = MappingProxyType({}),
    hidden: Mapping[str, int] = MappingProxyType({}),
    stale: Mapping[str, int] = MappingProxyType({}),
    cleanup: Mapping[str, int] = MappingProxyType({}),
    outcomes: Mapping[str, Any] = MappingProxyType({}),
    spent: Mapping[str, tuple[int, int, float]] = MappingProxyType({}),
) -> JSON:
    """The object that ``curator stats --json`` prints.

    ``adjustments`` and ``hidden`` are by signal, ``stale`` lessons by what became of their code, ``cleanup`` by kind of row;
    ``outcomes`` is the part of ``stats.text``, ``spent`` the sessions, tokens and cost of each model.
    """
    from statistics import median  # takes longer to import than this room; the inbox opens without it

    seconds = [decision.seconds for decision in decisions if decision.seconds is not None]
    by_state, by_category = Counter[str](), Counter[str]()
    for (state, category), count in states.items():
        by_state[state] += count
        if state == "active":
            by_category[category] += count
    return {
        "states": dict(sorted(by_state.items())),
        "categories": dict(sorted(by_category.items())),
        "decisions": sum(card.verb not in UNDECIDED for card in cards(decisions)),
        "verdicts": dict(sorted(tally(decisions).items())),
        "seconds_median": round(median(seconds), 2) if seconds else 0,
        "seconds_p90": round(percentile(seconds, 0.9), 2),
        "over_5s": round(sum(value > SLOW for value in seconds) / len(seconds), 3) if seconds else 0,
        "signals": signals(decisions, adjustments, hidden),
        "held": sum(hidden.values()),
        "stale": dict(sorted(stale.items())),
        "cleanup": dict(sorted(cleanup.items())),
        "distillers": distillers(decisions, spent),
        **outcomes,
    }
