"""Merge versions of a lesson field by field: three ways, for git as its merge driver, and with the disputed values.

There are two cases. A person changed a lesson here, and git brought another version. Or git gives curator three versions of a
file and gets one.

git may meet a conflict while no person can answer. The lesson's file then keeps it until a person decides. The file has our
value, and under the key ``clash`` the other side's value. Like other front matter, the key survives commits, further merges and
clones. A curator that does not know the key keeps it, and every other reader sees a complete lesson. Unknown parts (other
tools' front matter, sections by hand) are kept in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.errors import MalformedFile
from curator.lesson_files import body, lesson
from curator.lesson_files.lesson import (
    CLASH,
    FIELDS,
    STATES,
    file_name,
    normal,
    pack,
    parse,
    render,
    unpack,
    with_own,
    with_unknown_parts,
)
from curator.model import Category, Durability, Entry, State

LISTS = ("anchors",)
"""Parts that are lists of independent items."""


def blocks(extra: str) -> dict[str, str]:
    """Return ``Entry.extra`` by key: front matter by its key, sections by their heading, other text by itself."""
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


def merge_unknown(base: str, ours: str, theirs: str) -> tuple[str, dict[str, str]]:
    """Return both sides joined key by key, and their values under the keys that both changed. Our value is kept there."""
    old, mine, other = blocks(base), blocks(ours), blocks(theirs)
    merged, clashing = {}, {}
    for key in (*mine, *(key for key in other if key not in mine)):
        before, here, there = old.get(key), mine.get(key), other.get(key)
        if here == before or (here is None and there != before):  # only theirs changed, or they changed what we removed
            merged[key] = there
        else:
            merged[key] = here
            if there is not None and there not in (before, here):
                if key:
                    clashing[key] = there
                else:  # Nobody is asked about comments; new ones are added.
                    known, lines = f"{before}{here}", there.splitlines(keepends=True)
                    merged[key] = f"{here}{''.join(line for line in lines if line.strip() not in known)}"
    return join_blocks({key: block for key, block in merged.items() if block is not None}), clashing


DISPUTED = ("category", "scope", "durability", "superseded_by", "state", "headline", "insight", "context")
"""The fields that can clash. Lists are joined. Any other name is an unknown key or heading."""

Disputes = Mapping[str, tuple[str, ...]]
"""The values of other sides, by field. There are several if a third person changed the field as well."""

_TYPES: Mapping[str, Any] = {"category": Category, "durability": Durability, "state": State}


def split_disputes(entry: Entry) -> tuple[Entry, Disputes]:
    """Return the lesson of a file, and the other sides' values of conflicting fields."""
    extra = unpack(entry.extra) if CLASH in entry.extra else {}
    items = extra.pop(CLASH, ())
    if not items:
        return entry, {}
    found: dict[str, tuple[str, ...]] = {}
    for item in items:
        found[item["field"]] = tuple(dict.fromkeys((*found.get(item["field"], ()), item["theirs"])))
    return entry._replace(extra=pack(extra)), found


def add_disputes(entry: Entry, disputes: Disputes) -> Entry:
    """Return the inverse of ``split_disputes``."""
    if not disputes:
        return entry
    clash = [{"field": field, "theirs": text} for field, texts in disputes.items() for text in texts]
    return entry._replace(extra=pack(unpack(entry.extra) | {CLASH: clash}))


def open_between(entry: Entry, cards: Iterable[Entry]) -> Disputes:
    """Return the open questions of a lesson's cards in the form of a file: their texts in each differing field."""
    found: dict[str, tuple[str, ...]] = {}
    for card in cards:
        here, there = blocks(entry.extra), blocks(card.extra)
        # A card is open itself: only its pair of words can say that states clash.
        states = [text for mine, text in card.rival.clash if mine == entry.state and text in STATES] if card.rival else []
        fields = {name: str(getattr(card, name)) for name in DISPUTED} | {"state": str((states or [entry.state])[0])}
        texts = {name: text for name, text in fields.items() if text != str(getattr(entry, name))}
        texts |= {key: text for key, text in there.items() if key and key in here and here[key] != text}
        for name, text in texts.items():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), text)))
    return found


