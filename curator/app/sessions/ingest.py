"""The way from a transcript to the inbox: follow the file, detect, compare, save, in one transaction per file.

A scan may stop at any moment, and two may run at once. Cards are stored together with the position in the file, and equal
statements have equal fingerprints. A dropped statement does not come back in other words.

A tombstone's fingerprint may hold only the words that "use npm, not pnpm" and "use pnpm, not npm" share. An entry still has its
words to compare. A tombstone has none, so it blocks both: a forgotten statement must not return.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator import clock, curate, plugins, projects
from curator.app import deliveries
from curator.app.curator import Curator
from curator.app.project_files import real_paths
from curator.app.sessions.origins import is_committed, mark_as_said_by_file
from curator.app.tombstones import of_session, repeat_signatures, traces
from curator.distill.digest import MARKER
from curator.errors import CuratorError
from curator.hookspecs import Format
from curator.inbox import WITHDRAWN
from curator.model import (
    MEMORY,
    SAVED,
    Candidate,
    Change,
    Entry,
    Evidence,
    Project,
    Relating,
    Relation,
    Role,
    State,
    Turn,
    Verb,
)
from curator.store.database import Store
from curator.store.sources import Source
from curator.text import redact, statement, warnings
from curator.text.clean import strip
from curator.transcripts.base import discover, follow
from curator.transcripts.base.discover import FileStats

if TYPE_CHECKING:
    from curator.comparison import StatementIndex, Terms


def shareable_candidate(candidate: Candidate, top: str, folder: str) -> Candidate:
    """Return a candidate that may be kept and shared, without the home folder and without control characters.

    Each quote of a session occurs once. The files are those inside the project, relative to its folder ``top``. The statement
    was made in ``folder``.
    """
    once = {(item.session or item.file, item.quote): item for item in reversed(candidate.evidence)}
    quotes = (
        item._replace(file=shorten_home(item.file), session=strip(item.session))
        for item in candidate.evidence
        if once[item.session or item.file, item.quote] is item
    )
    files = projects.relative_to((from_top(file, top, folder) for file in candidate.files), top, folder)
    real = real_paths(files, top)
    why = candidate.score_parts if files == real else {**candidate.score_parts, warnings.NO_PATHS: 0.0}
    symbols = tuple(filter(statement.is_symbol, candidate.symbols))
    return replace(candidate, evidence=tuple(quotes), files=real, symbols=symbols, score_parts=why)


def from_top(file: str, top: str, folder: str) -> str:
    """Return a file relative to the project's folder, given a name relative to a folder below.

    Agents name files relative to the folder in which they work. People use either folder, so the existing file decides, or else
    the beginning of the name.
    """
    below = folder.removeprefix(f"{top}{os.sep}")
    if below == folder or not projects.relative(file) or file.startswith(f"{below}/"):
        return file
    here, there = os.path.join(folder, file), os.path.join(top, file)
    return file if os.path.exists(there) and not os.path.exists(here) else os.path.normpath(os.path.join(below, file))


def entry_from(candidate: Candidate, project: str, at: float) -> Entry:
    """Return a candidate as an open entry whose texts are short enough to read."""
    best, fields = candidate.evidence[0], statement.cut_candidate(candidate)
    same = (fields.headline, fields.insight)
    return Entry(
        id=clock.new_id(),
        project=project,
        state=State.OPEN,
        category=candidate.category,
        headline=fields.headline,
        insight=fields.insight,
        context="" if any(candidate.context in item.quote for item in candidate.evidence) else fields.context,
        created=best.at or at,
        updated=at,
        durability=candidate.durability,
        files=candidate.files,
        symbols=candidate.symbols,
        agent=best.agent,
        session=best.session,
        score=candidate.score,
        score_parts=dict(candidate.score_parts),
        signal=candidate.signal,
        fingerprint=candidate.fingerprint,
        evidence=candidate.evidence,
        wordings=tuple(item for item in fields.wordings if (item.headline, item.insight) != same)[:3],
    )


def shorten_home(path: str) -> str:
    """Return a path without the name of the person: evidence travels with a lesson's file to the whole team."""
    home = f"{Path.home()}{os.sep}"
    return f"~{os.sep}{path.removeprefix(home)}" if path.startswith(home) else path


