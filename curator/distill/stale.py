"""The question to a model whether a lesson applies to changed code: the prompt, and the check of its answer."""

from __future__ import annotations

from collections.abc import Sequence

from curator.distill import answer
from curator.distill.digest import instruction
from curator.distill.gate import HEADLINE, INSIGHT, names, normalize_for_matching, size
from curator.model import Advice, Applicability
from curator.text import clean, redact, warnings

DIFF, COMMITS = 6_000, 10
"""Maximum characters of a sent diff, and maximum number of commit subjects."""
QUOTE = 6
"""Letters and signs of a line that shows something, at least."""


def prompt(headline: str, insight: str, diffs: Sequence[str], commits: Sequence[str]) -> str:
    """Return the prompt about a lesson; texts come masked."""
    change = "\n".join(diffs)[:DIFF]
    subjects = "\n".join(f"* {subject}" for subject in commits[:COMMITS])
    parts = (instruction("stale.md"), f"The lesson: {headline}\n{insight}", f"What changed:\n{change}")
    return "\n\n".join((*parts, *((f"Commits:\n{subjects}",) if subjects else ()))) + "\n"


def read(reply: str, by: str, asked: str) -> Advice:
    """Return the advice in an answer to ``asked``. Raises ``ValueError`` if there is none, or if it quotes unsent text."""
    found = next(answer.objects(reply, "verdict"), {})
    verdict, quote, headline, insight = (found.get(key) for key in ("verdict", "quote", "headline", "insight"))
    if not isinstance(verdict, str) or verdict not in list(Applicability):
        raise ValueError("the answer says neither holds, reword nor gone")
    line = _line_of(quote if isinstance(quote, str) else "", asked)
    if not line:
        raise ValueError("its quote is no line of what changed")
    if verdict != Applicability.REWORD:
        return Advice(Applicability(verdict), line, by)
    return Advice(Applicability.REWORD, line, by, *fit_words(headline, insight, asked))


def fit_words(headline: object, insight: object, known: str) -> tuple[str, str]:
    """Return a model's headline and insight in their stored form. Raises ``ValueError`` for words that are not fit to be sent.

    Each name in them must occur in ``known``.
    """
    words = [" ".join(clean.strip(one if isinstance(one, str) else "").split()) for one in (headline, insight)]
    if not words[0] or size(words[0]) > HEADLINE or size(words[1]) > INSIGHT:
        raise ValueError("the new words are missing or too long")
    text = "\n".join(words)
    if redact.mask(text) != text or warnings.find(text):
        raise ValueError("the new words are not fit for an agent")
    source = normalize_for_matching(known)
    for name in (one for part in words for one in names(part)):
        if normalize_for_matching(name) not in source:
            raise ValueError(f"the new words name what was not sent: {name}")
    return words[0].rstrip("."), words[1] or words[0]


def _line_of(quote: str, asked: str) -> str:
    """Return the line of the change that a quote copies, without the sign of a diff; empty if there is none."""
    target = normalize_for_matching(quote.lstrip("+-"))
    change = asked.partition("What changed:\n")[2].splitlines()
    lines = (line for line in change if line[:1] in ("+", "-", " ") and not line.startswith(("+++", "---")))
    found = (line[1:].strip() for line in lines if len(target) >= QUOTE and target in normalize_for_matching(line))
    return next(found, "")
