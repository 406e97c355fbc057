"""What two statements are to each other: exact evidence first, then the trained model, then, without it, the rules."""

from __future__ import annotations

from dataclasses import dataclass

from curator.comparison.baseline import compared, exact, likeness
from curator.comparison.classifier import CONFLICTS, UNRELATED, Model, kind_of, shipped
from curator.comparison.conflict_words import Clash, as_written, clashing, denied
from curator.comparison.demands import opposed, overturned
from curator.comparison.features import features
from curator.model import Relating

BARS = {
    "edited": {"duplicate": 0.5, "refines": 0.5, "conflict": 0.6},
    "freely": {"duplicate": 0.65, "refines": 0.65, "conflict": 0.5},
}
"""How certain it must be that a pair is this before a person is asked, by whether a rule was edited or both are in free words.
On repositories that the model had not seen 88 of 100 such conflicts of edited rules were right; see docs/relations.md."""
TURNED_DOWN = frozenset(f"{side} turns down>0.65" for side in "ab")
"""Features of a pair of which one turns down what the other asks for. That it says the same, or adds something, is wrong
there in four of ten cases however certain it seems, so nobody is asked."""
BRIEF = 6
"""Words of a demand that are shown whole where it clashes with another."""
LONG = 1200
"""Characters of a text that are compared: what is longer is no lesson, and edits of it would take seconds to find."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the newer statement relates to the older one; ``None`` stands for unrelated."""

    relating: Relating | None
    clash: Clash = ()
    likeness: float = 0.0
    """How much the two have in common, 0 to 1; 1 for the same words."""
    sure: bool = False
    """Whether it is certain enough to ask a person."""
    exact: bool = False
    """Whether it is no guess: the same words, two values for one declared key, the same words denied or turned round, or
    what one forbids and the other asks for."""
    partial: bool = False
    """Whether the newer goes against a part of the older only, as a special case does: it can't take its place."""


NOTHING = Verdict(None)


def between(older: str, newer: str) -> Verdict:
    """The best guess for two texts.

    >>> between("Use npm, not pnpm", "Use pnpm, not npm").relating
    <Relating.SUPERSEDES: 'supersedes'>
    """
    older, newer = older[:LONG], newer[:LONG]
    model = shipped()
    if found := exact(older, newer):
        relating, clash = found
        if model and relating is Relating.CONTRADICTS and not clash:
            clash = _demanded(older, newer, model)
        same = relating is Relating.DUPLICATE
        return Verdict(relating, clash, 1.0 if same else likeness(older, newer), sure=True, exact=True)
    if model and (clash := _demanded(older, newer, model)):
        whole = overturned(older, newer, model.weight)
        return Verdict(Relating.CONTRADICTS, clash, likeness(older, newer), sure=True, exact=whole, partial=not whole)
    return _guessed(model, older, newer) if model else _ruled(older, newer)


def _demanded(older: str, newer: str, model: Model) -> Clash:
    """What one of the two forbids and the other asks for, whatever else they say; nothing where they do not."""
    if not (words := opposed(older, newer, model.weight)):
        return ()
    brief = denied(older, newer) if max(map(len, words)) > BRIEF else ()
    return brief or ((as_written(words[0], older), as_written(words[1], newer)),)


def _guessed(model: Model, older: str, newer: str) -> Verdict:
    found = features(older, newer, model.weight)
    odds = model.judged(found)
    if odds.label == UNRELATED:
        return NOTHING
    relating = Relating(odds.label)
    conflict = relating in CONFLICTS
    bar = BARS[kind_of(found)]["conflict" if conflict else relating]
    sure = (odds.conflict if conflict else odds.of[relating]) >= bar and (conflict or not TURNED_DOWN & found.keys())
    return Verdict(relating, clashing(older, newer) if conflict else (), likeness(older, newer), sure)


def _ruled(older: str, newer: str) -> Verdict:
    found = compared(older, newer)
    return Verdict(*found, sure=True) if found else NOTHING
