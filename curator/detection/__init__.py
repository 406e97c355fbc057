"""Turn a session's turns into a few candidates, each with its evidence and reasons.

``turns → scenes (who speaks, after what) → sentences → features → score → passage and words → best first``. No part calls a
model or reads the clock, so the same turns give the same candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

from curator.detection import classifier, statements
from curator.detection.actions import choices, corrections, errors, fixed_commands, rediscovery
from curator.detection.classifier import Model
from curator.detection.context import is_objection
from curator.detection.statements import cluster, fingerprint
from curator.model import Candidate, Turn


def detect(turns: Sequence[Turn], *, old_turns: int = 0, judge: Model | None = None) -> list[Candidate]:
    """Return the lesson candidates of a session, best first, without a limit.

    The first ``old_turns`` turns are known context, and their statements are not proposed again. ``judge`` replaces the shipped
    classifier.
    """
    proposals = [*statements.propose(turns, judge or classifier.load_model()), *choices(turns), *fixed_commands(turns)]
    spoken = {proposal.index for proposal in proposals}
    proposals += [one for one in corrections(turns) if one.index not in spoken]
    old = {proposal.candidate.evidence[0] for proposal in proposals if proposal.index < old_turns}
    return [one for one in cluster(proposal.candidate for proposal in proposals) if one.evidence[0] not in old]
