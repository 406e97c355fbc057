"""How a new statement relates to a stored one: duplicate, refines, supersedes, contradicts, or (mostly) not at all.

Retrieve wide, classify narrow: ``duplicates.terms`` says by what the store's index finds those that share something
rare; ``relate`` compares these one by one. Quiet by default: a false conflict costs a person's trust. Here is also
where in a project a statement holds, and how one text is made of two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from heapq import nlargest
from typing import Protocol

from rapidfuzz import fuzz

from curator.comparison.classifier import CONFLICTS, LONG, beside, between, elsewhere, parallel
from curator.comparison.duplicates import Terms, content, terms, touching
from curator.comparison.statement import analyse, roots
from curator.model import Entry, Relating, Relation

_IN = re.compile(r"(?i)(?:^\W*(?:in|inside|under|within)|\bcd)\s+(?:the\s+)?`?((?:[\w.@-]+/)+[\w.@*-]*)")


def apart(text: object, other: Entry) -> bool:
    """Whether the two hold in different places of the project: then they never clash."""
    mine, theirs = folders(text), folders(other)
    return bool(mine and theirs) and not any(_inside(a, b) or _inside(b, a) for a in mine for b in theirs)


def within(text: object, other: Entry) -> bool:
    """Whether ``text`` holds in only a part of where the other does."""
    if getattr(text, "scope", "project") != "global" and other.scope == "global":
        return True
    mine, theirs = folders(text), folders(other)
    if not mine or set(mine) == set(theirs):
        return False
    return not theirs or all(any(_inside(a, b) for b in theirs) for a in mine)


def folders(text: object) -> tuple[str, ...]:
    """The folders in which something holds, without wildcards; none for all. Its scope counts, else what its words say."""
    if getattr(text, "scope", "") == "paths" and (paths := getattr(text, "paths", ())):
        return tuple(_plain(path) for path in paths)
    return restriction(f"{getattr(text, 'insight', '')}" or f"{getattr(text, 'headline', '')}")


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def restriction(text: str) -> tuple[str, ...]:
    """The folders that a text restricts itself to at its beginning, or changes to; elsewhere a folder is what it speaks of.

    >>> restriction("In `web/forms/` use tabs, not spaces")
    ('web/forms',)
    """
    found: Sequence[str] = _IN.findall(text)
    return tuple(dict.fromkeys(_plain(path) for path in found if not re.search(r"\.\w{1,5}$", path)))


def _plain(path: str) -> str:
    return path.removeprefix("./").rstrip("/*")


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/") or not folder


INSIGHT = 30
"""Words of a merged insight at most, where it can be."""
_CLAUSES = re.compile(r"(?<=[;.])\s+|,\s+(?=(?:so|because|since|as|but|and|or|otherwise|use|run|which)\b)")

_HANGING = re.compile(r"(?:so|because|since|as|but|and|or|otherwise|which)\b", re.IGNORECASE)
"""What a clause begins with that means nothing without the one before it."""

Texts = tuple[str, str]
"""A headline and an insight, of which the second may be empty."""


def join(older: Texts, newer: Texts, known: Relation | None = None) -> Texts:
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
    words = analyse(_text(texts))
    return len(words.values) * 2 + len(words.stems), len(_text(texts))


def _adding(text: str, kept: str, *, without: list[str] | None = None) -> list[str]:
    """The text whole, or its clauses, as far as they add two words or more to what is kept and name nothing of ``without``."""
    replaced = [old.lower() for old in without or () if old]
    clauses = [part.strip(" ,;.") for part in _CLAUSES.split(text)]
    here = set(roots(kept))
    news = ((clause, set(roots(clause))) for clause in clauses if not _HANGING.match(clause))
    adding = [clause for clause, own in news if len(own - here) >= max(2, 0.4 * len(own))]
    if without is not None:
        if not replaced:
            return []
        return [clause for clause in adding if not any(old in clause.lower() for old in replaced)]
    return [text] if adding and len(adding) == len(clauses) else adding


def _with(text: str, clauses: list[str]) -> str:
    """A text with as many clauses behind it as fit, each as a sentence."""
    for clause in clauses:
        together = f"{text.rstrip(' .')}. {clause[:1].upper()}{clause[1:]}"
        if len(together.split()) <= INSIGHT:
            text = together
    return text


class Statement(Protocol):
    """What an entry and a candidate have in common."""

    @property
    def headline(self) -> str:
        """At most 12 words."""

    @property
    def insight(self) -> str:
        """At most 30 words, or empty."""

    @property
    def files(self) -> tuple[str, ...]:
        """Files that it speaks of."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names in the code that it speaks of."""


_WEIGHT = {Relating.SUPERSEDES: 3, Relating.CONTRADICTS: 3, Relating.DUPLICATE: 2, Relating.REFINES: 1}


EDITED = 0.7
"""Likeness from which a guess is believed: of 149 such conflicts on repositories that the model had not seen 134 were right,
of 79 below 64; see docs/relations.md."""


