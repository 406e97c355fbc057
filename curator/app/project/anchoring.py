"""Anchor lessons: record their current code, change their linked code by hand, find out who changed it.

The index of a project's symbols finds the code that a lesson names, and completes a person's input.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from operator import attrgetter
from pathlib import Path

from curator import clock, code
from curator.app import project_files
from curator.app.curator import Curator
from curator.app.decide import Outcome
from curator.errors import CuratorError
from curator.io import files, git
from curator.model import Anchor, Change, Entry, Finding, Project, State, Verb
from curator.settings import Settings
from curator.store.symbols import Definition, Mark, SymbolIndex
from curator.text import redact

FILES_PER_BATCH = 200
"""The number of files that are stored together. If a first look is stopped, it continues after them."""
MAX_FILES_UNASKED = 1_500
"""Source files that are indexed without asking: a few seconds."""
MIN_NAME_LETTERS = 4
"""Letters of a name that is looked for in the whole project."""


def index_of(settings: Settings, project: Project) -> SymbolIndex:
    """Return the index of a project in its last state."""
    return SymbolIndex(place_of(settings, project))


def place_of(settings: Settings, project: Project) -> Path:
    """Return the path of a project's index."""
    name = "".join(letter if letter.isalnum() else "-" for letter in project.id)
    return settings.cache / "symbols" / f"{name}.db"


def update(
    settings: Settings, project: Project, progress: Callable[[int, int], bool | None] = lambda done, of: None
) -> tuple[int, int]:
    """Update a project's index. Return the numbers of files that were read and that are gone.

    Files with the same size, time and inode are not opened. ``progress`` gets the number of files read and the total after each
    batch, and returns ``False`` to stop.
    """
    folder = Path(project.folder)
    if not project.folder or not folder.is_dir():
        return 0, 0
    with closing(index_of(settings, project)) as index:
        known = index.marks()
        there = dict(_marks(folder))
        changed = [path for path, mark in there.items() if known.get(path) != mark]
        removed = [path for path in known if path not in there]
        if removed:
            index.remove(removed)
        for start in range(0, len(changed), FILES_PER_BATCH):
            paths = changed[start : start + FILES_PER_BATCH]
            index.replace((path, there[path], definitions(folder, path)) for path in paths)
            if progress(start + len(paths), len(changed)) is False:
                break
        return len(changed), len(removed)


