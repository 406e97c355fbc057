"""Make cards of agents' own notes, and withdraw the cards of deleted notes.

A note is a candidate like any other: an agent wrote it, no person has reviewed it, and only a person keeps it.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from curator import clock, code, comparison, curate, detection, rules
from curator.app import agent_files, memories, merge_targets, origins
from curator.app.agents.agent_files import FileStatement
from curator.app.curator import Curator
from curator.app.project import memory_trash
from curator.app.project.memories import Audited
from curator.app.sessions.ingest import Ingest, shareable_candidate, shorten_home
from curator.detection import evidence, wording
from curator.detection.context import human_words
from curator.detection.statements import content
from curator.inbox import WITHDRAWN
from curator.memories import STORES, Note, Surroundings, find
from curator.memories.edit import WAITING
from curator.memories.note import digest, first_sentence
from curator.model import MEMORY, Candidate, Category, Entry, Evidence, Line, Project, Query, Role, State, Turn, Verb, Wording
from curator.text.statement import cut, cut_wording, oneline

MAX_CARDS = 50
"""Maximum number of notes of one agent that are shown at first. The others are weaker cards."""
MAX_QUOTE_CHARACTERS = 600
MAX_EXCERPT_CHARACTERS = 2_000
FIRST_KINDS = frozenset(("feedback", "user", "knowledge", "failure", "summary-preference"))
FIRST_STORES = frozenset(("claude-subagents", "gemini", "goose"))
"""The kinds and stores that are shown at first. People kept 90 % of 62 labelled notes of these, and 57 % of all notes."""
LATER_KINDS = frozenset(("inline", "project", "reference"))
"""Kinds that are weaker cards in any store. In a blind review, none of 8 bullets from a subagent's index was kept."""
MIN_WORDS = 4
"""Minimum words of a meaningful note. A placeholder such as "(empty)" has fewer."""
LABELS = ("how to", "who ", "key facts", "notes on", "notes about", "user preferences", "overview of", "summary of")
"""A title that begins with one of these names a subject and states nothing."""
FROM_PERSON = frozenset(("feedback", "user", "preference", "summary-preference"))
"""Kinds that state a person's wish."""
CATEGORIES = {"failure": Category.FAILED_APPROACH} | dict.fromkeys(FROM_PERSON, Category.CONVENTION)
"""The category of kinds that determine it. For others, the words determine it."""
SHARED_WORDS, SHARED_PART = 3, 0.2
"""The minimum number and share of a note's significant words that a person's turn must contain."""
UNHEARD = "In that session you said no such words."
LIKELY, UNLIKELY = 0.9, 0.4
"""The likelihood that a person keeps a note shown at first, and any other note, measured on the same notes."""


def read(
    curator: Curator, run: Ingest | None = None, changed: Set[Path] | None = None, stop: threading.Event | None = None
) -> int:
    """Propose notes without a decision until ``stop``, and withdraw the cards of deleted notes. Return the number of new cards.

    Reads the stores of the person's home folder and of the current project. With ``changed``, proposes only the notes of these
    files.
    """
    run = run or Ingest(curator)
    # An undo opens a card before its note is back. Looked up first, since the note may come back during the audit.
    returning = {removal.entry for removal in memory_trash.removals(curator.settings) if not removal.late}
    found = memories.audit(Path.home(), curator.environment, curator.work_folder, changed=changed)
    wanted = [one for one in found.notes if _is_wanted(curator, one.note)]
    by_agent: defaultdict[str, list[Audited]] = defaultdict(list)
    for one in wanted:
        by_agent[one.note.agent].append(one)
    pairs = [(project_of(run, one.note).id, one.note) for one in wanted]
    stating = {(project, detection.fingerprint(insight_of(note))) for project, note in pairs}
    new, work = 0, NoteRun(run, found.repo, stating)
    for notes in by_agent.values():
        notes.sort(key=lambda one: (not one.note.secret, not is_first(one), -one.note.at))
        for at, one in enumerate(notes):
            if (changed is None or one.note.path in changed) and not (stop and stop.is_set()):
                # A transaction per card keeps a person's decision from waiting.
                new += _propose(work, one, left_out=at >= MAX_CARDS or not is_first(one))
    _withdraw(curator, stating, found.looked, returning)
    agent_files.refresh_all(curator, statements(pairs))
    if wanted:
        report = run.report("memories")
        report.files, report.candidates = len({one.note.path for one in wanted}), new
        report.errors += found.skipped
    return new


