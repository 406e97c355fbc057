"""The shipped weights are those that training gives, and they hold on repositories that were left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"


@pytest.mark.skipif(not (SHARED / "eval" / "retrieval_dev").is_dir(), reason="the labelled set is not beside this checkout")
def test_training_gives_what_is_shipped() -> None:
    script = ROOT / "tests" / "benchmarks" / "train_recall.py"
    run = subprocess.run([sys.executable, str(script), str(SHARED), "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "training gives the weights that are shipped" in run.stdout
