"""A project with lessons, and an agent that calls its hooks there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from curator import hooks
from curator.app import Curator
from curator.settings import load

TESTS = "Run the tests with frobnicate, plain pytest misses the plugins."
MIGRATIONS = "Migrations in src/db.py run in one transaction, never commit halfway."
ASKED = "please run the tests with frobnicate"
WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
print("ready", flush=True)
while True:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE lessons SET outcome_odds = outcome_odds + 0")
    connection.execute("COMMIT")
"""
HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode = EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def process_beside(script: str, database: Path) -> Iterator[None]:
    """Have a process run ``WRITER`` or ``HOLDER`` while the block lasts."""
    command = [sys.executable, "-c", script, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.kill()


class Project:
    """A folder with two lessons: one about running tests, one about ``src/db.py``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "src").mkdir(parents=True)
        (folder / "src" / "db.py").write_text("x = 1\n", encoding="utf-8")
        self.settings = load()
        self.tests = self.learns(TESTS)
        self.migrations = self.learns(MIGRATIONS, "src/db.py")

    def learns(self, text: str, *files: str) -> str:
        """Add a lesson; returns its id."""
        curator = Curator(self.settings)
        project = curator.enter(str(self.folder))
        curator.store.sources.remember(project, project.folder)
        (entry,) = curator.decisions.add(text, files=files).entries
        curator.close()
        return entry.id

    def told(self, agent: str, event: str, session: str = "s1", **payload: Any) -> list[str]:
        """The ids of the lessons that an agent is told."""
        return ids(self.asks(agent, event, session_id=session, **payload))

    def asks(self, agent: str, event: str, **payload: Any) -> bytes:
        """What the hook prints; a session of an agent in this folder unless told otherwise."""
        payload = {"session_id": "s1", "cwd": str(self.folder), "hook_event_name": event} | payload
        return hooks.answer((agent, event), json.dumps(payload).encode())

    def prompts(self, words: str = ASKED, session: str = "s1", agent: str = "claude-code") -> list[str]:
        """The same for a prompt."""
        return self.told(agent, "UserPromptSubmit", session, prompt=words)

    def edits(self, path: str | Path = "src/db.py", session: str = "s1", **payload: Any) -> list[str]:
        """The same after a file was edited."""
        payload = {"tool_name": "Edit", "tool_input": {"file_path": str(path)}} | payload
        return self.told("claude-code", "PostToolUse", session, **payload)

    def receipts(self) -> list[dict[str, Any]]:
        """What the spool holds, in order within a session."""
        files = sorted(self.settings.spool.glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]

    def complaints(self) -> str:
        """What hooks met that was unexpected."""
        log = self.settings.spool / "hook.log"
        return log.read_text() if log.exists() else ""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, where no variable of an agent says anything and no hook is ever late."""
    for name in (*hooks.ROOTS, "CURATOR_HOOKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(hooks, "SECONDS", 60.0)  # a busy machine is no reason to fail
    return Project(tmp_path / "app")


@pytest.fixture
def curator(project: Project) -> Iterator[Curator]:
    """The database, whose project this is."""
    opened = Curator(project.settings)
    opened.enter(str(project.folder))
    yield opened
    opened.close()


def text(answer: bytes) -> str:
    """The text in an answer of any dialect."""
    if not answer:
        return ""
    said = json.loads(answer)
    found = said.get("additional_context") or said.get("contextModification") or said["hookSpecificOutput"]["additionalContext"]
    assert isinstance(found, str)
    return found


def ids(answer: bytes) -> list[str]:
    """The ids in an answer of any dialect."""
    return text(answer).partition('ids="')[2].partition('"')[0].split()
