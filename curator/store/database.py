"""Class Store: one connection, its transactions, and the only code that changes entries together with their events."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from curator.clock import new_batch
from curator.errors import ConcurrentChange, ReplacedDatabase, StoreError
from curator.io import files
from curator.model import JSON, PERSON, Change, Entry, State, Tier, Verb
from curator.model.codec import apply_patch, decode, dumps, encode, patch
from curator.store import backups, entries, file, indexes
from curator.store.entries import ByScore, Entries, Order, columns
from curator.store.events import Events
from curator.store.file import RECOVER, Rows, as_store_errors, lenient
from curator.store.file_records import FileRecords
from curator.store.hub import HubRecords
from curator.store.indexes import COLUMNS, SERVED, FullText, RankingIndex
from curator.store.schema import SCHEMA_VERSION, STEPS, migrate
from curator.store.sources import Distilling, Sources

if TYPE_CHECKING:
    from curator.store.deliveries import Deliveries
    from curator.store.hook_reader import Request, Retrieval


class WriteResult(NamedTuple):
    """The batch that was written, and the newest event's number of each entry that changed."""

    batch: str
    events: dict[str, int]


class ForgetfulEdit(Protocol):
    """Removes forgotten texts from an encoded entry, or from one side of a change."""

    def __call__(self, data: JSON, *, entry: bool) -> JSON:
        """Return the data without the forgotten texts. Return equal data if it contains none."""


INSERT = "INSERT INTO entries ({}) VALUES ({})"
SMALL_CACHE = "PRAGMA cache_size = -128"  # KiB
PORTION = 200
"""Entries that are weighed again in one transaction, which takes some hundredths of a second."""
PENDING_PREFIX = "behind: "
"""The mark before a signal's name while its cards lag behind the decisions. No signal's name begins with it."""


