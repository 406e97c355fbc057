"""A built-in format whose module is loaded when it is first asked about a file: most people use few of the agents."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from curator.hookspecs import NOTHING, Mark, Reading


@dataclass  # not frozen: to a type checker anybody may set a format's ``agent``
class Lazy:
    """A format, and what is known of it without its module.

    ``name`` is ``module:Class`` in this package, ``roots`` a function of ``places``; ``endings`` are those of files that may be
    companions of a transcript, none for a format without companions. Whatever else a format may have, such as ``rewrites``, it
    has as its class does.
    """

    agent: str
    name: str
    roots: Callable[[Path, Mapping[str, str]], Sequence[Path]]
    endings: tuple[str, ...] = ()

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING) -> Sequence[Path]:
        """As the format does; nothing is asked of it for a place that is not there."""
        return self.load().find(root, known) if os.path.lexists(root) else ()

    def claims(self, path: Path, head: bytes) -> bool:
        """As the format does."""
        return bool(self.load().claims(path, head))

    def read(self, path: Path, start: Mark) -> Reading:
        """As the format does."""
        reading: Reading = self.load().read(path, start)
        return reading

    def companions(self, path: Path) -> Sequence[Path]:
        """As the format does; what is not there has none."""
        return self.load().companions(path) if self.endings and os.path.lexists(path) else ()

    def transcript(self, written: Path) -> Path | None:
        """As the format does, for a file that may be a companion by its name."""
        return self.load().transcript(written) if written.name.endswith(self.endings) else None

    def load(self) -> Any:
        """The format itself."""
        module, _, name = self.name.partition(":")
        return getattr(import_module(f"{__package__}.{module}"), name)()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.load(), name)
