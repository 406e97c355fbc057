"""Offer lessons for retirement that do not earn their place, with the reason on the card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from curator import clock, curate
from curator.app import statistics
from curator.app.decisions import tidy
from curator.model import Entry, Kind, Verb
from curator.settings import DAY_SECONDS
from curator.stats import DeliveryStats
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

    curator does not offer a lesson on which a person decided in the last 90 days.
    """
    now, fared = clock.now(), statistics.outcomes(curator)
    worked = {id_: curator.store.deliveries.last_work(id_) for id_ in curator.projects()}
    lessons = [entry for entry in tidy.active(curator) if entry.kind is Kind.LESSON]
    idle = (one for one in lessons if now - one.updated > IDLE_DAYS * DAY_SECONDS)
    reasons = {one.id: reason(one, fared.get(one.id, DeliveryStats()), worked.get(one.project, {})) for one in idle}
    chosen = {id_: said for id_, said in reasons.items() if said}
    kept = dict(sorted(chosen.items(), key=lambda pair: "never" in pair[1])[:MAX_OFFERS])
    changes = [curate.offer(one, kept.get(one.id, "")) for one in lessons if one.offer != kept.get(one.id, "")]
    curator.store.apply([(Verb.DISTILL, one) for one in changes], actor="curator", at=now)
    return len(kept)


def reason(entry: Entry, fared: DeliveryStats, worked: Mapping[str, float]) -> str:
    """Return why a lesson does not earn its place; empty if it does. ``worked``: the last work in each file."""
    if fared.times >= OFTEN and fared.again >= AGAIN:
        return f"sent {fared.times} times, and repeated all the same in {pluralize(fared.again, 'session')}"
    last = max((worked.get(file, 0.0) for file in entry.files), default=0.0)
    days = int((last - (entry.kept or entry.created)) / DAY_SECONDS)
    return f"never sent in {days} days of work in its files" if not fared.times and days >= IDLE_DAYS else ""
