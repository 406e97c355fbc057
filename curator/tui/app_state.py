"""The parts of the application that its screens may use."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import SubprocessError
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.app import App

from curator import app
from curator.app import Curator
from curator.errors import CuratorError, ReplacedDatabase
from curator.keymap import keymap
from curator.tui import styles
from curator.tui.background import Background, Distilling
from curator.tui.bars import Toast
from curator.tui.editor import Drafts
from curator.tui.text import fit

if TYPE_CHECKING:
    from curator.app.sessions.scan import Survey

ID = re.compile(r"\b[0-9A-Z]{4}-[0-9A-Z]{4}\b")
"""The form of entries' ids (``clock.new_id``)."""
MAX_LABEL_WIDTH = 10
"""Maximum cells of a project's short name."""


def short(name: str) -> str:
    """Return a project's name without that of its owner, or without the folders above it on another system.

    >>> short("acme__web"), short("acme/web"), short("web"), short("D:\\\\srv\\\\web")
    ('web', 'web', 'web', 'web')
    """
    return re.split(r"__|[/\\]", name.rstrip("_/"))[-1]


def reader_names(readable: Mapping[str, str]) -> str:
    """Return the commands that could read sessions, in words.

    >>> reader_names({"claude-code": "claude", "codex": "codex"})
    'claude and codex'
    """
    return " and ".join(dict.fromkeys(readable.values()))


class Names:
    """The names of projects by their ids."""

    def __init__(self, curator: Curator) -> None:
        self.curator = curator
        self._names: Mapping[str, str] = {}
        self.learn()

    def learn(self) -> None:
        """Look the names up."""
        self._names = {id_: project.name for id_, project in self.curator.projects().items()}
        self._width = min(
            MAX_LABEL_WIDTH, max((cell_len(short(name)) for name in self._names.values()), default=MAX_LABEL_WIDTH)
        )

    def of(self, id_: str) -> str:
        """Return the name of a project."""
        return self._names.get(id_) or (self.curator.project.name if self.curator.project else "project")

    def label(self, id_: str) -> str:
        """Return the short name of a project, as wide as that of any other."""
        return fit(short(self.of(id_)), self._width)

    @property
    def here(self) -> str:
        """Return the project of the window, for the header."""
        return self.curator.project.name if self.curator.project else "every project"

    @property
    def sample(self) -> bool:
        """Return whether this is the demo's made-up project."""
        return self.curator.scope == "demo"


log = logging.getLogger(__name__)


def _by_words(curator: Curator, text: str) -> str:
    """Return a message that names entries by their headline, since the window shows no ids."""
    try:
        known = curator.lessons.headlines(ID.findall(text))
    except Exception as error:
        if app.explain(error, curator.store.path) is None:
            raise
        return text  # the text may say just that the database can't be read
    return ID.sub(lambda found: f"“{known[found[0]]}”" if found[0] in known else found[0], text)


class AppState(App[str]):
    """The state that screens share, and the background work that they can start. ``CuratorApp`` carries it out.

    ``hub`` says that the hub is away. ``reading`` and ``following`` describe the progress of reading. ``elsewhere`` counts the
    cards of other projects, ``hidden`` the weaker cards here, and ``unread_sessions`` the sessions that no model has read.
    ``welcome`` is the text of a first run. While no reader is chosen, ``readable`` holds the command for the sessions of each
    agent.
    """

    def __init__(self, curator: Curator, *, session: str = "", roots: Sequence[Path] | None = None, watch: bool = True) -> None:
        super().__init__()
        self.curator = curator
        self.session = session
        self.keymap = keymap(curator.settings.keys)
        self.today: Counter[str] = Counter()
        self.looking = watch
        """True until the first look at transcripts ends."""
        self.read = (0, 0, 0)
        """The progress of that look: files read, files to read, candidates found."""
        self.reading = ""
        self.following = ""
        self.hub = ""
        self.hidden = 0
        self.elsewhere = 0
        self.welcome: Survey | None = None
        self.readable: Mapping[str, str] = {}
        self.names = Names(curator)
        self.background = Background(self, roots, watch=watch)
        self.distilling = Distilling(self.background, self.post_message)
        self.unread_sessions = 0
        self.lost: ReplacedDatabase | None = None
        """The reason why the window closes: the database was deleted or replaced."""
        self.coloured = False
        """True once code is coloured. The first card has no colours, because importing Pygments takes as long as the rest of
        the card.
        """
        self.drafts = Drafts(curator.settings.home / "drafts.json")
        self.attempt(self._forget_drafts)

    def _forget_drafts(self) -> None:
        """Delete the drafts of purged entries, so that no typed text remains."""
        for id_ in self.drafts.ids():
            if id_ and self.curator.lessons.peek(id_) is None:
                self.drafts.drop(id_)

    @property
    def is_leaving(self) -> bool:
        """Return whether the window is closing. It then ignores each key that was typed after the last one."""
        return self._exit

    def attempt(self, deed: Callable[[], object]) -> None:
        """Call something in the app. Show an error in the status line instead of ending the program."""
        try:
            deed()
        except (CuratorError, OSError, SubprocessError) as error:
            self.say(error)
        except Exception as error:
            if (known := app.explain(error, self.curator.store.path)) is None:
                raise
            self.say(known)

    def say(self, error: BaseException) -> None:
        """Show an error on the front screen."""
        if isinstance(error, Exception) and not isinstance(error, OSError):
            error = app.explain(error, self.curator.store.path) or error
        if isinstance(error, ReplacedDatabase):
            self.lost = error
            self.exit()
            return
        if isinstance(error, CuratorError):
            text = _by_words(self.curator, " ".join(str(error).split("\n")))
        else:
            log.error("said in the inbox", exc_info=error)
            text = f"Unexpected error: {error!r}. Details are in the log."
        for screen in self.screen_stack if self.is_running else ():
            for toast in screen.query(Toast):
                toast.show(text, bad=True, whole=True)

    @property
    def live(self) -> str:
        """Return the progress of reading, for the header, and whether the hub is away."""
        following = f"{styles.OPEN}{self.following}" if self.following else ""
        return "  ".join(filter(None, (self.hub, self.reading or following)))

    def rescan(self, *, everything: bool = False) -> None:
        """Read the transcripts again."""
        raise NotImplementedError
