"""Transcripts as sessions that a replay can ask about: read once, nothing stored. Each turn counts where it was said first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from curator import detection, plugins, projects
from curator import replay as past
from curator.agents import dialects
from curator.app.agents.deliveries import MISHAPS
from curator.app.curator import Curator
from curator.app.sessions.ingest import is_ours
from curator.app.sessions.scan import Step
from curator.comparison import between
from curator.detection.actions import REDISCOVERY
from curator.model import Candidate, Entry, Evidence, Project, Relating, Role, Turn
from curator.ranking.rank import tokens
from curator.replay import Recurrence, Session, Signs, Where
from curator.text.clean import strip
from curator.transcripts.base import discover, follow

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