@dataclass(slots=True)
class _ProjectMemory:
    """The known statements of one project, and the version of the database that has them."""

    statements: StatementIndex
    version: int = -1
    changes: dict[str, float] = field(default_factory=dict)


class Dismissals:
    """The dismissed candidates of projects, and lessons retired as wrong.

    They are read once, and read again only where another connection has changed them.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._projects: dict[str, _ProjectMemory] = {}

    def match(self, candidate: Candidate, project: str) -> bool:
        """Return whether this was turned down before."""
        from curator.comparison import StatementIndex  # takes 4 MB, which a look without news never needs

        known, version = self._projects.setdefault(project, _ProjectMemory(StatementIndex())), self.store.version()
        if known.version != version:
            self._catch_up(known, project)
            known.version = version
        return known.statements.find(candidate.insight or candidate.headline) is not None

    def _catch_up(self, known: _ProjectMemory, project: str) -> None:
        now = self.store.entries.drop_times(project)
        for id_ in known.changes.keys() - now.keys():
            known.statements.drop(id_)
        fresh = [id_ for id_, updated in now.items() if known.changes.get(id_) != updated]
        for id_, state, reason, text in self.store.entries.texts(fresh):
            known.statements.drop(id_)
            if reason == "wrong" or (state == State.DISMISSED and reason != WITHDRAWN):
                known.statements.add(id_, text)
        known.changes = now


def is_pasted(quote: Evidence, entry: Entry) -> bool:
    """Return whether an entry has a person's quote with the same lines around it. A brief that is pasted again repeats no
    rule.
    """
    own = [line.text for line in quote.excerpt if line.role is Role.HUMAN]
    return len(own) > 1 and any((one.quote, one.excerpt) == (quote.quote, quote.excerpt) for one in entry.evidence)


log = logging.getLogger(__name__)
DETECTOR = "detector"
GIVEN = "Evidence: "
"""The text before the quote of a lesson that an agent saves."""
MAX_UNKNOWN_TYPES = 50
"""Maximum number of unknown record types counted for one transcript. A damaged one may have more."""
CONTEXT = 40
"""The number of turns before the first new one that a detector is given."""
MIN_DUPLICATE_LIKENESS = 0.92
"""From this likeness to another open candidate, a duplicate is evidence for it and has no card of its own."""
RARE_WORDS = 2
"""A duplicate of this likeness shares at least one of its most significant words. An entry with none of them differs."""
TEMPLATE_PROJECTS, TEMPLATE_SESSIONS = 2, 3
"""Minimum number of projects, or of sessions in one project, in which a sentence of longer turns counts as a template."""
HEADLESS = "run by a program, without a person"
WORDLESS = "no words of a person"
OURS = "curator's own question to a model"
EXCLUDED = "in a project that is excluded"
NOTHING_NEW = "only statements that you already have, dropped or forgot"
WORTHLESS = "nothing worth keeping"


def no_card_reason(turns: Sequence[Turn], found: bool) -> str:
    """Return the reason why a session gave no card. ``found``: it had candidates, which are known."""
    if found:
        return NOTHING_NEW
    prompts = [turn for turn in turns if turn.role is Role.HUMAN and turn.text and not turn.sidechain]
    if not prompts:
        return HEADLESS if any(turn.automated for turn in turns) else WORDLESS
    return HEADLESS if all(turn.automated for turn in prompts) else WORTHLESS


@dataclass(slots=True)
class ScanReport:
    """The results of a scan for one agent."""

    agent: str
    files: int = 0
    turns: int = 0
    candidates: int = 0
    dismissals: int = 0
    """The candidates that repeat a dropped statement, in these or other words, and are therefore hidden."""
    copies: int = 0
    """The number of sessions copied from another: they have nothing new."""
    errors: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    silent: dict[tuple[str, str], str] = field(default_factory=dict)
    """(transcript, session) that gave no card → why."""


class Ingest:
    """One run over transcripts: remembers projects and stored lessons, so that each is looked up once."""

    def __init__(self, curator: Curator, *, actor: str = DETECTOR) -> None:
        self.curator = curator
        self.actor = actor
        self.formats = plugins.formats()
        self.sources = curator.store.sources.sources()
        self.agents = {Path(source.path): source.agent for source in self.sources.values()}
        """The files that were read before, with their agents."""
        self.waiting: Sequence[Path] = ()
        """The transcripts that this run is about to read."""
        self.folders, self.links = curator.store.sources.folders(), curator.store.sources.links()
        self.known_projects = curator.store.sources.projects()
        self.reports: dict[str, ScanReport] = {}
        self.newest: dict[str, Entry] = {}
        """The card made last in each project."""
        self._exclusions: dict[str, bool] = {}
        self._dismissals = Dismissals(curator.store)
        self._rejections = 0
        self._copies = 0

    def refresh(self) -> None:
        """Read all caches again, since a person has decided or a transaction was rolled back."""
        self.folders, self.links = self.curator.store.sources.folders(), self.curator.store.sources.links()
        self.known_projects = self.curator.store.sources.projects()

    def discover(self, roots: Sequence[Path] | None) -> discover.Discovery:
        """Return the paths of transcripts. Paths that can't be read are errors of the scan."""
        found = discover.find(self.formats, roots, Path.home(), self.curator.environment, self.agents)
        for error in found.errors:
            self.report("").errors.append(error)
        return found

    def report(self, agent: str) -> ScanReport:
        """Return the figures of one agent."""
        return self.reports.setdefault(agent, ScanReport(agent))

    def file(self, format_: Format, path: Path, now: FileStats | None = None, stop: threading.Event | None = None) -> int:
        """Read the new part of a transcript. Return the number of new cards.

        If a format yields batches, each batch is stored, until ``stop``. The next run continues there.
        """
        self.report(format_.agent).files += 1
        new, more = self._portion(format_, path, now)
        while more and not (stop and stop.is_set()):
            cards, more = self._portion(format_, path)
            new += cards
        return new

    def _portion(self, format_: Format, path: Path, now: FileStats | None = None) -> tuple[int, bool]:
        """Read and store one portion. Return the number of new cards, and whether there is more to read at once."""
        key = str(path)
        source = self.sources.get(key)
        before = source or uncompressed(self.sources, path)
        known = follow.from_json(before.bookmark) if before and before.agent == format_.agent else None
        if known and before is not source:
            known = follow.carry_over(known, path)
        progress = follow.follow(format_, path, known, now)
        report = self.report(format_.agent)
        if progress.bookmark is None or (progress.bookmark is known and not progress.errors):
            report.errors += progress.errors
            return 0, False
        try:
            with self.curator.store.transaction():
                stored = self.curator.store.sources.source(key)
                if (stored and stored.bookmark) != (source and source.bookmark):
                    # Another process has read on, or has forgotten what this one remembers. Look again at the current state.
                    self.sources.pop(key, None)
                    self.sources |= {key: stored} if stored else {}
                    return 0, True
                self._rejections, self._copies = 0, 0
                count, new = self._take(format_, path, progress.turns, progress.old_turns)
                source = source_after(format_.agent, before, self._discreet(progress))
                self.curator.store.sources.save(source)
        except UnicodeEncodeError:
            report.errors.append(f"{path}: its name or session is not valid Unicode, so curator skipped it")
            self.refresh()
            return 0, False
        except CuratorError:
            raise
        except Exception as error:  # An error of curator in one transcript must not stop the reading of the others.
            log.exception("detection failed on %s", path)
            report.errors.append(f"{path}: detection failed ({error!r}), so curator skipped it. Details are in the log")
            self.refresh()
            return 0, False
        self.sources[key], self.agents[path] = source, format_.agent
        report.turns += count
        report.errors += progress.errors
        report.unknown += progress.unknown
        report.candidates += new
        report.dismissals += self._rejections
        report.copies += self._copies
        return new, progress.bookmark.more

    def _take(self, format_: Format, path: Path, turns: Sequence[Turn], old_turns: int) -> tuple[int, int]:
        """Make cards from new turns. Return the number of turns and of cards."""
        sessions: dict[str, list[Turn]] = {}
        known: Counter[str] = Counter(turn.session for turn in turns[:old_turns])
        for turn in turns:
            sessions.setdefault(turn.session, []).append(turn)
        count, new = 0, 0
        for session, session_turns in sessions.items():
            fresh = self._hear(str(path), session_turns[known[session] :], first=not known[session])
            count += sum(fresh)
            self._copies += bool(fresh) and not known[session] and not any(fresh)
            if not any(fresh):
                continue
            cards, why = 0, OURS
            if not is_ours(path, session_turns):
                cards, why = self._session(format_, path, session_turns, [False] * known[session] + fresh)
            new += cards
            self._explain(format_.agent, (str(path), session), why if not cards else "")
        return count, new

    def _explain(self, agent: str, session: tuple[str, str], why: str) -> None:
        """Note why a session gave no card, unless an earlier part gave one."""
        silent = self.report(agent).silent
        if not why or silent.get(session) != "":
            silent[session] = why

    def _discreet(self, progress: follow.Progress) -> follow.Progress:
        """Return the reader's memory without words of forgotten sessions."""
        sessions = {turn.session for turn in progress.turns}
        forgotten_sessions = self.curator.store.entries.has_tombstone(*(of_session(strip(session)) for session in sessions))
        if not forgotten_sessions or not progress.bookmark:
            return progress
        return replace(progress, bookmark=follow.without_text(progress.bookmark))

    def _hear(self, path: str, turns: Sequence[Turn], *, first: bool) -> list[bool]:
        """Return and remember the turns of a session that occur in no file yet."""
        teller = follow.source(path, turns[0].session) if turns else 0
        found = [follow.keys(turn) for turn in turns]
        tellers = self.curator.store.sources.first_sources({key for one in found for key in one})
        known = follow.find_repeats(turns, found, tellers, teller, first=first)
        open_ = [at for at, turn in enumerate(turns) if not self.is_excluded(turn.cwd)]
        new = follow.first_sources([found[at] for at in open_], [known[at] for at in open_], tellers, teller)
        self.curator.store.sources.record_first_sources(new)
        return [not repeated for repeated in known]

    def _session(self, format_: Format, path: Path, turns: Sequence[Turn], fresh: Sequence[bool]) -> tuple[int, str]:
        """Make cards from the new turns of a session. The other turns are context.

        Return the number of new cards, and the reason if there is none.
        """
        from curator import detection  # 12 MB that a window need not hold while nothing is new

        self.curator.store.deliveries.record_read(strip(turns[-1].session), turns[-1].at or clock.now())
        first = fresh.index(True)
        begin = max(0, first - CONTEXT)
        places = {line for turn, new in zip(turns, fresh, strict=True) if new for line in lines(turn)}
        count = 0
        where = folders(turns)
        found = detection.detect(turns[begin:], old_turns=first - begin)
        if any(item.role is Role.HUMAN for one in found for item in one.evidence) and is_committed(format_, path):
            found = [*map(mark_as_said_by_file, found)]
        for candidate, times in self._repeated_errors(turns, fresh, where, found):
            count += self._candidate(candidate, where[candidate.evidence[0].line], times_stated=times)
        for candidate in found:
            quotes = tuple(item for item in candidate.evidence if item.line in places)
            if quotes[:1] == candidate.evidence[:1]:
                folder = where[candidate.evidence[0].line]
                count += self._candidate(replace(candidate, evidence=quotes), folder)
                self._leave_out_template(candidate, turns, folder)
        self._find_quotes(turns, where)
        closed = all(self.is_excluded(turn.cwd) for turn in turns)
        return count, EXCLUDED if closed else no_card_reason(turns, bool(found))

    def _find_quotes(self, turns: Sequence[Turn], where: Mapping[int, str]) -> None:
        """Find the places of quotes that an agent gave with saved lessons in this session, and store them."""
        if not any(turn.role is Role.TOOL_CALL and "save_lesson" in turn.tool for turn in turns):
            return
        from curator.detection import evidence  # see ``_session``
        from curator.distill import gate  # see ``_session``

        folder = where[turns[-1].locator.line]
        saved = self.curator.store.entries.of_signal(SAVED, self.project(folder).id) if not self.is_excluded(folder) else ()
        numbers = [number for number, turn in enumerate(turns) if turn.role is not Role.TOOL_CALL]
        source = gate.Source(turns, "")
        for _, entry, _ in saved:
            quote = agent_quote(entry)
            place = source.find(quote, numbers) if quote else None
            proof = evidence.gather(turns, *place) if place else None
            if proof is not None and self._lasting_quotes([proof]):
                proof = proof._replace(file=shorten_home(proof.file), session=strip(proof.session))
                change = curate.set_quote_location(entry, proof)
                self.curator.store.apply([(Verb.SEE_AGAIN, change)], actor=self.actor, at=clock.now())

    def _repeated_errors(
        self, turns: Sequence[Turn], fresh: Sequence[bool], where: Mapping[int, str], found: Sequence[Candidate]
    ) -> Iterator[tuple[Candidate, int]]:
        """Yield errors that other sessions of the project met too, with the number of sessions. Errors on a card are
        skipped.
        """
        from curator import detection  # see ``_session``

        carded = {item.line for candidate in found for item in candidate.evidence}
        for error in detection.errors(turns):
            turn = turns[error.index]
            folder = where[turn.locator.line]
            if not fresh[error.index] or turn.locator.line in carded or self.is_excluded(folder):
                continue
            session = of_session(strip(turn.session))
            if self.curator.store.entries.has_tombstone(session, error.signature):
                continue
            times = self.curator.store.sources.record_sighting(self.project(folder).id, error.signature, session)
            if times > 1 and (candidate := detection.rediscovery(turns, error)):
                yield candidate, times

    def is_excluded(self, folder: str) -> bool:
        """Return whether nothing that was said in a folder is read."""
        if folder not in self._exclusions:
            self._exclusions[folder] = bool(folder) and projects.is_excluded(folder, self.curator.settings.exclude)
        return self._exclusions[folder]

    def _candidate(self, candidate: Candidate, folder: str, **fields: Any) -> bool:
        """Save a candidate with these fields. Return whether it is a new card."""
        if self.is_excluded(folder):
            return False
        project = self.project(folder)
        return self.propose(shareable_candidate(candidate, project.folder, folder), project.id, **fields) is Verb.PROPOSE

    def _leave_out_template(self, candidate: Candidate, turns: Sequence[Turn], folder: str) -> None:
        """Hide the cards of a sentence that occurs only in longer turns of several sessions, because it is from a template.

        The cards are shown again once a person types the sentence alone.
        """
        quote, sources = candidate.evidence[0], self.curator.store.sources
        if quote.role not in (Role.HUMAN, Role.FILE) or self.is_excluded(folder):
            return
        in_longer_turn, in_own_turn = repeat_signatures(candidate.fingerprint)
        alone = any(is_typed_alone(item.quote, turns, item.line) for item in candidate.evidence)
        session = of_session(strip(quote.session))
        sources.record_sighting(self.project(folder).id, in_own_turn if alone else in_longer_turn, session)
        in_projects, in_sessions = sources.count_sightings(in_longer_turn)
        if in_projects < TEMPLATE_PROJECTS and in_sessions < TEMPLATE_SESSIONS:
            return
        is_template = not any(sources.count_sightings(in_own_turn))
        for project in self.known_projects:
            entry = self.curator.store.entries.by_fingerprint(project, candidate.fingerprint)
            if entry is None or entry.signal == MEMORY:
                continue
            if entry.state is State.OPEN and not entry.distiller and entry.left_out is not is_template:
                change = Change(before=entry, after=entry._replace(left_out=is_template))
                self.curator.store.apply([(Verb.SEE_AGAIN, change)], actor=self.actor, at=clock.now())

    def propose(
        self, candidate: Candidate, project: str, *, verb: Verb = Verb.PROPOSE, batch: str = "", **fields: Any
    ) -> Verb | None:
        """Make a card of a candidate with these fields, or add its evidence to an equal entry. Return which of the two
        happened.

        Return ``None`` for a known, dropped or forgotten statement. A given ``rival`` replaces the comparison with lessons.
        Joins the caller's transaction.
        """
        from curator import comparison  # as in ``Dismissals.match``

        store, at = self.curator.store, clock.now()
        if store.entries.has_tombstone(candidate.fingerprint):
            return None
        quotes = self._lasting_quotes(candidate.evidence)
        rival, known = None, store.entries.by_fingerprint(project, candidate.fingerprint)
        if known and known.signal == MEMORY and known.state is State.DISMISSED and known.reason == WITHDRAWN:
            # Its note is gone, and somebody says it all the same.
            reopened = curate.reopen(known, at)
            shown = Change(reopened.before, reopened.after and reopened.after._replace(left_out=bool(fields.get("left_out"))))
            store.apply([(Verb.REOPEN, shown)], actor=DETECTOR, at=at)
            known = store.entries.by_fingerprint(project, candidate.fingerprint)
        if known.state is State.DISMISSED if known else self._dismissals.match(candidate, project):
            self._hold_back(candidate, project)
            return None
        entry = entry_from(candidate, project, at)._replace(**fields)
        if known is None and quotes:
            terms = comparison.search_terms(entry)
            rival = fields["rival"] if "rival" in fields else self._rival(entry, terms)
            known = None if rival else self._twin(entry, terms)
        self._tell(rival, known, quotes, candidate.signal)
        if known is not None:
            again = Verb.SEE_AGAIN if verb is Verb.PROPOSE else verb
            return self._see_again(known, quotes, candidate.score, at, verb=again, batch=batch)
        if candidate.evidence[0] not in quotes:
            return None  # its words are those that a person wanted gone
        entry = entry._replace(evidence=tuple(quotes), rival=rival)
        store.apply([(verb, Change(before=None, after=entry))], actor=self.actor, at=at, batch=batch)
        self.newest[project] = entry
        return verb

    def _lasting_quotes(self, evidence: Sequence[Evidence]) -> list[Evidence]:
        """Return the quotes that no person wanted gone."""
        buried = self.curator.store.entries.has_tombstone
        if not buried(*chain.from_iterable(map(traces, evidence))):
            return [*evidence]
        return [item for item in evidence if not buried(*traces(item))]

    def _tell(self, rival: Relation | None, known: Entry | None, quotes: Sequence[Evidence], signal: str) -> None:
        """Record a repetition or contradiction as an outcome of the sent lesson."""
        if quotes and known is not None and known.state is State.ACTIVE:
            deliveries.note_restatement(self.curator, known.id, Relating.DUPLICATE, quotes, signal)
        elif quotes and rival is not None and rival.relating is not Relating.REFINES:
            deliveries.note_restatement(self.curator, rival.other, rival.relating, quotes, signal)

    def _hold_back(self, candidate: Candidate, project: str) -> None:
        """Count and log a candidate that was dismissed before, also in other words. The log does not get its words."""
        best = candidate.evidence[0]
        self._rejections += 1
        log.info("held back, dismissed before: %s line %d, project %s", best.file, best.line, project)

    def _see_again(
        self, known: Entry, quotes: Sequence[Evidence], score: float, at: float, *, verb: Verb, batch: str
    ) -> Verb | None:
        known = self.curator.lessons.peek(known.id) or known
        if known.state not in (State.OPEN, State.ACTIVE, State.EXPIRED):
            return None
        agents = {(item.session or item.file, item.quote): item.agent for item in known.evidence}
        # The same words of a session may occur in another agent's file or in a moved file. They count once.
        again = [
            item
            for item in quotes
            if not is_pasted(item, known)
            if (here := agents.get((item.session or item.file, item.quote))) is None or (item.session and here == item.agent)
        ]
        change = curate.see_again(known, again, score, at)
        if change is None:
            return None
        if known.signal == MEMORY and again[0].role is Role.HUMAN:  # a weak note that a person confirms
            change = Change(change.before, change.after and change.after._replace(left_out=False))
        self.curator.store.apply([(verb, change)], actor=self.actor, at=at, batch=batch)
        return Verb.SEE_AGAIN

    def _rival(self, entry: Entry, terms: Terms) -> Relation | None:
        """Return the conflict of a statement with those lessons that share some of these terms."""
        from curator import comparison  # as in ``Dismissals.match``
        from curator.app.merge_targets import MAX_COMPARED  # as in ``Dismissals.match``

        near = self.curator.store.full_text
        return comparison.relate(
            entry, near.find(terms.words, entry.project, (State.ACTIVE,), MAX_COMPARED, rivals=terms.rivals)
        )

    def _twin(self, entry: Entry, terms: Terms) -> Entry | None:
        """Return which open candidate says the same, of those that have some of these terms."""
        from curator import comparison  # as in ``Dismissals.match``
        from curator.app.merge_targets import MAX_COMPARED  # as in ``Dismissals.match``

        text = comparison.comparison_text(entry)
        for id_, other in self.curator.store.full_text.texts(
            terms.words[:RARE_WORDS], entry.project, (State.OPEN,), MAX_COMPARED
        ):
            if comparison.likeness(other, text, MIN_DUPLICATE_LIKENESS) >= MIN_DUPLICATE_LIKENESS and (
                twin := self.curator.lessons.peek(id_)
            ):
                found = comparison.relate(entry, [twin])
                if found and found.repeats and found.likeness >= MIN_DUPLICATE_LIKENESS:
                    return twin
        return None

    def project_of(self, entry: Entry) -> Project:
        """Return the project of an entry."""
        return self.known_projects[entry.project]

    def project(self, folder: str) -> Project:
        """Return the project of a folder. git is asked only once for each folder."""
        id_ = projects.linked(folder, self.links) or self.folders.get(folder)
        if id_ is None or id_ not in self.known_projects:
            project = projects.identify(folder, self.known_projects.values())
            project = project._replace(name=strip(project.name))
            self.curator.store.sources.remember(project, folder)
            self.folders[folder], self.known_projects[project.id] = project.id, project
            return project
        return self.known_projects[id_]


