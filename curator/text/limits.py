"""How long the words of a lesson may be that nobody has typed.

What a person types is not cut: they have seen it. What comes in from elsewhere is, and says so.
"""

from __future__ import annotations

from dataclasses import replace

from curator.model import Candidate, Wording

HEADLINE = 160
INSIGHT = 400
WHEN = 200
"""Characters of a headline, of an insight, and of what is said of when it applies."""


def cut(text: str, most: int) -> str:
    """At most ``most`` characters of a text, to the end of a word, with a mark that says how long it was.

    >>> cut("keep the retry in the client and nowhere else", 40)
    'keep the retry in … (cut: 45 characters)'
    >>> cut("keep it", 40)
    'keep it'
    """
    if len(text) <= most:
        return text
    mark = f" … (cut: {len(text):,} characters)"
    room = max(0, most - len(mark))
    end = text.rfind(" ", room // 2, room + 1)
    return text[: end if end > 0 else room].rstrip() + mark


def cut_candidate(candidate: Candidate) -> Candidate:
    """A candidate of which all that a verdict can keep is short enough to be read."""
    return replace(
        candidate,
        headline=cut(candidate.headline, HEADLINE),
        insight=cut(candidate.insight, INSIGHT),
        context=cut(candidate.context, WHEN),
        wordings=tuple(map(cut_wording, candidate.wordings)),
    )


def cut_wording(wording: Wording) -> Wording:
    """A wording that is short enough to be read."""
    return replace(wording, headline=cut(wording.headline, HEADLINE), insight=cut(wording.insight, INSIGHT))
