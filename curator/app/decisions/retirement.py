"""Offer lessons that agents do not need for retirement, with the reason on the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from curator import clock, curate
from curator.app import statistics
from curator.app.decisions import linter_rules, tidy
from curator.model import Durability, Entry, Kind, Verb
from curator.settings import DAY_SECONDS
from curator.stats import DeliveryStats, sentence
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.app.curator import Curator

MAX_OFFERS = 10
"""Lessons that are offered at a time."""
IDLE_DAYS = 90
"""Days of work in the files of a lesson after which it means something that it was never sent."""
OFTEN, AGAIN = 5, 2
"""How often a lesson was sent, and how many sessions repeated it anyway, before curator offers to retire it."""


def offer(curator: Curator) -> int:
    """Store the reason on each lesson that is offered, and remove old reasons. Return the number of offers.

    curator offers a lesson on which a person decided in the last 90 days only if a linter checks it since then. If a project
    has more lessons than ``max_lessons``, those that helped and were sent least follow, unless a person confirmed them.
    """
    now, fared, projects = clock.now(), statistics.outcomes(curator), curator.projects()
    worked = {id_: curator.store.deliveries.last_work(id_) for id_ in projects}
    every = tidy.active(curator)
    lessons = [entry for entry in every if entry.kind is Kind.LESSON]
    idle = (one for one in lessons if now - one.updated > IDLE_DAYS * DAY_SECONDS)
    reasons = {one.id: reason(one, fared.get(one.id, DeliveryStats()), worked.get(one.project, {})) for one in idle}
    for own in tidy.by_project(lessons):
        reasons |= linter_rules.enforcements(projects[own[0].project].folder, own)
    chosen = {id_: said for id_, said in reasons.items() if said}
    kept = dict(sorted(chosen.items(), key=lambda pair: "never" in pair[1])[:MAX_OFFERS])
    for own in tidy.by_project(every):
        kept |= _surplus(curator.settings.max_lessons, own, kept, fared)
    changes = [curate.offer(one, kept.get(one.id, "")) for one in lessons if one.offer != kept.get(one.id, "")]
    curator.store.apply([(Verb.DISTILL, one) for one in changes], actor="curator", at=now)
    return len(kept)


def _surplus(
    most: int, every: Sequence[Entry], offered: Mapping[str, str], fared: Mapping[str, DeliveryStats]
) -> dict[str, str]:
    """Return the lessons of a project that helped and were sent least, with the reason: as many as it has beyond ``most``."""
    surplus = len(every) - most - sum(one.id in offered for one in every) if most else 0
    unconfirmed = (one for one in every if one.kind is Kind.LESSON and one.updated <= max(one.kept, one.created))
    free = [one for one in unconfirmed if one.id not in offered and one.durability is not Durability.PINNED]
    found = {one.id: fared.get(one.id, DeliveryStats()) for one in free}
    free.sort(key=lambda one: (_worth(found[one.id]), one.times_stated, one.stated))
    why = f"the project has {len(every):,} lessons, more than {most:,}; this one helped little"
    chosen = free[: max(0, min(surplus, MAX_OFFERS - len(offered)))]
    return {one.id: f"{why}: {sentence(found[one.id]) or 'never sent'}" for one in chosen}


def _worth(fared: DeliveryStats) -> tuple[float, int]:
    return fared.helped - fared.ignored - fared.hurt, fared.times


def reason(entry: Entry, fared: DeliveryStats, worked: Mapping[str, float]) -> str:
    """Return why agents do not need a lesson; empty if they do. ``worked``: the last work in each file."""
    if fared.times >= OFTEN and fared.again >= AGAIN:
        return f"sent {fared.times} times, and repeated all the same in {pluralize(fared.again, 'session')}"
    last = max((worked.get(file, 0.0) for file in entry.files), default=0.0)
    days = int((last - (entry.kept or entry.created)) / DAY_SECONDS)
    return f"never sent in {days} days of work in its files" if not fared.times and days >= IDLE_DAYS else ""