def uncompressed(sources: Mapping[str, Source], path: Path) -> Source | None:
    """Return the stored record of the transcript that the agent has compressed into this file."""
    plain = path.with_suffix("")
    return None if path.suffix != discover.COMPRESSED or os.path.lexists(plain) else sources.get(str(plain))


def is_typed_alone(quote: str, turns: Sequence[Turn], line: int) -> bool:
    """Return whether a person's turn at this line consists of these words only."""
    here = (turn for turn in turns if turn.role is not Role.ASSISTANT and line in lines(turn))
    return any(re.findall(r"\w+", turn.text) == re.findall(r"\w+", quote) for turn in here)


def agent_quote(entry: Entry) -> str:
    """Return the quote that an agent gave with a lesson, while its place is unknown. Otherwise return an empty text."""
    first = entry.evidence[0] if entry.evidence else None
    if first is None or first.file:
        return ""
    quotes = (line.text.removeprefix(GIVEN) for line in first.excerpt if line.text.startswith(GIVEN))
    return next(quotes, "")


def is_ours(path: Path, turns: Sequence[Turn]) -> bool:
    """Return whether curator itself started a session to ask a model. In that case, no person said its words."""
    prompts = (turn.text.lstrip() for turn in turns if turn.role is Role.HUMAN)
    return any(text.startswith(MARKER) for text in prompts) or f'"{MARKER} '.encode() in discover.head(path)


