"""Files that are the old ones or the new ones, whoever else writes them, also when a writer is stopped on the way.

What a power cut leaves is up to the file system, unless a writer syncs its draft.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from curator import clock
from curator.io import private


@contextmanager
def draft(file: Path, begin: str = "") -> Iterator[Path]:
    """A file to write beside ``file``, which it replaces in one step at the end; whatever is raised leaves none.

    Each writer has one of its own: two at once would else move half a file. Its name begins with ``begin``, if given, by which
    what a killed writer left can be told. Raises ``OSError``.
    """
    path = file.with_name(f"{begin or f'.{file.name}-'}{clock.new_id()}.tmp")
    try:
        yield path
        os.replace(path, file)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def write(file: Path, text: str) -> None:
    """Put a file of ours in place in one step; its folder is made where it is missing. Raises ``OSError``.

    Nobody else may read it. What UTF-8 can't say becomes a question mark. Nothing is synced.
    """
    private.folder(file.parent)
    with draft(file) as path, open(path, "x", encoding="utf-8", errors="replace", opener=private.opener) as opened:
        opened.write(text)
