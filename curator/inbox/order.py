"""The order of the inbox, the answer that is suggested to a conflict, offers, and how long a card can be snoozed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from curator.model import FROM_FILE, Entry, Kind, Relating, Role, State, Wording
from curator.text.statement import oneline, states

HOUR = 3600.0
SNOOZES: tuple[tuple[str, float], ...] = (
    ("an hour", HOUR),
    ("a day", 24 * HOUR),
    ("a week", 168 * HOUR),
    ("thirty days", 720 * HOUR),
)
"""What ``Z`` offers, as (label, seconds)."""

REASONS: tuple[str, ...] = ("wrong", "obsolete", "duplicate", "broad")
"""What ``X`` offers as the reason of a retirement or dismissal."""

WITHDRAWN = "withdrawn"
"""The reason, given by no person, of a card that was taken back because its question had answered itself."""


class Resolution(StrEnum):
    """The ways out of a conflict."""

    NEWER = "newer"
    """The new statement takes the old lesson's place."""
    OLDER = "older"
    """The old lesson stays, the new statement goes."""
    BOTH = "both"
    """Both hold."""
    MERGE = "merge"
    """The new statement's evidence and wording go into the old lesson."""


def rank(entry: Entry) -> float:
    """How early a row is shown: conflicts first, since they block a lesson that is in use, then stale ones, then candidates.

    Among candidates the expected worth decides; being stated again counts more than any single part of a score.
    """
    if entry.kind is Kind.CONFLICT:
        return 2.0 + entry.score
    if entry.kind is Kind.STALE:
        return 1.0 + entry.score / 100
    return min(0.999, entry.score + 0.05 * (entry.seen - 1))


LIKELY = 0.6
"""Scores from here on are called likely."""


def confidence(score: float) -> str:
    """How sure the detector is of a card. A word: on repositories that it does not know, its per cent were no promise."""
    return "likely" if score >= LIKELY else "maybe"


def differing(wording: Wording, entry: Entry) -> str:
    """What tells an offer from the text that stands: its headline, its insight, or all that agents are told of both."""
    if _bare(wording.headline) == _bare(entry.headline):
        return wording.insight
    return wording.headline if _bare(wording.insight) == _bare(entry.insight) else oneline(wording)


def choose_wording(wording: Wording, entry: Entry) -> Wording:
    """The words that are kept where an offer is chosen: those that its card shows, since agents are told no others.

    Another headline alone is offered in place of what the old one says. An insight that says that stands for the old words, so
    the new ones take its place; one that says something else, as the reason does, stays beside them.
    """
    other = _bare(wording.headline) != _bare(entry.headline) and _bare(wording.insight) == _bare(entry.insight)
    return wording._replace(insight=wording.headline) if other and states(entry) else wording


def within(headline: str, insight: str) -> tuple[str, str, str] | None:
    """An insight that says the headline, too, as what stands before it, the headline, and what stands behind it.

    Case and final punctuation don't count; an insight that says nothing else is the headline. ``None`` where each says
    something of its own.

    >>> within("Use pnpm.", "use pnpm, since npm breaks links")
    ('', 'use pnpm', ', since npm breaks links')
    >>> within("Use npm", "Use npmrc"), within("Use npm", "use npm.")
    (None, ('', 'Use npm', ''))
    """
    bare = _bare(headline)
    if not insight or _bare(insight) == bare:
        return "", headline, ""
    if not bare or bare not in insight.lower():  # most often, and an expression takes long to make
        return None
    found = re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", insight, re.IGNORECASE)
    return (insight[: found.start()], found[0], insight[found.end() :]) if found else None


def offers(entry: Entry) -> list[tuple[int, str, str]]:
    """What is offered beside the text of a card: (digit, text, label). The digit is its place, whatever is left out.

    Left out is what is on the card already. No text means its headline without the rest; ``…`` stands for all of its text.
    """
    found = []
    for digit, wording in enumerate(entry.wordings[:3], 1):
        text = differing(wording, entry)
        if _bare(text) == _bare(entry.insight or entry.headline):
            continue
        parts = within(entry.insight, text) if entry.insight else None
        text = "" if _bare(text) == _bare(entry.headline) else f"{parts[0]}…{parts[2].lstrip('.')}" if parts else text
        found.append((digit, text, wording.label))
    return found


def _bare(text: str) -> str:
    return text.strip().rstrip(".!;:, ").lower()


def apart(entry: Entry, other: Entry) -> tuple[str, str] | None:
    """The folders of which two lessons speak, where neither is in the other: then both may hold, each in its own."""
    mine, theirs = common_folder(entry.paths or entry.files), common_folder(other.paths or other.files)
    inside = f"{mine}/".startswith(f"{theirs}/") or f"{theirs}/".startswith(f"{mine}/")
    return (mine, theirs) if mine and theirs and not inside else None


def common_folder(paths: Sequence[str]) -> str:
    """The deepest folder that holds all of these files; empty where that is the whole project.

    >>> common_folder(["web/src/a.ts", "web/b.ts"])
    'web'
    """
    parents = [path.rstrip("/*").split("/")[: None if path.endswith(("/", "*")) else -1] for path in paths]
    shared = []
    for parts in zip(*parents, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared)


def suggest(entry: Entry) -> Resolution:
    """The answer to a conflict that is right most often.

    What a person said or kept outranks what an agent concluded; a repetition adds its evidence to the lesson that stands. A
    file was edited by a person (or comes from one by git). No lesson gives way to a guess.
    """
    assert entry.rival is not None
    if entry.signal == FROM_FILE:
        return Resolution.NEWER
    if entry.rival.relating is Relating.DUPLICATE:
        return Resolution.MERGE
    by_person = entry.state is State.ACTIVE or any(evidence.role is Role.HUMAN for evidence in entry.evidence)
    if entry.rival.relating is Relating.CONTRADICTS and not by_person:
        return Resolution.OLDER
    return Resolution.NEWER if entry.rival.certain else Resolution.BOTH
