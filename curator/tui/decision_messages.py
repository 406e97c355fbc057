"""The message about the last change, and the lesson that it changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from curator.app import Outcome
from curator.model import APART, MEMORY, Durability, Entry, Kind, State, Verb
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.text import fit

DONE: dict[Verb, str] = {
    Verb.KEEP: "kept",
    Verb.CONFIRM: "confirmed:",
    Verb.EDIT: "saved",
    Verb.DISMISS: "dropped",
    Verb.RETIRE: "retired",
    Verb.MERGE: "merged",
    Verb.SUPERSEDE: "superseded",
    Verb.COEXIST: "both kept",
    Verb.SNOOZE: "snoozed",
    Verb.REOPEN: "back in the inbox:",
    Verb.ADD: "added",
    Verb.UNDO: "undone",
    Verb.REDO: "redone",
}
"""The words for a change, before those of the lesson."""
STATE_WORDS = {
    State.OPEN: "is in the inbox",
    State.ACTIVE: "is a lesson",
    State.RETIRED: "is retired",
    State.DISMISSED: "is dropped",
    State.MERGED: "is merged",
    State.EXPIRED: "is gone",
}
"""The words for an entry's state, after its own."""
SIDE_WIDTH = 30
"""Cells for the first of two lessons in one sentence."""


def decision_message(outcome: Outcome, before: Entry | None, count: int, now: float, *, note_goes: bool = False) -> str:
    """Return the effect of a decision on ``count`` rows. ``before`` is the card that was shown.

    ``note_goes``: the agent's note goes with its card.
    """
    first = outcome.entries[0] if outcome.entries else None
    sign = styles.DROPPED if outcome.verb in (Verb.DISMISS, Verb.RETIRE) else styles.DONE
    if first is None:
        return f"{sign} {DONE.get(outcome.verb, outcome.verb)}"
    done = _verdict_words(outcome, first, before if before and before.id == first.id else None, now)
    done = DONE[Verb.DISMISS] if note_goes and outcome.verb is Verb.DISMISS else done
    if outcome.verb is Verb.MERGE or (outcome.verb is Verb.SUPERSEDE and count == 1):
        return f"{sign} {done} {_merge_words(outcome, first, count)}"
    if count > 1:
        return f"{sign} {done.rstrip(':')} {count}"
    return f"{sign} {done} “{first.headline}”"


def _merge_words(outcome: Outcome, first: Entry, count: int) -> str:
    """Return the effect of a merge or a replacement, with the words of both entries. A candidate becomes a lesson."""
    shown = f"“{fit(first.headline, SIDE_WIDTH).rstrip()}”" if count == 1 else f"{count}"
    if len(outcome.entries) < 2:
        return shown
    other = outcome.before.get(outcome.entries[1].id, outcome.entries[1])
    into = "by" if outcome.verb is Verb.SUPERSEDE else "into the new lesson" if other.state is State.OPEN else "into"
    return f"{shown} {into} “{other.headline}”"


def _verdict_words(outcome: Outcome, first: Entry, before: Entry | None, now: float) -> str:
    if outcome.verb is Verb.SNOOZE and first.snoozed_until:
        if first.snoozed_until <= now:
            return DONE[Verb.REOPEN]
        return f"snoozed until {moment(first.snoozed_until, now)}:"
    if outcome.verb is Verb.RETIRE and first.state is State.DISMISSED:
        return DONE[Verb.DISMISS]
    if outcome.verb is Verb.DISMISS and first.signal == MEMORY:  # The agent still reads it.
        return f"dropped; the agent's note stays in {PurePath(first.evidence[0].file).name}:"
    if outcome.verb is Verb.CONFIRM and before and before.anchors and not first.anchors:
        return "confirmed; its code no longer exists, so curator stops watching it:"
    if outcome.verb is Verb.COEXIST and first.state is State.OPEN:
        return "not a conflict; now a candidate:"
    if outcome.verb is Verb.COEXIST and any(why == APART for _, why in first.coexists):
        return "kept apart:"
    return _edit_words(first, before) if outcome.verb is Verb.EDIT and before else DONE.get(outcome.verb, outcome.verb)


