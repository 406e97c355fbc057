"""What came of telling lessons to agents, in numbers and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from curator.model import JSON, Entry
from curator.text.plurals import counted

DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fared:
    """How a lesson fared: how often it was told, in how many sessions, first and last when; what came of it, as weights.

    ``again`` is in how many sessions it had to be said again, or was contradicted, after it was told there.
    ``chances`` is how often hooks of its project decided since it was kept, counted up to ``ENOUGH``.
    """

    times: int = 0
    sessions: int = 0
    first: float = 0.0
    last: float = 0.0
    tokens: int = 0
    helped: float = 0.0
    ignored: float = 0.0
    hurt: float = 0.0
    again: int = 0
    chances: int = 0


ENOUGH = 100
"""After so many decisions it means something that a lesson was never told."""


def sentence(fared: Fared) -> str:
    """How a lesson fared, for people; empty where there is nothing to say yet.

    >>> sentence(Fared(times=5, sessions=3, helped=1.05, ignored=2.0))
    'told 5 times in 3 sessions: helped 1.1, ignored 2'
    >>> sentence(Fared(times=1, sessions=1)), sentence(Fared()), sentence(Fared(chances=100))
    ('told once', '', 'never told, in 100 chances')
    """
    if not fared.times:
        return f"never told, in {fared.chances} chances" if fared.chances >= ENOUGH else ""
    often = "told once" if fared.times == 1 else f"told {fared.times} times in {counted(fared.sessions, 'session')}"
    came = [f"{name} {weight:.3g}" for name in ("helped", "ignored", "hurt") if (weight := round(getattr(fared, name), 1))]
    return f"{often}: {', '.join(came)}" if came else often


def summary(lessons: Iterable[Entry], fared: Mapping[str, Fared]) -> JSON:
    """The part of ``curator stats --json`` about telling: {deliveries, outcomes}.

    ``outcomes`` has the tokens told, the weights by kind, how many active lessons were never told; of those that were, how
    often they had been stated by then (``before``), and how often they had to be said again or were contradicted where they
    were told (``after``). Evidence says nothing of the latter: it also comes from sessions in which nothing was told.
    """
    told = list(fared.values())
    active = list(lessons)
    before = after = 0
    for entry in active:
        first = fared[entry.id].first if entry.id in fared else 0.0
        if first:
            before += sum(item.at is not None and 0 < item.at <= first for item in entry.evidence)
            after += fared[entry.id].again
    return {
        "deliveries": sum(one.times for one in told),
        "outcomes": {
            "tokens": sum(one.tokens for one in told),
            **{name: round(sum(getattr(one, name) for one in told), 2) for name in ("helped", "ignored", "hurt")},
            "never_told": sum(not (entry.id in fared and fared[entry.id].times) for entry in active),
            "before": before,
            "after": after,
        },
    }
