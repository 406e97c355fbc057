"""The work that follows a decision: conflicts, anchors, lesson files, learning, agents' files.

A conflict is a lesson that contradicts another one that was kept, written or changed. curator does not ask again about a pair
that a person lets coexist.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from curator import clock, comparison, curate
from curator.app import deliveries, install, merge_targets, statistics, sync
from curator.app.curator import Curator
from curator.app.project.sync import Exchange
from curator.errors import CuratorError
from curator.model import MEMORY, Change, Entry, Kind, Query, Relating, Relation, State, Verb
from curator.store import backups

if TYPE_CHECKING:
    from curator.lesson_files import Refusal


def are_coexisting(one: Entry, other: Entry) -> bool:
    """Return whether the two are said to coexist, by either side: files may bring in one of them."""
    return any(id_ == other.id for id_, _ in one.coexists) or any(id_ == one.id for id_, _ in other.coexists)


def settle_relation(statement: comparison.Statement, rival: Relation | None, lessons: Sequence[Entry]) -> Relation | None:
    """Return the relation of a new statement to the stored ones, except pairs that may coexist.

    A statement that repeats one side of such a pair counts as a repetition, not as a conflict with the other side.
    """
    if rival is None or rival.relating not in (Relating.CONTRADICTS, Relating.SUPERSEDES):
        return rival
    stored = next((lesson for lesson in lessons if lesson.id == rival.other), None)
    text = statement.insight or statement.headline
    for lesson in lessons if stored else ():
        if (
            stored
            and lesson.id != stored.id
            and are_coexisting(lesson, stored)
            and comparison.same(lesson.insight or lesson.headline, text)
        ):
            return Relation(other=lesson.id, relating=Relating.DUPLICATE, likeness=1.0, certain=True)
    return rival


ASKED_RELATIONS = frozenset({Relating.CONTRADICTS, Relating.SUPERSEDES, Relating.DUPLICATE})
"""The relations that curator asks about. A lesson that adds to another may coexist with it."""


def note_conflicts(curator: Curator, ids: Iterable[str]) -> list[str]:
    """Make conflict cards of those lessons that contradict another one. Return the ids of these cards.

    A candidate is compared when it is proposed, but the other side may have been kept later, by a person or through git. A
    person has just read these words, so only certain conflicts and near repetitions become cards.
    """
    cards = []
    for deeds in _conflicts(curator, dict.fromkeys(ids)):
        if deeds:
            curator.store.apply(deeds, actor="curator", at=clock.now())
        cards += [change.id for verb, change in deeds if verb is Verb.CLASH and change.after and change.after.rival]
    return cards


def _conflicts(curator: Curator, ids: Collection[str]) -> Iterator[list[tuple[Verb, Change]]]:
    """Yield the changes for one lesson at a time. The caller applies them before the next one, since a pair has one card."""
    groups = curator.lessons.entries(Query(states=(State.ACTIVE,), kind=Kind.CONSOLIDATE))
    yield [(Verb.DISTILL, curate.propose(one, None)) for one in groups if not curator.decisions.has_rule(one)]
    for deed in orphaned_conflicts(curator, ids):
        yield [deed]
    for id_ in ids:
        entry = curator.lessons.peek(id_)
        if entry is None or entry.state is not State.ACTIVE:
            continue
        deeds = [*waiting_against(curator, entry)]
        if entry.scope == "global":
            deeds += _elsewhere_against(curator, entry)
        rival = None if entry.rival else rival_of(curator, entry)
        yield deeds if rival is None else [*deeds, (Verb.CLASH, conflict_card(curator, entry, rival))]


def orphaned_conflicts(curator: Curator, ids: Container[str]) -> Iterator[tuple[Verb, Change]]:
    """Yield the conflict cards of these entries whose other side no longer applies there, with their new rival or none."""
    for card in curator.lessons.entries(Query(kind=Kind.CONFLICT)):
        if card.rival and not card.version_of and (card.id in ids or card.rival.other in ids):
            other = curator.lessons.peek(card.rival.other)
            is_active = other is not None and other.state is State.ACTIVE
            if not (is_active and other and (other.project == card.project or "global" in (other.scope, card.scope))):
                after = card._replace(rival=None)
                yield Verb.CLASH, Change(before=card, after=after._replace(rival=rival_of(curator, after)))


def waiting_against(curator: Curator, lesson: Entry) -> Iterator[tuple[Verb, Change]]:
    """Return waiting candidates that were said after a newly kept lesson and contradict it."""
    for waiting in merge_targets.near(curator, lesson, lesson.project, State.OPEN):
        if waiting.rival is None and waiting.stated >= lesson.stated and not are_coexisting(waiting, lesson):
            found = comparison.relate(waiting, [lesson])
            if found is not None and found.relating in ASKED_RELATIONS:
                yield Verb.CLASH, Change(before=waiting, after=waiting._replace(rival=found))


def _elsewhere_against(curator: Curator, lesson: Entry) -> Iterator[tuple[Verb, Change]]:
    """Yield conflict cards of lessons of other projects that a global one contradicts or repeats."""
    for other in merge_targets.near(curator, lesson, None, State.ACTIVE):
        if other.project != lesson.project and other.rival is None and not are_coexisting(other, lesson):
            found = compare(other, [lesson])
            if found is not None and found.relating in ASKED_RELATIONS:
                yield Verb.CLASH, Change(before=other, after=curate.with_notice(other, rival=found))


def conflict_card(curator: Curator, entry: Entry, rival: Relation) -> Change:
    """Return the card for a pair. It is the card of the later statement, however late the other one was kept.

    For a lesson and a global one of another project, it is the lesson's card.
    """
    other = curator.lessons.peek(rival.other)
    is_here = other is not None and other.project == entry.project
    if other is not None and is_here and other.rival is None and other.stated > entry.stated:
        reverse = compare(other, [entry])
        if reverse is not None:
            return Change(before=other, after=curate.with_notice(other, rival=reverse))
    return Change(before=entry, after=curate.with_notice(entry, rival=rival))


def rival_of(curator: Curator, entry: Entry) -> Relation | None:
    """Return the lesson that an entry contradicts, unless a person lets both coexist or a group card asks about both."""
    every = merge_targets.near(curator, entry, entry.project, State.ACTIVE)
    groups = [{one.id, *one.proposal.members} for one in (entry, *every) if one.proposal]
    grouped = {id_ for group in groups if entry.id in group for id_ in group}
    near = [
        other
        for other in every
        if other.id not in grouped
        and other.id != entry.id
        and not are_coexisting(entry, other)
        and (other.rival is None or other.rival.other != entry.id)
    ]
    found = settle_relation(entry, compare(entry, near), near)
    return found if found is not None and found.relating in ASKED_RELATIONS else None


def compare(entry: Entry, others: Sequence[Entry]) -> Relation | None:
    """Return the lesson that an entry certainly contradicts or repeats, or else the most similar one."""
    found = comparison.relate(entry, others, guess=False)
    return found if found is not None and found.relating in ASKED_RELATIONS else comparison.nearest(entry, others)


def export(curator: Curator, folder: Path | None = None) -> Exchange:
    """Write every lesson's file, also deleted ones, and update the agents' files."""
    exchange = sync.sync(curator, folder=folder, restore=True)
    exchange.conflicts += note_conflicts(curator, exchange.active)
    if curator.settings.export:
        exchange.refusals.extend(install.refresh(curator, {curator.project.id} if curator.project else ()))
    return exchange


@dataclass(frozen=True, slots=True)
class Settlement:
    """The results of a decision's files, and the failures. The decision itself is stored in any case."""

    refusals: tuple[Refusal, ...] = ()
    """Files that were left alone: lessons that can't be understood, agents' files with broken markers."""
    failures: tuple[CuratorError, ...] = ()
    """The errors on the way, each with advice."""
    waiting: int = 0
    """The number of lessons in the inbox because nobody here has accepted their repository."""
    conflicts: int = 0
    said: tuple[str, ...] = ()
    """Further sentences that a person should know."""


