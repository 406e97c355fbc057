"""The place of each open candidate within its session, which the inbox's cap is held against."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from curator.store.rows import field

NUMBER = f"""
WITH named (session) AS (VALUES {{}}), decided AS MATERIALIZED (
    SELECT session, (SELECT count(*) FROM entries WHERE entries.session = named.session AND signal != 'file'
                     AND (state IN ('active', 'retired', 'merged')
                          OR state = 'dismissed' AND coalesce({field("reason")}, '') != 'withdrawn'
                          OR waits = 1 AND held = 0 AND (kind = 'conflict' OR seen > 1))) AS count
    FROM named)
UPDATE entries SET place = open.place
FROM (SELECT seq, CASE WHEN seen > 1 THEN 0 ELSE decided.count - 1 +
             row_number() OVER (PARTITION BY session, seen > 1 ORDER BY held, rank DESC, seq) END AS place
      FROM decided CROSS JOIN entries USING (session)
      WHERE waits = 1 AND kind = 'candidate' AND signal != 'file') AS open
WHERE entries.seq = open.seq AND entries.place != open.place
"""
PORTION = 50
"""Sessions that are numbered by one statement; for some hundred SQLite would make an index of its own of all entries.

In order, since neighbours in the index lie together.
"""


def number(connection: sqlite3.Connection, sessions: Iterable[str]) -> None:
    """Number the open candidates of these sessions, the best first, behind what was decided of them and what is always asked.

    So a session costs a person at most as many decisions as the cap allows: a verdict lets nothing up. What expired or was
    withdrawn was no decision; an undo gives its place back. What conflicts, or was stated again since, is asked about all the
    same. Places are derived, so they are no events. What verdicts on its like hold back comes last; what comes from no
    session has no cap, nor what a file says of one.
    """
    named = sorted({session for session in sessions if session})
    for at in range(0, len(named), PORTION):
        some = named[at : at + PORTION]  # bound one by one: to json_each a name ends at its first NUL
        connection.execute(NUMBER.format(", ".join(["(?)"] * len(some))), some)


def renumber(connection: sqlite3.Connection) -> None:
    """Number all there is."""
    rows = connection.execute("SELECT DISTINCT session FROM entries WHERE waits = 1 AND kind = 'candidate'").fetchall()
    number(connection, [session for (session,) in rows])
