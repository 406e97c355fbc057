"""Stale lessons: notice that their code changed, and follow code that only moved."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from curator import code, curate
from curator.app import anchoring
from curator.app.curator import Curator
from curator.code import WorkFiles
from curator.errors import CuratorError
from curator.io import watch
from curator.model import Change, Entry, Finding, Project, Query, State, Verb
from curator.text import redact

if TYPE_CHECKING:
    from curator.lesson_files import Refusal

LOOK_SECONDS = 2.0
"""The seconds between two looks for other folders to watch."""
HEADS = frozenset({"HEAD", "packed-refs", "ORIG_HEAD", "MERGE_HEAD"})
"""Files that git changes after a checkout or a commit. The index changes more often."""
CHECKED: anchoring.Basis = attrgetter("state", "files", "anchors", "findings", "branch")
"""The parts of a lesson that a check uses. It concludes nothing about a lesson if one of these changed since."""


def check(curator: Curator) -> list[Entry]:
    """Compare every lesson of the project, or of all, with its code. Return the lessons with changed findings."""
    projects = [curator.project] if curator.project else curator.projects().values()
    return [entry for project in projects for entry in look_at_code(curator, project)[1].values()]


def look_at_code(
    curator: Curator, project: Project | None = None, *, work_files: WorkFiles | None = None
) -> tuple[Mapping[str, Entry], Mapping[str, Entry]]:
    """Check the code of every active lesson. Return the lessons with anchors, and those with changed findings.

    A lesson is no longer stale once its code is as before. Certain moves are followed, with an event for each that can be
    undone. A move that was undone or is uncertain stays a card. Projects with an absent folder are skipped.
    """
    project = project or curator.project
    if project is None:
        return {}, {}
    folder = Path(project.folder)
    lessons = {entry.id: entry for entry in active(curator, project) if entry.anchors}
    if not lessons or not folder.is_dir():
        return lessons, {}
    watched = {id_: code.Subject(entry.anchors, statement_text(entry)) for id_, entry in lessons.items()}
    found = code.check_many(folder, watched, work_files=work_files)
    judgements = {id_: attach_findings(entry, found.get(id_, ()), folder) for id_, entry in lessons.items()}
    outdated = [Change(before=entry, after=judgements[id_]) for id_, entry in lessons.items() if judgements[id_] != entry]
    changed, current = anchoring.write(curator, Verb.OUTDATE, outdated, CHECKED)
    followed = [(entry, relocated) for entry in changed.values() if (relocated := follow(entry, lessons[entry.id].findings))]
    lessons |= current
    # The commit lets a later check know the code from before.
    moved = [
        Change(before=entry, after=relocated._replace(anchors=code.date_anchors(folder, relocated.anchors)))
        for entry, relocated in followed
    ]
    went: dict[str, Entry] = {}
    for change in moved:  # each by itself, so that each can be undone
        one, current = anchoring.write(curator, Verb.FOLLOW, [change], CHECKED)
        lessons |= current
        went |= one
    dated, current = anchoring.date_anchors(curator, project, lessons.values())
    if changes := [*went, *dated]:
        from curator.app import sync  # mostly there is nothing to say

        sync.export_moves(curator, project, changes)
    return lessons | current, changed | went


def follow_code(
    curator: Curator,
    stop: threading.Event,
    changed: Callable[[int], None],
    *,
    failed: Callable[[CuratorError], None] = lambda error: None,
    blind: Callable[[str], None] = lambda why: None,
) -> None:
    """Check lessons whenever their code or the checkout changes, until ``stop``.

    Only git's folder and folders with anchored code are watched, since a work tree may be large. ``changed`` gets the number of
    lessons with changed findings. After an error, the next change tries again.
    """
    project = curator.project
    if project is None or not Path(project.folder).is_dir():
        return
    work_files = WorkFiles(Path(project.folder))
    pace = round(LOOK_SECONDS * 1000)
    while not stop.is_set():
        places, version = places_to_watch(curator, project), curator.lessons.version()
        for batch in watch.watch(places, stop, deep=False, idle=True, check_ms=pace, blind=blind):
            touched = any(path.parent.name != ".git" or path.name in HEADS for path in batch)
            if touched:
                try:
                    if found := look_at_code(curator, project, work_files=work_files)[1]:
                        changed(len(found))
                except CuratorError as error:
                    failed(error)
            if (touched or curator.lessons.version() != version) and places_to_watch(curator, project) != places:
                break
            version = curator.lessons.version()


def places_to_watch(curator: Curator, project: Project) -> list[Path]:
    """Return the folders with anchored code, and git's own."""
    folder = Path(project.folder)
    paths = {anchor.path for entry in active(curator, project) for anchor in entry.anchors}
    inside = {folder / path for path in (os.path.dirname(path) for path in paths if code.inside(folder, path) == path)}
    return [*sorted(place for place in inside if place.is_dir()), *code.git_folders(folder)]