def relate(text: Statement, others: Iterable[Entry], *, guess: bool = True) -> Relation | None:
    """The strongest relation of a new statement to one of the stored lessons that is certain enough to ask about, or ``None``.

    A copy of a stored lesson is a duplicate whatever else it may touch; then conflicts, then refinements; then the likest.
    Where it holds in a part of the place in which the other does, it is an exception of it, no conflict. Without ``guess``
    only what needs none is told.
    """
    newer = comparison_text(text)[:LONG]
    best: tuple[tuple[int, float], Relation] | None = None
    for other in others:
        older = comparison_text(other)[:LONG]
        if _is_settled(text, other) or apart(text, other) or not touching(newer, older):
            continue
        verdict = between(older, newer, least=EDITED)
        if guess and not verdict.sure and verdict.clash and verdict.likeness >= EDITED:
            # One of them may be outdated, or both say the same: either way there should be one lesson.
            verdict = replace(verdict, relating=Relating.DUPLICATE, sure=True, partial=True)
        if verdict.relating is None or not verdict.sure or not (guess or verdict.exact):
            continue
        apart_ = elsewhere if verdict.exact else beside
        if verdict.relating in CONFLICTS and (parallel(older, newer) or apart_(older, newer)):
            continue
        relating = Relating.REFINES if verdict.relating in CONFLICTS and within(text, other) else verdict.relating
        weight = 4 if relating is Relating.DUPLICATE and verdict.likeness >= 0.9 else _WEIGHT[relating]
        plain = not verdict.partial and (verdict.exact or verdict.likeness >= EDITED)
        relation = Relation(
            other=other.id,
            relating=relating,
            clash=verdict.clash,
            likeness=verdict.likeness,
            certain=plain and relating is verdict.relating,  # an exception takes nobody's place
        )
        if best is None or (weight, verdict.likeness) > best[0]:
            best = ((weight, verdict.likeness), relation)
    return best[1] if best else None


COMMON = 0.4
"""The share of the words of the shorter of two statements that both have, where one repeats the other: of the labelled pairs of
rules that are judged so, all but one wrong one have more."""
LIKEST = 8
"""So many of those that share most words are compared."""


def find_original(text: Statement, others: Iterable[Entry]) -> str:
    """The id of the stored lesson that a statement repeats, by ``relate``; empty for none.

    Only what shares most words is compared, which costs a twentieth: conflicts with others are not looked for.
    """
    mine = content(comparison_text(text)[:LONG])
    shares = ((_common(mine, content(comparison_text(other)[:LONG])), other) for other in others)
    likest = nlargest(LIKEST, (one for one in shares if one[0] >= COMMON), key=lambda one: one[0])
    found = relate(text, [other for _, other in likest])
    return found.other if found and found.relating is Relating.DUPLICATE else ""


def _common(one: Set[str], other: Set[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _is_settled(text: Statement, other: Entry) -> bool:
    """Whether there is nothing to ask: it is the same entry, or a person has said that both hold."""
    id_ = getattr(text, "id", "")
    return (
        other is text
        or other.id == id_
        or any(other.id == beside for beside, _ in getattr(text, "coexists", ()))
        or any(id_ == beside for beside, _ in other.coexists)
    )


def merge(older: Entry, newer: Entry) -> tuple[str, str]:
    """A headline and an insight for both, as a proposal for a person to edit; where they clash the newer holds.

    What a card says that the newer does to the older goes before what its words say.
    """
    known = newer.rival if newer.rival and newer.rival.other == older.id and not newer.rival.doubtful else None
    return join((older.headline, older.insight), (newer.headline, newer.insight), known)


def similar(entry: Statement, others: Iterable[Entry], limit: int) -> list[tuple[Entry, float]]:
    """The ``limit`` stored lessons that ``entry`` may be merged into, likest first, with their likeness 0 to 1."""
    text = whole(entry)
    mine = analyse(text)
    found = []
    for other in others:
        if other is entry or other.id == getattr(entry, "id", "") or not touching(text, whole(other)):
            continue
        theirs = analyse(whole(other))
        overlap = len(mine.stems & theirs.stems) / max(1, len(mine.stems | theirs.stems))
        same_files = 0.1 if set(entry.files) & set(other.files) else 0.0
        ratio = fuzz.token_set_ratio(text.lower(), whole(other).lower()) / 100
        found.append((other, round(min(1.0, 0.5 * ratio + 0.5 * overlap + same_files), 3)))
    return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:limit]


def search_terms(statement: Statement) -> Terms:
    """By what those are looked for that a statement may relate to."""
    return terms(whole(statement), statement.files, statement.symbols)


def comparison_text(statement: Statement) -> str:
    """The words that are compared: the insight, else the headline."""
    return statement.insight or statement.headline


def whole(statement: Statement) -> str:
    """All its words: two lessons about one thing often give different reasons."""
    return f"{statement.headline}. {statement.insight}" if statement.insight else statement.headline
