"""What runs beside the screens, each in a thread with a connection of its own: reading, watching, checking, writing files.

Threads never touch a widget: they post messages, and what they wrote arrives like any other process's writes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from curator import clock
from curator.errors import CuratorError
from curator.service import Curator
from curator.tui.host import Host
from curator.tui.messages import Changed, Failed, Progress, Surveyed

log = logging.getLogger(__name__)

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
        self._lock = threading.Lock()

    def start(self) -> None:
        """Look at what there is; read and watch it, unless this is the first run ever: then ask first."""
        self._run(self._begin)

    def stop(self) -> None:
        """End every thread, and write the files that still wait."""
        self.stopping.set()
        if self._timer:
            self._timer.cancel()
        for thread in self.threads:
            thread.join(timeout=1.0)
        if self._unsettled:
            self._settle_now()

    def scan(self, *, everything: bool = False) -> None:
        """Read what is new."""
        self._run(lambda curator: self._scan(curator, everything=everything))

    def settle(self, ids: Sequence[str]) -> None:
        """Write files and anchors soon; a burst of verdicts is one write."""
        with self._lock:
            self._unsettled |= set(ids)
            if self._timer is None or not self._timer.is_alive():
                self._timer = threading.Timer(SETTLE_SECONDS, self._settle_now)
                self._timer.daemon = True
                self._timer.start()

    def _settle_now(self) -> None:
        with self._lock:
            ids, self._unsettled = self._unsettled, set()
        try:
            curator = self.app.curator.fork()
        except CuratorError as error:
            self.app.post_message(Failed(error))
            return
        try:
            curator.settle(sorted(ids))
        except CuratorError as error:
            self.app.post_message(Failed(error))
        finally:
            curator.close()

    def _run(self, work: Callable[[Curator], None]) -> None:
        def run() -> None:
            curator = None
            try:
                curator = self.app.curator.fork()
                work(curator)
            except CuratorError as error:
                self.app.post_message(Failed(error))
            except Exception as error:  # a fault in the background is said, and never takes the inbox with it
                log.exception("in the background")
                self.app.post_message(Failed(CuratorError(f"Something went wrong: {error!r}.", "The log has the details.")))
            finally:
                if curator:
                    curator.close()

        thread = threading.Thread(target=run, daemon=True)
        self.threads = [one for one in self.threads if one.is_alive()] + [thread]
        thread.start()

    def _begin(self, curator: Curator) -> None:
        if not self.watch:
            return
        every, recent, size, read_before = curator.survey(self.roots)
        if not read_before:
            self.app.post_message(Surveyed((every, recent, size)))
        else:
            self._scan(curator)
        curator.check()
        self.app.post_message(Changed())
        if curator.settings.watch:
            self.app.watching = "new transcripts are read as they are written"
            curator.follow(self.stopping, self._followed, roots=self.roots)

    def _followed(self, new: int) -> None:
        self.app.post_message(Changed())

    def _scan(self, curator: Curator, *, everything: bool = False) -> None:
        since = 0.0 if everything or self.roots else clock.now() - curator.settings.since_days * DAY
        curator.scan(
            roots=self.roots,
            since=since,
            progress=lambda step: self.app.post_message(Progress(step.done, step.total, step.found)) and None,
            stop=self.stopping,
        )
        self.app.post_message(Progress(1, 1, 0))
        self.app.post_message(Changed())
