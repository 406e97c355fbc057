"""Forget: remove text everywhere, and keep only marks, so that it does not come back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from curator import clock
from curator.app.curator import Curator
from curator.app.tombstones import name_of, of_id, of_place, of_session, repeat_signatures, traces_of
from curator.errors import CuratorError
from curator.model import FROM_FILE, JSON, Entry, Query
from curator.store import backups
from curator.store.file_records import FileRecord

NOWHERE = FileRecord("", "", 0, 0, "", "", 0.0)
"""The record of no file, for a forgotten entry that had none."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """The number of deleted entries, the places where their text may remain, and the projects whose agents may have it."""

    count: int
    warnings: tuple[str, ...] = ()
    projects: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Purge:
    """The data to delete: entries, all of a session, and the entries' quotes, also where they were copied to."""

    ids: frozenset[str]
    quotes: frozenset[str]
    tombstones: frozenset[str]
    """The marks that stay: no text, but enough to know all of this again."""
    needles: tuple[str, ...]
    """Strings of which one occurs, as JSON, in each text to check. There are few, since each needs a pass."""

    @classmethod
    def of(cls, entries: Sequence[Entry], session: str) -> Purge:
        """Return the texts to delete with these entries and this session, which may be empty."""
        quotes = [item for entry in entries for item in entry.evidence]
        marks = {of_place(item) for item in quotes} | {of_id(entry.id) for entry in entries}
        marks |= {entry.fingerprint for entry in entries if entry.fingerprint}
        marks |= {of_session(session)} if session else set()
        words = {item.session or name_of(item.file) or item.quote for item in quotes} | {session}
        return cls(
            frozenset(entry.id for entry in entries),
            frozenset(item.quote for item in quotes if item.quote),
            frozenset(marks),
            ('"rival":{', '"proposal":{', *sorted(as_stored_json(word) for word in words if word)),
        )

    def scrub(self, data: JSON, *, entry: bool) -> JSON:
        """Return an encoded entry, or one side of a change, without the forgotten texts. In a change, ``None`` stands for a
        default.
        """
        clean = dict(data)
        if data.get("evidence"):
            evidence = [
                without_forgotten_excerpt(item, self.quotes)
                for item in data["evidence"]
                if not self.tombstones & set(traces_of(item))
            ]
            clean["evidence"] = evidence or None
        if (data.get("rival") or {}).get("other") in self.ids:
            clean["rival"] = None if entry else {key: item for key, item in data["rival"].items() if key != "clash"}
        if self.ids.intersection((data.get("proposal") or {}).get("members", ())):
            clean["proposal"] = None  # its words may be those of a forgotten member
        return {key: item for key, item in clean.items() if item is not None} if entry or "id" in data else clean


def forget(curator: Curator, ids: Sequence[str] = (), *, session: str = "") -> Erasure:
    """Purge entries, or a whole session, with their evidence and history. Only hashes stay, so that the texts never return.

    This also rewrites the agents' files of the projects, whether or not lessons are exported.
    """
    from curator.app import install  # a decision loads this module, and needs only ``finish`` of it

    erasure = purge(curator, ids, session)
    try:
        obstacles = [f"{item.file}:{item.line}: {item.reason}" for item in install.refresh(curator, erasure.projects)]
    except CuratorError as error:
        obstacles = [str(error)]
    warnings = (f"An agent's file may still hold the text. {why}" for why in obstacles)
    return replace(erasure, warnings=(*erasure.warnings, *warnings))


