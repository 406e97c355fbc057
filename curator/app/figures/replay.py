"""``curator replay``: the lessons that hooks would have sent in past sessions, and the repetitions there.

A replay writes nothing. It holds the lessons in memory, each from the time at which it was known. It asks
``hooks.answer.decide`` at every moment at which a hook would have run. It ignores later code changes and outcomes, so no lesson
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

from curator import detection, plugins, projects
from curator import replay as past
from curator.agents import dialects
from curator.app.agents.deliveries import MISHAPS
from curator.app.curator import Curator
from curator.app.merge_targets import MAX_COMPARED
from curator.app.sessions.ingest import is_ours
from curator.app.sessions.scan import Step, infrequent_gc
from curator.clock import iso
from curator.comparison import between, find_original, search_terms
from curator.detection.actions import REDISCOVERY
from curator.hooks.answer import Decision, decide
from curator.model import JSON, Candidate, Entry, Evidence, Project, Query, Relating, Role, State, Turn
from curator.ranking import rank
from curator.ranking.rank import Hit, Question, tokens
from curator.replay import (
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
    control_lessons,
    fits,
    share,
    signs,
    summary,
)
from curator.stats import Row
from curator.store.hook_reader import COLUMNS, Retrieval
from curator.store.pool import Pool
from curator.text.clean import strip
from curator.text.words import pluralize
from curator.transcripts.base import discover, follow

ACTIVE, AS_KEPT, CANDIDATES = "active", "as-kept", "candidates"
"""The lessons in play: today's, from their first evidence on; the same from the decision on; also waiting ones."""
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
    """A lesson, and since when it is known outside the ``session`` that it comes from (seconds since the epoch)."""

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
    ids = {one.lesson for one in report.cases}
    headlines = curator.lessons.headlines(ids)
    for one in found["never_in_time"]:
        one["headline"] = headlines.get(one["lesson"], "")
    names = {id_: project.name for id_, project in curator.projects().items()}
    first = {id_: first_statement(curator, id_) for id_ in ids}
    stated = {id_: {"file": one.file, "line": one.line} if one else None for id_, one in first.items()}
    cases = [
        asdict(one) | {"at": iso(one.at), "headline": headlines.get(one.lesson, ""), "stated": stated[one.lesson]}
        for one in report.cases
    ]
    return found | {"cases": [one | {"project": names.get(one["project"], one["project"])} for one in cases]}


def first_statement(curator: Curator, lesson: str) -> Evidence | None:
    """Return the place where a lesson was first stated; ``None`` if it is unknown."""
    entry = curator.lessons.peek(lesson)
    first = earliest(entry) if entry else None
    return first if first and first.file else None


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


