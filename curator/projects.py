"""The project that a folder belongs to.

A project is a root commit together with a remote. If it has neither, its folder identifies it. Both count, because either alone
is misleading. Many code bases begin as clones of one starter and share its root commit, but nothing else. Lessons of one client
must not appear in another's repository. A remote alone can be given to another history. A fork is therefore a separate project,
unless its ``upstream`` remote, which is asked before ``origin``, names the original.

Known projects complete a clone that lacks something. It has no remote yet, or it is shallow and has a wrong root commit, or its
remote was renamed while its folder stayed. See ``identify``.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath, PureWindowsPath

from curator.errors import CuratorError
from curator.io import files, git, worktree
from curator.model import Project, Repository

_WORK_TREE = re.compile(r"(?<=.)[\\/](?:\.worktrees|\.claude[\\/]worktrees)[\\/][^\\/]+.*")
"""The end of a folder in which tools put a repository's work trees: it belongs to the repository, also where both are gone."""
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def identify(folder: str, known: Iterable[Project] = ()) -> Project:
    """Return the project of a folder, with at most three git processes.

    The folder need not exist. If it is missing, the nearest existing folder above it shows its repository.

    Return the first of the ``known`` projects that fits by these rules, with the new facts, or else a new project:

    1. the same root commit and the same remote;
    2. the same root commit and the same folder (the remote was added, renamed or removed), or the only one of that root
       where one of the two has no remote;
    3. the same remote, where one of the two has no root commit (a shallow clone, nothing committed yet);
    4. the same folder, where one of the two has neither (``git init`` came later, or the repository is gone);
    5. outside any repository: the nearest known folder above, unless that is the home folder or above it.

    ``name`` is the remote's last part, or else the folder's, or else the whole path of another system. ``folder`` is the work
    tree's top, or the folder itself.
    """
    place = normal_folder(folder)
    root, remote, name = "", "", ""
    if not _foreign(place) and (there := _existing(place)):
        top, root, remote, name = _ask_git(os.path.realpath(there))
        place = top if there == place or name else place
    if not name:
        place = _WORK_TREE.sub("", place)
    found = _find_known(place, root, remote, tuple(known))
    if found and not root and not remote and found.folder != place:
        return found  # a folder inside a known one
    name = remote.rpartition("/")[2] or name or _last_part(place)
    if found:
        root, remote = root or found.root_commit, remote or found.remote
        return found._replace(
            name=found.name if found.remote == remote else name, folder=place, root_commit=root, remote=remote
        )
    return Project(id=_id(place, root, remote), name=name, folder=place, root_commit=root, remote=remote)


def linked(folder: str, links: Mapping[str, str]) -> str:
    """Return the id of the project to which a folder, or one above it, is linked; empty for an existing folder."""
    if not links or os.path.isdir(place := normal_folder(folder)):
        return ""
    by_folder = {_slashes(linked): id_ for linked, id_ in links.items()}
    return next((by_folder[part] for part in _upwards(place) if part in by_folder), "")


def project_from_folder(folder: str) -> Project:
    """Return a folder as an otherwise unknown project."""
    place = normal_folder(folder)
    return Project(id=_id(place, "", ""), name=_last_part(place), folder=place)


def repository(folder: str) -> Repository:
    """Return the repository around a folder, or else the folder itself, with at most four git processes."""
    place = os.path.realpath(folder)
    top, root, remote, _ = _ask_git(place)
    common = os.path.realpath(git.first_line(git.ask(place, "rev-parse", "--path-format=absolute", "--git-common-dir")) or top)
    return Repository(common if _knows(common, top) else top, root, remote)


def _knows(common: str, top: str) -> bool:
    """Return whether a repository names this work tree. A ``.git`` file may name any repository, so both must name each
    other.
    """
    own = os.path.join(top, ".git")
    if common == os.path.realpath(own):
        return not os.path.lexists(os.path.join(common, "commondir"))
    trees = os.path.join(common, "worktrees")
    for name in os.listdir(trees) if os.path.isdir(trees) else ():
        try:
            back = files.read(os.path.join(trees, name, "gitdir"), common, 4096).decode("utf-8", "surrogateescape").strip()
        except OSError:
            continue
        if os.path.realpath(os.path.join(trees, name, back)) == os.path.realpath(own):
            return True
    return False


