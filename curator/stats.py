"""Numbers about decisions and about what came of sending lessons: how fast, how precise each signal, how many wait.

For people they become lines under headings, without those that say nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Any

from curator.clock import is_plausible, monday
from curator.model import DISTILLED, JSON, Entry, Verb
from curator.text.words import pluralize

KEPT = frozenset({Verb.KEEP, Verb.CONFIRM, Verb.EDIT, Verb.SUPERSEDE, Verb.COEXIST})
DROPPED = frozenset({Verb.DISMISS, Verb.RETIRE})
UNDECIDED = frozenset({Verb.SNOOZE, Verb.REOPEN})
"""A card with such a last word still waits."""
PAIRED: Mapping[Verb, int] = MappingProxyType({Verb.MERGE: 0, Verb.SUPERSEDE: 1})
"""Verbs that write two events a card, and which of the two is the card's: what leaves comes before what takes its place."""
_NAMES = dict.fromkeys(KEPT, "kept") | dict.fromkeys(DROPPED, "dropped") | {Verb.MERGE: "merged"}
SLOW = 5.0
"""Seconds that a decision may take: the promise that is measured."""
PAUSE = 60.0
"""So many seconds without a key are a pause and no time of a decision."""
SPANS: Mapping[str, float] = MappingProxyType(
    {"to 2 s": 2.0, "to 5 s": SLOW, "to 10 s": 10.0, "to 30 s": 30.0, "to 60 s": 60.0, "longer": float("inf")}
)
"""The columns of the distribution of seconds, each up to its figure."""
BAR = 20
"""Columns of the longest bar, so that its line fits 45 columns."""
SHORT = 8
"""The same where there is little room."""
FULL, LIGHT = "█", "░"
WEEKS = 12
"""So many weeks are drawn, the latest ones."""


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
    last: dict[tuple[str, str], Decision] = {}
    for decision in decisions:
        if decision.signal and decision.verb in KEPT | {Verb.MERGE, Verb.DISMISS}:
            last[decision.signal, decision.id or decision.batch] = decision
    by_signal: dict[str, list[Decision]] = defaultdict(list)
    for (signal, _), decision in last.items():
        by_signal[signal].append(decision)
    return {signal: _worth(made) for signal, made in sorted(by_signal.items())}


def _worth(last: Sequence[Decision]) -> JSON:
    """Of the last words on some cards how many kept them, in all and week by week."""
    kept = sum(one.verb is not Verb.DISMISS for one in last)
    counts = {"kept": kept, "dropped": len(last) - kept, "precision": round(kept / len(last), 3) if last else None}
    return counts | {"weeks": by_week(last)}


def signals(decisions: Iterable[Decision], adjustments: Mapping[str, float], hidden: Mapping[str, int]) -> dict[str, JSON]:
    """For each signal what was kept and dropped, what verdicts add to its scores, and how many cards they hold back."""
    counts = precision(decisions)
    return {
        signal: counts.get(signal, _worth(())) | {"adjustment": adjustments.get(signal, 0.0), "held": hidden.get(signal, 0)}
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
    ``outcomes`` is what ``lesson_summary`` gives, ``spent`` the sessions, tokens and cost of each model.
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
        "seconds": spread(seconds),
        "weeks": by_week(cards(decisions)),
        "signals": signals(decisions, adjustments, hidden),
        "held": sum(hidden.values()),
        "stale": dict(sorted(stale.items())),
        "cleanup": dict(sorted(cleanup.items())),
        "distillers": distillers(decisions, spent),
        **outcomes,
    }


def spread(seconds: Iterable[float]) -> dict[str, int]:
    """How many decisions took so long, by the names of ``SPANS``; empty without any.

    >>> spread([1.0, 2.0, 4.0])
    {'to 2 s': 2, 'to 5 s': 1, 'to 10 s': 0, 'to 30 s': 0, 'to 60 s': 0, 'longer': 0}
    """
    counts = Counter(next(name for name, most in SPANS.items() if value <= most) for value in seconds)
    return {name: counts[name] for name in SPANS} if counts else {}


