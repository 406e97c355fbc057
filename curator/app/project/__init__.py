"""Use cases on a project's code, lesson files, rules files and notes, and the links of folders to a project.

A link leads from a folder that is gone, or of another system, to a project of this machine. This project gets the statements
made in that folder.
"""

from __future__ import annotations

import os

from curator import clock, projects
from curator.app.curator import Curator
from curator.errors import CuratorError
from curator.model import JSON, Change, Entry, Project, Query, State, Verb


def link(curator: Curator, source: str, target: str) -> tuple[Project, tuple[str, ...]]:
    """Link a folder to the project of another one. Return that project and the ids of the entries that it gets.

    Raises ``CuratorError`` for an existing folder, or if curator knows no project there.
    """
    folder, known = projects.normal_folder(source), curator.projects()
    into = projects.identify(target, known.values())
    inside = [one for one in known.values() if one.id != into.id and projects.linked(one.folder, {folder: into.id})]
    if os.path.isdir(folder):
        raise CuratorError(f"The folder {folder} exists.", "Link only a folder that is gone or of another system.")
    if not os.path.isdir(into.folder):
        raise CuratorError(f"There is no folder {into.folder}.", "Name the folder of a project on this machine.")
    if folder not in (one.folder for one in inside):
        raise CuratorError(f"curator knows no other project in {folder}.", "`curator project` lists the projects.")
    with curator.store.transaction():
        if folder in curator.store.sources.links():
            raise CuratorError(f"{folder} is linked already.", "Run `curator project unlink` first.")
        curator.store.sources.remember(into, into.folder)
        entries = [entry for one in inside for entry in curator.lessons.entries(Query(project=one.id))]
        deeds = [(Verb.LINK, Change(entry, _moved(curator, entry, into))) for entry in entries]
        batch = curator.store.apply(deeds, actor=curator.actor, at=clock.now()).batch
        curator.store.sources.link(folder, into.id, batch)
    return into, tuple(entry.id for entry in entries)


def _moved(curator: Curator, entry: Entry, into: Project) -> Entry:
    """Return an entry as one of another project, where each fingerprint occurs only once."""
    twin = entry.fingerprint and curator.store.entries.by_fingerprint(into.id, entry.fingerprint)
    return entry._replace(project=into.id, fingerprint="" if twin else entry.fingerprint)


def unlink(curator: Curator, source: str) -> tuple[str, ...]:
    """Remove a link. Return the ids of the entries that go back. Raises ``CuratorError`` for a folder without one."""
    folder, sources = projects.normal_folder(source), curator.store.sources
    if folder not in sources.links():
        raise CuratorError(f"{folder} is not linked.", "`curator project` lists the links.")
    with curator.store.transaction():
        events = curator.store.events.batch(sources.unlink(folder))
        return tuple(entry.id for entry in curator.decisions.undo(events[0].seq).entries) if events else ()


def unlinked(curator: Curator) -> list[Project]:
    """Return the projects, without those whose folder is linked to another one and which therefore get nothing more."""
    links = curator.store.sources.links()
    return [project for project in curator.projects().values() if not projects.linked(project.folder, links)]


def listing(curator: Curator) -> list[JSON]:
    """Return each project with its numbers of cards and lessons, those with the most first, and the folders linked to it."""
    links, waiting = curator.store.sources.links(), curator.lessons.waiting_by_project()
    rows = [
        {
            "folder": project.folder,
            "name": project.name,
            "exists": os.path.isdir(project.folder),
            "cards": waiting.get(project.id, 0),
            "lessons": curator.lessons.kinds(Query(project=project.id, states=(State.ACTIVE,))).total(),
            "linked": sorted(folder for folder, id_ in links.items() if id_ == project.id),
        }
        for project in unlinked(curator)
    ]
    return sorted(rows, key=lambda row: (-row["cards"], -row["lessons"], row["folder"]))
