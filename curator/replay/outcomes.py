"""Statements that came up again, against lessons sent: outcomes, shares with intervals, and the control by swapped lessons."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, sqrt

from curator.clock import monday
from curator.model import JSON
from curator.replay.sessions import Session

DEAREST = 10
"""The number of lessons named that cost most and were never sent in time."""


class Outcome(StrEnum):
    """The outcome of a statement that came up again."""

    BEFORE = "sent before"
    LATE = "sent too late"
    NOT_SENT = "not sent"
    FILED = "in a file already"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """A lesson that came up again in a session, at a turn: stated by a person (``statement``, ``correction``), or a failing
    command (``command``).

    It cost the turns from ``first`` on and before ``last``: what the agent did since the person had spoken before, or from the
    failure to what mended it.
    """

    lesson: str
    kind: str
    quote: str
    index: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Sending:
    """A lesson that would have been sent at a turn, and how many tokens its line is."""

    lesson: str
    index: int
    moment: str
    tokens: int
    fitting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A lesson that came up again, with the outcome, and the place.

    ``moment`` and ``sent_line`` are those at which it was sent last before; ``turns``, ``seconds`` and ``tokens`` lie between
    that and the line: ``None`` where it was not sent, or the transcript has no times. ``cost`` is in tokens. ``chance``:
    whether a lesson of another project, put in its place, would have been sent before; ``None`` where there is no other.
    """

    lesson: str
    project: str
    kind: str
    quote: str
    session: str
    agent: str
    file: str
    line: int
    at: float
    outcome: Outcome
    reason: str = ""
    moment: str = ""
    sent_line: int | None = None
    turns: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost_turns: int = 0
    cost: int = 0
    chance: bool | None = None


def case(
    session: Session,
    project: str,
    found: Recurrence,
    sent: Sequence[Sending],
    file: str,
    reason: str,
    chance: Sequence[Sending] | None,
) -> Case:
    """Return the case of a lesson that came up again in a session in which these lessons were ``sent``.

    ``file``: what the agent reads by itself that says the same. ``reason``: why it was not sent, where it was not. ``chance``:
    what is sent where the lessons are another project's, under the ids of those in whose place they stand.
    """
    mine = [one for one in sent if one.lesson == found.lesson]
    last = max((one for one in mine if one.index < found.index), key=lambda one: one.index, default=None)
    before = last.index if last else None
    outcome = Outcome.BEFORE if before is not None else Outcome.FILED if file else Outcome.LATE if mine else Outcome.NOT_SENT
    told = outcome in (Outcome.BEFORE, Outcome.LATE)
    at = session.times[found.index]
    timed = before is not None and session.times[-1] > session.times[0]
    return Case(
        lesson=found.lesson,
        project=project,
        kind=found.kind,
        quote=found.quote,
        session=session.id,
        agent=session.agent,
        file=session.file,
        line=session.lines[found.index],
        at=at,
        outcome=outcome,
        reason="" if told else f"{file} says so" if file else reason,
        moment=last.moment if last else "",
        sent_line=session.lines[last.index] if last else None,
        turns=found.index - before if before is not None else None,
        seconds=at - session.times[before] if before is not None and timed else None,
        tokens=session.tokens(before + 1, found.index) if before is not None else None,
        cost_turns=max(0, found.last - found.first),
        cost=session.tokens(found.first, found.last),
        chance=None if chance is None else any(one.lesson == found.lesson and one.index < found.index for one in chance),
    )


def interval(part: int, whole: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score (E. B. Wilson, 1927); (0, 1) where there is nothing to count.

    >>> [round(one, 3) for one in interval(3, 10)], interval(0, 0)
    ([0.108, 0.603], (0.0, 1.0))
    """
    if not whole:
        return 0.0, 1.0
    z, share = 1.96, part / whole
    middle = share + z * z / (2 * whole)
    reach = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    return max(0.0, (middle - reach) / (1 + z * z / whole)), min(1.0, (middle + reach) / (1 + z * z / whole))


def share(part: int, whole: int) -> JSON:
    """Return a share as an object: {n, of, share, low, high}; the share is null of nothing."""
    low, high = (round(end, 4) for end in interval(part, whole))
    return {"n": part, "of": whole, "share": round(part / whole, 4) if whole else None, "low": low, "high": high}


def quantile(values: Iterable[float], part: float) -> float | None:
    """Return the value below which this part lies (nearest rank); ``None`` of nothing.

    >>> quantile([5, 1, 3], 0.5), quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9), quantile([], 0.5)
    (3, 9, None)
    """
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * part) - 1)] if ordered else None


def control_lessons(lessons: Mapping[str, Sequence[str]], among: Iterable[str]) -> dict[str, str]:
    """Return, for each lesson of the projects ``among``, one of another project that stands in for it in the control.

    ``lessons``: each project's, in the order in which they were learnt. They are taken from the project of the likest size,
    then the next; twice only where all others together have fewer. None for a project without any other.
    """
    found: dict[str, str] = {}
    for project in among:
        mine = lessons[project]
        others = sorted(
            (abs(len(theirs) - len(mine)), other) for other, theirs in lessons.items() if other != project and theirs
        )
        donors: list[str] = []
        for _, other in others:
            donors += lessons[other]
            if len(donors) >= len(mine):
                break
        if donors:
            found |= {id_: donors[at % len(donors)] for at, id_ in enumerate(mine)}
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a replay.

    ``sendings`` has each session's lessons, ``chance`` the same in the control. ``undated_sessions`` have no time; that of
    their file stands in. ``in_play``: lessons that were known while a session went on.
    """

    cases: tuple[Case, ...]
    sendings: tuple[tuple[Sending, ...], ...]
    chance: tuple[tuple[Sending, ...], ...] | None
    lessons: int
    in_play: int
    sessions: int
    undated_sessions: int = 0
    errors: tuple[str, ...] = ()
    corrections: int = 0
    """Turns in which a person corrects the agent, of whatever it is about."""


