"""Files that are the old ones or the new ones, whoever else writes them, also when a writer is stopped on the way.

What a power cut leaves is up to the file system, unless a writer syncs its draft.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from curator import clock
from curator.io import private

_DRAFT = re.compile(r"\.(?P<process>\d{1,10})-[0-9A-Z]{4}-[0-9A-Z]{4}\.tmp")


@contextmanager
def draft(file: Path, begin: str = "") -> Iterator[Path]:
    """A file to write beside ``file``, which it replaces in one step at the end; whatever is raised leaves none.

    Each writer has one of its own: two at once would else move half a file. Its name begins with ``begin``, if given, and says
    whose it is: what killed writers left of this name is removed. Raises ``OSError``.
    """
    begin = begin or _begin(file)
    clean(file.parent, begin)
    path = file.with_name(f"{begin}.{os.getpid()}-{clock.new_id()}.tmp")
    try:
        yield path
        os.replace(path, file)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def clean_beside(file: Path) -> None:
    """Remove the drafts of a file whose writers are gone."""
    clean(file.parent, _begin(file))


def _begin(file: Path) -> str:
    return f".{file.name}"


def clean(folder: Path, begin: str) -> None:
    """Remove the drafts whose names begin so and whose writers are gone."""
    with suppress(OSError):
        for name in os.listdir(folder):
            match = _DRAFT.fullmatch(name, len(begin)) if name.startswith(begin) else None
            if match and not _runs(int(match["process"])):
                (folder / name).unlink()


def _runs(process: int) -> bool:
    """Whether there is a process of this number; taken for granted where asking would end it."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def write(file: Path, text: str) -> None:
    """Put a file of ours in place in one step; its folder is made where it is missing. Raises ``OSError``.

    Nobody else may read it. What UTF-8 can't say becomes a question mark. Nothing is synced.
    """
    private.folder(file.parent)
    with draft(file) as path, open(path, "x", encoding="utf-8", errors="replace", opener=private.opener) as opened:
        opened.write(text)
