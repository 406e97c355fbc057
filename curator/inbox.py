"""The order of the inbox, suggested answers, offers and snoozes.

Decisions teach how likely a person keeps the cards of a signal. A score is a likelihood: of 10 cards with .5, 5 should be kept.
``PRIOR`` imaginary cards smooth the kept share, first over the other projects, and then, with that expectation, over this one
(a beta prior each). The adjustment is the difference in log-odds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from curator.model import MEMORY, Entry, Kind, Relating, Role, State, Tier, Wording
from curator.text.statement import oneline, states

HOUR = 3600.0
SNOOZES: tuple[tuple[str, float], ...] = (
    ("an hour", HOUR),
    ("a day", 24 * HOUR),
    ("a week", 168 * HOUR),
    ("thirty days", 720 * HOUR),
)
"""The times that ``snooze-until`` offers, as (label, seconds)."""

REASONS: tuple[str, ...] = ("wrong", "obsolete", "duplicate", "broad")
"""The reasons that ``X`` offers for a retirement or dismissal."""

WITHDRAWN = "withdrawn"
"""The reason, given by no person, of a card that was taken back because its question had answered itself."""


class Resolution(StrEnum):
    """The ways out of a conflict, in the order of their digits."""

    NEWER = "newer"
    """The new statement takes the old lesson's place."""
    OLDER = "older"
    """Keep the old lesson and drop the new statement."""
    BOTH = "both"
    """Both hold."""
    MERGE = "merge"
    """The new statement's evidence and wording go into the old lesson."""


RELATING = {
    Relating.DUPLICATE: "says the same as",
    Relating.REFINES: "says more than",
    Relating.SUPERSEDES: "would replace",
    Relating.CONTRADICTS: "contradicts",
}


def rank(entry: Entry) -> float:
    """Return the rank of a row: conflicts first, because they concern a lesson in use, then stale lessons, then candidates.

    Candidates are ordered by expected worth. The detector's own scores promise more than readers kept, so they are lowered:
    they stay below the notes of agents and the cards of a model. The order among them does not change.
    """
    if entry.kind is Kind.CONFLICT:
        return 2.0 + entry.score
    if entry.kind is Kind.STALE:
        return 1.0 + entry.score / 100
    return _worth(entry) * (DETECTED_SHARE if _is_detected(entry) else 1.0)


DETECTED_SHARE = 0.9
"""The part of a detector's score that counts: people kept half of its best cards, but 85 of 100 notes scored .9."""


def _worth(entry: Entry) -> float:
    """Return the score of a card, in which a repetition counts more than any single part."""
    return min(0.999, entry.score + 0.05 * (entry.times_stated - 1))


def _is_detected(entry: Entry) -> bool:
    """Return whether the detector made a card. Its reasons begin with a ``base``."""
    return "base" in entry.score_parts


LIKELY_SCORES = {Role.HUMAN: 0.85, Role.FILE: 0.56, Role.TOOL_CALL: 0.7}
LIKELY_SCORE = 0.75
"""The lowest scores in the first list: for a person's words, those in a committed transcript, a fixed command, and all others.

From them on, 65 of 100 judged cards are kept: see ``tests/benchmarks/train.py``. A person's words get too high a score, because
a sentence that looks like a rule is often meant for the current task. Words in a committed transcript already have a lower
score (``app.origins``). A fixed command has the same score every time.
"""


def is_likely(entry: Entry) -> bool:
    """Return whether a card of the detector is shown without a request for weaker ones."""
    return _worth(entry) >= LIKELY_SCORES.get(_speaker(entry), LIKELY_SCORE)


def _speaker(entry: Entry) -> Role:
    return entry.evidence[0].role if entry.evidence else Role.ASSISTANT


def confidence(entry: Entry) -> str:
    """Return how sure the detector is of a card.

    A word: on repositories that it does not know, its per cent were no promise.
    """
    return "likely" if is_likely(entry) else "maybe"


MENDED = "failed-then-worked"
"""The signal of a command that failed and then worked in another form."""


