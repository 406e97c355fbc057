"""What of a lesson is written into its file, which the whole team reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from curator import export
from curator.export import Refusal
from curator.model import Entry, Project
from curator.projects import held
from curator.store.sources import FileRecord

PATHS_LINE = 5
"""The line of a lesson file in which its places begin."""


def told(
    entries: Iterable[Entry], project: Project, records: Mapping[str, FileRecord]
) -> tuple[dict[str, Entry], list[Refusal]]:
    """Lessons by id without places outside the project, which older ones may name: they would tell of somebody's machine.

    One that holds nowhere else is refused, and a file that it has is left alone: without its places it would seem to hold
    everywhere.
    """
    kept: dict[str, Entry] = {}
    refused = []
    for entry in entries:
        paths = held(entry.paths, project.folder)
        if entry.scope == "paths" and entry.paths and not paths:
            name = records[entry.id].name if entry.id in records else export.lesson.file_name(entry)
            reason = f"{entry.id} holds only outside the project; `curator edit {entry.id} --scope DIR` names a place in it"
            refused.append(Refusal(name, PATHS_LINE, reason))
        else:
            kept[entry.id] = replace(entry, files=held(entry.files, project.folder), paths=paths)
    return kept, refused
