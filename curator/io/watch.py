"""The watch over files. It notices a change within a tenth of a second if the system reports changes."""

from __future__ import annotations

import errno
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

log = logging.getLogger(__name__)

STEP_MS = 40
"""The silence before changes are handed on."""
DEBOUNCE_MS = 100
"""The longest time for gathering changes."""
CHECK_MS = 1_000
"""The time between two looks for roots that are absent or were replaced."""
POLL_MS = 2_000
"""Milliseconds between two polls of all files if the system reports no changes."""
BLIND_SECONDS = 5.0
"""Seconds between two looks for files that changed without notice, as on network folders."""

SLACK = 2.0
"""Maximum seconds by which a file system's clock may be late."""


def watch(
    roots: Sequence[Path],
    stop: threading.Event,
    *,
    deep: bool = True,
    idle: bool = False,
    force_polling: bool = False,
    check_ms: int = CHECK_MS,
    blind: Callable[[str], None] = lambda why: None,
) -> Iterator[set[Path]]:
    """Yield sets of written files in ``roots`` until ``stop`` is set. Without ``deep``, only their direct files count.

    With ``idle``, an empty set comes whenever nothing happened for ``check_ms``. Missing roots are watched once they exist, and
    all their files count as written then. Deleted files are not reported. If watching fails or misses changes, it polls
    instead, and reports the reason to ``blind`` and the log.
    """
    try:
        yield from _watch(roots, stop, check_ms, deep=deep, idle=idle, polling=force_polling)
    except (OSError, RuntimeError) as error:
        log.warning("files can't be watched (%s); looking at them again and again instead", error)
        blind(str(error))
        yield from _watch(roots, stop, check_ms, deep=deep, idle=idle, polling=True)


IN_MODIFY = 2


def watch_fault(roots: Iterable[Path], *, deep: bool = True) -> str:
    """Return the reason why Linux does not report changes in these roots; empty if it does, and on other systems.

    watchfiles does not report missing watches, so this checks each folder.
    """
    if sys.platform != "linux":
        return ""
    import ctypes  # only watches need it

    system = ctypes.CDLL(None, use_errno=True)
    if (number := system.inotify_init1(0)) < 0:
        return "no instances of inotify are left: fs.inotify.max_user_instances"
    try:
        for root in roots:
            for folder, _, _ in os.walk(root) if deep else [(str(root), [], [])]:
                told = system.inotify_add_watch(number, os.fsencode(folder), IN_MODIFY)
                if told < 0 and ctypes.get_errno() == errno.ENOSPC:
                    return "no watches of folders are left: fs.inotify.max_user_watches"
    finally:
        os.close(number)
    return ""


class _Notices:
    """The check for unreported changes. A file changed before a poll must be reported before the next silence."""

    def __init__(self) -> None:
        self.looked = 0.0
        self.sizes: dict[Path, tuple[float, int]] | None = None
        self.told: set[Path] = set()
        self.due: set[Path] = set()
        self.faults = 0

    def missed(self, batch: set[Path], roots: Iterable[Path], deep: bool) -> set[Path]:
        """Return the files that changed without notice. Raises ``OSError`` the second time."""
        self.told |= batch
        if batch or (not self.due and time.monotonic() - self.looked < BLIND_SECONDS):
            return set()
        found, self.due = self.due - self.told, set()
        if found:
            self.faults += 1
            if self.faults > 1:
                raise OSError("the system does not tell of changes there, as on network folders")
            return found
        sizes = _snapshot(roots, deep)
        if self.sizes is not None:
            changed = {path for path, (_, size) in sizes.items() if self.sizes.get(path, (0, -1))[1] != size}
            self.due = {path for path in changed - self.told if not path.is_symlink()}
        self.looked, self.sizes, self.told = time.monotonic(), sizes, set()
        return set()


def _watch(
    roots: Sequence[Path], stop: threading.Event, check_ms: int, *, deep: bool, idle: bool, polling: bool
) -> Iterator[set[Path]]:
    import watchfiles  # loads a compiled module, which only a window that watches needs

    unwatched_since: float | None = time.time()
    notices = _Notices()
    while not stop.is_set():
        present = _present(roots)
        if not present:
            stop.wait(check_ms / 1000)
            unwatched_since = 0
            continue
        if not polling and (why := watch_fault(present, deep=deep)):
            raise OSError(why)
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
            poll_delay_ms=min(2 * check_ms, POLL_MS),
        ):
            written = {path for _, name in batch if (path := Path(name)).is_file()}
            if unwatched_since is not None:
                written |= {path for path, (mtime, _) in _snapshot(present, deep).items() if mtime >= unwatched_since - SLACK}
                unwatched_since = None
            if not polling:
                written |= notices.missed(written, present, deep)
            if written or idle:
                yield written
            # A root that was removed and created again may keep its inode, so only the event shows it.
            if _present(roots) != present or any(Path(name) in present for _, name in batch):
                unwatched_since = 0
                break


def _present(roots: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Return the existing roots and their folders. A root that was created again needs a new watch."""
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
