"""A person with a home folder, a repository and agents that run here: everything from outside, with real processes."""

from __future__ import annotations

import atexit
import json
import os
import select
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from curator import clock
from curator.app import Curator
from curator.settings import Settings
from curator.tui.app import CuratorApp
from curator.tui.list_screen import ListScreen
from tests.files import TOP
from tests.tui import keyboard

PATIENCE = 60.0
"""Seconds that something may take that runs by itself; whoever waits for it goes on as soon as it is there."""
AGAIN = 8
"""So many new sessions ask until a hook answers: on a busy machine it may be late, and is silent then."""
NUDGED = 10.0
"""Seconds after which a hook is asked once more that was late, it seems."""
PACE = 0.5
ROUND = count(1)


LOADED = """
import json, os, pkgutil, importlib, sys, tempfile, threading, time
import curator, sqlite_utils.migrations
from curator.__main__ import main
from curator.text import redact, warnings

for found in pkgutil.walk_packages(curator.__path__, "curator."):
    if not found.name.startswith(("curator.tui", "curator.agents.mcp", "curator.__main__")):
        importlib.import_module(found.name)
redact.mask("any")  # this compiles the expressions
warnings.find("any")

def command(words, folder, env, mask):
    os.umask(mask)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os.chdir(folder)
    sys.argv = ["curator", *words]
    try:
        return main()
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    finally:
        threading._shutdown()
        sys.stdout.flush()
        sys.stderr.flush()

for line in sys.stdin:
    words, folder, env, mask, given = json.loads(line)
    if words[:1] == ["mcp"]:
        import curator.app.mcp
    with tempfile.TemporaryFile() as typed, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        typed.write(given.encode())
        typed.seek(0)
        child = os.fork()
        if not child:
            for number, file in enumerate((typed, out, err)):
                os.dup2(file.fileno(), number)
            os._exit(command(words, folder, env, mask))
        _, status = os.waitpid(child, 0)
        texts = [os.pread(file.fileno(), 1 << 24, 0).decode() for file in (out, err)]
    print(json.dumps([os.waitstatus_to_exitcode(status), *texts]), flush=True)
"""
"""The program, loaded once: each command is a process forked from it, with the folder and the environment that it is given."""


@cache
def loaded() -> subprocess.Popen[str]:
    """The process that has the program loaded; it ends with this one."""
    env = os.environ | {"PYTHONPATH": str(TOP)}
    words = [sys.executable, "-P", "-c", LOADED]
    process = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def forked(
    words: Sequence[str], folder: Path, env: Mapping[str, str], given: str = "", mask: int = 0o022
) -> subprocess.CompletedProcess[str]:
    """What ``curator`` does as a process of its own, in a folder, with an environment, a pipe of input and a umask."""
    process = loaded()
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps([words, str(folder), dict(env), mask, given]) + "\n")
    process.stdin.flush()
    if not select.select([process.stdout], [], [], PATIENCE)[0]:
        process.kill()
        loaded.cache_clear()
        raise subprocess.TimeoutExpired(["curator", *words], PATIENCE)
    return subprocess.CompletedProcess(["curator", *words], *json.loads(process.stdout.readline()))


