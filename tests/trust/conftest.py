"""A machine for each test, and traps that leave a mark when somebody runs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.conftest import world
from tests.files import write_file, write_program

__all__ = ["trap", "world"]


class Trap:
    """Programs that do nothing but say that they ran."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marks = folder / "marks"
        self.marks.mkdir(parents=True)

    def script(self, name: str, place: Path | None = None) -> Path:
        """An executable that leaves the mark ``name``, here or at another place."""
        return write_program(place or self.folder / name, f"touch '{self.marks / name}'\nexit 1")

    def module(self, name: str, place: Path) -> Path:
        """A Python module that leaves the mark ``name`` when it is imported."""
        return write_file(place, f"open({os.fspath(self.marks / name)!r}, 'w').close()\n")

    @property
    def ran(self) -> set[str]:
        """The marks that are there."""
        return {path.name for path in self.marks.iterdir()}

    def reset(self) -> None:
        """Take the marks away."""
        for path in self.marks.iterdir():
            path.unlink()


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    """A folder of traps outside every repository."""
    return Trap(tmp_path / "traps")