def normal_folder(folder: str) -> str:
    """Return a folder in curator's form: absolute, no trailing slash. Windows paths keep their form on every system.

    >>> normal_folder("d:\\\\srv\\\\app\\\\"), normal_folder("/srv/./app/")
    ('D:\\\\srv\\\\app', '/srv/app')
    """
    if _foreign(folder):
        path = str(PureWindowsPath(folder))
        return path[0].upper() + path[1:]
    return os.path.abspath(os.path.expanduser(folder)) if "\0" not in folder else folder


def inside(folder: str, path: str) -> str:
    """Return a file of a project's folder as lessons name it: relative, with slashes. It need not exist.

    Raises ``CuratorError`` for one outside the folder, also through a link.

    >>> inside("/srv/app", "src/./a.py"), inside("/srv/app", "/srv/app/src/b.py")
    ('src/a.py', 'src/b.py')
    """
    if _foreign(folder) or _foreign(path) or not path.strip() or "\0" in path:
        return path
    top = os.path.normpath(folder)
    whole = os.path.normpath(os.path.join(top, os.path.expanduser(path)))
    for base, place in ((top, whole), (os.path.realpath(top), os.path.realpath(whole))):
        if place == base or os.path.commonpath([base, place]) != base:
            raise CuratorError(f"{path} is not a file of the project in {folder}.", "Give a path relative to that folder.")
    return _slashes(os.path.relpath(whole, top))


def relative_to(paths: Iterable[str], *folders: str) -> tuple[str, ...]:
    """Return the paths that are in one of these folders, relative to the first that contains it, with slashes.

    Only the texts count, because paths and folders may be of another machine. Relative paths and patterns stay unchanged. Paths
    that lead outside are left out.

    >>> relative_to(["src/*.py", "/srv/app/a.py", "/home/ann/b.py", "../c.py", "~/d.py"], "/srv/app")
    ('src/*.py', 'a.py')
    """
    return tuple(dict.fromkeys(place for path in paths if (place := _inside(path, folders))))


def is_excluded(folder: str, patterns: Sequence[str]) -> bool:
    """Return whether a folder, or one above it, matches one of the patterns of ``settings.exclude``.

    A pattern is a folder or a glob. ``~`` is the home folder, and ``*`` also crosses slashes, because leaving out too much is
    safer than too little. A folder reached through a link is checked by both of its names.

    >>> is_excluded("/srv/private/app/src", ["/srv/private/*"]), is_excluded("/srv/private", ["/srv/private/*"])
    (True, False)
    """
    places = {normal_folder(folder)}
    if not _foreign(folder) and "\0" not in folder:
        places.add(os.path.realpath(os.path.expanduser(folder)))
    above = {part for place in places for part in _upwards(place)}
    globs = {_slashes(os.path.expanduser(pattern)).rstrip("/") for pattern in patterns if pattern.strip()}
    return any(fnmatchcase(part, pattern) for pattern in globs for part in above)


def relative(path: str) -> bool:
    """Return whether a path, of any system, does not begin at a root, drive or home.

    >>> relative("src/a.py"), relative("/a.py"), relative("~/a.py"), relative("C:/a.py")
    (True, False, False, False)
    """
    return not (path.startswith(("/", "~")) or _WINDOWS.match(path))


def _inside(path: str, folders: Sequence[str]) -> str:
    whole = _slashes(os.path.expanduser(path))
    if relative(whole):
        inner = posixpath.normpath(whole.replace("\\", "/")) if ".." in whole else whole
        return "" if inner in (".", "..") or inner.startswith("../") else inner
    whole = posixpath.normpath(whole)
    fold = str.lower if _WINDOWS.match(whole) else str
    tops = (_slashes(folder).rstrip("/") + "/" for folder in folders if folder.strip("/"))
    return next((whole[len(top) :] for top in tops if fold(whole).startswith(fold(top))), "")


def _ask_git(folder: str) -> tuple[str, str, str, str]:
    """Return top folder, root commit, normalised remote and name of the repository around a folder; empty if there is none."""
    words = ("rev-parse", "--is-shallow-repository", "--git-common-dir")
    if not git.may_be_repository(folder) or (answer := git.ask(folder, *words)) is None:
        return folder, "", "", ""
    shallow, common = [*answer.split("\n"), ""][:2]
    shared = os.path.normpath(os.path.join(folder, common))
    main = os.path.dirname(shared) if os.path.basename(shared) == ".git" else shared.removesuffix(".git")
    # inside .git, the project is the folder around it
    top = git.work_tree(folder) or (git.work_tree(main) == main and main) or shared
    return top, "" if shallow == "true" else _root(folder), _remote(folder), os.path.basename(main)


