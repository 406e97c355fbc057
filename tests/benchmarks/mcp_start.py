"""``curator mcp`` from process start to its answers, at rest and beside busy loops; what a thousand calls leave behind.

``initialize`` and ``tools/list`` are answered while the rest loads; the first search waits for it. Clients were
seen to wait 3 s for the first answer before they go on without our tools.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import made
from figures import Figure, Growth, below, curve, median, say

ROUNDS = 7
WAIT = 3.0
LESSONS = 1_000
CALLS = (100, 1_000, 10_000)
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
SEARCH = {"name": "search_lessons", "arguments": {"query": "which tool for the task"}}
MCP = ("-m", "curator", "mcp")
LISTING = ("-c", "import curator.app.mcp")
"""What is left of the time to the first answer without the command line and the database."""


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Loops that keep a core busy each; ended one by one."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.terminate()
            process.wait()


def bare() -> float:
    """Seconds of an interpreter that does nothing."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - begun


def imported() -> float:
    """Seconds until the tools are imported, in a process of its own."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, *LISTING], check=True)
    return time.perf_counter() - begun


class Client:
    """A server, spoken to line by line."""

    def __init__(self, folder: Path) -> None:
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, *MCP], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, method: str, **params: Any) -> float:
        """Ask and wait; seconds since the process was started."""
        self._put(id=1, method=method, params=params)
        assert self.process.stdout
        assert "result" in json.loads(self.process.stdout.readline())
        return time.perf_counter() - self.begun

    def initialized(self) -> None:
        """Say that the handshake is done."""
        self._put(method="notifications/initialized")

    def resident(self) -> float:
        """Megabytes that it holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def end(self) -> float:
        """Close its input; seconds until it is gone."""
        begun = time.perf_counter()
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait() == 0
        assert self.process.stdout
        self.process.stdout.close()
        return time.perf_counter() - begun

    def _put(self, **message: Any) -> None:
        stdin: IO[str] | None = self.process.stdin
        assert stdin
        stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        stdin.flush()


def started(folder: Path) -> tuple[float, ...]:
    """Seconds to the answers to ``initialize``, ``tools/list`` and a first search."""
    client = Client(folder)
    first = client.ask("initialize", **HELLO)
    client.initialized()
    found = first, client.ask("tools/list"), client.ask("tools/call", **SEARCH)
    client.end()
    return found


def seconds(values: Sequence[float]) -> str:
    """Median and worst."""
    return f"{median(values) * 1000:.0f} ms, worst {max(values) * 1000:.0f} ms"


def starts(folder: Path) -> Iterator[Figure]:
    """The table of starts: at rest, then beside two and four busy loops."""
    started(folder)  # compiles
    for loops in (0, 2, 4):
        beside = f"beside {loops} busy loops" if loops else "at rest"
        with busy(loops):
            found = [(bare(), *started(folder)) for _ in range(ROUNDS)]
        nothing, *answers = zip(*found, strict=True)
        yield Figure(f"{beside}: bare interpreter", seconds(nothing))
        for name, times in zip(("`initialize`", "`tools/list`", "a first search"), answers, strict=True):
            yield Figure(f"{beside}: {name} answered", f"{seconds(times)}; {median(times) / median(nothing):.1f} times bare")
        yield below(f"{beside}: worst wait for the tools", max(answers[1]), WAIT, "s", 2)
    yield Figure("the tools' import alone, at rest", seconds([imported() for _ in range(ROUNDS)]))


def growth(folder: Path) -> Iterator[Figure | Growth]:
    """What calls cost, and what they leave behind."""
    client = Client(folder)
    client.ask("initialize", **HELLO)
    client.initialized()
    client.ask("tools/call", **SEARCH)
    steps, held, done = {}, [], 0
    begun = time.perf_counter()
    for calls in CALLS:
        while done < calls:
            client.ask("tools/call", **SEARCH)
            done += 1
        held.append(client.resident())
        steps[f"{calls:,}"] = f"{held[-1]:.1f} MB"
    yield Figure(f"one search among {LESSONS:,} lessons, pipe to pipe", f"{(time.perf_counter() - begun) / done * 1000:.1f} ms")
    yield Growth("memory of the MCP server", "calls", steps, curve(held))
    yield Figure("gone after the end of input", f"{client.end() * 1000:.0f} ms")


def figures() -> Iterator[Figure | Growth]:
    """All of it, in a made-up project."""
    with tempfile.TemporaryDirectory() as name:
        folder, home = Path(name, "app"), Path(name, "home")
        folder.mkdir()
        os.environ["CURATOR_HOME"] = str(home)
        fill(folder, home)
        yield from starts(folder)
        yield from growth(folder)


def fill(folder: Path, home: Path) -> None:
    """A project with lessons."""
    curator = made.opened(home)
    project = curator.enter(str(folder))
    with curator.store.transaction():
        curator.store.sources.remember(project, str(folder))
    for at in range(LESSONS):
        curator.decisions.add(f"Use tool {at} for task {at % 97}", insight=f"Task {at % 97} works only with tool {at}.")
    curator.close()


if __name__ == "__main__":
    say(figures())
