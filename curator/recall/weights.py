"""What each sign is worth, in log-odds. Made by tests/benchmarks/train_recall.py with scikit-learn 1.9.1."""

from __future__ import annotations

WEIGHTS = {
    "words": 1.15,
    "names": 1.752,
    "best": 1.802,
    "place": 1.253,
    "share": 1.016,
    "elsewhere": -0.758,
    "named file": 0.343,
    "length": -0.564,
}
BIAS = -2.563
SHOWN = 0.25
"""From this probability on a lesson is told."""
