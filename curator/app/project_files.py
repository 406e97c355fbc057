"""Files and folders of a project as lessons name them: relative to it, and never outside."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from curator import projects
from curator.app.lessons import Lessons, View
from curator.errors import CuratorError, NoProject
from curator.io import git
from curator.io.files import is_bare, private_file
from curator.model import Entry, Project, Query, State
from curator.projects import relative_to
from curator.store.file_records import FileRecord
from curator.text.statement import is_path

if TYPE_CHECKING:
    from curator.lesson_files import Refusal


def own_files(view: View, paths: Sequence[str]) -> list[str]:
    """Return files as a lesson names them, relative to the project. Raises ``CuratorError`` for one outside it."""
    here = view.here()
    return [projects.inside(here.folder, path) for path in paths] if here else list(paths)


def own_paths(view: View, paths: Sequence[str], project: str = "") -> tuple[str, ...]:
    """Return the valid paths of a lesson of a project, relative to its folder. The project is this one, or the one with the id.

    Raises ``CuratorError`` for a path outside it. Such a path would match nothing and would reveal details of a machine.
    """
    found = [projects.relative_to([path], *tops(view, project)) for path in paths]
    if () in found:
        raise CuratorError(
            f"{paths[found.index(())]} is not inside this project.", "Use folders or patterns relative to the project's folder."
        )
    return tuple(inner for one in found for inner in one)


def real_paths(paths: Iterable[str], top: str) -> tuple[str, ...]:
    """Return the texts that have the form of a path. A name with blanks must exist below ``top``."""
    return tuple(path for path in paths if is_path(path) and _has_names(path, top))


def _has_names(path: str, top: str) -> bool:
    """Return whether the part of a path that ends with its last name with blanks is there."""
    names = path.split("/")
    last = max((number for number, name in enumerate(names, 1) if " " in name), default=0)
    return not last or os.path.lexists(os.path.join(top, *names[:last]))


def folders(view: View, entry: Entry) -> tuple[str, ...]:
    """Return the folders of an entry's files, and its files at the project's top. A lesson may be limited to these."""
    inner = projects.relative_to(entry.files, *tops(view, entry.project))
    return tuple(dict.fromkeys(path.rpartition("/")[0] or path for path in inner))


def tops(view: View, project: str) -> list[str]:
    """Return the folders of a project, by default this one. The current clone comes first."""
    here = view.here()
    at_hand = here if here is not None and project in ("", here.id) else view.projects().get(project)
    return view.tops(at_hand) if at_hand is not None else []


def files(view: View, entry: Entry) -> list[Path]:
    """Return the existing files of an entry inside its project."""
    found = []
    for top in tops(view, entry.project):
        inner = projects.relative_to([*(anchor.path for anchor in entry.anchors), *entry.files], top)
        found += [Path(top, path).resolve() for path in dict.fromkeys(inner)]
    real = [Path(top).resolve() for top in tops(view, entry.project)]
    return [path for path in found if path.is_file() and any(map(path.is_relative_to, real))]


def count_lesson_files(view: View) -> int:
    """Return the number of lesson files in the current project."""
    here = view.here()
    return sum(1 for _ in Path(here.folder, ".curator", "lessons").glob("*.md")) if here else 0


def folder_of(view: View, project: Project | None = None) -> Path:
    """Return the folder of a project's lesson files. It is in the project's folder. If that is not on this machine, or is a
    bare repository, it is with curator's data.
    """
    project = project or view.project
    if project is None:
        raise NoProject("lesson files need one")
    if project.folder and Path(project.folder).is_dir() and not is_bare(project.folder):
        return Path(project.folder) / ".curator" / "lessons"
    return view.settings.exports / project.id


def count_unread(view: View) -> int:
    """Return the number of lesson files if the database has no lesson of the project: because it is new, empty or another
    one.
    """
    project = view.project
    if project is None or Lessons(view).kinds(Query(project=project.id, states=(State.ACTIVE, State.RETIRED))).total():
        return 0
    folder = folder_of(view)
    try:
        names = os.listdir(folder)
    except OSError:
        return 0
    if not names or view.store.files.in_folder(str(folder)):
        return 0
    from curator.lesson_files import is_lesson  # reads front matter, too, which few windows need

    return sum(map(is_lesson, names))


def git_fault(view: View) -> CuratorError | None:
    """Return why git can't read the current repository, with the remedy. Return ``None`` if it can, or if curator said so
    before.
    """
    project = view.project
    mend = git.allow_command(project.folder) if project else ""
    if project is None or ((project.root_commit or project.remote) and not mend) or not (why := git.complaint(project.folder)):
        return None
    said, line = view.settings.home / "git-faults", f"{project.folder}: {why}"
    private_file(said)
    if line in said.read_text("utf-8", "replace").splitlines():
        return None
    with said.open("a", encoding="utf-8", errors="replace") as file:
        file.write(f"{line}\n")
    return CuratorError(
        f"git can't read the repository in {project.folder}: {why}. Until it can, curator treats it as a plain folder.",
        f"If you trust that folder, run `{mend}`." if mend else "",
    )


PATHS_LINE = 5
"""The line of a lesson file that begins its list of paths."""


def without_foreign_paths(entry: Entry, tops: Sequence[str]) -> Entry:
    """Return a lesson without paths outside its project, whose folders are ``tops``. If none is left, it keeps its paths."""
    paths = relative_to(entry.paths, *tops)
    return entry._replace(files=relative_to(entry.files, *tops), paths=entry.paths if _is_placeless(entry, paths) else paths)


def for_files(
    entries: Iterable[Entry], tops: Callable[[], Sequence[str]], records: Mapping[str, FileRecord] | None = None
) -> tuple[dict[str, Entry], list[Refusal]]:
    """Return lessons by id without paths outside the project, which would reveal details of a machine.

    A lesson with no other path is refused and its file stays unchanged, because without paths it would seem to apply
    everywhere. The folder of the project is read once, and only if a path is not relative.
    """
    from curator import lesson_files  # 2 MB that a check need not hold: its lessons are mostly clean

    lessons: dict[str, Entry] = {}
    refusals = []
    tops = cache(tops)
    for entry in entries:
        known_tops = tops() if _outward(entry) else ()
        after = without_foreign_paths(entry, known_tops)
        if _is_placeless(entry, relative_to(entry.paths, *known_tops)):
            known = (records or {}).get(entry.id)
            reason = (
                f"{entry.id} applies only outside the project. Set a folder inside with `curator edit {entry.id} --scope DIR`"
            )
            name = known.name if known else lesson_files.lesson.file_name(entry)
            refusals.append(lesson_files.Refusal(name, PATHS_LINE, reason))
        else:
            lessons[entry.id] = after
    return lessons, refusals


def _outward(entry: Entry) -> bool:
    """Return whether an entry names a place otherwise than relative to its project."""
    return any(relative_to(places) != places for places in (entry.paths, entry.files))


def _is_placeless(entry: Entry, inner: Sequence[str]) -> bool:
    """Return whether no path of a lesson is left in ``inner``."""
    return entry.scope == "paths" and bool(entry.paths) and not inner
