"""Apply decisions on notes to the agents' own files: delete a dropped note, change the words of an edited one.

Like a lesson file, a note follows the state of its card, so undo needs no code of its own. curator writes only with ``memories
= "apply"``, and never while the agent may write.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from curator import clock, plugins
from curator.app.curator import Curator
from curator.app.decide import Outcome, slug
from curator.app.project import memory_trash as trash
from curator.app.sessions.ingest import shorten_home
from curator.errors import ConcurrentChange, CuratorError
from curator.inbox import WITHDRAWN
from curator.io import files, git
from curator.memories import STORES, Note, Place, Source, Store, Surroundings, edit, find, stores
from curator.memories.discover import MAX_FILE_BYTES, cwd_of, source_of
from curator.memories.note import digest
from curator.model import MEMORY, Entry, State
from curator.text.markdown import front_matter
from curator.text.words import pluralize
from curator.transcripts.base import discover

APPLY = "apply"
"""The setting that lets curator change the notes themselves."""
SETTLED_SECONDS = 10.0
QUIET_SECONDS = 120.0
"""The ages that a file with notes, and the sessions that may write into it, have before curator writes."""
LOCKS = (".extraction.lock", "consolidation.lock", ".consolidate-lock")
"""The lock files of agents that work on their notes."""
INDEX = "MEMORY.md"
NAMES = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "goose": "Goose",
    "qwen": "Qwen Code",
    "serena": "Serena",
    "vscode-copilot": "Copilot in VS Code",
}
AGAIN = "curator tries again with your next decision and at the next scan."
PATCH = ".patch"
BY_HAND = "Edit the file yourself."
_PID = re.compile(rb'\A\s*(\d{1,10})\b|"pid"\s*:\s*(\d{1,10})')


class Busy(CuratorError):
    """A file that an agent may be writing: curator tries again later."""


def apply_decisions(curator: Curator, ids: Sequence[str] = ()) -> tuple[list[str], list[CuratorError]]:
    """Bring the notes of these cards, and of waiting ones, in line with the decisions.

    Return sentences for the person, and why a note stayed as it is.
    """
    waiting = _waiting(curator)
    entries = [
        entry for id_ in dict.fromkeys((*ids, *waiting)) if (entry := curator.lessons.peek(id_)) and entry.signal == MEMORY
    ]
    if not entries:
        return [], []
    said, failures, later = list[str](), list[CuratorError](), list[str]()
    wanted = {entry.id: wanted_words(curator, entry) for entry in entries}
    handled = frozenset((*ids, *waiting))
    applying = [one for one in entries if wanted[one.id] is not None and _applies(curator, one)]
    if applying:  # first, for a process that is killed
        _wait(curator, frozenset(), [entry.id for entry in applying])
    standing = set[tuple[str, str]]()
    for removal in trash.removals(curator.settings):
        is_followed = removal.entry in wanted and not removal.late
        if is_followed and (removal.words != wanted[removal.entry] or trash.is_cut_short(removal)):
            try:
                said += trash.put_back(curator.settings, removal)
            except CuratorError as error:
                failures.append(error)
                with suppress(OSError):
                    trash.save(curator.settings, replace(removal, late=True))
        elif not removal.late:
            standing.add((removal.entry, removal.file))
    for entry in applying:
        words = wanted[entry.id] or ""
        places = {item.file: item.agent for item in entry.evidence if item.digest}
        for file, agent in places.items():
            is_done = (entry.id, file) in standing or (words == trash.AS_IT_IS and not file.endswith(PATCH))
            if not is_done and curator.settings.memories_for(agent) == APPLY:
                try:
                    said += _carry_out(curator, entry, (file, NAMES[agent]), words)
                except (Busy, ConcurrentChange) as error:
                    later.append(entry.id)
                    failures += [error] if entry.id in ids else []
                except CuratorError as error:
                    failures.append(error)
    _wait(curator, handled, later)
    return said, failures


def _applies(curator: Curator, entry: Entry) -> bool:
    """Return whether curator may change a note that a card was made of."""
    return any(item.digest and curator.settings.memories_for(item.agent) == APPLY for item in entry.evidence)


def wanted_words(curator: Curator, entry: Entry) -> str | None:
    """Return the words that a note must have: none after a drop, those of an edited lesson, or ``None`` for its own words.

    For a note that waits in a patch, ``AS_IT_IS`` says that its own words go into their file.
    """
    if entry.state in (State.DISMISSED, State.RETIRED):
        return None if entry.reason == WITHDRAWN else ""
    offered = {one.insight for one in entry.wordings}
    is_edited = entry.state is State.ACTIVE and entry.insight not in offered and curator.store.events.is_reworded(entry.id)
    waits = entry.state is State.ACTIVE and any(item.digest and item.file.endswith(PATCH) for item in entry.evidence)
    return entry.insight if is_edited else trash.AS_IT_IS if waits else None


def question(curator: Curator, outcome: Outcome) -> str:
    """Return the question to ask after a first decision that could change a store. Return an empty text if it changes none."""
    changes: list[tuple[str, str]] = []
    for entry in outcome.entries:
        words = wanted_words(curator, entry) if entry.signal == MEMORY else None
        agents = (item.agent for item in entry.evidence if item.digest)
        agent = next((NAMES[one] for one in agents if curator.settings.memories_for(one) == "ask"), "")
        if agent and words is not None:
            changes.append((agent, words))
    if not changes:
        return ""
    agent, words = changes[0]
    deed = {trash.AS_IT_IS: "Apply", "": "Delete"}.get(words, "Reword")
    if len(changes) > 1:
        return f"{deed} the notes of these {len(changes)} cards, too? The trash keeps them for {trash.KEPT_DAYS} days."
    kept = "its old text" if words else f"it for {trash.KEPT_DAYS} days"
    return f"{deed} the note in {agent}, too? The trash keeps {kept}."


def asked(curator: Curator, entry: Entry) -> str:
    """Return a sentence if an agent was asked to forget or change a note that still exists. Otherwise return an empty text."""
    shown = {item.digest for item in entry.evidence if item.digest}
    for removal in trash.removals(curator.settings) if entry.signal == MEMORY else ():
        if removal.entry == entry.id:
            with suppress(edit.Unclear):
                store, source, _ = _read(curator, entry, Path(os.path.expanduser(removal.file)))
                if store.requests and any(digest(note.whole) in shown for note in store.notes(source)):
                    deed = "reword" if removal.words else "forget"
                    return f"{NAMES[store.agent]} was asked to {deed} this note; it still stands in {removal.file}."
    return ""


def _waiting_folder(curator: Curator) -> Path:
    """Return the folder of waiting cards. Each card has a file there while an agent may be writing its note. Several processes
    add and remove files.
    """
    return trash.folder(curator.settings) / "later"


def _waiting(curator: Curator) -> list[str]:
    with suppress(OSError):
        return sorted(os.listdir(_waiting_folder(curator)))
    return []


def _wait(curator: Curator, handled: frozenset[str], more: Sequence[str]) -> None:
    """Record that these cards wait for their agents, and the handled ones no longer."""
    folder = _waiting_folder(curator)
    with suppress(OSError):
        for id_ in handled.intersection(_waiting(curator)).difference(more):  # other ids may be any text
            (folder / id_).unlink(missing_ok=True)
        for id_ in more:
            files.private_folder(folder)
            files.private_file(folder / id_)


def _carry_out(curator: Curator, entry: Entry, place: tuple[str, str], words: str) -> list[str]:
    """Change a card's note in a file of an agent. Return sentences for the person. Raises ``CuratorError``."""
    file, agent = place
    path, shown = Path(os.path.expanduser(file)), {item.digest: item.line for item in entry.evidence if item.file == file}
    if not os.path.lexists(path):
        return []
    try:
        store, source, others = _read(curator, entry, path)
        real = files.resolve(path, source.place.path)
        data = files.read(real, source.place.path, MAX_FILE_BYTES)
        source = source_of(source.place, path, source.name, data, names=source.files)
        note = _shown(store.notes(source), shown)
        edits = _edits(store, source, (real, data), note, words)
        if reason := _busy(curator, store, source.place, note.project or source.place.project, edits):
            raise Busy(f"{agent} may be writing: {reason}. So the note in {file} stays for now.", AGAIN)
        trash.carry_out(curator.settings, entry.id, (file, entry.headline), words, edits)
    except edit.Unclear as error:
        raise CuratorError(f"The note in {file} stays: {error}.", BY_HAND) from error
    except OSError as error:
        raise CuratorError(f"The note in {file} stays: {error.strerror}.", BY_HAND) from error
    if edits[0].after is None and (links := _links(source, others)):
        return [f"{pluralize(len(links), 'note links', 'notes link')} to the deleted note: {', '.join(links)}."]
    return []


