"""The entries that an entry could be merged into, how similar the two are, and the resulting text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator import comparison
from curator.app.lessons import View
from curator.model import Candidate, Entry, Relating, Relation, State

MIN_MERGE_LIKENESS = 0.4
"""Likeness from which a merge is offered, whatever the judge says: 7 in 100 unrelated pairs that the index finds have it."""
MAX_COMPARED = 24
"""The number of entries compared with a statement, of those that share something rare with it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A lesson that an entry could be merged into, their likeness (0 to 1), and the resulting text.

    ``relating`` is the entry's relation to it, where that is known or a judge of words sees it.
    """

    entry: Entry
    likeness: float
    headline: str
    insight: str
    relating: Relating | None = None


def near(view: View, text: Candidate | Entry, project: str | None, *states: State) -> list[Entry]:
    """Return the entries of a project (or of all) in these states that share rare words and names with a statement."""
    terms = comparison.search_terms(text)
    return view.store.full_text.find(terms.words, project, states, MAX_COMPARED, rivals=terms.rivals)


def repeated(view: View, candidate: Candidate, project: str) -> str:
    """Return the lesson of a project that says this already; empty where none does."""
    rival = comparison.relate(candidate, near(view, candidate, project, State.ACTIVE))
    return rival.other if rival is not None and rival.repeats else ""


def alike(view: View, entry: Entry, limit: int = 3) -> list[Target]:
    """Return what says nearly the same as an entry, likest first: its rival, and what shares most of its words or is
    judged so.
    """
    found = of_entry(view, entry, 3 * limit)
    return [target for target in found if target.likeness >= MIN_MERGE_LIKENESS or target.relating is not None][:limit]


def of_entry(view: View, entry: Entry, limit: int = 3, *, among: Sequence[str] = ()) -> list[Target]:
    """Return what an entry could be merged into: its rival first, then what is most alike; ``among`` names the choice."""
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
    """Return each of these entries as the target of all the others, stored lessons first, with the text that would result.

    As alike as the least alike of the others is; ``relating`` only if all of them are related to it, or one contradicts it.
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
    """Return what an entry does to another one that it could be merged into: what either one's card says, or else their
    words.
    """
    for one, two in ((other, target), (target, other)):
        if one.rival and one.rival.other == two.id:
            return one.rival.relating
    found = comparison.between(comparison.comparison_text(target), comparison.comparison_text(other))
    return None if found.partial and found.likeness >= comparison.NEARLY else found.relating  # a part of it denies: a guess


def text_for_both(target: Entry, other: Entry) -> tuple[str, str]:
    """Return the headline and insight to propose for a target that takes in another.

    A lesson's own words stay, with what the other adds behind them, unless the other's card says what of them gives way. Of two
    candidates the newer's words count more.
    """
    card = other.rival if other.rival and other.rival.other == target.id else None
    if card and (card.clash or card.relating in (Relating.SUPERSEDES, Relating.REFINES)):
        return comparison.merge(target, other)
    if target.state is not State.ACTIVE:
        older, newer = sorted((target, other), key=lambda entry: entry.created)
        return comparison.merge(older, newer)
    stays = Relation(other=other.id, relating=Relating.REFINES)
    return comparison.merge(other, target._replace(rival=stays))
