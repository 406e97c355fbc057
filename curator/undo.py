"""Undo and redo: revert or repeat an event's changes on the current entry."""

from __future__ import annotations

from typing import Any

from curator.errors import ConcurrentChange
from curator.model import JSON, Change, Entry, Event
from curator.model.codec import apply_patch, decode, encode

VOLATILE = frozenset({"updated", "seen", "score", "anchors", "findings", "proposal"})
"""Fields that scans and checks change. They never prevent an undo."""
LISTS = frozenset({"evidence", "files", "symbols", "supersedes", "coexists", "refines", "contradicts"})
"""Lists to which others may have added since: undo removes only its own additions."""


def revert(event: Event, current: Entry | None) -> Change:
    """Return the change that takes one event back. Raises ``ConcurrentChange`` if something later depends on it."""
    if event.before is None:
        _require(event.id, current, event.after or {})
        return Change(before=current, after=None)
    if event.after is None:
        return Change(before=None, after=decode(event.before))
    return _replay(event.id, current, event.after, event.before)


def replay(event: Event, current: Entry | None) -> Change:
    """Return the change that makes one event happen again. Raises ``ConcurrentChange``."""
    if event.before is None:
        return Change(before=None, after=decode(event.after or {}))
    if event.after is None:
        _require(event.id, current, event.before)
        return Change(before=current, after=None)
    return _replay(event.id, current, event.before, event.after)


def _replay(id_: str, current: Entry | None, target: JSON, values: JSON) -> Change:
    now = _require(id_, current, target)
    lists = {key: _exchange(now.get(key), target[key], values[key]) for key in LISTS & values.keys()}
    return Change(before=current, after=decode(apply_patch(now, {**values, **lists})))


def _require(id_: str, current: Entry | None, target: JSON) -> JSON:
    """Return the entry as JSON if it still has the changes to undo. Raises ``ConcurrentChange``."""
    if current is None:
        raise ConcurrentChange(f"{id_} is no longer there.", "It was forgotten or removed; nothing was changed.")
    now = encode(current)
    clashing = [key for key, value in target.items() if key not in VOLATILE | LISTS and now.get(key) != value]
    if clashing:
        raise ConcurrentChange(
            f"{id_} was changed later ({', '.join(clashing)}).",
            "Undo the later change first, or choose another verdict: see `curator history`.",
        )
    return now


def _exchange(now: list[Any] | None, target: list[Any] | None, values: list[Any] | None) -> list[Any] | None:
    """Return a list with the items of one side replaced by those of the other. Later additions stay."""
    if now == target:
        return values
    leaving = [item for item in target or [] if item not in (values or [])]
    back = [item for item in values or [] if item not in (target or [])]
    rest = [item for item in now or [] if item not in leaving and item not in back]
    return [*rest, *back] or None
