"""From turns to candidates: few, each with its evidence and its reasons.

``turns → scenes (who speaks, after what) → sentences → cues → score → wording → cluster → rank``. Nothing here calls a model,
reads a file or the clock; the same turns give the same candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

from curator.detection import classifier
from curator.detection.classifier import Judge, Rules
from curator.detection.context import objects
from curator.detection.errors import errors, rediscovered
from curator.detection.passages import bagged, clustered, fingerprint
from curator.detection.propose import chosen, mended, statements
from curator.model import Candidate, Turn

__all__ = ["bagged", "detect", "errors", "fingerprint", "floor", "objects", "rediscovered"]


def detect(turns: Sequence[Turn], *, seen: int = 0, judge: Judge | None = None) -> list[Candidate]:
    """The lesson candidates of a session, best first, uncapped.

    The first ``seen`` turns are context that was examined before: what is said best there is not proposed again. ``judge``
    takes the place of the shipped classifier.
    """
    judge = judge or classifier.shipped() or Rules()
    proposals = [*statements(turns, judge), *chosen(turns), *mended(turns)]
    old = {proposal.candidate.evidence[0] for proposal in proposals if proposal.index < seen}
    return [one for one in clustered(proposal.candidate for proposal in proposals) if one.evidence[0] not in old]


def floor() -> float:
    """The score below which the judge proposes nothing."""
    return (classifier.shipped() or Rules()).floor