def tier(entry: Entry) -> Tier:
    """Return the part of the inbox that shows an entry.

    Only the detector's cards depend on their score. Until a model has read their session, cards with a person's words or a
    fixed command join the model's cards.
    """
    if entry.left_out:
        return Tier.REST
    if entry.kind is not Kind.CANDIDATE or entry.state is not State.OPEN or not _is_detected(entry):
        return Tier.SURE
    if not is_likely(entry):
        return Tier.REST
    return Tier.SURE if entry.signal == MENDED or _speaker(entry) is Role.HUMAN else Tier.LIKELY


OLD_NOTE_SECONDS = 90 * 24 * HOUR
"""The age from which an unconfirmed note appears in the cleanup."""


def doubt_reason(entry: Entry, now: float) -> str:
    """Return the reason to review an agent's old note that was never stated again, and that no person confirmed since."""
    confirmed = entry.updated if entry.state is State.ACTIVE else 0.0
    is_old = now - max(entry.stated, confirmed) > OLD_NOTE_SECONDS
    return "nothing confirmed it in 90 days" if is_old and entry.signal == MEMORY and entry.times_stated == 1 else ""


def differing(wording: Wording, entry: Entry) -> str:
    """Return the difference between an offer and the current text: its headline, its insight, or both together."""
    if _bare(wording.headline) == _bare(entry.headline):
        return wording.insight
    return wording.headline if _bare(wording.insight) == _bare(entry.insight) else oneline(wording)


def choose_wording(wording: Wording, entry: Entry) -> Wording:
    """Return the words that a chosen offer keeps: those on its card, because agents get no others.

    A headline alone replaces the old one. If the insight repeats the old headline, the new words replace it. An insight with
    other words, such as the reason, stays.
    """
    other = _bare(wording.headline) != _bare(entry.headline) and _bare(wording.insight) == _bare(entry.insight)
    return wording._replace(insight=wording.headline) if other and states(entry) else wording


def split_around_headline(headline: str, insight: str) -> tuple[str, str, str] | None:
    """Return an insight that contains the headline as its text before the headline, the headline, and the text after it.

    Case and final punctuation don't count, and neither does the "…" of a headline that was cut. An insight that says nothing
    else is the headline. Return ``None`` if each says something of its own.

    >>> split_around_headline("Use pnpm.", "use pnpm, since npm breaks links")
    ('', 'use pnpm', ', since npm breaks links')
    >>> split_around_headline("Use npm", "Use npmrc"), split_around_headline("Use npm", "use npm.")
    (None, ('', 'Use npm', ''))
    >>> split_around_headline("Use npm in all of…", "Use npm in all of the folders")
    ('', 'Use npm in all of', ' the folders')
    """
    bare = _bare(headline)
    if not insight or _bare(insight) == bare:
        return "", headline, ""
    if not bare or bare not in insight.lower():  # most often, and an expression takes long to make
        return None
    found = re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", insight, re.IGNORECASE)
    return (insight[: found.start()], found[0], insight[found.end() :]) if found else None


def offers(entry: Entry) -> list[tuple[int, str, str]]:
    """Return the offers next to a card's text as (digit, text, label). The digit is the position, even if some are left out.

    Texts that are already on the card are left out. No text means the headline alone; ``…`` means the whole text.
    """
    found = []
    for digit, wording in enumerate(entry.wordings[:3], 1):
        text = differing(wording, entry)
        if _bare(text) == _bare(entry.insight or entry.headline):
            continue
        parts = split_around_headline(entry.insight, text) if entry.insight else None
        text = "" if _bare(text) == _bare(entry.headline) else f"{parts[0]}…{parts[2].lstrip('.')}" if parts else text
        found.append((digit, text, wording.label))
    return found


def _bare(text: str) -> str:
    return text.strip().rstrip(".…!;:, ").lower()


def disjoint_folders(entry: Entry, other: Entry) -> tuple[str, str] | None:
    """Return the folders of two lessons if neither contains the other. Both may then apply, each in its own."""
    mine, theirs = common_folder(entry.paths or entry.files), common_folder(other.paths or other.files)
    inside = f"{mine}/".startswith(f"{theirs}/") or f"{theirs}/".startswith(f"{mine}/")
    return (mine, theirs) if mine and theirs and not inside else None


