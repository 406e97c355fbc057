"""Lessons and their files: what was changed here goes out, what was changed there comes in, both is a conflict."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator import clock, export
from curator.errors import CuratorError
from curator.export import Refusal
from curator.export.folder import stamp
from curator.model import Change, Entry, Finding, Project, Relating, Relation, State, Verb
from curator.service.reader import Reader
from curator.store.sources import FileRecord

FILES = "import"
"""The actor of what comes in from files."""


@dataclass(slots=True)
class Exchange:
    """What went out and what came in, as counts; refused files with line and reason; conflicts as entry ids."""

    written: int = 0
    unchanged: int = 0
    removed: int = 0
    added: int = 0
    changed: int = 0
    conflicts: list[str] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


def folder_of(reader: Reader, project: Project | None = None) -> Path:
    """Where a project's lesson files are: in its folder, or with us while that is not on this machine."""
    project = project or reader.project
    if project is None:
        raise CuratorError("Lesson files belong to a project.", "Run this in its folder, or name it with --project.")
    if project.folder and Path(project.folder).is_dir():
        return Path(project.folder) / ".curator" / "lessons"
    return reader.settings.exports / project.id


def sync(reader: Reader, project: Project | None = None, *, folder: Path | None = None, restore: bool = False) -> Exchange:
    """Bring in what changed in the files, then write what changed here; ``restore`` also writes files that were deleted.

    A file that is gone is no retirement by itself: another branch may simply not have it yet.
    """
    project = project or reader.project
    where = folder or folder_of(reader, project)
    assert project is not None
    exchange = take_in(reader, project, where)
    give_out(reader, project, where, exchange, restore=restore)
    return exchange


def bring(reader: Reader, folder: Path | None = None) -> Exchange:
    """Bring in a folder of lesson files: the project's own, or another, such as a colleague's."""
    where = folder or folder_of(reader)
    assert reader.project is not None
    with reader.store.transaction():
        reader.store.sources.remember(reader.project, reader.project.folder)
    return take_in(reader, reader.project, where)


def take_in(reader: Reader, project: Project, folder: Path) -> Exchange:
    """Bring in new and changed files. Nothing of a file that can't be understood is taken, and it is left as it is."""
    exchange = Exchange()
    sources = reader.store.sources
    records = sources.written(str(folder))
    found = export.read(folder, seen(records), project=project.id)
    exchange.refused = list(found.refused)
    with reader.store.transaction():
        for theirs in found.entries.values():
            entry, same = _take(reader, project, folder, theirs, records.get(theirs.id), exchange)
            version = entry.updated if same else 0.0
            sources.write(str(folder), [(record(theirs.id, found.known[theirs.id], version), entry)])
        read = {entry.id for entry in found.entries.values()}
        touched = [id_ for id_, known in found.known.items() if id_ not in read and known.mtime_ns != records[id_].mtime_ns]
        sources.touch(str(folder), [record(id_, found.known[id_], 0.0) for id_ in touched])
    return exchange


def _take(
    reader: Reader, project: Project, folder: Path, theirs: Entry, known: FileRecord | None, exchange: Exchange
) -> tuple[Entry, bool]:
    """Take one changed file in; returns the entry as it now is, and whether its file may stay as it is."""
    ours = reader.peek(theirs.id)
    at = clock.now()
    if ours is None:
        entry = replace(theirs, project=project.id, signal="file")
        reader.store.apply([(Verb.IMPORT, Change(before=None, after=entry))], actor=FILES, at=at)
        exchange.added += 1
        return entry, True
    untouched = known is None or known.version == ours.updated
    if untouched:
        merged = export.Merged(export.carry(ours, theirs))
    else:
        merged = export.reconcile(reader.store.sources.base(str(folder), ours.id), ours, theirs)
    if merged.clashes:
        exchange.conflicts.append(_contest(reader, ours, theirs, merged.clashes, at))
        return ours, True
    after = merged.entry
    if after != ours:
        if after.updated == ours.updated:
            after = replace(after, updated=at)  # a hand seldom touches that line
        reader.store.apply([(Verb.IMPORT, Change(before=ours, after=after))], actor=FILES, at=at)
        exchange.changed += 1
    return after, untouched


def _contest(reader: Reader, ours: Entry, theirs: Entry, clashes: Iterable[str], at: float) -> str:
    """Put the file's version before a person: as a candidate that clashes with the stored lesson."""
    pairs = tuple((str(getattr(ours, name)), str(getattr(theirs, name))) for name in clashes)
    entry = replace(
        theirs,
        id=clock.new_id(),
        project=ours.project,
        state=State.OPEN,
        created=at,
        updated=at,
        signal="file",
        score=1.0,
        fingerprint=f"file:{ours.id}:{stamp(theirs)}",
        slug="",
        rival=Relation(other=ours.id, relating=Relating.CONTRADICTS, clash=pairs, likeness=1.0),
    )
    known = reader.store.entries.by_fingerprint(ours.project, entry.fingerprint)
    if known is not None:
        return known.id
    reader.store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor=FILES, at=at)
    return entry.id


