"""What came of lessons that were sent: read from transcripts and from verdicts.

A lesson sent in a session that then has to be said again there was ignored; one that is contradicted there did harm; a session
that needed no word on it speaks for it, weakly, since it might have gone well without. Agents report through MCP. What a
person decides on a lesson that was sent counts, too, and an undo takes that back. Weights are of a Beta distribution: see
``store.ranking_index.weighed``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator import clock
from curator.app import deliveries
from curator.app.curator import Curator
from curator.model import PERSON, Entry, Event, Evidence, Relating, Role, Verb
from curator.settings import DAY
from curator.store.deliveries import Outcome

QUIET = 3_600.0
"""A session that was silent for so many seconds is taken to be over."""
SILENT_DAYS = 90
"""So long `curator why` can say why nothing was sent; what was sent is kept."""
WEIGHTS = {"report": 0.5, "again": 1.0, "against": 1.0, "verdict": 0.5, "quiet": 0.05}
"""How much each source counts: an agent's report as much as a person's verdict, since it may have misjudged; a session without
a word says little, and there are many of them."""
HURT = frozenset({Relating.CONTRADICTS, Relating.SUPERSEDES})
MISHAPS = frozenset({"failed-then-worked", "rediscovery"})
"""Signals of mistakes that nobody had to name."""


def stated(curator: Curator, lesson: str, relating: Relating, evidence: Sequence[Evidence], signal: str) -> bool:
    """Something was stated that repeats or contradicts a lesson; whether it was sent before in that session, and is noted.

    What only the agent said counts if it is a mishap: an agent that repeats what it was sent has not been corrected.
    """
    best = evidence[0]
    if not best.session or (best.role is not Role.HUMAN and signal not in MISHAPS):
        return False
    deliveries.drain(curator)
    sent = curator.store.deliveries.sent(best.session).get(lesson)
    if sent is None or (best.at and best.at < sent):
        return False
    kind, source = ("hurt", "against") if relating in HURT else ("ignored", "again")
    return note(curator, lesson, best.session, kind, source, note=best.quote[:200])


def note(curator: Curator, lesson: str, session: str, kind: str, source: str, *, note: str = "") -> bool:
    """Record what came of sending a lesson in a session; a better source than silence takes its place."""
    entry = curator.lessons.peek(lesson)
    outcome = Outcome(
        lesson=lesson,
        session=session,
        project=curator.store.deliveries.project_of(lesson, session) or (entry.project if entry else ""),
        at=clock.now(),
        kind=kind,
        source=source,
        weight=WEIGHTS[source],
        note=note,
    )
    with curator.store.transaction():
        if source != "quiet":
            curator.store.deliveries.retract(lesson, session, "quiet")
        return curator.store.deliveries.record(outcome)


def read(curator: Curator, session: str, last: float) -> None:
    """A transcript of a session was read, until its turn at ``last``; joins the caller's transaction."""
    curator.store.deliveries.read(session, last)


def reset(curator: Curator) -> int:
    """Let what came of sending lessons until now count no longer, in this project or all; returns how many outcomes."""
    with curator.store.transaction():
        return curator.store.deliveries.reset(project=curator.scope)


def settle(curator: Curator) -> int:
    """Let the sessions that are over, and were read, speak for the lessons sent in them that nobody spoke of; how many did."""
    if curator.store.newer:
        return 0
    with curator.store.transaction():
        curator.store.deliveries.prune(clock.now() - SILENT_DAYS * DAY)
    count = 0
    for session in curator.store.deliveries.over(clock.now() - QUIET):
        with curator.store.transaction():
            known = curator.store.deliveries.judged(session)
            for lesson in curator.store.deliveries.sent(session).keys() - known:
                count += note(curator, lesson, session, "helped", "quiet")
            curator.store.deliveries.close(session)
    return count


@dataclass(frozen=True, slots=True)
class _Verdict:
    kind: str
    note: str


def of_verdicts(curator: Curator, ids: Sequence[str]) -> None:
    """What a person decided on lessons after they were sent: as the log has it now, without what was undone.

    What was reset stays so: a verdict is noted once.
    """
    for id_ in ids:
        entry, first = curator.lessons.peek(id_), curator.store.deliveries.first(id_)
        known = curator.store.deliveries.judged_in(id_, "verdict")
        verdicts = _verdicts(curator, entry, first) if entry is not None and first is not None else {}
        for batch in known - verdicts.keys():
            with curator.store.transaction():
                curator.store.deliveries.retract(id_, batch, "verdict")
        for batch in verdicts.keys() - known:
            note(curator, id_, batch, verdicts[batch].kind, "verdict", note=verdicts[batch].note)


def _verdicts(curator: Curator, entry: Entry, since: float) -> dict[str, _Verdict]:
    """By batch, what a person's verdicts since a time that stand say of a lesson."""
    log = curator.store.events
    return {
        event.batch: verdict
        for event in log.of_entry(entry.id)
        if event.at >= since and event.actor == PERSON and (verdict := _verdict(event)) and not log.undone(event.batch)
    }


def _verdict(event: Event) -> _Verdict | None:
    if event.verb is Verb.CONFIRM:
        return _Verdict("helped", "still true")
    if event.verb is Verb.RETIRE and (event.after or {}).get("reason") == "wrong":
        return _Verdict("hurt", "retired as wrong")
    return None