def sides(disputes: Disputes) -> list[dict[str, str]]:
    """Return the disputed values as versions with one text per field. The first has the first value of each field, and so on.

    >>> sides({"headline": ("a", "b"), "insight": ("c",)})
    [{'headline': 'a', 'insight': 'c'}, {'headline': 'b'}]
    """
    most = max(map(len, disputes.values()), default=0)
    return [{field: texts[at] for field, texts in disputes.items() if at < len(texts)} for at in range(most)]


def other_side(entry: Entry, theirs: Mapping[str, str]) -> tuple[Entry, tuple[str, ...]]:
    """Return the lesson with the other side's values, and the names of its differing fields."""
    fields: dict[str, Any] = {name: _TYPES.get(name, str)(text) for name, text in theirs.items() if name in DISPUTED}
    fields["headline"] = fields.get("headline", "").strip() or entry.headline
    if fields.get("scope", "paths") != "paths":
        fields["paths"] = ()
    foreign = entry.extra
    for name, text in theirs.items():
        if name not in DISPUTED:
            foreign = join_blocks(blocks(foreign) | {name: text})
    other = entry._replace(**fields, extra=foreign)
    if foreign != entry.extra and not _writable(other):
        other = other._replace(extra=entry.extra)
    names = (*(name for name in DISPUTED if name in theirs), "extra")
    return other, tuple(name for name in names if getattr(entry, name) != getattr(other, name))