def summary(report: Report) -> JSON:
    """Return a report in figures: the object that ``curator replay --json`` prints, without the cases."""
    cases, kinds = report.cases, sorted({case.kind for case in report.cases})
    before = [case for case in cases if case.outcome is Outcome.BEFORE]
    sendings = [one for many in report.sendings for one in many]
    tokens = [sum(one.tokens for one in many) for many in report.sendings]
    return {
        "lessons": report.lessons,
        "in_play": report.in_play,
        "sessions": report.sessions,
        "undated": report.undated_sessions,
        "came_up_again": len(cases),
        "outcomes": {outcome.value: sum(case.outcome is outcome for case in cases) for outcome in Outcome},
        "sent_before": share(len(before), len(cases)),
        "sent_at": dict(sorted(Counter(case.moment for case in before).items())),
        "by_kind": {kind: _share(case for case in cases if case.kind == kind) for kind in kinds},
        "turns_before": quantile((case.turns for case in before if case.turns is not None), 0.5),
        "seconds_before": quantile((case.seconds for case in before if case.seconds is not None), 0.5),
        "tokens_before": quantile((case.tokens for case in before if case.tokens is not None), 0.5),
        "corrections": report.corrections,
        "corrections_spared_at_most": sum(case.kind == "correction" for case in before),
        "sent": len(sendings),
        "tokens_a_session": {"median": quantile(tokens, 0.5), "p90": quantile(tokens, 0.9)},
        "fitting": share(sum(one.fitting for one in sendings), len(sendings)),
        "chance": _chance(report),
        "never_in_time": dearest(cases),
        "weeks": weeks(cases),
    }


def _share(cases: Iterable[Case]) -> JSON:
    found = [case.outcome is Outcome.BEFORE for case in cases]
    return share(sum(found), len(found))


def _chance(report: Report) -> JSON | None:
    """Return the same two shares where every lesson is another project's; ``None`` where there is no other project."""
    if report.chance is None:
        return None
    sendings = [one for many in report.chance for one in many]
    compared = [case.chance for case in report.cases if case.chance is not None]
    return {
        "sent_before": share(sum(compared), len(compared)),
        "fitting": share(sum(one.fitting for one in sendings), len(sendings)),
        "sent": len(sendings),
    }


def dearest(cases: Iterable[Case]) -> list[JSON]:
    """Return the lessons that cost most of those that were never sent in time: {lesson, times, cost, cost_turns, why}."""
    by_lesson: dict[str, list[Case]] = defaultdict(list)
    for one in cases:
        by_lesson[one.lesson].append(one)
    never = [many for many in by_lesson.values() if all(one.outcome is not Outcome.BEFORE for one in many)]
    never.sort(key=lambda many: (-sum(one.cost for one in many), many[0].lesson))
    return [
        {
            "lesson": many[0].lesson,
            "times": len(many),
            "cost": sum(one.cost for one in many),
            "cost_turns": sum(one.cost_turns for one in many),
            "why": next(iter(Counter(one.reason or one.outcome.value for one in many).most_common(1)))[0],
        }
        for many in never[:DEAREST]
    ]


def weeks(cases: Iterable[Case]) -> list[JSON]:
    """Return how often lessons came up again in each week with any, by its Monday: {week, and a count for each outcome}."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in cases:
        counts[monday(one.at).isoformat()][one.outcome.value] += 1
    return [{"week": start} | {outcome.value: counts[start][outcome.value] for outcome in Outcome} for start in sorted(counts)]
