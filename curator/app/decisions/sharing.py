"""What git needs to merge lesson files by field."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from curator.agents.install import command
from curator.io import git
from curator.lesson_files import git_setup, merge
from curator.lesson_files.git_setup import Plan, carry_out, uninstalling

__all__ = ["Plan", "carry_out", "installing", "merge_files", "uninstalling"]


def installing(folder: Path) -> Plan:
    """Return what it takes to have git merge lesson files of a work tree by field.

    Raises ``CuratorError`` where there is none.
    """
    return git_setup.installing(folder, command.merge_driver())


def merge_files(base: Path, ours: Path, theirs: Path, file: str) -> bool:
    """Merge three versions of a lesson's file into ``ours``, as git asks a merge driver to; no database, nothing of ours.

    Returns whether nothing is left to be settled. Fields that both sides changed, and what can't be merged by field, are merged
    by lines, as git does by itself, with its markers.
    """
    old, mine, other = (path.read_bytes() for path in (base, ours, theirs))
    with suppress(Exception):  # a fault of ours must not cost what theirs says: lines are always right
        merged = merge.merge_files(old, mine, other, file) or (old, mine, other)
        for path, content in zip((base, ours, theirs), merged, strict=True):
            path.write_bytes(content)
    labels = [word for label in ("ours", "base", "theirs") for word in ("-L", label)]
    names = [str(path.absolute()) for path in (ours, base, theirs)]
    return git.ask(ours.absolute().parent, "merge-file", *labels, *names) is not None
