"""The numbers for people: lines under headings, without those that say nothing.

What came of sending lessons to agents, in numbers and in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from curator.model import JSON, Entry
from curator.text.words import counted

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


def sections(found: JSON) -> dict[str, list[Row]]:
    """What ``stats.summary`` found, by heading; headings without a line are left out."""
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
        "read by a model": [(model, f"{row['sessions']:,}", models(row)) for model, row in found.get("distillers", {}).items()],
    }
    return {heading: rows for heading, rows in parts.items() if rows}


def decisions(found: JSON) -> list[Row]:
    """How many there were, of which kind, and how long they took where a card was looked at."""
    done = {name: count for name, count in found["verdicts"].items() if name not in STILL}
    rest = {word: found["verdicts"].get(name, 0) for name, word in STILL.items()}
    counts = "; ".join(filter(None, (_counts(done), f"undecided: {_counts(rest)}" if any(rest.values()) else "")))
    rows = [("decisions", f"{found['decisions']:,}", counts)]
    if found["seconds_p90"]:
        rows.append(("median", f"{found['seconds_median']:.1f}s", f"a decision; 9 of 10 within {found['seconds_p90']:.1f}s"))
        rows.append(("over 5 s", f"{found['over_5s']:.0%}", "of the decisions"))
    return rows


def deliveries(found: JSON) -> list[Row]:
    """How often lessons were sent, and what came of it."""
    if not found.get("deliveries"):
        return []
    came = found["outcomes"]
    never = f"; {came['never_told']:,} lessons were never sent" if came["never_told"] else ""
    times = "time" if found["deliveries"] == 1 else "times"
    rows = [("sent", f"{found['deliveries']:,}", f"{times}, {counted(came['tokens'], 'token')} in all{never}")]
    if outcomes := _counts({name: came[name] for name in ("helped", "ignored", "hurt")}):
        rows.append(("came of it", "", f"{outcomes} (weights: a report or a verdict counts half)"))
    if came["before"] or came["after"]:
        rows.append(("said", f"{came['before']:,}", f"times in sessions before they were sent, {came['after']:,} again after"))
    return rows


def models(row: JSON) -> str:
    """What a model's reading took, and what became of its cards."""
    cost = f" ({row['cost']:.4g} at the price that is set)" if row["cost"] else ""
    fates = _counts({name: row[name] for name in ("kept", "edited", "merged", "dropped")}) or "nothing decided yet"
    return f"{'session' if row['sessions'] == 1 else 'sessions'}, {counted(row['tokens'], 'token')}{cost}; of its cards {fates}"


def _counts(counts: Mapping[str, Any]) -> str:
    """Figures with their names, without those that are 0.

    >>> _counts({"kept": 1200, "merged": 0, "dropped": 2})
    '1,200 kept, 2 dropped'
    """
    return ", ".join(f"{count:,.10g} {name}" for name, count in counts.items() if count)


DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fared:
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


def sentence(fared: Fared) -> str:
    """How a lesson fared, for people; empty where there is nothing to say yet.

    >>> sentence(Fared(times=5, sessions=3, helped=1.05, ignored=2.0))
    'sent 5 times in 3 sessions: helped 1.1, ignored 2'
    >>> sentence(Fared(times=1, sessions=1)), sentence(Fared()), sentence(Fared(chances=100))
    ('sent once', '', 'never sent, in 100 chances')
    """
    if not fared.times:
        return f"never sent, in {fared.chances} chances" if fared.chances >= ENOUGH else ""
    often = "sent once" if fared.times == 1 else f"sent {fared.times} times in {counted(fared.sessions, 'session')}"
    came = [f"{name} {weight:.3g}" for name in ("helped", "ignored", "hurt") if (weight := round(getattr(fared, name), 1))]
    return f"{often}: {', '.join(came)}" if came else often


def summary(lessons: Iterable[Entry], fared: Mapping[str, Fared]) -> JSON:
    """The part of ``curator stats --json`` about telling: {deliveries, outcomes}.

    ``outcomes`` has the tokens told, the weights by kind, how many active lessons were never told; of those that were, how
    often they had been stated by then (``before``), and how often they had to be said again or were contradicted where they
    were told (``after``). Evidence says nothing of the latter: it also comes from sessions in which nothing was sent.
    """
    outcomes = list(fared.values())
    active = list(lessons)
    before = after = 0
    for entry in active:
        first = fared[entry.id].first if entry.id in fared else 0.0
        if first:
            before += sum(item.at is not None and 0 < item.at <= first for item in entry.evidence)
            after += fared[entry.id].again
    return {
        "deliveries": sum(one.times for one in outcomes),
        "outcomes": {
            "tokens": sum(one.tokens for one in outcomes),
            **{name: round(sum(getattr(one, name) for one in outcomes), 2) for name in ("helped", "ignored", "hurt")},
            "never_told": sum(not (entry.id in fared and fared[entry.id].times) for entry in active),
            "before": before,
            "after": after,
        },
    }
