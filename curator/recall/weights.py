"""What each sign is worth, in log-odds. Made by tests/benchmarks/train_recall.py with scikit-learn 1.9.1."""

from __future__ import annotations

WEIGHTS = {
    "words": 1.145,
    "names": 1.764,
    "best": 1.806,
    "place": 1.253,
    "share": 1.019,
    "elsewhere": -0.755,
    "named file": 0.304,
    "length": -0.563,
}
BIAS = -2.571
SHOWN = 0.25
"""From this probability on a lesson is told."""
