"""Promises kept on real transcripts: whatever stands in them, what leaves is short, verbatim, clean and repeatable."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from curator.detection import detect
from curator.detection.wording import HEADLINE, INSIGHT
from curator.model import Candidate, Turn
from curator.plugins import formats
from curator.text.redact import clean
from curator.transcripts.base import discover, follow
from tests.files import SHARED

TRANSCRIPTS = SHARED / "transcripts"
WANTED = {".jsonl", ".md"}


def transcripts() -> list[Path]:
    """A dozen files of middling size, spread over the tree."""
    found = sorted(path for path in TRANSCRIPTS.rglob("*") if path.suffix in WANTED and 20_000 < path.stat().st_size < 400_000)
    return found[:: max(1, len(found) // 12)]


def read(path: Path) -> Sequence[Turn]:
    form = discover.format_of(path, formats())
    return follow.follow(form, path, None).turns if form else ()


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the shared transcripts are not beside this checkout")
def test_candidates_of_real_sessions_keep_the_promises() -> None:
    proposed = 0
    for path in transcripts():
        turns = read(path)
        found = detect(turns)
        proposed += len(found)
        assert found == detect(turns)
        said = "\n".join(turn.text for turn in turns)
        for candidate in found:
            check(candidate, said)
    assert proposed, "no candidate in any transcript: detection or a reader is broken"


def check(candidate: Candidate, said: str) -> None:
    for evidence in candidate.evidence:
        assert evidence.quote in said
        assert sum(line.hit for line in evidence.excerpt) == 1
        assert len(evidence.excerpt) <= 7
    assert 1 <= len(candidate.wordings) <= 3
    for wording in candidate.wordings:
        assert 1 <= len(wording.headline.split()) <= HEADLINE
        assert 1 <= len(wording.insight.split()) <= INSIGHT
        assert wording.headline.count("`") % 2 == 0
        for text in (wording.headline, wording.insight):
            assert text == clean(text)
            assert text.isprintable()