def places(settings: Settings, project: Project, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the names that only one file defines, by that file. Very short names are left out.

    The index is updated first. This makes no index for a large project without one: ``curator check`` does.
    """
    telling = [name for name in dict.fromkeys(names) if len(name) >= MIN_NAME_LETTERS or "_" in name.strip("_")]
    folder = Path(project.folder)
    if not telling or not folder.is_dir():
        return {}
    if not place_of(settings, project).exists() and len(code.sources(folder)) > MAX_FILES_UNASKED:
        return {}
    update(settings, project)
    with closing(index_of(settings, project)) as index:
        defining = {name: {defined.path for defined in index.find(name.replace("::", "."))} for name in telling}
    found: dict[str, list[str]] = {}
    for name, paths in defining.items():
        if len(paths) == 1:
            found.setdefault(next(iter(paths)), []).append(name)
    return found


def _marks(folder: Path) -> Iterator[tuple[str, Mark]]:
    top = f"{folder}{os.sep}"
    for path in code.sources(folder):
        try:
            found = os.lstat(top + path)
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode):
            yield path, (found.st_size, found.st_mtime_ns, found.st_ino)


def definitions(folder: Path, path: str) -> Sequence[Definition]:
    """Return the definitions in a file. Return none if its symbols can't be read."""
    language = code.language_of(path)
    try:
        source = files.read(folder / path, folder)
        return [Definition(path, *found) for found in code.outline(source, language)] if language else ()
    except (OSError, code.Unreadable):
        return ()


CHECKER = "curator"
"""The actor of changes that a check makes."""
MAX_ATTEMPTS = 3
"""Maximum number of attempts at a lesson that others are changing. They anchor it, too."""
Basis = Callable[[Entry], tuple[object, ...]]
"""The parts of an entry that a conclusion is based on."""
ANCHORED_BY: Basis = attrgetter("state", "headline", "insight", "files", "symbols", "anchors", "branch")
"""The parts of an entry that determine its anchors."""
DATED: Basis = attrgetter("state", "anchors")


def anchor_lessons(curator: Curator, ids: Iterable[str], projects: Mapping[str, Project]) -> None:
    """Record the current code of newly linked lessons, so that curator notices a later change."""
    left = list(ids)
    for _ in range(MAX_ATTEMPTS):
        changes = []
        for id_ in left:
            entry = curator.lessons.peek(id_)
            project = projects.get(entry.project) if entry and entry.state is State.ACTIVE else None
            if entry is not None and project is not None and Path(project.folder).is_dir():
                after = attach_anchors(entry, Path(project.folder), partial(places, curator.settings, project))
                changes.append(Change(before=entry, after=after))
        anew, current = write(curator, Verb.ANCHOR, changes, ANCHORED_BY)
        left = [id_ for id_ in current if id_ not in anew]


def date_anchors(curator: Curator, project: Project, lessons: Iterable[Entry]) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """Record the commit of code that was new when its lesson was kept and is committed now: see ``write``.

    A file names a commit only if that commit has the code. Then a clone need not read unchanged files.
    """
    waiting = [entry for entry in lessons if any(anchor.undated for anchor in entry.anchors)]
    every = [anchor for entry in waiting for anchor in entry.anchors]
    dates = dict(zip(every, code.date_anchors(Path(project.folder), every), strict=True))
    changes = [Change(before=one, after=one._replace(anchors=tuple(map(dates.__getitem__, one.anchors)))) for one in waiting]
    return write(curator, Verb.ANCHOR, changes, DATED)


def write(curator: Curator, verb: Verb, changes: Iterable[Change], basis: Basis) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """Write conclusions about entries as one batch. Return the entries that changed, and all of them in their current state.

    An entry whose ``basis`` has changed stays as it is. Another process drew the same conclusion, or a person decided.
    """
    result: dict[str, Entry] = {}
    current: dict[str, Entry] = {}
    pairs = [(change.before, change.after) for change in changes if change.before != change.after]
    if not pairs:
        return result, current
    at, batch = clock.now(), clock.new_batch()
    with curator.store.transaction():
        for before, after in pairs:
            now = curator.lessons.peek(before.id) if before else None
            if now is not None and before is not None and after is not None:
                if basis(now) == basis(before):
                    curator.store.apply([(verb, Change(before=before, after=after))], actor=CHECKER, at=at, batch=batch)
                    result[now.id] = now = after
                current[now.id] = now
    return result, current


Places = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Says which of some names only one file of the project defines, by that file."""


def attach_anchors(entry: Entry, folder: Path, places: Places = lambda names: {}) -> Entry:
    """Return a lesson with anchors for its code that has none yet, and for a branch that is not merged.

    If the lesson's own files do not define a name, ``places`` looks for it in the whole project.
    """
    known = {anchor.path for anchor in entry.anchors}
    new = [path for path in entry.files if path not in known]
    names = (*entry.symbols, *code.code_names(f"{entry.headline}\n{entry.insight}"))
    anchors = code.make_anchors(folder, new, names) if new else ()
    found = tuple(f".{anchor.symbol}" for anchor in (*entry.anchors, *anchors))
    missing = [name for name in names if not any(symbol.endswith(f".{name}") for symbol in found)]
    if missing and not entry.anchors:
        for path, defined in places(missing).items():
            anchors = (*anchors, *code.make_anchors(folder, [path], defined))
    old = code.date_anchors(folder, entry.anchors)
    if not anchors and old == entry.anchors:
        return entry
    every = (*old, *anchors)
    branch = code.branch_of(folder, every)
    return entry._replace(anchors=every, branch=branch)


Place = tuple[str, str]
"""A path, and a qualified symbol in it or an empty text for the whole file."""


def places_of(entry: Entry) -> tuple[Place, ...]:
    """Return the linked code of a lesson: its anchors, and the other files that it names."""
    anchored = {anchor.path for anchor in entry.anchors}
    return (*(anchor.subject for anchor in entry.anchors), *((path, "") for path in entry.files if path not in anchored))


def link_code(curator: Curator, id_: str, places: Sequence[Place]) -> Outcome:
    """Link exactly this code to an entry, as one decision. A lesson is anchored at once, a candidate when it is kept.

    Raises ``CuratorError`` for a path or symbol that the project does not have.
    """

    def judge(entry: Entry, at: float) -> Iterable[tuple[Verb, Change]]:
        return [(Verb.EDIT, Change(before=entry, after=point_at(entry, places, folder(curator, entry))._replace(updated=at)))]

    return curator.decisions.decide([id_], judge, Verb.EDIT)


def point_at(entry: Entry, places: Sequence[Place], folder: Path) -> Entry:
    """Return an entry with these places as its code."""
    known = {anchor.subject: anchor for anchor in entry.anchors}
    anchors: list[Anchor] = []
    for place in dict.fromkeys(places):
        anchor = known.get(place) or take_anchor(folder, *place)
        if place in known or entry.state is State.ACTIVE:
            anchors.append(anchor)
    symbols = tuple(dict.fromkeys(symbol for _, symbol in places if symbol))
    return entry._replace(anchors=tuple(anchors), files=tuple(dict.fromkeys(path for path, _ in places)), symbols=symbols)


def take_anchor(folder: Path, path: str, symbol: str) -> Anchor:
    """Return the anchor of a file or symbol. Raises ``CuratorError`` if there is no such file, or no such symbol in it."""
    found = code.make_anchors(folder, [path], [symbol] if symbol else ())
    if not found:
        raise CuratorError(
            f"{path} is not a file of this project.", "Give a path relative to the project's folder, and inside it."
        )
    if symbol and found[0].symbol != symbol:
        raise CuratorError(f"{path} defines no {symbol}.", "Write a symbol with dots, such as Pool.close.")
    return found[0]


def resolve_place(curator: Curator, entry: Entry, text: str) -> Place:
    """Return a person's input as a place: a path, ``path:symbol``, or a symbol that the project defines once.

    Raises ``CuratorError`` that lists the choices.
    """
    path, _, symbol = text.rpartition(":")
    where = folder(curator, entry)
    if path:
        return path, symbol
    if (where / text).is_file():
        return text, ""
    refresh(curator, entry)
    with closing(index_of(curator.settings, project_of(curator, entry))) as index:
        found = list(dict.fromkeys((symbol.path, symbol.name) for symbol in index.find(text)))
    if len(found) == 1:
        return found[0]
    if not found:
        raise CuratorError(f"No file or symbol named {text} in this project.", "Write a path, path:symbol, or a symbol.")
    choice = ", ".join(":".join(place) for place in found[:5])
    raise CuratorError(f"{text} is defined {len(found)} times.", f"Choose one: {choice}{' …' if len(found) > 5 else ''}")


def suggest_places(curator: Curator, entry: Entry, text: str, *, limit: int = 20) -> list[Place]:
    """Return the files and symbols that match a person's unfinished input.

    The input is any part of a symbol or a path, or both with a colon between. Symbols with this beginning come first, then
    files, then other symbols. Files and symbols each get half of the list. The index is not updated (see ``refresh``).
    """
    path, colon, part = text.replace("::", ".").rpartition(":")
    with closing(index_of(curator.settings, project_of(curator, entry))) as index:
        found = index.matching(part, path, 2 * limit) if text else []
        files = [] if colon else [(file, "") for file in index.paths(part, limit)]
    most = max(limit // 2, limit - len(files))
    symbols = list(dict.fromkeys((symbol.path, symbol.name) for symbol in found))[: limit if colon else most]
    suffix = f".{part.lower()}"
    inner = [place for place in symbols if not colon and suffix not in f".{place[1].lower()}"]
    first = [place for place in symbols if place not in inner]
    return [*first, *files[: limit - len(symbols)], *inner]


def refresh(curator: Curator, entry: Entry, go_on: Callable[[], bool] = lambda: True) -> None:
    """Update the index of an entry's project, while ``go_on`` returns true. The first time may take a minute."""
    update(curator.settings, project_of(curator, entry), lambda done, of: go_on())


def project_of(curator: Curator, entry: Entry) -> Project:
    """Return an entry's project, at the person's current folder or else its last known one.

    Raises ``CuratorError`` if its folder is absent.
    """
    here = curator.here()
    project = here if here and here.id == entry.project else curator.projects().get(entry.project)
    if project is None or not project.folder or not Path(project.folder).is_dir():
        raise CuratorError(
            "The folder of this lesson's project does not exist.", "Run this in the project, or name it with --project."
        )
    return project


def folder(curator: Curator, entry: Entry) -> Path:
    """Return the folder of an entry's project."""
    return Path(project_of(curator, entry).folder)


MAX_COMMITS = 5


def commits(curator: Curator, entry: Entry, finding: Finding) -> Sequence[str]:
    """Return the commits that changed an entry's code (see ``commits_in``); none if its project is not on this machine."""
    top = next((top for top in project_files.tops(curator, entry.project) if Path(top).is_dir()), "")
    return commits_in(Path(top), entry, finding) if top else ()


def commits_in(folder: Path, entry: Entry, finding: Finding) -> Sequence[str]:
    """Return the commits since a lesson's anchor that touched a finding's code, newest first: ``hash date author: subject``.

    Return nothing if git knows none. No git runs if no commit can be named.
    """
    anchor = next((one for one in entry.anchors if one.subject == (finding.path, finding.symbol)), None)
    since = anchor.commit if anchor and anchor.commit.isalnum() else ""
    paths = [path for path in (finding.path, finding.new_path) if path]
    form = (f"--max-count={MAX_COMMITS}", "--date=short", "--format=%h %ad %an: %s")
    places = (f":(literal){path}" for path in paths)
    output = git.ask(folder, "log", *form, f"{since}..HEAD" if since else "HEAD", "--", *places)
    return [redact.clean(line) for line in git.lines(output)]
