"""Bring the database back: from what can be read of it, from a backup, or from a copy that was put aside."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from pathlib import Path

from curator import clock, inbox
from curator.app.curator import Curator
from curator.app.tombstones import of_id
from curator.errors import CuratorError, StoreError
from curator.model import JSON, Entry, State
from curator.settings import Settings
from curator.store import backups, file, recovery
from curator.store.file import with_log
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
    copy: Path | None
    missing: int
    """Verdicts."""
    losses: tuple[str, ...]
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
    found = {NOW: database} | {backups.day_of(path): path for path in backups.list_backups(database)}
    aside = [path for mark in ASIDE for path in sorted(database.parent.glob(f"{database.name}.{mark}"))]
    return found | {path.name: path for path in aside if not path.name.endswith(("-wal", "-shm"))}


def _read(path: Path) -> Salvage:
    if not any(one.exists() for one in with_log(path)):
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
    backup = present if name == NOW else _read(places[name])
    is_whole = not backup.faults and not backup.unreadable
    if name == NOW and is_whole:
        raise CuratorError(f"{database} is whole: there is nothing to recover.", "A day's name brings back that day's backup.")
    found = backup if is_whole else recovery.complete(backup, _newest(settings), is_forgotten)
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
            copy = recovery.install(new, database, stamp)
    except OSError as error:
        raise StoreError(f"{database} can't be written: {error.strerror}.", "Nothing was changed.") from error
    return Recovery(found, copy, len(present.verdicts - found.verdicts), found.unreadable)


def _newest(settings: Settings) -> Salvage:
    """The newest backup that is whole; nothing where there is none."""
    read = (_read(path) for path in backups.list_backups(settings.database))
    return next((one for one in read if not one.faults), Salvage())


def is_forgotten(entry: Entry, marks: Set[str]) -> bool:
    """Whether a person had an entry forgotten, of which these marks stay."""
    return of_id(entry.id) in marks or (bool(entry.fingerprint) and entry.fingerprint in marks)
