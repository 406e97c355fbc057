"""``curator mcp`` from process start to its answers, at rest and beside busy loops; what a thousand calls leave behind.

``initialize`` and ``tools/list`` are answered while the rest loads; the first search waits for it. Clients were
seen to wait 3 s for the first answer before they go on without our tools.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import made
from figures import Figure, Growth, below, curve, median, say

from tests.agents.mcp_process import Server, held, started  # type: ignore[import-untyped,unused-ignore]

ROUNDS = 7
WAIT = 3.0
LESSONS = 1_000
CALLS = (100, 1_000, 10_000)
LISTING = "import curator.app.mcp"
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


def lasts(code: str = "pass") -> float:
    """Seconds of an interpreter that runs this code."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - begun


def search(server: Server) -> None:
    """Search once."""
    assert server.call("search_lessons", query="which tool for the task")["content"]


def answered(folder: Path) -> tuple[float, ...]:
    """Seconds from a process's start to the answers to ``initialize``, ``tools/list`` and a first search."""
    begun, found = time.perf_counter(), []
    with started(folder) as server:
        for ask in (server.begin, partial(server.ask, "tools/list"), partial(search, server)):
            ask()
            found.append(time.perf_counter() - begun)
    return tuple(found)


def seconds(values: Sequence[float]) -> str:
    """Median and worst."""
    return f"{median(values) * 1000:.0f} ms, worst {max(values) * 1000:.0f} ms"


def starts(folder: Path) -> Iterator[Figure]:
    """The table of starts: at rest, then beside two and four busy loops."""
    answered(folder)  # compiles
    for loops in (0, 2, 4):
        beside = f"beside {loops} busy loops" if loops else "at rest"
        with busy(loops):
            found = [(lasts(), *answered(folder)) for _ in range(ROUNDS)]
        nothing, *answers = zip(*found, strict=True)
        yield Figure(f"{beside}: bare interpreter", seconds(nothing))
        for name, times in zip(("`initialize`", "`tools/list`", "a first search"), answers, strict=True):
            yield Figure(f"{beside}: {name} answered", f"{seconds(times)}; {median(times) / median(nothing):.1f} times bare")
        yield below(f"{beside}: worst wait for the tools", max(answers[1]), WAIT, "s", 2)
    yield Figure("the tools' import alone, at rest", seconds([lasts(LISTING) for _ in range(ROUNDS)]))


def growth(folder: Path) -> Iterator[Figure | Growth]:
    """What calls cost, and what they leave behind."""
    steps, resident, done = {}, [], 0
    with started(folder) as server:
        server.begin()
        search(server)
        begun = time.perf_counter()
        for calls in CALLS:
            while done < calls:
                search(server)
                done += 1
            resident.append(held(server.process.pid)[1] / 1024)
            steps[f"{calls:,}"] = f"{resident[-1]:.1f} MB"
        each, begun = (time.perf_counter() - begun) / done, time.perf_counter()
        server.process.communicate()
        gone = time.perf_counter() - begun
    yield Figure(f"one search among {LESSONS:,} lessons, pipe to pipe", f"{each * 1000:.1f} ms")
    yield Growth("memory of the MCP server", "calls", steps, curve(resident))
    yield Figure("gone after the end of input", f"{gone * 1000:.0f} ms")


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
