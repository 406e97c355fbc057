"""The import of hooks' receipts into the database, and the outcomes of sent lessons.

A hook never waits for the database: it appends a receipt to its session's file (see ``agents.spool``). ``import_receipts``
stores new receipts and the position in the file in one transaction per file. A crash therefore loses and repeats nothing.

Outcomes come from transcripts and decisions. If the person states a sent lesson again in that session, the agent ignored it. If
the person contradicts a sent lesson, it did harm. A session without either counts weakly for the lesson. Agents report through
MCP. A person's decision on a sent lesson counts too, and undo removes it. The weights belong to a Beta distribution (see
``store.indexes.upper_odds``).
"""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator import clock
from curator.agents import spool
from curator.app.curator import Curator
from curator.errors import CuratorError, UnknownId
from curator.hooks import FAULTS
from curator.model import PERSON, Entry, Event, Evidence, Relating, Role, Verb
from curator.model.codec import dumps
from curator.settings import DAY_SECONDS
from curator.store.deliveries import Outcome
from curator.store.deliveries import Receipt as Receipt
from curator.text.clean import strip
from curator.text.redact import clean

log = logging.getLogger(__name__)
KEPT_DAYS = 7
"""The days that a session's file stays after its last line: until then nothing is sent twice."""
MAX_NUMBER = 1e11
"""Numbers of receipts are smaller: times are seconds before the year 5000."""
MAX_NAMED_SESSIONS = 3
"""The number of sessions that are named when a prefix could be several."""


def import_receipts(curator: Curator) -> int:
    """Import the receipts of hooks into the database, and remove old files. Return the number of new decisions.

    If the database is busy, newer or damaged, the receipts stay in the spool and the log says so.
    """
    move_hook_errors_to_log(curator)
    if curator.store.newer:
        return 0
    try:
        known = curator.store.deliveries.spool_offsets()
        return sum([_drain(curator, file, known.get(file.name, 0)) for file in files(curator)])
    except CuratorError as error:
        log.info("what hooks left stays in %s for now: %s", curator.settings.spool, error.message)
        return 0


def move_hook_errors_to_log(curator: Curator) -> None:
    """Move unexpected errors of hooks into the log, where the doctor looks."""
    path = curator.settings.spool / FAULTS
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
        path.unlink()
    except OSError:
        return  # there is none, or it can't be had
    for line in text.splitlines():
        log.error("a hook kept quiet: %s", line)


def files(curator: Curator) -> list[Path]:
    """Return the sessions' files in the spool."""
    try:
        return sorted(curator.settings.spool.glob("*.jsonl"))
    except OSError:
        return []


def _drain(curator: Curator, file: Path, known: int) -> int:
    size, changed = _look(file)
    if size == known:
        if changed < clock.now() - KEPT_DAYS * DAY_SECONDS:
            _remove(curator, file, known)
        return 0
    from curator.app.tombstones import of_session  # loads OpenSSL; the inbox opens without it

    with curator.store.transaction():
        known = curator.store.deliveries.spool_offsets().get(file.name, 0)  # another process may have been here
        found, end = read(file, known)
        buried = curator.store.entries.has_tombstone
        fresh = [_discreet(receipt) for receipt in found if not buried(of_session(strip(receipt.session)))]
        count = curator.store.deliveries.add(fresh)
        if end != known:
            curator.store.deliveries.set_spool_offset(file.name, end)
    return count


def _look(file: Path) -> tuple[int, float]:
    try:
        stat = file.stat()
    except OSError:
        return 0, math.inf
    return stat.st_size, stat.st_mtime


def _remove(curator: Curator, file: Path, size: int) -> None:
    """Remove a file that was read to its end, unless a hook is using it."""
    try:
        fd = os.open(file, os.O_RDWR)
    except OSError:
        return
    try:
        if spool.lock(fd) and os.fstat(fd).st_size == size:
            with curator.store.transaction():
                curator.store.deliveries.set_spool_offset(file.name, None)
                file.unlink(missing_ok=True)  # within: a file that outlived its record would be taken in once more
    except OSError as error:
        log.info("%s can't be removed: %s", file, error)
    finally:
        os.close(fd)


def read(file: Path, start: int) -> tuple[list[Receipt], int]:
    """Return the receipts after ``start`` in a session's file, and the end of its last complete line. Raises nothing.

    It skips lines that are not receipts: a line that a crash cut short, or a note that the model has forgotten.
    """
    try:
        with file.open("rb") as stream:
            if stream.seek(0, os.SEEK_END) < start:
                start = 0  # another file by the same name
            stream.seek(start)
            data = stream.read()
    except OSError:
        return [], start
    end = data.rfind(b"\n") + 1
    return [receipt for line in data[:end].split(b"\n") if (receipt := _receipt(line))], start + end


