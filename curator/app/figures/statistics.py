"""Numbers from decisions, for people and for learning. They come from the log, so that undo changes them too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from curator import clock, inbox, stats
from curator.app.curator import Curator
from curator.inbox import EVERYWHERE, CandidateDecision, learn_adjustments
from curator.model import JSON, Entry, Kind, Query, State, Verb
from curator.stats import KEPT, Decision
from curator.store.deliveries import Outcome

KEEPS = KEPT | {Verb.MERGE}


def learn(curator: Curator) -> int:
    """Adjust scores by the valid decisions of every project. Return the number of changed adjustments."""
    decisions = [Decision(*row) for row in curator.store.events.decisions()]
    found = learn_adjustments(lessons(decisions, curator.store.sources.unlearn_times()))
    return curator.store.learn({key: odds for key, odds in found.items() if odds or found[EVERYWHERE, key[1]]})


def lessons(decisions: Iterable[Decision], unlearned: dict[str, float]) -> Iterator[CandidateDecision]:
    """Yield the last decision on each candidate. A reopened candidate is undecided."""
    last: dict[str, Decision] = {}
    for one in decisions:
        if one.verb in KEEPS | {Verb.DISMISS, Verb.REOPEN}:
            last[one.id] = one
    for one in last.values():
        if one.verb is not Verb.REOPEN and one.at > unlearned.get(one.project, -1.0):
            yield CandidateDecision(one.project, one.signal, one.score, one.verb is not Verb.DISMISS)


def reset_learning(curator: Curator) -> int:
    """Ignore the decisions of the project, or of all, in later learning. Hidden cards return."""
    projects = [curator.project.id] if curator.project else [*curator.projects()]
    with curator.store.transaction():
        curator.store.sources.unlearn(projects, clock.now())
        return learn(curator)


def decisions(curator: Curator, since: float = 0.0) -> list[stats.Decision]:
    """Return every decision of a person that is not undone."""
    return [stats.Decision(*row) for row in curator.store.events.decisions(curator.scope, since)]


def today(curator: Curator) -> Counter[str]:
    """Today's decisions, counted."""
    return stats.tally(decisions(curator, stats.midnight(clock.now())))


def summary(curator: Curator, since: float = 0.0) -> JSON:
    """Return the numbers of ``curator stats``."""
    made, odds = decisions(curator, since), curator.store.sources.adjustments()
    added = {signal: inbox.adjustment(odds, curator.scope or "", signal) for signal in {one.signal for one in made}}
    waiting = {kind.value: count for kind, count in curator.lessons.kinds(curator.lessons.cleanup()).items()}
    lessons = curator.lessons.entries(Query(project=curator.scope, states=(State.ACTIVE,)))
    lines = stats.lesson_summary(lessons, outcomes(curator, since=since))
    counts = curator.store.entries.count(curator.scope)
    spending = curator.store.distilling.spending(since)
    return stats.summary(counts, made, added, stale_counts(curator), waiting, lines, spending)


def adjustments(curator: Curator) -> dict[str, float]:
    """Return the effect of decisions on the scores of each signal here."""
    odds = curator.store.sources.adjustments()
    return {signal: inbox.adjustment(odds, curator.scope or "", signal) for _, signal in odds}


def outcomes(curator: Curator, *, since: float = 0.0) -> dict[str, stats.DeliveryStats]:
    """Return how each lesson fared that was ever sent, since a time."""
    found = curator.store.deliveries.stats_by_lesson(curator.scope, since=since)
    return {id_: stats.DeliveryStats(**fields) for id_, fields in found.items()}


def outcome_sentence(curator: Curator, entry: Entry) -> str:
    """Return how a lesson fared with agents, in words; empty if there is nothing to say."""
    if entry.state is not State.ACTIVE:
        return ""
    fields = curator.store.deliveries.stats_by_lesson(lesson=entry.id).get(entry.id, {})
    chances = curator.store.deliveries.count_hook_calls(entry.project, entry.created, stats.MIN_DECISIONS) if not fields else 0
    return stats.sentence(stats.DeliveryStats(**fields, chances=chances))


def latest_outcomes(curator: Curator, entry: Entry, limit: int) -> list[Outcome]:
    """Return the outcomes of a sent lesson, newest first."""
    return curator.store.deliveries.outcomes(entry.id)[::-1][:limit]


def stale_counts(curator: Curator) -> Counter[str]:
    """Return the number of stale lessons by the state of their most important code."""
    found = curator.lessons.entries(Query(project=curator.scope, states=(State.ACTIVE,), kind=Kind.STALE))
    gravest = (max(entry.findings, key=lambda finding: finding.severity) for entry in found if entry.findings)
    return Counter(finding.drift.state for finding in gravest)
