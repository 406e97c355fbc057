"""The shipped weights are what the training script makes of the labelled pairs, to the last digit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"


@pytest.mark.skipif(
    not (SHARED / "eval" / "conflicts_dev.jsonl").is_file(), reason="the labelled pairs are not beside this checkout"
)
@pytest.mark.timeout(200)
def test_training_gives_the_shipped_weights_bit_for_bit() -> None:
    pytest.importorskip("sklearn")
    script = ROOT / "tests" / "benchmarks" / "train_relations.py"
    run = subprocess.run(
        [sys.executable, str(script), str(SHARED), "--check"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert run.returncode == 0, run.stderr
    assert "training gives the weights that are shipped" in run.stdout
