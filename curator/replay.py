"""Past sessions for the replay, and the repetitions in them that a sent lesson could have prevented.

The texts are not kept, so that thousands of sessions fit into memory. Only words of known lessons remain (``vocabulary``).
Shares have intervals, and a control by swapped lessons.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, sqrt

from curator.model import JSON, Candidate, Entry, Evidence, Happening, Role, Turn

START, PROMPT, FILE, FORGET = "start", "prompt", "file", "forget"
"""Moments: a session begins, a person speaks, a file is touched for the first time, the agent's context is summarised."""
COMMAND = "command"
"""The kind of a repetition by a failing command."""
SHARED = 2
"""The number of rare words of a lesson in one turn that show it is about that turn."""
MAX_RARE_SHARE = 0.02
"""A rare word occurs in at most this share of the lessons, or in two of them."""

_WORDS = re.compile(r"\w{4,}")


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment at which a hook runs, at a turn of a session: project, words, open files."""

    index: int
    kind: str
    project: str
    prompt: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A past session. Its turns are numbered.

    ``times``: seconds since the epoch of each turn, never decreasing; with ``is_undated``, the name or age of its file gives
    them. ``sizes``: tokens of all turns up to each one. ``persons``: the turns of a person. ``speech``, ``calls``: (turn, the
    words of the vocabulary in its text, or in a tool call). ``file_turns``: the last turn with each file, by its path in the
    project. ``repeats``: what may repeat a lesson. ``corrections``: the number of turns in which a person corrects the agent.
    """

    id: str
    agent: str
    file: str
    lines: array[int]
    times: array[float]
    sizes: array[int]
    persons: array[int]
    moments: tuple[Moment, ...]
    speech: tuple[tuple[int, frozenset[str]], ...]
    calls: tuple[tuple[int, frozenset[str]], ...]
    file_turns: Mapping[str, int]
    repeats: tuple[Recurrence, ...] = ()
    corrections: int = 0
    is_undated: bool = False

    @property
    def end(self) -> float:
        """Return the time of its last turn."""
        return self.times[-1]

    def tokens(self, first: int, last: int) -> int:
        """Return the tokens of the turns from ``first`` on and before ``last``."""
        return self.sizes[last - 1] - (self.sizes[first - 1] if first else 0) if last > first else 0

    def work_before(self, index: int) -> int:
        """Return the first turn after the person's last message before a turn: since then, the agent worked."""
        place = bisect_right(self.persons, index - 1)
        return self.persons[place - 1] + 1 if place else index


Where = Callable[[str, tuple[str, ...]], tuple[str, tuple[str, ...]] | None]
"""(folder, files) → (project, the files as its lessons name them). ``None`` stands for a folder outside all projects."""


def session(
    turns: Sequence[Turn],
    where: Where,
    touches: Callable[[Turn], bool],
    size: Callable[[str], int],
    words: frozenset[str],
    began: float,
) -> Session:
    """Return the replay's data of one session, without the repetitions in it.

    ``touches`` says whether a hook runs for a call, ``size`` gives the tokens of a text, and ``words`` is the vocabulary.
    ``began`` is the time of turns that have none.
    """
    times, sizes, persons = array("d"), array("q"), array("q")
    speech: list[tuple[int, frozenset[str]]] = []
    calls: list[tuple[int, frozenset[str]]] = []
    file_turns: dict[str, int] = {}
    now, total, folder = next((turn.at for turn in turns if turn.at), began), 0, ""
    for index, turn in enumerate(turns):
        now, total, folder = max(now, turn.at or 0.0), total + size(turn.text), turn.cwd or folder
        times.append(now)
        sizes.append(total)
        if by_person(turn):
            persons.append(index)
        if turn.role in (Role.HUMAN, Role.ASSISTANT, Role.TOOL_CALL):
            known = words.intersection(_WORDS.findall(turn.text.lower()))
            if known:
                (calls if turn.role is Role.TOOL_CALL else speech).append((index, known))
        if turn.role is Role.TOOL_CALL and turn.paths and (place := where(folder, turn.paths)):
            file_turns |= dict.fromkeys(place[1], index)
    return Session(
        id=turns[0].session,
        agent=turns[0].agent,
        file=turns[0].locator.file,
        lines=array("q", (turn.locator.line for turn in turns)),
        times=times,
        sizes=sizes,
        persons=persons,
        moments=tuple(moments(turns, where, touches)),
        speech=tuple(speech),
        calls=tuple(calls),
        file_turns=file_turns,
        is_undated=not any(turn.at for turn in turns),
    )


