"""``curator replay``: the lessons that hooks would have sent in past sessions, and the repetitions there.

A replay writes nothing. It holds the lessons in memory, each from the time at which it was known. It asks
``hooks.decide`` at every moment at which a hook would have run. It ignores later code changes and outcomes, so no lesson
is stale. Transcripts are read once. Each turn counts where it was said first.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from curator import detection, plugins, projects, ranking
from curator import replay as past
from curator.agents import dialects
from curator.app.agents.deliveries import MISHAPS
from curator.app.curator import Curator
from curator.app.figures.statistics import Row
from curator.app.merge_targets import MAX_COMPARED
from curator.app.sessions.ingest import is_ours
from curator.app.sessions.scan import Step, infrequent_gc
from curator.clock import iso
from curator.comparison import between, find_original, search_terms
from curator.detection.actions import REDISCOVERY
from curator.hooks import Decision, decide
from curator.model import JSON, Candidate, Entry, Evidence, Project, Query, Relating, Role, State, Turn
from curator.ranking import Hit, Question, tokens
from curator.replay import (
    COMMAND,
    FORGET,
    START,
    Case,
    Moment,
    Outcome,
    Recurrence,
    Report,
    Sending,
    Session,
    Signs,
    Where,
    case,
    fits,
    share,
    signs,
    summary,
)
from curator.store.database import Pool
from curator.store.hook_reader import COLUMNS, Retrieval
from curator.text.clean import strip
from curator.text.words import pluralize
from curator.transcripts.base import discover, follow

ACTIVE, AS_KEPT, CANDIDATES = "active", "as-kept", "candidates"
"""The lessons of a replay: today's, from their first evidence on; the same, from the decision on; also undecided candidates."""
CONTROLLED = 250
"""Minimum number of sessions in the control, which takes less than twice as many, and every session with a repetition."""
REMEMBERED = 500
"""The number of questions kept with their answers, until another lesson is known."""
NOTHING_SHARED = "shares no word, name or folder with the questions before"
UNASKED = "no hook ran before it"
FADES = COLUMNS.split(", ").index("fades")
"""The position, in a lesson's row, of the time at which it is old."""


@dataclass(frozen=True, slots=True)
class KnownLesson:
    """A lesson, and the time from which it is known outside its own ``session`` (seconds since the epoch)."""

    entry: Entry
    since: float
    session: str = ""
    files: tuple[tuple[str, str], ...] = ()
    """(project, a file of it that says the same)."""


def replay(
    curator: Curator,
    *,
    which: str = ACTIVE,
    roots: Sequence[Path] | None = None,
    progress: Callable[[Step], object] = lambda step: None,
) -> Report:
    """Replay the sessions of the reader's project, or of all. Raises ``StoreError``."""
    every = known_lessons(curator, which)
    mine = [one for one in every if curator.scope in (None, one.entry.project) or one.entry.scope == "global"]
    sign = signs([one.entry for one in every])
    run = Transcripts(curator, [one.entry for one in mine], sign.values(), curator.scope)
    with infrequent_gc():
        report = replay_sessions(mine, list(run.read(roots, progress)), every)
    return replace(report, errors=tuple(run.errors))


def figures(curator: Curator, report: Report) -> JSON:
    """Return a report as the object that ``curator replay --json`` prints."""
    found = summary(report)
    headlines = curator.lessons.headlines({one.lesson for one in report.cases})
    names = {id_: project.name for id_, project in curator.projects().items()}
    for one in found["never_in_time"]:
        one["headline"] = headlines.get(one["lesson"], "")
    cases = [
        asdict(one)
        | {
            "at": iso(one.at),
            "headline": headlines.get(one.lesson, ""),
            "stated": first_place(curator, one.lesson),
            "project": names.get(one.project, one.project),
        }
        for one in report.cases
    ]
    return found | {"cases": cases}


def first_place(curator: Curator, lesson: str) -> JSON | None:
    """Return the file and line of a lesson's first statement. Return ``None`` if they are unknown."""
    entry = curator.lessons.peek(lesson)
    first = earliest(entry) if entry else None
    return {"file": first.file, "line": first.line} if first and first.file else None