class Store:
    """A connection to the database, one per thread. The caller closes it.

    ``entries`` reads entries, ``full_text`` finds them by words, and ``ranking_index`` serves the ranking. ``deliveries`` holds
    the sent lessons, ``events`` the log, ``sources`` transcripts and projects, ``files`` the lesson files, ``hub`` the shared
    lessons, ``distilling`` the sessions that a model has read. ``order`` is the order of the inbox. A database of a newer
    version opens read-only, and ``newer`` says so. ``created`` says that there was none.
    """

    def __init__(self, path: Path, *, order: Order | None = None, timeout: float = 5.0) -> None:
        self.path = path
        self.order = order or ByScore()
        self.newer = ""
        self.created = False
        self._sessions_to_place: set[str] = set()
        with as_store_errors(path):
            self.connection = self._open(timeout)
        self.identity = file.identity(path)
        self.rows = Rows(self.connection, path)
        self.entries = Entries(self.rows)
        self.events = Events(self.rows)
        self.sources = Sources(self.rows)
        self.files = FileRecords(self.rows)
        self.hub = HubRecords(self.rows)
        self.full_text = FullText(self.rows)
        self.ranking_index = RankingIndex(self.connection)
        self.distilling = Distilling(self.rows)

    @cached_property
    def deliveries(self) -> Deliveries:
        """Return the lessons that agents were sent, and their outcomes."""
        from curator.store.deliveries import Deliveries  # neither cards nor decisions need it

        return Deliveries(self.rows)

    def _open(self, timeout: float) -> sqlite3.Connection:
        try:
            files.private_folder(self.path.parent)
            file.require_plain_files(self.path)
            self.created = file.identity(self.path) is None
            if self.created:
                backups.refuse(self.path)
            files.private_file(self.path)
            for one in file.companion_files(self.path):
                with suppress(FileNotFoundError):  # another process may just have closed them
                    if one.exists():
                        files.private_file(one)
        except OSError as error:
            raise StoreError(
                f"{error.filename or self.path} can't be opened or made: {error.strerror}.",
                "Change its permissions, or choose another folder with CURATOR_HOME.",
            ) from error
        connection = sqlite3.connect(self.path, timeout=timeout, isolation_level=None, check_same_thread=False)
        connection.text_factory = lenient
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                self.newer = f"{self.path} was written by a newer curator (schema {version}; this one knows {SCHEMA_VERSION})."
                connection.execute("PRAGMA query_only = ON")
            elif version < SCHEMA_VERSION:
                migrate(connection)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(SMALL_CACHE)  # a window has several connections, and the system caches too
            connection.execute("PRAGMA secure_delete = ON")  # forgotten text must not linger in free pages
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def verify(self) -> None:
        """Raise ``ReplacedDatabase`` if the path leads to another file than the open one, because later writes would be
        lost.
        """
        try:
            there = file.identity(self.path)
        except OSError as error:
            raise StoreError(f"{self.path} can't be reached: {error.strerror}.", "Nothing was written. Try again.") from error
        if there != self.identity:
            what = "was deleted or emptied" if there is None else "was replaced by another file"
            raise ReplacedDatabase(
                f"{self.path} {what} while it was open here. Nothing was written.",
                f"Close this window and start again. {RECOVER}",
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Save all of a block or nothing. Inner blocks join. Raises ``StoreError``, and ``ConcurrentChange`` from ``apply``."""
        if self.newer:
            raise StoreError(self.newer, "Update curator, or set CURATOR_HOME to another folder. Nothing was written.")
        if self.connection.in_transaction:
            yield
            return
        self.verify()
        with as_store_errors(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                self._same_version()
                yield
                entries.number(self.connection, self._sessions_to_place)
                self._sessions_to_place.clear()
                self.connection.execute("COMMIT")
            except BaseException:
                self._sessions_to_place.clear()
                self.connection.rollback()  # does nothing where SQLite has rolled back by itself
                raise
        self.verify()  # The file may have disappeared meanwhile, with everything written to it since.

    @contextmanager
    def large_cache(self) -> Iterator[None]:
        """Keep 8 MB of pages in memory for many changes. A first fetch from the hub takes 15 % less CPU."""
        self.connection.execute("PRAGMA cache_size = -8192")
        try:
            yield
        finally:
            self.connection.execute(SMALL_CACHE)

    def _same_version(self) -> None:
        """Raise ``StoreError`` if another curator has brought the open database up to its own version."""
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was changed by another version of curator while it was open here (schema {version}, this one "
                f"knows {SCHEMA_VERSION}).",
                "Nothing was written, and everything saved before is safe. Close this window, update curator, and start again.",
            )

    def apply(
        self,
        deeds: Iterable[tuple[Verb, Change]],
        *,
        actor: str,
        at: float,
        batch: str = "",
        of: str = "",
        decision_seconds: float | None = None,
    ) -> WriteResult:
        """Write changes and their events in one transaction, as one batch.

        A change is a patch: only its own fields are compared and written. So a scan that adds evidence does not block a person.
        Raises ``ConcurrentChange``, and writes nothing, if one of these fields has changed since the change was made.
        """
        batch = batch or new_batch()
        seqs: dict[str, int] = {}
        with self.transaction():
            for verb, change in deeds:
                old, new = self._write(change, whole=verb is not Verb.PROPOSE)
                after = change.after or change.before
                assert after is not None
                # The time of one decision is stored once, however many entries it changed.
                took = None if seqs else decision_seconds
                seqs[change.id] = self.events.append(batch, at, actor, verb, change.id, after.project, old, new, of, took)
                self.hub.add_change(change.id, actor, new)
                self._sessions_to_place.add(after.session)
                if actor == PERSON and (entry := self.entries.get(change.id)):
                    # Only the event of a decision, or of its undo, shows whether other decisions may move the card.
                    query = "UPDATE entries SET tier = :tier WHERE id = :id"
                    self.connection.execute(query, self._derived_columns(entry))
        return WriteResult(batch, seqs)

    def _write(self, change: Change, *, whole: bool) -> tuple[object, object]:
        before = encode(change.before) if change.before else None
        after = encode(change.after) if change.after else None
        if before is None:
            assert change.after is not None
            assert after is not None
            self._insert(change.after, after)
            # The entry holds its whole proposal, which is never undone, so the log need not repeat it.
            return None, after if whole else {"state": "open", "headline": change.after.headline}
        current = self.entries.stored_json(change.id)
        if current is None:
            raise ConcurrentChange(f"{change.id} no longer exists.", "Another window removed it. Nothing was written.")
        old, new = patch(before, after or {})
        clashing = [key for key, value in old.items() if current.get(key) != value]
        if clashing:
            raise ConcurrentChange(
                f"{change.id} was changed in another window ({', '.join(clashing)}).", "Nothing changed. Look at it again."
            )
        if after is None:
            self._delete(change.id)
            return old, None
        self._update(decode(apply_patch(current, new)), new.keys())
        return old, new

    def _insert(self, entry: Entry, data: JSON) -> None:
        row = self.row(entry, data)
        marks = ", ".join(f":{name}" for name in row)
        seq = self.connection.execute(INSERT.format(", ".join(row), marks), row).lastrowid
        assert seq is not None
        self.full_text.write(seq, data)
        self.ranking_index.write(seq, entry)

    def _delete(self, id_: str) -> None:
        seq = self.entries.seq(id_)
        if seq is not None:
            self.full_text.remove(seq)
            self.ranking_index.remove(seq)
            self.connection.execute("DELETE FROM entries WHERE seq = ?", (seq,))

    def _update(self, entry: Entry, fields: Set[str] = COLUMNS | SERVED) -> None:
        data = encode(entry)
        seq = None if fields.isdisjoint(COLUMNS | SERVED) else self.entries.seq(entry.id)
        if seq is not None and not fields.isdisjoint(COLUMNS):
            self.full_text.write(seq, data)
        if seq is not None and not fields.isdisjoint(SERVED):
            self.ranking_index.write(seq, entry)
        row = self.row(entry, data)
        del row["place"]  # belongs to the session, not to the entry
        assignments = ", ".join(f"{name} = :{name}" for name in row)
        self.connection.execute(f"UPDATE entries SET {assignments} WHERE id = :id", row)

    def row(self, entry: Entry, data: JSON | None = None) -> dict[str, Any]:
        """Return the columns of an entry's row but its number."""
        return columns(entry, dumps(data or encode(entry))) | self._derived_columns(entry)

    def _derived_columns(self, entry: Entry) -> dict[str, Any]:
        """Return the columns that decisions on other cards have a say in."""
        is_open = entry.state is State.OPEN  # decisions on its signal change the score of no other entry
        weighed = self.order.reweigh(entry, self.sources.adjustment(entry.project, entry.signal)) if is_open else entry
        tier = self.order.tier(weighed)
        tier = Tier.SURE if tier and self.events.is_touched(entry.id) else tier
        return {"id": entry.id, "rank": self.order.rank(weighed), "score": weighed.score, "tier": tier}

    def learn(self, adjustments: Mapping[tuple[str, str], float]) -> int:
        """Replace the log-odds that decisions add to scores, by (project, signal). Return the number of changes.

        Scores, ranks and tiers are derived from these without events. They are updated in batches, so that a person's decision
        need not wait. A mark next to the odds stays until the end, so that another process can finish after a crash.
        """
        with self.transaction():
            known = self.sources.adjustments()
            changed = {key for key in known.keys() | adjustments.keys() if known.get(key) != adjustments.get(key)}
            behind = {(project, signal.removeprefix(PENDING_PREFIX)) for project, signal in changed}
            if changed:
                self.sources.learn({**adjustments, **{(project, PENDING_PREFIX + signal): 0.0 for project, signal in behind}})
        for project, signal in sorted(behind):
            if not project or ("", signal) not in behind:
                last: int | None = 0
                while last is not None:
                    last = self._weigh_again(project, signal, last)
        return len([signal for _, signal in changed if not signal.startswith(PENDING_PREFIX)])

    def _weigh_again(self, project: str, signal: str, after: int) -> int | None:
        """Update the next batch of a signal's open entries. Return the number of the last entry, or ``None`` when done."""
        with self.transaction():
            found = self.entries.of_signal(signal, project, after=after, limit=PORTION)
            for _, entry, was in found:
                now = self._derived_columns(entry)
                if was != (now["rank"], now["score"], now["tier"]):
                    self._sessions_to_place.add(entry.session)
                    query = "UPDATE entries SET rank = :rank, score = :score, tier = :tier WHERE id = :id"
                    self.connection.execute(query, now)
            if len(found) == PORTION:
                return found[-1][0]
            self.sources.clear_adjustment(project, PENDING_PREFIX + signal)
        return None

    def mentioning(self, needles: Iterable[str]) -> list[Entry]:
        """Return the entries whose stored text contains any of these strings."""
        found: dict[int, tuple[str, str]] = {}
        for needle in needles:
            rows = self.rows.ask("SELECT seq, id, body FROM entries WHERE instr(body, ?)", (needle,))
            found |= {seq: (id_, body) for seq, id_, body in rows}
        return self.rows.entries(row for _, row in sorted(found.items()))

    def forget(
        self,
        ids: Sequence[str],
        needles: Sequence[str],
        scrub: ForgetfulEdit,
        tombstones: Iterable[str],
        *,
        actor: str,
        at: float,
    ) -> list[str]:
        """Purge entries with their events and file records in one transaction. Only hashes stay.

        ``scrub`` removes the forgotten texts from other entries, events and file records that contain one of the ``needles``.
        Events without text inform other windows. Returns the ids of the scrubbed entries.
        """
        batch = new_batch()
        with self.transaction():
            for hash_ in tombstones:
                self.connection.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", (hash_, at))
            for id_ in ids:
                entry = self.entries.get(id_)
                self._delete(id_)
                self.deliveries.forget([id_], [])
                for table in ("events", "written", "intended"):
                    self.connection.execute(f"DELETE FROM {table} WHERE id = ?", (id_,))
                if entry is not None:
                    self._sessions_to_place.add(entry.session)
                    self.events.append(batch, at, actor, Verb.FORGET, id_, entry.project, None, None, "", None)
            scrubbed = []
            for entry in self.mentioning(needles):
                clean = scrub(encode(entry), entry=True)
                if clean != encode(entry):
                    self._update(decode(clean | {"updated": at}))
                    self.events.append(batch, at, actor, Verb.FORGET, entry.id, entry.project, None, None, "", None)
                    scrubbed.append(entry.id)
            self._scrub_rest(needles, scrub)
            self.full_text.purge()
        return scrubbed

    def _scrub_rest(self, needles: Sequence[str], scrub: ForgetfulEdit) -> None:
        for needle in needles:
            for column in ("before", "after"):
                rows = self.rows.ask(f"SELECT seq, {column} FROM events WHERE instr({column}, ?)", (needle,))
                for seq, text in rows:
                    clean = dumps(scrub(json.loads(text), entry=False))
                    if clean != text:
                        self.connection.execute(f"UPDATE events SET {column} = ? WHERE seq = ?", (clean, seq))
            for table in ("written", "intended"):
                records = self.rows.ask(f"SELECT folder, id, base FROM {table} WHERE instr(base, ?)", (needle,))
                for folder, id_, text in records:
                    clean = dumps(scrub(json.loads(text), entry=True))
                    if clean != text:
                        where = "folder = ? AND id = ?"
                        self.connection.execute(f"UPDATE {table} SET base = ? WHERE {where}", (clean, folder, id_))

    def empty_log(self) -> bool:
        """Move the write-ahead log into the database and cut it, because it would keep deleted text.

        Return false if another process keeps reading. Each attempt waits as long as any statement of this connection.
        """
        with as_store_errors(self.path):
            return any(not self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] for _ in range(3))

    def version(self) -> int:
        """Return a number that changes whenever another connection has written."""
        with as_store_errors(self.path):
            return int(self.connection.execute("PRAGMA data_version").fetchone()[0])