def _shown(notes: Iterable[Note], shown: Mapping[str, int]) -> Note:
    """Return the note of a card, by digest and line. Below one heading, any of several will do. Raises ``Unclear``."""
    same = [one for one in notes if digest(one.whole) in shown]
    if not same:
        raise edit.Unclear("it is not the one that the card shows")
    there = [one for one in same if one.line == shown[digest(one.whole)]]
    if not there and len({one.under for one in same}) > 1:
        raise edit.Unclear("it stands there more than once, and not where the card shows it")
    return (there or same)[0]


def _read(curator: Curator, entry: Entry, path: Path) -> tuple[Store, Source, list[Source]]:
    """Return a file with notes, its store, and the other files of the folder. Raises ``Unclear``."""
    project = curator.projects().get(entry.project)
    top = git.work_tree(path.parent) or (project.folder if project else "")
    found = find(STORES, Surroundings(Path.home(), curator.environment, Path(top) if top else None), path)
    for store, source in found.sources:
        if source.path == path:
            return store, source, [one for _, one in found.sources if one is not source]
    reasons = [one for one in found.skipped if str(path) in one or str(path.parent) in one]
    raise edit.Unclear(shorten_home(reasons[0].partition(": ")[2].partition(";")[0]) if reasons else "no agent reads it")


