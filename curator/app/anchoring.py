"""Anchoring lessons: noting what the code that they speak of looks like, so that a later change of it is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path

from curator import clock
from curator.app import codebase
from curator.app.reader import Reader
from curator.model import Change, Entry, Project, State, Verb

CHECKER = "curator"
"""The actor of what a check does."""


TRIES = 3
"""How often a lesson that others change meanwhile is taken up again; who changes it has it anchored, too."""

Basis = Callable[[Entry], tuple[object, ...]]
"""What of an entry something was concluded from."""

SPOKEN: Basis = attrgetter("state", "headline", "insight", "files", "symbols", "anchors", "branch")
"""What anchors are taken by."""
DATED: Basis = attrgetter("state", "anchors")


def anchored(reader: Reader, ids: Iterable[str], projects: Mapping[str, Project]) -> None:
    """Note what the code looks like now of which lessons newly speak, so that a later change of it is noticed."""
    left = list(ids)
    for _ in range(TRIES):
        changes = []
        for id_ in left:
            entry = reader.peek(id_)
            project = projects.get(entry.project) if entry and entry.state is State.ACTIVE else None
            if entry is not None and project is not None and Path(project.folder).is_dir():
                after = attached(entry, Path(project.folder), partial(codebase.places, reader.settings, project))
                changes.append(Change(before=entry, after=after))
        done, standing = written(reader, Verb.ANCHOR, changes, SPOKEN)
        left = [id_ for id_ in standing if id_ not in done]


def dated(reader: Reader, project: Project, lessons: Iterable[Entry]) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """Note the commit of code that was written when its lesson was kept and is committed now: see ``written``.

    Files name a commit only where it has the code: a clone then needs no look into files that did not change.
    """
    from curator import code

    waiting = [entry for entry in lessons if any(anchor.undated for anchor in entry.anchors)]
    every = [anchor for entry in waiting for anchor in entry.anchors]
    dates = dict(zip(every, code.dated(Path(project.folder), every), strict=True))
    changes = [Change(before=one, after=replace(one, anchors=tuple(map(dates.__getitem__, one.anchors)))) for one in waiting]
    return written(reader, Verb.ANCHOR, changes, DATED)


def written(reader: Reader, verb: Verb, changes: Iterable[Change], basis: Basis) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """Write what was concluded from entries, as one batch: those that changed by it, and all of them as they stand now.

    One whose ``basis`` is another by now, since another process saw the same or a person decided, stays as they have it.
    """
    done: dict[str, Entry] = {}
    standing: dict[str, Entry] = {}
    wanted = [(change.before, change.after) for change in changes if change.before != change.after]
    if not wanted:
        return done, standing
    at, batch = clock.now(), clock.new_batch()
    with reader.store.transaction():
        for before, after in wanted:
            now = reader.peek(before.id) if before else None
            if now is not None and before is not None and after is not None:
                if basis(now) == basis(before):
                    reader.store.apply([(verb, Change(before=before, after=after))], actor=CHECKER, at=at, batch=batch)
                    done[now.id] = now = after
                standing[now.id] = now
    return done, standing


Places = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Says which of some names only one file of the project defines, by that file."""


def attached(entry: Entry, folder: Path, places: Places = lambda names: {}) -> Entry:
    """A lesson with anchors for the code that it names and that has none yet, and for a branch that is not merged.

    Names that the lesson's own files don't define are looked for with ``places`` in the whole project.
    """
    from curator import code

    known = {anchor.path for anchor in entry.anchors}
    new = [path for path in entry.files if path not in known]
    names = (*entry.symbols, *code.named(f"{entry.headline}\n{entry.insight}"))
    taken = code.take(folder, new, names) if new else ()
    found = tuple(f".{anchor.symbol}" for anchor in (*entry.anchors, *taken))
    missing = [name for name in names if not any(symbol.endswith(f".{name}") for symbol in found)]
    if missing and not entry.anchors:
        for path, defined in places(missing).items():
            taken = (*taken, *code.take(folder, [path], defined))
    old = code.dated(folder, entry.anchors)
    if not taken and old == entry.anchors:
        return entry
    every = (*old, *taken)
    branch = code.branch_of(folder, every)
    return replace(entry, anchors=every, branch=branch)
