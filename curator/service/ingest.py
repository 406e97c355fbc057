"""From transcripts to the inbox: follow a file, detect, relate, save, in one transaction a file.

Safe to stop at any moment and to run twice at once: what a file gave is stored together with how far it was read, and the
same statement has the same fingerprint.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from curator import clock, curate, inbox, plugins, projects
from curator.errors import CuratorError
from curator.hookspecs import Format
from curator.model import Candidate, Change, Entry, Project, Query, Relating, Relation, State, Turn, Verb
from curator.service.reader import Reader
from curator.service.rows import visible
from curator.store.sources import Source
from curator.transcripts import discover, tail, watch

log = logging.getLogger(__name__)

DETECTOR = "detector"
RETRY_SECONDS = 1.0
SAME = 0.92
"""From this likeness on a duplicate of another open candidate is more evidence for it, not a card of its own."""


@dataclass(slots=True)
class Scanned:
    """What a scan gave for one agent."""

    agent: str
    files: int = 0
    turns: int = 0
    candidates: int = 0
    errors: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Step:
    """How far a scan is: files done and to do, bytes likewise, candidates found, files too old to be read."""

    done: int
    total: int
    bytes_done: int
    bytes_total: int
    found: int
    older: int = 0


class Ingest:
    """One run over transcripts: remembers projects and stored lessons, so that each is looked up once."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.formats = plugins.formats()
        self.sources = reader.store.sources.followed()
        self.folders = reader.store.sources.folders()
        self.known_projects = reader.store.sources.projects()
        self.reports: dict[str, Scanned] = {}
        self._lessons: dict[str, list[Entry]] = {}
        self._open: dict[str, list[Entry]] = {}

    def refresh(self) -> None:
        """Look everything up anew: a person has decided since, or what was cached was rolled back."""
        self.folders = self.reader.store.sources.folders()
        self.known_projects = self.reader.store.sources.projects()
        self._lessons.clear()
        self._open.clear()

    def discover(self, roots: Sequence[Path] | None) -> discover.Discovery:
        """Where transcripts are; places that can't be read are errors of the scan."""
        found = discover.find(self.formats, roots, Path.home(), os.environ, self.known())
        for error in found.errors:
            self.report("").errors.append(error)
        return found

    def known(self) -> dict[Path, str]:
        """The files that were read before, and whose they were."""
        return {Path(source.path): source.agent for source in self.sources.values()}

    def report(self, agent: str) -> Scanned:
        """The figures of one agent."""
        return self.reports.setdefault(agent, Scanned(agent))

    def file(self, format_: Format, path: Path, now: os.stat_result | None = None) -> int:
        """Read what is new in a transcript, whose stat may be known; returns how many new cards it gave."""
        key = str(path)
        source = self.sources.get(key)
        known = tail.from_json(source.followed) if source else None
        progress = tail.follow(format_, path, known, now)
        report = self.report(format_.agent)
        report.files += 1
        report.turns += len(progress.turns) - progress.seen
        report.errors += progress.errors
        report.unknown += progress.unknown
        if progress.followed is None or (progress.followed is known and not progress.errors):
            return 0
        followed = tail.to_json(forgetful(progress.followed))
        count = (source.turns if source and progress.seen else 0) + len(progress.turns) - progress.seen
        source = Source(key, format_.agent, followed, clock.now(), count, "; ".join(progress.errors)[:500])
        try:
            with self.reader.store.transaction():
                new = self._take(progress.turns, progress.seen)
                self.reader.store.sources.follow(source)
        except UnicodeEncodeError:
            report.errors.append(f"{path}: its name or what it says of its session is no valid Unicode; it is left out")
            self.refresh()
            return 0
        except CuratorError:
            raise
        except Exception as error:  # a fault of ours on one transcript must not keep the others from being read
            log.exception("detection failed on %s", path)
            report.errors.append(f"{path}: detection failed on it ({error!r}); it is left out, the log has the details")
            self.refresh()
            return 0
        self.sources[key] = source
        report.candidates += new
        return new

    def _take(self, turns: Sequence[Turn], seen: int) -> int:
        from curator import detect  # 12 MB that a window need not hold while nothing is new

        sessions: dict[str, list[Turn]] = {}
        known: Counter[str] = Counter(turn.session for turn in turns[:seen])
        for turn in turns:
            sessions.setdefault(turn.session, []).append(turn)
        new = 0
        for session, said in sessions.items():
            candidates = detect.detect(said, seen=known[session])
            if not candidates:
                continue
            where = {turn.locator.line: turn.cwd for turn in said if turn.cwd}
            default = next(iter(where.values()), "") or str(Path(said[0].locator.file).parent)
            taken = [self._candidate(candidate, where.get(candidate.evidence[0].line, default)) for candidate in candidates]
            if any(taken):
                self.reader.store.place(session, inbox.places)
            new += sum(taken)
        return new

    def _candidate(self, candidate: Candidate, folder: str) -> bool:
        """Save a candidate; whether it is a new card."""
        if projects.excluded(folder, self.reader.settings.exclude):
            return False
        store = self.reader.store
        if store.entries.buried(candidate.fingerprint):
            return False
        project = self.project(folder)
        at = clock.now()
        known = store.entries.by_fingerprint(project.id, candidate.fingerprint)
        if known is None:
            rival, known = self._related(candidate, project.id)
        if known is not None:
            self._see_again(known, candidate, at)
            return False
        entry = proposed(candidate, project.id, at, rival)
        store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor=DETECTOR, at=at)
        self.waiting(project.id).append(entry)
        return True

    def _see_again(self, known: Entry, candidate: Candidate, at: float) -> None:
        known = self.reader.peek(known.id) or known
        if known.state not in (State.OPEN, State.ACTIVE):
            return  # dismissals stick
        quotes = [replace(item, file=homely(item.file), session=visible(item.session)) for item in candidate.evidence]
        change = curate.see_again(known, quotes, candidate.score, at)
        if change:
            self.reader.store.apply([(Verb.SEE_AGAIN, change)], actor=DETECTOR, at=at)

    def _related(self, candidate: Candidate, project: str) -> tuple[Relation | None, Entry | None]:
        """What it clashes with among the lessons, or else which open candidate says the same."""
        from curator import relations

        rival = relations.relate(candidate, self.lessons(project))
        if rival is not None:
            return rival, None
        twin = relations.relate(candidate, self.waiting(project)[-500:])
        if twin and twin.relating is Relating.DUPLICATE and twin.likeness >= SAME:
            return None, self.reader.peek(twin.other)
        return None, None

    def lessons(self, project: str) -> list[Entry]:
        """The active lessons of a project, read once a run."""
        if project not in self._lessons:
            self._lessons[project] = list(self.reader.entries(Query(project=project, states=(State.ACTIVE,))))
        return self._lessons[project]

    def waiting(self, project: str) -> list[Entry]:
        """The open candidates of a project, read once a run and then kept up to date."""
        if project not in self._open:
            self._open[project] = list(self.reader.entries(Query(project=project, states=(State.OPEN,)), 500))
        return self._open[project]

    def project(self, folder: str) -> Project:
        """The project of a folder; git is asked once for each folder ever."""
        id_ = self.folders.get(folder)
        if id_ is None or id_ not in self.known_projects:
            project = projects.identify(folder, self.known_projects.values())
            project = replace(project, name=visible(project.name))
            self.reader.store.sources.remember(project, folder)
            self.folders[folder], self.known_projects[project.id] = project.id, project
            return project
        return self.known_projects[id_]


