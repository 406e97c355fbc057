"""Where a lesson comes from and what became of it: the lessons that it replaced, took in or refined, and those that did it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from curator.app.reader import Reader
from curator.model import Entry, State

MOST = 100
"""Lessons of a chain that are shown; files may say anything."""


def chain(reader: Reader, entry: Entry) -> list[tuple[Entry, tuple[str, ...]]]:
    """The lessons that an entry is linked to, over however many steps, oldest first, each with its links in words."""
    found = {entry.id: entry}
    waiting = [entry]
    while waiting and len(found) < MOST:
        one = waiting.pop(0)
        back = [other for other in reader.store.mentioning([f'"{one.id}"']) if one.id in linked(other)]
        ahead = [other for id_ in linked(one) if id_ not in found and (other := reader.peek(id_))]
        for other in (*ahead, *back):
            if other.id not in found and not other.version_of:
                found[other.id] = other
                waiting.append(other)
    ordered = sorted(found.values(), key=lambda other: (other.created, other.id))
    return [(other, tuple(links(other, found))) for other in ordered]


def linked(entry: Entry) -> tuple[str, ...]:
    """The ids of the lessons that an entry replaced, took the place of, went into or refines."""
    ids = (*entry.supersedes, entry.superseded_by, entry.merged_into, *entry.refines)
    return tuple(dict.fromkeys(id_ for id_ in ids if id_))


def links(entry: Entry, found: Mapping[str, Entry]) -> Iterator[str]:
    """An entry's links in words; a replacement is told once, by the one that was replaced, if it is there to tell."""
    if entry.state is State.ACTIVE:  # brought back: what had become of it is history
        entry = replace(entry, superseded_by="", merged_into="")
    for id_ in entry.supersedes:
        if id_ not in found or found[id_].superseded_by != entry.id:
            yield f"supersedes {id_}"
    for word, ids in (
        ("superseded by", (entry.superseded_by if entry.superseded_by != entry.merged_into else "",)),
        ("merged into", (entry.merged_into,)),
        ("refines", entry.refines),
    ):
        yield from (f"{word} {id_}" for id_ in ids if id_)
    for id_, because in entry.coexists:
        yield f"holds beside {id_}{f': {because}' if because else ''}"
