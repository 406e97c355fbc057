"""The place of each open candidate within its session, which the inbox's cap is held against."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

NUMBER = """
UPDATE entries SET place = open.place
FROM (SELECT seq, CASE WHEN seen > 1 THEN 0 ELSE row_number() OVER (PARTITION BY seen > 1 ORDER BY held, rank DESC, seq) - 1 +
             (SELECT count(*) FROM entries WHERE session = :session
              AND (state IN ('active', 'retired', 'merged')
                   OR state = 'dismissed' AND coalesce(body ->> 'reason', '') != 'withdrawn'
                   OR waits = 1 AND held = 0 AND (kind = 'conflict' OR seen > 1))) END AS place
      FROM entries WHERE session = :session AND waits = 1 AND kind = 'candidate') AS open
WHERE entries.seq = open.seq AND entries.place != open.place
"""


def number(connection: sqlite3.Connection, sessions: Iterable[str]) -> None:
    """Number the open candidates of these sessions, the best first, behind what was decided of them and what is always asked.

    So a session costs a person at most as many decisions as the cap allows: a verdict lets nothing up. What expired or was
    withdrawn was no decision; an undo gives its place back. What conflicts, or was stated again since, is asked about all the
    same. Places are derived, so they are no events. What verdicts on its like hold back comes last; what comes from no
    session has no cap.
    """
    for session in sessions:
        if session:
            connection.execute(NUMBER, {"session": session})


def renumber(connection: sqlite3.Connection) -> None:
    """Number all there is."""
    rows = connection.execute("SELECT DISTINCT session FROM entries WHERE waits = 1 AND kind = 'candidate'").fetchall()
    number(connection, [session for (session,) in rows])
