"""The merge of lesson files by field in git, and its registration: a driver in git's settings, an attribute in a file.

The attribute is committed and applies to everybody. The driver is a command of one machine. If git knows the attribute but not
the driver, it merges by lines (https://git-scm.com/docs/gitattributes, "Defining a custom merge driver"). A failing driver
would lose the other side's version, so the command merges by lines if curator is missing or broken.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from curator import lesson_files
from curator.agents.install import command
from curator.errors import CuratorError
from curator.io import files, git
from curator.lesson_files import merge

LINE = b".curator/lessons/*.md merge=curator"
SAMPLE = ".curator/lessons/sample.md"
DRIVER_NAME = "merge.curator.name"
DRIVER = "merge.curator.driver"
TITLE = "curator: lessons by field"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The planned changes of a repository. ``carry_out`` is the first step that changes anything."""

    top: Path
    settings: Mapping[str, str]
    """New values of git's settings by key. Empty ones are to be removed."""
    attributes: bytes | None = None
    """The new content of ``.gitattributes``, ``None`` to leave the file alone."""
    remove: bool = False
    """True if that file is to go, since nothing but our line was in it."""
    lines: tuple[str, ...] = ()
    """The changes in words for a person. There are none if there is nothing to do."""
    notes: tuple[str, ...] = ()
    """Further information for the person."""


def installing(folder: Path) -> Plan:
    """Return the plan that lets git merge the lesson files of a work tree by field, with ``curator merge-driver``.

    Raises ``CuratorError`` outside a work tree, or if its ``.gitattributes`` can't be read.
    """
    top, notes = _work_tree(folder), list[str]()
    lines_instead = "{ grep -q '^<<<<<<<' %A && exit 1; git merge-file -L ours -L base -L theirs %A %O %B; }"
    program = command.merge_driver().replace("%", "%%")  # git fills in the text after one
    driver = f"{program} merge-driver %O %A %B %P || {lines_instead}"
    settings, lines = _changes(top, {DRIVER_NAME: TITLE, DRIVER: driver})
    was, effective = _content(top), _attribute(top)
    attributes = None
    if effective != "curator" and LINE not in (was or b"").splitlines():
        attributes = _with_line(was)
        lines += [f"{top / '.gitattributes'}:", f"  + {LINE.decode()}"]
        notes.append("Commit .gitattributes; every colleague runs `curator install git` once in a clone.")
    if effective not in ("curator", "unspecified"):
        notes.append(f"The attributes now say merge={effective} for lesson files; curator's line must come after that.")
    if git.ask(top, "check-ignore", "-q", SAMPLE) is not None:
        notes.append("git ignores .curator/lessons here. Change .gitignore to share lessons.")
    return Plan(top=top, settings=settings, attributes=attributes, lines=tuple(lines), notes=tuple(notes))


def uninstalling(folder: Path) -> Plan:
    """Return the plan that removes curator's two settings and its line."""
    top = _work_tree(folder)
    settings, lines = _changes(top, {DRIVER_NAME: "", DRIVER: ""})
    was = _content(top)
    left = _without_line(was or b"")
    notes = []
    if left != (was or b""):
        lines += [f"{top / '.gitattributes'}:", f"  - {LINE.decode()}"]
    elif _attribute(top) == "curator":
        notes.append("Another line of .gitattributes names the driver `curator`. curator did not write it, so it stays.")
    return Plan(
        top=top,
        settings=settings,
        attributes=left if left != (was or b"") else None,
        remove=left == b"" and was == LINE + b"\n",
        lines=tuple(lines),
        notes=tuple(notes),
    )


def lacks_driver(folder: Path) -> bool:
    """Return whether lesson files here have curator's attribute but no driver, so that git merges them by lines."""
    return _attribute(folder) == "curator" and not git.ask(folder, "config", "--get", DRIVER)


def carry_out(plan: Plan) -> None:
    """Make the changes of a plan. Raises ``CuratorError``. A second call continues after a failure."""
    if plan.settings and _config(plan.top).is_symlink():
        raise CuratorError(f"{_config(plan.top)} is a symbolic link.", "Make it a plain file, then run this again.")
    for key, value in plan.settings.items():
        words = ("--replace-all", key, value) if value else ("--unset-all", key)
        if git.ask(plan.top, "config", "--local", *words) is None:
            raise CuratorError(
                f"git would not change {key} in {_config(plan.top)}.", "Fix the file's permissions, then run this again."
            )
    file = plan.top / ".gitattributes"
    if plan.attributes is None:
        return
    try:
        if plan.remove:
            file.unlink()
        else:
            _replace(file, plan.attributes)
    except OSError as error:
        why = error.strerror or error
        raise CuratorError(f"{file} can't be written: {why}", f"{files.repair(error)}, then run it again.") from error


