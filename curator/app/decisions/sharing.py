"""Lessons beyond their project: global ones, copies for named projects, a team's settings in git, and their lineage.

A global lesson stays one lesson in its project's files. For a named project it is copied: the people of that project get it
with their own files, by git like all others, and may change or retire it there. Words travel, quotes don't: what somebody
said in one project is not to turn up in the repository of another.

What a team shares by git: merges of lesson files, and a repository set up for them.

Where a lesson comes from and what became of it: the lessons that it replaced, took in or refined, and those that did it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from curator import clock, lesson_files, projects
from curator.agents.install import command
from curator.app.curator import Curator
from curator.app.verdicts import Outcome, too_late
from curator.comparison import StatementIndex
from curator.errors import CuratorError
from curator.io import git
from curator.lesson_files import git_setup, merge
from curator.lesson_files.git_setup import Plan, carry_out, uninstalling
from curator.model import Change, Entry, Project, State, Verb

SHARED = "shared"
"""The signal of a copy; its fingerprint names the lesson that it was copied from."""
MIN_PROJECTS_TO_OFFER = 3
"""Projects that have found the same lesson before it is offered for all."""


def repetitions(entries: Iterable[Entry], least: int = MIN_PROJECTS_TO_OFFER) -> list[tuple[Entry, ...]]:
    """Active lessons that say the same in at least ``least`` projects: one of each project, the oldest first.

    Copies count as nothing found anew, and a group with a global lesson is settled.
    """
    entries = list(entries)
    if len({entry.project for entry in entries}) < least:
        return []
    index = StatementIndex()
    groups: dict[str, dict[str, Entry]] = {}
    settled = set()
    for entry in sorted(entries, key=lambda entry: (entry.created, entry.id)):
        if entry.state is not State.ACTIVE or entry.signal == SHARED:
            continue
        text = entry.insight or entry.headline
        first = index.find(text)
        if first is None:
            index.add(entry.id, text)
        group = groups.setdefault(first or entry.id, {})
        group.setdefault(entry.project, entry)
        if entry.scope == "global":
            settled.add(first or entry.id)
    return [tuple(group.values()) for first, group in groups.items() if len(group) >= least and first not in settled]


def find_project(curator: Curator, name: str) -> Project:
    """Return the project of this name, remote or folder. Raises ``CuratorError`` for none and for more than one."""
    known = list(curator.projects().values())
    found = [project for project in known if name and name in (project.name, project.remote, project.folder)]
    if not found and os.path.isdir(name):
        return projects.identify(name, known)
    if len(found) == 1:
        return found[0]
    if not found:
        raise CuratorError(f"There is no project {name!r}.", "Give the name or folder of a project that curator knows.")
    places = ", ".join(project.folder for project in found)
    raise CuratorError(f"{name!r} could be {places}.", "Give the folder instead.")


def copy_to(curator: Curator, id_: str, projects: Sequence[Project]) -> tuple[Outcome, tuple[Entry, ...]]:
    """Copy a lesson to other projects, as one batch; also returns the copies that were there before.

    Raises ``CuratorError`` for what is no active lesson, and where a copy was retired or forgotten: that was decided there.
    """
    batch, at = clock.new_batch(), clock.now()
    made, there = [], []
    events: dict[str, int] = {}
    with curator.store.transaction():
        lesson = curator.lessons.find(id_)
        if lesson.state is not State.ACTIVE:
            is_open = lesson.state is State.OPEN
            raise CuratorError(f"{lesson.id} is not a lesson yet.", "Keep it first.") if is_open else too_late(lesson)
        for project in projects:
            if project.id == lesson.project:
                raise CuratorError(f"{lesson.id} already belongs to {project.name}.", "Name another project.")
            known = curator.store.entries.by_fingerprint(project.id, mark(lesson))
            if known is not None and known.state is not State.ACTIVE:
                raise CuratorError(
                    f"Its copy {known.id} is {known.state} in {project.name}.",
                    f"To bring it back, run `curator keep {known.id}`.",
                )
            if known is not None:
                there.append(known)
                continue
            curator.store.sources.remember(project, project.folder)
            copy = copy_to_project(lesson, project, at)
            deed = (Verb.ADD, Change(before=None, after=copy))
            events |= curator.store.apply([deed], actor=curator.actor, at=at, batch=batch).events
            made.append(copy)
    return Outcome(batch, Verb.ADD, tuple(made), events), tuple(there)


def copy_to_project(lesson: Entry, project: Project, at: float) -> Entry:
    """Return a lesson for another project: its words, without what belongs to the code and the people of its own."""
    return Entry(
        id=clock.new_id(),
        project=project.id,
        state=State.ACTIVE,
        category=lesson.category,
        headline=lesson.headline,
        insight=lesson.insight,
        durability=lesson.durability,
        created=at,
        updated=at,
        score=1.0,
        signal=SHARED,
        fingerprint=mark(lesson),
        slug=lesson.slug,
    )


def mark(lesson: Entry) -> str:
    """Return the fingerprint of a lesson's copies."""
    return f"{SHARED}:{lesson.id}"


