"""What each sign is worth, in log-odds. Made by tests/benchmarks/train_recall.py with scikit-learn 1.9.1."""

from __future__ import annotations

WEIGHTS = {
    "words": 1.15,
    "names": 1.764,
    "best": 1.785,
    "place": 1.253,
    "share": 1.008,
    "elsewhere": -0.762,
    "named file": 0.349,
    "length": -0.569,
}
BIAS = -2.544
SHOWN = 0.25
"""From this probability on a lesson is told."""
