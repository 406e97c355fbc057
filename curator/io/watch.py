"""Watch files: notice a change within a tenth of a second where the system tells us."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

log = logging.getLogger(__name__)

STEP_MS = 40
"""The silence before changes are handed on."""
DEBOUNCE_MS = 100
"""The longest time for gathering changes."""
CHECK_MS = 1_000
"""The time between two looks for roots that are absent or were replaced; also the pace of polling."""

SLACK = 2.0
"""Seconds by which a file system's clock may lag behind ours."""


def watch(
    roots: Sequence[Path],
    stop: threading.Event,
    *,
    deep: bool = True,
    idle: bool = False,
    force_polling: bool = False,
    check_ms: int = CHECK_MS,
) -> Iterator[set[Path]]:
    """Yield sets of files below ``roots`` that were written, until ``stop`` is set; without ``deep`` only those right in them.

    With ``idle`` an empty set is yielded whenever nothing happened for ``check_ms``.

    Roots that don't exist yet are watched once they do (all their files count as written then); roots that vanish are
    waited for. Deleted files are not told. Falls back to polling, and says so in the log, where watching fails.
    """
    try:
        yield from _watch(roots, stop, check_ms, deep=deep, idle=idle, polling=force_polling)
    except (OSError, RuntimeError) as error:
        log.warning("files can't be watched (%s); looking at them every %.1f s instead", error, check_ms / 1000)
        yield from _watch(roots, stop, check_ms, deep=deep, idle=idle, polling=True)


def _watch(
    roots: Sequence[Path], stop: threading.Event, check_ms: int, *, deep: bool, idle: bool, polling: bool
) -> Iterator[set[Path]]:
    import watchfiles  # loads a compiled module; only a window that watches needs it

    unwatched_since: float | None = time.time()
    while not stop.is_set():
        present = _present(roots)
        if not present:
            stop.wait(check_ms / 1000)
            unwatched_since = 0
            continue
        for batch in watchfiles.watch(
            *present,
            watch_filter=None,
            step=STEP_MS,
            debounce=DEBOUNCE_MS,
            stop_event=stop,
            rust_timeout=check_ms,
            yield_on_timeout=True,
            ignore_permission_denied=True,
            recursive=deep,
            force_polling=polling,
            poll_delay_ms=check_ms,
        ):
            written = {path for _, name in batch if (path := Path(name)).is_file()}
            if unwatched_since is not None:
                written |= {path for path, (mtime, _) in _snapshot(present, deep).items() if mtime >= unwatched_since - SLACK}
                unwatched_since = None
            if written or idle:
                yield written
            # A root that was removed and made anew at once may have its old inode; only the event tells.
            if _present(roots) != present or any(Path(name) in present for _, name in batch):
                unwatched_since = 0
                break


def _present(roots: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Return the roots that are there, and which folder each is: one that was removed and made anew must be watched anew."""
    present = {}
    for root in roots:
        try:
            stat = root.stat()
        except OSError:
            continue
        present[root] = (stat.st_dev, stat.st_ino)
    return present


def _snapshot(roots: Iterable[Path], deep: bool) -> dict[Path, tuple[float, int]]:
    """Time of change and size of every file below the roots, or of a root that is a file."""
    found = {}
    for root in roots:
        walked = os.walk(root) if deep else islice(os.walk(root), 1)
        below = (Path(folder, name) for folder, _, names in walked for name in names)
        for path in (root,) if root.is_file() else below:
            try:
                stat = path.stat()
            except OSError:
                continue
            found[path] = (stat.st_mtime, stat.st_size)
    return found
