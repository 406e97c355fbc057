"""What runs beside the screens, each in a thread with a connection of its own: reading, watching, checking, writing files.

Threads never touch a widget: they post messages, and what they wrote arrives like any other process's writes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from curator import clock
from curator.service import Curator
from curator.tui.host import Host
from curator.tui.messages import Changed, Failed, Live, Progress, Surveyed

SETTLE_SECONDS = 0.5
DAY = 86_400.0


class Background:
    """The threads of one window; all of them end with it."""

    def __init__(self, app: Host, roots: Sequence[Path] | None, *, watch: bool) -> None:
        self.app = app
        self.roots = roots
        self.watch = watch
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []
        self._unsettled: set[str] = set()
        self._timer: threading.Timer | None = None
        """There from the first verdict that waits until its files are written; whoever comes meanwhile gets another."""
        self._lock = threading.Lock()

    def start(self) -> None:
        """Look at what there is; read and watch it, unless this is the first run ever: then ask first."""
        self._run(self._begin)

    def stop(self) -> None:
        """End every thread, and write the files that still wait."""
        self.stopping.set()
        if timer := self._timer:
            timer.cancel()
            timer.join(timeout=5.0)
        for thread in self.threads:
            thread.join(timeout=1.0)
        if self._unsettled:
            self._settle_now()

    def scan(self, *, everything: bool = False) -> None:
        """Read what is new."""
        self._run(lambda: self._carry_out(lambda curator: self._scan(curator, everything=everything)))

    def settle(self, ids: Sequence[str]) -> None:
        """Write files and anchors soon; a burst of verdicts is one write."""
        with self._lock:
            self._unsettled |= set(ids)
            if self._timer is None:
                self._arm()

    def _arm(self) -> None:
        self._timer = threading.Timer(SETTLE_SECONDS, self._settle_now)
        self._timer.daemon = True
        self._timer.start()

    def _settle_now(self) -> None:
        with self._lock:
            ids, self._unsettled = self._unsettled, set()
        self._carry_out(lambda curator: curator.settle(sorted(ids)))
        with self._lock:
            self._timer = None
            if self._unsettled and not self.stopping.is_set():
                self._arm()

    def _carry_out(self, work: Callable[[Curator], object]) -> None:
        """Do something with a connection of its own; a fault is said, and never takes the inbox with it."""
        curator = None
        try:
            curator = self.app.curator.fork()
            work(curator)
        except Exception as error:
            self._failed(error)
        finally:
            if curator:
                curator.close()

    def _run(self, work: Callable[[], object]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self.threads = [one for one in self.threads if one.is_alive()] + [thread]
        thread.start()

    def _begin(self) -> None:
        """Each step by itself: a fault in one does not keep the next from starting."""
        if not self.watch:
            return
        self._carry_out(self._read)
        self._carry_out(lambda curator: curator.check())
        self.app.post_message(Changed())
        if self.app.curator.settings.watch:
            self._run(lambda: self._carry_out(self._follow_code))
            self._carry_out(self._follow)

    def _read(self, curator: Curator) -> None:
        every, recent, size, read_before = curator.survey(self.roots)
        if read_before:
            self._scan(curator)
        else:
            self.app.post_message(Surveyed((every, recent, size)))

    def _follow(self, curator: Curator) -> None:
        self.app.post_message(Live(True))
        try:
            curator.follow(self.stopping, self._followed, roots=self.roots, failed=self._failed)
        finally:
            self.app.post_message(Live(False))

    def _follow_code(self, curator: Curator) -> None:
        curator.follow_code(self.stopping, self._followed, failed=self._failed)

    def _failed(self, error: Exception) -> None:
        self.app.post_message(Failed(error))

    def _followed(self, new: int) -> None:
        self.app.post_message(Changed())

    def _scan(self, curator: Curator, *, everything: bool = False) -> None:
        since = 0.0 if everything or self.roots else clock.now() - curator.settings.since_days * DAY
        try:
            curator.scan(
                roots=self.roots,
                since=since,
                progress=lambda step: self.app.post_message(Progress(step.done, step.total, step.found)) and None,
                stop=self.stopping,
            )
        finally:
            self.app.post_message(Progress(1, 1, 0))
            self.app.post_message(Changed())
