"""What each sign is worth, in log-odds. Written by ``tests/benchmarks/train_recall.py``; not made by hand."""

from __future__ import annotations

WEIGHTS = {
    "words": 0.67, "names": 1.75, "cover": 0.45, "best words": 0.44, "best names": 1.77, "place": 1.54, "depth": 0.95,
    "everywhere": 1.04, "named file": 0.37, "length": -0.57, "share": 1.13,
}  # fmt: skip
BIAS = -5.0
SHOWN = 0.15
"""From this probability on a lesson is told."""
