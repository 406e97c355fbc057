"""Numbers about decisions and outcomes of lessons: their speed, the precision of each signal, the number of open cards.

They come from the log, so that undo changes them too. Scores learn from them. People see them as lines under headings, without
the lines that say nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from types import MappingProxyType
from typing import Any

from curator import clock, inbox
from curator.app.curator import Curator
from curator.inbox import EVERYWHERE, CandidateDecision, learn_adjustments
from curator.model import DISTILLED, JSON, Entry, Kind, Query, State, Verb
from curator.store.deliveries import Outcome
from curator.text.words import pluralize

KEPT = frozenset({Verb.KEEP, Verb.CONFIRM, Verb.EDIT, Verb.SUPERSEDE, Verb.COEXIST})
KEEPS = KEPT | {Verb.MERGE}
DROPPED = frozenset({Verb.DISMISS, Verb.RETIRE})
UNDECIDED = frozenset({Verb.SNOOZE, Verb.REOPEN})
"""Last words after which a card is still undecided."""
PAIRED: Mapping[Verb, int] = MappingProxyType({Verb.MERGE: 0, Verb.SUPERSEDE: 1})
"""Verbs with two events per card, and the one that counts: the old entry's event precedes the new one's."""
_NAMES = dict.fromkeys(KEPT, "kept") | dict.fromkeys(DROPPED, "dropped") | {Verb.MERGE: "merged"}
SLOW_DECISION_SECONDS = 5.0
"""Seconds that a decision may take: the promise that is measured."""
PAUSE_SECONDS = 60.0
"""The seconds without a key that are a pause and no time of a decision."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A valid decision of a person. ``seconds`` counts from the card's first paint, if a card was shown."""

    batch: str
    verb: Verb
    signal: str
    seconds: float | None
    id: str = ""
    project: str = ""
    score: float = 0.0
    """The detector's score of the entry."""
    at: float = 0.0


def last_decisions(decisions: Iterable[Decision]) -> list[Decision]:
    """Return the last decision on each card, oldest first.

    The target of a merge and a replaced lesson do not count, because curator asked nobody about them.
    """
    last: dict[str, Decision] = {}
    places: Counter[tuple[str, Verb]] = Counter()
    for decision in decisions:
        place = places[decision.batch, decision.verb] % 2
        places[decision.batch, decision.verb] += 1
        if PAIRED.get(decision.verb, place) == place:
            card = decision.id or decision.batch
            if decision.verb is Verb.SNOOZE and card in last:
                continue  # a lesson that a person snoozed in the cleanup is still kept
            last.pop(card, None)
            last[card] = decision
    return list(last.values())


def tally(decisions: Iterable[Decision]) -> Counter[str]:
    """Return the number of kept, dropped, merged and other cards, each by the verb of its last decision."""
    return Counter(_NAMES.get(decision.verb, decision.verb.value) for decision in last_decisions(decisions))


def signals(decisions: Iterable[Decision], adjustments: Mapping[str, float] = MappingProxyType({})) -> dict[str, JSON]:
    """Return for each signal how many cards were kept (unchanged, edited or merged) and dropped, and its adjustment.

    A card counts once, by its last decision. ``adjustments``: the log-odds that decisions add to the scores of a signal.
    """
    last: dict[tuple[str, str], Decision] = {}
    for decision in decisions:
        if decision.signal and decision.verb in KEEPS | {Verb.DISMISS}:
            last[decision.signal, decision.id or decision.batch] = decision
    kept: dict[str, list[bool]] = defaultdict(list)
    for (signal, _), decision in last.items():
        kept[signal].append(decision.verb is not Verb.DISMISS)
    return {
        signal: {
            "kept": sum(each),
            "dropped": len(each) - sum(each),
            "precision": round(sum(each) / len(each), 3),
            "adjustment": adjustments.get(signal, 0.0),
        }
        for signal, each in sorted(kept.items())
    }


