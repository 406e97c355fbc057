"""The shipped weights are what the training script makes of the labelled sessions, to the last digit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"


@pytest.mark.skipif(not (SHARED / "eval" / "detection").is_dir(), reason="the labelled sessions are not beside this checkout")
@pytest.mark.timeout(400)
def test_training_gives_the_shipped_weights_bit_for_bit() -> None:
    pytest.importorskip("sklearn")
    script = ROOT / "tests" / "benchmarks" / "train.py"
    run = subprocess.run(
        [sys.executable, str(script), str(SHARED), "--check"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert run.returncode == 0, run.stderr
    assert "training gives the weights that are shipped" in run.stdout
