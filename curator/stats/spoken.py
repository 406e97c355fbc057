"""The numbers for people: lines under headings, without those that say nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.counted import counted
from curator.model import JSON

Row = tuple[str, str, str]
"""A name, its figure, and what else is to be said of it."""


def sections(found: JSON) -> dict[str, list[Row]]:
    """What ``stats.summary`` found, by heading; headings without a line are left out."""
    parts = {
        "lessons and candidates": [(name, f"{count:,}", "") for name, count in found["states"].items()],
        "verdicts": decisions(found),
        "to look at": [
            (name, f"{sum(found[name].values()):,}", ", ".join(f"{kind} {count:,}" for kind, count in found[name].items()))
            for name in ("stale", "cleanup")
            if found[name]
        ],
        "told to agents": told(found),
    }
    return {heading: rows for heading, rows in parts.items() if rows}


def decisions(found: JSON) -> list[Row]:
    """How many there were, of which kind, and how long they took where a card was looked at."""
    rows = [("decisions", f"{found['decisions']:,}", _listed(found["verdicts"]))]
    if found["seconds_p90"]:
        rows.append(("median", f"{found['seconds_median']:.1f}s", f"9 of 10 in {found['seconds_p90']:.1f}s"))
        rows.append(("over 5 s", f"{found['over_5s']:.0%}", ""))
    return rows


def told(found: JSON) -> list[Row]:
    """How often lessons were told, and what came of it."""
    if not found.get("deliveries"):
        return []
    came = found["outcomes"]
    never = f"; {came['never_told']:,} of the lessons never" if came["never_told"] else ""
    rows = [("told", f"{found['deliveries']:,}", f"{counted(came['tokens'], 'token')}{never}")]
    if outcomes := _listed({name: came[name] for name in ("helped", "ignored", "hurt")}):
        rows.append(("of it", "", outcomes))
    if came["before"] or came["after"]:
        rows.append(("stated", f"{came['before']:,}", f"times before these were told, {came['after']:,} again after"))
    return rows


def _listed(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {count:,g}" for name, count in counts.items() if count)
