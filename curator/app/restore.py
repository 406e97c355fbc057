"""Back up the database once per day, and put a backup back."""

from __future__ import annotations

from pathlib import Path

from curator import clock
from curator.app.curator import Curator
from curator.errors import StoreError
from curator.settings import Settings
from curator.store import backups
from curator.store.backups import Backup


def back_up(curator: Curator) -> None:
    """Copy the database once per day, after the day's first decision. Raises ``StoreError``."""
    if not backups.of_day(curator.store.path, _today()).exists():
        _copy(curator)


def back_up_again(curator: Curator) -> None:
    """Delete every backup, since its text must not stay, and make a new one of the rest. Raises ``StoreError``."""
    try:
        backups.drop(curator.store.path)
    except OSError as error:
        raise StoreError(
            f"{backups.folder(curator.store.path)} may still hold the text: {error.strerror}.", "Delete it."
        ) from error
    _copy(curator)


def _today() -> str:
    return clock.iso(clock.now())[:10]


def _copy(curator: Curator) -> None:
    try:
        backups.make(curator.store.connection, curator.store.path, _today())
    except OSError as error:
        raise StoreError(
            f"{backups.folder(curator.store.path)}: today's backup can't be written: {error.strerror}.",
            "Every decision is saved. Free some space there, or change its permissions.",
        ) from error


def list_backups(settings: Settings) -> tuple[list[Backup], list[StoreError]]:
    """Return the backups, the newest first, and an error for each that is damaged or can't be read."""
    good, damaged = list[Backup](), list[StoreError]()
    for path in backups.list_backups(settings.database):
        try:
            good.append(backups.describe(path))
        except StoreError as error:
            damaged.append(error)
    return good, damaged


def restore(settings: Settings, day: str) -> tuple[Backup, Path | None]:
    """Put the backup of a day in the database's place; return it, and where the database from before is kept, if there was one.

    Raises ``StoreError``; where there is no such backup, or it is damaged, nothing was changed.
    """
    try:
        return backups.restore(settings.database, day)
    except OSError as error:
        raise StoreError(
            f"{settings.database} can't be written: {error.strerror}.", "Free some space there, then try again."
        ) from error