def by_week(last: Iterable[Decision]) -> dict[str, JSON]:
    """How many cards were kept or merged, and dropped, in each week from the first to the last: {monday: {kept, dropped}}."""
    names = dict.fromkeys(KEPT | {Verb.MERGE}, "kept") | dict.fromkeys(DROPPED, "dropped")
    decided = [(monday(one.at), names[one.verb]) for one in last if one.verb in names and one.at]
    counts = Counter(decided)
    return {
        week.isoformat(): {"kept": counts[week, "kept"], "dropped": counts[week, "dropped"]}
        for week in _weeks(day for day, _ in decided)
    }


def deliveries_by_week(sent: Iterable[tuple[float, int, bool]]) -> dict[str, JSON]:
    """What was sent in each week: {monday: {sent, against, tokens}}, ``against`` what was ignored or did harm.

    It is given as (at, tokens, whether it is against) for each lesson that was sent.
    """
    counts: dict[date, Counter[str]] = defaultdict(Counter)
    for at, tokens, against in sent:
        if is_plausible(at):
            counts[monday(at)].update(sent=1, against=against, tokens=tokens)
    return {
        week.isoformat(): {name: counts[week][name] for name in ("sent", "against", "tokens")} for week in _weeks([*counts])
    }


def _weeks(mondays: Iterable[date]) -> list[date]:
    """Every Monday from the first of these to the last."""
    known = sorted(set(mondays))
    return [known[0] + timedelta(weeks=at) for at in range((known[-1] - known[0]).days // 7 + 1)] if known else []


def bar(value: float, most: float, width: int = BAR, *, part: float | None = None) -> str:
    """A bar as long as its share of the longest; whatever is more than nothing is seen. All but a ``part`` of it is light.

    >>> bar(10, 10, 4), bar(5, 10, 4), bar(1, 1000, 4), bar(0, 10, 4), bar(0, 0, 4)
    ('████', '██', '█', '', '')
    >>> bar(10, 10, 4, part=5), bar(10, 10, 4, part=9.9), bar(10, 10, 4, part=0), bar(1, 10, 4, part=0.5)
    ('██░░', '███░', '░░░░', '█')
    """
    if not value:
        return ""
    length = max(1, round(width * value / most))
    if part is None or part >= value:
        return FULL * length
    full = min(max(1, round(length * part / value)), max(1, length - 1)) if part else 0
    return FULL * full + LIGHT * (length - full)


Row = tuple[str, str, str]
"""A name, its figure, and what else is to be said of it."""

STATES = {
    "active": ("lessons", "that hold"),
    "open": ("waiting", "with what is held back (+) and put away"),
    "dismissed": ("dropped", "not proposed again"),
    "expired": ("expired", "nobody decided in time"),
    "merged": ("merged", "into others"),
    "retired": ("retired", "lessons that no longer hold"),
}
"""Each state in the words of the inbox, and what it means."""
LOOK = {"stale": "lessons, by what became of their code", "cleanup": "cards that the cleanup asks about"}
STILL = {"snooze": "put away", "reopen": "brought back"}
"""Last words on a card that leave it waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A line of a picture: how long it is, how much of that is full, its figure, and what else is to be said of it."""

    name: str
    value: float
    part: float | None = None
    figure: str
    note: str = ""


LATELY = 4
"""So many weeks are lately."""


def pictures(found: JSON, rules: Mapping[str, str] = MappingProxyType({})) -> dict[str, list[Bar]]:
    """What of ``stats.summary`` is drawn, by heading. ``rules`` says of each signal what it is."""
    weeks, sent = found["weeks"], found.get("sent_weeks", {})
    parts = {
        "kept a week (light: dropped)": [
            Bar(name=week, value=one["kept"] + one["dropped"], part=one["kept"], figure=f"{one['kept']:,}")
            for week, one in _latest(weeks)
        ],
        "seconds a decision": [Bar(name=span, value=count, figure=f"{count:,}") for span, count in found["seconds"].items()],
        "sent a week (light: ignored or harmful)": [
            Bar(name=week, value=one["sent"], part=one["sent"] - one["against"], figure=f"{one['sent']:,}")
            for week, one in _latest(sent)
        ],
        "tokens a week": [Bar(name=week, value=one["tokens"], figure=f"{one['tokens']:,}") for week, one in _latest(sent)],
        "kept of what each rule proposed": [
            _keep_bar(
                signal, count["kept"], count["dropped"], "; ".join(_worth_notes(signal, count, rules, [*weeks][-LATELY:]))
            )
            for signal, count in found["signals"].items()
            if not signal.startswith(DISTILLED)
        ],
        "kept of what each model proposed": [
            _keep_bar(model, row["kept"] + row["edited"] + row["merged"], row["dropped"])
            for model, row in found.get("distillers", {}).items()
        ],
    }
    return {heading: bars for heading, bars in parts.items() if bars}


def _latest(weeks: Mapping[str, JSON]) -> list[tuple[str, JSON]]:
    return [*weeks.items()][-WEEKS:]


def _keep_bar(name: str, kept: int, dropped: int, note: str = "") -> Bar:
    """A bar as long as all others: what share of it is full is what matters."""
    total = kept + dropped
    part = kept / total if total else 0.0
    return Bar(name=name, value=float(total > 0), part=part, figure=f"{kept:,}/{total:,}", note=note)


def _worth_notes(signal: str, count: JSON, rules: Mapping[str, str], lately: Sequence[str]) -> Iterator[str]:
    """What a rule is, how it did lately, and what follows from what verdicts say of it."""
    if signal in rules:
        yield rules[signal]
    recent = [one for week, one in count["weeks"].items() if week in lately]
    kept, dropped = (sum(one[name] for one in recent) for name in ("kept", "dropped"))
    if recent and kept + dropped < count["kept"] + count["dropped"]:
        yield f"lately {kept:,}/{kept + dropped:,}"
    if count["adjustment"]:
        yield f"counts {'less' if count['adjustment'] < 0 else 'more'} now"
    if count["held"]:
        yield f"{count['held']:,} held back"


def sections(found: JSON, rules: Mapping[str, str] = MappingProxyType({}), *, narrow: bool = False) -> dict[str, list[Row]]:
    """What ``stats.summary`` found, by heading; headings without a line are left out.

    Where it is ``narrow`` bars are short, and what is said of one stands below it.
    """
    drawn = {heading: bars(picture, narrow=narrow) for heading, picture in pictures(found, rules).items()}
    parts = {
        "lessons and candidates": [
            (name, f"{found['states'][state]:,}", note) for state, (name, note) in STATES.items() if state in found["states"]
        ],
        "verdicts": decisions(found),
        "to look at": [
            (name, f"{sum(found[name].values()):,}", f"{note}: {_counts(found[name])}")
            for name, note in LOOK.items()
            if found[name]
        ],
        "sent to agents": deliveries(found),
        "does sending help": helping(found),
        "read by a model": [(model, f"{row['sessions']:,}", models(row)) for model, row in found.get("distillers", {}).items()],
    }
    return {heading: rows for heading, rows in (parts | drawn).items() if rows}


def bars(picture: Sequence[Bar], *, narrow: bool = False) -> list[Row]:
    """A line for each bar."""
    most, rows = max((one.value for one in picture), default=0), list[Row]()
    for one in picture:
        drawn = bar(one.value, most, SHORT if narrow else BAR, part=one.part)
        if narrow and one.note:
            rows += [(one.name, one.figure, drawn), ("", "", one.note)]
        else:
            rows.append((one.name, one.figure, f"{drawn:<{BAR}}  {one.note}" if one.note else drawn))
    return rows


def decisions(found: JSON) -> list[Row]:
    """How many there were, of which kind, and how long they took where a card was looked at."""
    done = {name: count for name, count in found["verdicts"].items() if name not in STILL}
    rest = {word: found["verdicts"].get(name, 0) for name, word in STILL.items()}
    counts = "; ".join(filter(None, (_counts(done), f"undecided: {_counts(rest)}" if any(rest.values()) else "")))
    rows = [("decisions", f"{found['decisions']:,}", counts)]
    if found["seconds_p90"]:
        rows.append(("median", f"{found['seconds_median']:.1f}s", f"a decision; 9 of 10 within {found['seconds_p90']:.1f}s"))
        rows.append(("over 5 s", f"{found['over_5s']:.0%}", f"of the decisions; {PAUSE:.0f} s without a key are a pause"))
    return rows


def deliveries(found: JSON) -> list[Row]:
    """How often lessons were sent, and what came of it."""
    if not found.get("deliveries"):
        return []
    came = found["outcomes"]
    never = f"; {came['never_told']:,} lessons were never sent" if came["never_told"] else ""
    times = "time" if found["deliveries"] == 1 else "times"
    rows = [("sent", f"{found['deliveries']:,}", f"{times}, {pluralize(came['tokens'], 'token')} in all{never}")]
    if outcomes := _counts({name: came[name] for name in ("helped", "ignored", "hurt")}):
        rows.append(("came of it", "", f"{outcomes} (weights: a report or a verdict counts half)"))
    if came["before"] or came["after"]:
        rows.append(("said", f"{came['before']:,}", f"times in sessions before they were sent, {came['after']:,} again after"))
    return rows


def helping(found: JSON) -> list[Row]:
    """Corrections with and without anything sent, and what chance held out: each with its interval of 95 %, and the warning."""
    rows: list[Row] = []
    over, held = found.get("over_time"), found.get("holdout")
    if over and over["sent"]["of"]:
        for name, words in (("sent", "in which anything was sent"), ("unsent", "in which nothing was sent")):
            rows.append(("sessions", f"{over[name]['of']:,}", f"{words}: {_corrections_text(over[name])}"))
        rows.append(("", "", "sessions differ in more than that: this is no proof of anything"))
    if held and (held["setting"] or held["held"]["of"]):
        for name, words in (("sent", "sent"), ("held", "held out")):
            rows.append((words, f"{held[name]['of']:,}", f"stated again in the same session: {_share_text(held[name])}"))
        enough = f"about {held['missing']:,} more are needed" if held["missing"] else "enough"
        rows.append(("", "", f"{enough} to see a halving, of what comes up again every second time"))
    return rows


def _corrections_text(mean: JSON) -> str:
    """Corrections a session, with their interval."""
    if mean["mean"] is None:
        return "too few to say how often you corrected the agent"
    return f"{mean['mean']:.2f} corrections by you a session ({mean['low']:.2f} to {mean['high']:.2f})"


def _share_text(share: JSON) -> str:
    """A share with its interval."""
    return f"{share['share']:.0%} ({share['low']:.0%} to {share['high']:.0%})" if share["of"] else "none yet"


def models(row: JSON) -> str:
    """What a model's reading took, and what became of its cards."""
    cost = f" ({row['cost']:.4g} at the price that is set)" if row["cost"] else ""
    fates = _counts({name: row[name] for name in ("kept", "edited", "merged", "dropped")}) or "nothing decided yet"
    sessions = "session" if row["sessions"] == 1 else "sessions"
    return f"{sessions}, {pluralize(row['tokens'], 'token')}{cost}; of its cards {fates}"


def _counts(counts: Mapping[str, Any]) -> str:
    """Figures with their names, without those that are 0.

    >>> _counts({"kept": 1200, "merged": 0, "dropped": 2})
    '1,200 kept, 2 dropped'
    """
    return ", ".join(f"{count:,.10g} {name}" for name, count in counts.items() if count)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryStats:
    """How a lesson fared: how often it was sent, in how many sessions, first and last when; what came of it, as weights.

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


def sentence(stats: DeliveryStats) -> str:
    """How a lesson fared, for people; empty where there is nothing to say yet.

    >>> sentence(DeliveryStats(times=5, sessions=3, helped=1.05, ignored=2.0))
    'sent 5 times in 3 sessions: helped 1.1, ignored 2'
    >>> sentence(DeliveryStats(times=1, sessions=1)), sentence(DeliveryStats()), sentence(DeliveryStats(chances=100))
    ('sent once', '', 'never sent, in 100 chances')
    """
    if not stats.times:
        return f"never sent, in {stats.chances} chances" if stats.chances >= ENOUGH else ""
    often = "sent once" if stats.times == 1 else f"sent {stats.times} times in {pluralize(stats.sessions, 'session')}"
    came = [f"{name} {weight:.3g}" for name in ("helped", "ignored", "hurt") if (weight := round(getattr(stats, name), 1))]
    return f"{often}: {', '.join(came)}" if came else often


def lesson_summary(lessons: Iterable[Entry], stats: Mapping[str, DeliveryStats]) -> JSON:
    """The part of ``curator stats --json`` about telling: {deliveries, outcomes}.

    ``outcomes`` has the tokens told, the weights by kind, how many active lessons were never told; of those that were, how
    often they had been stated by then (``before``), and how often they had to be said again or were contradicted where they
    were told (``after``). Evidence says nothing of the latter: it also comes from sessions in which nothing was sent.
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
