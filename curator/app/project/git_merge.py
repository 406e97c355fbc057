"""The setup that lets git merge lesson files by field."""

from __future__ import annotations

from pathlib import Path

from curator import lesson_files
from curator.agents.install import command
from curator.io import git
from curator.lesson_files import git_setup, merge
from curator.lesson_files.git_setup import Plan, carry_out, uninstalling

__all__ = ["Plan", "carry_out", "installing", "merge_files", "uninstalling"]


def installing(folder: Path) -> Plan:
    """Return the plan that lets git merge the lesson files of a work tree by field.

    Raises ``CuratorError`` outside a work tree.
    """
    return git_setup.installing(folder, command.merge_driver())


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
