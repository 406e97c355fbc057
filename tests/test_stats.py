"""Numbers are of cards, not of events."""

from __future__ import annotations

from curator.model import Verb
from curator.stats import Decision, precision


def test_a_card_counts_once_by_the_last_word_on_it() -> None:
    verdicts = [
        ("A", Verb.KEEP),
        ("A", Verb.EDIT),
        ("A", Verb.CONFIRM),
        ("B", Verb.DISMISS),
        ("B", Verb.KEEP),
        ("C", Verb.DISMISS),
    ]
    decisions = [Decision(f"batch-{n}", verb, "refusal", 1.0, id=id_) for n, (id_, verb) in enumerate(verdicts)]
    assert precision(decisions) == {"refusal": {"kept": 2, "dropped": 1, "precision": 0.667}}