def known_lessons(curator: Curator, which: str) -> list[KnownLesson]:
    """Return the lessons of every project, and since when each would have been known."""
    files: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for project in curator.projects():
        for lesson, file in curator.store.ranking_index.statements(project):
            files[lesson].append((project, file))
    states = (State.ACTIVE, State.OPEN) if which == CANDIDATES else (State.ACTIVE,)
    found = []
    for entry in curator.lessons.entries(Query(states=states)):
        first = earliest(entry)
        since = first.at if first and first.at else entry.created
        since = max(since, entry.kept) if which == AS_KEPT else since
        session = first.session if first else entry.session
        found.append(KnownLesson(entry, since, session, tuple(files[entry.id])))
    return found


def earliest(entry: Entry) -> Evidence | None:
    """Return the first evidence of a lesson."""
    return min(entry.evidence, key=lambda item: item.at or entry.created, default=None)


def replay_sessions(lessons: Sequence[KnownLesson], sessions: Sequence[Session], every: Sequence[KnownLesson]) -> Report:
    """Replay sessions that were read. ``every`` holds the lessons of all projects, from which the control takes strangers."""
    ends: dict[str, float] = {}
    for session in sessions:
        ends[session.id] = max(ends.get(session.id, 0.0), session.end)
    lessons = sorted((replace(one, since=max(one.since, ends.get(one.session, 0.0))) for one in lessons), key=in_order)
    courses = play(lessons, dict(enumerate(sessions)))
    sign, strangers = signs([one.entry for one in every]), substitutes(lessons, every)
    foreign = {id_: sign[stranger.entry.id] for id_, stranger in strangers.items()}
    swapped = [in_place_of(one, strangers[one.entry.id]) for one in lessons if one.entry.id in strangers]
    step = max(1, len(sessions) // CONTROLLED)
    controlled = {at: one for at, one in enumerate(sessions) if at % step == 0 or courses[at].repeats} if swapped else {}
    chance = play(swapped, controlled, searched=False)
    by_id = {one.entry.id: one for one in lessons}
    cases = [
        case_of(sessions[at], by_id[lesson], course, lesson, chance[at].sendings if swapped else None)
        for at, course in courses.items()
        for lesson in course.repeats
    ]
    return Report(
        cases=tuple(sorted(cases, key=lambda one: (one.at, one.session, one.line))),
        sendings=tuple(judge(sessions[at], course, sign) for at, course in courses.items()),
        chance=tuple(judge(sessions[at], chance[at], foreign) for at in chance if at % step == 0) if swapped else None,
        lessons=len(lessons),
        in_play=sum(one.since < max(ends.values(), default=0.0) for one in lessons),
        sessions=len(sessions),
        undated_sessions=sum(session.is_undated for session in sessions),
        corrections=sum(session.corrections for session in sessions),
    )


def in_order(known: KnownLesson) -> tuple[float, str]:
    """Return the place of a lesson in the order in which they were learnt."""
    return known.since, known.entry.id


def play(lessons: Sequence[KnownLesson], sessions: Mapping[int, Session], *, searched: bool = True) -> dict[int, Course]:
    """Return the course of each of these sessions with these lessons, which are sorted by time.

    At one turn, words come before the lessons that are sent. Lessons that are not ``searched`` are sent, and not repeated.
    """
    courses = {number: Course(session.agent) for number, session in sessions.items()}
    events = [
        (session.times[event.index], number, event.index, isinstance(event, Moment), event)
        for number, session in sessions.items()
        for event in chain[Recurrence | Moment](session.repeats if searched else (), session.moments)
    ]
    with closing(KnownLessonsOverTime(lessons, searched=searched)) as known:
        for at, number, _, _, event in sorted(events, key=lambda event: event[:4]):
            known.know(at)
            if isinstance(event, Moment):
                known.ask(event, courses[number], at)
            elif lesson := known.find_repeated(event):
                courses[number].repeats.setdefault(lesson, (event, courses[number].why(lesson)))
    return courses


def substitutes(lessons: Sequence[KnownLesson], every: Sequence[KnownLesson]) -> dict[str, KnownLesson]:
    """Return, for each of these lessons, one of another project, which replaces it in the control.

    It comes from the project with the most similar number of lessons, then the next, in the order in which they were learnt.
    Lessons are taken twice only if all others together have fewer. A project without any other gets none.
    """
    by_project: dict[str, list[KnownLesson]] = defaultdict(list)
    for one in sorted(every, key=in_order):
        by_project[one.entry.project].append(one)
    found: dict[str, KnownLesson] = {}
    for project in {one.entry.project for one in lessons}:
        mine = by_project[project]
        sizes = sorted((abs(len(theirs) - len(mine)), other) for other, theirs in by_project.items() if other != project)
        others = [one for _, other in sizes for one in by_project[other]]
        if others:
            found |= {one.entry.id: others[at % len(others)] for at, one in enumerate(mine)}
    return found


def in_place_of(known: KnownLesson, stranger: KnownLesson) -> KnownLesson:
    """Return the words, files and names of another project's lesson, under the id of this one and known as long."""
    entry, donor = known.entry, stranger.entry
    place = entry.scope if "global" in (entry.scope, donor.scope) else donor.scope
    words = donor._replace(
        id=entry.id, project=entry.project, scope=place, created=entry.created, supersedes=(), fingerprint=""
    )
    return replace(known, entry=words, files=())


def case_of(session: Session, known: KnownLesson, course: Course, lesson: str, chance: Sequence[Sending] | None) -> Case:
    """Return the outcome of a lesson that a session repeats. ``chance`` is sent there in the control."""
    found, why = course.repeats[lesson]
    files = tuple(file for project, file in known.files if project == known.entry.project)
    return case(session, known.entry, found, course.sendings, ranking.stating_file(files, course.agent), why, chance)


def judge(session: Session, course: Course, sign: Mapping[str, Signs]) -> tuple[Sending, ...]:
    """Return each sent lesson with its fit: whether the session stated it later or showed a sign of it."""
    stated = {lesson: found.index for lesson, (found, _) in course.repeats.items()}
    return tuple(
        replace(one, fitting=stated.get(one.lesson, -1) > one.index or fits(session, one.index, sign[one.lesson]))
        for one in course.sendings
    )


class KnownLessonsOverTime:
    """A pass through time with the lessons known at each moment. The caller closes it."""

    def __init__(self, lessons: Sequence[KnownLesson], *, searched: bool = True) -> None:
        self.pool = Pool()
        self.searched = searched
        self.lessons: dict[str, Entry] = {}
        self._coming = deque(lessons)
        self._answers: dict[tuple[object, ...], tuple[Retrieval, list[Hit] | None]] = {}
        self._originals: dict[tuple[object, ...], str] = {}
        """The lesson that some words repeat, until another one is known. People say the same in many sessions."""

    def close(self) -> None:
        """Forget the pool."""
        self.pool.close()

    def know(self, at: float) -> None:
        """Add the lessons that were known before a moment."""
        while self._coming and self._coming[0].since < at:
            one = self._coming.popleft()
            self.lessons[one.entry.id] = one.entry
            first = one.entry.evidence[:1]  # later statements are not known yet
            entry = one.entry._replace(state=State.ACTIVE, findings=(), evidence=first, updated=one.since)
            self.pool.add(entry, one.files, searched=self.searched)
            self._answers.clear()
            self._originals.clear()

    def ask(self, moment: Moment, course: Course, at: float) -> None:
        """Decide as the hook does at a moment, and count the lessons that it sends as known from then on."""
        if moment.kind == FORGET:
            course.known_ids.clear()
            return
        question = Question(moment.kind, prompt=moment.prompt, files=moment.files)
        asked = (moment.project, question.moment, *question.prompt_terms, None, *question.files)
        found, hits = self._answers.get(asked, (None, None))
        found = found or self.pool.gather(moment.project, question)
        made = decide(question, found, set[str]().union(*course.known_ids), course.agent, at, hits)
        if len(self._answers) >= REMEMBERED:
            self._answers.clear()
        timely = moment.kind == START or any(row[FADES] for row in found.rows.values())  # their order depends on the time
        self._answers[asked] = found, None if timely else made.hits
        course.note(moment, made)

    def find_repeated(self, said: Recurrence) -> str:
        """Return the id of the known lesson that a text repeats. Return an empty text if there is none."""
        found = said.source
        if isinstance(found, Entry):
            return found.id if found.id in self.lessons else ""
        if same := self.pool.by_fingerprint(said.project, found.fingerprint):
            return same if has_same_mend(self.lessons[same], found) else ""
        if said.kind == COMMAND:
            return ""
        words = (said.project, found.headline, found.insight, found.files, found.symbols)  # of a ``Statement``
        if words not in self._originals:
            near = self.pool.near(search_terms(found).words, said.project, MAX_COMPARED)
            self._originals[words] = find_original(found, [self.lessons[id_] for id_, _ in near])
        return self._originals[words]


def has_same_mend(entry: Entry, candidate: Candidate) -> bool:
    """Return whether the same command fixed the same error, if the lesson names a command. Other statements have no command."""
    mends = {item.quote for item in entry.evidence if item.role is Role.TOOL_CALL}
    if candidate.signal != REDISCOVERY or not mends:
        return True
    return any(item.quote in mends for item in candidate.evidence if item.role is Role.TOOL_CALL)


class Course:
    """The course of one session: the sent and the repeated lessons, with the reason why a repeated one was not sent before.

    ``known_ids``: the lessons sent at each moment since the agent's context was last lost.
    """

    def __init__(self, agent: str) -> None:
        fading = dialects.DECISIONS_UNTIL_LOST.get(agent, 0)
        self.agent = agent
        self.known_ids: deque[frozenset[str]] = deque(maxlen=fading or None)
        self.sendings: list[Sending] = []
        self.repeats: dict[str, tuple[Recurrence, str]] = {}
        self._hook_ran = False
        self._heaviest: dict[str, tuple[float, str]] = {}
        """The highest score of each lesson that was not sent, and the reason."""

    def note(self, moment: Moment, made: Decision) -> None:
        """Remember a decision."""
        self._hook_ran = True
        heard = not is_unheard(self.agent, moment.kind)
        costs = zip(made.sendings, made.tokens, strict=True)
        sent = [Sending(hit.id, moment.index, moment.kind, cost) for (hit, _), cost in costs] if heard else []
        self.sendings += sent
        self.known_ids.append(frozenset(one.lesson for one in sent))
        reasons, threshold = {hit.id: reason for hit, reason in made.omissions}, ranking.THRESHOLDS[moment.kind]
        for hit in made.hits:
            is_below = hit.score < threshold
            if moment.kind == START and is_below:
                continue  # Here every lesson gets a score, even an irrelevant one.
            if hit.id not in self._heaviest or hit.score > self._heaviest[hit.id][0]:
                default = ranking.below_threshold(hit.score, threshold) if is_below else ranking.LESSON_LIMIT
                self._heaviest[hit.id] = (hit.score, reasons.get(hit.id) or default)

    def why(self, lesson: str) -> str:
        """Return the reason why a lesson was not sent until now."""
        return self._heaviest[lesson][1] if lesson in self._heaviest else NOTHING_SHARED if self._hook_ran else UNASKED


def is_unheard(agent: str, kind: str) -> bool:
    """Return whether an agent is known to ignore the answers to all events at such moments."""
    events = [event for event, moment in dialects.AGENTS.get(agent, ("", {}))[1].items() if moment == kind]
    return bool(events) and all((agent, event) in dialects.UNHEARD for event in events)


POOLS = {
    ACTIVE: "today's active lessons, each from its first quote on",
    AS_KEPT: "today's active lessons, each from the day you kept it",
    CANDIDATES: "active lessons and candidates (an upper bound)",
}
MIN_STATEMENTS_FOR_SHARE = 30
"""Minimum number of repeated statements for a meaningful share."""


def sections(found: JSON, which: str) -> dict[str, list[Row]]:
    """Return the results of ``replay.figures`` by heading."""
    undated = f"{found['undated']} of them by the age of their file" if found["undated"] else ""
    known = f"{POOLS[which]}; {found['in_play']:,} known during these sessions"
    tokens, fitting = found["tokens_a_session"], found["fitting"]
    cost = f"tokens a session: {tokens['median']} (median), {tokens['p90']} (9 of 10 below)"
    words = "of the sent lessons were relevant to what the session did next"
    fits = f"{share_text(fitting)} {words}{by_chance(found, 'fitting')}" if fitting["of"] else ""
    return {
        "replayed": [("sessions", f"{found['sessions']:,}", undated), ("lessons", f"{found['lessons']:,}", known)],
        "stated again in a later session": list(repetition_rows(found)),
        "what would have been sent": [("lessons", f"{found['sent']:,}", cost), ("fitting", f"{fitting['n']:,}", fits)],
    }


def repetition_rows(found: JSON) -> Iterator[Row]:
    """Yield the repeated lessons by outcome, with shares."""
    every = found["came_up_again"]
    yield "in all", f"{every:,}", ", ".join(f"{one['of']} {kind}" for kind, one in found["by_kind"].items())
    for outcome, count in found["outcomes"].items() if every else ():
        chance = by_chance(found, "sent_before") if outcome == Outcome.BEFORE else ""
        yield outcome, f"{count:,}", f"{share_text(share(count, every))}{chance}"
        if outcome == Outcome.BEFORE and count:
            seconds = f", {found['seconds_before']:.0f} s" if found["seconds_before"] is not None else ""
            between = f"{pluralize(found['turns_before'], 'turn')}{seconds}, {pluralize(found['tokens_before'], 'token')}"
            yield "", "", f"{between} before it was said (median)"
    spared = found["corrections_spared_at_most"]
    yield "corrections", f"{found['corrections']:,}", f"by a person; at most {spared} could have been avoided"


def share_text(share: JSON) -> str:
    """Return a share of something with its interval."""
    return f"{share['share']:.0%} ({share['low']:.0%} to {share['high']:.0%})"


def by_chance(found: JSON, name: str) -> str:
    """Return the same share where all lessons are another project's."""
    chance = found["chance"] and found["chance"][name]
    return f"; by chance {share_text(chance)}" if chance and chance["of"] else ""


def notes(found: JSON) -> Iterator[str]:
    """Yield the notes for these figures."""
    yield "Nothing was written. The replay ignores changes of code and outcomes."
    yield "These figures are bounds. A transcript does not show whether the agent used a lesson."
    if not found["chance"]:
        yield "There is no control, because no other project has lessons."
    if not found["came_up_again"]:
        yield "No lesson was stated again in a later session, so there is nothing to measure."
    elif found["came_up_again"] < MIN_STATEMENTS_FOR_SHARE:
        yield f"Only {pluralize(found['came_up_again'], 'statement')} came up again. Read the interval, not the share."


_DATED = re.compile(r"(20\d\d)-(\d\d)-(\d\d)[_T-](\d\d)[-:](\d\d)")
"""A time in a transcript's name, as SpecStory writes it."""


class Transcripts:
    """One run over transcripts for some lessons. It remembers projects, and the first session with each turn.

    ``where`` maps a transcript to the project of its folders, instead of the database.
    """

    def __init__(
        self,
        curator: Curator,
        lessons: Iterable[Entry],
        signs: Iterable[Signs],
        scope: str | None,
        where: Callable[[Path], Where] | None = None,
    ) -> None:
        self.curator = curator
        self.where = where or self._where
        self.scope = scope
        self.errors: list[str] = []
        self.words = past.vocabulary(signs)
        self.signatures = {entry.fingerprint for entry in lessons if entry.signal == REDISCOVERY}
        self.stated: dict[str, list[tuple[Entry, list[Evidence]]]] = defaultdict(list)
        """The lessons that each session states, with their evidence from it."""
        for entry in lessons:
            for session in {item.session for item in entry.evidence}:
                self.stated[session].append((entry, [item for item in entry.evidence if item.session == session]))
        self._projects = curator.projects()
        self._folders: dict[str, Project | None] = {}
        self._tellers: dict[int, int] = {}

    def read(self, roots: Sequence[Path] | None, progress: Callable[[Step], object]) -> Iterator[Session]:
        """Yield the sessions of the transcripts below these folders, or of the agents' own places."""
        found = discover.find(plugins.formats(), roots, Path.home(), self.curator.environment)
        self.errors += found.errors
        total, size, count = sum(item.size for item in found.transcripts), 0, 0
        for at, item in enumerate(found.transcripts):
            progress(Step(at, len(found.transcripts), size, total, count))
            sessions: dict[str, list[Turn]] = defaultdict(list)
            for portion in follow.portions(item.format, item.path):
                self.errors += portion.errors
                for turn in portion.turns[portion.old_turns :]:
                    sessions[turn.session].append(turn)
            for turns in sessions.values():
                if not is_ours(item.path, turns) and (one := self.session(item.path, self.fresh(item.path, turns), item.mtime)):
                    count += 1
                    yield one
            size += item.size
        progress(Step(len(found.transcripts), len(found.transcripts), total, total, count))

    def session(self, path: Path, turns: Sequence[Turn], age: float) -> Session | None:
        """Return the replay's data of one session. Return ``None`` if it has nothing of the wanted project."""
        where = self.where(path)
        folders = dict.fromkeys(turn.cwd for turn in turns)
        if all(turn.sidechain for turn in turns) or not any(where(folder, ()) for folder in folders):
            return None
        session = past.session(turns, where, touches, tokens, self.words, file_time(path, age))
        repeats, corrections = tuple(self._repeats(turns, where)), sum(map(detection.is_objection, turns))
        return replace(session, repeats=repeats, corrections=corrections)

    def fresh(self, path: Path, turns: Sequence[Turn]) -> list[Turn]:
        """Return the turns that no earlier session has. Agents copy turns into resumed and forked sessions."""
        keys = [follow.keys(turn) for turn in turns]
        teller = follow.source(str(path), turns[0].session)
        known = follow.find_repeats(turns, keys, self._tellers, teller, first=True)
        self._tellers |= follow.first_sources(keys, known, self._tellers, teller)
        return [turn for turn, repeated in zip(turns, known, strict=True) if not repeated]

    def _where(self, path: Path) -> Where:
        """Return a function that finds a folder's project. Without a folder, it finds that of the transcript's folder."""

        def where(folder: str, files: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
            project = self._project(folder or str(path.parent))
            if project is None:
                return None
            return project.id, projects.relative_to(files, project.folder, folder) if files else ()

        return where

    def _project(self, folder: str) -> Project | None:
        """Return the project of a folder. Return ``None`` for one that is excluded or not asked about."""
        if folder not in self._folders:
            sources = self.curator.store.sources
            stored = projects.linked(folder, sources.links()) or sources.folders().get(folder, "")
            project = self._projects.get(stored) or projects.identify(folder, self._projects.values())
            closed = projects.is_excluded(folder, self.curator.settings.exclude) or self.scope not in (None, project.id)
            self._folders[folder] = None if closed else project
        return self._folders[folder]

    def _repeats(self, turns: Sequence[Turn], where: Where) -> Iterator[Recurrence]:
        """Yield possible repetitions of a lesson: the findings of detection, and known evidence of a lesson."""
        found = [(one, list(one.evidence)) for one in detection.detect(turns)]
        for error in detection.errors(turns):
            if error.signature in self.signatures and (again := detection.rediscovery(turns, error)):
                found.append((again, list(again.evidence)))
        folder = next((turn.cwd for turn in turns if turn.cwd), "")
        for source, evidence in chain[tuple[Candidate | Entry, list[Evidence]]](found, self.stated[strip(turns[0].session)]):
            is_mishap = source.signal in MISHAPS
            if not is_mishap and evidence[0].role is not Role.HUMAN:
                continue
            quotes = evidence if is_mishap else are_similar(evidence)
            places = [at for item in quotes if (at := past.find_quote(turns, item)) is not None]
            if places and (place := where(turns[min(places)].cwd or folder, ())):
                first, last = min(places), max(places)
                kind = COMMAND if is_mishap else "correction" if detection.is_objection(turns[first]) else "statement"
                yield Recurrence(source, place[0], kind, quotes[0].quote, first, last)


def are_similar(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the best evidence, and those of a person's other quotes that state the same. The rest only mention it."""
    best, *others = evidence
    results = ((one, between(best.quote, one.quote)) for one in others if one.role is Role.HUMAN)
    return [best, *(one for one, result in results if result.relating is Relating.DUPLICATE)]


def touches(turn: Turn) -> bool:
    """Return whether a call is of a tool for files, for which agents call hooks. For agents without hooks, any call counts."""
    return turn.tool.lower() in dialects.FILE_TOOLS or turn.agent not in dialects.AGENTS


def file_time(path: Path, age: float) -> float:
    """Return the time of a transcript without times, from its name, or else its ``age`` (time of last change)."""
    if found := _DATED.search(path.name):
        try:
            return datetime(*map(int, found.groups()), tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]
        except ValueError:
            return age
    return age
