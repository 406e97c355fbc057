"""Numbers for people: how fast one decides, what the detector is worth, how many wait."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from types import MappingProxyType

from curator.model import JSON, Verb

KEPT = frozenset({Verb.KEEP, Verb.CONFIRM, Verb.EDIT, Verb.SUPERSEDE, Verb.COEXIST})
DROPPED = frozenset({Verb.DISMISS, Verb.RETIRE})
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


def tally(decisions: Iterable[Decision]) -> Counter[str]:
    """Verdicts counted as kept, dropped, merged and others by their verb; a batch of two events is one merge."""
    counts: Counter[str] = Counter()
    pairs: set[str] = set()
    for decision in decisions:
        if decision.verb in (Verb.MERGE, Verb.SUPERSEDE):
            if decision.batch in pairs:
                continue
            pairs.add(decision.batch)
        name = "kept" if decision.verb in KEPT else "dropped" if decision.verb in DROPPED else decision.verb.value
        counts["merged" if decision.verb is Verb.MERGE else name] += 1
    return counts


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


def signals(decisions: Iterable[Decision], adjustments: Mapping[str, float], held: Mapping[str, int]) -> dict[str, JSON]:
    """For each signal what was kept and dropped, what verdicts add to its scores, and how many cards they hold back."""
    counts = precision(decisions)
    none: JSON = {"kept": 0, "dropped": 0, "precision": None}
    return {
        signal: counts.get(signal, none) | {"adjustment": adjustments.get(signal, 0.0), "held": held.get(signal, 0)}
        for signal in sorted(counts.keys() | held.keys())
    }


def summary(
    states: Mapping[tuple[str, str], int],
    decisions: list[Decision],
    adjustments: Mapping[str, float] = MappingProxyType({}),
    held: Mapping[str, int] = MappingProxyType({}),
) -> JSON:
    """The object that ``curator stats --json`` prints; ``adjustments`` and ``held`` are by signal."""
    seconds = [decision.seconds for decision in decisions if decision.seconds is not None]
    by_state, by_category = Counter[str](), Counter[str]()
    for (state, category), count in states.items():
        by_state[state] += count
        if state == "active":
            by_category[category] += count
    return {
        "states": dict(sorted(by_state.items())),
        "categories": dict(sorted(by_category.items())),
        "decisions": len({decision.batch for decision in decisions}),
        "verdicts": dict(sorted(tally(decisions).items())),
        "seconds_median": round(median(seconds), 2) if seconds else 0,
        "seconds_p90": round(percentile(seconds, 0.9), 2),
        "over_5s": round(sum(value > SLOW for value in seconds) / len(seconds), 3) if seconds else 0,
        "signals": signals(decisions, adjustments, held),
        "held": sum(held.values()),
        "deliveries": 0,
        "outcomes": {},
    }
