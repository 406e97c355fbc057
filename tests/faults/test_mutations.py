"""A few hundred of the mutated inputs that ``tests/benchmarks/mutations.py`` makes by the thousand."""

from __future__ import annotations

import random
import runpy
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"
MUTATIONS = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "mutations.py"))


def test_no_mutated_lesson_file_escapes() -> None:
    counts = MUTATIONS["lessons"](300, random.Random(2))
    assert counts["escaped"] == 0
    assert counts["read"] == 300


@pytest.mark.skipif(not (SHARED / "transcripts").is_dir(), reason="the shared transcripts are not beside this checkout")
def test_no_mutated_transcript_escapes() -> None:
    counts = MUTATIONS["transcripts"](SHARED, 60, random.Random(2))
    assert counts["escaped"] == 0
    assert counts["read"] == 60


def test_no_mutated_settings_escape() -> None:
    counts = MUTATIONS["settings"](300, random.Random(2))
    assert counts["escaped"] == 0
    assert counts["read"] == 300


def test_no_mutated_payload_of_a_hook_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "CURATOR_HOME"):  # set by the script, and taken back here
        monkeypatch.setenv(name, "")
    counts = MUTATIONS["hooks"](300, random.Random(2))
    assert counts["escaped"] == 0
    assert counts["spoke"]
