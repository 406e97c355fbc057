"""The plugin points: what another package may add to curator.

A plugin is a module or object with functions of these names, marked with ``curator.hookspecs.hookimpl`` and announced
under the entry point group ``curator``. The built-in formats come in through the same door.
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

hookspec = pluggy.HookspecMarker("curator")
hookimpl = pluggy.HookimplMarker("curator")

NOTHING: Mapping[Path, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a transcript at which reading can go on: bytes and lines before it, and what the format remembers.

    ``memory`` is JSON: the session id, the folder, the calls that still lack a result.
    """

    offset: int = 0
    line: int = 0
    memory: JSON = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one pass over a transcript gave.

    ``turns`` start at the mark that was passed in. ``end`` is behind the last whole record, ``window`` some records
    before it: who starts there next time sees the last turns again, which a detector needs as context. ``unknown`` counts
    record types that the format does not know; ``errors`` are sentences that name what could not be read, and where.
    ``behind`` is how many of the turns stand behind ``window``: so many are known already when reading goes on there. 0 is
    always safe: turns are then told twice rather than not at all.
    """

    turns: Sequence[Turn]
    end: Mark
    window: Mark
    unknown: Counter[str] = field(default_factory=Counter)
    errors: Sequence[str] = ()
    behind: int = 0


@runtime_checkable
class Format(Protocol):
    """A reader of one agent's transcripts."""

    agent: str
    """The agent's id, as in the table of agents."""

    def roots(self, home: Path, env: Mapping[str, str]) -> Sequence[Path]:
        """The native places, whether or not they exist."""

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING) -> Sequence[Path]:
        """The transcripts under ``root``, which is a native place or any folder above or below one.

        ``known`` says of files that were read before which agent's they are: they need not be opened to be recognised.
        """

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether this file, which begins with ``head``, is one of this format."""

    def read(self, path: Path, start: Mark) -> Reading:
        """Read on from ``start``. Raises ``OSError`` only; whatever stands in the file is survived."""


@hookspec
def register_formats(register: Callable[[Format], None]) -> None:
    """Register transcript formats by calling ``register(format)`` for each."""
