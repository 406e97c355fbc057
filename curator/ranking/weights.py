"""The weight of each sign, in log-odds. Made by tests/benchmarks/train_recall.py with scikit-learn 1.9.1."""

from __future__ import annotations

WEIGHTS = {
    "words": 1.13,
    "names": 1.761,
    "best": 1.867,
    "place": 1.23,
    "share": 1.018,
    "elsewhere": -0.751,
    "named file": 0.288,
    "length": -0.508,
}
BIAS = -2.811
SEND_THRESHOLD = 0.28
"""The probability from which a lesson is sent."""