def settle(curator: Curator, ids: Sequence[str]) -> None:
    """Note which agent's notes say a lesson that was just kept from one, since no scan has compared the two."""
    entries = [entry for id_ in ids if (entry := curator.lessons.peek(id_)) and entry.state is State.ACTIVE]
    pairs = [
        (entry.project, note)
        for entry in entries
        for file in {os.path.expanduser(item.file) for item in entry.evidence if item.digest and entry.signal == MEMORY}
        for store, source in find(
            STORES, Surroundings(Path.home(), curator.environment, curator.work_folder), Path(file)
        ).sources
        for note in store.notes(source)
        if str(note.path) == file and _is_wanted(curator, note)
    ]
    if pairs:
        agent_files.refresh_all(curator, statements(pairs), ids)


def statements(pairs: Iterable[tuple[str, Note]]) -> agent_files.Notes:
    """Return the statements that agents read in their own notes, with the wordings of the cards. ``pairs`` holds a project and
    a note each.

    An agent does not read a subagent's notes or a waiting patch. It reads notes in a work tree only if somebody set that up.
    """
    found: defaultdict[str, list[FileStatement]] = defaultdict(list)
    for project, note in pairs:
        if not (note.shared or note.scope.startswith("subagent:") or note.path.suffix == ".patch"):
            file = f"{note.agent}:{shorten_home(str(note.path))}"
            texts = {insight_of(note), *(oneline(cut_wording(one)) for one in wordings_of(note))}
            found[project if note.project else ""] += [FileStatement(file, text, frozenset()) for text in sorted(texts)]
    return found


@dataclass
class NoteRun:
    """One reading of the notes: the proposing run, the work tree, each note's statement, and the parsed files."""

    run: Ingest
    top: Path
    stating: Set[tuple[str, str]]
    sessions: dict[Path, Mapping[str, Sequence[Turn]]] = field(default_factory=dict)

    @cached_property
    def decided(self) -> list[Entry]:
        """Return the decided entries of deleted notes."""
        found = self.run.curator.lessons.entries(Query(states=(State.ACTIVE, State.DISMISSED, State.RETIRED)))
        return [
            entry
            for entry in found
            if entry.signal == MEMORY and entry.evidence and entry.reason != WITHDRAWN
            if (entry.project, entry.fingerprint) not in self.stating
        ]


def _is_wanted(curator: Curator, note: Note) -> bool:
    return curator.settings.memories_for(note.agent) != "off"


def is_first(one: Audited) -> bool:
    """Return whether a note is shown at first: it holds a secret, or its kind is usually kept and it is no progress report."""
    note = one.note
    likely = note.kind in FIRST_KINDS or (note.store in FIRST_STORES and note.kind not in LATER_KINDS)
    return note.secret or (likely and not one.status)


def project_of(run: Ingest, note: Note) -> Project:
    """Return the project of a note. For a note of an unknown project, return that of the home folder."""
    return run.project(note.project if os.path.isabs(note.project) else str(Path.home()))


def _propose(work: NoteRun, one: Audited, *, left_out: bool) -> bool:
    """Make a card of a note, unless a rules file, a lesson or another note has its words."""
    run, note, fingerprint = work.run, one.note, detection.fingerprint(insight_of(one.note))
    project, store = project_of(run, note), work.run.curator.store
    if len(insight_of(note).split()) < MIN_WORDS or run.is_excluded(project.folder):
        return False
    known = store.entries.by_fingerprint(project.id, fingerprint)
    if known and known.state is State.DISMISSED and known.reason == WITHDRAWN:
        store.apply([(Verb.REOPEN, curate.reopen(known, clock.now()))], actor="detector", at=clock.now())
        return True
    if known and any(os.path.expanduser(item.file) == str(note.path) for item in known.evidence):
        if known.state is State.DISMISSED and known.updated < note.at and note.kind != "inline":
            _count_return(run, known)  # the agent wrote its file after the drop
        return False
    candidate = shareable_candidate(candidate_of(one, fingerprint), project.folder, project.folder)
    earlier = None if known else _earlier(work, note, project.id)
    if earlier and earlier.state is State.DISMISSED:
        earlier = _count_return(run, earlier, candidate.evidence)
        came = f"You dropped a note of these words, which came back ×{earlier.times_stated - 1} and now says more."
        candidate = replace(candidate, context=f"{came} {candidate.context}".strip())
    if earlier and not comparison.adds(earlier.evidence[0].quote, note.text):
        return False
    if one.repeats or merge_targets.repeated(run.curator, candidate, project.id):
        return False
    if known is None and (turns := session_turns(work, note)):
        candidate = with_words_of_person(candidate, note, turns)
    # A path at home for all projects makes a card for all projects. A path in a work tree never does.
    scope = "project" if note.project or note.path.is_relative_to(work.top) else "global"
    # The note has no session, since a session's cards are limited. Each note is decided by itself.
    with store.transaction():
        return run.propose(candidate, project.id, left_out=left_out, session="", scope=scope) is Verb.PROPOSE


