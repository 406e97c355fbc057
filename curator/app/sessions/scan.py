"""Find and read transcripts: all of them, one that was just written, or those that hooks have queued.

Only the process with the lock reads the queue (``curator scan --queued``). A hook passes the lock on as standard input (see
``agents.spool``), so no other process can start in between.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from curator import clock, curate, plugins
from curator.agents import spool
from curator.app import deliveries
from curator.app.curator import Curator
from curator.app.sessions.ingest import Ingest, ScanReport, no_card_reason
from curator.errors import CuratorError
from curator.hookspecs import Companions, Format
from curator.io import files, watch
from curator.model import MEMORY, Candidate, Entry, Turn, Verb
from curator.settings import DAY_SECONDS
from curator.text.words import pluralize
from curator.transcripts.base import discover
from curator.transcripts.base import follow as reading

GC_THRESHOLD = 100_000
"""The number of new objects at which a scan looks for cycles among them. Python's own 700 costs one twentieth of the scan."""
DEFAULT_GC_THRESHOLD = gc.get_threshold()
"""The setting outside a scan. If two run at once, the first to end sets it, and the other continues with it."""
RETRY_SECONDS = 1.0
MAX_PAUSE_DAYS = 7
"""Maximum number of days that count between two visits to the inbox."""
UNKNOWN_FORMAT_SHARE = 0.2
"""The share of unknown records in a transcript from which an agent has probably changed its format."""


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of a scan or a replay: files and bytes done and to do, finds, and files too old."""

    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    count: int
    older: int = 0


def scan(
    curator: Curator,
    *,
    roots: Sequence[Path] | None = None,
    since: float = 0.0,
    progress: Callable[[Step], object] = lambda step: None,
    stop: threading.Event | None = None,
) -> Mapping[str, ScanReport]:
    """Read agents' notes, whose cards come first in the inbox, and every transcript changed at or after ``since``.

    The newest transcript comes first, so that a stopped scan has read the most important ones.
    """
    deliveries.import_receipts(curator)
    run = Ingest(curator)
    every = run.discover(roots).transcripts
    found = sorted((item for item in every if item.mtime >= since), key=lambda item: -item.mtime)
    total, older = sum(item.size for item in found), len(every) - len(found)
    size, cards = 0, 0
    progress(Step(0, len(found), size, total, cards, older))
    if roots is None:
        run.waiting = [item.path for item in found]
        cards += read_notes(curator, run, stop=stop)
    with infrequent_gc():
        for at, item in enumerate(found):
            if stop is not None and stop.is_set():
                break
            cards += run.file(item.format, item.path, item.look, stop)
            size += item.size
            progress(Step(at + 1, len(found), size, total, cards, older))
    if stop is None or not stop.is_set():
        expire_idle_candidates(curator)
        deliveries.settle_outcomes(curator)
        from curator.app import agent_files  # an inbox without transcripts never needs them

        agent_files.refresh_all(curator)
    return run.reports


def read_notes(curator: Curator, run: Ingest, changed: Set[Path] | None = None, stop: threading.Event | None = None) -> int:
    """Make cards of the notes that agents keep for themselves, unless the person wants none. Return the number of new ones.

    ``changed`` are the files that were written. ``None`` stands for all.
    """
    if not curator.settings.reads_memories:
        return 0
    has_cards = curator.store.entries.has_signal(MEMORY)
    if not has_cards and not any(map(os.path.exists, note_places(curator))):
        from curator.app import agent_files  # as in ``scan``

        agent_files.refresh_all(curator, {})  # a note that is gone states no lesson any more
        return 0
    from curator.app import memory_edits, note_cards  # takes 8 MB, which a person without notes never needs

    said, failures = memory_edits.apply_decisions(curator) if has_cards else ([], [])
    if said or failures:
        run.report("memories").errors += [*said, *(error.message for error in failures)]
    try:
        return note_cards.read(curator, run, changed, stop)
    except CuratorError:
        raise
    except Exception as error:  # an error of curator in one note must not keep it from the transcripts
        log.exception("the notes were not read")
        run.report("memories").errors.append(f"curator could not read the notes ({error!r}). Details are in the log")
        return 0


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Collect cyclic garbage rarely. A scan makes few cycles, and frees most objects after each file."""
    gc.set_threshold(GC_THRESHOLD, *DEFAULT_GC_THRESHOLD[1:])
    try:
        yield
    finally:
        gc.set_threshold(*DEFAULT_GC_THRESHOLD)


