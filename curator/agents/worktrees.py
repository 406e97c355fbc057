"""Find the project of a folder on the path of hooks, also in linked work trees and in repositories not seen before.

Asking git would take as long as the whole answer, so its own files are read: a work tree beside the first has a file
``.git`` that names its folder in the repository, and that names it back (gitrepository-layout(5)). A second clone is known by
its remote; until a session of it is read, nobody compares the histories.
"""

from __future__ import annotations

import os

from curator.io.worktree import around, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Folders(Protocol):
        """Knows projects by folders: see ``curator.store.hook_reader``."""

        def project(self, folder: str) -> tuple[str, str] | None:
            """(id, folder) of the project around a folder."""

        def of_remote(self, remote: str) -> str:
            """The id of the one project with a remote."""


SETTINGS = 64 << 10
"""Bytes of a repository's settings that are looked through for its remotes."""


def project(known: Folders, place: str) -> tuple[str, str] | None:
    """(id, folder) of the project around a place; ``None`` where none is known.

    The folder is that of the work tree at hand. A repository within a project is none of its parts.
    """
    if os.pardir in place.split("/"):
        place = os.path.realpath(place)
    found = known.project(place) or known.project(os.path.realpath(place))
    top, first = around(place)
    if not top or (found and _within(found[1], top)):
        return found
    if not first:
        return None
    main = known.project(os.path.realpath(first)) or known.project(first)
    if main and os.path.realpath(main[1]) == os.path.realpath(first):
        return main[0], top
    return _cloned(known, top, first)


def _cloned(known: Folders, top: str, first: str) -> tuple[str, str] | None:
    """The project of which a repository that nobody knows is another clone."""
    from curator.io import remotes

    remote = remotes.preferred(remotes.written(_settings(first)))
    clone = known.of_remote(remote) if remote else ""
    return (clone, top) if clone else None


def _within(folder: str, top: str) -> bool:
    """Whether a folder is the top or below it, by whatever links both are named."""
    folder, top = os.path.realpath(folder), os.path.realpath(top)
    return folder == top or folder.startswith(top.rstrip(os.sep) + os.sep)


def _settings(first: str) -> list[str]:
    """The lines of a repository's own settings."""
    return os.fsdecode(start(os.path.join(first, ".git", "config"), SETTINGS)).split("\n")
