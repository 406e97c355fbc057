"""Find groups of lessons that one rule can replace, and propose that rule on the card of the first lesson."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from typing import TYPE_CHECKING

from curator import clock, comparison, curate
from curator.app.decisions import settling
from curator.app.merge_targets import near, text_for_both
from curator.model import JSON, Category, Consolidation, Entry, Kind, Query, State, Verb
from curator.text.words import terms, word_set

if TYPE_CHECKING:
    from curator.app.curator import Curator

MAX_GROUP = 20
"""Maximum number of lessons in a group. A person, or a model in one call, can still tell them apart."""
_LINKING = word_set("since because both while else otherwise")
PROJECTS = 3
"""Number of projects with the same convention from which curator offers it as global."""


def groups(
    lessons: Iterable[Entry],
    are_akin: Callable[[Entry, Entry], bool] = comparison.can_share_a_rule,
    joins: Callable[[Iterable[bool]], bool] = all,
) -> list[list[Entry]]:
    """Return groups of two or more lessons that say the same or are cases of one rule, the oldest group first.

    A lesson joins a group if it is akin to all of its lessons, or with ``any`` to one of them. No group holds two lessons that
    a person lets coexist.
    """
    found: list[list[Entry]] = []
    for lesson in lessons:
        for group in found:
            fits = len(group) < MAX_GROUP and joins(are_akin(one, lesson) for one in group)
            if fits and not any(settling.are_coexisting(one, lesson) for one in group):
                group.append(lesson)
                break
        else:
            found.append([lesson])
    return [group for group in found if len(group) > 1]


def propose(curator: Curator) -> list[Entry]:
    """Propose a rule on one lesson of each group, and remove the rules of changed groups. Return all lessons with a rule.

    Two lessons that say nearly the same get a merge card instead. A model's rule stays as long as the words of its lessons.
    A convention of three projects gets a rule, too, which makes it global.
    """
    lessons = active(curator)
    ids = {lesson.id for lesson in lessons}
    wanted = {one.id: one.proposal for one in lessons if one.proposal and one.proposal.by and curator.decisions.has_rule(one)}
    taken = {id_ for carrier, rule in wanted.items() if rule for id_ in (carrier, *rule.members)}
    taken.update(id_ for one in _carriers(curator) if one.id not in ids and one.proposal for id_ in one.proposal.members)
    pairs: list[str] = []
    free = by_project(lesson for lesson in lessons if lesson.id not in taken)
    for group in (group for own in free for group in groups(own)):
        taken.update(one.id for one in group)
        if len(group) == 2 and comparison.nearest(group[1], group[:1]):
            pairs.append(group[1].id)
        elif carrier := leading_lesson(group):
            wanted[carrier.id] = rule_of(carrier, [one for one in group if one is not carrier])
    for one in lessons if len(curator.projects()) >= PROJECTS else ():
        if one.id not in wanted and (shared := _shared_rule(curator, one, taken)):
            wanted[one.id] = shared
            taken.update((one.id, *shared.members))
    by_id = {lesson.id: lesson for lesson in lessons}
    for id_, rule in wanted.items():
        if rule:
            members = [by_id[member] for member in rule.members if member in by_id]
            wanted[id_] = rule._replace(copies=_copies(by_id[id_], members))
    group_of = {id_: {carrier, *rule.members} for carrier, rule in wanted.items() if rule for id_ in (carrier, *rule.members)}
    changes = [curate.propose(one, wanted.get(one.id), group=group_of.get(one.id, ())) for one in lessons]
    changes = [change for change in changes if change.before != change.after]
    curator.store.apply([(Verb.DISTILL, change) for change in changes], actor="curator", at=clock.now())
    settling.note_conflicts(curator, pairs)
    return _carriers(curator, curator.scope)


def _copies(carrier: Entry, members: Sequence[Entry]) -> tuple[str, ...]:
    """Return the members that say nearly the same as the carrier. Agents need only one of them."""
    found = groups([carrier, *members], lambda one, other: comparison.nearest(one, [other]) is not None, any)
    return tuple(one.id for group in found if carrier in group for one in group if one is not carrier)


def _carriers(curator: Curator, project: str | None = None) -> list[Entry]:
    """Return the lessons with a proposed rule, of a project or of all."""
    return [*curator.lessons.entries(Query(project=project, states=(State.ACTIVE,), kind=Kind.CONSOLIDATE))]


def _shared_rule(curator: Curator, lesson: Entry, taken: Set[str]) -> Consolidation | None:
    """Return the rule for a convention that this project and two others keep; ``None`` if it is not one."""
    if not _may_be_shared(lesson) or lesson.id in taken:
        return None
    found: dict[str, Entry] = {}
    for other in near(curator, lesson, None, State.ACTIVE):
        is_elsewhere = other.project != lesson.project and other.id not in taken
        if is_elsewhere and _may_be_shared(other) and comparison.nearest(other, [lesson]):
            found.setdefault(other.project, other)
    return rule_of(lesson, [*found.values()]) if len(found) + 1 >= PROJECTS else None


def _may_be_shared(lesson: Entry) -> bool:
    return lesson.category is Category.CONVENTION and lesson.scope == "project" and not lesson.waits


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
    """Return the lesson that takes the others in: the one stated most often; ``None`` while each of them has another card.

    A card that asks if one of them repeats another does not count, since the group asks that.
    """
    ids = {one.id for one in group}
    free = [one for one in group if not one.waits or (one.rival and one.rival.repeats and one.rival.other in ids)]
    return min(free, key=lambda one: (-one.times_stated, one.created), default=None)


def rule_of(carrier: Entry, members: Sequence[Entry]) -> Consolidation:
    """Return a rule for a lesson and others, without a model: its own words and the others' additions.

    The words of a member that says all of it in fewer words take their place.
    """
    whole = carrier
    for member in members:
        headline, insight = text_for_both(whole, member)
        older, newer = map(comparison.comparison_text, (whole, member))
        if comparison.content(older) <= comparison.content(newer) and len(member.insight) < len(insight):
            headline, insight = member.headline, member.insight
        whole = whole._replace(headline=headline, insight=insight)
    words = curate.checksum((carrier, *members))
    return Consolidation(tuple(one.id for one in members), whole.headline, whole.insight, words=words)


def missing_words(member: Entry, rule: Consolidation) -> list[str]:
    """Return the words of a lesson that the rule does not say, each once, in their order."""
    known = comparison.content(f"{rule.headline}. {rule.insight}")
    words = re.findall(r"[^\s,;:()“”\"]+", f"{member.headline} {member.insight}")
    bare = dict.fromkeys(word.strip(".!?`'") for word in words)
    return [word for word in bare if word.lower() not in _LINKING and terms(word) and comparison.content(word) - known]


def group_row(entry: Entry, rule: Consolidation, members: Sequence[Entry]) -> JSON:
    """Return a proposed rule as a JSON object, with the lessons that it would replace."""
    scope = "global" if curate.is_shared(entry, members) else entry.scope
    group = [{"id": one.id, "headline": one.headline, "loses": missing_words(one, rule)} for one in (entry, *members)]
    return {"id": entry.id, "headline": rule.headline, "insight": rule.insight, "by": rule.by, "scope": scope, "members": group}