def distillers(decisions: Iterable[Decision], spent: Mapping[str, tuple[int, int, float]]) -> dict[str, JSON]:
    """Return, by model, its sessions, their cost, and the outcome of its cards by the last word on each."""
    fates: dict[str, Counter[str]] = defaultdict(Counter)
    for decision in last_decisions(decisions):
        if decision.signal.startswith(DISTILLED):
            name = "edited" if decision.verb is Verb.EDIT else _NAMES.get(decision.verb, decision.verb.value)
            fates[decision.signal.removeprefix(DISTILLED)][name] += 1
    return {
        model: dict(zip(("sessions", "tokens", "cost"), spent.get(model, (0, 0, 0.0)), strict=True))
        | {name: fates[model][name] for name in ("kept", "edited", "merged", "dropped")}
        for model in sorted(spent.keys() | fates.keys())
    }


def figures(
    states: Mapping[tuple[str, str], int],
    decisions: list[Decision],
    adjustments: Mapping[str, float] = MappingProxyType({}),
    stale: Mapping[str, int] = MappingProxyType({}),
    cleanup: Mapping[str, int] = MappingProxyType({}),
    outcomes: Mapping[str, Any] = MappingProxyType({}),
    spent: Mapping[str, tuple[int, int, float]] = MappingProxyType({}),
) -> JSON:
    """Return the object that ``curator stats --json`` prints. ``summary`` collects its parts.

    ``adjustments`` are by signal, ``stale`` lessons by the state of their code, ``cleanup`` by kind of row. ``outcomes`` comes
    from ``lesson_summary``. ``spent`` holds the sessions, tokens and cost of each model.
    """
    from statistics import median  # takes longer to import than this module, and the inbox does not need it

    seconds = sorted(decision.seconds for decision in decisions if decision.seconds is not None)
    by_state, by_category = Counter[str](), Counter[str]()
    for (state, category), count in states.items():
        by_state[state] += count
        if state == "active":
            by_category[category] += count
    return {
        "states": dict(sorted(by_state.items())),
        "categories": dict(sorted(by_category.items())),
        "decisions": sum(card.verb not in UNDECIDED for card in last_decisions(decisions)),
        "decision_counts": dict(sorted(tally(decisions).items())),
        "seconds_median": round(median(seconds), 2) if seconds else 0,
        "seconds_p90": round(seconds[ceil(len(seconds) * 0.9) - 1], 2) if seconds else 0,
        "over_5s": round(sum(value > SLOW_DECISION_SECONDS for value in seconds) / len(seconds), 3) if seconds else 0,
        "signals": signals(decisions, adjustments),
        "stale": dict(sorted(stale.items())),
        "cleanup": dict(sorted(cleanup.items())),
        "distillers": distillers(decisions, spent),
        **outcomes,
    }


Row = tuple[str, str, str]
"""A name, its figure, and a remark on it."""

STATES = {
    "active": ("lessons", "active"),
    "open": ("waiting", "including weaker and snoozed cards"),
    "dismissed": ("dropped", "dropped by you"),
    "expired": ("expired", "no decision in time"),
    "merged": ("merged", "into others"),
    "retired": ("retired", "no longer true"),
}
"""Each state in the words of the inbox, and its meaning."""
COUNT_NOTES = {"stale": "lessons by the state of their code", "cleanup": "cards in the cleanup"}
WAITING_VERBS = {"snooze": "snoozed", "reopen": "brought back"}
"""Last words on a card that leave it waiting."""


def sections(found: JSON, rules: Mapping[str, str] = MappingProxyType({})) -> dict[str, list[Row]]:
    """Return the results of ``figures`` as rows by heading, without empty headings. ``rules`` describes each signal."""
    parts = {
        "lessons and candidates": [
            (name, f"{found['states'][state]:,}", note) for state, (name, note) in STATES.items() if state in found["states"]
        ],
        "your decisions": decision_rows(found),
        "to look at": [
            (name, f"{sum(found[name].values()):,}", f"{note}: {_counts(found[name])}")
            for name, note in COUNT_NOTES.items()
            if found[name]
        ],
        "sent to agents": delivery_rows(found),
        "read by your model": [
            (model, f"{row['sessions']:,}", reader_summary(row)) for model, row in found.get("distillers", {}).items()
        ],
        "kept per rule": [
            (signal, f"{count['kept']:,}/{count['kept'] + count['dropped']:,}", "; ".join(_notes(signal, count, rules)))
            for signal, count in found["signals"].items()
            if not signal.startswith(DISTILLED)
        ],
    }
    return {heading: rows for heading, rows in parts.items() if rows}


