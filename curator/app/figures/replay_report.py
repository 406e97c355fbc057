"""Format the results of a replay: lines under headings, and the necessary remarks."""

from __future__ import annotations

from collections.abc import Iterator

from curator.app.figures.replay import ACTIVE, AS_KEPT, CANDIDATES
from curator.model import JSON
from curator.replay.outcomes import Outcome, share
from curator.stats import Row
from curator.text.words import pluralize

POOLS = {
    ACTIVE: "today's active lessons, each from its first quote on",
    AS_KEPT: "today's active lessons, each from the day you kept it",
    CANDIDATES: "active lessons and candidates (an upper bound)",
}
LEFT_OUT = "Nothing was written. The replay ignores changes of code and outcomes."
MIN_STATEMENTS_FOR_SHARE = 30
"""The number of repeated statements from which a share says something."""


def sections(found: JSON, which: str) -> dict[str, list[Row]]:
    """Return what ``replay.figures`` gives, by heading."""
    parts = {
        "replayed": coverage(found, which),
        "stated again in a later session": recurrence_rows(found),
        "what would have been sent": volume(found),
    }
    return {heading: rows for heading, rows in parts.items() if rows}


def coverage(found: JSON, which: str) -> list[Row]:
    """Return the sessions, and the lessons that were in play."""
    undated = f"{found['undated']} of them by the age of their file" if found["undated"] else ""
    known = f"{POOLS[which]}; {found['in_play']:,} known during these sessions"
    return [("sessions", f"{found['sessions']:,}", undated), ("lessons", f"{found['lessons']:,}", known)]


def recurrence_rows(found: JSON) -> list[Row]:
    """Return what came up again, and what became of it: each outcome with its share."""
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
    note = f"by a person; at most {spared} could have been avoided"
    return [*rows, ("corrections", f"{found['corrections']:,}", note)]


def volume(found: JSON) -> list[Row]:
    """Return how much would have been sent, and how much of it fitted."""
    tokens, fitting = found["tokens_a_session"], found["fitting"]
    cost = f"tokens a session: {tokens['median']} (median), {tokens['p90']} (9 of 10 below)"
    fits = f"{share_text(fitting)} of the sent lessons were relevant to what the session did next{by_chance(found, 'fitting')}"
    return [("lessons", f"{found['sent']:,}", cost), ("fitting", f"{fitting['n']:,}", fits)]


def share_text(share: JSON) -> str:
    """Return a share with its interval."""
    if not share["of"]:
        return "of none"
    return f"{share['share']:.0%} ({share['low']:.0%} to {share['high']:.0%})"


def by_chance(found: JSON, name: str) -> str:
    """Return the same share where all lessons are another project's."""
    return f"; by chance {share_text(found['chance'][name])}" if found["chance"] else ""


def notes(found: JSON) -> Iterator[str]:
    """Yield what has to be said beside the figures."""
    yield LEFT_OUT
    yield "These figures are bounds. A transcript does not show whether the agent used a lesson."
    if not found["chance"]:
        yield "There is no control, because no other project has lessons."
    if not found["came_up_again"]:
        yield "No lesson was stated again in a later session, so there is nothing to measure."
    elif found["came_up_again"] < MIN_STATEMENTS_FOR_SHARE:
        yield f"Only {pluralize(found['came_up_again'], 'statement')} came up again. Read the interval, not the share."
