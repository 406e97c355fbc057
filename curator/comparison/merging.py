"""Make one text of two statements, as a proposal for a person to edit, and find what a statement could be merged into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from curator.comparison.duplicates import Statement, share_terms, whole_text
from curator.comparison.relations import between
from curator.comparison.statement import analyse
from curator.model import Entry, Relating, Relation

INSIGHT = 30
"""Words of a merged insight at most, where it can be."""
_CLAUSES = re.compile(r"(?<=[;.])\s+|,\s+(?=(?:so|because|since|as|but|and|or|otherwise|use|run|which)\b)")
_HANGING = re.compile(r"(?:so|because|since|as|but|and|or|otherwise|which)\b", re.IGNORECASE)
"""The beginning of a clause that means nothing without the one before it."""
Texts = tuple[str, str]
"""A headline and an insight; the insight may be empty."""


def merge(older: Entry, newer: Entry) -> Texts:
    """Return a headline and an insight for both; where they clash the newer holds.

    What a card says that the newer does to the older goes before what its words say.
    """
    known = newer.rival if newer.rival and newer.rival.other == older.id else None
    return join((older.headline, older.insight), (newer.headline, newer.insight), known)


def join(older: Texts, newer: Texts, known: Relation | None = None) -> Texts:
    """Return a text for both: the newer where it replaces or narrows, else the more exact one, with what the other adds.

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
    words = analyse(_text(texts))
    return len(words.values) * 2 + len(words.stems), len(_text(texts))


def _adding(text: str, kept: str, *, without: Sequence[str] | None = None) -> list[str]:
    """Return the text whole, or its clauses, as far as they add two words or more to what is kept and name nothing of
    ``without``.
    """
    replaced = [old.lower() for old in without or () if old]
    clauses = [part.strip(" ,;.") for part in _CLAUSES.split(text)]
    here = analyse(kept).stems
    news = ((clause, analyse(clause).stems) for clause in clauses if not _HANGING.match(clause))
    adding = [clause for clause, own in news if len(own - here) >= max(2, 0.4 * len(own))]
    if without is not None:
        if not replaced:
            return []
        return [clause for clause in adding if not any(old in clause.lower() for old in replaced)]
    return [text] if adding and len(adding) == len(clauses) else adding


def _with(text: str, clauses: Sequence[str]) -> str:
    """Return a text with as many clauses behind it as fit, each as a sentence."""
    for clause in clauses:
        together = f"{text.rstrip(' .')}. {clause[:1].upper()}{clause[1:]}"
        if len(together.split()) <= INSIGHT:
            text = together
    return text


def similar(entry: Statement, others: Iterable[Entry], limit: int) -> list[tuple[Entry, float]]:
    """Return the ``limit`` entries that ``entry`` may be merged into, most similar first, with their likeness 0 to 1."""
    text = whole_text(entry)
    mine = analyse(text)
    found = []
    for other in others:
        if other is entry or other.id == getattr(entry, "id", "") or not share_terms(text, whole_text(other)):
            continue
        theirs = analyse(whole_text(other))
        overlap = len(mine.stems & theirs.stems) / max(1, len(mine.stems | theirs.stems))
        same_files = 0.1 if set(entry.files) & set(other.files) else 0.0
        ratio = fuzz.token_set_ratio(text.lower(), whole_text(other).lower()) / 100
        found.append((other, round(min(1.0, 0.5 * ratio + 0.5 * overlap + same_files), 3)))
    return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:limit]
