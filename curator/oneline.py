"""What an agent is told of a lesson, in one line."""

from __future__ import annotations

from curator.model import Entry
from curator.terms import terms


def oneline(entry: Entry) -> str:
    """The insight, which mostly says all that the headline says; both where it does not, as where it is only the reason."""
    headline, insight = (" ".join(text.split()) for text in (entry.headline, entry.insight))
    if not insight or not headline or set(terms(headline)) <= set(terms(insight)):
        return insight or headline
    return f"{headline if headline.endswith(('.', '!', '?', ':')) else f'{headline}.'} {insight}"
