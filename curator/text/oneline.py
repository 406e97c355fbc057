"""What a lesson says, in one line."""

from __future__ import annotations

from curator.model import Entry, Wording
from curator.text.tokens import terms


def oneline(words: Entry | Wording) -> str:
    """The insight, which mostly says all that the headline says; both where it does not, as where it is only the reason."""
    headline, insight = (" ".join(text.split()) for text in (words.headline, words.insight))
    if not insight or not headline or states(words):
        return insight or headline
    return f"{headline if headline.endswith(('.', '!', '?', ':')) else f'{headline}.'} {insight}"


def states(words: Entry | Wording) -> bool:
    """Whether the insight has every word of the headline, so that it is told alone."""
    return set(terms(words.headline)) <= set(terms(words.insight))
