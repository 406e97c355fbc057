"""What git needs for lesson files, and the lessons that an entry replaced, took in or refined, with those that did it to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from curator.agents.install import command
from curator.app.curator import Curator
from curator.io import git
from curator.lesson_files import git_setup, merge
from curator.lesson_files.git_setup import Plan, carry_out, uninstalling
from curator.model import Entry, State

__all__ = ["Plan", "carry_out", "installing", "merge_files", "uninstalling"]


def installing(folder: Path) -> Plan:
    """Return what it takes to have git merge lesson files of a work tree by field.

    Raises ``CuratorError`` where there is none.
    """
    return git_setup.installing(folder, command.merge_driver())


def merge_files(base: Path, ours: Path, theirs: Path, file: str) -> bool:
    """Merge three versions of a lesson's file into ``ours``, as git asks a merge driver to; no database, nothing of ours.

    Returns whether nothing is left to be settled. Fields that both sides changed, and what can't be merged by field, are merged
    by lines, as git does by itself, with its markers.
    """
    old, mine, other = (path.read_bytes() for path in (base, ours, theirs))
    with suppress(Exception):  # a fault of ours must not cost what theirs says: lines are always right
        merged = merge.merge_files(old, mine, other, file) or (old, mine, other)
        for path, content in zip((base, ours, theirs), merged, strict=True):
            path.write_bytes(content)
    labels = [word for label in ("ours", "base", "theirs") for word in ("-L", label)]
    names = [str(path.absolute()) for path in (ours, base, theirs)]
    return git.ask(ours.absolute().parent, "merge-file", *labels, *names) is not None


MAX_CHAIN_LESSONS = 100
"""Lessons of a chain that are shown; files may say anything."""


def chain(curator: Curator, entry: Entry) -> list[tuple[Entry, tuple[str, ...]]]:
    """Return the lessons that an entry is linked to, over however many steps, oldest first, each with its links in words."""
    found = {entry.id: entry}
    waiting = [entry]
    while waiting and len(found) < MAX_CHAIN_LESSONS:
        one = waiting.pop(0)
        back = [other for other in curator.store.mentioning([f'"{one.id}"']) if one.id in linked(other)]
        ahead = [other for id_ in linked(one) if id_ not in found and (other := curator.lessons.peek(id_))]
        for other in (*ahead, *back):
            if other.id not in found and not other.version_of:
                found[other.id] = other
                waiting.append(other)
    entries = sorted(found.values(), key=lambda other: (other.created, other.id))
    return [(other, tuple(links(other, found))) for other in entries]


def linked(entry: Entry) -> tuple[str, ...]:
    """Return the ids of the lessons that an entry replaced, took the place of, went into or refines."""
    ids = (*entry.supersedes, entry.superseded_by, entry.merged_into, *entry.refines)
    return tuple(dict.fromkeys(id_ for id_ in ids if id_))


def links(entry: Entry, found: Mapping[str, Entry]) -> Iterator[str]:
    """Yield an entry's links in words; a replacement is told once, by the one that was replaced, if it is there to tell."""
    if entry.state is State.ACTIVE:  # brought back: what had become of it is history
        entry = entry._replace(superseded_by="", merged_into="")
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
        yield f"coexists with {id_}{f': {because}' if because else ''}"
