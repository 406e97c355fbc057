"""Offer one rule for a group of lessons, and the retirement of lessons that agents do not need.

The card of the first lesson of a group proposes the rule. A lesson may go because it was never sent, or was sent and repeated
anyway, or because a linter checks it. Only clear settings of linters count. A rule of Ruff must be selected and nowhere
ignored. A rule of ESLint must be an error wherever its settings name it. These settings are often a program, which curator
reads as text and never runs. The lesson must name the rule, and not an exception from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator import clock, comparison, curate
from curator.app.decisions import settling
from curator.app.figures import statistics
from curator.app.merge_targets import near, text_for_both
from curator.io import git
from curator.model import JSON, Category, Consolidation, Durability, Entry, Kind, Query, State, Verb
from curator.settings import DAY_SECONDS
from curator.text.words import pluralize, terms, word_set

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
    """Return the rule for a convention that this project and two others follow. Return ``None`` if it is not one."""
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
    """Return the lesson that takes the others in: the one stated most often. Return ``None`` while each has another card.

    A card that asks if one of them repeats another does not count, because the group asks that.
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


MAX_OFFERS = 10
"""Lessons that are offered at a time."""
IDLE_DAYS = 90
"""The number of days with work in a lesson's files after which it is significant that the lesson was never sent."""
OFTEN, AGAIN = 5, 2
"""How often a lesson was sent, and how many sessions repeated it anyway, before curator offers to retire it."""


def offer(curator: Curator) -> int:
    """Store the reason on each lesson that is offered, and remove old reasons. Return the number of offers.

    curator offers a lesson on which a person decided in the last 90 days only if a linter checks it since then. If a project
    has more lessons than ``max_lessons``, those that helped and were sent least follow, unless a person confirmed them.
    """
    now, fared, projects = clock.now(), statistics.outcomes(curator), curator.projects()
    worked = {id_: curator.store.deliveries.last_work(id_) for id_ in projects}
    every = active(curator)
    lessons = [entry for entry in every if entry.kind is Kind.LESSON]
    idle = (one for one in lessons if now - one.updated > IDLE_DAYS * DAY_SECONDS)
    reasons = {one.id: reason(one, fared.get(one.id, statistics.DeliveryStats()), worked.get(one.project, {})) for one in idle}
    for own in by_project(lessons):
        reasons |= enforcements(projects[own[0].project].folder, own)
    chosen = {id_: said for id_, said in reasons.items() if said}
    kept = dict(sorted(chosen.items(), key=lambda pair: "never" in pair[1])[:MAX_OFFERS])
    for own in by_project(every):
        kept |= _surplus(curator.settings.max_lessons, own, kept, fared)
    changes = [curate.offer(one, kept.get(one.id, "")) for one in lessons if one.offer != kept.get(one.id, "")]
    curator.store.apply([(Verb.DISTILL, one) for one in changes], actor="curator", at=now)
    return len(kept)


def _surplus(
    most: int, every: Sequence[Entry], offered: Mapping[str, str], fared: Mapping[str, statistics.DeliveryStats]
) -> dict[str, str]:
    """Return the lessons of a project that helped and were sent least, with the reason: as many as it has beyond ``most``."""
    surplus = len(every) - most - sum(one.id in offered for one in every) if most else 0
    unconfirmed = (one for one in every if one.kind is Kind.LESSON and one.updated <= max(one.kept, one.created))
    free = [one for one in unconfirmed if one.id not in offered and one.durability is not Durability.PINNED]
    found = {one.id: fared.get(one.id, statistics.DeliveryStats()) for one in free}
    free.sort(key=lambda one: (_worth(found[one.id]), one.times_stated, one.stated))
    why = f"the project has {len(every):,} lessons, more than {most:,}; this one helped little"
    chosen = free[: max(0, min(surplus, MAX_OFFERS - len(offered)))]
    return {one.id: f"{why}: {statistics.sentence(found[one.id]) or 'never sent'}" for one in chosen}


def _worth(fared: statistics.DeliveryStats) -> tuple[float, int]:
    return fared.helped - fared.ignored - fared.hurt, fared.times


def reason(entry: Entry, fared: statistics.DeliveryStats, worked: Mapping[str, float]) -> str:
    """Return the reason why agents do not need a lesson. It is empty if they do. ``worked``: the last work in each file."""
    if fared.times >= OFTEN and fared.again >= AGAIN:
        return f"sent {fared.times} times, and repeated all the same in {pluralize(fared.again, 'session')}"
    last = max((worked.get(file, 0.0) for file in entry.files), default=0.0)
    days = int((last - (entry.kept or entry.created)) / DAY_SECONDS)
    return f"never sent in {days} days of work in its files" if not fared.times and days >= IDLE_DAYS else ""


