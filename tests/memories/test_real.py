"""The notes of public repositories that lie beside the checkout; nothing of them is copied here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memories.conftest import look

REAL = Path(__file__).resolve().parents[3] / "shared" / "memories"

pytestmark = pytest.mark.skipif(not (REAL / "MANIFEST.csv").exists(), reason=f"no real notes at {REAL}")


def test_every_file_gives_notes_but_an_index(tmp_path: Path) -> None:
    empty, files = [], 0
    for repo in sorted(folder for folder in REAL.iterdir() if folder.is_dir()):
        found = look(tmp_path, repo)
        assert found.skipped == []
        for store, source in found.sources:
            files += 1
            notes = list(store.notes(source))
            empty += [] if notes else [source]
            lines = source.text.split("\n")
            for note in notes:
                assert note.text.split("\n")[0].strip() in lines[note.line - 1]
    assert files > 150
    assert {source.path.name for source in empty} == {"MEMORY.md"}
    entries = [line for source in empty for line in source.text.splitlines() if line.strip() and not line.startswith("#")]
    assert [line for line in entries if not line.startswith(("- [", "|"))] == []
