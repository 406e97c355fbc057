"""The application: which screens there are, and what runs beside them."""

from __future__ import annotations

import locale
import logging
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider

from curator.actions import ACTIONS, fits, keymap
from curator.errors import CuratorError
from curator.model import Kind
from curator.service import Curator, Outcome
from curator.tui import signs
from curator.tui.background import Background
from curator.tui.browse import Browse
from curator.tui.history import HistoryScreen, StatsScreen
from curator.tui.inbox import InboxScreen, LessonsScreen
from curator.tui.messages import Changed, Failed, Progress
from curator.tui.signs import AsciiFilter

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0


class Actions(Provider):
    """The palette: the actions of the table that mean something here, with their keys, so that it teaches them."""

    def _valid(self) -> list[tuple[str, str, str]]:
        screen = self.screen
        name = getattr(screen, "NAME", "")
        kind: Kind | None = screen.entry.kind if isinstance(screen, Browse) and screen.entry else None
        return [
            (f"{action.worded(kind)}  ({action.keys[0]})", action.name, action.help)
            for action in ACTIONS
            if fits(action, name, kind) and action.name not in ("palette", "choose")
        ]

    def _run(self, name: str) -> Any:
        return lambda: self.screen.action_act(name)  # type: ignore[attr-defined]

    async def discover(self) -> Hits:
        """Everything, before a word is typed."""
        for label, name, help_ in self._valid():
            yield DiscoveryHit(label, self._run(name), help=help_)

    async def search(self, query: str) -> Hits:
        """What matches."""
        matcher = self.matcher(query)
        for label, name, help_ in self._valid():
            score = matcher.match(f"{label} {help_}")
            if score:
                yield Hit(score, matcher.highlight(label), self._run(name), help=help_)


class CuratorApp(App[str]):
    """The inbox of one project (or all of them)."""

    TITLE = "curator"
    CSS_PATH = "curator.tcss"
    MODES: ClassVar[dict[str, Any]] = {
        "inbox": InboxScreen,
        "lessons": LessonsScreen,
        "history": HistoryScreen,
        "stats": StatsScreen,
    }
    COMMANDS: ClassVar[set[Any]] = App.COMMANDS | {Actions}
    PAUSE_GC_ON_SCROLL = True

    def __init__(self, curator: Curator, *, session: str = "", roots: Sequence[Path] | None = None, watch: bool = True) -> None:
        super().__init__()
        settings = curator.settings
        self.curator = curator
        self.session = session
        self.keymap = keymap(settings.keys)
        if settings.ascii or not locale.getpreferredencoding(False).lower().startswith("utf"):
            self._filters.append(AsciiFilter())  # Textual has no public way to add one
        self.today: Counter[str] = Counter()
        self.live = ""
        self.watching = ""
        self.held_back = 0
        self.welcome: tuple[int, int, int] | None = None
        self.background = Background(self, roots, watch=watch)
        self._version = curator.version()
        self._names = {id_: project.name for id_, project in curator.projects().items()}
        if settings.theme in self.available_themes:
            self.theme = settings.theme
        elif self.no_color:
            self.theme = "textual-dark"  # an ansi theme without colour is black on black
        if os.environ.get("SSH_CONNECTION"):
            self.animation_level = "none"

    @property
    def place(self) -> str:
        """The project's name, for the header."""
        return self.curator.project.name if self.curator.project else "every project"

    def project_name(self, id_: str) -> str:
        """The name of a project."""
        return self._names.get(id_) or (self.curator.project.name if self.curator.project else "project")

    def on_mount(self) -> None:
        """The inbox first; then whatever reads and watches."""
        self.switch_mode("inbox")
        self.set_interval(POLL_SECONDS, self.poll)
        self.call_after_refresh(self.background.start)

    def on_unmount(self) -> None:
        """Threads end with the window."""
        self.background.stop()

    def poll(self) -> None:
        """See whether somebody else has written."""
        try:
            version = self.curator.version()
        except CuratorError as error:
            self.post_message(Failed(error))
            return
        if version != self._version:
            self._version = version
            self.post_message(Changed())

    def on_changed(self) -> None:
        """Let the screen in front take it in."""
        if not self.welcome or self.curator.store.sources.followed():
            self.welcome = None
        self._names = {id_: project.name for id_, project in self.curator.projects().items()}
        for screen in self.screen_stack:
            if isinstance(screen, Browse):
                screen.catch_up()

    def on_progress(self, message: Progress) -> None:
        """How far a scan is, in the header."""
        running = message.done < message.total
        self.live = f"reading {message.done}/{message.total}" if running else f"{signs.OPEN}live"
        self.refresh_screens()

    def on_failed(self, message: Failed) -> None:
        """Something in the background went wrong."""
        for screen in self.screen_stack:
            if isinstance(screen, Browse):
                screen.toast.show(" ".join(str(message.error).split("\n")), bad=True)

    def refresh_screens(self) -> None:
        """Headers and footers as things stand."""
        for screen in self.screen_stack:
            if isinstance(screen, Browse) and screen.is_mounted and screen.query("#list"):
                screen.refresh_bars()

    def watch_app_focus(self, focused: bool) -> None:
        """Without the terminal's focus the cursor is hollow and the footer dim."""
        for screen in self.screen_stack:
            if isinstance(screen, Browse) and screen.query("#list"):
                screen.list.focused_app = focused
                screen.refresh_bars()

    def rescan(self, *, everything: bool = False) -> None:
        """Read the transcripts again."""
        self.background.scan(everything=everything)

    def settle(self, ids: Sequence[str]) -> None:
        """Files and anchors follow a verdict, half a second later and in a thread."""
        self.background.settle(ids)

    def took_back(self, outcome: Outcome) -> None:
        """A verdict was taken back on another screen."""
        self.settle([entry.id for entry in outcome.entries])

    def _fatal_error(self) -> None:
        """A fault of ours: the log gets the traceback, the person a sentence. Textual's own would print all of it."""
        log.error("the inbox ended", exc_info=self._exception)
        self.panic(
            f"curator: something went wrong that was not foreseen: {self._exception!r}\n"
            f"Every verdict is saved. The log has the details: {self.curator.settings.log}"
        )