def _notes(signal: str, count: JSON, rules: Mapping[str, str]) -> Iterator[str]:
    """Describe a rule, and the effect of decisions on it."""
    if signal in rules:
        yield rules[signal]
    if count["adjustment"]:
        yield f"counts {'less' if count['adjustment'] < 0 else 'more'} now"


def decision_rows(found: JSON) -> list[Row]:
    """Return the number, kind and duration of decisions."""
    done = {name: count for name, count in found["decision_counts"].items() if name not in WAITING_VERBS}
    rest = {word: found["decision_counts"].get(name, 0) for name, word in WAITING_VERBS.items()}
    counts = "; ".join(filter(None, (_counts(done), f"undecided: {_counts(rest)}" if any(rest.values()) else "")))
    rows = [("decisions", f"{found['decisions']:,}", counts)]
    if found["seconds_p90"]:
        rows.append(("median", f"{found['seconds_median']:.1f}s", f"a decision; 9 of 10 within {found['seconds_p90']:.1f}s"))
        rows.append(("over 5 s", f"{found['over_5s']:.0%}", f"of the decisions; pauses of {PAUSE_SECONDS:.0f} s do not count"))
    return rows


def delivery_rows(found: JSON) -> list[Row]:
    """Return how often lessons were sent, and their outcomes."""
    if not found.get("deliveries"):
        return []
    came = found["outcomes"]
    never = f"; {pluralize(came['never_told'], 'lesson was', 'lessons were')} never sent" if came["never_told"] else ""
    times = "time" if found["deliveries"] == 1 else "times"
    rows = [("sent", f"{found['deliveries']:,}", f"{times}, {pluralize(came['tokens'], 'token')} in all{never}")]
    if outcomes := _counts({name: came[name] for name in ("helped", "ignored", "hurt")}):
        rows.append(("outcomes", "", f"{outcomes} (agent reports and decisions count half)"))
    if came["before"] or came["after"]:
        times = "time" if came["before"] == 1 else "times"
        rows.append(
            ("said", f"{came['before']:,}", f"{times} in sessions before they were sent, {came['after']:,} again after")
        )
    return rows


def reader_summary(row: JSON) -> str:
    """Return the cost of a model's reading, and the decisions on its cards."""
    cost = f" ({row['cost']:.4g} at your price)" if row["cost"] else ""
    fates = _counts({name: row[name] for name in ("kept", "edited", "merged", "dropped")}) or "no decisions yet"
    sessions = "session" if row["sessions"] == 1 else "sessions"
    return f"{sessions} of all projects, {pluralize(row['tokens'], 'token')}{cost}; of its cards {fates}"


