"""What hooks decided comes into the database once, whole, whenever it is drained; the queue is read by one process."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator import app
from curator.agents import spool
from curator.app import Curator, deliveries, scan
from curator.app.sessions.scan import read_queue
from curator.errors import UnknownId
from curator.hooks import FAULTS
from curator.model import State
from curator.settings import DAY_SECONDS, Settings
from tests.app.conftest import Make, Open, Transcript, put
from tests.conftest import Clock
from tests.sayings import VENDOR


@pytest.fixture
def curator(opened: Open) -> Curator:
    return opened()


def receipt(session: str = "s1", at: float = 1.0, *told: str, project: str = "p1", **more: Any) -> dict[str, Any]:
    """A receipt as hooks write them."""
    body: dict[str, Any] = {"told": list(told), "session": session, "at": at, "agent": "codex", "event": "UserPromptSubmit"}
    body |= {"moment": "prompt", "project": project, "key": f"prompt:{at}", "threshold": 0.25}
    body |= {"asked": {"prompt": f"do {at}", "files": []}, "withheld": [["ZZZZ-0000", 0.1, "below the threshold", {}]]}
    return body | {"shown": [[id_, rank, 0.5, 20, {"words": 1.5}] for rank, id_ in enumerate(told, 1)]} | more


def held(curator: Curator, session: str = "s1") -> spool.Spool:
    """The receipts of a session, held as a hook holds them."""
    file = spool.open_spool(str(curator.settings.spool), session, time.monotonic() + 5)
    assert file
    return file


def decide(curator: Curator, *receipts: dict[str, Any]) -> None:
    """Have hooks decide this."""
    for body in receipts:
        file = held(curator, body["session"])
        file.add(body)
        file.close()


def path(curator: Curator, session: str = "s1") -> Path:
    return curator.settings.spool / f"{spool.name(session)}.jsonl"


def known(curator: Curator, session: str = "s1") -> list[float]:
    """When each stored decision of a session was made."""
    return [item.at for item in curator.store.deliveries.receipts(session)]


def test_decisions_come_in_once(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0, "AAAA-0001"), receipt("s1", 2.0), receipt("s2", 3.0, "AAAA-0002", "AAAA-0001"))
    assert deliveries.import_receipts(curator) == 3
    assert deliveries.import_receipts(curator) == 0
    decide(curator, receipt("s1", 4.0))
    assert deliveries.import_receipts(curator) == 1
    assert (known(curator), known(curator, "s2")) == ([1.0, 2.0, 4.0], [3.0])
    assert curator.store.deliveries.first_deliveries("s2") == {"AAAA-0001": 3.0, "AAAA-0002": 3.0}
    with closing(held(curator)) as file:
        assert file.deliveries == {"AAAA-0001"}, "the spool still knows what was told"


def test_a_line_that_is_being_written_waits(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0))
    whole = path(curator).read_bytes()
    path(curator).write_bytes(whole + whole[:40])
    assert deliveries.import_receipts(curator) == 1
    path(curator).write_bytes(whole + whole.replace(b'"at":1.0', b'"at":2.0'))
    assert deliveries.import_receipts(curator) == 1
    assert known(curator) == [1.0, 2.0]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b"[]",
        b"{}",
        b'{"v":1,"forget":true,"at":1.0,"session":"s1"}',
        b"[" * 100_000,
        {"shown": [["A"]]},
        {"shown": [[1, 1, 0.5, 20]]},
        {"shown": {"a": 1}},
        {"shown": [["A", 1, float("nan"), 20]]},
        {"shown": [["A", 10**30, 0.5, 20]]},
        {"shown": [["A", 1, 0.5, 20, {"\ud800": 1}]]},
        {"at": "soon"},
        {"at": float("inf")},
        {"asked": 5},
        {"session": None},
        {"event": "\ud800"},
        {"parts": float("nan")},
    ],
)
def test_what_is_no_receipt_is_passed_over(curator: Curator, line: bytes | dict[str, Any]) -> None:
    decide(curator, receipt("s1", 1.0))
    with path(curator).open("ab") as file:
        file.write((line if isinstance(line, bytes) else json.dumps(receipt() | line).encode()) + b"\n")
    decide(curator, receipt("s1", 2.0))
    assert deliveries.import_receipts(curator) == 2
    assert known(curator) == [1.0, 2.0]


STEPS = st.lists(st.sampled_from(["s1", "s2", "torn", "drain", "crash", "again"]), max_size=20)


@given(STEPS)
@settings(max_examples=20, deadline=None)
def test_crashes_neither_lose_nor_repeat(steps: list[str]) -> None:
    wanted: dict[str, list[float]] = {"s1": [], "s2": []}
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        curator, other = (stack.enter_context(closing(Curator(Settings(home=home)))) for _ in range(2))
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
                assert deliveries.import_receipts(curator) == 0
                curator.store.connection.set_authorizer(None)
            else:
                deliveries.import_receipts(other if step == "again" else curator)
        decide(curator, receipt("s1", 99.0))
        deliveries.import_receipts(curator)
        assert {session: known(curator, session) for session in wanted} == {"s1": [*wanted["s1"], 99.0], "s2": wanted["s2"]}


def refuse_the_last_write(action: int, table: object, *_: object) -> int:
    """An authorizer of SQLite under which a drain fails once its decisions are written, and before it is marked as done."""
    return sqlite3.SQLITE_DENY if (action, table) == (sqlite3.SQLITE_INSERT, "drained") else sqlite3.SQLITE_OK


def test_a_database_that_is_busy_or_newer_leaves_the_spool_alone(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0, "AAAA-0001"))
    curator.store.connection.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(curator.settings.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert deliveries.import_receipts(curator) == 0
    curator.store.newer = "written by a newer curator"
    assert deliveries.import_receipts(curator) == 0
    assert [item.at for item in deliveries.decisions(curator, "s1")] == [1.0]
    curator.store.newer = ""
    assert deliveries.import_receipts(curator) == 1


def test_what_hooks_did_not_foresee_comes_into_the_log(curator: Curator, caplog: pytest.LogCaptureFixture) -> None:
    curator.settings.spool.mkdir(parents=True)
    (curator.settings.spool / FAULTS).write_text("2026-01-01T00:00:00Z KeyError in rank.py:7 rank: 'x'\n")
    deliveries.import_receipts(curator)
    deliveries.import_receipts(curator)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("ERROR", "a hook kept quiet: 2026-01-01T00:00:00Z KeyError in rank.py:7 rank: 'x'")
    ]


def test_old_files_go_once_they_were_read_unless_a_hook_holds_them(curator: Curator, still: Clock) -> None:
    decide(curator, receipt("s1", 1.0), receipt("s2", 1.0))
    for session, days in (("s1", 8), ("s2", 6)):
        os.utime(path(curator, session), (still.at - days * DAY_SECONDS,) * 2)
    assert deliveries.import_receipts(curator) == 2
    with closing(held(curator)):
        assert deliveries.import_receipts(curator) == 0
        assert path(curator).exists()
    assert deliveries.import_receipts(curator) == 0
    assert (path(curator).exists(), path(curator, "s2").exists()) == (False, True)
    assert known(curator) == [1.0]
    decide(curator, receipt("s1", 2.0))
    assert deliveries.import_receipts(curator) == 1
    assert known(curator) == [1.0, 2.0]


def test_secrets_stay_out_of_the_database(curator: Curator) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    decide(curator, receipt("s1", 1.0, asked={"prompt": f"push with {secret}", "files": []}))
    assert secret not in deliveries.decisions(curator, "s1")[0].body["asked"]["prompt"]
    deliveries.import_receipts(curator)
    assert secret not in curator.store.deliveries.receipts("s1")[0].body["asked"]["prompt"]


def test_a_forgotten_session_leaves_nothing(curator: Curator) -> None:
    decide(curator, receipt("s1", 1.0, "AAAA-0001"), receipt("s2", 2.0))
    note(curator, "s1", "/x.jsonl")
    app.forget.forget(curator, (), session="s1")
    assert (known(curator), known(curator, "s2")) == ([], [2.0])
    assert curator.store.deliveries.first_deliveries("s1") == {}
    assert [file.name for file in curator.settings.spool.glob("*.jsonl")] == [path(curator, "s2").name]
    assert [*(curator.settings.spool / spool.FOLDER).glob("*.json")] == []
    decide(curator, receipt("s1", 3.0))
    assert deliveries.import_receipts(curator) == 0


def test_a_prompt_that_a_forgotten_entry_quotes_goes_as_well(curator: Curator, tmp_path: Path, make: Make) -> None:
    entry = make(state=State.ACTIVE)  # its evidence is of session s1
    put(curator, entry)
    for at, days in ((1.0, "early"), (2.0, "late")):
        decide(curator, receipt("s1", at, entry.id, asked={"prompt": f"{days}: {entry.evidence[0].quote}", "files": []}))
        if days == "early":
            deliveries.import_receipts(curator)
    app.forget.forget(curator, [entry.id])
    assert [item.body["asked"]["prompt"] for item in deliveries.decisions(curator, "s1")] == ["", ""]
    curator.close()
    assert [file for file in (tmp_path / "home").rglob("*") if file.is_file() and b"tool 1" in file.read_bytes()] == []


def test_sessions_are_found_by_how_they_begin(curator: Curator) -> None:
    assert deliveries.find(curator) == ""
    with pytest.raises(UnknownId, match="begins with 'q'"):
        deliveries.find(curator, "q")
    decide(curator, receipt("abc-1", 1.0), receipt("abd-2", 3.0))
    deliveries.import_receipts(curator)
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


@pytest.fixture
def session(root: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> Transcript:
    """A session in the place where Claude Code keeps them, with something to learn."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root))
    session = Transcript(root, work)
    session.says(VENDOR)
    return session