def _edits(store: Store, source: Source, file: tuple[Path, bytes], note: Note, words: str) -> list[trash.Saved]:
    """Return the file changes that delete a note or give it these words. Raises ``Unclear`` and ``OSError``."""
    real, data = file
    if store.requests:
        stamp = clock.iso(clock.now())[:19].replace(":", "-")
        name = Path(store.requests, f"{stamp}-{slug(note.text)}.md")
        target = files.resolve(source.place.path / name, source.place.path)
        while target.exists():
            target = target.with_stem(f"{target.stem}-2")
        return [trash.saved(target, None, edit.request(note.text, words).encode())]
    if note.kind == edit.WAITING and words:
        return _applied(store, source, file, note, "" if words == trash.AS_IT_IS else words)
    new = edit.reword(source, data, note, words) if words else edit.drop(store, source, data, note)
    _require_others(store, source, note, new, is_reworded=bool(words))
    edits = [trash.saved(real, data, new)]
    for folder in dict.fromkeys((source.path.parent, source.place.path)) if edits[0].after is None else ():
        index = folder / INDEX
        if index != source.path and index.is_file():
            index = files.resolve(index, source.place.path)
            old = files.read(index, source.place.path, MAX_FILE_BYTES)
            new = edit.unlink(source_of(source.place, index, INDEX, old).text, old, source.path.relative_to(folder).as_posix())
            edits += [trash.saved(index, old, new)] if new != old else []
    return edits