def _counts(counts: Mapping[str, Any]) -> str:
    """Return figures with their names, without those that are 0.

    >>> _counts({"kept": 1200, "merged": 0, "dropped": 2})
    '1,200 kept, 2 dropped'
    """
    return ", ".join(f"{count:,.10g} {name}" for name, count in counts.items() if count)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryStats:
    """The outcomes of a lesson: times sent, sessions, first and last time, and outcomes as weights.

    ``again`` counts the sessions that repeated or contradicted the lesson after they got it. ``chances`` counts the hook
    decisions of its project since it was kept, up to ``MIN_DECISIONS``.
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


MIN_DECISIONS = 100
"""The number of decisions after which it is significant that a lesson was never sent."""


def sentence(stats: DeliveryStats) -> str:
    """Return the outcomes of a lesson, for people. Return an empty text if there are none yet.

    >>> sentence(DeliveryStats(times=5, sessions=3, helped=1.05, ignored=2.0))
    'sent 5 times in 3 sessions: helped 1.1, ignored 2'
    >>> sentence(DeliveryStats(times=1, sessions=1)), sentence(DeliveryStats()), sentence(DeliveryStats(chances=100))
    ('sent once', '', 'never sent, in 100 chances')
    """
    if not stats.times:
        return f"never sent, in {stats.chances} chances" if stats.chances >= MIN_DECISIONS else ""
    often = "sent once" if stats.times == 1 else f"sent {stats.times} times in {pluralize(stats.sessions, 'session')}"
    came = [f"{name} {weight:.3g}" for name in ("helped", "ignored", "hurt") if (weight := round(getattr(stats, name), 1))]
    return f"{often}: {', '.join(came)}" if came else often


def lesson_summary(lessons: Iterable[Entry], stats: Mapping[str, DeliveryStats]) -> JSON:
    """Return the part of ``curator stats --json`` about sent lessons: {deliveries, outcomes}.

    ``outcomes`` has the sent tokens, the weights by kind, and the number of active lessons that were never sent. For the sent
    ones, ``before`` counts their earlier statements, and ``after`` their repetitions and contradictions in sessions that got
    them. Evidence can't give the latter, because it also comes from other sessions.
    """
    outcomes = list(stats.values())
    active = list(lessons)
    before = after = 0
    for entry in active:
        first = stats[entry.id].first if entry.id in stats else 0.0
        if first:
            before += sum(item.at is not None and 0 < item.at <= first for item in entry.evidence)
            after += stats[entry.id].again
    return {
        "deliveries": sum(one.times for one in outcomes),
        "outcomes": {
            "tokens": sum(one.tokens for one in outcomes),
            **{name: round(sum(getattr(one, name) for one in outcomes), 2) for name in ("helped", "ignored", "hurt")},
            "never_told": sum(not (entry.id in stats and stats[entry.id].times) for entry in active),
            "before": before,
            "after": after,
        },
    }


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


def decisions(curator: Curator, since: float = 0.0) -> list[Decision]:
    """Return every decision of a person that is not undone."""
    return [Decision(*row) for row in curator.store.events.decisions(curator.scope, since)]


def today(curator: Curator) -> Counter[str]:
    """Return the numbers of today's decisions."""
    midnight = datetime.fromtimestamp(clock.now()).replace(hour=0, minute=0, second=0, microsecond=0)
    return tally(decisions(curator, midnight.timestamp()))


def summary(curator: Curator, since: float = 0.0) -> JSON:
    """Return the numbers of ``curator stats``."""
    made, odds = decisions(curator, since), curator.store.sources.adjustments()
    added = {signal: inbox.adjustment(odds, curator.scope or "", signal) for signal in {one.signal for one in made}}
    waiting = {kind.value: count for kind, count in curator.lessons.kinds(curator.lessons.cleanup()).items()}
    lessons = curator.lessons.entries(Query(project=curator.scope, states=(State.ACTIVE,)))
    lines = lesson_summary(lessons, outcomes(curator, since=since))
    counts = curator.store.entries.count(curator.scope)
    spending = curator.store.distilling.spending(since)
    return figures(counts, made, added, stale_counts(curator), waiting, lines, spending)


def adjustments(curator: Curator) -> dict[str, float]:
    """Return the effect of decisions on the scores of each signal here."""
    odds = curator.store.sources.adjustments()
    return {signal: inbox.adjustment(odds, curator.scope or "", signal) for _, signal in odds}


def outcomes(curator: Curator, *, since: float = 0.0) -> dict[str, DeliveryStats]:
    """Return how each lesson fared that was ever sent, since a time."""
    found = curator.store.deliveries.stats_by_lesson(curator.scope, since=since)
    return {id_: DeliveryStats(**fields) for id_, fields in found.items()}


def outcome_sentence(curator: Curator, entry: Entry) -> str:
    """Return the outcomes of a lesson with agents, in words. Return an empty text if there are none."""
    if entry.state is not State.ACTIVE:
        return ""
    fields = curator.store.deliveries.stats_by_lesson(lesson=entry.id).get(entry.id, {})
    chances = curator.store.deliveries.count_hook_calls(entry.project, entry.created, MIN_DECISIONS) if not fields else 0
    return sentence(DeliveryStats(**fields, chances=chances))


def latest_outcomes(curator: Curator, entry: Entry, limit: int) -> list[Outcome]:
    """Return the outcomes of a sent lesson, newest first."""
    return curator.store.deliveries.outcomes(entry.id)[::-1][:limit]


def stale_counts(curator: Curator) -> Counter[str]:
    """Return the number of stale lessons by the state of their most important code."""
    found = curator.lessons.entries(Query(project=curator.scope, states=(State.ACTIVE,), kind=Kind.STALE))
    gravest = (max(entry.findings, key=lambda finding: finding.severity) for entry in found if entry.findings)
    return Counter(finding.drift.state for finding in gravest)
