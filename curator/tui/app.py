"""The application: its screens, and the threads next to them."""

from __future__ import annotations

import asyncio
import gc
import locale
import logging
import os
import select
import signal
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual._styles_cache import StylesCache
from textual.await_complete import AwaitComplete
from textual.screen import Screen

from curator.app import Curator
from curator.errors import CuratorError
from curator.tui.app_state import AppState
from curator.tui.background import Changed, Failed, Progress, Status, Surveyed, Taught
from curator.tui.decisions import learning_message
from curator.tui.inbox import Cleanup, Inbox, Library
from curator.tui.list_screen import ListScreen
from curator.tui.styles import DEFAULT, THEMES, AsciiFilter, ControlFilter

log = logging.getLogger(__name__)

REST_SECONDS = 60.0
"""Seconds between two searches for an ended session that a model should read."""
POLL_SECONDS = 1.0


def speaks_unicode(env: Mapping[str, str]) -> bool:
    """Return whether the locale uses UTF-8. Python runs in UTF-8 even if a person has chosen the C locale."""
    asked = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or "UTF-8"
    return asked not in ("C", "POSIX") and locale.getpreferredencoding(False).lower().startswith("utf")


def _history() -> Screen[None]:
    """Return the screen of the log."""
    from curator.tui.history import HistoryScreen  # the first card is drawn without it

    return HistoryScreen()