def _earlier(work: NoteRun, note: Note, project: str) -> Entry | None:
    """Return the decision on a note with other words: one of the same file or session with most of its words."""
    quote = note.text[:MAX_QUOTE_CHARACTERS]
    for entry in work.decided:
        first = entry.evidence[0]
        same = os.path.expanduser(first.file) == str(note.path) or (note.session and first.session == note.session)
        if entry.project == project and same and comparison.is_reworded(first.quote, quote):
            return entry
    return None


def _count_return(run: Ingest, entry: Entry, words: Sequence[Evidence] = ()) -> Entry:
    """Count that an agent wrote a dropped note again. The same words count once."""
    at = clock.now()
    change = (
        curate.see_again(entry, words, entry.score, at)
        if words
        else curate.change(entry, at, times_stated=entry.times_stated + 1)
    )
    if change is not None:
        run.curator.store.apply([(Verb.SEE_AGAIN, change)], actor="detector", at=at)
    return (change and change.after) or entry


def session_turns(work: NoteRun, note: Note) -> Sequence[Turn]:
    """Return the turns of the session that wrote a note. Return none if its transcript is unread or deleted."""
    paths = (*work.run.agents, *work.run.waiting)
    path = next((path for path in paths if note.session and path.stem.endswith(note.session)), None)
    if path and path not in work.sessions:
        work.sessions[path] = {}
        with suppress(OSError):
            work.sessions[path] = origins.sessions(path)
    turns = work.sessions[path].get(note.session, ()) if path else ()
    return () if any(work.run.is_excluded(turn.cwd) for turn in turns) else turns


def with_words_of_person(candidate: Candidate, note: Note, turns: Sequence[Turn]) -> Candidate:
    """Return a candidate with the person's turn that its note rests on, or with the remark that there is none."""
    wanted = content(insight_of(note))
    heard = [(len(wanted & content(turn.text)), -at) for at, turn in enumerate(turns) if human_words(turn)]
    shared, at = max(heard, default=(0, 0))
    if shared >= max(SHARED_WORDS, SHARED_PART * len(wanted)):
        words = evidence.gather(turns, -at, 0, len(turns[-at].text))
        quotes = (words._replace(file=shorten_home(words.file)),) if words else ()
        return replace(candidate, evidence=(*candidate.evidence, *quotes))
    if note.kind not in FROM_PERSON:
        return candidate
    return replace(candidate, context=f"{UNHEARD} {candidate.context}".strip())


def insight_of(note: Note) -> str:
    """Return a note's text on one line, without headings."""
    lines = (line for line in note.text.splitlines() if not line.startswith("#"))
    return wording.plain(" ".join(" ".join(lines).split())) or note.title


def headline_of(note: Note) -> str:
    """Return the beginning of a note's title if that is meaningful, or else of its first sentence."""
    titles = [wording.plain(note.title), wording.plain(first_sentence(insight_of(note)))]
    wanted = titles[:: -1 if note.kind == "user" else 1]  # such a title usually names a topic
    stating = (text for text in wanted if wording.size(text) >= MIN_WORDS and not text.lower().startswith(LABELS))
    return wording.headline(next(stating, titles[0])).rstrip(".:")


def wordings_of(note: Note) -> tuple[Wording, ...]:
    """Return the wordings of a note: its rule, and the way to apply it."""
    headline, how = headline_of(note), wording.plain(" ".join(note.how.split()))
    rule = Wording(headline, insight_of(note), "worded")
    return (rule, Wording(headline, how, "how to apply")) if how else (rule,)