def purge(curator: Curator, ids: Sequence[str], session: str) -> Erasure:
    """Purge entries, or all that comes from a session: the database first, then files that are as we left them."""
    from curator.app import deliveries, memory_trash, sync  # see ``forget``

    store = curator.store
    deliveries.import_receipts(curator)  # receipts of hooks may hold it, too
    with store.transaction():
        going = tuple(entries_to_forget(curator, ids, session))
        entry_ids, every = [entry.id for entry in going], Purge.of(going, session)
        places = [place for id_ in entry_ids for place in store.files.places(id_)]
        scrubbed = store.forget(entry_ids, every.needles, every.scrub, every.tombstones, actor=curator.actor, at=clock.now())
        for id_ in entry_ids:
            store.hub.forget(id_)
        store.distilling.forget(of_session(session))
        signatures = [one for entry in going for one in (entry.fingerprint, *repeat_signatures(entry.fingerprint))]
        store.sources.delete_session_errors([of_session(session)], signatures)
        sessions = {item.session for entry in going for item in entry.evidence}
        forget_quotes(curator, sessions | {session})
        deliveries.forget(curator, session, sessions)
        for folder, known in places:
            store.files.remove(folder, [known])
        if not places:
            store.files.remove("", [NOWHERE])  # there are other caches, too
    memory_trash.forget(curator.settings, entry_ids)
    warnings = finish(curator)
    warnings += [str(error) for exchange in sync.settle_files(curator, scrubbed) for error in exchange.failures]
    if not store.empty_log():
        warnings.append(f"{store.path}-wal may still hold the text. Close the other window that reads the database.")
    if any(line.verb == "forget" for team in store.hub.teams() for line in store.hub.outbox(team)):
        warnings.append("The hub has the text until the next sync. Run `curator sync`.")
    copies = backups.replaced(store.path)
    warnings += [f"{path} is an older database and may hold the text. Delete it if you no longer need it." for path in copies]
    return Erasure(len(entry_ids), tuple(warnings) if entry_ids or scrubbed else (), curator.projects_of(going))


def finish(curator: Curator) -> list[str]:
    """Delete the remains of forgotten lessons outside the database, also after a killed process.

    Return a sentence for each part that could not be deleted.
    """
    from curator.app import distill  # mostly nothing was forgotten

    places = curator.store.files.removals()
    if not places:
        return []
    warnings: list[str] = []
    try:  # Answers repeat a session's words, and no record links an answer to its session.
        distill.cache(curator.settings).clear()
    except OSError as error:
        warnings.append(f"{curator.settings.cache} may still hold the text. Delete it: {error}")
    try:
        backups.back_up_again(curator.store.connection, curator.store.path)
    except CuratorError as error:
        warnings.append(str(error))
    for folder, records in places.items():
        try:
            warnings += remove(Path(folder), records) if folder else ()
        except CuratorError as error:
            warnings.append(f"Some files of forgotten lessons could not be removed. {error}")
            continue
        with curator.store.transaction():
            curator.store.files.delete_file_records(folder, list(records))
    return warnings


def forget_quotes(curator: Curator, sessions: Set[str]) -> None:
    """Delete the forgotten quotes from the readers' memory of these sessions' transcripts."""
    from curator.transcripts.base import follow  # see ``forget``

    for source in curator.store.sources.sources().values():
        bookmark = follow.from_json(source.bookmark)
        if bookmark and any(session and session in source.path + source.bookmark for session in sessions):
            curator.store.sources.save(source._replace(bookmark=follow.to_json(follow.without_text(bookmark))))


def entries_to_forget(curator: Curator, ids: Sequence[str], session: str) -> Iterable[Entry]:
    """Return the named entries, those of the session, those with quotes only from it, and all other versions of them."""
    found = {entry.id: entry for entry in map(curator.lessons.find, ids)}
    if session:
        found |= {entry.id: entry for entry in curator.lessons.entries(Query(session=session))}
        for entry in curator.store.mentioning([as_stored_json(session)]):
            if entry.evidence and all(item.session == session for item in entry.evidence):
                found[entry.id] = entry
    others = curator.store.mentioning([f'"fingerprint":"{FROM_FILE}:'])
    found |= {other.id: other for other in others if other.version_of in found}
    return found.values()


def remove(folder: Path, records: Mapping[str, FileRecord]) -> Iterable[str]:
    """Delete forgotten lessons' files. Return a sentence for each file that stays because somebody changed it by hand.

    Raises ``CuratorError``.
    """
    from curator import lesson_files  # see ``forget``
    from curator.app import sync  # see ``forget``

    report = lesson_files.write(folder, [], sync.export_records(records))
    left = [folder / records[id_].name for id_ in report.disk_changes]
    return [f"{path} was changed by hand, so it stays. Delete it yourself if you want." for path in left]


def without_forgotten_excerpt(item: JSON, quotes: Set[str]) -> JSON:
    """Return a quote without an excerpt that repeats forgotten texts."""
    if not item.get("excerpt"):
        return item
    lines = [line for line in item["excerpt"] if not any(quote in line["text"] or line["text"] in quote for quote in quotes)]
    return {key: value for key, value in (item | {"excerpt": lines}).items() if key != "excerpt" or value}


def as_stored_json(text: str) -> str:
    """Return a string in the form that it has inside stored JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
