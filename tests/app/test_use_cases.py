"""Use cases are modules of ``app``, loaded when they are first asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = """
import sys
from pathlib import Path

import pytest
from curator import app
from curator.settings import Settings
curator = app.Curator(Settings(home=Path(sys.argv[1], "home")))
curator.enter(sys.argv[1])
app.staleness.check(curator)
print([name for name in ("curator.lesson_files", "yaml") if name in sys.modules])
"""
EDIT = """
import sys
from curator.app import Curator, settling
from curator.settings import load
curator = Curator(load())
curator.enter(sys.argv[1])
(entry,) = curator.decisions.add("Run the tests with make").entries
(entry,) = curator.decisions.edit(entry.id, headline="Run all tests with make").entries
settling.settle(curator, [entry.id])
print(*(name for name in sys.modules if name.startswith("curator.detection")))
"""


@pytest.mark.parametrize(
    ("script", "said"), [(CHECK, "[]"), (EDIT, "")], ids=["a check of clean lessons no YAML", "an edit no detection"]
)
def test_only_what_is_needed_is_loaded(tmp_path: Path, script: str, said: str) -> None:
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said
