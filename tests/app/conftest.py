"""Databases that are open in a project's folder, sessions of Claude Code, and what most tests do first."""

from __future__ import annotations

import json
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from curator import app, detection
from curator.app import Curator
from curator.app.sessions.ingest import ScanReport
from curator.model import Candidate, Category, Change, Entry, Evidence, Query, Role, State, Verb
from curator.settings import Settings

Make = Callable[..., Entry]
Open = Callable[..., Curator]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder: no git repository, and empty."""
    folder = tmp_path / "app"
    folder.mkdir()
    return folder


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The folder of another project."""
    folder = tmp_path / "other"
    folder.mkdir()
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder in which Claude Code writes its sessions."""
    return tmp_path / "claude"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open a database in a home of this name, with these settings, in a folder if one is given; it is closed afterwards."""
    with ExitStack() as stack:

        def open_(home: str = "home", folder: Path | None = None, timeout: float = 5.0, **settings: Any) -> Curator:
            curator = Curator(Settings(home=tmp_path / home, **settings), timeout=timeout)
            stack.callback(curator.close)
            if folder:
                curator.enter(str(folder))
            return curator

        yield open_


@pytest.fixture
def curator(opened: Open, work: Path) -> Curator:
    """The database, whose project the folder is."""
    return opened(folder=work)


@pytest.fixture
def make(make: Make, curator: Curator) -> Make:
    """Make an entry: one of the project unless told otherwise."""
    return partial(make, project=curator.scope or "p1")


def put(curator: Curator, *entries: Entry, at: float = 1.0) -> list[str]:
    """Store entries as a detector proposes them; returns their ids."""
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries], actor="detector", at=at)
    return [entry.id for entry in entries]


def kept(curator: Curator, text: str, **more: Any) -> Entry:
    """Add a lesson, with all that follows."""
    (entry,) = curator.decisions.add(text, **more).entries
    app.settling.settle(curator, [entry.id])
    return curator.lessons.find(entry.id)


def statement(words: str, *evidence: Evidence) -> Candidate:
    """A candidate that states this, said by a person in a session of its own unless there is other evidence."""
    name = detection.fingerprint(words)
    quote = Evidence(quote=words, role=Role.HUMAN, file=f"{name}.jsonl", line=1, line_end=1, session=name)
    return Candidate(
        category=Category.CONVENTION,
        headline=words,
        insight=words,
        evidence=evidence or (quote,),
        score=0.6,
        score_parts={},
        signal="standing-rule",
        fingerprint=name,
    )


def waiting(curator: Curator, **how: Any) -> list[Entry]:
    """What is in the inbox, in its order."""
    return list(curator.lessons.entries(curator.lessons.waiting(**how)))


def cards(curator: Curator) -> list[Entry]:
    """All open candidates, in the order of their first quotes."""
    return sorted(curator.lessons.entries(Query(states=(State.OPEN,))), key=lambda entry: entry.evidence[0].quote)


def stored(curator: Curator) -> bytes:
    """The bytes of all files in the home of a database, which is closed for that."""
    curator.close()
    return b"".join(file.read_bytes() for file in curator.settings.home.iterdir() if file.is_file())


class Transcript:
    """A Claude Code session that is written line by line."""

    def __init__(self, root: Path, cwd: Path, session: str | int = 1) -> None:
        self.session = session if isinstance(session, str) else f"5e551011-0000-4000-8000-{session:012}"
        self.path = root / "projects" / "-work-app" / f"{self.session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.cwd = cwd
        self.count = 0

    def record(self, kind: str, message: object, **more: object) -> str:
        self.count += 1
        record = {
            "type": kind,
            "uuid": f"{self.session}-{self.count}",
            "sessionId": self.session,
            "cwd": str(self.cwd),
            "gitBranch": "main",
            "isSidechain": False,
            "userType": "external",
            "version": "2.1.42",
            "timestamp": f"2026-11-01T10:00:{self.count % 60:02d}.000Z",
            "message": message,
        }
        return json.dumps({name: value for name, value in (record | more).items() if value is not None}) + "\n"

    def says(self, *words: str, **more: object) -> None:
        """A person says something, in a message each."""
        for one in words:
            self.write(self.record("user", {"role": "user", "content": one}, **more))

    def answers(self, words: str) -> None:
        """The agent says something."""
        content = [{"type": "text", "text": words}]
        self.write(self.record("assistant", {"id": f"m{self.count}", "role": "assistant", "content": content}))

    def calls(
        self, tool: str, output: str | None = None, *, failed: bool = False, denied: bool = False, **arguments: str
    ) -> None:
        """The agent calls a tool; without an output there is no result of the call."""
        id_ = f"toolu_{self.session[-4:]}_{self.count}"
        call = {"type": "tool_use", "id": id_, "name": tool, "input": arguments}
        self.write(self.record("assistant", {"id": id_, "role": "assistant", "content": [call]}))
        if output is not None:
            done = {"type": "tool_result", "tool_use_id": id_, "is_error": failed or denied, "content": output}
            kind = {"toolDenialKind": "user-rejected"} if denied else {}
            self.write(self.record("user", {"role": "user", "content": [done]}, **kind))

    def fails(self) -> None:
        """A command of the agent fails."""
        self.calls("Bash", "Exit code 1\nModuleNotFoundError: httpx", failed=True, command="pytest -q")

    def write(self, text: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)


def scanned(curator: Curator, root: Path, agent: str = "claude-code") -> ScanReport:
    """Scan a root; returns the report of one agent."""
    return app.scan.scan(curator, roots=[root])[agent]


def killed(act: Callable[[Callable[..., None]], object], steps: int) -> None:
    """Do something in a forked process, which is killed when it has told of so many steps by the function that it is given."""
    reads, writes = os.pipe()

    def step(*_: object) -> None:
        os.write(writes, b".")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of threads, which the child does not use
        child = os.fork()
    if not child:
        try:
            act(step)
        finally:
            os._exit(0)
    os.close(writes)
    for _ in range(steps):
        assert os.read(reads, 1), "it ended before it was killed"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reads)


@contextmanager
def following(curator: Curator, root: Path, changed: Callable[[int], None], **more: Any) -> Iterator[Curator]:
    """Follow a root in a thread of its own while the block runs; gives the database that the thread has open."""
    stop, own = threading.Event(), curator.fork(**({"timeout": 0.05} if "failed" in more else {}))
    thread = threading.Thread(target=lambda: app.scan.follow(own, stop, changed, roots=[root], **more), daemon=True)
    thread.start()
    try:
        yield own
    finally:
        stop.set()
        thread.join(timeout=10)
        own.close()


def until(curator: Curator, count: int, act: Callable[[], None], root: Path, **more: Any) -> None:
    """Follow a root while ``act`` writes, until there are so many cards."""
    changed = threading.Semaphore(0)
    with following(curator, root, lambda new: changed.release(), **more):
        act()
        for _ in range(40):
            if len(cards(curator)) == count:
                break
            assert changed.acquire(timeout=30)
        assert len(cards(curator)) == count
