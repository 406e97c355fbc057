"""Locks that SQLite holds stay held, whatever else of ours opens the same database in the same process.

Closing any descriptor of a file drops all locks that the process has on it: https://www.sqlite.org/howtocorrupt.html, 2.2.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.app import Curator
from curator.store import Store, file, schema

OTHER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("BEGIN IMMEDIATE")
    print("wrote")
except sqlite3.OperationalError as error:
    print(error)
"""
CLOSING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM entries").fetchone()
connection.close()
"""


def elsewhere(script: str, path: Path) -> str:
    """What a process of its own prints."""
    return subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    "look",
    [
        lambda path: Store(path).close(),
        file.count_rejects,
        file.is_foreign,
        schema.inspect,
        file.put_aside,
        lambda path: (file.put_aside(path), file.put_aside(path)),
    ],
    ids=["open", "log", "name", "doctor", "copy", "compare"],
)
def test_a_look_at_the_database_drops_no_lock(curator: Curator, look: Callable[[Path], object]) -> None:
    path = curator.settings.database
    with curator.store.transaction():
        look(path)
        assert "locked" in elsewhere(OTHER, path)
    log = file.beside(path)[0]
    before = file.identity(log)
    look(path)
    elsewhere(CLOSING, path)  # the last one to close deletes the log, and this is not the last
    assert file.identity(log) == before


@pytest.mark.skipif(sys.platform != "linux", reason="open files are listed otherwise elsewhere")
def test_descriptors_of_what_is_gone_are_closed(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"{number}.db"
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE a (b)")
        fd = file.descriptor(file.beside(path)[1])
        assert file.descriptor(file.beside(path)[1]) == fd
        connection.close()
    assert sum(str(tmp_path) in os.readlink(one) for one in Path("/proc/self/fd").iterdir() if one.is_symlink()) <= 1