def lines(turn: Turn) -> range:
    """Return the lines of a turn."""
    return range(turn.locator.line, max(turn.locator.line, turn.locator.line_end) + 1)


def folders(turns: Sequence[Turn]) -> dict[int, str]:
    """Return the folder in which each line was said: that of its turn, or else the last one named before, or the first one."""
    folder = next((turn.cwd for turn in turns if turn.cwd), "") or str(Path(turns[0].locator.file).parent)
    found: dict[int, str] = {}
    for turn in turns:
        folder = turn.cwd or folder
        found |= dict.fromkeys(lines(turn), folder)
    return found


def source_after(agent: str, before: Source | None, progress: follow.Progress) -> Source:
    """Return the new record of a transcript after reading."""
    assert progress.bookmark is not None
    turns, unknown = len(progress.turns), progress.unknown
    sessions = {turn.session for turn in progress.turns}
    count = len(sessions)
    if before is not None and not progress.anew:
        turns += before.turns - progress.old_turns
        unknown = unknown + Counter(json.loads(before.unknown))
        count = before.sessions + len(sessions - {turn.session for turn in progress.turns[: progress.old_turns]})
    return Source(
        path=progress.bookmark.path,
        agent=agent,
        bookmark=follow.to_json(mask_secrets_in_memory(progress.bookmark)),
        read_at=clock.now(),
        turns=turns,
        error="; ".join(progress.errors)[:500],
        unknown=json.dumps(dict(unknown.most_common(MAX_UNKNOWN_TYPES))),
        sessions=count,
    )


def mask_secrets_in_memory(bookmark: follow.Bookmark) -> follow.Bookmark:
    """Return the reader's memory of a file without secrets. It holds the commands of calls that still lack a result."""
    end, window = (
        replace(mark, memory={key: value if key in JOINING else clean_value(value) for key, value in mark.memory.items()})
        for mark in (bookmark.end, bookmark.window)
    )
    return replace(bookmark, end=end, window=window)


JOINING = frozenset(("session", "uuids", "hash"))
"""Keys under which formats remember ids that join records. They look like secrets but are none."""


def clean_value(value: Any) -> Any:
    """Return a JSON value with all its texts cleaned."""
    if isinstance(value, str):
        return redact.clean(value)
    if isinstance(value, dict):
        return {key: clean_value(item) for key, item in value.items()}
    return [clean_value(item) for item in value] if isinstance(value, list) else value
