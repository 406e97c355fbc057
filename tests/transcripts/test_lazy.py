"""A built-in format is what its class is, and its module is loaded when there is something to ask it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from curator.hookspecs import Companions
from curator.io import sqlite
from curator.transcripts import BUILT_IN, Lazy
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
modules = {"curator.transcripts." + format_.name.partition(":")[0] for format_ in BUILT_IN}
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
def test_a_row_says_what_the_class_does(format_: Lazy, tmp_path: Path) -> None:
    real = format_.load()
    assert format_.agent == real.agent
    assert format_.roots(tmp_path, {"PWD": str(tmp_path)}) == real.roots(tmp_path, {"PWD": str(tmp_path)})
    assert bool(format_.endings) == isinstance(real, Companions)
    for name in ("rewrites", "in_project", "forgeable"):
        assert getattr(format_, name, False) == getattr(real, name, False)
    assert isinstance(format_, Companions)
    for number, sample in enumerate(samples()[format_.agent]):
        transcript = on_disk(tmp_path / str(number), sample)
        beside = [tmp_path / str(number) / name for name, _ in sample[1:]]
        logs = [transcript.with_name(transcript.name + ending) for ending in sqlite.LOGS]
        assert [*format_.find(tmp_path / str(number))] == [*real.find(tmp_path / str(number))] == [transcript]
        assert [*format_.companions(transcript)] == ([*real.companions(transcript)] if format_.endings else [])
        for written in (transcript, *beside, *logs):
            assert format_.transcript(written) == (real.transcript(written) if format_.endings else None)