def clashing(ours: Entry, theirs: Entry, names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the differing values of these fields as (ours, theirs). For unknown parts, return only the keys."""
    pairs: list[tuple[str, str]] = []
    for name in names:
        if name == "extra":
            here, there = blocks(ours.extra), blocks(theirs.extra)
            pairs += [(here.get(key, "").strip(), text.strip()) for key, text in there.items() if here.get(key) != text]
        else:
            pairs.append((str(getattr(ours, name)), str(getattr(theirs, name))))
    return tuple(pairs)


def _writable(entry: Entry) -> bool:
    """Return whether a file can hold it, since values under unknown keys can have any form."""
    try:
        return parse(render(entry), file_name(entry)) == normal(entry)
    except MalformedFile:
        return False


_NEWEST = {"updated"}
_LATER = {"superseded_by"}
"""Fields where the side that was changed last counts: both successors name this lesson in their own files."""
_OURS = {"created", "score", "agent", "session"}
"""Fields in which two values are not worth a question. The first one is kept."""
_FIXED = {"id", "slug"}
_KEYS: dict[str, str | int] = {"anchors": "subject", "coexists": 0}


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Both sides in one entry. In the fields of ``clashes`` they differ, and ours is kept until a person decides."""

    entry: Entry
    clashes: tuple[str, ...] = ()


def reconcile(base: Entry | None, ours: Entry, theirs: Entry) -> MergeResult:
    """Merge the file's fields of ``ours`` and ``theirs``, both made from ``base`` (``None``: unknown). Other fields are ours.

    A value that only one side changed wins. Lists are merged as sets, ours first. Anchors are merged by path and symbol, and
    the newer side's anchor is kept. Unknown parts are merged key by key. Sides are compared in normal form, so that writing and
    reading a file is no change.
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
            changed[name], clashing = merge_unknown(str(before or ""), str(here), str(there))
            clashes += [name] if clashing else []
        elif type(here) is tuple:
            changed[name] = _union(before, here, there, _KEYS.get(name), theirs.updated > ours.updated)
        elif name == "insight" and old and _follows(old, mine) != _follows(old, other):
            changed[name] = theirs.insight if _follows(old, mine) else ours.insight
        elif name not in _OURS:
            clashes.append(name)
    return MergeResult(ours._replace(**with_own(changed, ours, mine)), tuple(clashes))


def adopt(stored: Entry, card: Entry) -> Entry:
    """Return ``stored`` with the values of a conflict card from its file, except the lesson's identity.

    If the state differs, the card's pair of words says so, because the card itself is open.
    """
    pairs = card.rival.clash if card.rival else ()
    words = [theirs for mine, theirs in pairs if mine == stored.state and theirs in (State.ACTIVE, State.RETIRED)]
    same = {name: getattr(stored, name) for name in ("id", "created", "updated", "score", "agent", "session", "slug")}
    return with_unknown_parts(stored, card._replace(**same, state=State(words[0]) if words else stored.state))


def changes(ours: Entry, after: Entry) -> tuple[str, ...]:
    """Return the fields that a file would change in a lesson, except times and origin."""
    return tuple(name for name in _differing(ours, after) if name not in _NEWEST | _OURS | _FIXED)


def differences(one: Entry, other: Entry) -> int:
    """Return the number of file fields in which two entries differ."""
    return len(_differing(one, other))


def _differing(one: Entry, other: Entry) -> list[str]:
    first, second = normal(one), normal(other)
    return [name for name in FIELDS if getattr(first, name) != getattr(second, name)]


def _follows(base: Entry, side: Entry) -> bool:
    """Return whether a side changed the insight only because it repeats the changed headline."""
    repeated = base.insight.rstrip(".") == base.headline.rstrip(".")
    return repeated and side.insight == side.headline != base.headline


def _union(
    base: Sequence[Any], ours: Sequence[Any], theirs: Sequence[Any], key: str | int | None, theirs_newer: bool
) -> tuple[Any, ...]:
    """Return our items without those that they removed, and with their new ones. For one key, the newer side's item is kept."""

    def name(item: Any) -> Any:
        return item if key is None else item[key] if isinstance(key, int) else getattr(item, key)

    old, mine, other = ({name(item): item for item in side} for side in (base, ours, theirs))
    merged: dict[Any, Any] = {}
    for which, item in mine.items():
        if which not in other:
            if which not in old or old[which] != item:  # They removed it, but we changed it since, so it stays.
                merged[which] = item
        elif other[which] == old.get(which) or not (item == old.get(which) or theirs_newer):
            merged[which] = item
        else:
            merged[which] = other[which]
    for which, item in other.items():
        if which not in mine and (which not in old or old[which] != item):
            merged[which] = item
    return tuple(merged.values())


def merge_files(base: bytes, ours: bytes, theirs: bytes, file: str) -> bytes | None:
    """Return the merged file. ``base`` is empty if both sides added it.

    If both changed a field differently, ours is kept, and theirs is stored under ``clash`` for a person. Return ``None`` if
    only lines can be merged, because curator can't parse a side or a file has two lessons.
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
        old = None  # then every difference is a question
    return lesson.render(_merge_entries(old if old and old.id == mine.id else None, mine, other)).encode()


def _read(content: bytes, file: str) -> Entry:
    try:
        return lesson.parse(content.decode("utf-8"), file)
    except UnicodeDecodeError as error:
        raise MalformedFile(file, 1, "is not UTF-8") from error


def _merge_entries(base: Entry | None, ours: Entry, theirs: Entry) -> Entry:
    old, disputed_before = split_disputes(base) if base else (None, {})
    mine, disputed_here = split_disputes(ours)
    other, disputed_there = split_disputes(theirs)
    merged = reconcile(old, mine, other)
    entry, clashing = merged.entry, list(merged.clashes)
    if old is None and "state" in clashing:  # every lesson begins as active: who retired it has decided something
        entry = entry._replace(state=State.RETIRED)
        clashing.remove("state")
    new = {name: str(getattr(other, name)) for name in clashing if name != "extra"}
    if "extra" in clashing:
        new |= merge_unknown(old.extra if old else "", mine.extra, other.extra)[1]
    return add_disputes(entry, _disputes_after(disputed_before, disputed_here, disputed_there, new, old, entry))


def _disputes_after(
    before: Disputes, here: Disputes, there: Disputes, new: Mapping[str, str], base: Entry | None, merged: Entry
) -> Disputes:
    """Return the open questions after a merge.

    A question that one side has settled stays settled. A rebase applies one change after another, so its later question
    replaces an earlier one.
    """
    known, texts = blocks(base.extra) if base else {}, blocks(merged.extra)
    found: dict[str, tuple[str, ...]] = {}
    for side, opposite in ((here, there), (there, here)):
        for field, text in ((field, text) for field, versions in side.items() for text in versions):
            settled = text in before.get(field, ()) and text not in opposite.get(field, ())
            was = str(getattr(base, field)) if base and field in DISPUTED else known.get(field)
            now = str(getattr(merged, field)) if field in DISPUTED else texts.get(field)
            if not (settled or text == now or (field in new and text == was)):
                found[field] = (*found.get(field, ()), text)
    for field, text in new.items():
        found[field] = (*found.get(field, ()), text)
    return {field: tuple(dict.fromkeys(versions)) for field, versions in found.items()}
