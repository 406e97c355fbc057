"""A machine for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """One person's machine; this process is one of its programs, too."""
    made = World(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("CURATOR_HOME", str(made.settings.home))
    for role in ("AUTHOR", "COMMITTER"):  # what a person commits here is of now, not of the day of all other tests
        monkeypatch.delenv(f"GIT_{role}_DATE", raising=False)
    return made
