"""Format what a replay gave: lines under headings, and what has to be said with them."""

from __future__ import annotations

from collections.abc import Iterator

from curator.app.figures.replay import ACTIVE, AS_KEPT, CANDIDATES
from curator.model import JSON
from curator.replay.outcomes import Outcome, share
from curator.stats import Row
from curator.text.words import pluralize

POOLS = {
    ACTIVE: "today's active lessons, each from its first evidence on",
    AS_KEPT: "today's active lessons, each from the day on which it was kept",
    CANDIDATES: "active lessons and what waits in the inbox: an upper bound",
}
LEFT_OUT = "Nothing was written. Code is not replayed: stale marks are left out, and so are outcomes of sending."
ENOUGH = 30
"""From so many statements that came up again on a share says something."""


def sections(found: JSON, which: str) -> dict[str, list[Row]]:
    """What ``replay.figures`` gives, by heading."""
    parts = {
        "what was replayed": coverage(found, which),
        "what came up again in a later session": recurrence_rows(found),
        "what would have been sent": volume(found),
    }
    return {heading: rows for heading, rows in parts.items() if rows}


def coverage(found: JSON, which: str) -> list[Row]:
    """The sessions, and the lessons that were in play."""
    undated = f"{found['undated']} of them by the age of their file" if found["undated"] else ""
    known = f"{POOLS[which]}; {found['in_play']:,} known while sessions went on"
    return [("sessions", f"{found['sessions']:,}", undated), ("lessons", f"{found['lessons']:,}", known)]


def recurrence_rows(found: JSON) -> list[Row]:
    """What came up again, and what became of it: each outcome with its share."""
    outcomes, every = found["outcomes"], found["came_up_again"]
    kinds = ", ".join(f"{one['of']} {kind}" for kind, one in found["by_kind"].items())
    before = f"{share_text(found['sent_before'])}{by_chance(found, 'sent_before')}"
    rows = [("in all", f"{every:,}", kinds)]
    rows += [("sent before", f"{outcomes[Outcome.BEFORE]:,}", before)] if every else []
    if outcomes[Outcome.BEFORE]:
        seconds = f", {found['seconds_before']:.0f} s" if found["seconds_before"] is not None else ""
        between = f"{pluralize(found['turns_before'], 'turn')}{seconds}, {pluralize(found['tokens_before'], 'token')}"
        rows.append(("", "", f"{between} before it was said (median)"))
    others = [outcome for outcome in Outcome if outcome is not Outcome.BEFORE] if every else []
    rows += [(one.value, f"{outcomes[one]:,}", share_text(share(outcomes[one], every))) for one in others]
    spared = found["corrections_spared_at_most"]
    note = f"by a person in all; {spared} at most would have been spared"
    return [*rows, ("corrections", f"{found['corrections']:,}", note)]


def volume(found: JSON) -> list[Row]:
    """How much would have been sent, and how much of it fitted."""
    tokens, fitting = found["tokens_a_session"], found["fitting"]
    cost = f"tokens a session: {tokens['median']} (median), {tokens['p90']} (9 of 10 below)"
    fits = f"{share_text(fitting)} fits what the session then did{by_chance(found, 'fitting')}"
    return [("lessons", f"{found['sent']:,}", cost), ("fitting", f"{fitting['n']:,}", fits)]


def share_text(share: JSON) -> str:
    """A share with its interval."""
    if not share["of"]:
        return "of none"
    return f"{share['share']:.0%} ({share['low']:.0%} to {share['high']:.0%})"


def by_chance(found: JSON, name: str) -> str:
    """The same share where all lessons are another project's."""
    return f"; by chance {share_text(found['chance'][name])}" if found["chance"] else ""


def notes(found: JSON) -> Iterator[str]:
    """What has to be said beside the figures."""
    yield LEFT_OUT
    yield "Fitting is a lower bound of use, idle an upper bound of noise: what was read and heeded stands in no transcript."
    if not found["chance"]:
        yield "There is no control: no other project has lessons that could take the place of these."
    if not found["came_up_again"]:
        yield "No lesson came up again in a later session, so nothing can be said of whether one would have been sent in time."
    elif found["came_up_again"] < ENOUGH:
        yield f"Only {pluralize(found['came_up_again'], 'statement')} came up again: the interval is the result, not the share."
