"""What hooks decided comes into the database once, whole, whenever it is drained; the queue is read by one process."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator import app
from curator.agents import receipts as spool
from curator.agents import scan_queue
from curator.app import Curator, deliveries, scan
from curator.app.sessions.scan import read_queue
from curator.errors import UnknownId
from curator.hooks import FAULTS
from curator.model import Change, Entry, State, Verb
from curator.settings import DAY, Settings
from tests.app.conftest import Transcript
from tests.conftest import Clock
from tests.sayings import VENDOR


@contextmanager
def opened(home: Path, **more: Any) -> Iterator[Curator]:
    curator = Curator(Settings(home=home, **more))
    try:
        yield curator
    finally:
        curator.close()


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    with opened(tmp_path / "home") as curator:
        yield curator


def receipt(session: str = "s1", at: float = 1.0, *told: str, project: str = "p1", **more: Any) -> dict[str, Any]:
    """A receipt as hooks write them."""
    body: dict[str, Any] = {"told": list(told), "session": session, "at": at, "agent": "codex", "event": "UserPromptSubmit"}
    body |= {"moment": "prompt", "project": project, "key": f"prompt:{at}", "threshold": 0.25}
    body |= {"asked": {"prompt": f"do {at}", "files": []}, "withheld": [["ZZZZ-0000", 0.1, "below the threshold", {}]]}
    return body | {"shown": [[id_, rank, 0.5, 20, {"words": 1.5}] for rank, id_ in enumerate(told, 1)]} | more


def decide(curator: Curator, *receipts: dict[str, Any]) -> None:
    """Have hooks decide this."""
    for body in receipts:
        file = spool.receipts(str(curator.settings.spool), body["session"], time.monotonic() + 5)
        assert file
        file.add(body)
        file.close()


def path(curator: Curator, session: str = "s1") -> Path:
    return curator.settings.spool / f"{spool.name(session)}.jsonl"


def known(curator: Curator, session: str = "s1") -> list[float]:
    """When each stored decision of a session was made."""
    return [item.at for item in curator.store.deliveries.receipts(session)]


def test_decisions_come_in_once(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0, "AAAA-0001"), receipt("s1", 2.0), receipt("s2", 3.0, "AAAA-0002", "AAAA-0001"))
    assert deliveries.drain(curator) == 3
    assert deliveries.drain(curator) == 0
    decide(curator, receipt("s1", 4.0))
    assert deliveries.drain(curator) == 1
    assert (known(curator), known(curator, "s2")) == ([1.0, 2.0, 4.0], [3.0])
    assert curator.store.deliveries.first_deliveries("s2") == {"AAAA-0001": 3.0, "AAAA-0002": 3.0}


def test_the_spool_still_knows_what_was_told(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0, "AAAA-0001"))
    deliveries.drain(curator)
    file = spool.receipts(str(curator.settings.spool), "s1", time.monotonic() + 5)
    assert file
    assert file.deliveries == {"AAAA-0001"}
    file.close()


def test_a_line_that_is_being_written_waits(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0))
    whole = path(curator).read_bytes()
    path(curator).write_bytes(whole + whole[:40])
    assert deliveries.drain(curator) == 1
    path(curator).write_bytes(whole + whole.replace(b'"at":1.0', b'"at":2.0'))
    assert deliveries.drain(curator) == 1
    assert known(curator) == [1.0, 2.0]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b"[]",
        b"{}",
        b'{"v":1,"forget":true,"at":1.0,"session":"s1"}',
        json.dumps(receipt(shown=[["A"]])).encode(),
        json.dumps(receipt(shown=[[1, 1, 0.5, 20]])).encode(),
        json.dumps(receipt(shown={"a": 1})).encode(),
        json.dumps(receipt() | {"at": "soon"}).encode(),
        json.dumps(receipt(at=float("inf"))).encode(),
        json.dumps(receipt(asked=5)).encode(),
        json.dumps(receipt() | {"session": None}).encode(),
        json.dumps(receipt(shown=[["A", 1, float("nan"), 20]])).encode(),
        json.dumps(receipt(shown=[["A", 10**30, 0.5, 20]])).encode(),
        json.dumps(receipt(event="\ud800")).encode(),
        json.dumps(receipt(shown=[["A", 1, 0.5, 20, {"\ud800": 1}]])).encode(),
        json.dumps(receipt(parts=float("nan"))).encode(),
        b"[" * 100_000,
    ],
)
def test_what_is_no_receipt_is_passed_over(curator: Curator, line: bytes) -> None:
    decide(curator, receipt("s1", 1.0))
    with path(curator).open("ab") as file:
        file.write(line + b"\n")
    decide(curator, receipt("s1", 2.0))
    assert deliveries.drain(curator) == 2
    assert known(curator) == [1.0, 2.0]


STEPS = st.lists(st.sampled_from(["s1", "s2", "torn", "drain", "crash", "again"]), max_size=20)


@given(STEPS)
@settings(max_examples=30, deadline=None)
def test_crashes_neither_lose_nor_repeat(steps: list[str]) -> None:
    wanted: dict[str, list[float]] = {"s1": [], "s2": []}
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        curator, other = (stack.enter_context(opened(home)) for _ in range(2))
        for at, step in enumerate(steps, 1):
            if step in wanted:
                decide(curator, receipt(step, float(at)))
                wanted[step].append(float(at))
            elif step == "torn" and path(curator).exists():
                with path(curator).open("ab") as file:
                    file.write(b'{"v":1,"told":[')
            elif step == "crash":
                decide(curator, receipt("s1", float(at)))
                wanted["s1"].append(float(at))
                curator.store.connection.set_authorizer(refuse_the_last_write)
                assert deliveries.drain(curator) == 0
                curator.store.connection.set_authorizer(None)
            else:
                deliveries.drain(other if step == "again" else curator)
        decide(curator, receipt("s1", 99.0))
        deliveries.drain(curator)
        assert {session: known(curator, session) for session in wanted} == {"s1": [*wanted["s1"], 99.0], "s2": wanted["s2"]}


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def refuse_the_last_write(action: int, table: object, *_: object) -> int:
    """An authorizer of SQLite under which a drain fails once its decisions are written, and before it is marked as done."""
    return sqlite3.SQLITE_DENY if (action, table) == (sqlite3.SQLITE_INSERT, "drained") else sqlite3.SQLITE_OK


def test_a_database_that_is_busy_or_newer_leaves_the_spool_alone(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0, "AAAA-0001"))
    curator.store.connection.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(curator.settings.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert deliveries.drain(curator) == 0
    curator.store.newer = "written by a newer curator"
    assert deliveries.drain(curator) == 0
    assert [item.at for item in deliveries.decisions(curator, "s1")] == [1.0]
    curator.store.newer = ""
    assert deliveries.drain(curator) == 1


def test_what_hooks_did_not_foresee_comes_into_the_log(curator: Curator, caplog: pytest.LogCaptureFixture) -> None:
    curator.settings.spool.mkdir(parents=True)
    (curator.settings.spool / FAULTS).write_text("2026-01-01T00:00:00Z KeyError in rank.py:7 rank: 'x'\n")
    deliveries.drain(curator)
    deliveries.drain(curator)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("ERROR", "a hook kept quiet: 2026-01-01T00:00:00Z KeyError in rank.py:7 rank: 'x'")
    ]


def test_old_files_go_once_they_were_read(curator: Curator, still: Clock) -> None:
    decide(curator, receipt("s1", 1.0), receipt("s2", 1.0))
    for session, days in (("s1", 8), ("s2", 6)):
        os.utime(path(curator, session), (still.at - days * DAY,) * 2)
    assert deliveries.drain(curator) == 2
    assert path(curator).exists()
    assert deliveries.drain(curator) == 0
    assert (path(curator).exists(), path(curator, "s2").exists()) == (False, True)
    assert known(curator) == [1.0]
    decide(curator, receipt("s1", 2.0))
    assert deliveries.drain(curator) == 1
    assert known(curator) == [1.0, 2.0]


def test_a_file_that_a_hook_holds_stays(curator: Curator, still: Clock) -> None:
    decide(curator, receipt("s1", 1.0))
    deliveries.drain(curator)
    os.utime(path(curator), (still.at - 8 * DAY,) * 2)
    held = spool.receipts(str(curator.settings.spool), "s1", time.monotonic() + 5)
    assert held
    deliveries.drain(curator)
    assert path(curator).exists()
    held.close()


def test_secrets_stay_out_of_the_database(curator: Curator) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    decide(curator, receipt("s1", 1.0, asked={"prompt": f"push with {secret}", "files": []}))
    assert secret not in deliveries.decisions(curator, "s1")[0].body["asked"]["prompt"]
    deliveries.drain(curator)
    assert secret not in curator.store.deliveries.receipts("s1")[0].body["asked"]["prompt"]


def test_a_forgotten_session_leaves_nothing(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0, "AAAA-0001"), receipt("s2", 2.0))
    note(curator, "s1", "/x.jsonl")
    app.forget.forget(curator, (), session="s1")
    assert (known(curator), known(curator, "s2")) == ([], [2.0])
    assert curator.store.deliveries.first_deliveries("s1") == {}
    assert [file.name for file in curator.settings.spool.glob("*.jsonl")] == [path(curator, "s2").name]
    assert [*(curator.settings.spool / scan_queue.FOLDER).glob("*.json")] == []
    decide(curator, receipt("s1", 3.0))
    assert deliveries.drain(curator) == 0


def test_a_prompt_that_a_forgotten_entry_quotes_goes_as_well(
    curator: Curator, tmp_path: Path, make: Callable[..., Entry]
) -> None:
    entry = make(state=State.ACTIVE)  # its evidence is of session s1
    curator.store.apply([(Verb.ADD, Change(before=None, after=entry))], actor="person", at=1.0)
    for at, days in ((1.0, "early"), (2.0, "late")):
        decide(curator, receipt("s1", at, entry.id, asked={"prompt": f"{days}: {entry.evidence[0].quote}", "files": []}))
        if days == "early":
            deliveries.drain(curator)
    app.forget.forget(curator, [entry.id])
    assert [item.body["asked"]["prompt"] for item in deliveries.decisions(curator, "s1")] == ["", ""]
    curator.close()
    assert [file for file in (tmp_path / "home").rglob("*") if file.is_file() and b"tool 1" in file.read_bytes()] == []


def test_sessions_are_found_by_how_they_begin(curator: Curator) -> None:
    assert deliveries.find(curator) == ""
    with pytest.raises(UnknownId, match="begins with 'q'"):
        deliveries.find(curator, "q")
    decide(curator, receipt("abc-1", 1.0), receipt("abd-2", 3.0))
    deliveries.drain(curator)
    decide(curator, receipt("xyz", 2.0))
    assert deliveries.find(curator, "abc") == "abc-1"
    assert deliveries.find(curator, "x") == "xyz"
    assert deliveries.find(curator) == "abd-2"
    with pytest.raises(UnknownId, match="could be abc-1, abd-2"):
        deliveries.find(curator, "ab")
    with pytest.raises(UnknownId, match="begins with 'q'"):
        deliveries.find(curator, "q")
    decide(curator, receipt("abc-1", 9.0))
    assert deliveries.find(curator) == "abc-1"
    assert [item.at for item in deliveries.decisions(curator, "abc-1")] == [1.0, 9.0]


# --- the queue --------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Transcripts of Claude Code lie here."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))


def note(curator: Curator, session: str, transcript: str, agent: str = "claude-code") -> None:
    """Have a hook queue a transcript, without the process that it would start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan_queue, "_start", lambda lock: None)
        entry = {"transcript_path": transcript, "agent": agent, "session": session, "cwd": ""}
        scan_queue.leave(str(curator.settings.spool), entry)


