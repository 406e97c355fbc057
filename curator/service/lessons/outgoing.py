"""What of a lesson is written into files, which the whole team reads: no place of somebody's machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from curator.model import Change, Entry, Project, Verb
from curator.projects import held
from curator.service.code.anchoring import CHECKER, Basis, written
from curator.service.reader import Reader
from curator.store.sources import FileRecord

if TYPE_CHECKING:
    from curator.export import Refusal

PATHS_LINE = 5
"""The line of a lesson file in which its places begin."""

PLACED: Basis = attrgetter("scope", "paths", "files")
"""What cleaning the places of a lesson goes by."""


def tidied(reader: Reader, project: Project) -> dict[str, Entry]:
    """Clean the places of lessons that older versions let lie outside the project, as one batch; those that changed.

    What a person took back stays so: files go without these places all the same, see ``told``.
    """
    tops = reader.tops(project)
    lessons = reader.store.entries.outward(project.id)
    outward = [entry for entry in lessons if tidy(entry, tops) != entry and not _taken_back(reader, entry.id)]
    done, _ = written(reader, Verb.EDIT, [Change(before=one, after=tidy(one, tops)) for one in outward], PLACED)
    with reader.store.transaction():
        reader.store.sources.outdate(done)
    return done


def tidy(entry: Entry, tops: Sequence[str]) -> Entry:
    """A lesson without places outside its project, which lies in ``tops``. One that holds nowhere else goes on so here."""
    paths = held(entry.paths, *tops)
    return replace(entry, files=held(entry.files, *tops), paths=entry.paths if _lost(entry, paths) else paths)


def told(
    entries: Iterable[Entry], tops: Sequence[str], records: Mapping[str, FileRecord] | None = None
) -> tuple[dict[str, Entry], list[Refusal]]:
    """Lessons by id without places outside the project, which older ones may name: they would tell of somebody's machine.

    One that holds nowhere else is refused, and a file that it has is left alone: without its places it would seem to hold
    everywhere.
    """
    from curator import export  # 2 MB that a check need not hold: its lessons are mostly clean

    kept: dict[str, Entry] = {}
    refused = []
    for entry in entries:
        after = tidy(entry, tops)
        if _lost(entry, held(entry.paths, *tops)):
            known = (records or {}).get(entry.id)
            reason = f"{entry.id} holds only outside the project; `curator edit {entry.id} --scope DIR` names a place in it"
            refused.append(export.Refusal(known.name if known else export.lesson.file_name(entry), PATHS_LINE, reason))
        else:
            kept[entry.id] = after
    return kept, refused


def _lost(entry: Entry, inner: Sequence[str]) -> bool:
    """Whether nothing is left (``inner``) of the places in which a lesson holds."""
    return entry.scope == "paths" and bool(entry.paths) and not inner


def _taken_back(reader: Reader, id_: str) -> bool:
    """Whether a person undid what was cleaned of a lesson."""
    log = reader.store.log
    return any(one.verb is Verb.EDIT and one.actor == CHECKER and log.undone(one.batch) for one in log.of_entry(id_))
