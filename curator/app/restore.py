"""Bring the database back: from what can be read of it, from a backup, or from a copy that was put aside.

The verdicts of a window that was open meanwhile are carried over to the database that took its place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from curator import clock, inbox
from curator.app.curator import Curator
from curator.app.tombstones import of_id
from curator.errors import CuratorError, StoreError
from curator.model import JSON, Change, Entry, Event, State
from curator.model.codec import decode, encode, patched
from curator.settings import Settings
from curator.store import Store, backups, file, recovery
from curator.store.file import with_log as files
from curator.store.recovery import Salvage, salvage

NOW = "now"
"""What the database is called that stands in its place, whatever became of it."""
ASIDE = ("damaged*", "replaced-*", "before-*")
"""How copies are called that were put aside."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that the database can be brought back from, by its name, with what can be read of it."""

    name: str
    path: Path
    salvage: Salvage


@dataclass(frozen=True, slots=True)
class Recovery:
    """What the database holds now, where the one before it is kept, and what of that is not in the new one."""

    salvage: Salvage
    kept: Path | None
    missing: int
    """Verdicts."""
    lost: tuple[str, ...]
    """The rows that could not be read, by name."""


def back_up(curator: Curator) -> None:
    """Copy the database once a day, after the day's first verdict. Raises ``StoreError``."""
    database = curator.store.path
    day = clock.iso(clock.now())[:10]
    if not backups.of_day(database, day).exists():
        _copy(curator, day)


def back_up_anew(curator: Curator) -> None:
    """Drop every backup, since something in them must not stay, and make one of what is left. Raises ``StoreError``."""
    try:
        backups.drop(curator.store.path)
    except OSError as error:
        raise StoreError(
            f"{backups.folder(curator.store.path)} may still hold the text: {error.strerror}.", "Delete it."
        ) from error
    _copy(curator, clock.iso(clock.now())[:10])


def _copy(curator: Curator, day: str) -> None:
    try:
        backups.make(curator.store.connection, curator.store.path, day)
    except OSError as error:
        raise StoreError(
            f"{backups.folder(curator.store.path)}: today's backup can't be written: {error.strerror}.",
            "Every verdict is saved. Free some room there, or give yourself the right to write.",
        ) from error


def summary(name: str, salvage: Salvage) -> JSON:
    """What can be read of a database, counted."""
    return {
        "name": name,
        "lessons": salvage.count(State.ACTIVE),
        "waiting": salvage.count(State.OPEN),
        "dropped": salvage.count(State.DISMISSED, State.RETIRED),
        "verdicts": len(salvage.verdicts),
        "last": clock.iso(salvage.last) if salvage.last else "",
        "faults": list(salvage.faults),
        "unreadable": len(salvage.unreadable),
    }


def offers(settings: Settings) -> Iterator[Offer]:
    """All that the database can be brought back from: as it stands, its backups, the newest first, and copies put aside."""
    for name, path in _places(settings).items():
        yield Offer(name, path, _read(path))


def _places(settings: Settings) -> dict[str, Path]:
    database = settings.database
    found = {NOW: database} | {backups.day_of(path): path for path in backups.found(database)}
    aside = [path for mark in ASIDE for path in sorted(database.parent.glob(f"{database.name}.{mark}"))]
    return found | {path.name: path for path in aside if not path.name.endswith(("-wal", "-shm"))}


def _read(path: Path) -> Salvage:
    if not any(one.exists() for one in files(path)):
        return Salvage(faults=("it is not there",))
    try:
        found = salvage(path)
        file.look(path)
    except StoreError as error:
        return replace(found, faults=(error.message.rstrip("."), *found.faults))
    except OSError as error:
        return Salvage(faults=(f"it can't be read: {error.strerror}",))
    return found