def relatives(curator: Curator, entry: Entry) -> Iterator[tuple[str, Entry]]:
    """Yield the active copies of a lesson, or what it was copied from, each with ``to`` or ``from``."""
    if entry.fingerprint.startswith(f"{SHARED}:"):
        origin = curator.lessons.peek(entry.fingerprint.partition(":")[2])
        yield from [("from", origin)] if origin else []
    for project in curator.projects() if entry.state is State.ACTIVE else ():
        copy = curator.store.entries.by_fingerprint(project, mark(entry))
        if copy and copy.state is State.ACTIVE:
            yield "to", copy


__all__ = ["Plan", "carry_out", "installing", "merge_files", "uninstalling"]


def installing(folder: Path) -> Plan:
    """Return what it takes to have git merge lesson files of a work tree by field.

    Raises ``CuratorError`` where there is none.
    """
    return git_setup.installing(folder, command.merge_driver())


def merge_files(base: Path, ours: Path, theirs: Path, file: str) -> tuple[bool, tuple[str, ...]]:
    """Merge three versions of a lesson's file into ``ours``, as git asks a merge driver to; no database, nothing of ours.

    Returns whether nothing is left to be settled in the file itself, and the names of the fields that a person is asked
    about at the next import. What can't be merged by field is merged by lines, as git does by itself, with its markers.
    """
    old, mine, other = (path.read_bytes() for path in (base, ours, theirs))
    try:
        result = merge.merge_files(old, mine, other, file)
    except Exception:  # a fault of ours must not cost what theirs says: lines are always right
        result = None
    if result is None:
        labels = [word for label in ("ours", "base", "theirs") for word in ("-L", label)]
        names = [str(path.absolute()) for path in (ours, base, theirs)]
        return git.ask(ours.absolute().parent, "merge-file", *labels, *names) is not None, ()
    ours.write_bytes(result)
    return True, tuple(lesson_files.split_disputes(lesson_files.parse(result.decode(), file))[1])


MAX_CHAIN_LESSONS = 100
"""Lessons of a chain that are shown; files may say anything."""


def chain(curator: Curator, entry: Entry) -> list[tuple[Entry, tuple[str, ...]]]:
    """Return the lessons that an entry is linked to, over however many steps, oldest first, each with its links in words."""
    found = {entry.id: entry}
    waiting = [entry]
    while waiting and len(found) < MAX_CHAIN_LESSONS:
        one = waiting.pop(0)
        back = [other for other in curator.store.mentioning([f'"{one.id}"']) if one.id in linked(other)]
        ahead = [other for id_ in linked(one) if id_ not in found and (other := curator.lessons.peek(id_))]
        for other in (*ahead, *back):
            if other.id not in found and not other.version_of:
                found[other.id] = other
                waiting.append(other)
    entries = sorted(found.values(), key=lambda other: (other.created, other.id))
    return [(other, tuple(links(other, found))) for other in entries]


def linked(entry: Entry) -> tuple[str, ...]:
    """Return the ids of the lessons that an entry replaced, took the place of, went into or refines."""
    ids = (*entry.supersedes, entry.superseded_by, entry.merged_into, *entry.refines)
    return tuple(dict.fromkeys(id_ for id_ in ids if id_))


def links(entry: Entry, found: Mapping[str, Entry]) -> Iterator[str]:
    """Yield an entry's links in words; a replacement is told once, by the one that was replaced, if it is there to tell."""
    if entry.state is State.ACTIVE:  # brought back: what had become of it is history
        entry = entry._replace(superseded_by="", merged_into="")
    for id_ in entry.supersedes:
        if id_ not in found or found[id_].superseded_by != entry.id:
            yield f"supersedes {id_}"
    for word, ids in (
        ("superseded by", (entry.superseded_by if entry.superseded_by != entry.merged_into else "",)),
        ("merged into", (entry.merged_into,)),
        ("refines", entry.refines),
    ):
        yield from (f"{word} {id_}" for id_ in ids if id_)
    for id_, because in entry.coexists:
        yield f"coexists with {id_}{f': {because}' if because else ''}"