def category_of(insight: str) -> Category:
    """Return the kind of a note by its first sentence. A sentence without an instruction is no constraint.

    >>> category_of("It only reads a key. Never write it.").value, category_of("Never write the key.").value
    ('convention', 'constraint')
    """
    first = first_sentence(insight)
    kind = rules.category(first)
    return kind if kind is not Category.CONSTRAINT or rules.read(first) else Category.CONVENTION


def candidate_of(one: Audited, fingerprint: str) -> Candidate:
    """Return a note as a candidate: its words, its reason, and the findings of the audit."""
    note, offers = one.note, wordings_of(one.note)
    headline, insight, _ = offers[0]
    context = [f"The file holds a secret: {shorten_home(str(note.path))}."] if note.secret else []
    if note.kind == WAITING:
        removed = " ".join(note.under.split())
        context.append(f"Waits in a patch{f', in place of: {removed}' if removed else ''}.")
    context += [f"Contradicts {', '.join(map(shorten_home, one.contradicts))}."] if one.contradicts else []
    context += [f"In part already in {shorten_home(one.partly[0])}."] if one.partly else []
    context += [f"Gone: {', '.join(str(gone).removesuffix(' (gone)') for gone in one.stale)}."] if one.stale else []
    context += [f"Why: {' '.join(note.why.split())}"] if note.why else []
    quote = note.text[:MAX_QUOTE_CHARACTERS]
    last = note.line + quote.count("\n")
    lines = cut(note.text, MAX_EXCERPT_CHARACTERS).split("\n")
    proof = Evidence(
        quote=quote,
        role=Role.ASSISTANT,
        file=str(note.path),
        line=note.line,
        line_end=min(last, note.line + 20),
        agent=note.agent,
        session=note.session,
        at=note.at or None,
        excerpt=tuple(Line(Role.ASSISTANT, text, hit=True) for text in lines if text.strip()),
        digest=digest(note.whole),
    )
    is_likely = is_first(one)
    return Candidate(
        category=CATEGORIES.get(note.kind) or category_of(insight),
        headline=headline,
        insight=insight,
        evidence=(proof,),
        score=1.0 if note.secret else LIKELY if is_likely else UNLIKELY,  # a secret comes before all others
        score_parts={"an agent remembers it": 0.0},
        signal=MEMORY,
        fingerprint=fingerprint,
        context=" ".join(context),
        files=tuple(path for path in code.named_paths(note.whole)),
        wordings=offers,
    )


def _withdraw(curator: Curator, stating: set[tuple[str, str]], looked: Iterable[Path], returning: Set[str]) -> None:
    """Take back the open cards of notes that their stores no longer have, but for ``returning``. A lesson stays."""
    at, folders = clock.now(), [str(place) for place in looked]
    gone = [
        card
        for card in cards(curator)
        if (card.project, card.fingerprint) not in stating and card.id not in returning and _is_looked_at(card, folders)
        if not any(is_said(card, item) for item in card.evidence)
    ]
    curator.store.apply([(Verb.DISMISS, curate.dismiss(card, at, WITHDRAWN)) for card in gone], actor="detector", at=at)


def is_said(card: Entry, item: Evidence) -> bool:
    """Return whether this quote of a session says what a note's card says. A person's quote must have the same words."""
    return not item.digest and (item.role is not Role.HUMAN or detection.fingerprint(item.quote) == card.fingerprint)


def _is_looked_at(card: Entry, folders: Sequence[str]) -> bool:
    """Return whether each file that a card quotes is in a store that was read, or is deleted. A transcript is in no store."""
    files = [os.path.expanduser(item.file) for item in card.evidence if item.role is Role.ASSISTANT]
    return all(not os.path.lexists(file) or any(is_below(file, folder) for folder in folders) for file in files)


def is_below(file: str, folder: str) -> bool:
    """Return whether a file is this path or is inside it."""
    return file == folder or file.startswith(f"{folder}{os.sep}")


def cards(curator: Curator) -> list[Entry]:
    """Return the open cards that were made of notes."""
    return [entry for entry in curator.lessons.entries(Query(states=(State.OPEN,))) if entry.signal == MEMORY]
