"""Join versions of a lesson field by field: three ways, also for git as its merge driver.

What we do not know (other tools' front matter, sections by hand) is joined key by key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.errors import MalformedFile
from curator.lesson_files import body, lesson
from curator.lesson_files.lesson import FIELDS, normal, pack, unpack, with_own, with_unknown_parts
from curator.model import Entry, State

LISTS = ("anchors",)
"""Parts that are lists; each of their items stands for itself."""


def blocks(extra: str) -> dict[str, str]:
    """``Entry.extra`` by key: front matter by its key, sections by their heading, anything else by its own text."""
    texts = unpack(extra)
    found = lesson.blocks(texts.get("front", ""))
    for name in LISTS:
        items = (json.dumps(item, ensure_ascii=False) for item in texts.get(name, ()))
        found |= {f"{name} {item}": item for item in items}
    return found | body.sections(texts.get("sections", ""))


def join_blocks(found: Mapping[str, str]) -> str:
    """Return the inverse of ``blocks``."""
    parts: dict[str, Any] = {"front": "", **{name: [] for name in LISTS}, "sections": ""}
    sections = []
    for key, block in found.items():
        if key and block.startswith("#"):
            sections.append(block)
        elif block.startswith("{"):  # as no line of front matter does
            parts[key.partition(" ")[0]].append(json.loads(block))
        else:
            parts["front"] += block
    return pack(parts | {"sections": "\n\n".join(sections)})


def merge_unknown(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    """Return both sides joined key by key, and whether both changed a key differently: there ours stands."""
    old, mine, other = blocks(base), blocks(ours), blocks(theirs)
    merged, is_clashing = {}, False
    for key in (*mine, *(key for key in other if key not in mine)):
        before, here, there = old.get(key), mine.get(key), other.get(key)
        if here == before or (here is None and there != before):  # only theirs changed, or what we removed was changed there
            merged[key] = there
        else:
            merged[key] = here
            if there is not None and there not in (before, here):
                if key:
                    is_clashing = True
                else:  # nobody is asked about comments: the new ones are added
                    known, lines = f"{before}{here}", there.splitlines(keepends=True)
                    merged[key] = f"{here}{''.join(line for line in lines if line.strip() not in known)}"
    return join_blocks({key: block for key, block in merged.items() if block is not None}), is_clashing


def clashing(ours: Entry, theirs: Entry, names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return what clashes in these fields as (from ours, from theirs); of what we do not know only the keys that differ."""
    pairs: list[tuple[str, str]] = []
    for name in names:
        if name == "extra":
            here, there = blocks(ours.extra), blocks(theirs.extra)
            pairs += [(here.get(key, "").strip(), text.strip()) for key, text in there.items() if here.get(key) != text]
        else:
            pairs.append((str(getattr(ours, name)), str(getattr(theirs, name))))
    return tuple(pairs)


_NEWEST = {"updated"}
_LATER = {"superseded_by"}
"""Fields where the side that was changed last counts: both successors name this lesson in their own files."""
_OURS = {"created", "score", "agent", "session"}
"""Fields where two answers are not worth a person's time: the first of them stands."""
_FIXED = {"id", "slug"}
_KEYS: dict[str, str | int] = {"anchors": "subject", "coexists": 0}


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Both sides in one entry; in the fields named by ``clashes`` both sides differ and ours stands until a person says."""

    entry: Entry
    clashes: tuple[str, ...] = ()


def reconcile(base: Entry | None, ours: Entry, theirs: Entry) -> MergeResult:
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
            changed[name], is_clashing = merge_unknown(str(before or ""), str(here), str(there))
            clashes += [name] if is_clashing else []
        elif type(here) is tuple:
            changed[name] = _union(before, here, there, _KEYS.get(name), theirs.updated > ours.updated)
        elif name == "insight" and old and _follows(old, mine) != _follows(old, other):
            changed[name] = theirs.insight if _follows(old, mine) else ours.insight
        elif name not in _OURS:
            clashes.append(name)
    return MergeResult(ours._replace(**with_own(changed, ours, mine)), tuple(clashes))


def adopt(stored: Entry, card: Entry) -> Entry:
    """``stored`` with what a conflict card brings from its file: all that a file carries but what makes it this lesson.

    Where the two clash over the state, the card's pair of words says so; a card itself is open.
    """
    pairs = card.rival.clash if card.rival else ()
    words = [theirs for mine, theirs in pairs if mine == stored.state and theirs in (State.ACTIVE, State.RETIRED)]
    same = {name: getattr(stored, name) for name in ("id", "created", "updated", "score", "agent", "session", "slug")}
    return with_unknown_parts(stored, card._replace(**same, state=State(words[0]) if words else stored.state))


def changes(ours: Entry, after: Entry) -> tuple[str, ...]:
    """Return the fields in which a file would change a lesson, times and origin aside."""
    return tuple(name for name in _differing(ours, after) if name not in _NEWEST | _OURS | _FIXED)


def differences(one: Entry, other: Entry) -> int:
    """Return the number of fields of files in which two entries differ."""
    return len(_differing(one, other))


def _differing(one: Entry, other: Entry) -> list[str]:
    first, second = normal(one), normal(other)
    return [name for name in FIELDS if getattr(first, name) != getattr(second, name)]


def _follows(base: Entry, side: Entry) -> bool:
    """Return whether a side changed the insight only along with its headline, which it says again: a lesson of one sentence."""
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


def merge_files(base: bytes, ours: bytes, theirs: bytes, file: str) -> tuple[bytes, bytes, bytes] | None:
    """Return the three versions of a file, merged but for the fields that both sides changed differently: all the same where
    there are none. ``base`` is empty where both sides added the file.

    ``None`` where lines are all there is to go by: a side that can't be understood, or two lessons in one file.
    """
    try:
        mine, other = _read(ours, file), _read(theirs, file)
    except MalformedFile:
        return None
    if mine.id != other.id:
        return None
    try:
        old = _read(base, file) if base.strip() else None
    except MalformedFile:
        old = None  # then whatever differs is asked
    old = old if old and old.id == mine.id else None
    merged = reconcile(old, mine, other)
    entry, clashes = merged.entry, set(merged.clashes)
    if old is None and "state" in clashes:  # every lesson begins as active: who retired it has decided something
        entry = entry._replace(state=State.RETIRED)
        clashes.remove("state")

    def text(side: Entry) -> bytes:
        return lesson.render(entry._replace(**{name: getattr(side, name) for name in clashes})).encode()

    return text(old) if old else b"", text(mine), text(other)


def _read(content: bytes, file: str) -> Entry:
    try:
        return lesson.parse(content.decode("utf-8"), file)
    except UnicodeDecodeError as error:
        raise MalformedFile(file, 1, "is not UTF-8") from error
