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

    ``turns`` start at the mark that was passed in. ``end`` is behind the last whole record, ``window`` some records
    before it: who starts there next time sees the last turns again, which a detector needs as context. ``unknown`` counts
    record types that the format does not know; ``errors`` are sentences that name what could not be read, and where.
    ``behind`` is how many of the turns stand behind ``window``: so many are known already when reading goes on there. 0 is
    always safe: turns are then told twice rather than not at all.

    A format that reads its whole store each time says in ``old_turns`` how many of these turns, which come first, were known at
    the mark that was passed in. ``more`` asks to be read again from ``window`` at once: a store of many sessions is
    read in portions, so that memory stays bounded.
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

    Turns are located by 1-based lines of a JSONL or text file. Where a file is one JSON document or a database they are
    located by the 1-based number of the message in its session.

    A format whose agent writes its file anew each time has an attribute ``rewrites = True``: it is then always handed its
    last ``window``, even when the file begins differently. One whose files lie in projects has ``in_project = True``, so that
    those which came with a project are told from the person's own, and ``forgeable = True`` if even that does not tell whose
    words they have, since what a tool prints can have the form of a prompt. See also ``Companions``.
    """

    agent: str
    """The agent's id, as in the table of agents."""

    def roots(self, home: Path, env: Mapping[str, str]) -> Sequence[Path]:
        """Return the native places, whether or not they exist."""

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING_KNOWN) -> Sequence[Path]:
        """Return the transcripts under ``root``, which is a native place or any folder above or below one.

        ``known`` says of files that were read before which agent's they are: they need not be opened to be recognised.
        """

    def claims(self, path: Path, head: bytes) -> bool:
        """Return whether this file, which begins with ``head``, is one of this format."""

    def read(self, path: Path, start: Mark) -> Reading:
        """Read on from ``start``. Raises ``OSError`` only; whatever stands in the file is survived."""


@runtime_checkable
class Companions(Protocol):
    """The files of a transcript that consists of several files, or of a database with its write-ahead log."""

    def companions(self, path: Path) -> Sequence[Path]:
        """Files and folders that are read with ``path``, whether or not they exist: a change of one is a change of it."""

    def transcript(self, written: Path) -> Path | None:
        """Return the transcript that a file which was written belongs to; ``None`` when it is nobody's companion."""


@runtime_checkable
class Distiller(Protocol):
    """A model that reads a session once, where a person has set one and asks for it. See ``docs/model.md``."""

    @property
    def model(self) -> str:
        """The model and its address, as people see them before anything is sent. The cache tells answers apart by it."""

    def answer(self, prompt: str) -> str:
        """Return the model's raw text.

        Nothing of it is trusted. Raises ``OSError``, ``TimeoutError`` and ``ValueError``, with a message for people; whatever
        else it raises is logged. The cards stay as they are.
        """


MakeDistiller = Callable[[Settings], Distiller]
"""Makes a distiller of the settings. Raises ``CuratorError`` where one is missing or wrong."""


@hookspec
def register_distillers(register: Callable[[str, MakeDistiller], None]) -> None:
    """Register distillers by calling ``register(name, make)`` for each; only the one that is set is ever made."""


@hookspec
def register_formats(register: Callable[[Format], None]) -> None:
    """Register transcript formats by calling ``register(format)`` for each."""
