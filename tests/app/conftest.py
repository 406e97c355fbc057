"""A folder that is a project, and a database opened there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.app import Curator
from curator.settings import Settings


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder: no git repository, and empty."""
    folder = tmp_path / "app"
    folder.mkdir()
    return folder


@pytest.fixture
def curator(tmp_path: Path, work: Path) -> Iterator[Curator]:
    """The database, whose project the folder is."""
    opened = Curator(Settings(home=tmp_path / "home"))
    opened.enter(str(work))
    yield opened
    opened.close()