def common_folder(paths: Sequence[str]) -> str:
    """Return the deepest folder that contains all of these files. Return an empty text if that is the whole project.

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
    """Return the answer to a conflict that is most often right.

    A person's statement outranks an agent's conclusion. A repetition adds its evidence to the stored lesson. A person edited a
    lesson's file, or git brought another version. No lesson gives way to a guess.
    """
    assert entry.rival is not None
    if entry.version_of:
        return Resolution.NEWER
    if entry.rival.relating is Relating.DUPLICATE:
        return Resolution.MERGE
    by_person = entry.state is State.ACTIVE or any(evidence.role is Role.HUMAN for evidence in entry.evidence)
    if entry.rival.relating is Relating.CONTRADICTS and not by_person:
        return Resolution.OLDER
    return Resolution.NEWER if entry.rival.certain else Resolution.BOTH


PRIOR = 12.0
"""The number of decisions that count as much as the score itself."""
MIN_DECISIONS = 5
"""Decisions on a signal before anything is learned of it."""
MAX_ADJUSTMENT = 1.0
"""Log-odds that decisions may add or take away."""
EVERYWHERE = ""
"""The key for projects without data."""


class CandidateDecision(NamedTuple):
    """One decision on a candidate: the project, the signal, the score, and whether it was kept."""

    project: str
    signal: str
    score: float
    kept: bool


@dataclass(frozen=True, slots=True)
class _Tally:
    """Decisions: how many, how many of them kept, and how many were to be expected by their scores."""

    count: int = 0
    keeps: float = 0.0
    expected: float = 0.0

    def __add__(self, other: _Tally) -> _Tally:
        return _Tally(self.count + other.count, self.keeps + other.keeps, self.expected + other.expected)

    def __sub__(self, other: _Tally) -> _Tally:
        return _Tally(self.count - other.count, self.keeps - other.keeps, self.expected - other.expected)

    def shift(self, prior: float = 0.0) -> float:
        """Return the log-odds by which people kept more than expected; ``prior`` is the value assumed before."""
        if not self.count:
            return prior
        expected = odds(self.expected / self.count)
        smoothed = (self.keeps + PRIOR * likelihood(expected + prior)) / (self.count + PRIOR)
        return odds(smoothed) - expected


def learn_adjustments(decisions: Iterable[CandidateDecision]) -> dict[tuple[str, str], float]:
    """Return the learned adjustments by (project, signal), in tenths of log-odds. ``EVERYWHERE`` holds those for other
    projects.

    They are rounded to tenths because each change moves every open card of the signal.
    """
    tallies: dict[tuple[str, str], _Tally] = {}
    for one in decisions:
        if one.signal:
            for key in ((one.project, one.signal), (EVERYWHERE, one.signal)):
                tallies[key] = tallies.get(key, _Tally()) + _Tally(1, float(one.kept), one.score)
    found = {}
    for (project, signal), tally in tallies.items():
        every = tallies[EVERYWHERE, signal]
        prior = (every - tally).shift() if project else 0.0
        found[project, signal] = _tenths(tally.shift(prior)) if every.count >= MIN_DECISIONS else 0.0
    return found


def _tenths(shift: float) -> float:
    return round(max(-MAX_ADJUSTMENT, min(MAX_ADJUSTMENT, shift)), 1) + 0.0


def adjustment(found: Mapping[tuple[str, str], float], project: str, signal: str) -> float:
    """Return the adjustment for a signal in a project."""
    return found.get((project, signal), found.get((EVERYWHERE, signal), 0.0))


def reweigh(entry: Entry, shift: float) -> Entry:
    """Return an open entry with its score after the decisions, which become a part of its reasons."""
    if not shift or entry.state is not State.OPEN:
        return entry
    why = {**entry.score_parts, f"your decisions on {entry.signal}": shift}
    return entry._replace(score=likelihood(odds(entry.score) + shift), score_parts=why)


def odds(likely: float) -> float:
    """Return a likelihood as log-odds.

    >>> odds(0.5)
    0.0
    """
    likely = min(0.999, max(0.001, likely))
    return math.log(likely / (1 - likely))


def likelihood(log_odds: float) -> float:
    """Return log-odds as a likelihood with three digits."""
    return round(1 / (1 + math.exp(-log_odds)), 3)