def expire_idle_candidates(curator: Curator) -> list[Entry]:
    """Expire the candidates of every project that waited too long, and return them.

    People abandon an inbox that only grows. A repeated or snoozed card starts its time again. Only days with a visit count, so
    a wrong clock or a long absence expires nothing.
    """
    days, at = curator.settings.expire_days, clock.now()
    today = int(at // DAY_SECONDS)
    if curator.store.sources.active_days(today, 1) != [today]:
        with curator.store.transaction():
            curator.store.sources.record_active_day(today)
    since = cutoff_day(curator.store.sources.active_days(today, days + 1), days) if days else None
    if since is None:
        return []
    before = min(at - days * DAY_SECONDS, (since + 1) * DAY_SECONDS)
    unattended = curator.store.entries.idle_candidates(before)
    if unattended:
        with curator.store.transaction():
            unattended = curator.store.entries.idle_candidates(before)  # A person may have decided meanwhile.
            curator.store.apply([(Verb.EXPIRE, curate.expire(entry, at)) for entry in unattended], actor="curator", at=at)
    return unattended


def cutoff_day(visits: Sequence[int], days: int) -> int | None:
    """Return the newest visit that is at least ``days`` days ago. Return ``None`` if there is none.

    ``visits``: day numbers, newest first. A pause between two visits counts as a week at most. On the first day after a longer
    pause, no visit is old enough.

    >>> cutoff_day([10, 9, 8, 7], 2), cutoff_day([400, 9, 8], 2), cutoff_day([401, 400, 9], 3), cutoff_day([401, 400, 9], 9)
    (8, None, 9, None)
    """
    passed = 0
    for newer, older in pairwise(visits):
        if newer == visits[0] and newer - older > MAX_PAUSE_DAYS:
            return None
        passed += min(newer - older, MAX_PAUSE_DAYS)
        if passed >= days:
            return older
    return None


class Survey(NamedTuple):
    """The transcripts on this machine, as a first run counts them."""

    total: int = 0
    recent: Mapping[str, int] = {}
    """The number of the last days by agent."""
    read_before: bool = False
    """True if any was ever read."""
    note_files: int = 0
    """The files with notes that agents keep for themselves."""


def survey(curator: Curator, roots: Sequence[Path] | None = None) -> Survey:
    """Return which transcripts there are, without reading them."""
    run = Ingest(curator)
    found = run.discover(roots).transcripts
    since = clock.now() - curator.settings.since_days * DAY_SECONDS
    recent = Counter(item.format.agent for item in found if item.mtime >= since)
    read_before = bool(run.sources) or curator.has_read()
    return Survey(len(found), recent, read_before, 0 if read_before or roots is not None else count_note_files(curator))


def follow(
    curator: Curator,
    stop: threading.Event,
    changed: Callable[[int], None],
    *,
    roots: Sequence[Path] | None = None,
    failed: Callable[[CuratorError], None] = lambda error: None,
    blind: Callable[[str], None] = lambda why: None,
) -> None:
    """Watch transcripts until ``stop``. An appended line becomes a card within a fraction of a second.

    If the database is busy, this reports it and tries again. Nothing is lost, since cards are stored together with the position
    in the file.
    """
    run = Ingest(curator)
    places = native_paths(run.formats, curator.environment) if roots is None else list(roots)
    stores = note_places(curator) if roots is None else []
    apart = [store for store in stores if not is_below(store, places)]
    for batch in watch.watch([*places, *apart], stop, blind=blind):
        deliveries.import_receipts(curator)
        run.refresh()
        run.reports.clear()  # These reports are not needed here, and a file may have the same error each time.
        if roots is None and any("memor" in str(path) and not is_below(path, stores) for path in batch):
            stores = note_places(curator)  # an agent may have begun to keep notes of another project
        notes = {path for path in batch if is_below(path, stores)}
        waiting = sorted({discover.transcript_of(path, run.formats, run.agents) for path in batch - notes})
        new = 0
        while (waiting or notes) and not stop.is_set():
            try:
                if notes:
                    new += read_notes(curator, run, notes)
                    notes.clear()
                else:
                    new += read_one(run, waiting[0], stop)
                    waiting.pop(0)
            except CuratorError as error:
                failed(error)
                run.refresh()
                stop.wait(RETRY_SECONDS)
        changed(new)


def is_below(path: Path, folders: Iterable[Path]) -> bool:
    """Return whether a file is in one of these folders, or is one of these files."""
    return any(path.is_relative_to(folder) for folder in folders)


def count_note_files(curator: Curator) -> int:
    """Return the number of files with notes that agents keep for themselves. Return 0 if the person wants none read."""
    if not curator.settings.reads_memories:
        return 0
    from curator import memories  # only a first run counts

    around = memories.Surroundings(Path.home(), curator.environment, curator.work_folder)
    return len(memories.find(memories.STORES, around).sources)


def note_places(curator: Curator) -> list[Path]:
    """Return the folders and files in which agents keep notes that are read, or may start to."""
    if not curator.settings.reads_memories:
        return []
    from curator import memories  # a watch of named folders never needs it

    home, work = Path.home(), curator.work_folder
    around = memories.Surroundings(home, curator.environment, work)
    found = [place.path for store in memories.STORES for place in store.places(around)]
    found += [top / ".claude" / name for top in (home, work) for name in ("agent-memory", "agent-memory-local")]
    return [*dict.fromkeys(found)]


def read_one(run: Ingest, path: Path, stop: threading.Event | None = None) -> int:
    """Read the new part of a written file, or of the transcript that it accompanies."""
    path = discover.transcript_of(path, run.formats, run.agents)
    source = run.sources.get(str(path))
    try:
        format_ = next((item for item in run.formats if source and item.agent == source.agent), None) or discover.format_of(
            path, run.formats
        )
    except OSError:
        return 0  # it was written and is gone again
    return run.file(format_, path, stop=stop) if format_ else 0


def native_places() -> dict[str, list[str]]:
    """Return where each agent's transcripts are looked for."""
    return {format_.agent: [str(root) for root in format_.roots(Path.home(), os.environ)] for format_ in plugins.formats()}


def find_transcripts(root: Path) -> list[Path]:
    """Return every transcript below a folder, in the order of their names."""
    return sorted(item.path for item in discover.find(plugins.formats(), [root], Path.home(), os.environ).transcripts)


def native_paths(formats: Iterable[Format], env: Mapping[str, str]) -> list[Path]:
    """Return where agents keep transcripts on this machine. A file comes with its companions, which may be written instead."""
    places: list[Path] = []
    for format_ in formats:
        roots = format_.roots(Path.home(), env)
        places += roots
        if isinstance(format_, Companions):
            places += [beside for root in roots if not root.is_dir() for beside in format_.companions(root)]
    return list(dict.fromkeys(places))


@dataclass(frozen=True, slots=True)
class Preview:
    """The candidates of one file, best first, or the reason for none; its number of turns, and its unreadable parts."""

    candidates: tuple[Candidate, ...]
    turns: int
    errors: tuple[str, ...]
    why: str = ""


def preview(path: Path, limit: int = 5) -> Preview | None:
    """Return the candidates of one file, without a database. Return ``None`` if the file is no transcript.

    Raises ``OSError``. ``limit`` counts per session. 0 means all.
    """
    from curator import detection  # a scan that finds nothing new does without

    format_ = discover.format_of(path, plugins.formats())
    if format_ is None:
        return None
    sessions: dict[str, list[Turn]] = {}
    errors, unknown, bookmark = list[str](), Counter[str](), None
    for progress in reading.portions(format_, path):
        errors += progress.errors
        unknown += progress.unknown
        bookmark = progress.bookmark
        for turn in progress.turns[progress.old_turns :]:
            sessions.setdefault(turn.session, []).append(turn)
    turns = sum(map(len, sessions.values()))
    errors += reading_warnings(path, bookmark, unknown, turns)
    found = [candidate for session_turns in sessions.values() for candidate in detection.detect(session_turns)[: limit or None]]
    why = "" if found else ", ".join(sorted({no_card_reason(session_turns, False) for session_turns in sessions.values()}))
    return Preview(tuple(sorted(found, key=lambda candidate: -candidate.score)), turns, tuple(errors), why)


def reading_warnings(path: Path, bookmark: reading.Bookmark | None, unknown: Counter[str], turns: int) -> Iterator[str]:
    """Yield warnings that only a single look reports: a record that is cut short, and unknown types."""
    if bookmark and 0 < bookmark.end.offset < bookmark.size:  # documents and databases have no offset
        rest = bookmark.size - bookmark.end.offset
        yield f"{path}:{bookmark.end.line + 1}: the last {pluralize(rest, 'byte')} are an incomplete record; skipped"
    if unknown.total() > UNKNOWN_FORMAT_SHARE * turns:
        kinds = ", ".join(f"{kind} ×{count}" for kind, count in unknown.most_common(5))
        yield f"{path}: {pluralize(unknown.total(), 'record')} gave no turn ({kinds})"


log = logging.getLogger(__name__)
TAKEN = ".taken"
ADDED_NICENESS = 10
"""The number added to the niceness: an agent works at the same time."""


def read_queue(curator: Curator) -> int:
    """Read the queued transcripts, and import the hooks' receipts. Return the number of transcripts read.

    Does nothing if another process reads the queue. It also reads those queued while it released the lock.
    """
    folder, count = curator.settings.spool / spool.FOLDER, 0
    while True:
        with _holding(folder) as locked:
            if not locked:
                return count
            deliveries.import_receipts(curator)
            while waiting := claim_queue(folder):
                for path in waiting:
                    count += _read(curator, path)
            deliveries.import_receipts(curator)
            deliveries.settle_outcomes(curator)
        if not any(folder.glob("*.json")):
            return count


@contextmanager
def _holding(folder: Path) -> Iterator[bool]:
    """Hold the queue's lock, which we may have been born with."""
    files.private_folder(folder)
    path = folder / spool.LOCK
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        inherited = _is(0, fd)
        mine = 0 if inherited else fd
        lock = spool.lock(mine)
        try:
            yield lock
        finally:
            if lock:
                spool.unlock(mine)
    finally:
        os.close(fd)


def _is(one: int, other: int) -> bool:
    """Return whether two numbers of open files mean the same file."""
    try:
        return os.path.sameopenfile(one, other)
    except OSError:
        return False


def claim_queue(folder: Path) -> list[Path]:
    """Mark all queued files, and those that a killed run has marked. A later change then queues a file again."""
    for path in folder.glob("*.json"):
        with suppress(FileNotFoundError):  # its session has just been forgotten
            path.replace(path.with_suffix(TAKEN))
    return sorted(folder.glob(f"*{TAKEN}"))


def _read(curator: Curator, path: Path) -> int:
    """Read the transcript that a note names. Delete the note once it is read, or can't be."""
    try:
        note = json.loads(path.read_bytes())
        place, agent = str(note["transcript_path"]), str(note["agent"])
    except (OSError, ValueError, TypeError, KeyError):
        place = agent = ""
    try:
        if curator.settings.hook_scan and agent:
            _ingest(curator, place, agent)
    except CuratorError as error:
        log.warning("the transcript of a session of %s was not read: %s", agent, error.message)
    path.unlink(missing_ok=True)
    return 1


def _ingest(curator: Curator, place: str, agent: str) -> None:
    run = Ingest(curator)
    if os.path.isabs(place):
        real = os.path.realpath(place)
        own = native_paths([format_ for format_ in run.formats if format_.agent == agent], curator.environment)
        if place in run.sources or any(Path(real).is_relative_to(os.path.realpath(root)) for root in own):
            read_one(run, Path(place))
        else:
            log.warning("%s was not read: it lies in no folder of %s", place, agent)
    elif not place:  # The agent does not name its transcript, so look at each of its changed files.
        run.formats = tuple(format_ for format_ in run.formats if format_.agent == agent)
        for item in run.discover(None).transcripts:
            run.file(item.format, item.path, item.look)


def lower_process_priority() -> None:
    """Leave the processor to those who are waited for."""
    if hasattr(os, "nice"):
        os.nice(ADDED_NICENESS)