MAX_COMMITS, MAX_BYTES = 30, 1 << 16
"""Commits of a settings file that are read, the newest ones, and bytes of a file: a longer one says nothing."""
_EXEMPTS = re.compile(r"(?i)\b(?:ignor|disabl|suppress|noqa|except|exempt|allow|skip|silenc|turn(?:ed)? off|no-restricted-)")
"""Words of an exception, and ESLint's rules whose name does not say what they forbid."""


def enforcements(folder: str, lessons: Iterable[Entry]) -> dict[str, str]:
    """Return the linter, the rule and the commit since which it checks a lesson, by the lesson's id.

    The commit is later than the last decision on the lesson.
    """
    texts = {one.id: (f"{one.headline} {one.insight}", one.updated) for one in lessons}
    content = cache(partial(_content, folder))
    found: dict[str, str] = {}
    for linter, (files, name_of_rule, is_on) in LINTERS.items():
        for file in (file for file in files if Path(folder, file).is_file()):
            log = git.ask(folder, "log", f"-{MAX_COMMITS}", "--format=%h %ct", "--", file)
            commits = [(id_, float(at)) for id_, at in map(str.split, (log or "").splitlines())]
            for id_, (text, updated) in texts.items() if commits else ():
                later = [commit for commit, at in commits if at > updated]
                for rule in () if _EXEMPTS.search(text) else dict.fromkeys(name_of_rule.findall(text)):
                    if commit := _first(lambda *name, rule=rule, is_on=is_on: is_on(content(*name), rule), later, file, files):
                        found[id_] = f"{linter} checks {rule} since commit {commit}"
    return found


def _first(has_rule: Callable[[str, str], bool], commits: Iterable[str], file: str, files: Iterable[str]) -> str:
    """Return the commit that turned on a rule that is on in the newest one. It is empty if it is off, or was on before.

    A rule that only moved from another one of the linter's ``files`` was on before.
    """
    for commit in commits:
        if not has_rule(commit, file):
            return ""
        if not has_rule(f"{commit}^", file):
            return "" if any(has_rule(f"{commit}^", other) for other in files) else commit
    return ""


def _content(folder: str, commit: str, file: str) -> str:
    """Return a file's content in a commit. It is empty if the file was missing or is too long."""
    name = f"{commit}:./{file}"
    size = int(git.ask(folder, "cat-file", "-s", name) or 0)
    return (git.ask(folder, "cat-file", "blob", name) or "") if size <= MAX_BYTES else ""


def _has_ruff(text: str, rule: str) -> bool:
    try:
        data: Mapping[str, Any] = tomllib.loads(text)
        data = data.get("tool", {}).get("ruff", {}) or (data if "tool" not in data else {})
        data = {**data, **data.get("lint", {})}
        chosen = [*data.get("select", ()), *data.get("extend-select", ())]
        ignored = [*data.get("ignore", ()), *data.get("extend-ignore", ())]
        ignored += [one for ones in data.get("per-file-ignores", {}).values() for one in ones]
    except (tomllib.TOMLDecodeError, AttributeError, TypeError, RecursionError):
        return False
    return any(_covers(one, rule) for one in chosen) and not any(_covers(one, rule) for one in ignored)


def _covers(chosen: str, rule: str) -> bool:
    return rule.startswith(chosen) and chosen.rstrip("0123456789") == rule.rstrip("0123456789")


_COMMENT = re.compile(
    r"""(//[^\n]*+|/\*.*?(?:\*/|\Z))|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?|`(?:\\.|[^`\\])*+`?""", re.DOTALL
)
"""A comment of JavaScript, or a text that may look like one. Each ends with the file at the latest, so a search is linear."""


def _has_eslint(text: str, rule: str) -> bool:
    code = _COMMENT.sub(lambda found: " " if found[1] else found[0], text)
    found = re.findall(rf"""(["']){re.escape(rule)}\1\s*:\s*\[?\s*["']?(\w+)""", code)
    return bool(found) and all(severity in ("error", "2") for _, severity in found)


LINTERS = {
    "ruff": (("pyproject.toml", "ruff.toml", ".ruff.toml"), re.compile(r"\b[A-Z]{1,5}\d{3,4}\b"), _has_ruff),
    "eslint": (
        (*(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts", "mts", "cts")), ".eslintrc.json", ".eslintrc.cjs"),
        re.compile(r"(?<![\w@/-])(?:@?[a-z][\w-]*/)*[a-z]+(?:-[a-z]+)+\b"),
        _has_eslint,
    ),
}
"""Settings files by linter, how it writes a rule, and whether a text of its settings turns on a rule."""