def settle(curator: Curator, ids: Sequence[str], *, learn: bool = True) -> Settlement:
    """Do the slow work after a decision. Return its results: anchors of new lessons, changed lesson files, learning.

    ``learn=False`` leaves learning to the end of a review session, because it moves the cards in the list. A failed step raises
    nothing, because the decision is already stored.
    """
    failures: dict[str, CuratorError] = {}
    exchanges: list[Exchange] = []
    refusals: list[Refusal] = []
    with _collect(failures):
        note_conflicts(curator, ids)
    with _collect(failures):
        exchanges += sync.settle_files(curator, ids)
        note_conflicts(curator, [id_ for one in exchanges for id_ in one.active])
    if learn:
        with _collect(failures):
            statistics.learn(curator)
    with _collect(failures):
        deliveries.of_decisions(curator, ids)
    said: list[str] = []
    if curator.store.entries.has_signal(MEMORY):
        from curator.app import memory_edits, note_cards  # most people have no card of a note

        with _collect(failures):
            said, left = memory_edits.apply_decisions(curator, ids)
            failures |= {str(error): error for error in left}
        if curator.settings.reads_memories:
            with _collect(failures):
                note_cards.settle(curator, ids)
    if curator.settings.export:
        with _collect(failures):
            refusals = install.refresh(curator, _projects_in_reach(curator, ids))
    with _collect(failures):
        backups.back_up(curator.store.connection, curator.store.path)
    failures |= {str(error): error for one in exchanges for error in one.failures}
    return Settlement(
        refusals=(*(item for one in exchanges for item in one.refusals), *refusals),
        failures=tuple(failures.values()),
        waiting=sum(one.waiting for one in exchanges),
        conflicts=sum(len(one.conflicts) for one in exchanges),
        said=tuple(said),
    )


@contextmanager
def _collect(failures: dict[str, CuratorError]) -> Iterator[None]:
    """Collect each error once for the report."""
    try:
        yield
    except CuratorError as error:
        failures[str(error)] = error


def _projects_in_reach(curator: Curator, ids: Sequence[str]) -> frozenset[str]:
    """Return the projects whose agents may notice a change of these lessons. A lesson that is or was global concerns all
    projects.
    """
    entries = [entry for id_ in ids if (entry := curator.lessons.peek(id_))]
    last = [event for entry in entries for event in curator.lessons.history(entry.id)[-1:]]
    once = [entry for entry, event in zip(entries, last, strict=False) if (event.before or {}).get("scope") == "global"]
    return curator.projects_of([*entries, *(entry._replace(scope="global") for entry in once)])
