"""What each sign is worth, in log-odds. Made by tests/benchmarks/train_recall.py with scikit-learn 1.9.1."""

from __future__ import annotations

WEIGHTS = {
    "words": 1.152,
    "names": 1.76,
    "best": 1.785,
    "place": 1.25,
    "share": 1.019,
    "elsewhere": -0.755,
    "named file": 0.343,
    "length": -0.561,
}
BIAS = -2.572
SHOWN = 0.25
"""From this probability on a lesson is told."""