def give_out(reader: Reader, project: Project, folder: Path, exchange: Exchange, *, restore: bool = False) -> None:
    """Write the lessons that changed, and take away the files of those that are lessons no more."""
    sources = reader.store.sources
    changed = {entry.id: entry for entry in sources.unwritten(str(folder), project.id)}
    records = sources.written(str(folder))
    if restore:
        there = set(os.listdir(folder)) if folder.is_dir() else set()
        absent = [id_ for id_, known in records.items() if known.name not in there]
        changed |= {
            id_: entry for id_ in absent if (entry := reader.peek(id_)) and entry.state in (State.ACTIVE, State.RETIRED)
        }
        records = {id_: known for id_, known in records.items() if id_ not in absent}
    orphans = sources.orphans(str(folder))
    concerned = seen({id_: records[id_] for id_ in (*changed, *orphans) if id_ in records})
    exchange.unchanged += len(records) - len(concerned)
    report = export.write(folder, changed.values(), concerned)
    exchange.written += len(report.written)
    exchange.unchanged += len(report.unchanged)
    exchange.removed += len(report.removed)
    done = [id_ for id_ in (*report.written, *report.unchanged) if id_ in changed]
    with reader.store.transaction():
        sources.write(str(folder), [(record(id_, report.known[id_], changed[id_].updated), changed[id_]) for id_ in done])
        sources.unwrite(str(folder), [id_ for id_ in orphans if id_ not in report.known])


def remove_file(reader: Reader, entry: Entry) -> None:
    """Take away a forgotten lesson's file, wherever it was written, if it is as we left it."""
    project = reader.store.sources.projects().get(entry.project)
    if project is None:
        return
    folder = folder_of(reader, project)
    known = seen(reader.store.sources.written(str(folder))).get(entry.id)
    if known is not None:
        export.write(folder, [], {entry.id: known})


def anchored(reader: Reader, ids: Iterable[str]) -> None:
    """Note what the files of newly kept lessons look like now, so that a later change of theirs is noticed."""
    from curator import anchors

    projects = reader.store.sources.projects()
    at = clock.now()
    deeds = []
    for id_ in ids:
        entry = reader.peek(id_)
        if entry is None or entry.state is not State.ACTIVE or entry.anchors or not entry.files:
            continue
        project = projects.get(entry.project)
        if project is None or not Path(project.folder).is_dir():
            continue
        taken = anchors.take(Path(project.folder), entry.files)
        if taken:
            deeds.append((Verb.ANCHOR, Change(before=entry, after=replace(entry, anchors=taken))))
    if deeds:
        reader.store.apply(deeds, actor="curator", at=at)


def check(reader: Reader, project: Project | None = None) -> list[Entry]:
    """Look at the code under every active lesson; returns the lessons whose findings changed.

    A lesson whose file is as it was again is no longer stale. Projects whose folder is absent are left alone.
    """
    from curator import anchors

    project = project or reader.project
    if project is None or not Path(project.folder).is_dir():
        return []
    lessons = {entry.id: entry for entry in reader.entries(reader.library()) if entry.anchors}
    findings = anchors.check_many(Path(project.folder), {id_: entry.anchors for id_, entry in lessons.items()})
    at = clock.now()
    deeds = []
    for id_, entry in lessons.items():
        now = tuple(cleaned(finding) for finding in findings.get(id_, ()))
        if now != entry.findings:
            deeds.append((Verb.OUTDATE, Change(before=entry, after=replace(entry, findings=now))))
    if deeds:
        reader.store.apply(deeds, actor="curator", at=at)
    return [change.after for _, change in deeds if change.after]


def cleaned(finding: Finding) -> Finding:
    """A finding whose diff may be kept and shown."""
    from curator import detect  # large, and mostly nothing is found

    return replace(finding, diff=detect.clean(finding.diff))


def seen(records: Mapping[str, FileRecord]) -> dict[str, export.Written]:
    """File records as the export room takes them."""
    return {
        id_: export.Written(known.name, known.size, known.mtime_ns, known.digest, known.rendered, known.stamp)
        for id_, known in records.items()
    }


def record(id_: str, written: export.Written, version: float) -> FileRecord:
    """What the export room gives back as a file record."""
    return FileRecord(
        id_, written.name, written.size, written.mtime_ns, written.digest, written.rendered, written.stamp, version
    )
