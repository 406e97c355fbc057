"""Anchoring lessons: noting what the code that they speak of looks like, so that a later change of it is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from curator import clock
from curator.model import Change, Entry, Project, State, Verb
from curator.service.code import codebase
from curator.service.reader import Reader

CHECKER = "curator"
"""The actor of what a check does."""


def anchored(reader: Reader, ids: Iterable[str], projects: Mapping[str, Project]) -> None:
    """Note what the code looks like now of which lessons newly speak, so that a later change of it is noticed."""
    at = clock.now()
    deeds = []
    for id_ in ids:
        entry = reader.peek(id_)
        project = projects.get(entry.project) if entry and entry.state is State.ACTIVE else None
        if entry is None or project is None or not Path(project.folder).is_dir():
            continue
        after = attached(entry, Path(project.folder), partial(codebase.places, reader.settings, project))
        if after != entry:
            deeds.append((Verb.ANCHOR, Change(before=entry, after=after)))
    if deeds:
        reader.store.apply(deeds, actor=CHECKER, at=at)


Places = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Says which of some names only one file of the project defines, by that file."""


def attached(entry: Entry, folder: Path, places: Places = lambda names: {}) -> Entry:
    """A lesson with anchors for the code that it names and that has none yet, and for a branch that is not merged.

    Names that the lesson's own files don't define are looked for with ``places`` in the whole project.
    """
    from curator import anchors

    known = {anchor.path for anchor in entry.anchors}
    new = [path for path in entry.files if path not in known]
    names = (*entry.symbols, *anchors.named(f"{entry.headline}\n{entry.insight}"))
    taken = anchors.take(folder, new, names) if new else ()
    found = tuple(f".{anchor.symbol}" for anchor in (*entry.anchors, *taken))
    missing = [name for name in names if not any(symbol.endswith(f".{name}") for symbol in found)]
    if missing and not entry.anchors:
        for path, defined in places(missing).items():
            taken = (*taken, *anchors.take(folder, [path], defined))
    old = anchors.dated(folder, entry.anchors)
    if not taken and old == entry.anchors:
        return entry
    every = (*old, *taken)
    branch = anchors.branch_of(folder, every)
    return replace(entry, anchors=every, branch=branch)
