"""A built-in format finds its files, and its module is loaded when there is something to ask it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from curator.hookspecs import Companions
from curator.transcripts import BUILT_IN, BuiltIn
from curator.transcripts.base import discover
from tests.transcripts.samples import on_disk, samples

LOOK = """
import sys
from pathlib import Path
from curator import plugins
from curator.transcripts import BUILT_IN
from curator.transcripts.base import discover

home = Path(sys.argv[1])
formats = plugins.formats()
found = discover.find(formats, None, home, {"PWD": str(home)}).transcripts
written = [discover.transcript_of(home / name, formats) for name in ("new.jsonl", "new.md")]
modules = {"curator.transcripts." + format_.module for format_ in BUILT_IN}
print(len(found), *sorted(modules & sys.modules.keys()))
"""


def look(home: Path) -> list[str]:
    """How many transcripts a home has, and which formats were loaded to look for them, and to say whose two files are not."""
    command = [sys.executable, "-c", LOOK, str(home)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_only_the_format_whose_place_is_there_is_loaded(tmp_path: Path) -> None:
    assert look(tmp_path) == ["0"]
    on_disk(tmp_path / ".codex", samples()["codex"][0])
    assert look(tmp_path) == ["1", "curator.transcripts.codex"]


@pytest.mark.parametrize("format_", BUILT_IN, ids=lambda format_: format_.agent)
def test_a_format_finds_its_transcript_and_whose_a_companion_is(format_: BuiltIn, tmp_path: Path) -> None:
    assert isinstance(format_, Companions)
    for number, sample in enumerate(samples()[format_.agent]):
        folder = tmp_path / str(number)
        transcript = on_disk(folder, sample)
        assert [*format_.find(folder)] == [*format_.find(transcript)] == [transcript]
        assert format_.transcript(transcript) in (None, transcript)
        log = transcript.with_name(f"{transcript.name}-wal")
        is_database = transcript.suffix in (".db", ".vscdb")
        assert (log in format_.companions(transcript)) is is_database
        assert not is_database or discover.transcript_of(log, [format_]) == transcript
        for beside in {folder / name for name, _ in sample[1:]} & {*format_.companions(transcript)}:
            assert discover.transcript_of(beside, [format_]) == transcript