def _applied(store: Store, source: Source, file: tuple[Path, bytes], note: Note, words: str) -> list[trash.Saved]:
    """Return the changes that apply a waiting hunk to its file. Raises ``Unclear`` and ``OSError``."""
    real, data = file
    name, is_new = edit.target(source, data, note)
    path, place = Path(name), source.place
    if not stores.gemini_may_change(place, source.name, path):
        raise edit.Unclear("its patch is for a file that holds no notes")
    path = files.resolve(path, place.base)
    if is_new and os.path.lexists(path):
        raise edit.Unclear("its patch makes a file that is there already")
    old = None if is_new else files.read(path, place.base, MAX_FILE_BYTES)
    new, rest = edit.carry_over(source, data, note, old or b"", words)
    _require_others(store, source, note, rest, is_reworded=False)
    edits = [trash.saved(path, old, new), trash.saved(real, data, rest)]
    index = files.resolve(place.path / INDEX, place.base)
    before = files.read(index, place.base, MAX_FILE_BYTES) if index.is_file() else None
    if is_new and path.parent == index.parent and path != index and path.name.encode() not in (before or b""):
        # Gemini CLI reads only files that the index names.
        line = f"- See {path} for {re.sub('[-_]', ' ', path.stem)} notes.\n"
        start = b"# Project Memory\n" if before is None else before if before.endswith(b"\n") else before + b"\n"
        edits.append(trash.saved(index, before, start + line.encode()))
    return edits


def _require_others(store: Store, source: Source, note: Note, new: bytes | None, *, is_reworded: bool) -> None:
    """Raise ``Unclear`` if an edited file would lose more notes than this one."""
    kept = [" ".join(one.whole.split()) for one in store.notes(source) if one != note]
    after = source_of(source.place, source.path, source.name, new or b"", names=source.files)
    now = [" ".join(one.whole.split()) for one in store.notes(after)]
    if (is_reworded and len(now) <= len(kept)) or any(not any(one in other for other in now) for one in kept):
        raise edit.Unclear("the file would lose a note that should stay")


def _links(source: Source, others: Sequence[Source]) -> list[str]:
    """Return the files that link a note by its name."""
    names = {source.path.stem, str(front_matter(source.text)[0].get("name"))}
    return [one.name for one in others if any(f"[[{name}]]" in one.text for name in names)]


def _busy(curator: Curator, store: Store, place: Place, project: str, edits: Sequence[trash.Saved]) -> str:
    """Return the reason why an agent may be writing its notes just now. Return an empty text if there is no sign of it."""
    now = clock.now()
    for one in (one for one in edits if one.before is not None):
        is_young = 0 <= now - one.mtime < SETTLED_SECONDS
        if is_young and not trash.is_own(curator.settings, one.path, one.before):
            return f"{os.path.basename(one.path)} is less than {SETTLED_SECONDS:.0f} seconds old"
    for lock in (folder / name for folder in (place.path, place.path.parent) for name in LOCKS):
        with suppress(OSError, ValueError):
            found = _PID.search(files.read(lock, place.base, 4096))
            if found and files.is_running(int(found[1] or found[2])):
                return f"it holds {lock.name}"
    formats = plugins.formats()
    own = [one for one in formats if one.agent == store.agent] or formats  # Serena runs in sessions of any agent
    known = {Path(path): source.agent for path, source in curator.store.sources.sources().items()}
    for item in discover.find(own, None, Path.home(), curator.environment, known).transcripts:
        if 0 <= now - item.mtime < QUIET_SECONDS and _is_in(cwd_of(str(item.path)), project):
            return f"one of its sessions wrote within the last {QUIET_SECONDS / 60:.0f} minutes"
    return ""


def _is_in(folder: str, project: str) -> bool:
    """Return whether a session in a folder may belong to a project. A session without a folder may belong to any."""
    unknown = not folder or not os.path.isabs(project)
    return unknown or files.within(os.path.realpath(folder), os.path.realpath(project))