def is_closed(descriptor: int) -> bool:
    """Return whether the other end of a terminal is closed."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


class CuratorApp(AppState):
    """The inbox of one project (or all of them)."""

    TITLE = "curator"
    CSS_PATH = "curator.tcss"
    MODES: ClassVar[dict[str, Any]] = {
        "lessons": partial(ListScreen, Library),
        "cleanup": partial(ListScreen, Cleanup),
        "history": _history,
    }
    DEFAULT_MODE = "inbox"
    ENABLE_COMMAND_PALETTE = False
    PAUSE_GC_ON_SCROLL = True

    def __init__(
        self,
        curator: Curator,
        *,
        session: str = "",
        roots: Sequence[Path] | None = None,
        watch: bool = True,
        screen: str = "inbox",
    ) -> None:
        super().__init__(curator, session=session, roots=roots, watch=watch)
        self.first = screen
        settings = curator.settings
        self._filters.insert(0, ControlFilter())
        if settings.ascii or not speaks_unicode(os.environ):
            self._filters.append(AsciiFilter())  # Textual has no public way to add one
        self._unreadable = 0
        self._version = curator.lessons.version()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = settings.theme if settings.theme in self.available_themes else DEFAULT
        if os.environ.get("SSH_CONNECTION"):
            self.animation_level = "none"

    def _list_screens(self) -> Sequence[ListScreen]:
        """Return the lists on the stack that have something to draw on."""
        return [screen for screen in self.screen_stack if isinstance(screen, ListScreen) and screen.query("#list")]

    def get_default_screen(self) -> ListScreen:
        """Return the inbox. If it were one of ``MODES``, Textual would lay it out and draw it once before the first paint."""
        return ListScreen(Inbox)

    def pop_screen(self) -> AwaitComplete:
        """Close an overlay. Textual remembers the colours of widgets by all that was drawn of them, which must not stay."""
        StylesCache.get_inner_outer.cache_clear()
        return super().pop_screen()

    def on_mount(self) -> None:
        """Show the requested screen, then start reading and watching."""
        if not self.is_headless:
            for one in (signal.SIGTERM, signal.SIGHUP):  # Otherwise the terminal would still report mouse moves to the shell.
                asyncio.get_running_loop().add_signal_handler(one, self.exit)
        self.add_mode("inbox", partial(ListScreen, Inbox))  # is there already; now one may come back to it
        self.switch_mode(self.first)  # does nothing if it is in front
        self.set_interval(POLL_SECONDS, self.poll)
        self.call_after_refresh(gc.enable)
        self.call_after_refresh(self.background.start)
        if self.curator.settings.has_reader:
            self.background.run_in_thread(self.distilling.count)
        self.set_interval(REST_SECONDS, self.distilling.read_ended_sessions)

    async def on_event(self, event: events.Event) -> None:
        """Note any key, even over a list, as a sign that the person is present."""
        if isinstance(event, events.Key | events.Paste):
            for screen in self._list_screens():
                screen.keys.note_stroke()
        await super().on_event(event)

    def on_unmount(self) -> None:
        """End the threads when the window closes."""
        self.distilling.end()
        self.background.stop()

    def poll(self) -> None:
        """Check whether another process has written to the database, and whether the terminal is still there."""
        if not self.is_headless and is_closed(sys.stdin.fileno()):  # Textual would read its end again and again
            self.exit()
        self.attempt(self._poll)

    def _poll(self) -> None:
        self.curator.store.verify()
        if len(self.curator.unreadable) > self._unreadable:
            self._unreadable = len(self.curator.unreadable)
            damaged = ", ".join([*self.curator.unreadable][:3])
            self.say(CuratorError(f"Skipped damaged rows: {damaged}"))
        version = self.curator.lessons.version()
        if version != self._version:
            self._version = version
            self.post_message(Changed())

    def on_changed(self) -> None:
        """Let the front screen show the change."""
        self.attempt(self.names.learn)
        self.attempt(lambda: self.background.follow_hub(self.curator))
        if self.welcome is not None and self.curator.has_read():  # another process has begun
            self.rescan()
        for screen in self._list_screens():
            self.attempt(screen.arrivals.catch_up)

    def on_surveyed(self, message: Surveyed) -> None:
        """Ask before anything is read, on the very first run."""
        self.looking = False
        self.welcome = message.survey
        self._redraw_cards()
        self._redraw_bars()

    def _redraw_cards(self) -> None:
        for screen in self._list_screens():
            self.attempt(screen.card.reload)

    def on_progress(self, message: Progress) -> None:
        """Show the progress of a scan in the header, and in the middle while there is no card."""
        self.looking = message.files_done < message.files_total
        self.read = message.files_done, message.files_total, message.candidates
        self.reading = f"reading {message.files_done}/{message.files_total}" if self.looking else ""
        self._redraw_bars()
        for screen in self._list_screens():
            screen.card.draw_empty()
        if not self.looking:
            self.distilling.read_ended_sessions()
        if message.candidates and not any(len(screen.list.rows) for screen in self._list_screens()):
            self.poll()  # the first card comes at once

    def on_status(self, message: Status) -> None:
        """Show the changes of the header, and the news."""
        for name in ("reading", "following", "hub", "unread_sessions", "readable"):
            if (value := getattr(message, name)) is not None:
                setattr(self, name, value)
        self._redraw_bars()
        for screen in self._list_screens() if message.news else ():
            screen.toast.show(message.news, back=message.back, bad=message.bad, whole=True)

    def on_taught(self, message: Taught) -> None:
        """Show the rules that decisions have raised or lowered."""
        for screen in self._list_screens():
            self.attempt(screen.data.load)
            if not screen.typing:
                screen.toast.show(learning_message(message.signals), whole=True)

    def on_failed(self, message: Failed) -> None:
        """Show that something in the background went wrong."""
        self.say(message.error)

    def _redraw_bars(self) -> None:
        """Draw the headers and footers again."""
        for screen in self._list_screens():
            screen.refresh_bars()

    def watch_app_focus(self, focused: bool) -> None:
        """Draw the cursor hollow and the footer dim while the terminal lacks the focus."""
        for screen in self._list_screens():
            screen.list.focused_app = focused
            screen.refresh_bars()

    def rescan(self, *, everything: bool = False) -> None:
        """Read the transcripts again."""
        self.welcome = None
        self._redraw_cards()
        self._redraw_bars()
        self.background.scan(everything=everything)

    def action_help_quit(self) -> None:
        """Quit with Ctrl-C, as everywhere. Everything is saved."""
        self.exit()

    def _fatal_error(self) -> None:
        """Handle an error of curator: the log gets the traceback, the person a sentence. Textual would print everything."""
        log.error("the inbox ended", exc_info=self._exception)
        self.panic(
            f"curator: unexpected error: {self._exception!r}\n"
            f"Every decision is saved. Details are in the log: {self.curator.settings.log}"
        )
