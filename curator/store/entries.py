"""Reading entries: whole ones, the heads that a list shows, and the order of a list as bare numbers.

The place of each open candidate within its session, which the inbox's cap is held against.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from curator.errors import UnknownId
from curator.model import (
    DISTILLED,
    FROM_FILE,
    JSON,
    MEMORY,
    OFFER,
    PERSON,
    WISH,
    Category,
    Entry,
    Head,
    Kind,
    Query,
    State,
    Tier,
)
from curator.model.codec import dumps, encode
from curator.store.events import IN_FORCE
from curator.store.file import Queries, as_store_errors, decode_entry, expect, field

STATED = f"CAST(coalesce({field('$.evidence[0].at')}, created) AS REAL)"
HEAD = f"seq, id, project, state, kind, category, headline, score, seen, {STATED}"
HEAD_TYPES = (int, str, str, str, str, str, str, float, int, float)
LINE = 240
"""Characters of an insight that a row of a list may show."""
VERSION = f"fingerprint > '{FROM_FILE}:' AND fingerprint < '{FROM_FILE};'"
"""True of another version of a lesson (``Entry.version_of``), in a form that an index knows."""
GLOBAL = f"state = 'active' AND {field('scope')} = 'global'"
SUNK = "seq IN (SELECT seq FROM lessons WHERE outcome_odds <= -1.2)"
"""Sent to no avail, again and again."""
UNANSWERED = f"""({SUNK} AND NOT EXISTS (
    SELECT 1 FROM events WHERE events.id = entries.id AND actor = '{PERSON}' AND verb NOT IN ('undo', 'redo', 'snooze')
    AND at >= (SELECT coalesce(max(at), 0) FROM outcomes WHERE lesson = entries.id AND source != 'decision' AND forgot = 0)
    AND {IN_FORCE}))"""
"""The outcomes have sunk it, and no valid decision of a person came after them."""
HAS_PART = """EXISTS (
    SELECT 1 FROM json_each(CASE WHEN json_valid(body) THEN body END, '$.why') WHERE key LIKE '{}%')"""
"""True of an entry whose reasons have one that begins like this."""
OFFERED = HAS_PART.format(OFFER)
"""Offered for retirement, with a reason."""
ORIGIN = f"""signal, snoozed_until, substr({field("$.insight")}, 1, {LINE}), {field("$.rival.relating")} = 'duplicate',
    {OFFERED}, {HAS_PART.format(WISH)}"""
USELESS = f"""({SUNK}
    OR NOT EXISTS (SELECT 1 FROM deliveries WHERE lesson = entries.id)
       AND (SELECT count(*) FROM (SELECT 1 FROM receipts WHERE receipts.project = entries.project AND at > entries.created
                                  LIMIT 100)) = 100)"""
"""Lessons that sank, or that were never sent although hooks asked a hundred times since they were kept."""


MAX_OLD_NOTES = 10
"""Notes that a periodic review asks about at once."""
OLD_NOTES = f"""seq IN (
    SELECT seq FROM entries WHERE state IN ('open', 'active') AND signal = '{MEMORY}' AND kind IN ('candidate', 'lesson')
    AND seen = 1 AND {STATED} < ? AND (state = 'open' OR updated < ?)
    AND (snoozed_until IS NULL OR snoozed_until <= ?) AND project = coalesce(?, project)
    ORDER BY {STATED}, seq LIMIT {MAX_OLD_NOTES})"""
"""An agent's note of long ago that nothing confirmed since: see ``inbox.doubt_reason``."""

SHARED_RULES = """seq IN (
    SELECT carrier.seq FROM entries AS carrier,
    json_each(CASE WHEN json_valid(carrier.body) THEN carrier.body -> '$.proposal.members' END) AS member
    JOIN entries AS own ON own.id = member.value
    WHERE carrier.state = 'active' AND carrier.kind = 'consolidate' AND own.project = ?)"""
"""A lesson with a rule that would also replace a lesson of this project."""


class Order(Protocol):
    """The rules that derive the columns of an entry's row. ``odds`` is the part of its score from decisions on its signal."""

    def rank(self, entry: Entry) -> float:
        """Return the rank of an entry. The entry with the highest rank is shown first."""
        return entry.score

    def reweigh(self, entry: Entry, odds: float) -> Entry:
        """Return the entry with the score that decisions leave it."""
        return entry

    def tier(self, entry: Entry) -> Tier:
        """Return the part of the inbox that shows an entry with a new score."""
        return Tier.REST if entry.left_out else Tier.SURE