def note(curator: Curator, session: str, transcript: str, agent: str = "claude-code") -> None:
    """Have a hook queue a transcript, without the process that it would start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool, "_start", lambda lock: None)
        entry = {"transcript_path": transcript, "agent": agent, "session": session, "cwd": ""}
        spool.queue_scan(str(curator.settings.spool), entry)


def queue(curator: Curator) -> Path:
    return curator.settings.spool / spool.FOLDER


def read(curator: Curator) -> list[str]:
    return [*curator.store.sources.sources()]


def test_exactly_what_is_queued_is_read(curator: Curator, session: Transcript, root: Path, work: Path) -> None:
    Transcript(root, work, 2).says(VENDOR)
    note(curator, "s1", str(session.path))
    note(curator, "s1", str(session.path))
    note(curator, "s2", str(root / "gone.jsonl"))
    note(curator, "s3", "relative.jsonl")
    decide(curator, receipt("s1", 1.0, "AAAA-0001"))
    assert read_queue(curator) == 3
    assert read(curator) == [str(session.path)]
    assert known(curator) == [1.0]
    assert read_queue(curator) == 0
    for at, text in enumerate(("", "[]", "{}", "\0")):
        (queue(curator) / f"{at}.json").write_text(text)
    assert read_queue(curator) == 4
    assert {item.name for item in queue(curator).iterdir()} == {spool.LOCK}, "garbage goes"


def test_agents_that_do_not_say_where_they_write(curator: Curator, session: Transcript) -> None:
    note(curator, "s1", "")
    read_queue(curator)
    assert read(curator) == [str(session.path)]


def test_a_killed_run_is_finished_by_the_next(curator: Curator, session: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    note(curator, "s1", str(session.path))
    with monkeypatch.context() as patch:
        patch.setattr(scan, "_ingest", interrupted)
        with pytest.raises(KeyboardInterrupt):
            read_queue(curator)
    assert read_queue(curator) == 1
    assert read(curator) == [str(session.path)]


def test_one_process_reads_the_queue_and_a_hook_starts_no_second_one(curator: Curator, readers: Callable[[], int]) -> None:
    entry = {"transcript_path": "/x.jsonl", "agent": "x", "session": "s1", "cwd": ""}
    spool.queue_scan(str(curator.settings.spool), entry)
    assert readers() == 1
    fd = os.open(queue(curator) / spool.LOCK, os.O_RDWR)
    assert spool.lock(fd)
    spool.queue_scan(str(curator.settings.spool), entry)
    assert read_queue(curator) == 0
    os.close(fd)
    assert readers() == 1
    assert read_queue(curator) == 1


def test_a_transcript_queued_very_late_is_read(curator: Curator, session: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    note(curator, "s1", "/x.jsonl")
    drain = deliveries.import_receipts
    late = iter([lambda: note(curator, "s2", str(session.path))])

    def meanwhile(reader: Curator) -> int:
        next(late, lambda: None)()
        return drain(reader)

    monkeypatch.setattr(deliveries, "import_receipts", meanwhile)
    assert read_queue(curator) == 2
    assert read(curator) == [str(session.path)]


def test_reading_beside_agents_can_be_switched_off(opened: Open, session: Transcript) -> None:
    curator = opened(hook_scan=False)
    note(curator, "s1", str(session.path))
    decide(curator, receipt("s1", 1.0, "AAAA-0001"))
    read_queue(curator)
    assert (read(curator), known(curator)) == ([], [1.0])
