"""From turns to candidates: few, each with its evidence and its reasons.

``turns → scenes (who speaks, after what) → sentences → cues → score → wording → cluster → rank``. Nothing here calls a model,
reads a file or the clock; the same turns give the same candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

from curator.detection import classifier
from curator.detection.classifier import Judge, Rules
from curator.detection.context import objects
from curator.detection.errors import errors, rediscovery
from curator.detection.passages import bag_fingerprint, cluster, fingerprint
from curator.detection.propose import find_choices, find_mendings, statements
from curator.model import Candidate, Turn

__all__ = ["bag_fingerprint", "detect", "errors", "fingerprint", "floor", "objects", "rediscovery"]


def detect(turns: Sequence[Turn], *, old_turns: int = 0, judge: Judge | None = None) -> list[Candidate]:
    """The lesson candidates of a session, best first, uncapped.

    The first ``old_turns`` turns are context that was examined before: what is said best there is not proposed again. ``judge``
    takes the place of the shipped classifier.
    """
    judge = judge or classifier.load_model() or Rules()
    proposals = [*statements(turns, judge), *find_choices(turns), *find_mendings(turns)]
    old = {proposal.candidate.evidence[0] for proposal in proposals if proposal.index < old_turns}
    return [one for one in cluster(proposal.candidate for proposal in proposals) if one.evidence[0] not in old]


def floor() -> float:
    """The score below which the judge proposes nothing."""
    return (classifier.load_model() or Rules()).floor
