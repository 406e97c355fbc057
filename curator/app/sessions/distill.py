"""Reading by a model: find unread sessions, estimate the tokens, ask, and make cards from the answers.

A model decides nothing. Its answers pass the gate, an accepted answer becomes a card like others, and undo reverts a whole run.
The transaction that makes a session's cards also marks it as read, so a stopped run continues at the next session.
"""

from __future__ import annotations

import hashlib
import logging
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from curator import clock, curate, plugins
from curator.agents import spool
from curator.app import origins
from curator.app.decide import clean_value
from curator.app.sessions.ingest import Ingest, folders, is_ours, shareable_candidate
from curator.app.sessions.origins import is_committed, mark_as_said_by_file
from curator.app.tombstones import of_session
from curator.distill import CLIENT_BY_AGENT, command, digest, gate
from curator.distill.digest import ANSWER, prompt, tokens
from curator.distill.gate import Cache, key
from curator.errors import CuratorError, UnknownId
from curator.hookspecs import Distiller
from curator.io import files
from curator.model import (
    DISTILLED,
    FROM_FILE,
    Candidate,
    Category,
    Change,
    Entry,
    Evidence,
    Kind,
    Locator,
    Project,
    Relating,
    Relation,
    Role,
    State,
    Turn,
    Verb,
    Wording,
)
from curator.settings import DAY_SECONDS, Settings
from curator.text import statement
from curator.text.clean import strip
from curator.transcripts.base import discover

if TYPE_CHECKING:
    from curator.app.curator import Curator
    from curator.store.sources import Source

log = logging.getLogger(__name__)
SESSION_END_SECONDS = 600.0
"""Seconds without a word after which a session counts as ended."""
MONTH_SECONDS = 30 * DAY_SECONDS
OWN = "own"
"""The distiller that has each session read by the command of the agent that wrote it."""
WHEN_CHOICES = ("ask", "end", "never")
MAX_FAILURES = 3
"""The number of failures in a row after which a reader is not asked any more."""
MIN_TURNS = 3
"""Turns of a session that is worth reading."""
STOPPED = "Stopped. The next run continues there."
LESSONS_PER_CANDIDATE = 4
"""Stored lessons that are named for each candidate."""
MUST, USEFUL = 0.95, 0.85
"""The odds that a person keeps a "must" of a model, and the rest: measured with a strong model, docs/benchmarks.md."""


class Reader(NamedTuple):
    """The reader of a session: its name in the settings, and its distiller."""

    name: str
    distiller: Distiller


@dataclass(frozen=True, slots=True)
class Session:
    """A session that may be read: its transcript, its project, the approximate tokens of each part, and the digests' hash."""

    id: str
    file: Path
    project: Project
    agent: str
    tokens: tuple[int, ...]
    hash: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The readers and their sessions, the most promising first, and the cost. A cached answer costs nothing."""

    readers: Mapping[str, Reader]
    """The reader by agent. ``""`` has the reader of all other agents' sessions."""
    sessions: tuple[Session, ...]
    price: float = 0.0
    again: bool = False
    """If true, sessions that were read before are read again."""

    def reader(self, session: Session) -> Reader:
        """Return who reads a session of the plan."""
        return self.readers[session.agent if session.agent in self.readers else ""]

    @property
    def models(self) -> tuple[str, ...]:
        """Return the models to ask. Return none if no reader is set."""
        return tuple(dict.fromkeys(self.reader(session).distiller.model for session in self.sessions if self.readers))

    @property
    def tokens(self) -> int:
        """Return the approximate number of tokens of all prompts and answers."""
        return sum(sum(session.tokens) for session in self.sessions)

    @property
    def calls(self) -> int:
        """Return the number of calls of the model."""
        return sum(len(session.tokens) for session in self.sessions)

    @property
    def cost(self) -> float | None:
        """Return the price of the tokens, from the set price per million. Return ``None`` without a price."""
        return self.tokens * self.price / 1_000_000 if self.price else None


class Proposal(NamedTuple):
    """A lesson that passed the gate, as the model states it and as a candidate."""

    claim: gate.Claim
    candidate: Candidate


@dataclass(slots=True)
class Reading:
    """The outcome of one session."""

    session: Session
    tokens: int = 0
    lessons: int = 0
    new: int = 0
    chosen: int = 0
    left_out: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    failure: str = ""