class World:
    """One machine: ``HOME`` with agents' folders, ``CURATOR_HOME``, and a git repository with one commit."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.settings = Settings(home=base / "place")
        self.app = self.repository(base / "app")
        self.transcripts = self.home / ".claude" / "projects" / "-app"
        self.transcripts.mkdir(parents=True)

    @property
    def env(self) -> dict[str, str]:
        """What every process of this machine sees."""
        more = {"HOME": str(self.home), "CURATOR_HOME": str(self.settings.home), "PYTHONPATH": str(TOP)}
        return {**os.environ, **more}

    def repository(self, folder: Path, **files: str) -> Path:
        """A git repository with one commit."""
        (folder / "src").mkdir(parents=True)
        (folder / "src" / "retry.py").write_text("def retry():\n    return 1\n", encoding="utf-8")
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", folder.name]):
            self.git(folder, *words)
        return folder

    def commit(self, folder: Path, *options: str) -> None:
        """Commit all files, ignored ones too."""
        self.git(folder, "add", "-f", ".")
        self.git(folder, "commit", "-q", "-m", "lessons", *options)

    def git(self, folder: Path, *words: str) -> str:
        """What git says, as a person whom every clone knows."""
        who = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"]
        return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout

    def typed(self, *words: str, code: int = 0, answer: str = "", **more: str) -> str:
        """What ``curator`` says in a terminal, as a process of its own; ``answer`` is typed ahead."""
        person, terminal = os.openpty()
        try:
            os.write(person, answer.encode())
            done = subprocess.run(
                [sys.executable, "-P", "-m", "curator", *words],
                cwd=self.app,
                env={**self.env, "TERM": "xterm"} | more,
                stdin=terminal,
                stdout=terminal,
                stderr=subprocess.PIPE,
                text=True,
                timeout=PATIENCE,
            )
        finally:
            os.close(terminal)
            os.close(person)
        assert done.returncode == code, (words, done.stderr)
        return done.stderr

    def ends(
        self, *words: str, folder: Path | None = None, mask: int = 0o022, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """How a command ends, and what it says; its errors are no faults of ours."""
        done = forked(words, folder or self.app, {**self.env, **(env or {})}, mask=mask)
        assert "Traceback" not in done.stderr, (words, done.stderr)
        return done

    def run(self, *words: str, folder: Path | None = None, code: int = 0) -> str:
        """What ``curator`` prints."""
        done = self.ends(*words, folder=folder)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done.stdout

    def json(self, *words: str, folder: Path | None = None) -> list[dict[str, Any]]:
        """The same with ``--json``, one object a line."""
        return [json.loads(line) for line in self.run(*words, "--json", folder=folder).splitlines()]

    def hook(self, agent: str, event: str, session: str, folder: Path | None = None, **payload: Any) -> bytes:
        """What ``curator hook`` prints; it must end well and say nothing else."""
        given = {"session_id": session, "cwd": str(folder or self.app), "hook_event_name": event} | payload
        done = forked(("hook", agent, event), folder or self.app, self.env, json.dumps(given))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.encode()

    def tools(self, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """What ``curator mcp`` answers to calls of tools."""
        who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        ask: list[dict[str, Any]] = [{"id": 1, "method": "initialize", "params": who}, {"method": "notifications/initialized"}]
        for number, (name, arguments) in enumerate(calls, 2):
            ask.append({"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        done = forked(("mcp",), self.app, self.env, "".join(json.dumps({"jsonrpc": "2.0"} | one) + "\n" for one in ask))
        assert done.returncode == 0, done.stderr
        found = {one["id"]: one["result"] for one in map(json.loads, done.stdout.splitlines())}
        return [found[number] for number in range(2, len(calls) + 2)]

    def insist(self, agent: str, event: str, folder: Path | None = None, **payload: Any) -> tuple[str, str]:
        """Ask in one new session after another until a hook answers. Returns the session and the text that was given."""
        for _ in range(AGAIN):
            session = new_session()
            if out := self.hook(agent, event, session, folder, **payload):
                said = json.loads(out)
                assert set(said) == {"hookSpecificOutput"}
                assert set(said["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
                assert said["hookSpecificOutput"]["hookEventName"] == event
                return session, said["hookSpecificOutput"]["additionalContext"]
        raise AssertionError(f"no hook of {agent} answered at {event} {payload}")

    @contextmanager
    def opened(self, folder: Path | None = None) -> Iterator[Curator]:
        """The service in this process, seen from a folder; home is that of this machine."""
        curator = Curator(self.settings)
        try:
            curator.enter(str(folder or self.app))
            yield curator
        finally:
            curator.close()

    def row(self, sql: str, *values: str) -> tuple[Any, ...] | None:
        """A row of the database, read by nobody of ours."""
        with closing(sqlite3.connect(f"file:{self.settings.database}?mode=ro", uri=True)) as connection:
            found: tuple[Any, ...] | None = connection.execute(sql, values).fetchone()
            return found

    def wait_for(self, found: Callable[[], Any], what: str, nudge: Callable[[], object] = lambda: None) -> Any:
        """What ``found`` returns as soon as it is something; ``nudge`` begins it, and again where nothing comes of it."""
        until = time.monotonic() + PATIENCE
        due = 0.0
        while time.monotonic() < until:
            if time.monotonic() > due:
                nudge()
                due = time.monotonic() + NUDGED
            if value := found():
                return value
            time.sleep(0.02)
        raise AssertionError(f"{what} never came; the log says: {self.log()}")

    def log(self) -> str:
        """What curator complained of."""
        file = self.settings.log
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def session(self, name: str = "", folder: Path | None = None, *, ago: float = 0.0) -> Session:
        """A transcript of Claude Code that is being written, or was so many seconds ago."""
        return Session(self.transcripts / f"{name or new_session()}.jsonl", folder or self.app, ago)

    @asynccontextmanager
    async def desk(self) -> AsyncIterator[Callable[..., Awaitable[ListScreen]]]:
        """The inbox without a terminal: ``async with world.desk() as press: screen = await press("y")``.

        Between two keys half a second goes by: it takes faster decisions for prose that somebody types into the wrong pane.
        """
        ahead_by = 0.0
        with self.opened() as curator, pytest.MonkeyPatch.context() as patch:
            patch.setattr(clock, "now", lambda: time.time() + ahead_by)
            app = CuratorApp(curator, watch=False)
            async with app.run_test(size=(100, 30)):

                async def press(*keys: str) -> ListScreen:
                    nonlocal ahead_by
                    for key in keys:
                        ahead_by += PACE
                        await keyboard.press(app, key)
                    await keyboard.settle(app)
                    assert isinstance(app.screen, ListScreen), app.screen
                    return app.screen

                await press()
                yield press


class Session:
    """A session of Claude Code, written record by record."""

    def __init__(self, path: Path, cwd: Path, ago: float) -> None:
        self.path = path
        self.id = path.stem
        self.cwd = cwd
        self.at = datetime.now(UTC) - timedelta(seconds=ago)
        self.count = 0

    def write(self, kind: str, **more: Any) -> None:
        """Append a record, a second after the one before."""
        self.count += 1
        self.at += timedelta(seconds=1)
        parent = f"{self.id}-{self.count - 1}" if self.count > 1 else None
        record: dict[str, Any] = {"type": kind, "uuid": f"{self.id}-{self.count}", "parentUuid": parent, "sessionId": self.id}
        record |= {"cwd": str(self.cwd), "gitBranch": "main", "isSidechain": False, "userType": "external"}
        record |= {"version": "2.1.42", "timestamp": self.at.strftime("%Y-%m-%dT%H:%M:%S.000Z")} | more
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def asks(self, words: str) -> None:
        """The person types."""
        self.write("user", message={"role": "user", "content": words})

    def answers(self, words: str) -> None:
        """The agent says something."""
        content = [{"type": "text", "text": words}]
        self.write("assistant", message={"id": f"m{self.count}", "role": "assistant", "content": content})

    def runs(self, command: str, output: str, *, failed: bool = False) -> None:
        """The agent runs a command, whose output comes back."""
        call = f"toolu_{self.count}"
        used = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        self.write("assistant", message={"id": call, "role": "assistant", "content": [used]})
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": output}
        self.write("user", message={"role": "user", "content": [result | ({"is_error": True} if failed else {})]})

    def hooked(self, event: str, text: str) -> None:
        """A hook's text goes to the model, in the shape in which this agent writes that down."""
        given = {"type": "hook_additional_context", "content": [text], "hookName": event, "hookEvent": event}
        self.write("attachment", attachment=given)


def new_session() -> str:
    """The id of a session that nobody has had."""
    return f"5e551011-{os.getpid() % 0x10000:04x}-4000-8000-{next(ROUND):012d}"


def ids(text: str) -> list[str]:
    """The ids of the lessons in a text that a hook gave, whose sentinel must be whole."""
    assert text.startswith('<curator-lessons v="1" ids="')
    assert text.endswith("\n</curator-lessons>")
    assert (text.count("<curator-lessons"), text.count("</curator-lessons")) == (1, 1)
    return text.partition('ids="')[2].partition('"')[0].split()