class Pool:
    """Lessons in memory, asked as hooks ask the database: those that were known at some moment of the past.

    It starts empty, and ``add`` adds a lesson. It writes no file, and the caller closes it."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        for step in STEPS.values():
            step(self.connection)
        self.connection.execute("BEGIN")  # This transaction never ends; closing the connection discards it.
        self.full_text = FullText(Rows(self.connection, Path(":memory:")))
        self._count = 0

    def close(self) -> None:
        """Forget all of it."""
        self.connection.close()

    def add(self, entry: Entry, files: Sequence[tuple[str, str]] = (), *, searched: bool = True) -> None:
        """Make a lesson known, with the (project, file) that say the same.

        One that is not ``searched`` is sent all the same, but not found by ``near``.
        """
        self._count += 1
        indexes.write(self.connection, self._count, entry)
        said = ((entry.id, project, file) for project, file in files)
        self.connection.executemany("INSERT OR IGNORE INTO stating_files VALUES (?, ?, ?)", said)
        if searched:
            body = {name: getattr(entry, name) for name in (*indexes.COLUMNS, "scope")}
            row = columns(entry, dumps(body)) | {"seq": self._count, "rank": 0.0, "score": entry.score, "tier": 0}
            marks = ", ".join(f":{name}" for name in row)
            self.connection.execute(f"INSERT INTO entries ({', '.join(row)}) VALUES ({marks})", row)
            self.full_text.write(self._count, body)

    def gather(self, project: str, question: Request) -> Retrieval:
        """Return the lessons that a hook would find: see ``hook_reader.gather``."""
        from curator.store import hook_reader  # only the replay asks as a hook does

        return hook_reader.gather(hook_reader.Table(self.connection, project), question)

    def by_fingerprint(self, project: str, fingerprint: str) -> str:
        """Return the id of a project's lesson with this fingerprint. Return an empty text if there is none."""
        found = self.connection.execute("SELECT id FROM entries WHERE project = ? AND fingerprint = ?", (project, fingerprint))
        return next((id_ for (id_,) in found), "")

    def near(self, words: Iterable[str], project: str, limit: int) -> list[tuple[str, str]]:
        """Return (id, words) of a project's lessons, and of global ones, that share the rarest of these words, best first."""
        return self.full_text.texts(words, project, (State.ACTIVE,), limit)