def moments(turns: Sequence[Turn], where: Where, touches: Callable[[Turn], bool]) -> Iterator[Moment]:
    """Yield the moments at which hooks run in a session, except a subagent's calls, because it has its own context.

    After a summary of its context, an agent starts again and tells its hooks.
    """
    folder = next((turn.cwd for turn in turns if turn.cwd), "")
    seen = set[str]()
    if found := where(folder, ()):
        yield Moment(0, START, found[0])
    for index, turn in enumerate(turns):
        folder = turn.cwd or folder
        if turn.happening is Happening.COMPACTION and (found := where(folder, ())):
            yield Moment(index, FORGET, found[0])
            yield Moment(index, START, found[0])
        if turn.sidechain or not (found := where(folder, turn.paths)):
            continue
        project, files = found
        if turn.role is Role.HUMAN and turn.text.strip() and turn.happening is not Happening.ANSWER:
            yield Moment(index, PROMPT, project, prompt=turn.text.strip())
        elif turn.role is Role.TOOL_CALL and files and touches(turn) and not seen.issuperset(files):
            yield Moment(index, FILE, project, files=files)
            seen.update(files)


def by_person(turn: Turn) -> bool:
    """Return whether a person says this, in a prompt, a refusal or an answer."""
    answers = turn.role is Role.EVENT and turn.happening in (Happening.REFUSAL, Happening.ANSWER)
    return answers or (turn.role is Role.HUMAN and not turn.sidechain)


def find_quote(turns: Sequence[Turn], quoted: Evidence) -> int | None:
    """Return the turn of a quote: the one on its line with its words, or else the first on its line."""
    words = " ".join(quoted.quote.split())[:40]
    on_line = [
        at for at, turn in enumerate(turns) if turn.locator.line <= quoted.line <= max(turn.locator.line, turn.locator.line_end)
    ]
    with_words = (at for at in on_line if words in " ".join(turns[at].text.split()))
    return next(with_words, on_line[0] if on_line else None)


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of a lesson's use in a session: its files, its symbols, its rare words."""

    files: frozenset[str]
    symbols: frozenset[str]
    rare: frozenset[str]


def signs(entries: Sequence[Entry]) -> dict[str, Signs]:
    """Return the signs of each lesson, by id. A word is rare if few of these lessons have it."""
    words = {entry.id: frozenset(_WORDS.findall(f"{entry.headline} {entry.insight}".lower())) for entry in entries}
    have = Counter(word for each in words.values() for word in each)
    few = max(2, MAX_RARE_SHARE * len(entries))
    return {
        entry.id: Signs(
            files=frozenset((*entry.files, *(anchor.path for anchor in entry.anchors))),
            symbols=frozenset(
                word
                for name in (*entry.symbols, *(anchor.symbol for anchor in entry.anchors))
                for word in _WORDS.findall(name.lower())[-1:]
            ),
            rare=frozenset(word for word in words[entry.id] if have[word] <= few),
        )
        for entry in entries
    }


def vocabulary(known: Iterable[Signs]) -> frozenset[str]:
    """Return the words of sessions that matter to any of these."""
    return frozenset[str]().union(*(each.symbols | each.rare for each in known))


def fits(session: Session, index: int, sign: Signs) -> bool:
    """Return whether a session, after this turn, uses a lesson's files, symbols or rare words."""
    if any(session.file_turns.get(file, -1) > index for file in sign.files):
        return True
    if any(at > index and sign.symbols & words for at, words in (*session.calls, *session.speech)):
        return True
    return any(at > index and len(sign.rare & words) >= SHARED for at, words in session.speech)


DEAREST = 10
"""The number of listed lessons that cost most and were never sent in time."""