def forgetful(followed: tail.Followed) -> tail.Followed:
    """What is remembered of a file, without secrets: the calls that still lack a result stand in it with their commands."""
    return replace(
        followed,
        end=replace(followed.end, memory=cleaned(followed.end.memory)),
        window=replace(followed.window, memory=cleaned(followed.window.memory)),
    )


def cleaned(value: Any) -> Any:
    """A JSON value whose texts are cleaned."""
    from curator import detect

    if isinstance(value, str):
        return detect.clean(value)
    if isinstance(value, dict):
        return {key: cleaned(item) for key, item in value.items()}
    return [cleaned(item) for item in value] if isinstance(value, list) else value


def proposed(candidate: Candidate, project: str, at: float, rival: Relation | None = None) -> Entry:
    """A candidate as an open entry."""
    best = candidate.evidence[0]
    same = (candidate.headline, candidate.insight)
    return Entry(
        id=clock.new_id(),
        project=project,
        state=State.OPEN,
        category=candidate.category,
        headline=candidate.headline,
        insight=candidate.insight,
        context="" if any(candidate.context in item.quote for item in candidate.evidence) else candidate.context,
        created=best.at or at,
        updated=at,
        durability=candidate.durability,
        files=candidate.files,
        symbols=candidate.symbols,
        agent=best.agent,
        session=visible(best.session),
        score=candidate.score,
        why=dict(candidate.why),
        signal=candidate.signal,
        fingerprint=candidate.fingerprint,
        evidence=tuple(replace(item, file=homely(item.file), session=visible(item.session)) for item in candidate.evidence),
        wordings=tuple(item for item in candidate.wordings if (item.headline, item.insight) != same)[:3],
        rival=rival,
    )


