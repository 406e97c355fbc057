"""Make one text of two that say much the same, or of which the newer changes the older."""

from __future__ import annotations

import re

from curator.comparison.classifier import between
from curator.comparison.statement import analysed, roots
from curator.model import Relating, Relation

INSIGHT = 30
"""Words of a merged insight at most, where it can be."""
_CLAUSES = re.compile(r"(?<=[;.])\s+|,\s+(?=(?:so|because|since|as|but|and|or|otherwise|use|run|which)\b)")

_HANGING = re.compile(r"(?:so|because|since|as|but|and|or|otherwise|which)\b", re.IGNORECASE)
"""What a clause begins with that means nothing without the one before it."""

Texts = tuple[str, str]
"""A headline and an insight, of which the second may be empty."""


def joined(older: Texts, newer: Texts, known: Relation | None = None) -> Texts:
    """Headline and insight for both: the newer where it replaces or narrows, else the more exact one, with what the other adds.

    An old value never survives beside the new one: of a text that is replaced only clauses that the newer leaves alone stay.
    ``known``: what the newer is known to do to the older; judged by their words where it is not.
    """
    verdict = known or between(_text(older), _text(newer))
    if verdict.relating in (Relating.SUPERSEDES, Relating.CONTRADICTS):
        old = [old for old, _ in verdict.clash]
        return newer[0] or older[0], _with(_text(newer), _adding(_text(older), _text(newer), without=old))
    if verdict.relating is Relating.REFINES:
        return newer[0] or older[0], _with(_text(newer), _adding(_text(older), _text(newer)))
    exact, other = sorted((older, newer), key=_exactness, reverse=True)
    return exact[0] or other[0], _with(_text(exact), _adding(_text(other), _text(exact)))


def _text(texts: Texts) -> str:
    return texts[1] or texts[0]


def _exactness(texts: Texts) -> tuple[int, int]:
    words = analysed(_text(texts))
    return len(words.values) * 2 + len(words.stems), len(_text(texts))


def _adding(text: str, kept: str, *, without: list[str] | None = None) -> list[str]:
    """The text whole, or its clauses, as far as they add two words or more to what is kept and name nothing of ``without``."""
    replaced = [old.lower() for old in without or () if old]
    clauses = [part.strip(" ,;.") for part in _CLAUSES.split(text)]
    here = set(roots(kept))
    adding = [clause for clause in clauses if not _HANGING.match(clause) and _news(set(roots(clause)), here)]
    if without is not None:
        if not replaced:
            return []
        return [clause for clause in adding if not any(old in clause.lower() for old in replaced)]
    return [text] if adding and len(adding) == len(clauses) else adding


def _news(clause: set[str], here: set[str]) -> bool:
    return len(clause - here) >= max(2, 0.4 * len(clause))


def _with(text: str, clauses: list[str]) -> str:
    """A text with as many clauses behind it as fit, each as a sentence."""
    for clause in clauses:
        together = f"{text.rstrip(' .')}. {clause[:1].upper()}{clause[1:]}"
        if len(together.split()) <= INSIGHT:
            text = together
    return text
