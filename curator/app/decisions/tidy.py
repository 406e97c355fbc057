"""Find groups of lessons that one rule can replace, and propose that rule on the card of the first lesson."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from curator import clock, comparison, curate
from curator.app.decisions import settling
from curator.app.merge_targets import text_for_both
from curator.model import FROM_FILE, JSON, Consolidation, Entry, Kind, Query, State, Verb

if TYPE_CHECKING:
    from curator.app.curator import Curator

MAX_GROUP = 20
"""Maximum number of lessons in a group. A person, or a model in one call, can still tell them apart."""


def groups(
    lessons: Iterable[Entry], are_akin: Callable[[Entry, Entry], bool] = comparison.can_share_a_rule
) -> list[list[Entry]]:
    """Return groups of two or more lessons that say the same or are cases of one rule, the oldest group first.

    No group holds two lessons that a person lets coexist.
    """
    found: list[list[Entry]] = []
    for lesson in lessons:
        joined, rest = [lesson], []
        for group in found:
            fits = len(group) + len(joined) <= MAX_GROUP and any(are_akin(one, lesson) for one in group)
            if fits and not any(settling.are_coexisting(one, other) for one in group for other in joined):
                joined = [*group, *joined]
            else:
                rest.append(group)
        found = [*rest, joined]
    return [group for group in found if len(group) > 1]


def propose(curator: Curator) -> list[Entry]:
    """Propose a rule on one lesson of each group, and remove the rules of changed groups. Return all lessons with a rule.

    Two lessons that say nearly the same get a merge card instead. A model's rule stays as long as its members.
    """
    lessons = active(curator)
    ids = {lesson.id for lesson in lessons}
    wanted = {one.id: one.proposal for one in lessons if one.proposal and one.proposal.by and ids >= {*one.proposal.members}}
    taken = {id_ for carrier, rule in wanted.items() if rule for id_ in (carrier, *rule.members)}
    pairs: list[str] = []
    free = by_project(lesson for lesson in lessons if lesson.id not in taken)
    for group in (group for own in free for group in groups(own)):
        if len(group) == 2 and group[1].signal != FROM_FILE and comparison.nearest(group[1], group[:1]):
            pairs.append(group[1].id)
        elif carrier := leading_lesson(group):
            wanted[carrier.id] = rule_of(carrier, [one for one in group if one is not carrier])
    changes = [curate.propose(one, wanted.get(one.id)) for one in lessons if one.proposal != wanted.get(one.id)]
    curator.store.apply([(Verb.DISTILL, change) for change in changes], actor="curator", at=clock.now())
    settling.note_conflicts(curator, pairs)
    return [*curator.lessons.entries(Query(project=curator.scope, states=(State.ACTIVE,), kind=Kind.CONSOLIDATE))]


def active(curator: Curator) -> list[Entry]:
    """Return the lessons of the current project, or of all."""
    return [*curator.lessons.entries(Query(project=curator.scope, states=(State.ACTIVE,)))]


def by_project(lessons: Iterable[Entry]) -> list[list[Entry]]:
    """Return the lessons of each project, the oldest first."""
    found: dict[str, list[Entry]] = {}
    for lesson in sorted(lessons, key=lambda one: (one.created, one.id)):
        found.setdefault(lesson.project, []).append(lesson)
    return [*found.values()]


def leading_lesson(group: Sequence[Entry]) -> Entry | None:
    """Return the lesson that takes the others in: the one stated most often; ``None`` while each of them has another card."""
    free = [one for one in group if not one.waits]
    return min(free, key=lambda one: (-one.times_stated, one.created), default=None)


def rule_of(carrier: Entry, members: Sequence[Entry]) -> Consolidation:
    """Return a rule for a lesson and others, without a model: its own words and the others' additions."""
    whole = carrier
    for member in members:
        headline, insight = text_for_both(whole, member)
        whole = whole._replace(headline=headline, insight=insight)
    return Consolidation(tuple(one.id for one in members), whole.headline, whole.insight)


def missing_words(member: Entry, rule: Consolidation) -> list[str]:
    """Return the words of a lesson that the rule does not say, each once, in their order."""
    known = comparison.content(f"{rule.headline}. {rule.insight}")
    words = re.findall(r"[^\s,;:()“”\"]+", f"{member.headline} {member.insight}")
    return list(dict.fromkeys(bare for word in words if (bare := word.strip(".!?`'")) and comparison.content(bare) - known))


def group_row(entry: Entry, rule: Consolidation, members: Sequence[Entry]) -> JSON:
    """Return a proposed rule as a JSON object, with the lessons that it would replace."""
    group = [{"id": one.id, "headline": one.headline, "loses": missing_words(one, rule)} for one in (entry, *members)]
    return {"id": entry.id, "headline": rule.headline, "insight": rule.insight, "by": rule.by, "members": group}