def _receipt(line: bytes) -> Receipt | None:
    try:
        body = json.loads(line, parse_constant=_number)  # SQLite's JSON knows no NaN
        names = ("session", "agent", "project", "event", "moment")
        session, agent, project, _, _ = (_text(body[name]) for name in names)
        body["shown"] = [
            [_text(id_), int(_number(rank)), _number(score), int(_number(tokens)), *rest]
            for id_, rank, score, tokens, *rest in body["shown"]
        ]
        body["withheld"] = [[_text(id_), _number(score), _text(why), *rest] for id_, score, why, *rest in body["withheld"]]
        body["asked"] = {"prompt": _text(body["asked"]["prompt"]), "files": [_text(item) for item in body["asked"]["files"]]}
        dumps(body).encode()  # text that UTF-8 can't say can't be stored
        return Receipt(at=_number(body["at"]), session=session, agent=agent, project=project, body=body)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _number(value: Any) -> float:
    if not -MAX_NUMBER < value < MAX_NUMBER:
        raise ValueError
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value.encode("utf-8", "replace").decode()


def _discreet(receipt: Receipt) -> Receipt:
    """Return the receipt without secrets in the question."""
    question = receipt.body["asked"]
    if not question["prompt"] and not question["files"]:
        return receipt
    question = {**question, "prompt": clean(question["prompt"]), "files": [*map(clean, question["files"])]}
    return replace(receipt, body={**receipt.body, "asked": question})


def forget(curator: Curator, session: str, ids: Iterable[str]) -> None:
    """Purge the decisions of a session, and the questions in the sessions of ``ids``, whose words must go.

    Joins the caller's transaction. The session's file goes too, so at worst a hook sends a lesson once more.
    """
    store = curator.store.deliveries
    sessions = {session, *ids} - {""}
    store.forget([], [session] if session else [], sessions)
    for name in map(spool.name, sessions):
        store.set_spool_offset(f"{name}.jsonl", None)
        for path in (curator.settings.spool / f"{name}.jsonl", curator.settings.spool / spool.FOLDER / f"{name}.json"):
            path.unlink(missing_ok=True)


def waiting(curator: Curator) -> Iterator[Receipt]:
    """Yield the receipts that are not in the database yet."""
    drained = curator.store.deliveries.spool_offsets() if not curator.store.newer else {}
    for file in files(curator):
        for receipt in read(file, drained.get(file.name, 0))[0]:
            yield _discreet(receipt)


def decisions(curator: Curator, session: str) -> list[Receipt]:
    """Return every decision of hooks in a session, in order, including receipts that are not yet imported."""
    stored = [] if curator.store.newer else curator.store.deliveries.receipts(session)
    return sorted([*stored, *(item for item in waiting(curator) if item.session == session)], key=lambda item: item.at)


def find(curator: Curator, prefix: str = "") -> str:
    """Return the session whose id begins with a prefix. Without a prefix, return the last session of this project or of all, or
    an empty text.

    Raises ``UnknownId``.
    """
    latest: dict[str, float] = {}
    for receipt in waiting(curator):
        if receipt.session.startswith(prefix) and (prefix or curator.scope in (None, receipt.project)):
            latest[receipt.session] = receipt.at
    lines: list[str] = []
    if not curator.store.newer:
        lines = curator.store.deliveries.sessions(prefix, None if prefix else curator.scope, MAX_NAMED_SESSIONS)
    for session in lines:
        at = max((receipt.at for receipt in curator.store.deliveries.receipts(session)), default=0.0)
        latest[session] = max(at, latest.get(session, 0.0))
    if prefix in latest:
        return prefix
    if prefix and not latest:
        raise UnknownId(f"No session that begins with {prefix!r} called a hook or asked for lessons.", SET_UP)
    if prefix and len(latest) > 1:
        raise UnknownId(
            f"The session {prefix!r} could be {', '.join(sorted(latest)[:MAX_NAMED_SESSIONS])}.", "Type more of it."
        )
    return max(latest, key=lambda session: latest[session], default="")


