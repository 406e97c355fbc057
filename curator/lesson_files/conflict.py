"""A conflict that git met while nobody could be asked, kept in the lesson's file until a person decides.

The file keeps ours, and under the key ``clash`` what theirs had. Being front matter like any other it survives commits,
further merges and clones; a curator that does not know the key keeps it, and every other reader sees a whole lesson.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from curator.errors import MalformedFile
from curator.lesson_files import unknown_fields
from curator.lesson_files.lesson import (
    CLASH,
    STATES,
    file_name,
    normal,
    parse,
    render,
)
from curator.model import Category, Durability, Entry, State

FIELDS = ("category", "scope", "durability", "superseded_by", "state", "headline", "insight", "context")
"""The fields that can clash; lists are joined, and any other name is a key or a heading that we do not know."""

Disputed = Mapping[str, tuple[str, ...]]
"""What other sides have, by field; more than one where a third person changed it as well."""

_TYPES: Mapping[str, Any] = {"category": Category, "durability": Durability, "state": State}


def parted(entry: Entry) -> tuple[Entry, Disputed]:
    """The lesson that a file holds, and what the other sides of merges had in which fields."""
    packed = json.loads(entry.extra) if CLASH in entry.extra else {}
    items = packed.pop(CLASH, ())
    if not items:
        return entry, {}
    plain = replace(entry, extra=json.dumps(packed, ensure_ascii=False) if packed else "")
    found: dict[str, tuple[str, ...]] = {}
    for item in items:
        found[item["field"]] = tuple(dict.fromkeys((*found.get(item["field"], ()), item["theirs"])))
    return plain, found


def marked(entry: Entry, disputed: Disputed) -> Entry:
    """The inverse of ``parted``."""
    if not disputed:
        return entry
    packed = json.loads(entry.extra) if entry.extra else {}
    packed[CLASH] = [{"field": field, "theirs": text} for field, texts in disputed.items() for text in texts]
    return replace(entry, extra=json.dumps(packed, ensure_ascii=False))


def open_between(entry: Entry, cards: Iterable[Entry]) -> Disputed:
    """What the cards of a lesson ask about, as a file says it: their texts in the fields where each differs from the lesson."""
    found: dict[str, tuple[str, ...]] = {}
    for card in cards:
        here, there = unknown_fields.blocks(entry.extra), unknown_fields.blocks(card.extra)
        # A card is open itself: only its pair of words can say that states clash.
        states = [text for mine, text in card.rival.clash if mine == entry.state and text in STATES] if card.rival else []
        fields = {name: str(getattr(card, name)) for name in FIELDS} | {"state": str((states or [entry.state])[0])}
        texts = {name: text for name, text in fields.items() if text != str(getattr(entry, name))}
        texts |= {key: text for key, text in there.items() if key and key in here and here[key] != text}
        for name, text in texts.items():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), text)))
    return found


def sides(disputed: Disputed) -> list[dict[str, str]]:
    """What is in dispute as versions, each with one text a field: the first has the first of each, and so on.

    >>> sides({"headline": ("a", "b"), "insight": ("c",)})
    [{'headline': 'a', 'insight': 'c'}, {'headline': 'b'}]
    """
    most = max(map(len, disputed.values()), default=0)
    return [{field: texts[at] for field, texts in disputed.items() if at < len(texts)} for at in range(most)]


def other_side(entry: Entry, theirs: Mapping[str, str]) -> tuple[Entry, tuple[str, ...]]:
    """The lesson as the other side would have it, and the names of the fields in which it differs."""
    fields: dict[str, Any] = {name: _TYPES.get(name, str)(text) for name, text in theirs.items() if name in FIELDS}
    fields["headline"] = fields.get("headline", "").strip() or entry.headline
    if fields.get("scope", "paths") != "paths":
        fields["paths"] = ()
    foreign = entry.extra
    for name, text in theirs.items():
        if name not in FIELDS:
            foreign = unknown_fields.with_block(foreign, name, text)
    other = replace(entry, **fields, extra=foreign)
    if foreign != entry.extra and not _writable(other):
        other = replace(other, extra=entry.extra)
    names = (*(name for name in FIELDS if name in theirs), "extra")
    return other, tuple(name for name in names if getattr(entry, name) != getattr(other, name))


def clashing(ours: Entry, theirs: Entry, names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """What clashes in these fields as (from ours, from theirs); of what we do not know only the keys that differ."""
    pairs: list[tuple[str, str]] = []
    for name in names:
        if name == "extra":
            here, there = unknown_fields.blocks(ours.extra), unknown_fields.blocks(theirs.extra)
            pairs += [(here.get(key, "").strip(), text.strip()) for key, text in there.items() if here.get(key) != text]
        else:
            pairs.append((str(getattr(ours, name)), str(getattr(theirs, name))))
    return tuple(pairs)


def _writable(entry: Entry) -> bool:
    """Whether a file can hold it: what stands under a key that we do not know is as others wrote it."""
    try:
        return parse(render(entry), file_name(entry)) == normal(entry)
    except MalformedFile:
        return False