@dataclass(slots=True)
class Distillation:
    """The outcome of a run, session by session, and the reason for an early end."""

    readings: list[Reading] = field(default_factory=list)
    end_reason: str = ""

    @property
    def failure(self) -> str:
        """Return the reason of the first failed session."""
        return next((one.failure for one in self.readings if one.failure), "")


def plan(
    curator: Curator,
    *,
    session: str = "",
    since: float = 0.0,
    until: float = math.inf,
    name: str = "",
    limit: int = 0,
    unread: bool = True,
    estimate: bool = False,
) -> Plan:
    """Return the unread sessions of the current project (or all) as a plan. Sends nothing.

    ``session`` names one by its beginning. ``since`` and ``until`` limit the time at which a transcript was written. Raises
    ``CuratorError`` if no distiller is set, none has that name, or its settings are wrong. An ``estimate`` needs no distiller.
    """
    if curator.store.newer:
        raise CuratorError(curator.store.newer, "Update curator; nothing was sent.")
    settings = with_name(curator.settings, name)
    found = readers(settings) if settings.has_reader or not estimate else {}
    waiting = pending(curator, session=session, since=since, until=until, unread=unread)
    sessions = (one for one in waiting if not found or one.agent in found or "" in found)
    return Plan(found, tuple(islice(sessions, limit or None)), settings.distill_price, again=not unread)


def with_name(settings: Settings, name: str) -> Settings:
    """Return the settings with another distiller, where one is named."""
    return settings._replace(distiller=name) if name else settings


def readers(settings: Settings) -> Mapping[str, Reader]:
    """Return who reads the sessions of each agent, under ``""`` who reads those of all others. Raises ``CuratorError``."""
    if settings.distiller != OWN:
        return {"": make(settings)}
    found = {}
    for agent, client in CLIENT_BY_AGENT.items():
        with suppress(CuratorError):  # it is not installed
            found[agent] = make(settings._replace(distiller=client, distill_model=""))
    if not found:
        raise CuratorError(
            "No agent that can read sessions is on the PATH.", f"Install one, or set another `distiller` in {settings.file}."
        )
    if settings.distill_others:
        found[""] = next(iter(found.values()))
    return found


def own_readers(settings: Settings) -> Mapping[str, Reader]:
    """Return who can read the sessions of each agent on this machine by the agent's own command."""
    try:
        return readers(settings._replace(distiller=OWN, distill_others=False))
    except CuratorError:
        return {}


def available(settings: Settings) -> dict[str, str]:
    """Return every distiller that can be set, with its model or the reason why it can't be used."""
    found = {OWN: ", ".join(reader.name for reader in own_readers(settings).values()) or "no agent is on the PATH"}
    for name in plugins.distillers():
        try:
            found[name] = make(settings._replace(distiller=name)).distiller.model
        except CuratorError as error:
            found[name] = error.message
    return found


def make(settings: Settings) -> Reader:
    """Return the distiller from the settings. Raises ``CuratorError``."""
    name, known = settings.distiller if settings.has_reader else "", plugins.distillers()
    if settings.distill_when not in WHEN_CHOICES:
        raise CuratorError(
            f"distill_when is {settings.distill_when!r}.", f"Set it to one of {', '.join(WHEN_CHOICES)} in {settings.file}."
        )
    if name not in known:
        raise CuratorError(
            f"There is no reader {name!r}." if name else "No model is set up to read sessions.",
            f'Add a line such as distiller = "own" to {settings.file}. Choose one of {", ".join(sorted({OWN, *known}))}.',
        )
    try:
        return Reader(name, known[name](settings))
    except CuratorError:
        raise
    except Exception as error:
        log.exception("the distiller %s can't be made", name)
        raise CuratorError(f"The reader {name!r} can't be used: {error!r}.", "The log has the details.") from error


def pending(
    curator: Curator, *, session: str = "", since: float = 0.0, until: float = math.inf, unread: bool = True
) -> Iterator[Session]:
    """Yield the sessions that may be read, those of the most promising transcript first.

    Raises ``UnknownId`` if more than one begins with ``session`` and none is called so.
    """
    found = _pending(curator, session, since, until, unread=unread)
    if not session:
        yield from found
        return
    named = [*found]
    exact = [one for one in named if one.id == session]
    if not exact and len({one.id for one in named}) > 1:
        raise UnknownId(f"More than one session begins with {session}.", "Give more of the id.")
    yield from exact or named


