"""A home folder and a work tree with made-up notes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from curator import memories
from curator.memories import Found, Note, Surroundings

Read = Callable[..., list[Note]]


def look(home: Path, repo: Path | None = None, **env: str) -> Found:
    """Every file of every store."""
    return memories.find(memories.STORES, Surroundings(home, env, repo))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    return folder


@pytest.fixture
def read(home: Path, repo: Path) -> Read:
    """Read the notes of the home folder and of the work tree."""

    def notes(**env: str) -> list[Note]:
        found = look(home, repo, **env)
        assert found.skipped == []
        return [note for store, source in found.sources for note in store.notes(source)]

    return notes
