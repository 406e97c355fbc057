"""What every test stands on: an empty home, a still clock, no plugins, no git settings of the person who runs them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from curator import clock
from curator.agents import processes
from curator.model import Category, Entry, Evidence, Role, State
from curator.store.schema import migrate
from tests.files import write_file, write_program

# Without bytecode every worker and every process of a test would compile the program and the tests anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A database of a test waits for the disk longer than it computes. In memory it takes three quarters of the processor's time.
MEMORY, ENOUGH = Path("/dev/shm"), 4 << 30


def has_room(folder: Path) -> bool:
    """Return whether tests may write much into a folder, and start programs there."""
    return shutil.disk_usage(folder).free > ENOUGH and not os.statvfs(folder).f_flag & os.ST_NOEXEC


if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and has_room(MEMORY):
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)  # pytest has asked for the folder before, which is remembered

# A busy machine is no reason to fail, and the same code gives the same examples: what is green here is green elsewhere.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", PATIENT, derandomize=True, max_examples=30)
# New examples at each run: `pytest --hypothesis-profile search`, for whoever looks for faults.
settings.register_profile("search", PATIENT, max_examples=1000)
settings.load_profile("same")


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Start one worker more than there are processors: many tests wait for a process, which leaves a processor idle."""
    return (yield) + 1


@pytest.fixture(autouse=True)
def isolation(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of the person who runs the tests is read or written."""
    home = tmp_path_factory.getbasetemp() / "homes" / uuid4().hex  # a number would have pytest list all earlier ones
    home.mkdir(parents=True, mode=0o700)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "NO_COLOR", "EDITOR", "VISUAL", "SSH_CONNECTION", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in processes.VARIABLES:  # an agent may run the tests; where a test means an agent, it says so
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(processes.NAMED, "")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CURATOR_HOME", str(home / "curator"))
    monkeypatch.setenv("CURATOR_PLUGINS", "0")
    # No device: as root, `git config --global` would put a file in its place.
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(home / ".gitconfig"))
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A Person")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "person@example.com")
        monkeypatch.setenv(f"GIT_{role}_DATE", "2026-01-01T00:00:00Z")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return home


@cache
def empty_database() -> sqlite3.Connection:
    """Make an empty database, which lives as long as the process."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection)
    return connection


def copy_database(connection: sqlite3.Connection) -> None:
    """Fill a new database with a copy, which takes a tenth of the time. Two processes must not do so at once."""
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        migrate(connection)
    else:
        connection.execute("PRAGMA journal_mode = WAL")
        empty_database().backup(connection)


@pytest.fixture(autouse=True)
def copied_databases(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy new databases, but not where tests are about the store, its faults or real processes."""
    if request.path.parent.name in ("app", "cli", "tui"):
        monkeypatch.setattr("curator.store.database.migrate", copy_database)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = 1_790_000_000.0

    def __call__(self) -> float:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += seconds


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock, standing still."""
    stopped = Clock()
    monkeypatch.setattr(clock, "now", stopped)
    return stopped


@pytest.fixture
def readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many processes were started to read transcripts: each runs a program in Python's place that leaves a line."""
    lines = write_file(tmp_path / "started")
    program = write_program(tmp_path / "python", f"echo >> '{lines}'")
    monkeypatch.setattr(sys, "executable", str(program))
    started: list[int] = []
    spawn = os.posix_spawn

    def spawn_and_remember(*arguments: Any, **options: Any) -> int:
        started.append(spawn(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(os, "posix_spawn", spawn_and_remember)

    def count() -> int:
        while started:  # these alone: other tests keep a process for all that follow
            with suppress(ChildProcessError):
                os.waitpid(started.pop(), 0)
        return len(lines.read_text(encoding="utf-8"))

    return count


@pytest.fixture
def make() -> Callable[..., Entry]:
    """Make an entry: an open candidate unless told otherwise, with one quote."""
    counter = iter(range(1, 100_000))

    def entry(**fields: object) -> Entry:
        n = next(counter)
        values: dict[str, object] = {
            "id": f"AAAA-{n:04d}",
            "project": "p1",
            "state": State.OPEN,
            "category": Category.CONVENTION,
            "headline": f"Use tool {n} for task {n}",
            "insight": f"Task {n} works only with tool {n}.",
            "created": 1_780_000_000.0,
            "updated": 1_780_000_000.0,
            "score": 0.5,
            "signal": "standing-rule",
            "fingerprint": f"print-{n}",
            "agent": "claude-code",
            "session": "s1",
            "evidence": (
                Evidence(quote=f"always use tool {n}", role=Role.HUMAN, file="a.jsonl", line=n, line_end=n, session="s1"),
            ),
        }
        return Entry(**(values | fields))  # type: ignore[arg-type]

    return entry