def _root(folder: str) -> str:
    """Return the oldest root commit of the main line of HEAD, main or master.

    Only first parents count, so a merged history (a subtree, another repository) changes nothing. The main branch counts too,
    so that a work tree on an orphan branch (pages, docs) belongs to its project.
    """
    branches = ("--branches=mai[n]", "--branches=maste[r]", "--remotes=origin/HEA[D]")  # a glob may match nothing
    answer = git.ask(folder, "rev-list", "--max-parents=0", "--first-parent", "--timestamp", "HEAD", *branches)
    roots = [line.split(" ") for line in git.lines(answer)]
    known = ((int(words[0]), words[1]) for words in roots if len(words) == 2 and words[0].isdecimal())
    return min(known, default=(0, ""))[1]


def _remote(folder: str) -> str:
    """Return the normalised remote."""
    urls: dict[str, str] = {}
    for line in git.lines(git.ask(folder, "remote", "-v")):
        name, _, rest = line.partition("\t")
        urls.setdefault(name, worktree.normal_remote(rest.partition(" (")[0]))
    return worktree.preferred_remote(urls)


def _find_known(place: str, root: str, remote: str, known: Sequence[Project]) -> Project | None:
    same_root = [project for project in known if root and project.root_commit == root]
    same_remote = [project for project in known if remote and project.remote == remote]
    half = [project for project in same_root if not (project.remote and remote)]
    rules: tuple[Iterable[Project], ...] = (
        [project for project in same_root if project.remote == remote],
        [project for project in same_root if project.folder == place],
        half if len(half) == 1 else [],
        [project for project in same_remote if not (project.root_commit and root)],
        [project for project in known if project.folder == place and not (_has_identity(project) and (root or remote))],
        _above(place, known) if not (root or remote) else (),
    )
    return next((project for fitting in rules for project in fitting), None)


def _has_identity(project: Project) -> bool:
    return bool(project.root_commit or project.remote)


def _above(place: str, known: Sequence[Project]) -> Iterator[Project]:
    """Yield known projects whose folder is above, nearest first. The home folder is left out, because people start agents there
    by accident.
    """
    too_high = set(_upwards(os.path.expanduser("~")))
    by_folder = {_slashes(project.folder): project for project in known}
    for part in _upwards(place)[1:]:
        if part in by_folder and part not in too_high and len(PurePosixPath(part).parts) > 1:
            yield by_folder[part]


def _existing(place: str) -> str:
    """Return a folder, or the nearest above it that exists. Return an empty text if that is the home folder or above it."""
    if os.path.isdir(place):
        return place
    too_high = _upwards(os.path.expanduser("~"))
    nearest = next((part for part in _upwards(place) if os.path.isdir(part)), "")
    return "" if nearest in too_high else nearest


def _upwards(folder: str) -> list[str]:
    """Return a folder and all above it, with slashes, the nearest first."""
    path = PurePosixPath(_slashes(folder))
    return [str(path), *map(str, path.parents)]


def _slashes(path: str) -> str:
    return path.replace("\\", "/") if os.sep == "\\" or _WINDOWS.match(path) else path


def _last_part(folder: str) -> str:
    """Return the name of a folder: "~" for the home folder, the whole path for a folder of another system."""
    if folder in (home := os.path.expanduser("~"), os.path.realpath(home)):
        return "~"
    return folder if _foreign(folder) else PurePosixPath(_slashes(folder)).name or folder


def _foreign(folder: str) -> bool:
    """Return whether this is a Windows path met elsewhere, as transcripts may carry one."""
    return os.sep == "/" and _WINDOWS.match(folder) is not None


def _id(folder: str, root: str, remote: str) -> str:
    parts = (f"root:{root}" if root else "", f"remote:{remote}" if remote else "")
    known_by = "|".join(part for part in parts if part) or f"folder:{_slashes(folder)}"
    return hashlib.sha256(known_by.encode("utf-8", "surrogateescape")).hexdigest()[:12]
