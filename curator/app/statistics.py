"""Numbers for people: what was decided, what verdicts taught, and how lessons fared with agents."""

from __future__ import annotations

from collections import Counter

from curator import clock, inbox, stats
from curator.app.curator import Curator
from curator.model import JSON, Entry, Kind, Query, State
from curator.store.deliveries import Outcome


def decisions(curator: Curator, since: float = 0.0) -> list[stats.Decision]:
    """Every verdict by a person that stands."""
    return [stats.Decision(*row) for row in curator.store.events.decisions(curator.scope, since)]


def today(curator: Curator) -> Counter[str]:
    """Today's verdicts, counted."""
    return stats.tally(decisions(curator, stats.midnight(clock.now())))


def summary(curator: Curator, since: float = 0.0) -> JSON:
    """The numbers of ``curator stats``."""
    made, hidden = decisions(curator, since), curator.store.entries.count_hidden(curator.scope)
    odds = {key: value for key, (value, *_) in curator.store.sources.learned().items()}
    signals = {decision.signal for decision in made} | hidden.keys()
    added = {signal: inbox.adjustment(odds, curator.scope or "", signal) for signal in signals}
    waiting = {kind.value: count for kind, count in curator.lessons.kinds(curator.lessons.cleanup()).items()}
    lessons = curator.lessons.entries(Query(project=curator.scope, states=(State.ACTIVE,)))
    lines = stats.lesson_summary(lessons, outcomes(curator, since=since))
    counts = curator.store.entries.count(curator.scope)
    spent = curator.store.distilling.spent(since)
    return stats.summary(counts, made, added, hidden, stale_counts(curator), waiting, lines, spent)


def adjustments(curator: Curator) -> dict[str, float]:
    """What verdicts add to the scores of each signal here."""
    odds = {key: value for key, (value, *_) in curator.store.sources.learned().items()}
    return {signal: inbox.adjustment(odds, curator.scope or "", signal) for _, signal in odds}


def outcomes(curator: Curator, *, since: float = 0.0) -> dict[str, stats.Fared]:
    """How each lesson fared that was ever sent, since a time."""
    found = curator.store.deliveries.fared(curator.scope, since=since)
    return {id_: stats.Fared(**fields) for id_, fields in found.items()}


def outcome_sentence(curator: Curator, entry: Entry) -> str:
    """How a lesson fared with agents, in words; empty where there is nothing to say."""
    if entry.state is not State.ACTIVE:
        return ""
    fields = curator.store.deliveries.fared(lesson=entry.id).get(entry.id, {})
    chances = curator.store.deliveries.chances(entry.project, entry.created, stats.ENOUGH) if not fields else 0
    return stats.sentence(stats.Fared(**fields, chances=chances))


def latest_outcomes(curator: Curator, entry: Entry, limit: int) -> list[Outcome]:
    """What came of sending a lesson, the newest first."""
    return curator.store.deliveries.outcomes(entry.id)[::-1][:limit]


def stale_counts(curator: Curator) -> Counter[str]:
    """How many lessons are stale, by what became of the code of each that matters most."""
    found = curator.lessons.entries(Query(project=curator.scope, states=(State.ACTIVE,), kind=Kind.STALE))
    gravest = (max(entry.findings, key=lambda finding: finding.severity) for entry in found)
    return Counter(finding.drift.state for finding in gravest)
