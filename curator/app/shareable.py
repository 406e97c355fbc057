"""What of a lesson may be written into files that a team reads: no place of somebody's machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from curator.model import Entry
from curator.projects import relative_to
from curator.store.file_records import FileRecord

if TYPE_CHECKING:
    from curator.lesson_files import Refusal

PATHS_LINE = 5
"""The line of a lesson file in which its places begin."""


def tidy(entry: Entry, tops: Sequence[str]) -> Entry:
    """A lesson without places outside its project, which lies in ``tops``. One that holds nowhere else goes on so here."""
    paths = relative_to(entry.paths, *tops)
    return entry._replace(files=relative_to(entry.files, *tops), paths=entry.paths if _is_placeless(entry, paths) else paths)


def for_files(
    entries: Iterable[Entry], tops: Callable[[], Sequence[str]], records: Mapping[str, FileRecord] | None = None
) -> tuple[dict[str, Entry], list[Refusal]]:
    """Lessons by id without places outside the project, which would tell of somebody's machine.

    One that holds nowhere else is refused, and a file that it has is left alone: without its places it would seem to hold
    everywhere. Where the project lies is asked once, and only if a place is named otherwise than relative to it.
    """
    from curator import lesson_files  # 2 MB that a check need not hold: its lessons are mostly clean

    lessons: dict[str, Entry] = {}
    refusals = []
    tops = cache(tops)
    for entry in entries:
        known_tops = tops() if _outward(entry) else ()
        after = tidy(entry, known_tops)
        if _is_placeless(entry, relative_to(entry.paths, *known_tops)):
            known = (records or {}).get(entry.id)
            reason = f"{entry.id} holds only outside the project; `curator edit {entry.id} --scope DIR` names a place in it"
            name = known.name if known else lesson_files.lesson.file_name(entry)
            refusals.append(lesson_files.Refusal(name, PATHS_LINE, reason))
        else:
            lessons[entry.id] = after
    return lessons, refusals


def _outward(entry: Entry) -> bool:
    """Whether an entry names a place otherwise than relative to its project."""
    return any(relative_to(places) != places for places in (entry.paths, entry.files))


def _is_placeless(entry: Entry, inner: Sequence[str]) -> bool:
    """Whether nothing is left (``inner``) of the places in which a lesson holds."""
    return entry.scope == "paths" and bool(entry.paths) and not inner
