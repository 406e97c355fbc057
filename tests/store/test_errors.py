"""Every fault of the database speaks, loses nothing and overwrites nothing. Real processes, real locks, real limits."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.errors import StoreError
from curator.model import Change, Entry, Query, Verb
from curator.store import entries
from curator.store.database import Store
from curator.store.file import as_store_errors

Make = Callable[..., Entry]


def put(store: Store, *entries: Entry) -> None:
    deeds = [(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries]
    store.apply(deeds, actor="detector", at=1.0)


def run(code: str, *arguments: object, **more: object) -> subprocess.Popen[str]:
    """Start a real process that runs this code."""
    started: subprocess.Popen[str] = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,  # type: ignore[call-overload]
    )
    return started


@pytest.mark.parametrize("damage", ["garbage", "header", "middle"])
def test_a_damaged_database_is_named_and_left_alone(tmp_path: Path, make: Make, damage: str) -> None:
    path = tmp_path / "c.db"
    store = Store(path)
    put(store, *(make(insight="x" * 500) for _ in range(200)))
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    data = bytearray(path.read_bytes())
    if damage == "garbage":
        data = bytearray(b"this was never a database\n" * 400)
    elif damage == "header":
        data[0:16] = b"\0" * 16
    else:
        data[4096:] = b"\xab" * (len(data) - 4096)
    path.write_bytes(data)
    for aside in (path.with_name("c.db-wal"), path.with_name("c.db-shm")):
        aside.unlink(missing_ok=True)
    with pytest.raises(StoreError, match="damaged") as caught:
        list(Store(path).entries.select(Query()))
    assert "curator restore" in caught.value.hint
    assert path.read_bytes() == bytes(data), "nothing was overwritten"


def test_a_full_disk_is_named_and_what_was_saved_stays(tmp_path: Path, make: Make) -> None:
    store = Store(tmp_path / "c.db")
    put(store, make(id="AAAA-0001"))
    pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
    store.connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(StoreError, match="full") as caught:
        put(store, *(make(insight="y" * 4000) for _ in range(50)))
    assert "Free some space" in caught.value.hint
    assert store.entries.get("AAAA-0001")
    assert store.events.last() == 1
    store.close()


def test_a_read_only_database_is_named(tmp_path: Path, make: Make) -> None:
    store = Store(tmp_path / "c.db")
    put(store, make(id="AAAA-0001"))
    store.connection.execute("PRAGMA query_only = ON")  # root may write to any file, so the right is taken away here
    with pytest.raises(StoreError, match="read-only"):
        put(store, make(id="AAAA-0002"))
    store.close()


def test_two_processes_may_make_the_database_at_once(tmp_path: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        from curator.store.database import Store
        sys.stdin.readline()
        Store(Path(sys.argv[1])).close()
        print("made")
    """
    children = [run(code, tmp_path / "c.db") for _ in range(4)]
    for child in children:
        assert child.stdin
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        out, err = child.communicate(timeout=60)
        assert out == "made\n", err


def test_each_of_many_sessions_is_numbered_whatever_it_is_called(tmp_path: Path, make: Make) -> None:
    store = Store(tmp_path / "c.db")
    names = ["nul\0one", "nul\0two", 'it\'s "ä"\\', *(f"s{n}" for n in range(entries.PORTION * 2)), ""]
    put(store, *(make(session=name, score=score) for name in names for score in (0.2, 0.9)))
    rows = store.connection.execute("SELECT session, place FROM entries ORDER BY seq").fetchall()
    assert rows == [(name, place if name else 0) for name in names for place in (1, 0)]
    store.close()


def test_a_fault_that_nobody_foresaw_is_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    connection = sqlite3.connect(":memory:")
    said = pytest.raises(StoreError, match="Details are in the log")
    with caplog.at_level(logging.ERROR, "curator"), said, as_store_errors(tmp_path / "c.db"):
        connection.execute("SELECT 1 FROM")
    connection.close()
    (record,) = caplog.records
    assert record.exc_info
    assert "incomplete input" in caplog.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else; others are tested by their own rights")
@pytest.mark.parametrize(
    ("closed", "said"),
    [(True, "can't be"), (False, "{folder} is read-only, and SQLite must write next to its database")],
    ids=["of somebody else", "read-only"],
)
def test_a_folder_in_which_one_may_not_write_is_named(make: Make, closed: bool, said: str) -> None:
    with tempfile.TemporaryDirectory() as folder:  # that others reach, unlike those of pytest
        database = Path(folder, "home", "c.db")
        if not closed:
            Store(database).close()
            database.chmod(0o644)
            database.parent.chmod(0o755)
            Path(folder).chmod(0o755)
        child = run(
            """
            import os, sys
            from pathlib import Path
            from curator.errors import StoreError
            from curator.store.database import Store
            import curator.store.schema, sqlite_utils
            os.setgid(65534); os.setuid(65534)
            try:
                Store(Path(sys.argv[1]))
            except StoreError as error:
                print(error.message, error.hint)
            """,
            database,
        )
        out, err = child.communicate(timeout=60)
        assert said.format(folder=database.parent) in out, out + err
        assert "CURATOR_HOME" in out
