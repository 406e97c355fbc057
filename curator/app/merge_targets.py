"""The entries that an entry could be merged into, how similar the two are, and the resulting text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator import comparison
from curator.app.lessons import View
from curator.model import Candidate, Entry, Relating, Relation, State

MIN_MERGE_LIKENESS = 0.4
"""Minimum likeness to offer a merge, whatever the judge says. Of unrelated pairs from the index, 7 % reach it."""
MIN_NEAREST_LIKENESS = 0.35
"""Minimum likeness to offer a merge to a person who asks again: 86 % of labelled duplicates reach it, and 23 % of unrelated
pairs."""
MAX_COMPARED = 24
"""The number of entries compared with a statement, of those that share something rare with it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A lesson that an entry could be merged into, their likeness (0 to 1), and the resulting text.

    ``relating`` is the entry's relation to it, if that is known or a comparison of the words finds it.
    """

    entry: Entry
    likeness: float
    headline: str
    insight: str
    relating: Relating | None = None


def near(view: View, text: Candidate | Entry, project: str | None, *states: State) -> list[Entry]:
    """Return the entries of a project, or of all, that share the rarest words and names with a statement, most similar first.

    Only entries in these states count.
    """
    terms = comparison.search_terms(text)
    return view.store.full_text.find(terms.words, project, states, MAX_COMPARED, rivals=terms.rivals)


def repeated(view: View, candidate: Candidate, project: str) -> str:
    """Return the lesson of a project that already says this. Return an empty text if there is none."""
    rival = comparison.relate(candidate, near(view, candidate, project, State.ACTIVE))
    return rival.other if rival is not None and rival.repeats else ""


def alike(view: View, entry: Entry, limit: int = 3) -> list[Target]:
    """Return the entries most similar to an entry, best first. They are its rival, and entries that share most words or are
    judged similar.
    """
    found = of_entry(view, entry, 3 * limit)
    return [target for target in found if target.likeness >= MIN_MERGE_LIKENESS or target.relating is not None][:limit]


def nearest(view: View, entry: Entry) -> list[Target]:
    """Return the entries that may say the same as an entry although curator does not judge them similar, best first."""
    return [target for target in of_entry(view, entry) if target.likeness >= MIN_NEAREST_LIKENESS]


def of_entry(view: View, entry: Entry, limit: int = 3, *, among: Sequence[str] = ()) -> list[Target]:
    """Return the possible targets of a merge: the rival first, then the most similar entries. ``among`` names the choice."""
    entries = [other for id_ in among if (other := view.store.entries.get(id_))]
    others = entries if among else near(view, entry, entry.project, State.ACTIVE, State.OPEN)
    others = [other for other in others if other.id != entry.id]
    found = [(other, likeness) for other, likeness in comparison.similar(entry, others, limit=limit) if likeness > 0]
    if among and not found:
        found = [(other, 0.0) for other in others[:limit]]
    if entry.rival and all(other.id != entry.rival.other for other, _ in found):
        rival = view.store.entries.get(entry.rival.other)
        found = [(rival, entry.rival.likeness), *found][:limit] if rival else found
    found.sort(key=lambda pair: (bool(entry.rival and pair[0].id == entry.rival.other), pair[1]), reverse=True)
    return [Target(other, likeness, *text_for_both(other, entry), relation(other, entry)) for other, likeness in found]


def of_group(view: View, ids: Sequence[str], limit: int = 9) -> list[Target]:
    """Return each of these entries as the target of the others, stored lessons first, with the resulting text.

    Its likeness is that of the least similar one. It has ``relating`` only if all are related to it, or one contradicts it.
    """
    entries = [entry for id_ in ids if (entry := view.store.entries.get(id_))]
    found = []
    for target in sorted(entries, key=lambda entry: entry.state is not State.ACTIVE)[:limit]:
        whole = target
        for other in entries:
            if other is not target:
                headline, insight = text_for_both(whole, other)
                whole = whole._replace(headline=headline, insight=insight)
        others = [other for other in entries if other is not target][:limit]
        likeness = {other.id: share for other, share in comparison.similar(target, others, limit=limit)}
        least = min((likeness.get(other.id, 0.0) for other in others), default=0.0)
        found.append(Target(target, least, whole.headline, whole.insight, _relation(target, others)))
    return found


def _relation(target: Entry, others: Sequence[Entry]) -> Relating | None:
    relations = [relation(target, other) for other in others]
    if Relating.CONTRADICTS in relations:
        return Relating.CONTRADICTS
    return relations[0] if relations and None not in relations else None


def relation(target: Entry, other: Entry) -> Relating | None:
    """Return the relation of an entry to a possible merge target, from the card of either one, or else from their words."""
    for one, two in ((other, target), (target, other)):
        if one.rival and one.rival.other == two.id:
            return one.rival.relating
    found = comparison.between(comparison.comparison_text(target), comparison.comparison_text(other))
    return (
        None if found.partial and found.likeness >= comparison.MIN_NEAR_LIKENESS else found.relating
    )  # a part of it denies: a guess


def text_for_both(target: Entry, other: Entry) -> tuple[str, str]:
    """Return the proposed headline and insight of a target that absorbs another entry.

    A lesson keeps its own words, followed by the other's additions. There are two exceptions: the other says all of it and
    more, or the other's card says which words give way. Of two candidates, the newer one's words count more.
    """
    card = other.rival if other.rival and other.rival.other == target.id else None
    says_more = comparison.between(*map(comparison.comparison_text, (target, other))).relating is Relating.REFINES
    if says_more or (card and (card.clash or card.relating in (Relating.SUPERSEDES, Relating.REFINES))):
        return comparison.merge(target, other)
    if target.state is not State.ACTIVE:
        older, newer = sorted((target, other), key=lambda entry: entry.created)
        return comparison.merge(older, newer)
    stays = Relation(other=other.id, relating=Relating.REFINES)
    return comparison.merge(other, target._replace(rival=stays))
