"""Scans that are killed at any moment: the next one goes on, and in the end nothing is missing and nothing is double."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from curator import app
from tests.app.conftest import Open, Transcript, scanned
from tests.app.conftest import cards as found
from tests.sayings import DIST, UV, VENDOR

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")


def killed(opened: Open, root: Path, after: int) -> None:
    """Scan in a process of its own, which is killed when it has told of its progress so many times."""
    told, tells = os.pipe()
    child = os.fork()
    if not child:
        try:
            app.scan.scan(opened("killed"), roots=[root], progress=lambda step: bool(os.write(tells, b".")) or None)
        finally:
            os._exit(0)
    for _ in range(after):
        os.read(told, 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(told)
    os.close(tells)


def cards(opened: Open, root: Path, home: str) -> list[tuple[str, int, int]]:
    """What a scan to the end leaves in a home."""
    with closing(opened(home)) as curator:
        scanned(curator, root)
        return [(entry.evidence[0].quote, entry.seen, len(entry.evidence)) for entry in found(curator)]


def test_kill_9_during_scans(opened: Open, root: Path, tmp_path: Path) -> None:
    for number in range(24):
        session = Transcript(root, tmp_path / f"app{number % 4}", number)
        session.fails()
        session.says((UV, VENDOR, DIST)[number % 3])
    whole = cards(opened, root, "whole")
    for round_ in range(5):
        killed(opened, root, 1 + round_ * 3)
    assert cards(opened, root, "killed") == whole
    assert len(whole) == 12