def _edit_words(after: Entry, before: Entry) -> str:
    """Return the effect of an edit."""
    if after.state is not before.state:
        return "saved and kept"
    if after.category is not before.category:
        return f"category {after.category}:"
    if (after.scope, after.paths) != (before.scope, before.paths):
        return f"applies {where(after)}:"
    if after.durability is not before.durability:
        return f"{pin_words(after)}:"
    if (after.files, after.anchors) != (before.files, before.anchors):
        return "linked code saved:"
    return "saved; press y to keep it:" if after.state is State.OPEN else "saved"


def learning_message(signals: Sequence[tuple[str, bool]]) -> str:
    """Return what the verdicts did to rules, each with whether it counts less now.

    >>> learning_message([("standing-rule", True)])
    'learned: cards found by standing-rule now rank lower in this project'
    """
    parts = []
    for less in (True, False):
        if names := [signal for signal, is_less in signals if is_less is less]:
            parts.append(f"cards found by {' and '.join(names)} now rank {'lower' if less else 'higher'} in this project")
    return f"learned: {'; '.join(parts)}"


def undo_message(outcome: Outcome, entry: Entry, now: float) -> str:
    """Return the effect of an undo or redo on an entry, and the number of other entries that changed or are gone."""
    others = [one.state for one in outcome.entries if one.id != entry.id]
    gone = 0 if entry.state is State.EXPIRED else others.count(State.EXPIRED)
    more = f", and {pluralize(len(others) - gone, 'other')} with it" if len(others) > gone else ""
    less = f"; {pluralize(gone, 'new card')} gone" if gone else ""
    became = _change_words(entry, outcome.before.get(entry.id), now)
    return f"{styles.DONE} {DONE[outcome.verb]}: “{entry.headline}” {became}{more}{less}"


def _change_words(entry: Entry, before: Entry | None, now: float) -> str:
    if before is None or entry.state is not before.state:
        return STATE_WORDS[entry.state] if entry.state is State.EXPIRED else f"{STATE_WORDS[entry.state]} again"
    if (entry.headline, entry.insight) != (before.headline, before.insight):
        return "has these words again"
    if entry.category is not before.category:
        return f"has the category {entry.category} again"
    if (entry.scope, entry.paths) != (before.scope, before.paths):
        return f"applies {where(entry)} again"
    if entry.durability is not before.durability:
        return f"is {pin_words(entry)} again"
    if entry.snoozed_until != before.snoozed_until:
        return f"is snoozed until {moment(entry.snoozed_until, now)} again" if entry.snoozed_until else "is in the inbox again"
    if entry.left_out is not before.left_out:
        return "is left out again" if entry.left_out else "is shown again"
    return "is a conflict again" if entry.kind is Kind.CONFLICT else "is as it was"


def pin_words(entry: Entry) -> str:
    """Return whether every session starts with a lesson."""
    return "pinned" if entry.durability is Durability.PINNED else "not pinned"


def where(entry: Entry) -> str:
    """Return the scope of a lesson."""
    return {"project": "in its project", "global": "everywhere"}.get(entry.scope, f"in {' '.join(entry.paths)}")


def moment(at: float, now: float) -> str:
    """Return a time to come, as short as it is clear by the wall clock here.

    >>> day = datetime(2026, 3, 2, 9, 30).timestamp()
    >>> [moment(day + hours * 3600, day) for hours in (1, 24, 24 * 30)]
    ['10:30', 'Tue 09:30', '1 Apr']
    """
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now).date()
    if then.date() == today:
        return f"{then:%H:%M}"
    if (then.date() - today).days < 7:
        return f"{DAYS[then.weekday()]} {then:%H:%M}"
    return f"{then.day} {MONTHS[then.month - 1]}"


DAYS: Sequence[str] = "Mon Tue Wed Thu Fri Sat Sun".split()
MONTHS: Sequence[str] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
