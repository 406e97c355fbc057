"""Use cases are modules of ``app``, loaded when they are first asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from curator import app
before = bool({"curator.app.sessions.scan", "curator.model.turn"} & sys.modules.keys())
app.scan.scan
print(before, "curator.app.sessions.scan" in sys.modules)
"""
CHECK = """
import sys
from pathlib import Path
from curator import app
from curator.settings import Settings
curator = app.Curator(Settings(home=Path(sys.argv[1], "home")))
curator.enter(sys.argv[1])
app.staleness.check(curator)
print([name for name in ("curator.lesson_files", "curator.code", "yaml") if name in sys.modules])
"""


def test_a_use_case_is_loaded_when_it_is_asked_for() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_check_of_clean_lessons_loads_no_parser(tmp_path: Path) -> None:
    """A window checks as long as it is open, and would hold them."""
    done = subprocess.run([sys.executable, "-c", CHECK, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