def active(curator: Curator, project: Project) -> Iterable[Entry]:
    """Return the lessons that hold in a project."""
    return curator.lessons.entries(Query(project=project.id, states=(State.ACTIVE,)))


def attach_findings(entry: Entry, findings: Sequence[Finding], folder: Path) -> Entry:
    """Return a lesson with the findings of a code check. Code of another branch than the current one does not count as
    missing.
    """
    branch = entry.branch
    if branch:
        if not code.have_different_code(folder, entry.anchors):
            branch = ""
        elif code.is_on_other_branch(folder, branch, entry.anchors):
            findings = ()
    clean = tuple(finding._replace(diff=redact.clean(finding.diff)) for finding in findings)
    return curate.with_notice(entry, findings=clean, branch=branch)


def follow(entry: Entry, before: Sequence[Finding]) -> Entry | None:
    """Return a lesson with anchors at the new place of certainly moved code; ``None`` if nothing moved.

    A person has already seen the earlier findings and decides on them. That also applies if the moved code changed so much that
    the lesson may be wrong.
    """
    shown = {(finding.path, finding.symbol, finding.new_path, finding.new_symbol) for finding in before}
    sure = [finding for finding in entry.findings if finding.certain and not finding.alarming]
    moves = [one for one in sure if (one.path, one.symbol, one.new_path, one.new_symbol) not in shown]
    if not moves:
        return None
    places = {finding.path: finding.new_path for finding in moves}
    return entry._replace(
        anchors=code.renew_anchors(entry.anchors, moves),
        files=tuple(dict.fromkeys(places.get(path, path) for path in entry.files)),
        findings=tuple(finding for finding in entry.findings if finding not in moves),
    )


@dataclass(frozen=True, slots=True)
class FromFiles:
    """The findings of a check of a folder's lesson files, and the files that it could not understand."""

    findings: Sequence[tuple[Entry, Finding]]
    refusals: Sequence[Refusal]


def from_files(folder: Path) -> FromFiles:
    """Check the lessons in the files of a project. This writes nothing and needs no database.

    ``folder`` is anywhere in the project. Raises ``CuratorError`` if no folder above it has lessons.
    """
    from curator import lesson_files  # loads YAML, which only `check --from-files` needs

    root = next((place for place in (folder, *folder.parents) if (place / ".curator" / "lessons").is_dir()), None)
    if root is None:
        raise CuratorError(
            f"There is no .curator/lessons in {folder} or a folder above it.", "Run `curator export` to write them."
        )
    read = lesson_files.read(root / ".curator" / "lessons", {}, remember=False)
    lessons = {entry.id: entry for entry in read.entries.values() if entry.state is State.ACTIVE and entry.anchors}
    watched = {id_: code.Subject(entry.anchors, statement_text(entry)) for id_, entry in lessons.items()}
    found = code.check_many(root, watched)
    changes = [attach_findings(entry, found[id_], root) for id_, entry in lessons.items() if found[id_]]
    return FromFiles([(entry, finding) for entry in changes for finding in entry.findings], read.refusals)


def statement_text(entry: Entry) -> str:
    """Return the words of a lesson that weigh a code change."""
    return f"{entry.headline}\n{entry.insight}\n{entry.context}"
