"""Saying by hand which code a lesson speaks of, with completion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from curator.app import codebase
from curator.app.verdicts import Outcome, Verdicts
from curator.errors import CuratorError
from curator.model import Anchor, Change, Entry, Project, State, Verb

Place = tuple[str, str]
"""A path, and a qualified symbol in it or an empty text for the whole file."""


def places_of(entry: Entry) -> tuple[Place, ...]:
    """The code that a lesson speaks of: what it is anchored by, and files that it names besides."""
    anchored = {anchor.path for anchor in entry.anchors}
    return (*(anchor.subject for anchor in entry.anchors), *((path, "") for path in entry.files if path not in anchored))


def point(curator: Verdicts, id_: str, places: Sequence[Place], *, seconds: float | None = None) -> Outcome:
    """Let an entry speak of exactly this code, as one verdict. A lesson is anchored at once, a candidate when it is kept.

    Raises ``CuratorError`` for a place that the project does not have.
    """

    def judge(entry: Entry, at: float) -> Iterable[tuple[Verb, Change]]:
        return [(Verb.EDIT, Change(before=entry, after=replace(pointed(entry, places, folder(curator, entry)), updated=at)))]

    return curator.decide([id_], judge, Verb.EDIT, seconds)


def pointed(entry: Entry, places: Sequence[Place], folder: Path) -> Entry:
    """An entry with these places as its code."""
    known = {anchor.subject: anchor for anchor in entry.anchors}
    anchors: list[Anchor] = []
    for place in dict.fromkeys(places):
        if place in known:
            anchors.append(known[place])
        elif entry.state is State.ACTIVE:
            anchors.append(taken(folder, *place))
        else:
            taken(folder, *place)
    symbols = tuple(dict.fromkeys(symbol for _, symbol in places if symbol))
    return replace(entry, anchors=tuple(anchors), files=tuple(dict.fromkeys(path for path, _ in places)), symbols=symbols)


def taken(folder: Path, path: str, symbol: str) -> Anchor:
    """The anchor of a place. Raises ``CuratorError`` where there is no such file, or no such symbol in it."""
    from curator import code

    found = code.take(folder, [path], [symbol] if symbol else ())
    if not found:
        raise CuratorError(f"{path} is no file of this project.", "Paths are relative to its folder and never lead out of it.")
    if symbol and found[0].symbol != symbol:
        raise CuratorError(f"{path} defines no {symbol}.", "Names are qualified with dots, such as Pool.close.")
    return found[0]


def resolved(curator: Verdicts, entry: Entry, text: str) -> Place:
    """What a person typed as a place: a path, ``path:symbol``, or a symbol that the project defines once.

    Raises ``CuratorError``, with the choice there is.
    """
    path, _, symbol = text.rpartition(":")
    where = folder(curator, entry)
    if path:
        return path, symbol
    if (where / text).is_file():
        return text, ""
    refresh(curator, entry)
    with closing(codebase.index_of(curator.settings, project_of(curator, entry))) as index:
        found = list(dict.fromkeys((symbol.path, symbol.name) for symbol in index.named(text)))
    if len(found) == 1:
        return found[0]
    if not found:
        raise CuratorError(f"The project has no file and no symbol {text}.", "Write a path, path:symbol, or a symbol.")
    choice = ", ".join(":".join(place) for place in found[:5])
    raise CuratorError(f"{text} is defined {len(found)} times.", f"Say which: {choice}{' …' if len(found) > 5 else ''}")


def suggested(curator: Verdicts, entry: Entry, text: str, *, limit: int = 20) -> list[Place]:
    """Places that a person may mean who types so far: any part of a symbol's name or of a path, or both with a colon between.

    Symbols that begin so come first, then files, then other symbols; files and symbols leave half of the room to each other.
    The places are those of the index as it is; see ``refresh``.
    """
    path, colon, part = text.replace("::", ".").rpartition(":")
    with closing(codebase.index_of(curator.settings, project_of(curator, entry))) as index:
        found = index.matching(part, path, 2 * limit) if text else []
        files = [] if colon else [(file, "") for file in index.paths(part, limit)]
    most = max(limit // 2, limit - len(files))
    symbols = list(dict.fromkeys((symbol.path, symbol.name) for symbol in found))[: limit if colon else most]
    wanted = f".{part.lower()}"
    inner = [place for place in symbols if not colon and wanted not in f".{place[1].lower()}"]
    first = [place for place in symbols if place not in inner]
    return [*first, *files[: limit - len(symbols)], *inner]


def refresh(curator: Verdicts, entry: Entry, go_on: Callable[[], bool] = lambda: True) -> None:
    """Bring the index of an entry's project up to date, as long as ``go_on`` says so; the first time this may take a minute."""
    codebase.update(curator.settings, project_of(curator, entry), lambda done, of: go_on())


def project_of(curator: Verdicts, entry: Entry) -> Project:
    """An entry's project where the person stands, else as last seen. Raises ``CuratorError`` where its folder is absent."""
    here = curator.here()
    project = here if here and here.id == entry.project else curator.projects().get(entry.project)
    if project is None or not project.folder or not Path(project.folder).is_dir():
        raise CuratorError(
            f"The folder of {entry.id}'s project is not there.", "Run this in the project, or name it with --project."
        )
    return project


def folder(curator: Verdicts, entry: Entry) -> Path:
    """The folder of an entry's project."""
    return Path(project_of(curator, entry).folder)
