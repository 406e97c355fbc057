"""What each sign is worth, in log-odds. Made by tests/benchmarks/train_recall.py with scikit-learn 1.9.1."""

from __future__ import annotations

WEIGHTS = {
    "words": 1.115,
    "names": 1.756,
    "best": 1.883,
    "place": 1.223,
    "share": 1.026,
    "elsewhere": -0.748,
    "named file": 0.287,
    "length": -0.506,
}
BIAS = -2.828
SHOWN = 0.28
"""From this probability on a lesson is sent."""