class ByScore(Order):
    """The order by scores alone. Entries that a model left out come last."""


class Entries(Queries):
    """Queries over the table of entries. They change nothing."""

    def order(self, query: Query, limit: int = -1) -> array[int]:
        """Return the wanted sequence numbers in order, with 4 bytes per row, so that 100,000 rows need little memory."""
        where, values = condition(query)
        with as_store_errors(
            self.path
        ):  # row by row: fetched at once, 100,000 rows would take 20 MB for a moment, and keep some
            rows = self.connection.execute(f"SELECT seq FROM entries WHERE {where} LIMIT ?", [*values, limit])
            return array("I", (row[0] for row in rows))

    def kinds(self, query: Query) -> Counter[Kind]:
        """Return how many there are of each kind."""
        where, values = condition(query, ordered=False)
        # In groups, 100,000 rows would be sorted first, which takes 5 MB.
        counts = ", ".join(f"count(*) FILTER (WHERE kind = '{kind}')" for kind in Kind)
        (found,) = self.rows.ask(f"SELECT {counts} FROM entries WHERE {where}", values)
        return +Counter(dict(zip(Kind, found, strict=True)))

    def heads(self, seqs: Sequence[int]) -> dict[int, Head]:
        """Return the heads of these rows, by sequence number. Rows that no longer exist are left out."""
        marks = ", ".join("?" * len(seqs))
        rows = self.rows.ask(f"SELECT {HEAD}, {ORIGIN} FROM entries WHERE seq IN ({marks})", list(seqs))
        return {found.seq: found for found in self.rows.readable(((str(row[1]), row) for row in rows), head)}

    def select(self, query: Query, limit: int = -1) -> Iterable[Entry]:
        """Return the entries that are wanted, whole, in order."""
        where, values = condition(query)
        return self.rows.entries(self.rows.ask(f"SELECT id, body FROM entries WHERE {where} LIMIT ?", [*values, limit]))

    def entry_at_row(self, seq: int) -> Entry | None:
        """Return the entry with this sequence number."""
        return self._one("seq = ?", seq)

    def get(self, id_: str) -> Entry | None:
        """Return the entry with exactly this id."""
        return self._one("id = ?", id_)

    def filter_ids(self, ids: Sequence[str], query: Query) -> dict[str, int]:
        """Return those of these entries that the query wants, in its order, with their sequence numbers.

        The ids are looked up first. Otherwise SQLite may read all cards in the inbox to find five ids.
        """
        where, values = condition(query)
        found: dict[str, int] = {}
        for start in range(0, len(ids), 500):
            part = ids[start : start + 500]
            marks = ", ".join("?" * len(part))
            selection = f"WITH asked AS MATERIALIZED (SELECT * FROM entries WHERE id IN ({marks}))"
            found |= dict(self.rows.ask(f"{selection} SELECT id, seq FROM asked AS entries WHERE {where}", [*part, *values]))
        return found

    def seq(self, id_: str) -> int | None:
        """Return the sequence number of an id."""
        row = next(iter(self.rows.ask("SELECT seq FROM entries WHERE id = ?", [id_])), None)
        return int(row[0]) if row else None

    def stored_json(self, id_: str) -> JSON | None:
        """Return the entry with exactly this id, as stored."""
        row = next(iter(self.rows.ask("SELECT body FROM entries WHERE id = ?", [id_])), None)
        return encode(self.rows.entry(id_, row[0])) if row else None

    def resolve(self, prefix: str) -> Entry:
        """Return the entry whose id begins with a prefix, in any case, with or without the hyphen. Raises ``UnknownId``.

        A complete id is tried first, because a person may have made one up for a file with other letters.
        """
        exact = self.get(prefix.upper())
        if exact is not None:
            return exact
        letters = prefix.upper().replace("-", "").replace("O", "0").replace("I", "1").replace("L", "1")
        id = f"{letters[:4]}-{letters[4:]}" if len(letters) > 4 else letters
        possible = letters.isascii() and letters.isalnum()
        query = "SELECT id, body FROM entries WHERE id LIKE ? ORDER BY id LIMIT 3"
        found = self._rows(query, f"{id}%") if possible else []
        if len(found) == 1:
            return self.rows.entry(*found[0])
        if not found:
            raise UnknownId(f"There is no entry {prefix!r}.", "`curator list` and `curator list --candidates` list the ids.")
        ids = ", ".join(id_ for id_, _ in found)
        raise UnknownId(f"{prefix!r} could be {ids}{' …' if len(found) == 3 else ''}.", "Type more of the id.")

    def session(self, prefix: str) -> str:
        """Return the session whose id begins with a prefix, or else the text itself. Raises ``UnknownId`` for more than one."""
        escaped = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self.rows.ask(
            """SELECT session FROM entries WHERE session LIKE ?1 ESCAPE '\\'
               UNION SELECT value ->> 'session' FROM entries, json_each(CASE WHEN json_valid(body) THEN body END, '$.evidence')
                     WHERE value ->> 'session' LIKE ?1 ESCAPE '\\'
               ORDER BY 1 LIMIT 3""",
            [f"{escaped}%"],
        )
        found = [row[0] for row in rows]
        if prefix in found or len(found) == 1:
            return prefix if prefix in found else str(found[0])
        if found:
            raise UnknownId(f"The session {prefix!r} could be {', '.join(found)}.", "Type more of the id.")
        return prefix

    def by_fingerprint(self, project: str, fingerprint: str) -> Entry | None:
        """Return the entry with this fingerprint in any state."""
        return self._one("project = ? AND fingerprint = ?", project, fingerprint)

    def drop_times(self, project: str) -> dict[str, float]:
        """Return the last change of each dismissed or retired entry by id, without versions of active lessons."""
        return dict(
            self.rows.ask(
                f"""SELECT id, updated FROM entries WHERE state IN ('dismissed', 'retired') AND project = ?1
                    AND (state = 'retired' OR seq NOT IN (SELECT seq FROM entries WHERE project = ?1 AND {VERSION}))""",
                [project],
            )
        )

    def texts(self, ids: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
        """Return (id, state, reason, insight or headline) of these entries, without decoding all fields."""
        query = f"""SELECT id, state, coalesce({field("reason")}, ''), coalesce(nullif({field("insight")}, ''), headline)
                    FROM entries WHERE id IN (SELECT value FROM json_each(?))"""
        yield from self.rows.ask(query, [dumps(list(ids))])

    def headlines(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the headlines of those of these entries that are there."""
        rows = self.rows.ask("SELECT id, headline FROM entries WHERE id IN (SELECT value FROM json_each(?))", [dumps([*ids])])
        return dict(rows)

    def has_tombstone(self, *hashes: str) -> bool:
        """Return whether one of these was forgotten. It must never come back."""
        query = f"SELECT 1 FROM tombstones WHERE hash IN ({', '.join('?' * len(hashes))}) LIMIT 1"
        return bool(self.rows.ask(query, hashes))

    def idle_candidates(self, before: float) -> list[Entry]:
        """Return the open candidates of every project that did not change since ``before``, and were not snoozed at that
        time.
        """
        rows = self.rows.ask(
            """SELECT id, body FROM entries
               WHERE waits = 1 AND kind = 'candidate' AND updated < ?1 AND coalesce(snoozed_until, 0) < ?1
                 AND NOT EXISTS (SELECT 1 FROM events WHERE events.id = entries.id AND events.at >= ?1)
               ORDER BY seq""",
            [before],
        )
        return self.rows.entries(rows)

    def count(self, project: str | None) -> Counter[tuple[str, str]]:
        """Return how many entries there are of each (state, category)."""
        where, values = condition(Query(project=project), ordered=False)
        rows = self.rows.ask(f"SELECT state, category, count(*) FROM entries WHERE {where} GROUP BY state, category", values)
        return Counter({(state, category): count for state, category, count in rows})

    def ids(self) -> frozenset[str]:
        """Return the ids of all entries."""
        return frozenset(id_ for (id_,) in self.rows.ask("SELECT id FROM entries"))

    def transcripts(self) -> frozenset[str]:
        """Return the transcripts that cards quote, as named by the evidence."""
        rows = self.rows.ask(
            """SELECT DISTINCT value ->> 'file'
               FROM entries, json_each(CASE WHEN json_valid(body) THEN body END, '$.evidence')"""
        )
        return frozenset(str(file) for (file,) in rows)

    def scores_by_transcript(self) -> dict[str, float]:
        """Return the sum of the scores of the open candidates that each transcript gave, by the name in their evidence."""
        rows = self.rows.ask(
            f"SELECT {field('$.evidence[0].file')} AS file, sum(score) FROM entries "
            "WHERE state = 'open' AND kind = 'candidate' AND file IS NOT NULL GROUP BY file"
        )
        return dict(rows)

    def has_signal(self, signal: str) -> bool:
        """Return whether a signal ever proposed an entry that is still here."""
        return bool(list(self.rows.ask("SELECT 1 FROM entries WHERE signal = ? LIMIT 1", (signal,))))

    def of_signal(
        self, signal: str, project: str = "", *, after: int = 0, limit: int = -1
    ) -> list[tuple[int, Entry, tuple[float, float, int]]]:
        """Return the open entries of a signal in a project, or in all, oldest first.

        Each comes as (number, entry, rank, score, tier). At most ``limit`` come, after a number.
        """
        rows = self.rows.ask(
            """SELECT seq, id, body, rank, score, tier FROM entries NOT INDEXED -- else every portion sorts all there is
               WHERE state = 'open' AND signal = ? AND (? = '' OR project = ?) AND seq > ? ORDER BY seq LIMIT ?""",
            (signal, project, project, after, limit),
        )
        pairs = ((id_, (seq, body, (rank, score, tier))) for seq, id_, body, rank, score, tier in rows)
        return self.rows.readable(pairs, lambda row: (row[0], decode_entry(row[1]), row[2]))

    def _one(self, where: str, *values: Any) -> Entry | None:
        row = next(iter(self.rows.ask(f"SELECT id, body FROM entries WHERE {where}", list(values))), None)
        return self.rows.entry(*row) if row else None


def head(row: Sequence[Any]) -> Head:
    """Return a row of ``HEAD`` and ``ORIGIN`` as a head. Raises ``ValueError`` if it is invalid."""
    seq, id_, project, state, kind, category, headline, score, seen, stated, *origin = expect(row, HEAD_TYPES)
    signal, snoozed_until, insight, *is_so = origin
    sorts = State(state), Kind(kind), Category(category)
    said = (signal or "", snoozed_until, insight or "", *map(bool, is_so))
    return Head(seq, id_, project, *sorts, headline, score, seen, stated, *said)


def condition(query: Query, *, ordered: bool = True) -> tuple[str, list[Any]]:
    """Return a query as SQL for ``WHERE``, with its values."""
    parts: list[str] = []
    values: list[Any] = []

    def want(sql: str, *given: Any) -> None:
        parts.append(sql)
        values.extend(given)

    if query.waiting:
        # The plus leads to a session's few rows, not through the whole inbox.
        want("+waits = 1" if query.session else "waits = 1")
        want("snoozed_until > ?" if query.snoozed else "(snoozed_until IS NULL OR snoozed_until <= ?)", query.now)
    if query.review is not None:
        fading, idle, noted = query.review
        want(
            "(waits = 1 AND kind != 'candidate' OR kind = 'consolidate' OR state = 'active' AND kind = 'lesson' AND "
            f"({OFFERED} OR {UNANSWERED} OR updated < ? "
            f"OR updated < ? AND ({field('durability')} = 'temporary' OR {USELESS})) OR {OLD_NOTES})",
            *(max(0.0, idle), fading, noted, noted, query.now, query.project),
        )
        want("(snoozed_until IS NULL OR snoozed_until <= ?)", query.now)
    if query.project is not None:
        everywhere = f" OR seq IN (SELECT seq FROM entries WHERE {GLOBAL})" if query.shared else ""
        if query.review is not None or query.kind is Kind.CONSOLIDATE:
            want(f"(project = ?{everywhere} OR {SHARED_RULES})", query.project, query.project)
        else:
            want(f"(project = ?{everywhere})", query.project)
    if query.cap:
        want("(place < ? OR kind != 'candidate')", query.cap)
    if query.tier is not Tier.REST:
        want("tier <= ?", query.tier)
    if not query.versions:
        # The index begins with the project: without one it would be read from end to end.
        want(f"seq NOT IN (SELECT seq FROM entries WHERE project IN (SELECT id FROM projects) AND {VERSION})")
    if query.states:
        want(f"state IN ({', '.join('?' * len(query.states))})", *query.states)
    for column in ("kind", "category", "signal", "session"):
        if value := getattr(query, column):
            want(f"{column} = ?", value)
    if query.since:
        want("updated >= ?", query.since)
    for word in query.words:
        escaped = word.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        want("haystack LIKE ? ESCAPE '\\'", f"%{escaped}%")
    return (" AND ".join(parts) or "1") + (f" ORDER BY {_order(query)}" if ordered else ""), values


def _order(query: Query) -> str:
    """Return the order of a query's rows as SQL."""
    if query.review is not None:
        return "kind = 'conflict' DESC, kind = 'stale' DESC, kind = 'consolidate' DESC, updated, seq"
    if query.snoozed:
        return "snoozed_until, seq"
    return "rank DESC, seq" if query.waiting else "updated DESC, seq DESC"


def columns(entry: Entry, body: str) -> dict[str, Any]:
    """Return the columns of an entry's row that are derived from it alone, for queries."""
    return {
        "id": entry.id,
        "project": entry.project,
        "state": entry.state,
        "kind": entry.kind,
        "waits": int(entry.waits),
        "place": entry.place,
        "snoozed_until": entry.snoozed_until,
        "category": entry.category,
        "headline": entry.headline,
        "haystack": " ".join([entry.headline, entry.insight, entry.category, *entry.files, entry.agent]).lower(),
        "seen": entry.times_stated,
        "agent": entry.agent,
        "session": entry.session,
        "signal": entry.signal,
        "fingerprint": entry.fingerprint or None,
        "created": entry.created,
        "updated": entry.updated,
        "body": body,
    }


MIN_SHOWN, SHOWN_OF_FIVE, HIDDEN_PLACE = 3, 3, 1_000_000
"""A session shows three of five of the cards that it ever had, and at least three. The others' places are after every cap.

A session with many cards has good ones down to the eighth. The last card of a session with few cards is seldom right.
"""

NUMBER = f"""
WITH named (session) AS (VALUES {{}}), decided AS MATERIALIZED (
    SELECT named.session, max({MIN_SHOWN}, ({SHOWN_OF_FIVE} * count(*) + 2) / 5) AS share,
           total(state IN ('active', 'retired', 'merged')
                 OR state = 'dismissed' AND coalesce({field("reason")}, '') != 'withdrawn'
                 OR waits = 1 AND tier < {Tier.REST:d} AND (kind = 'conflict' OR seen > 1)) AS count
    FROM named JOIN entries ON entries.session = named.session AND signal != 'file' GROUP BY named.session)
UPDATE entries SET place = open.place
FROM (SELECT seq, place + iif(place >= share AND signal NOT LIKE '{DISTILLED}%', {HIDDEN_PLACE}, 0) AS place
      FROM (SELECT seq, signal, share,
                   iif(seen > 1, 0, decided.count - 1 +
                       row_number() OVER (PARTITION BY session, seen > 1 ORDER BY tier, rank DESC, seq)) AS place
            FROM decided CROSS JOIN entries USING (session)
            WHERE waits = 1 AND kind = 'candidate' AND signal != 'file')) AS open
WHERE entries.seq = open.seq AND entries.place != open.place
"""

PORTION = 50
"""The number of sessions in one statement. For some hundred, SQLite would make its own index of all entries.

They are in order, because adjacent entries of the index are close together in the file.
"""


def number(connection: sqlite3.Connection, sessions: Iterable[str]) -> None:
    """Number the open candidates of these sessions, best first, after the decided ones and those that are always shown.

    So a session shows at most as many cards as the cap and its share allow, and a decision adds no new ones. An expired or
    withdrawn card was not decided, and an undo gives its place back. Conflicts and repeated statements are always shown. Places
    are derived, so they have no events. Cards that earlier decisions hide come last. Cards without a session have no limit, and
    neither has a file's claim about one.
    """
    names = sorted({session for session in sessions if session})
    for at in range(0, len(names), PORTION):
        some = names[at : at + PORTION]  # bound one by one: to json_each a name ends at its first NUL
        connection.execute(NUMBER.format(", ".join(["(?)"] * len(some))), some)