def _pending(curator: Curator, session: str, since: float, until: float, *, unread: bool) -> Iterator[Session]:
    run, store, scope = Ingest(curator), curator.store, curator.scope or ""
    read, files = store.distilling.sessions(), store.distilling.files(scope)
    worth = store.entries.scores_by_transcript()
    for source in sorted(run.sources.values(), key=lambda one: (-expected_yield(one, worth, clock.now()), -one.read_at)):
        if unread and not session and files.get(source.path, -1.0) >= source.read_at:
            continue
        path = Path(source.path)
        if not since <= _mtime(path) <= until:
            continue
        found = _of_file(run, path, session)
        new = [one for one in found if not unread or read.get(of_session(one.id)) != one.hash]
        if not new and not session:
            with store.transaction():
                store.distilling.mark_read(source.path, scope, source.read_at)
        yield from new


def expected_yield(source: Source, worth: Mapping[str, float], now: float) -> float:
    """Return how much a model may find in a transcript: the sum of its candidates' scores, halved each month."""
    return worth.get(source.path, 0.0) * math.pow(0.5, (now - source.read_at) / MONTH_SECONDS)


def _of_file(run: Ingest, path: Path, wanted: str) -> Iterator[Session]:
    """Yield the sessions of a transcript that may be sent."""
    curator = run.curator
    try:
        sessions = origins.sessions(path)
    except OSError:
        return
    for name, turns in reversed(sessions.items()):
        id_ = strip(name)
        if wanted and not id_.startswith(wanted):
            continue
        turns = _readable(run, path, id_, turns)
        if not turns:
            continue
        project = run.project(folders(turns)[turns[-1].locator.line])
        if curator.scope is None or project.id == curator.scope:
            texts = [part.text for part in digest.parts(turns, digest.part_characters(curator.settings.distill_context))]
            sizes = tuple(tokens(prompt(text)) + ANSWER for text in texts)
            yield Session(id_, path, project, turns[0].agent, sizes, _hash(texts))


