"""The notes of public repositories that lie beside the checkout; nothing of them is copied here."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest

from curator.memories import edit
from tests.files import SHARED
from tests.memories.conftest import look

REAL = SHARED / "memories"

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


def is_without_lines(data: bytes, rest: bytes, start: int, ends: list[int]) -> bool:
    """Return whether a file is another one without the whole lines that begin at ``start``."""
    end = start + len(data) - len(rest)
    return end in ends and rest == data[:start] + data[end:]


def test_an_edit_of_one_note_leaves_every_other_byte(tmp_path: Path) -> None:
    count = 0
    for repo in sorted(folder for folder in REAL.iterdir() if folder.is_dir()):
        for store, source in look(tmp_path, repo).sources:
            data = source.path.read_bytes()
            lines = edit.split(data, source.text)
            ends = [0, *accumulate(map(len, lines))]
            assert b"".join(lines) == data
            for cut in list(store.notes(source))[::8]:  # all of them take long, and show the same
                count += 1
                first = max(0, cut.line - 1)
                rest = edit.drop(store, source, data, cut)
                if rest is not None and b"<!--" not in data:
                    starts = ends[max(0, first - 3) : first + 1]
                    assert any(is_without_lines(data, rest, at, ends) for at in starts), (source.path, cut.line)
                new = edit.reword(source, data, cut, f"{' '.join(cut.text.split())} indeed")
                before, after = data[: ends[first]], data[ends[min(first + len(cut.text.split("\n")), len(lines))] :]
                assert new.startswith(before)
                assert (new.endswith(after) and new.count(b"\n") == data.count(b"\n")) or b"<!--" in data
                assert b"indeed" in new[len(before) : len(new) - len(after)]
    assert count > 150
