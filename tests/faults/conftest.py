"""A database with cards to decide on, and the ways in which it is taken away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator.app import Curator
from curator.model import Change, Entry, Project, Verb
from curator.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", export=False)


@pytest.fixture
def curator(tmp_path: Path, settings: Settings, make: Callable[..., Entry]) -> Iterator[Curator]:
    """Eight cards that wait, open in one process."""
    work = tmp_path / "work"
    work.mkdir()
    opened = Curator(settings, Project(id="p1", name="work", folder=str(work)))
    for number in range(8):
        card = make(id=f"AAAA-000{number}", session=f"s{number}")
        opened.store.apply([(Verb.PROPOSE, Change(before=None, after=card))], actor="detector", at=1.0)
    yield opened
    opened.close()