def _work_tree(folder: Path) -> Path:
    """Return the top of the work tree around a folder. Raises ``CuratorError`` outside a work tree."""
    if files.find_program("git") is None:
        raise CuratorError("git is not installed, or not on the PATH.", "Install git, then run this again.")
    is_bare = git.ask(folder, "rev-parse", "--is-bare-repository")
    if is_bare is None:
        if why := git.complaint(folder):
            raise CuratorError(f"git can't read the repository in {folder}: {why}.", git.allow_command(folder))
        raise CuratorError(
            f"{folder} is not in a git repository.",
            "Run this in a repository, or name one with --project. `git init` makes one.",
        )
    top = git.work_tree(folder)
    if not top:
        kind = "a bare repository" if git.first_line(is_bare) == "true" else "git's own folder"
        raise CuratorError(f"{folder} is {kind}, without a work tree.", "Run this in a clone.")
    return Path(top)


def _config(top: Path) -> Path:
    common = git.first_line(git.ask(top, "rev-parse", "--git-common-dir")) or ".git"
    return Path(os.path.normpath(top / common)) / "config"


def _changes(top: Path, values: Mapping[str, str]) -> tuple[Mapping[str, str], list[str]]:
    """Return those values that git's settings lack, and the lines in which a person is shown the change."""
    now = {key: (git.ask(top, "config", "--local", "--get", key) or "").removesuffix("\n") for key in values}
    settings = {key: value for key, value in values.items() if now[key] != value}
    rows = [(sign, key, text) for key, value in settings.items() for sign, text in (("-", now[key]), ("+", value)) if text]
    lines = [f"  {sign} {key} = {text}" for sign, key, text in rows]
    return settings, [f"{_config(top)}:", *lines] if lines else []


def _attribute(top: Path) -> str:
    """Return git's current attribute of lesson files: the driver's name, ``unspecified``, ``unset`` or ``set``."""
    return git.first_line(git.ask(top, "check-attr", "merge", "--", SAMPLE)).rpartition(": ")[2] or "unspecified"


def _content(top: Path) -> bytes | None:
    file = top / ".gitattributes"
    if file.is_symlink():
        raise CuratorError(
            f"{file} is a symbolic link, which git does not follow.", "Make it a plain file, then run this again."
        )
    try:
        return files.read(file, top) if file.exists() else None
    except OSError as error:
        raise CuratorError(f"{file} can't be read: {error.strerror or error}", "Fix the file, then run this again.") from error


def _with_line(was: bytes | None) -> bytes:
    """Return the file with our line at its end, where it wins. The file's own end stays, so that undo is exact."""
    if not was:
        return LINE + b"\n" if was is None else LINE
    end = b"\r\n" if b"\r\n" in was else b"\n"
    return was + LINE + end if was.endswith(b"\n") else was + end + LINE


def _without_line(was: bytes) -> bytes:
    lines = was.splitlines(keepends=True)
    ours = next((at for at, line in enumerate(lines) if line.rstrip(b"\r\n") == LINE), None)
    if ours is None:
        return was
    if lines[ours] == LINE and ours:  # last, without a line end: so was the line before it
        lines[ours - 1] = lines[ours - 1].rstrip(b"\r\n")
    return b"".join(lines[:ours] + lines[ours + 1 :])


def _replace(file: Path, content: bytes) -> None:
    """Write in one step, with the permissions that the file has."""
    with files.draft(file) as draft:
        draft.write_bytes(content)
        if file.exists():
            shutil.copymode(file, draft)


def merge_files(base: Path, ours: Path, theirs: Path, file: str) -> tuple[bool, tuple[str, ...]]:
    """Merge three versions of a lesson's file into ``ours``, as git's merge driver. This uses no database.

    Return whether the file has no conflict left, and the fields that the next import asks a person about. Files that can't be
    merged by field are merged by line, with git's usual markers.
    """
    old, mine, other = (path.read_bytes() for path in (base, ours, theirs))
    try:
        result = merge.merge_files(old, mine, other, file)
    except Exception:  # An error of curator must not lose the other side's changes. A merge by line keeps them.
        result = None
    if result is None:
        labels = [word for label in ("ours", "base", "theirs") for word in ("-L", label)]
        names = [str(path.absolute()) for path in (ours, base, theirs)]
        return git.ask(ours.absolute().parent, "merge-file", *labels, *names) is not None, ()
    ours.write_bytes(result)
    return True, tuple(lesson_files.split_disputes(lesson_files.parse(result.decode(), file))[1])
