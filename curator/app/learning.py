"""Keep what verdicts teach up to date: read off the log, so that an undo takes it back as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from curator import clock
from curator.app.curator import Curator
from curator.inbox.learning import EVERYWHERE, Lesson, learned, tolerance
from curator.model import ALARM, Drift, Finding, Verb
from curator.stats import KEPT, Decision

KEEPS = KEPT | {Verb.MERGE}
CHANGED = frozenset({Drift.BODY, Drift.SIGNATURE})
"""The kinds of change whose weight is a matter of degree."""


def learn(curator: Curator) -> int:
    """Adjust scores by the verdicts that stand, of every project; returns how many adjustments changed."""
    decisions = [Decision(*row) for row in curator.store.events.decisions()]
    found = learned(lessons(decisions, curator.store.sources.unlearned()))
    taught = {key: one for key, one in found.items() if one.odds or found[EVERYWHERE, key[1]].odds}
    return curator.store.learn(taught, floor() if any(one.hiding_odds < 0 for one in taught.values()) else 0.0)


def tolerances(curator: Curator, project: str) -> dict[Drift, float]:
    """By what the severity of each kind of change is multiplied in a project: what was mostly "still true" alarms less."""
    confirmed: Counter[Drift] = Counter()
    acted: Counter[Drift] = Counter()
    for verb, findings in curator.store.events.answers(project, curator.store.sources.unlearned().get(project, 0.0)):
        drifts = {Drift(item.get("drift", Drift.BODY)) for item in findings if item.get("severity", 1.0) >= ALARM}
        (confirmed if verb is Verb.CONFIRM else acted).update(drifts & CHANGED)
    return {drift: tolerance(confirmed[drift], acted[drift]) for drift in CHANGED}


def softened(findings: Iterable[Finding], by: Mapping[Drift, float]) -> tuple[Finding, ...]:
    """Findings with the severity that is left of them."""
    return tuple(replace(one, severity=round(one.severity * by.get(one.drift, 1.0), 2)) for one in findings)


def floor() -> float:
    """The score below which the detector proposes nothing; asked for only where verdicts lower scores, since it is dear."""
    from curator import detection

    return detection.floor()


def lessons(decisions: Iterable[Decision], unlearned: dict[str, float]) -> Iterator[Lesson]:
    """The last verdict on each candidate; what was reopened is undecided."""
    last: dict[str, Decision] = {}
    for one in decisions:
        if one.verb in KEEPS | {Verb.DISMISS, Verb.REOPEN}:
            last[one.id] = one
    for one in last.values():
        if one.verb is not Verb.REOPEN and one.at > unlearned.get(one.project, -1.0):
            yield Lesson(one.project, one.signal, one.score, one.verb is not Verb.DISMISS)


def reset(curator: Curator) -> int:
    """Let the verdicts of the project, or of all, teach nothing from now on; what they held back is shown again."""
    projects = [curator.project.id] if curator.project else [*curator.projects()]
    with curator.store.transaction():
        curator.store.sources.unlearn(projects, clock.now())
        return learn(curator)