def homely(path: str) -> str:
    """A path without the name of the person: evidence travels with a lesson's file to the whole team."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def scan(
    reader: Reader,
    *,
    roots: Sequence[Path] | None = None,
    since: float = 0.0,
    progress: Callable[[Step], None] = lambda step: None,
    stop: threading.Event | None = None,
) -> Mapping[str, Scanned]:
    """Read every transcript changed at or after ``since``; the newest first, so that a stopped scan has read what matters."""
    run = Ingest(reader)
    every = run.discover(roots).found
    found = sorted((item for item in every if item.mtime >= since), key=lambda item: -item.mtime)
    total, older = sum(item.size for item in found), len(every) - len(found)
    done, cards = 0, 0
    progress(Step(0, len(found), done, total, cards, older))
    for at, item in enumerate(found):
        if stop is not None and stop.is_set():
            break
        cards += run.file(item.format, item.path, item.stat)
        done += item.size
        progress(Step(at + 1, len(found), done, total, cards, older))
    return run.reports


def survey(reader: Reader, roots: Sequence[Path] | None = None) -> tuple[int, int, int, bool]:
    """(transcripts, those of the last days, bytes of these, whether any was ever read): what a first run is told."""
    run = Ingest(reader)
    found = run.discover(roots).found
    recent = [item for item in found if item.mtime >= clock.now() - reader.settings.since_days * 86_400]
    return len(found), len(recent), sum(item.size for item in recent), bool(run.sources)


def follow(
    reader: Reader,
    stop: threading.Event,
    changed: Callable[[int], None],
    *,
    roots: Sequence[Path] | None = None,
    failed: Callable[[CuratorError], None] = lambda error: None,
) -> None:
    """Watch transcripts until ``stop``: what is appended is a card within a fraction of a second.

    A database that is busy is told and tried again; nothing is lost, since how far a file was read is stored with its cards.
    """
    run = Ingest(reader)
    places = native(run.formats) if roots is None else list(roots)
    for batch in watch.watch(places, stop):
        run.refresh()
        waiting = sorted(batch)
        new = 0
        while waiting and not stop.is_set():
            try:
                new += read_one(run, waiting[0])
                waiting.pop(0)
            except CuratorError as error:
                failed(error)
                run.refresh()
                stop.wait(RETRY_SECONDS)
        changed(new)


def read_one(run: Ingest, path: Path) -> int:
    """Read what is new in a file that was written, whatever it is."""
    source = run.sources.get(str(path))
    try:
        format_ = next((item for item in run.formats if source and item.agent == source.agent), None) or discover.format_of(
            path, run.formats
        )
    except OSError:
        return 0  # it was written and is gone again
    return run.file(format_, path) if format_ else 0


def native_places() -> dict[str, list[str]]:
    """Where each agent's transcripts are looked for."""
    return {format_.agent: [str(root) for root in format_.roots(Path.home(), os.environ)] for format_ in plugins.formats()}


def find_transcripts(root: Path) -> list[Path]:
    """Every transcript below a folder, in the order of their names."""
    return sorted(item.path for item in discover.find(plugins.formats(), [root], Path.home(), os.environ).found)


def native(formats: Iterable[Format]) -> list[Path]:
    """The agents' own places on this machine."""
    return list(dict.fromkeys(root for format_ in formats for root in format_.roots(Path.home(), os.environ)))


def preview(path: Path, limit: int = 5) -> tuple[list[Candidate], tuple[str, ...]] | None:
    """What would be proposed from one file, without a database, and what of the file could not be read.

    ``None`` for no transcript; raises ``OSError``. ``limit`` counts for each session, 0 means all.
    """
    from curator import detect

    format_ = discover.format_of(path, plugins.formats())
    if format_ is None:
        return None
    sessions: dict[str, list[Turn]] = {}
    progress = tail.follow(format_, path, None)
    for turn in progress.turns:
        sessions.setdefault(turn.session, []).append(turn)
    found = [candidate for said in sessions.values() for candidate in detect.detect(said)[: limit or None]]
    return sorted(found, key=lambda candidate: -candidate.score), progress.errors
