"""What follows verdicts but need not be waited for: anchors, lesson files, what was learned of them, agents' files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from curator.app import conflicts, deliveries, install, restore, statistics, sync
from curator.app.curator import Curator
from curator.app.forget import reached
from curator.app.sync import Exchange
from curator.errors import CuratorError

if TYPE_CHECKING:
    from curator.lesson_files import Refusal


def export(curator: Curator, folder: Path | None = None) -> Exchange:
    """Write every lesson's file, also those that somebody removed; bring agents' files up to date."""
    exchange = sync.sync(curator, folder=folder, restore=True)
    if curator.settings.export:
        exchange.refused.extend(install.refresh(curator, {curator.project.id} if curator.project else ()))
    return exchange


@dataclass(frozen=True, slots=True)
class Settled:
    """What a verdict's files brought, and what could not follow it. The verdict itself is stored, whatever stands here."""

    refused: tuple[Refusal, ...] = ()
    """Files that were left alone: lessons that can't be understood, agents' files with broken markers."""
    failures: tuple[CuratorError, ...] = ()
    """What went wrong on the way, each with what to do."""
    waiting: int = 0
    """Lessons that wait, since nobody here has accepted their repository."""
    conflicts: int = 0


def settle(curator: Curator, ids: Sequence[str], *, learn: bool = True) -> Settled:
    """What follows a verdict but need not be waited for: anchors of new lessons, files of those that changed, learning.

    ``learn=False`` leaves learning to the end of a sitting: it moves the cards that a person is going through.
    Each step by itself: raises nothing for what fails there, since the verdict is stored.
    """
    failures: dict[str, CuratorError] = {}
    exchanges: list[Exchange] = []
    refused: list[Refusal] = []
    with _collected(failures):
        conflicts.noticed(curator, ids)
    with _collected(failures):
        for exchange in sync.settled(curator, ids):
            exchanges.append(exchange)
    if learn:
        with _collected(failures):
            statistics.learn(curator)
    with _collected(failures):
        deliveries.of_verdicts(curator, ids)
    if curator.settings.export:
        from curator.app import install

        with _collected(failures):
            refused = install.refresh(curator, _reached(curator, ids))
    with _collected(failures):
        restore.back_up(curator)
    failures |= {str(error): error for one in exchanges for error in one.failures}
    return Settled(
        refused=(*(item for one in exchanges for item in one.refused), *refused),
        failures=tuple(failures.values()),
        waiting=sum(one.waiting for one in exchanges),
        conflicts=sum(len(one.conflicts) for one in exchanges),
    )


@contextmanager
def _collected(failures: dict[str, CuratorError]) -> Iterator[None]:
    """Keep an error, each once, for whoever is told of all that followed."""
    try:
        yield
    except CuratorError as error:
        failures[str(error)] = error


def _reached(curator: Curator, ids: Sequence[str]) -> frozenset[str]:
    """The projects whose agents may get it of a change of these lessons; all, where one is or has just been global."""
    entries = [entry for id_ in ids if (entry := curator.lessons.peek(id_))]
    last = [event for entry in entries for event in curator.lessons.history(entry.id)[-1:]]
    once = [entry for entry, event in zip(entries, last, strict=False) if (event.before or {}).get("scope") == "global"]
    return reached(curator, [*entries, *(replace(entry, scope="global") for entry in once)])
