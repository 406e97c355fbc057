"""Files of a project, opened as what they are: plain files that lie in it, wherever a link would lead.

A repository may hold links to any place of the machine, pipes on which a reader waits for ever, and files of any size.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 16 << 20
"""Bytes that a text of a project has at most, unless a reader says otherwise."""


def resolve(path: Path | str, root: Path | str) -> Path:
    """Where a path really is; it need not exist. Raises ``OSError`` where a link leads out of ``root``."""
    top, real = os.path.realpath(root), os.path.realpath(path)
    if not (real == top or real.startswith(top.rstrip(os.sep) + os.sep)):
        raise OSError(errno.ELOOP, f"a link leads out of {root}, to {real}", str(path))
    return Path(real)


def inside(path: Path | str, root: Path | str) -> bool:
    """Whether a path really lies in ``root``, links followed."""
    try:
        resolve(path, root)
    except (OSError, ValueError):
        return False
    return True


def read(path: Path | str, root: Path | str, largest: int = LARGEST) -> bytes:
    """The bytes of a plain file that really lies in ``root``.

    Raises ``OSError``, with a sentence as its ``strerror``: for what is not there or not plain, lies elsewhere or is larger.
    """
    real = resolve(path, root)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    with os.fdopen(os.open(real, flags), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it is larger than {largest} bytes", str(path))
    return content
