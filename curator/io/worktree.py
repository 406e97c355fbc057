"""Git's own files, read without git: work trees, remotes, and the project of a folder. This is fast enough for hooks.

A git process would take as long as a hook's whole answer. A linked work tree has a file ``.git`` that names its folder in the
repository. That folder names the work tree in turn (gitrepository-layout(5)).

curator recognises a second clone by its remote. It compares the clone's history when it reads the first session there.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Protocol

    class Folders(Protocol):
        """Knows projects by folders: see ``curator.store.hook_reader``."""

        def project(self, folder: str) -> tuple[str, str] | None:
            """Return (id, folder) of the project around a folder."""

        def of_remote(self, remote: str) -> str:
            """Return the id of the one project with a remote."""


MAX_LINK_BYTES = 4_096
"""Bytes of a file that names a folder."""
POINTS = b"gitdir: "
BESIDE = "/.git/worktrees/"


def work_tree_around(place: str) -> tuple[str, str]:
    """Return the top of the work tree around a place, and of the repository's first work tree; both empty without one."""
    while place:
        file = os.path.join(place, ".git")
        try:
            mode = os.lstat(file).st_mode
        except (OSError, ValueError):
            mode = 0
        if stat.S_ISDIR(mode):
            return place, place
        if stat.S_ISREG(mode):
            return place, _first(place, file)
        above = os.path.dirname(place)
        place = above if above != place else ""
    return "", ""


def _first(top: str, file: str) -> str:
    """Return the first work tree of the repository to which a file ``.git`` points. Return an empty text for a submodule, or
    if the folder to which the file points does not point back.
    """
    content = _line(file)
    if not content.startswith(POINTS) or b"\0" in content:
        return ""
    own = os.path.normpath(os.path.join(top, os.fsdecode(content[len(POINTS) :])))
    first, beside, _ = own.replace(os.sep, "/").rpartition(BESIDE)
    back = os.path.join(own, os.fsdecode(_line(os.path.join(own, "gitdir"))))
    return first if beside and os.path.realpath(back) == os.path.realpath(file) else ""


def _line(path: str) -> bytes:
    """Return the first line of a file. Return an empty text if there is no file."""
    return first_bytes(path, MAX_LINK_BYTES).partition(b"\n")[0].rstrip()


def first_bytes(path: str, size: int) -> bytes:
    """Return the first bytes of a file. Return none if there is no file, and for a pipe."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(fd, size)
    except OSError:
        return b""
    finally:
        os.close(fd)


_PREFIXES = {"v3", "scm"}
"""First parts of a path that only some forms of a host's URL have (Azure DevOps, Bitbucket); also ``_git``."""
_NICKNAMES = ("ssh.", "altssh.", "www.")


def normal_remote(url: str) -> str:
    """Return a remote's host and path, the same for every way of writing it. Return an empty text for a path on this machine.

    >>> normal_remote("git@github.com:Ann/App.git")
    'github.com/ann/app'
    >>> normal_remote("https://token@github.com:443/ann/app/")
    'github.com/ann/app'
    >>> normal_remote("ssh://git@ssh.github.com:22/ann/app.git")
    'github.com/ann/app'
    >>> normal_remote("git@ssh.dev.azure.com:v3/org/web/app"), normal_remote("https://org@dev.azure.com/org/web/_git/app")
    ('dev.azure.com/org/web/app', 'dev.azure.com/org/web/app')
    >>> normal_remote("/srv/git/app.git"), normal_remote("../app"), normal_remote("C:\\\\git\\\\app"), normal_remote("file:///srv/app")
    ('', '', '', '')
    """
    host, path = _parts(url.strip())
    host = host.lower()
    for nickname in _NICKNAMES:
        if host.startswith(nickname) and "." in host[len(nickname) + 1 :]:
            host = host[len(nickname) :]
            break
    parts = [part for part in path.lower().split("/") if part not in ("", "_git")]
    path = "/".join(parts[1:] if len(parts) > 2 and parts[0] in _PREFIXES else parts).removesuffix(".git")
    return f"{host}/{path}" if host and path else ""


def _parts(url: str) -> tuple[str, str]:
    """Return the host and path of an address. The host is empty for a path on this machine."""
    scheme, mark, rest = url.partition("://")
    if mark:
        authority, slash, path = rest.partition("/")
        known = slash and scheme[:1].isalpha() and scheme.lower() != "file"
        return (_host(authority.rpartition("@")[2]), path) if known else ("", "")
    authority, _, path = url.partition("]:") if "]:" in url else url.partition(":")
    host = authority.rpartition("@")[2] + ("]" if "]:" in url else "")
    # A single letter before a colon is a drive; a slash before it makes it a path (git-clone(1)).
    there = len(host) > 1 and path and not path.startswith("//") and not any(sign in host for sign in "/\\ \t")
    return (host, path) if there else ("", "")


def _host(authority: str) -> str:
    """Return a host without its port. An address in brackets keeps its colons."""
    return authority[: authority.find("]") + 1] if authority.startswith("[") else authority.partition(":")[0]


def written_remotes(lines: Iterable[str]) -> dict[str, str]:
    """Return the normalised remotes by name from a file of git's settings (git-config(1)), without those that have no host."""
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        line = line.strip()
        if line.startswith("["):
            kind, _, rest = line[1:].partition('"')
            name = rest.partition('"')[0] if kind.strip().lower() == "remote" else ""
        key, _, value = line.partition("=")
        if name and key.strip().lower() == "url" and (remote := normal_remote(value.strip().strip('"'))):
            found.setdefault(name, remote)
    return found


def preferred_remote(remotes: Mapping[str, str]) -> str:
    """Return the remote that identifies a repository: upstream, origin, the first by name, or else an empty text."""
    order = [name for name in ("upstream", "origin") if name in remotes] + sorted(remotes)
    return next((remotes[name] for name in order if remotes[name]), "")


SETTINGS = 64 << 10
"""Bytes of a repository's settings that are looked through for its remotes."""


def project(known: Folders, place: str) -> tuple[str, str] | None:
    """Return (id, folder) of the project around a place. Return ``None`` if it is unknown.

    The folder is that of the current work tree. A nested repository is not part of the project.
    """
    if os.pardir in place.split("/"):
        place = os.path.realpath(place)
    found = known.project(place) or known.project(os.path.realpath(place))
    top, first = work_tree_around(place)
    if not top or (found and _within(found[1], top)):
        return found
    if not first:
        return None
    main = known.project(os.path.realpath(first)) or known.project(first)
    if main and os.path.realpath(main[1]) == os.path.realpath(first):
        return main[0], top
    return _find_clone(known, top, first)


def _find_clone(known: Folders, top: str, first: str) -> tuple[str, str] | None:
    """Return the project of an unknown clone."""
    remote = preferred_remote(written_remotes(_settings(first)))
    clone = known.of_remote(remote) if remote else ""
    return (clone, top) if clone else None


def _within(folder: str, top: str) -> bool:
    """Return whether a folder is the top or below it, also if a link leads to one of them."""
    folder, top = os.path.realpath(folder), os.path.realpath(top)
    return folder == top or folder.startswith(top.rstrip(os.sep) + os.sep)


def _settings(first: str) -> list[str]:
    """Return the lines of a repository's own settings."""
    return os.fsdecode(first_bytes(os.path.join(first, ".git", "config"), SETTINGS)).split("\n")