def restore(settings: Settings, name: str) -> Recovery:
    """Put what an offer holds in the database's place; a damaged one is completed by the newest backup that is whole.

    The database before it is kept beside it. Raises ``CuratorError`` where there is no such offer, or nothing can be read
    of it; then nothing was changed.
    """
    places, database = _places(settings), settings.database
    if name not in places:
        raise CuratorError(f"There is nothing called {name!r} to restore.", f"There is: {', '.join(places)}.")
    present = _read(database)
    chosen = present if name == NOW else _read(places[name])
    if name == NOW and not chosen.faults and not chosen.unreadable:
        raise CuratorError(f"{database} is whole: there is nothing to recover.", "A day's name brings back that day's backup.")
    found = chosen
    if chosen.faults or chosen.unreadable:
        found = recovery.complete(chosen, _newest(settings), is_forgotten)
    if not found.entries and not found.events:
        raise CuratorError(
            f"Nothing can be read of {places[name]}.", "Nothing was changed. `curator restore` lists what else there is."
        )
    stamp = clock.iso(clock.now()).replace(":", "")
    try:
        with recovery.draft(database, inbox) as store:
            recovery.fill(store, found)
            new = store.path.with_name("new.db")
            backups.copy(store.connection, new, store.path)
            kept = recovery.install(new, database, stamp)
    except OSError as error:
        raise StoreError(f"{database} can't be written: {error.strerror}.", "Nothing was changed.") from error
    return Recovery(found, kept, len(present.verdicts - found.verdicts), found.unreadable)


def _newest(settings: Settings) -> Salvage:
    """The newest backup that is whole; nothing where there is none."""
    read = (_read(path) for path in backups.found(settings.database))
    return next((one for one in read if not one.faults), Salvage())


def is_forgotten(entry: Entry, marks: Set[str]) -> bool:
    """Whether a person had an entry forgotten, of which these marks stay."""
    return of_id(entry.id) in marks or (bool(entry.fingerprint) and entry.fingerprint in marks)


FREE = frozenset(("updated", "seen", "score", "why", "evidence", "place"))
"""What of an entry may differ where a verdict is carried over: nobody decided on it."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """How many verdicts went over, how many were there already, and the entries that were decided otherwise meanwhile."""

    count: int
    there: int = 0
    left: tuple[str, ...] = ()
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
    made = list(old.batches if verdicts else ())
    whole = is_missing(curator)
    if whole:
        put_back(old)
    else:
        part(old)
    new = Store(path, order=old.order)
    try:
        done = Transfer(len(made), whole=True) if whole else _transfer(old, new, made)
    except BaseException:
        new.close()
        raise
    new.batches = made
    curator.store = new
    old.close()
    return done


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


def _transfer(old: Store, new: Store, made: Sequence[str]) -> Transfer:
    there = [batch for batch in made if new.events.batch(batch)]
    going = [batch for batch in made if batch not in there]
    left: dict[str, None] = {}
    whole: set[str] = set()
    """Entries that the other database did not have: they went over as they were at last."""
    with new.transaction():
        for event in (event for batch in going for event in old.events.batch(batch) if event.id not in whole):
            change = _change(event, old, new)
            if change is None:
                left[event.id] = None
                continue
            if change.before is None:
                whole.add(event.id)
            of, seconds = event.of, event.seconds
            new.apply([(event.verb, change)], actor=event.actor, at=event.at, batch=event.batch, of=of, seconds=seconds)
    return Transfer(sum(bool(new.events.batch(batch)) for batch in going), len(there), tuple(left))


def _change(event: Event, old: Store, new: Store) -> Change | None:
    """What an event does to the same entry there, or to the one that states the same.

    ``None`` where that was decided otherwise, or there is nothing that it could be done to.
    """
    was, target = old.entries.get(event.id), new.entries.get(event.id)
    if target is None and was is not None:
        target = new.entries.by_fingerprint(was.project, was.fingerprint) if was.fingerprint else None
    if target is None:
        return Change(before=None, after=was) if was is not None else None
    encoded = encode(target)
    if not _fits(encoded, event.before or {}):
        return None
    if event.after is None:
        return Change(before=target, after=None)
    return Change(before=target, after=decode(patched(encoded, {**event.after, "id": target.id})))


def _fits(encoded: JSON, side: Mapping[str, object]) -> bool:
    return all(encoded.get(key) == value for key, value in side.items() if key not in FREE)
