"""What waits, in which order, and what verdicts teach about it."""

from __future__ import annotations

from curator.inbox.learning import adjustment, is_hidden, reweigh
from curator.inbox.order import (
    REASONS,
    SNOOZES,
    WITHDRAWN,
    Resolution,
    apart,
    choose_wording,
    common_folder,
    confidence,
    differing,
    offers,
    rank,
    suggest,
    within,
)

__all__ = [
    "REASONS",
    "SNOOZES",
    "WITHDRAWN",
    "Resolution",
    "adjustment",
    "apart",
    "choose_wording",
    "common_folder",
    "confidence",
    "differing",
    "is_hidden",
    "offers",
    "rank",
    "reweigh",
    "suggest",
    "within",
]