SET_UP = "`curator install AGENT` sets hooks up, `curator doctor` says whether they run."
"""The advice where no agent calls."""
SESSION_END_SECONDS = 3_600.0
"""Seconds of silence after which a session counts as over."""
SILENT_DAYS = 90
"""The days for which `curator why` can explain why nothing was sent. Records of sent lessons are kept."""
WEIGHTS = {"report": 0.5, "again": 1.0, "against": 1.0, "decision": 0.5, "quiet": 0.05}
"""The weight of each source: an agent's report weighs as much as a person's decision, since it may have misjudged. A session
without a word says little, and there are many of them."""
HURT = frozenset({Relating.CONTRADICTS, Relating.SUPERSEDES})
MISHAPS = frozenset({"failed-then-worked", "rediscovery"})
"""Signals of mistakes that need no statement of a person."""


def note_restatement(curator: Curator, lesson: str, relating: Relating, evidence: Sequence[Evidence], signal: str) -> bool:
    """Note the outcome if a new statement repeats or contradicts a lesson that was sent earlier in that session.

    An agent's own statement counts only if it is a mishap. An agent that repeats a sent lesson has not been corrected.
    """
    best = evidence[0]
    if not best.session or (best.role is not Role.HUMAN and signal not in MISHAPS):
        return False
    import_receipts(curator)
    sent = curator.store.deliveries.first_deliveries(best.session).get(lesson)
    if sent is None or (best.at and best.at < sent):
        return False
    kind, source = ("hurt", "against") if relating in HURT else ("ignored", "again")
    return note_outcome(curator, lesson, best.session, kind, source, note=best.quote[:200])


def note_outcome(curator: Curator, lesson: str, session: str, kind: str, source: str, *, note: str = "") -> bool:
    """Record the outcome of a lesson in a session. A better source than silence replaces an earlier outcome."""
    entry = curator.lessons.peek(lesson)
    outcome = Outcome(
        lesson=lesson,
        session=session,
        project=curator.store.deliveries.project_of(lesson, session) or (entry.project if entry else ""),
        at=clock.now(),
        kind=kind,
        source=source,
        weight=WEIGHTS[source],
        note=note,
    )
    with curator.store.transaction():
        if source != "quiet":
            curator.store.deliveries.retract(lesson, session, "quiet")
        return curator.store.deliveries.record(outcome)


def reset_outcomes(curator: Curator) -> int:
    """Ignore the outcomes until now, in this project or all. Return their number."""
    with curator.store.transaction():
        return curator.store.deliveries.reset(curator.scope)


def settle_outcomes(curator: Curator) -> int:
    """Record a quiet "helped" for each sent lesson without an outcome in a finished session that was scanned. Return the number
    recorded.
    """
    if curator.store.newer:
        return 0
    with curator.store.transaction():
        curator.store.deliveries.prune(clock.now() - SILENT_DAYS * DAY_SECONDS)
    count = 0
    for session in curator.store.deliveries.finished_sessions(clock.now() - SESSION_END_SECONDS):
        with curator.store.transaction():
            known = curator.store.deliveries.lessons_with_outcome(session)
            for lesson in curator.store.deliveries.first_deliveries(session).keys() - known:
                count += note_outcome(curator, lesson, session, "helped", "quiet")
            curator.store.deliveries.mark_judged(session)
    return count


def of_decisions(curator: Curator, ids: Sequence[str]) -> None:
    """Record a person's decisions on lessons after they were sent, without undone ones.

    A reset stays, since each decision is recorded once.
    """
    for id_ in ids:
        entry, first = curator.lessons.peek(id_), curator.store.deliveries.first(id_)
        known = curator.store.deliveries.sessions_with_outcome(id_, "decision")
        decisions = _decisions(curator, entry, first) if entry is not None and first is not None else {}
        for batch in known - decisions.keys():
            with curator.store.transaction():
                curator.store.deliveries.retract(id_, batch, "decision")
        for batch in decisions.keys() - known:
            kind, note = decisions[batch]
            note_outcome(curator, id_, batch, kind, "decision", note=note)


def _decisions(curator: Curator, entry: Entry, since: float) -> dict[str, tuple[str, str]]:
    """Return a person's decisions on a lesson since a time, by batch, without undone ones: the kind of outcome, and a note."""
    log = curator.store.events
    return {
        event.batch: decision
        for event in log.of_entry(entry.id)
        if event.at >= since and event.actor == PERSON and (decision := _decision(event)) and not log.is_undone(event.batch)
    }


def _decision(event: Event) -> tuple[str, str] | None:
    if event.verb is Verb.CONFIRM:
        return "helped", "confirmed"
    if event.verb is Verb.RETIRE and (event.after or {}).get("reason") == "wrong":
        return "hurt", "retired as wrong"
    return None