class Outcome(StrEnum):
    """The outcome of a statement that came up again."""

    BEFORE = "sent before"
    LATE = "sent too late"
    NOT_SENT = "not sent"
    FILED = "in a file already"


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A repetition of a lesson in a session at a turn.

    It is a person's (``statement``, ``correction``), or a failing command (``command``), which was fixed at the turn ``last``.
    ``source`` is the lesson, or a finding of detection, which may repeat a lesson of the project.
    """

    source: Entry | Candidate
    project: str
    kind: str
    quote: str
    index: int
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
    """A lesson that was repeated, with the outcome, and the place.

    ``moment`` and ``sent_line`` are those at which it was last sent before. ``turns``, ``seconds`` and ``tokens`` are between
    that and the line. They are ``None`` if it was not sent, or the transcript has no times. ``cost`` is in tokens. ``chance``
    says whether a lesson of another project, put in its place, would have been sent before; ``None`` if there is no other.
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
    lesson: Entry,
    found: Recurrence,
    sent: Sequence[Sending],
    file: str,
    reason: str,
    chance: Sequence[Sending] | None,
) -> Case:
    """Return the case of a lesson that was repeated in a session in which these lessons were ``sent``.

    ``file`` says the same, and the agent reads it by itself. ``reason`` says why the lesson was not sent. ``chance`` has the
    lessons of another project that would be sent, under the ids of the lessons that they replace. The repetition cost the turns
    between the failure and the fix, or the work since the person's last message.
    """
    mine = [one for one in sent if one.lesson == lesson.id]
    before = max((one for one in mine if one.index < found.index), key=lambda one: one.index, default=None)
    outcome = Outcome.BEFORE if before else Outcome.FILED if file else Outcome.LATE if mine else Outcome.NOT_SENT
    if outcome in (Outcome.BEFORE, Outcome.LATE):
        reason = ""
    elif file:
        reason = f"already stated in {file}"
    at = session.times[found.index]
    is_timed = session.times[-1] > session.times[0]
    first, last = (found.index, found.last) if found.kind == COMMAND else (session.work_before(found.index), found.index)
    return Case(
        lesson=lesson.id,
        project=lesson.project,
        kind=found.kind,
        quote=found.quote,
        session=session.id,
        agent=session.agent,
        file=session.file,
        line=session.lines[found.index],
        at=at,
        outcome=outcome,
        reason=reason,
        moment=before.moment if before else "",
        sent_line=session.lines[before.index] if before else None,
        turns=found.index - before.index if before else None,
        seconds=at - session.times[before.index] if before and is_timed else None,
        tokens=session.tokens(before.index + 1, found.index) if before else None,
        cost_turns=last - first,
        cost=session.tokens(first, last),
        chance=None if chance is None else any(one.lesson == lesson.id and one.index < found.index for one in chance),
    )


def interval(part: int, whole: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score (E. B. Wilson, 1927). Return (0, 1) if there is nothing to count.

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
    """Return a share as an object: {n, of, share, low, high}. The share of nothing is null."""
    low, high = (round(end, 4) for end in interval(part, whole))
    return {"n": part, "of": whole, "share": round(part / whole, 4) if whole else None, "low": low, "high": high}


def share_of(flags: Iterable[bool]) -> JSON:
    """Return the share of those that are true."""
    found = [*flags]
    return share(sum(found), len(found))


def quantile(values: Iterable[float], part: float) -> float | None:
    """Return the value below which this part lies (nearest rank). Return ``None`` for no values.

    >>> quantile([5, 1, 3], 0.5), quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9), quantile([], 0.5)
    (3, 9, None)
    """
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * part) - 1)] if ordered else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a replay.

    ``sendings`` has each session's lessons, ``chance`` the same in the control. ``in_play``: lessons that were known while a
    session went on.
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
    """Turns in which a person corrects the agent, on any subject."""


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
        "sent_before": share_of(case.outcome is Outcome.BEFORE for case in cases),
        "sent_at": dict(sorted(Counter(case.moment for case in before).items())),
        "by_kind": {kind: share_of(case.outcome is Outcome.BEFORE for case in cases if case.kind == kind) for kind in kinds},
        "turns_before": quantile((case.turns for case in before if case.turns is not None), 0.5),
        "seconds_before": quantile((case.seconds for case in before if case.seconds is not None), 0.5),
        "tokens_before": quantile((case.tokens for case in before if case.tokens is not None), 0.5),
        "corrections": report.corrections,
        "corrections_spared_at_most": sum(case.kind == "correction" for case in before),
        "sent": len(sendings),
        "tokens_a_session": {"median": quantile(tokens, 0.5), "p90": quantile(tokens, 0.9)},
        "fitting": share_of(one.fitting for one in sendings),
        "chance": _chance(report),
        "never_in_time": costliest_lessons(cases),
    }


def _chance(report: Report) -> JSON | None:
    """Return the two shares with every lesson replaced by another project's. Return ``None`` without another project."""
    if report.chance is None:
        return None
    sendings = [one for many in report.chance for one in many]
    return {
        "sent_before": share_of(case.chance for case in report.cases if case.chance is not None),
        "fitting": share_of(one.fitting for one in sendings),
        "sent": len(sendings),
    }


def costliest_lessons(cases: Iterable[Case]) -> list[JSON]:
    """Return the lessons that cost most among those never sent in time: {lesson, times, cost, cost_turns, why}."""
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
