"""Three-way merge of one lesson: field by field, for when a person changed it here and git brought another version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from curator.lesson_files import unknown_fields
from curator.lesson_files.lesson import FIELDS, carry, normal
from curator.model import Entry, State

_NEWEST = {"updated"}
_LATER = {"superseded_by"}
"""Where the side that was changed last stands: both successors name this lesson in their own files."""
_OURS = {"created", "score", "agent", "session"}
"""Where two answers are not worth a person's time: the first of them stands."""
_FIXED = {"id", "slug"}
_KEYS: dict[str, str | int] = {"anchors": "subject", "coexists": 0}


@dataclass(frozen=True, slots=True)
class Merged:
    """Both sides in one entry; in the fields named by ``clashes`` both sides differ and ours stands until a person says."""

    entry: Entry
    clashes: tuple[str, ...] = ()


def reconcile(base: Entry | None, ours: Entry, theirs: Entry) -> Merged:
    """Merge what files carry of ``ours`` and ``theirs``, both grown from ``base`` (``None``: unknown); all else is ours.

    A value that one side changed wins; lists are merged as sets, ours first, anchors by path and symbol (the newer side's
    stands), what we do not know key by key. Sides are compared in normal form, so that a trip through a file is no change.
    """
    old, mine, other = (normal(entry) if entry else None for entry in (base, ours, theirs))
    assert mine is not None
    assert other is not None
    changed: dict[str, Any] = {}
    clashes = []
    for name in FIELDS:
        before, here, there = (getattr(entry, name) if entry else () for entry in (old, mine, other))
        if name in _FIXED or here == there or (old and there == before):
            continue
        if old and here == before:
            changed[name] = getattr(theirs, name)
        elif name in _NEWEST:
            changed[name] = max(getattr(ours, name), getattr(theirs, name))
        elif name in _LATER:
            changed[name] = max((theirs.updated, there), (ours.updated, here))[1]
        elif name == "extra":
            changed[name], clashing = unknown_fields.merge(str(before or ""), str(here), str(there))
            clashes += [name] if clashing else []
        elif isinstance(here, tuple):
            changed[name] = _union(before, here, there, _KEYS.get(name), theirs.updated > ours.updated)
        elif name == "insight" and old and _follows(old, mine) != _follows(old, other):
            changed[name] = theirs.insight if _follows(old, mine) else ours.insight
        elif name not in _OURS:
            clashes.append(name)
    if "evidence" in changed:  # excerpts never travel: keep ours
        kept = dict(zip(mine.evidence, ours.evidence, strict=True))
        changed["evidence"] = tuple(kept.get(quote, quote) for quote in changed["evidence"])
    if "anchors" in changed:  # nor does what only this machine knows of them
        known = dict(zip(mine.anchors, (anchor for anchor in ours.anchors if anchor.path), strict=True))
        changed["anchors"] = tuple(known.get(anchor, anchor) for anchor in changed["anchors"])
    return Merged(replace(ours, **changed), tuple(clashes))


def adopt(stored: Entry, card: Entry) -> Entry:
    """``stored`` with what a conflict card brings from its file: all that a file carries but what makes it this lesson.

    Where the two clash over the state, the card's pair of words says so; a card itself is open.
    """
    pairs = card.rival.clash if card.rival else ()
    words = [theirs for mine, theirs in pairs if mine == stored.state and theirs in (State.ACTIVE, State.RETIRED)]
    same = {name: getattr(stored, name) for name in ("id", "created", "updated", "score", "agent", "session", "slug")}
    return carry(stored, replace(card, **same, state=State(words[0]) if words else stored.state))


def changes(ours: Entry, after: Entry) -> tuple[str, ...]:
    """The fields in which a file would change a lesson, times and origin aside."""
    before, then = normal(ours), normal(after)
    return tuple(
        name for name in FIELDS if name not in _NEWEST | _OURS | _FIXED and getattr(before, name) != getattr(then, name)
    )


def differences(one: Entry, other: Entry) -> int:
    """In how many of the fields that files carry two entries differ."""
    first, second = normal(one), normal(other)
    return sum(getattr(first, name) != getattr(second, name) for name in FIELDS)


def _follows(base: Entry, side: Entry) -> bool:
    """Whether a side changed the insight only along with its headline, which it says again: a lesson of one sentence."""
    repeated = base.insight.rstrip(".") == base.headline.rstrip(".")
    return repeated and side.insight == side.headline != base.headline


def _union(
    base: Sequence[Any], ours: Sequence[Any], theirs: Sequence[Any], key: str | int | None, theirs_newer: bool
) -> tuple[Any, ...]:
    """Ours without what they removed, then what they added; of two items with one key the newer side's stands."""

    def name(item: Any) -> Any:
        return item if key is None else item[key] if isinstance(key, int) else getattr(item, key)

    old, mine, other = ({name(item): item for item in side} for side in (base, ours, theirs))
    merged: dict[Any, Any] = {}
    for which, item in mine.items():
        if which not in other:
            if which not in old or old[which] != item:  # they removed it; what we changed since is kept
                merged[which] = item
        elif other[which] == old.get(which) or not (item == old.get(which) or theirs_newer):
            merged[which] = item
        else:
            merged[which] = other[which]
    for which, item in other.items():
        if which not in mine and (which not in old or old[which] != item):
            merged[which] = item
    return tuple(merged.values())
