"""The plugin points: the additions that another package can make.

A plugin is a module or object with functions of these names. They are marked with ``curator.hookspecs.hookimpl`` and announced
under the entry point group ``curator``. The built-in formats use the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, runtime_checkable

import pluggy

from curator.model import JSON, Turn
from curator.settings import Settings

hookspec = pluggy.HookspecMarker("curator")
hookimpl = pluggy.HookimplMarker("curator")
NOTHING_KNOWN: Mapping[Path, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Mark:
    """A position in a transcript from which reading can continue: bytes and lines before it, and the format's memory.

    ``memory`` is JSON: the session id, the folder, the calls that still lack a result.
    """

    offset: int = 0
    line: int = 0
    memory: JSON = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of one pass over a transcript.

    ``turns`` start at the given mark. ``end`` is after the last complete record. ``window`` is some records before it, so that
    a reader that starts there gets the last turns again as context. ``behind`` is the number of turns after ``window``, which
    are known then; 0 is always safe, since repeated turns are recognised. ``unknown`` counts, by type, records that
    the format does not know, or that gave no turn in a file where most gave none. ``errors`` are sentences that name an
    unreadable part and its place.

    A format that reads its whole store each time puts into ``old_turns`` how many of the first turns were known at the given
    mark. ``more`` asks for another read from ``window`` at once. So a store of many sessions is read in batches, with limited
    memory.
    """

    turns: Sequence[Turn]
    end: Mark
    window: Mark
    unknown: Counter[str] = field(default_factory=Counter)
    errors: Sequence[str] = ()
    behind: int = 0
    old_turns: int | None = None
    more: bool = False


@runtime_checkable
class Format(Protocol):
    """A reader of one agent's transcripts.

    The place of a turn is its 1-based lines in a JSONL or text file. In a JSON document or a database, it is the 1-based number
    of the message in its session.

    If the agent rewrites its files, the format sets ``rewrites = True`` and always gets its last ``window``, even if the file
    begins differently. If the files lie in projects, it sets ``in_project = True``, so that curator tells committed files from
    the person's own. If a tool's output can look like a prompt, it also sets ``forgeable = True``. See also ``Companions``.
    """

    agent: str
    """The agent's id, as in the table of agents."""

    def roots(self, home: Path, env: Mapping[str, str]) -> Sequence[Path]:
        """Return the native places, whether or not they exist."""

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING_KNOWN) -> Sequence[Path]:
        """Return the transcripts under ``root``, which is a native place or any folder above or below one.

        ``known`` gives the agent of files that were read before. These need not be opened.
        """

    def claims(self, path: Path, head: bytes) -> bool:
        """Return whether this file, which begins with ``head``, is one of this format."""

    def read(self, path: Path, start: Mark) -> Reading:
        """Continue from ``start``. Raises only ``OSError``, whatever the file contains."""


@runtime_checkable
class Companions(Protocol):
    """The files of a transcript that consists of several files, or of a database with its write-ahead log."""

    def companions(self, path: Path) -> Sequence[Path]:
        """Return the files and folders that are read with ``path``, even absent ones. A change of one counts as a change of
        ``path``.
        """

    def transcript(self, written: Path) -> Path | None:
        """Return the transcript of a written companion file. Return ``None`` for any other file."""


@runtime_checkable
class Distiller(Protocol):
    """A model that reads a session once, where a person has set one and asks for it. See ``docs/model.md``."""

    @property
    def model(self) -> str:
        """Return the model and its address, as shown to people before anything is sent. It is part of the cache's key."""

    def answer(self, prompt: str) -> str:
        """Return the model's raw text, which curator then checks.

        Raises ``OSError``, ``TimeoutError`` and ``ValueError`` with a message for people. Other errors are logged, and the
        cards stay unchanged.
        """


MakeDistiller = Callable[[Settings], Distiller]
"""Makes a distiller of the settings. Raises ``CuratorError`` if one is missing or wrong."""


@hookspec
def register_distillers(register: Callable[[str, MakeDistiller], None]) -> None:
    """Register distillers by calling ``register(name, make)`` for each. Only the one in the settings is made."""


@hookspec
def register_formats(register: Callable[[Format], None]) -> None:
    """Register transcript formats by calling ``register(format)`` for each."""
