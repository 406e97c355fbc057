"""What each sign is worth, in log-odds. Made by tests/benchmarks/train_recall.py with scikit-learn 1.9.1."""

from __future__ import annotations

WEIGHTS = {
    "words": 1.135,
    "names": 1.744,
    "best": 1.823,
    "place": 1.242,
    "share": 1.023,
    "elsewhere": -0.755,
    "named file": 0.342,
    "length": -0.563,
}
BIAS = -2.579
SHOWN = 0.25
"""From this probability on a lesson is told."""
