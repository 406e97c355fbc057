"""``curator mcp`` as a client meets it: a process with two pipes, and a project with lessons."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from curator.app import Curator
from curator.model import Change, Entry, Verb
from curator.settings import load
from tests.files import TOP

COMMAND = [sys.executable, "-m", "curator", "mcp"]
Done = subprocess.CompletedProcess[str]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex-mcp-client", "version": "1"}}


def put(folder: Path, *entries: Entry) -> list[str]:
    """Store entries as they are, in the project of a folder; returns their ids."""
    curator = Curator(load())
    project = curator.enter(str(folder))
    with curator.store.transaction():
        curator.store.sources.remember(project, project.folder)
        deeds = [(Verb.PROPOSE, Change(before=None, after=entry._replace(project=project.id))) for entry in entries]
        curator.store.apply(deeds, actor="detector", at=1.0)
    curator.close()
    return [entry.id for entry in entries]


class Server:
    """A running server, spoken to line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.count = 0

    def send(self, **message: Any) -> None:
        """Send a message without waiting."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request; returns what answers it, result or error. Every line until then must be JSON."""
        assert self.process.stdout
        self.count += 1
        self.send(id=self.count, method=method, params=params)
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self.count:
                return message
        raise AssertionError(f"the server ended while {method} was waited for")

    def begin(self) -> dict[str, Any]:
        """The handshake; returns what the server says of itself."""
        said: dict[str, Any] = self.ask("initialize", **HELLO)["result"]
        self.send(method="notifications/initialized")
        return said

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; returns its result."""
        result: dict[str, Any] = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        return result

    def text(self, tool: str, **arguments: Any) -> str:
        """Call a tool; returns its text."""
        (content,) = self.call(tool, **arguments)["content"]
        assert content["type"] == "text"
        text: str = content["text"]
        return text


def ran(folder: Path, *arguments: str, said: str = "", command: Sequence[str] = COMMAND, **more: str) -> Done:
    """A server that is told this and then that there is no more; what it left."""
    env = {**os.environ, "PYTHONPATH": str(TOP), **more}
    words = [*command, *arguments]
    return subprocess.run(words, cwd=folder, env=env, input=said, capture_output=True, text=True, timeout=60)


@contextmanager
def started(folder: Path, *arguments: str, **more: str) -> Iterator[Server]:
    """A server in a folder, ended with the block if it has not ended by itself."""
    env = {**os.environ, "PYTHONPATH": str(TOP), **more}
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Server(process)
        finally:
            process.kill()


def held(pid: int) -> tuple[int, int]:
    """How many descriptors and kilobytes a process holds."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("needs /proc to look into another process")
    resident = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return len(os.listdir(f"/proc/{pid}/fd")), int(resident.split()[1])
