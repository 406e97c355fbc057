"""The numbers for people: lines under headings, without those that say nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.model import JSON
from curator.text.plurals import counted

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
        "told to agents": told(found),
    }
    return {heading: rows for heading, rows in parts.items() if rows}


def decisions(found: JSON) -> list[Row]:
    """How many there were, of which kind, and how long they took where a card was looked at."""
    done = {name: count for name, count in found["verdicts"].items() if name not in STILL}
    rest = {word: found["verdicts"].get(name, 0) for name, word in STILL.items()}
    said = "; ".join(filter(None, (_counts(done), f"undecided: {_counts(rest)}" if any(rest.values()) else "")))
    rows = [("decisions", f"{found['decisions']:,}", said)]
    if found["seconds_p90"]:
        rows.append(("median", f"{found['seconds_median']:.1f}s", f"a decision; 9 of 10 within {found['seconds_p90']:.1f}s"))
        rows.append(("over 5 s", f"{found['over_5s']:.0%}", "of the decisions"))
    return rows


def told(found: JSON) -> list[Row]:
    """How often lessons were told, and what came of it."""
    if not found.get("deliveries"):
        return []
    came = found["outcomes"]
    never = f"; {came['never_told']:,} of the lessons never" if came["never_told"] else ""
    times = "time" if found["deliveries"] == 1 else "times"
    rows = [("told", f"{found['deliveries']:,}", f"{times}, {counted(came['tokens'], 'token')} in all{never}")]
    if outcomes := _counts({name: came[name] for name in ("helped", "ignored", "hurt")}):
        rows.append(("came of it", "", f"{outcomes} (weights: a report or a verdict counts half)"))
    if came["before"] or came["after"]:
        rows.append(("said", f"{came['before']:,}", f"times in sessions before they were told, {came['after']:,} again after"))
    return rows


def _counts(counts: Mapping[str, Any]) -> str:
    """Figures with their names, without those that are 0.

    >>> _counts({"kept": 1200, "merged": 0, "dropped": 2})
    '1,200 kept, 2 dropped'
    """
    return ", ".join(f"{count:,.10g} {name}" for name, count in counts.items() if count)