def read(curator: Curator) -> list[str]:
    return [*curator.store.sources.sources()]


def test_exactly_what_is_queued_is_read(curator: Curator, tmp_path: Path) -> None:
    one, two = (Transcript(tmp_path / "claude", tmp_path / name, f"5e551011-0000-4000-8000-00000000000{name}") for name in "12")
    for session in (one, two):
        session.says(VENDOR)
    note(curator, "s1", str(one.path))
    note(curator, "s1", str(one.path))
    note(curator, "s2", str(tmp_path / "gone.jsonl"))
    note(curator, "s3", "relative.jsonl")
    decide(curator, receipt("s1", 1.0, "AAAA-0001"))
    assert read_queue(curator) == 3
    assert read(curator) == [str(one.path)]
    assert known(curator) == [1.0]
    assert read_queue(curator) == 0


def test_garbage_in_the_queue_goes(curator: Curator) -> None:
    note(curator, "s1", "")
    folder = curator.settings.spool / scan_queue.FOLDER
    for at, text in enumerate(("", "[]", "{}", "\0")):
        (folder / f"{at}.json").write_text(text)
    assert read_queue(curator) == 5
    assert {item.name for item in folder.iterdir()} == {scan_queue.LOCK}


def test_what_a_killed_run_had_taken_is_read_by_the_next(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Transcript(tmp_path / "claude", tmp_path / "app", "5e551011-0000-4000-8000-000000000001")
    session.says(VENDOR)
    note(curator, "s1", str(session.path))
    with monkeypatch.context() as patch:
        patch.setattr(scan, "_ingest", interrupted)
        with pytest.raises(KeyboardInterrupt):
            read_queue(curator)
    assert read_queue(curator) == 1
    assert read(curator) == [str(session.path)]


def test_one_process_reads_the_queue(curator: Curator) -> None:
    note(curator, "s1", "/x.jsonl")
    fd = os.open(curator.settings.spool / scan_queue.FOLDER / scan_queue.LOCK, os.O_RDWR)
    assert spool.lock(fd)
    assert read_queue(curator) == 0
    os.close(fd)
    assert read_queue(curator) == 1


def test_a_hook_starts_no_second_process(curator: Curator, readers: Callable[[], int]) -> None:
    entry = {"transcript_path": "", "agent": "x", "session": "s", "cwd": ""}
    scan_queue.leave(str(curator.settings.spool), entry)
    assert readers() == 1
    fd = os.open(curator.settings.spool / scan_queue.FOLDER / scan_queue.LOCK, os.O_RDWR)
    assert spool.lock(fd)
    scan_queue.leave(str(curator.settings.spool), entry)
    os.close(fd)
    assert readers() == 1


def test_what_is_queued_while_the_lock_goes_back_is_read(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Transcript(tmp_path / "claude", tmp_path / "app", "5e551011-0000-4000-8000-000000000001")
    session.says(VENDOR)
    note(curator, "s1", "/x.jsonl")
    drain = deliveries.drain
    late = iter([lambda: note(curator, "s2", str(session.path))])

    def meanwhile(reader: Curator) -> int:
        next(late, lambda: None)()
        return drain(reader)

    monkeypatch.setattr(deliveries, "drain", meanwhile)
    assert read_queue(curator) == 2
    assert read(curator) == [str(session.path)]


def test_reading_beside_agents_can_be_switched_off(tmp_path: Path) -> None:
    session = Transcript(tmp_path / "claude", tmp_path / "app", "5e551011-0000-4000-8000-000000000001")
    session.says(VENDOR)
    with opened(tmp_path / "home", hook_scan=False) as curator:
        note(curator, "s1", str(session.path))
        decide(curator, receipt("s1", 1.0, "AAAA-0001"))
        read_queue(curator)
        assert read(curator) == []
        assert known(curator) == [1.0]


def test_agents_that_do_not_say_where_they_write(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    session = Transcript(tmp_path / "claude", tmp_path / "app", "5e551011-0000-4000-8000-000000000001")
    session.says(VENDOR)
    note(curator, "s1", "", agent="claude-code")
    read_queue(curator)
    assert read(curator) == [str(session.path)]
