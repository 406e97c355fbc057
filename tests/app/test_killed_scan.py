"""Scans that are killed at any moment: the next one goes on, and in the end nothing is missing and nothing is double."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from curator.app import Curator
from curator.model import Query
from curator.settings import Settings
from tests.app.test_ingest import Transcript
from tests.sayings import DIST, UV, VENDOR

SCAN = """
import sys
from pathlib import Path
from curator.app import Curator, scan
from curator.settings import Settings
curator = Curator(Settings(home=Path(sys.argv[1])))
scan.scan(curator, roots=[Path(sys.argv[2])], progress=lambda step: print(step.files_done, flush=True))
"""


def cards(home: Path) -> list[tuple[str, int, int]]:
    curator = Curator(Settings(home=home))
    found = [(entry.evidence[0].quote, entry.seen, len(entry.evidence)) for entry in curator.lessons.entries(Query())]
    curator.close()
    return sorted(found)


def test_kill_9_during_scans(tmp_path: Path) -> None:
    for number in range(40):
        session = Transcript(
            tmp_path / "claude", tmp_path / f"app{number % 4}", f"5e551011-0000-4000-8000-0000000000{number:02d}"
        )
        session.fails()
        session.says((UV, VENDOR, DIST)[number % 3])
    for round_ in range(6):
        child = subprocess.Popen(
            [sys.executable, "-c", SCAN, str(tmp_path / "killed"), str(tmp_path / "claude")], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout
        for _ in range(1 + round_ * 3):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)
    for home in ("killed", "whole"):
        done = subprocess.run(
            [sys.executable, "-c", SCAN, str(tmp_path / home), str(tmp_path / "claude")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert cards(tmp_path / "killed") == cards(tmp_path / "whole")
    assert len(cards(tmp_path / "whole")) == 12