def replay_sessions(lessons: Sequence[KnownLesson], read: Sequence[Past], every: Sequence[KnownLesson]) -> Report:
    """Replay sessions that were read. ``every`` holds the lessons of all projects, from which the control takes strangers."""
    ends: dict[str, float] = {}
    for one in read:
        ends[one.session.id] = max(ends.get(one.session.id, 0.0), one.session.end)
    lessons = sorted(
        (replace(one, since=max(one.since, ends.get(one.session, 0.0))) for one in lessons),
        key=lambda one: (one.since, one.entry.id),
    )
    sign, donors = signs([one.entry for one in every]), control(lessons, every)
    foreign = {id_: sign[donor.entry.id] for id_, donor in donors.items()}
    swapped = [in_place_of(one, donors[one.entry.id]) for one in lessons if one.entry.id in donors]
    events, plays = sorted(_events(read), key=lambda event: event[:3]), [SessionResult(one) for one in read]
    with closing(KnownLessonsOverTime(lessons)) as sweep:
        for at, number, _, event in events:
            play = plays[number]
            sweep.know(at)
            if isinstance(event, Moment):
                sweep.ask(event, play.course, at)
            elif (lesson := sweep.find_restated(event)) and lesson not in play.returns:
                play.returns[lesson] = replace(event, lesson=lesson), play.course.why(lesson)
    step = max(1, len(plays) // CONTROLLED)
    with closing(KnownLessonsOverTime(swapped, searched=False)) as chance:
        for at, number, _, event in events if swapped else ():
            if isinstance(event, Moment) and (number % step == 0 or plays[number].returns):
                chance.know(at)
                chance.ask(event, plays[number].chance, at)
    cases = [one for play in plays for one in play.cases(sweep.lessons, with_chance=bool(swapped))]
    last = max(ends.values(), default=0.0)
    return Report(
        cases=tuple(sorted(cases, key=lambda one: (one.at, one.session, one.line))),
        sendings=tuple(play.judge(play.course, sign) for play in plays),
        chance=tuple(play.judge(play.chance, foreign) for play in plays[::step]) if swapped else None,
        lessons=len(lessons),
        in_play=sum(one.since < last for one in lessons),
        sessions=len(read),
        undated_sessions=sum(one.is_undated for one in read),
        corrections=sum(one.corrections for one in read),
    )


Payload = Moment | Recurrence
Event = tuple[float, int, tuple[int, bool], Payload]
"""Time, session, position in it, and content. At one turn, words come before the lessons that are sent."""


def _events(read: Sequence[Past]) -> Iterator[Event]:
    for number, one in enumerate(read):
        payloads: Iterable[Payload] = chain(one.sayings, one.quotes, one.session.moments)
        for event in payloads:
            yield one.session.times[event.index], number, (event.index, isinstance(event, Moment)), event


def control(lessons: Sequence[KnownLesson], every: Sequence[KnownLesson]) -> dict[str, KnownLesson]:
    """Return, for each of these lessons, one of another project, which takes its place in the control."""
    by_id = {one.entry.id: one for one in every}
    by_project: dict[str, list[str]] = defaultdict(list)
    for one in sorted(every, key=lambda one: (one.since, one.entry.id)):
        by_project[one.entry.project].append(one.entry.id)
    found = control_lessons(by_project, dict.fromkeys(one.entry.project for one in lessons))
    return {one.entry.id: by_id[found[one.entry.id]] for one in lessons if one.entry.id in found}


def in_place_of(known: KnownLesson, stranger: KnownLesson) -> KnownLesson:
    """Return the words, files and names of another project's lesson, under the id of this one and known as long."""
    entry, donor = known.entry, stranger.entry
    place = entry.scope if "global" in (entry.scope, donor.scope) else donor.scope
    words = donor._replace(
        id=entry.id, project=entry.project, scope=place, created=entry.created, supersedes=(), fingerprint=""
    )
    return replace(known, entry=words, files=())


class KnownLessonsOverTime:
    """A pass through time with the lessons known at each moment. The caller closes it."""

    def __init__(self, lessons: Sequence[KnownLesson], *, searched: bool = True) -> None:
        self.pool = Pool()
        self.searched = searched
        self.lessons: dict[str, KnownLesson] = {}
        self._coming = deque(lessons)
        self._answers: dict[tuple[object, ...], tuple[Retrieval, list[Hit] | None]] = {}
        self._originals: dict[tuple[object, ...], str] = {}
        """The lesson that some words repeat, until another one is known: people say the same in many sessions."""

    def close(self) -> None:
        """Forget the pool."""
        self.pool.close()

    def know(self, at: float) -> None:
        """Add the lessons that were known before a moment."""
        while self._coming and self._coming[0].since < at:
            one = self._coming.popleft()
            self.lessons[one.entry.id] = one
            first = one.entry.evidence[:1]  # later statements are not known yet
            entry = one.entry._replace(state=State.ACTIVE, findings=(), evidence=first, updated=one.since)
            self.pool.add(entry, one.files, searched=self.searched)
            self._answers.clear()
            self._originals.clear()

    def ask(self, moment: Moment, course: SessionReplay, at: float) -> None:
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

    def find_restated(self, said: Recurrence) -> str:
        """Return the id of the known lesson that something says again; empty for none."""
        if not isinstance(said, Restatement):
            return said.lesson if said.lesson in self.lessons else ""
        candidate = said.candidate
        if same := self.pool.by_fingerprint(said.project, candidate.fingerprint):
            return same if has_same_mend(self.lessons[same].entry, candidate) else ""
        if said.kind == "command":
            return ""
        words = (said.project, candidate.headline, candidate.insight, candidate.files, candidate.symbols)  # of a ``Statement``
        if words not in self._originals:
            near = self.pool.near(search_terms(candidate).words, said.project, MAX_COMPARED)
            self._originals[words] = find_original(candidate, [self.lessons[id_].entry for id_, _ in near])
        return self._originals[words]


def has_same_mend(entry: Entry, candidate: Candidate) -> bool:
    """Return whether the same command fixed the same error, if the lesson names a command. Other statements have no command."""
    mends = {item.quote for item in entry.evidence if item.role is Role.TOOL_CALL}
    if candidate.signal != REDISCOVERY or not mends:
        return True
    return any(item.quote in mends for item in candidate.evidence if item.role is Role.TOOL_CALL)


class SessionReplay:
    """The deliveries of one session; ``known_ids`` by moment, since the agent's context was last lost; reasons for silence."""

    def __init__(self, agent: str) -> None:
        fading = dialects.DECISIONS_UNTIL_LOST.get(agent, 0)
        self.agent = agent
        self.known_ids: deque[frozenset[str]] = deque(maxlen=fading or None)
        self.sendings: list[Sending] = []
        self._hook_ran = False
        self._heaviest: dict[str, tuple[float, str]] = {}
        """The most that ever spoke for a lesson that was not sent, and why it was not."""

    def note(self, moment: Moment, made: Decision) -> None:
        """Remember a decision."""
        self._hook_ran = True
        heard = not is_unheard(self.agent, moment.kind)
        costs = zip(made.sendings, made.tokens, strict=True)
        sent = [Sending(hit.id, moment.index, moment.kind, cost) for (hit, _), cost in costs] if heard else []
        self.sendings += sent
        self.known_ids.append(frozenset(one.lesson for one in sent))
        reasons = {hit.id: reason for hit, reason in made.omissions}
        threshold = rank.THRESHOLDS[moment.kind]
        for hit in made.hits:
            if moment.kind == START and hit.score < threshold:
                continue  # Here every lesson gets a score, whatever it is about.
            if hit.id not in self._heaviest or hit.score > self._heaviest[hit.id][0]:
                below = rank.below_threshold(hit.score, threshold)
                self._heaviest[hit.id] = (
                    hit.score,
                    reasons.get(hit.id) or (below if hit.score < threshold else rank.LESSON_LIMIT),
                )

    def why(self, lesson: str) -> str:
        """Why a lesson was not sent until now."""
        return self._heaviest[lesson][1] if lesson in self._heaviest else NOTHING_SHARED if self._hook_ran else UNASKED


def is_unheard(agent: str, kind: str) -> bool:
    """Return whether an agent is known to ignore the answers to all events at such moments."""
    events = [event for event, moment in dialects.AGENTS.get(agent, ("", {}))[1].items() if moment == kind]
    return bool(events) and all((agent, event) in dialects.UNHEARD for event in events)


class SessionResult:
    """One session in a replay: its lessons, also in the control, and repeats, once per lesson."""

    def __init__(self, past: Past) -> None:
        self.past = past
        self.course = SessionReplay(past.session.agent)
        self.chance = SessionReplay(past.session.agent)
        self.returns: dict[str, tuple[Recurrence, str]] = {}

    def cases(self, known: Mapping[str, KnownLesson], *, with_chance: bool) -> Iterator[Case]:
        """Yield the outcome of each repeated lesson."""
        for found, why in self.returns.values():
            one = known[found.lesson]
            files = tuple(file for project, file in one.files if project == one.entry.project)
            file = rank.stating_file(files, self.course.agent)
            chance = self.chance.sendings if with_chance else None
            yield case(self.past.session, one.entry.project, found, self.course.sendings, file, why, chance)

    def judge(self, course: SessionReplay, sign: Mapping[str, Signs]) -> tuple[Sending, ...]:
        """Return each sent lesson with its fit: whether the session stated it later or showed a sign of it."""
        stated = {lesson: found.index for lesson, (found, _) in self.returns.items()} if course is self.course else {}
        return tuple(
            replace(one, fitting=stated.get(one.lesson, -1) > one.index or fits(self.past.session, one.index, sign[one.lesson]))
            for one in course.sendings
        )


POOLS = {
    ACTIVE: "today's active lessons, each from its first quote on",
    AS_KEPT: "today's active lessons, each from the day you kept it",
    CANDIDATES: "active lessons and candidates (an upper bound)",
}
LEFT_OUT = "Nothing was written. The replay ignores changes of code and outcomes."
MIN_STATEMENTS_FOR_SHARE = 30
"""Minimum number of repeated statements for a meaningful share."""


def sections(found: JSON, which: str) -> dict[str, list[Row]]:
    """Return the results of ``replay.figures`` by heading."""
    parts = {
        "replayed": coverage(found, which),
        "stated again in a later session": recurrence_rows(found),
        "what would have been sent": volume(found),
    }
    return {heading: rows for heading, rows in parts.items() if rows}


def coverage(found: JSON, which: str) -> list[Row]:
    """Return the sessions, and the lessons that were in play."""
    undated = f"{found['undated']} of them by the age of their file" if found["undated"] else ""
    known = f"{POOLS[which]}; {found['in_play']:,} known during these sessions"
    return [("sessions", f"{found['sessions']:,}", undated), ("lessons", f"{found['lessons']:,}", known)]


def recurrence_rows(found: JSON) -> list[Row]:
    """Return the repeated lessons by outcome, with shares."""
    outcomes, every = found["outcomes"], found["came_up_again"]
    kinds = ", ".join(f"{one['of']} {kind}" for kind, one in found["by_kind"].items())
    before = f"{share_text(found['sent_before'])}{control_share(found, 'sent_before')}"
    rows = [("in all", f"{every:,}", kinds)]
    rows += [("sent before", f"{outcomes[Outcome.BEFORE]:,}", before)] if every else []
    if outcomes[Outcome.BEFORE]:
        seconds = f", {found['seconds_before']:.0f} s" if found["seconds_before"] is not None else ""
        between = f"{pluralize(found['turns_before'], 'turn')}{seconds}, {pluralize(found['tokens_before'], 'token')}"
        rows.append(("", "", f"{between} before it was said (median)"))
    others = [outcome for outcome in Outcome if outcome is not Outcome.BEFORE] if every else []
    rows += [(one.value, f"{outcomes[one]:,}", share_text(share(outcomes[one], every))) for one in others]
    spared = found["corrections_spared_at_most"]
    note = f"by a person; at most {spared} could have been avoided"
    return [*rows, ("corrections", f"{found['corrections']:,}", note)]


def volume(found: JSON) -> list[Row]:
    """Return how much would have been sent, and how much of it fitted."""
    tokens, fitting = found["tokens_a_session"], found["fitting"]
    cost = f"tokens a session: {tokens['median']} (median), {tokens['p90']} (9 of 10 below)"
    fits = (
        f"{share_text(fitting)} of the sent lessons were relevant to what the session did next{control_share(found, 'fitting')}"
    )
    return [("lessons", f"{found['sent']:,}", cost), ("fitting", f"{fitting['n']:,}", fits)]


def share_text(share: JSON) -> str:
    """Return a share with its interval."""
    if not share["of"]:
        return "of none"
    return f"{share['share']:.0%} ({share['low']:.0%} to {share['high']:.0%})"


def control_share(found: JSON, name: str) -> str:
    """Return the same share where all lessons are another project's."""
    return f"; by chance {share_text(found['chance'][name])}" if found["chance"] else ""


def notes(found: JSON) -> Iterator[str]:
    """Yield the notes for these figures."""
    yield LEFT_OUT
    yield "These figures are bounds. A transcript does not show whether the agent used a lesson."
    if not found["chance"]:
        yield "There is no control, because no other project has lessons."
    if not found["came_up_again"]:
        yield "No lesson was stated again in a later session, so there is nothing to measure."
    elif found["came_up_again"] < MIN_STATEMENTS_FOR_SHARE:
        yield f"Only {pluralize(found['came_up_again'], 'statement')} came up again. Read the interval, not the share."


_DATED = re.compile(r"(20\d\d)-(\d\d)-(\d\d)[_T-](\d\d)[-:](\d\d)")
"""A time in a transcript's name, as SpecStory writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restatement(Recurrence):
    """A possible repeat of a lesson, which is not looked for yet: its candidate, and the project."""

    candidate: Candidate
    project: str


@dataclass(frozen=True, slots=True)
class Past:
    """A session with its contents. With ``is_undated``, the name or age of its file replaces its time."""

    session: Session
    sayings: tuple[Restatement, ...]
    quotes: tuple[Recurrence, ...]
    corrections: int
    is_undated: bool


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
        self.quotes: dict[str, list[tuple[Entry, list[Evidence]]]] = defaultdict(list)
        for entry in lessons:
            for session in {item.session for item in entry.evidence}:
                self.quotes[session].append((entry, [item for item in entry.evidence if item.session == session]))
        self._projects = curator.projects()
        self._folders: dict[str, Project | None] = {}
        self._tellers: dict[int, int] = {}

    def read(self, roots: Sequence[Path] | None, progress: Callable[[Step], object]) -> Iterator[Past]:
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
                if not is_ours(item.path, turns) and (one := self.past(item.path, self.fresh(item.path, turns), item.mtime)):
                    count += 1
                    yield one
            size += item.size
        progress(Step(len(found.transcripts), len(found.transcripts), total, total, count))

    def past(self, path: Path, turns: Sequence[Turn], age: float) -> Past | None:
        """Return the replay's data of one session; ``None`` if it has nothing of the wanted project."""
        where = self.where(path)
        folders = dict.fromkeys(turn.cwd for turn in turns)
        if all(turn.sidechain for turn in turns) or not any(where(folder, ()) for folder in folders):
            return None
        undated = not any(turn.at for turn in turns)
        session = past.session(turns, where, touches, tokens, self.words, file_time(path, age) if undated else 0.0)
        sayings, quoted = tuple(self._sayings(session, turns, where)), tuple(self._quotes(turns))
        return Past(session, sayings, quoted, sum(map(detection.is_objection, turns)), undated)

    def fresh(self, path: Path, turns: Sequence[Turn]) -> list[Turn]:
        """Return the turns that no earlier session has. Agents copy turns into resumed and forked sessions."""
        keys = [follow.keys(turn) for turn in turns]
        teller = follow.source(str(path), turns[0].session)
        known = follow.find_repeats(turns, keys, self._tellers, teller, first=True)
        self._tellers |= follow.first_sources(keys, known, self._tellers, teller)
        return [turn for turn, repeated in zip(turns, known, strict=True) if not repeated]

    def _where(self, path: Path) -> Where:
        """Return a function that finds a folder's project; without a folder, that of the transcript's folder."""

        def where(folder: str, files: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
            project = self._project(folder or str(path.parent))
            if project is None:
                return None
            return project.id, projects.relative_to(files, project.folder, folder) if files else ()

        return where

    def _project(self, folder: str) -> Project | None:
        """Return the project of a folder; ``None`` for one that is excluded or not asked about."""
        if folder not in self._folders:
            sources = self.curator.store.sources
            stored = projects.linked(folder, sources.links()) or sources.folders().get(folder, "")
            project = self._projects.get(stored) or projects.identify(folder, self._projects.values())
            closed = projects.is_excluded(folder, self.curator.settings.exclude) or self.scope not in (None, project.id)
            self._folders[folder] = None if closed else project
        return self._folders[folder]

    def _sayings(self, session: Session, turns: Sequence[Turn], where: Where) -> Iterator[Restatement]:
        candidates = [one for one in detection.detect(turns) if one.signal in MISHAPS or one.evidence[0].role is Role.HUMAN]
        for error in detection.errors(turns):
            if error.signature in self.signatures and (again := detection.rediscovery(turns, error)):
                candidates.append(again)
        folder = next((turn.cwd for turn in turns if turn.cwd), "")
        for candidate in candidates:
            mishap = candidate.signal in MISHAPS
            quotes = candidate.evidence if mishap else are_similar(candidate.evidence)
            places = [at for item in quotes if (at := past.find_quote(turns, item)) is not None]
            if places and (found := where(turns[min(places)].cwd or folder, ())):
                index = min(places)
                first, last = (index, max(places)) if mishap else session.work_before(index)
                kind, quote = kind_of(turns[index], mishap=mishap), candidate.evidence[0].quote
                yield Restatement(
                    lesson="",
                    kind=kind,
                    quote=quote,
                    index=index,
                    first=first,
                    last=last,
                    candidate=candidate,
                    project=found[0],
                )

    def _quotes(self, turns: Sequence[Turn]) -> Iterator[Recurrence]:
        """Yield the known quotes of a lesson: its evidence from this session, from a person or a command."""
        for entry, evidence in self.quotes.get(strip(turns[0].session), ()):
            mishap = entry.signal in MISHAPS
            quotes = evidence if mishap else are_similar(evidence) if evidence[0].role is Role.HUMAN else []
            places = [at for item in quotes if (at := past.find_quote(turns, item)) is not None]
            if places:
                index = min(places)
                kind = kind_of(turns[index], mishap=mishap)
                yield Recurrence(lesson=entry.id, kind=kind, quote=quotes[0].quote, index=index, first=index, last=index)


def kind_of(turn: Turn, *, mishap: bool) -> str:
    """Return the kind of a lesson's repetition: see ``replay.Recurrence``."""
    return "command" if mishap else "correction" if detection.is_objection(turn) else "statement"


def are_similar(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the best evidence, and those of a person's other quotes that state the same. The rest only mention it."""
    best, *others = evidence
    results = ((one, between(best.quote, one.quote)) for one in others if one.role is Role.HUMAN)
    return [best, *(one for one, result in results if result.relating is Relating.DUPLICATE)]


def touches(turn: Turn) -> bool:
    """Return whether a call is of a tool for files, for which agents call hooks; of agents that have no hooks, any call."""
    return turn.tool.lower() in dialects.FILE_TOOLS or turn.agent not in dialects.AGENTS


def file_time(path: Path, age: float) -> float:
    """Return the time of a transcript without times, from its name, or else its ``age`` (time of last change)."""
    if found := _DATED.search(path.name):
        try:
            return datetime(*map(int, found.groups()), tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]
        except ValueError:
            return age
    return age