def _readable(run: Ingest, path: Path, session: str, turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns of a session that may be sent, possibly none. Turns from an excluded folder are never sent."""
    if not turns or is_ours(path, turns) or run.curator.store.entries.has_tombstone(of_session(session)):
        return []
    where = folders(turns)
    open_ = [turn for turn in turns if not run.is_excluded(where[turn.locator.line])]
    has_person = any(turn.role is Role.HUMAN and not turn.automated and not turn.sidechain for turn in open_)
    return digest.sendable(open_) if has_person and len(open_) >= MIN_TURNS else []


def _mtime(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _hash(texts: Sequence[str]) -> str:
    # The key is the same for one part and for many: a read session stays read when ``distill_context`` changes.
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Question:
    """A part of a session to send, with its numbered candidates and lessons."""

    prompt: str
    below: str
    candidates: tuple[Entry, ...]
    lessons: tuple[Entry, ...]


class Transcript:
    """The transcript that was read last. Its sessions follow one another, and it may have hundreds."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._sessions: dict[str, list[Turn]] = {}

    def turns(self, session: Session) -> list[Turn]:
        """Return the turns of a session. Return none if its transcript no longer has it. Raises ``OSError``."""
        if session.file != self._path:
            found = origins.sessions(session.file)
            self._path, self._sessions = session.file, {strip(name): turns for name, turns in found.items()}
        return self._sessions.get(session.id, [])


def questions(work: Ingest, session: Session, transcript: Transcript) -> tuple[list[Turn], list[Question], str]:
    """Return the turns of a session that may be sent, the questions about them, and the hash of its digests."""
    from curator.app import merge_targets  # 4 MB that only a session to read needs

    curator = work.curator
    turns = _readable(work, session.file, session.id, transcript.turns(session))
    found = [*curator.lessons.entries(curator.lessons.waiting(Kind.CANDIDATE, rest=True, session=session.id))]
    found = [entry for entry in found if entry.rival is None and entry.evidence and entry.signal != FROM_FILE]
    made, texts, only_choose = [], [], curator.settings.distill_choose
    for part in digest.parts(turns, digest.part_characters(curator.settings.distill_context)):
        candidates = sorted(digest.of_part(found, part, turns), key=lambda one: (-one.score, one.evidence[0].line, one.id))
        candidates = candidates[: digest.CANDIDATES]
        near = [
            one
            for entry in candidates
            for one in merge_targets.near(curator, entry, session.project.id, State.ACTIVE)[:LESSONS_PER_CANDIDATE]
        ]
        lessons = [*{one.id: one for one in near}.values()][: digest.LESSONS]
        below = digest.candidates_and_lessons(candidates, lessons)
        texts.append(part.text)
        if candidates or not only_choose:
            text = prompt(part.text, below, only_choose=only_choose)
            made.append(Question(text, below, tuple(candidates), tuple(lessons)))
    return turns, made, _hash(texts)


def sample_prompt(curator: Curator, roots: Sequence[Path] | None = None) -> str:
    """Return a prompt about the newest session that its own agent can read, empty if there is none.

    Nothing was scanned yet, so it lacks the candidates and lessons that ``prompts`` puts below.
    """
    work, agents = Ingest(curator), own_readers(curator.settings)
    most = digest.part_characters(curator.settings.distill_context)
    found = [one for one in work.discover(roots).transcripts if one.format.agent in agents]
    for one in sorted(found, key=lambda one: -one.mtime):
        for name, turns in reversed(origins.sessions(one.path).items()):
            if shown := digest.parts(_readable(work, one.path, strip(name), turns), most):
                return prompt(shown[0].text)
    return ""


def prompts(curator: Curator, *, session: str = "", since: float = 0.0, limit: int = 0) -> Iterator[str]:
    """Yield the exact prompts about unread sessions, part by part."""
    work, transcript = Ingest(curator), Transcript()
    for one in islice(pending(curator, session=session, since=since, unread=not session), limit or None):
        yield from (question.prompt for question in questions(work, one, transcript)[1])


@contextmanager
def single_run_lock(settings: Settings) -> Iterator[None]:
    """Allow one run at a time: two would pay for the same sessions, and pass the day's tokens together. Raises ``Busy``."""
    files.private_folder(settings.home)
    fd = os.open(settings.home / "distill.lock", os.O_RDWR | os.O_CREAT, files.FILE)
    try:
        if not spool.lock(fd):
            raise Busy(
                "Another window or command is letting a model read sessions.", "Nothing was sent. Try again when it is done."
            )
        yield
    finally:
        os.close(fd)


def run(
    curator: Curator, plan: Plan, progress: Callable[[Distillation], None] = lambda done: None, stop: Event | None = None
) -> Distillation:
    """Ask about each session and make cards from accepted answers. Stop early on request, or when the day's tokens are used.

    Raises ``Busy`` if another process reads sessions, and the database's errors before the first session.
    """
    with single_run_lock(curator.settings):
        sessions, failures = _Run(curator, plan), Counter[str]()
        result = sessions.result
        for session in plan.sessions:
            if stop is not None and stop.is_set():
                result.end_reason = STOPPED
                break
            reading, reader = Reading(session), plan.reader(session)
            if failures[reader.name] == MAX_FAILURES:
                continue
            try:
                if not sessions.read(reading, reader):
                    continue
                failures[reader.name] = 0
            except OverBudget as error:
                result.end_reason = str(error)
                break
            except CuratorError as error:
                if not result.readings:
                    raise
                result.end_reason = " ".join(str(error).split())
                break
            except Exception as error:  # The cards stay, whatever a distiller does.
                if stop is not None and stop.is_set():  # it was ended with the run
                    result.end_reason = STOPPED
                    break
                failures[reader.name] += 1
                reading.failure = clean_value(str(error)) or type(error).__name__
                log.warning("the distiller %s failed on %s: %s", reader.name, session.id, clean_value(repr(error)))
            result.readings.append(reading)
            progress(result)
            if failures[reader.name] == MAX_FAILURES:
                given_up = f"{reader.distiller.model} failed {MAX_FAILURES} times in a row, so curator stopped asking it."
                result.end_reason = f"{result.end_reason} {given_up}".strip()
        return result


def has_agreed(curator: Curator, plan: Plan) -> bool:
    """Return whether a person has agreed before to send something to these models."""
    return all(map(curator.store.distilling.has_asked, plan.models))


def agree(curator: Curator) -> None:
    """Remember that a person agreed to the readers that are set. Raises ``CuratorError``."""
    with curator.store.transaction():
        for reader in readers(curator.settings).values():
            curator.store.distilling.ask("", reader.distiller.model, clock.now(), 0, 0.0)


def abandon() -> None:
    """End the running programs, because their answers are no longer needed."""
    command.end_all()


class Busy(CuratorError):
    """Another window or command has a run at this time."""


class OverBudget(Exception):
    """The day's tokens do not reach for the next question."""


class _Run:
    """A run of a plan: the finished readings, and the batch of its events."""

    def __init__(self, curator: Curator, plan: Plan) -> None:
        self.curator, self.store = curator, curator.store
        self.work = Ingest(curator, actor=curator.actor)
        self.result = Distillation()
        self._again = plan.again
        self._batch = clock.new_batch()
        self._transcript = Transcript()

    def read(self, reading: Reading, reader: Reader) -> bool:
        """Ask about one session and store the result. Return whether it was still unread. Raises the distiller's errors.

        Since the plan was made, another process may have read it, or a person may have forgotten it.
        """
        session, store = reading.session, self.store
        turns, prompts, hash_ = questions(self.work, session, self._transcript)
        mark = of_session(session.id)
        if not (prompts or self.curator.settings.distill_choose):
            return False
        if not self._again and store.distilling.sessions().get(mark) == hash_:
            return False
        format_ = discover.format_of(session.file, plugins.formats())
        committed = format_ is not None and is_committed(format_, session.file)  # Then the speakers are unknown.
        answered, left = [], gate.CARDS
        for question in prompts:
            text, took = ask(self.curator, reader, mark, question.prompt, "headline")
            reading.tokens += took
            found, refusals = judge(text, turns, question.below, question.candidates, most=left)
            left -= len(found)
            if committed:
                found = [one._replace(candidate=mark_as_said_by_file(one.candidate)) for one in found]
            answered.append((question, found, refusals))
        with store.transaction():
            if store.entries.has_tombstone(mark):
                return False
            if store.events.is_undone(self._batch):  # readings after an undo need a batch of their own
                self._batch = clock.new_batch()
            for question, found, refusals in answered:
                self._meet(reading, reader.distiller.model, question, found, refusals, folders(turns))
            store.distilling.finish(mark, hash_, reader.distiller.model, clock.now())
        return True

    def _meet(
        self,
        reading: Reading,
        model: str,
        question: Question,
        found: Sequence[Proposal],
        refusals: Sequence[gate.Refusal],
        where: Mapping[int, str],
    ) -> None:
        """Join accepted answers with the existing cards. ``where`` gives the folder of each line.

        Joins the caller's transaction. Entries with a decision stay unchanged.
        """
        peek, named = self.curator.lessons.peek, set[str]()
        for refusal in refusals:
            reading.refusals[refusal.reason] += 1
            log.info("left out of an answer about %s: %s", reading.session.id, refusal.reason)  # its words may be forgotten
        for one in found:
            candidate, target = numbered(question.candidates, one.claim.candidate), numbered(question.lessons, one.claim.lesson)
            lesson = peek(target.id) if target else None  # A person may have decided meanwhile.
            lesson = lesson if lesson and lesson.state is State.ACTIVE else None
            rival = _relation(one, lesson)
            if candidate is not None and candidate.id not in named:
                named.add(candidate.id)
                reading.chosen += self._choose(candidate, one.candidate, rival, model)
            else:
                reading.new += self._propose(one.candidate, where[one.candidate.evidence[0].line], lesson, rival, model)
            reading.lessons += 1
        refused = {refusal.candidate for refusal in refusals}
        for number, entry in enumerate(question.candidates, 1):
            current = peek(entry.id)
            if entry.id in named or number in refused or current is None or current.state is not State.OPEN or current.rival:
                continue
            self._apply(curate.leave_out(current, model))
            reading.left_out += 1

    def _choose(self, chosen: Entry, new: Candidate, rival: Relation | None, model: str) -> bool:
        """Give a candidate the words of the model that chose it. Return whether this worked.

        A decided, conflicting or reworded entry stays unchanged.
        """
        entry = self.curator.lessons.peek(chosen.id)
        if entry is None or entry.state is not State.OPEN or entry.rival is not None or self.store.events.is_reworded(entry.id):
            return False
        proof = (shareable_candidate(new, self.work.project_of(entry).folder, "").evidence[0],)
        change = curate.distill(
            entry,
            clock.now(),
            Wording(new.headline, new.insight, "distilled"),
            by=model,
            category=new.category,
            durability=new.durability,
            evidence=curate.unite_evidence(proof, entry.evidence),
            score=max(new.score, entry.score),
            score_parts={part: worth for part, worth in entry.score_parts.items() if not worth} | dict(new.score_parts),
            signal=f"{DISTILLED}{model}",
            rival=rival,
        )
        self._apply(change)
        return True

    def _propose(self, found: Candidate, folder: str, lesson: Entry | None, rival: Relation | None, model: str) -> bool:
        """Make a card of a lesson that the rules had not found, or count it as stated again. Return whether it is a card."""
        project = self.work.project(folder)
        new = shareable_candidate(replace(found, signal=f"{DISTILLED}{model}"), project.folder, folder)
        if lesson is not None and rival is not None and rival.relating is Relating.DUPLICATE:
            change = curate.see_again(lesson, new.evidence, new.score, clock.now())
            if change is not None:
                self._apply(change)
            return False
        fields = {"rival": rival} if rival else {}
        made = self.work.propose(new, project.id, verb=Verb.DISTILL, batch=self._batch, distiller=model, **fields)
        return made is Verb.DISTILL

    def _apply(self, change: Change) -> None:
        self.store.apply([(Verb.DISTILL, change)], actor=self.work.actor, at=clock.now(), batch=self._batch)


Item = TypeVar("Item")


def numbered(items: Sequence[Item], number: int) -> Item | None:
    """Return the item that a model names by its number, from 1 on. Return ``None`` if there is no such item."""
    return items[number - 1] if 0 < number <= len(items) else None


def _relation(found: Proposal, lesson: Entry | None) -> Relation | None:
    """Return the model's relation of a lesson to a stored one, with curator's list of contradicting words."""
    how = found.claim.relating
    if lesson is None or how is None:
        return None
    from curator import comparison  # 4 MB that only an answer with a relation needs

    older, newer = comparison.comparison_text(lesson), comparison.comparison_text(found.candidate)
    is_conflict = how in (Relating.SUPERSEDES, Relating.CONTRADICTS)
    clash = comparison.between(older, newer).clash if is_conflict else ()
    person = found.candidate.evidence[0].role is Role.HUMAN
    return Relation(lesson.id, how, clash=clash, likeness=comparison.likeness(older, newer, 0.0), certain=person)


def ask(curator: Curator, reader: Reader, mark: str, text: str, named: str) -> tuple[str, int]:
    """Return the model's text, from the cache if possible, and the tokens that it took.

    ``mark`` labels the statistics. ``named`` is a key that the objects of an answer have.

    Raises ``OverBudget`` before it sends anything, and the distiller's errors.
    """
    name, distiller = reader
    known, hash_ = cache(curator.settings), key(f"{name}\0{distiller.model}", text)
    found = known.get(hash_)
    if found is not None:
        return found, 0
    store, took, at, settings = curator.store, tokens(text) + ANSWER, clock.now(), curator.settings
    with store.transaction():  # another process that asks at this moment sees the cost
        if store.distilling.tokens_since(at - DAY_SECONDS) + took > settings.distill_tokens_a_day:
            most = settings.distill_tokens_a_day
            raise OverBudget(f"You have used the {most:,} tokens per day (distill_tokens_a_day). A later run continues there.")
        call = store.distilling.ask(mark, distiller.model, at, took, took * settings.distill_price / 1_000_000)
    try:
        found = distiller.answer(text)
    except (PermissionError, FileNotFoundError, ConnectionRefusedError):  # any other failure may have cost its tokens
        with store.transaction():
            store.distilling.refund(call)
        raise
    list(gate.objects(found, named))  # an unreadable answer is asked for again another time
    with store.transaction():  # forgetting empties the cache: before this, or after it
        if not store.entries.has_tombstone(mark):
            known.put(hash_, found)
    return found, took


class Trial(NamedTuple):
    """A distiller's answers about a session with one lesson: the number of lessons it named, and the cost.

    ``only_chose`` says that it did not word the lesson but chose it among candidates.
    """

    lessons: int
    tokens: int
    cost: float
    seconds: float
    only_chose: bool = False


MADE_UP = (
    (Role.HUMAN, "add a retry to the upload in client.py"),
    (Role.ASSISTANT, "I added a retry to `upload` in client.py and to the nightly job."),
    (Role.HUMAN, "never retry in the nightly job: the server counts each attempt and blocks us after three"),
)
"""A session with one lesson, in its last line."""


def try_reader(settings: Settings, reader: Reader) -> Trial:
    """Let a reader read a made-up session. If that fails, let it only choose. Raises ``CuratorError``, also for the distiller's
    errors.
    """
    first = _try(settings, reader, only_choose=settings.distill_choose)
    if first.lessons or settings.distill_choose:
        return first
    second = _try(settings, reader, only_choose=True)
    return second._replace(tokens=first.tokens + second.tokens, cost=first.cost + second.cost)


def _try(settings: Settings, reader: Reader, *, only_choose: bool) -> Trial:
    model = reader.distiller.model
    turns = [
        Turn(agent="", session="", role=role, text=text, locator=Locator("", line, line))
        for line, (role, text) in enumerate(MADE_UP, 1)
    ]
    said = [Evidence(turn.text, turn.role, "", at, at) for at, turn in enumerate(turns, 1) if turn.role is Role.HUMAN]
    candidates = [candidate_of(one) for one in said] if only_choose else []
    below = digest.candidates_and_lessons(candidates, ())
    text = prompt(digest.parts(turns)[0].text, below, only_choose=only_choose)
    began, took = clock.now(), tokens(text) + ANSWER
    try:
        answer = reader.distiller.answer(text)
    except Exception as error:
        log.warning("the distiller %s failed: %s", reader.name, clean_value(repr(error)))
        reason = clean_value(str(error)) or type(error).__name__
        raise CuratorError(f"{model} failed: {reason}.", "Fix the cause, or set another `distiller`.") from error
    try:
        found, _ = judge(answer, turns, below, candidates)
    except ValueError as error:
        if only_choose:
            raise CuratorError(f"{model} can't be used: {error}.", "Try another `distill_model`.") from error
        found = []
    right = [one for one in found if not only_choose or one.claim.candidate == len(candidates)]
    cost = took * settings.distill_price / 1_000_000
    return Trial(len(right), took, cost, clock.now() - began, only_choose)


def candidate_of(quote: Evidence) -> Candidate:
    """Return a candidate with the statement of a quote."""
    return Candidate(
        category=Category.CONVENTION,
        headline=quote.quote,
        insight=quote.quote,
        evidence=(quote,),
        score=0.5,
        score_parts={},
        signal="",
        fingerprint="",
    )


def judge(
    text: str, turns: Sequence[Turn], below: str = "", candidates: Sequence[Candidate | Entry] = (), *, most: int = gate.CARDS
) -> tuple[list[Proposal], list[gate.Refusal]]:
    """Return the accepted lessons of an answer about a session, given its sent turns and candidates, and the refused ones.

    Raises ``ValueError`` if the answer can't be read.
    """
    from curator.detection import evidence, fingerprint, statements  # takes 12 MB, which an edit does not need

    turns, found = digest.sendable(turns), list[Proposal]()
    passed, refusals = gate.filter_claims(gate.read(text), turns, below, candidates, most=most)
    for claim, *place in passed:
        proof = evidence.gather(turns, *place)
        if proof is None:
            refusals.append(gate.Refusal(claim.headline, "its quote is not in the session"))
            continue
        words = f"{claim.headline} {claim.insight}"
        score, says = (MUST, "must be kept") if claim.must else (USEFUL, "is useful")
        candidate = Candidate(
            category=Category(claim.kind),
            headline=claim.headline,
            insight=claim.insight,
            evidence=(proof,),
            score=score,
            score_parts={f"a model says that it {says}": round(math.log(score / (1 - score)), 3)},
            signal="distilled",
            fingerprint=fingerprint(claim.insight),
            files=statements.files(words, turns, place[0]),
            symbols=statements.symbols(words),
            durability=claim.durability,
        )
        found.append(Proposal(claim, statement.cut_candidate(candidate)))
    return found, refusals


def cache(settings: Settings) -> Cache:
    """Return the answers that were given before."""
    return Cache(settings.cache / "distill")
