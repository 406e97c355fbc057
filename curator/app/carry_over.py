"""Carry the verdicts of an open window over to a database that took the place of the one it had opened."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from curator import clock
from curator.app.curator import Curator
from curator.errors import StoreError
from curator.model import JSON, Change, Event
from curator.model.codec import apply_patch, decode, encode
from curator.store import Store, backups, file

FREE = frozenset(("updated", "seen", "score", "why", "evidence", "place"))
"""What of an entry may differ where a verdict is carried over: nobody decided on it."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """How many verdicts went over, how many were there already, and the entries that were decided otherwise meanwhile."""

    count: int
    there: int = 0
    conflicts: tuple[str, ...] = ()
    whole: bool = False
    """The whole database was put back, since nothing stood in its place."""


def is_missing(curator: Curator) -> bool:
    """Whether no database stands at the path of the open one."""
    return file.identity(curator.store.path) is None


def carry(curator: Curator, *, verdicts: bool = True) -> Transfer:
    """Go on with the database that stands at the path now, and bring what this process decided into it.

    Where none stands there, the open one is put back whole: SQLite still reads a file that was deleted. Raises ``StoreError``;
    then the database that was open still is.
    """
    old, path = curator.store, curator.store.path
    batches = list(old.batches if verdicts else ())
    whole = is_missing(curator)
    if whole:
        put_back(old)
    else:
        part(old)
    new = Store(path, order=old.order)
    try:
        transfer = Transfer(len(batches), whole=True) if whole else _transfer(old, new, batches)
    except BaseException:
        new.close()
        raise
    new.batches = batches
    curator.store = new
    old.close()
    return transfer


def part(store: Store) -> None:
    """Take the open database's log away from the other file that stands in its place: SQLite would take it for that one's."""
    log, index = file.beside(store.path)
    if store.log_identity is not None and file.identity(log) == store.log_identity:
        os.replace(log, file.beside(store.path.with_name(f"{store.path.name}.replaced-{clock.new_id()}"))[0])
        index.unlink(missing_ok=True)


def put_back(store: Store) -> None:
    """Write an open database whose file is gone to its path again. Raises ``StoreError``, also where a file stands there."""
    path = store.path
    draft = path.with_name(f"{path.name}.replaced-{clock.new_id()}")  # what a killed process leaves, `restore` lists
    try:
        backups.copy(store.connection, draft, path)
        for one in (*file.beside(path), path):  # the copy holds what the log did; the file is an empty one, if there is any
            if one != path or file.identity(path) is None:
                one.unlink(missing_ok=True)
        os.link(draft, path)
    except OSError as error:
        raise StoreError(f"{path} can't be put back: {error.strerror}.", "`curator restore` lists the backups.") from error
    finally:
        with suppress(OSError):
            draft.unlink()


def _transfer(old: Store, new: Store, batches: Sequence[str]) -> Transfer:
    there = [batch for batch in batches if new.events.batch(batch)]
    going = [batch for batch in batches if batch not in there]
    rest: dict[str, None] = {}
    whole: set[str] = set()
    """Entries that the other database did not have: they went over as they were at last."""
    with new.transaction():
        for event in (event for batch in going for event in old.events.batch(batch) if event.id not in whole):
            change = _change(event, old, new)
            if change is None:
                rest[event.id] = None
                continue
            if change.before is None:
                whole.add(event.id)
            of, seconds = event.of, event.seconds
            new.apply([(event.verb, change)], actor=event.actor, at=event.at, batch=event.batch, of=of, seconds=seconds)
    return Transfer(sum(bool(new.events.batch(batch)) for batch in going), len(there), tuple(rest))


def _change(event: Event, old: Store, new: Store) -> Change | None:
    """What an event does to the same entry there, or to the one that states the same.

    ``None`` where that was decided otherwise, or there is nothing that it could be done to.
    """
    was, target = old.entries.get(event.id), new.entries.get(event.id)
    if target is None and was is not None:
        target = new.entries.by_fingerprint(was.project, was.fingerprint) if was.fingerprint else None
    if target is None:
        return Change(before=None, after=was) if was is not None else None
    data = encode(target)
    if not _fits(data, event.before or {}):
        return None
    if event.after is None:
        return Change(before=target, after=None)
    return Change(before=target, after=decode(apply_patch(data, {**event.after, "id": target.id})))


def _fits(data: JSON, side: Mapping[str, object]) -> bool:
    return all(data.get(key) == value for key, value in side.items() if key not in FREE)
