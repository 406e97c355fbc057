"""A small organisation lives a few seconds: the benchmark ``hub`` with six developers in two processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.files import TOP
from tests.hub.server import binaries


def test_nothing_is_lost_doubled_or_seen_by_another_team() -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'lesson-curator[hub]'")
    binaries()
    command = [sys.executable, str(TOP / "tests" / "benchmarks" / "hub.py"), "--small", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(TOP)})
    assert run.returncode == 0, run.stderr
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert [row["value"] for row in rows if row.get("target") == "≤ 0 "] == ["0 ", "0 "]
