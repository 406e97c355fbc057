"""Hooks: CPU of a fresh process over ``python -c pass``, bytecode compiled; how it grows; fifty at once beside a writer."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import made
import related
from figures import Figure, Growth, curve, say

from curator.app import Curator
from curator.model import Change, Verb
from tests.hooks.project import HOLDER, WRITER, process_beside  # type: ignore[import-untyped,unused-ignore]

ROUNDS = 60
AT_ONCE = 50
SIZES = (100, 500, 1_000, 10_000)
TARGETS = {500: 3.0, 10_000: 5.0}
PLACED = "src/place_{}.py"
WAITING = """
import os, resource, sys
def slept():
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
def leave(code, really=os._exit):
    os.write(1, f"{slept() - before:6}".encode())
    really(code)
before, os._exit = slept(), leave
from curator import hooks
hooks.main(sys.argv[1:])
"""
"""A hook that prints behind its answer how often it slept, for a lock or a file; clocks say nothing where many share a core."""
SLEEPS = 12
"""Who waits 250 ms for SQLite's lock, or for one of ours, has slept as often: 1, 2, 5, 10, 15, 20, 25, 25, 25, 50 and 50 ms."""


def fill(curator: Curator, folder: Path, count: int) -> None:
    """Store so many lessons, each third of which holds for a file of its own."""
    with curator.store.transaction():
        curator.store.sources.remember(made.PROJECT._replace(folder=str(folder)), str(folder))
        for n in range(count):
            lesson = related.lesson(n)
            lesson = lesson._replace(files=(PLACED.format(n),)) if n % 3 == 0 else lesson
            curator.store.apply([(Verb.ADD, Change(before=None, after=lesson))], actor="detector", at=0.0)


def spawn(arguments: list[str], payload: Mapping[str, Any]) -> tuple[int, int]:
    """Start Python with a payload on its standard input; returns its process id, and where its answer can be read."""
    (out, give), (take, answer) = os.pipe(), os.pipe()
    os.write(give, json.dumps(payload).encode())
    os.close(give)
    actions = [(os.POSIX_SPAWN_DUP2, out, 0), (os.POSIX_SPAWN_DUP2, answer, 1)]
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    pid = os.posix_spawn(sys.executable, [sys.executable, *arguments], env, file_actions=actions)
    os.close(out)
    os.close(answer)
    return pid, take


def cost(arguments: list[str], payload: Mapping[str, Any], *, speaks: bool | None = None) -> float:
    """Milliseconds of CPU of one process. Stops where it does not speak, or speaks, against what is expected."""
    pid, take = spawn(arguments, payload)
    _, status, usage = os.wait4(pid, 0)
    said = os.read(take, 1 << 16)
    os.close(take)
    if status or speaks not in (None, bool(said)):
        raise SystemExit(f"{arguments} ended with {status} and said {said!r}")
    return 1_000 * (usage.ru_utime + usage.ru_stime)


def hook(event: str) -> list[str]:
    """The arguments of Python for one of Claude Code's events."""
    return ["-m", "curator", "hook", "claude-code", event]


def ratio(event: str, payload: Mapping[str, Any], *, speaks: bool | None) -> float:
    """Cost of a hook over that of an empty process, side by side, each in a session of its own."""
    bare, ours = [], []
    for at in range(ROUNDS):
        bare.append(cost(["-c", "pass"], payload))
        ours.append(cost(hook(event), {**payload, "session_id": f"{event}-{at}-{time.time_ns()}"}, speaks=speaks))
    return statistics.median(ours) / statistics.median(bare)


def crowd(home: Path, payload: Mapping[str, Any]) -> Iterator[Figure]:
    """Fifty hooks at once, while somebody writes without a pause; and one, while somebody has the database for itself."""
    arguments = ["-c", WAITING, "claude-code", "UserPromptSubmit"]
    for who, script, count in (("a writer", WRITER, AT_ONCE), ("one who lets nobody read", HOLDER, 1)):
        with process_beside(script, home / "curator.db"):
            begun = time.monotonic()
            running = dict(spawn(arguments, {**payload, "session_id": f"{who}-{at}"}) for at in range(count))
            ends = [(os.wait4(pid, 0)[1], os.read(take, 1 << 16)) for pid, take in running.items()]
            took = time.monotonic() - begun
        for take in running.values():
            os.close(take)
        failed, spoke = sum(status != 0 for status, _ in ends), sum(b"{" in said for _, said in ends)
        slept = max(int(said[-6:]) for _, said in ends)
        beside = f"{count} hooks at once beside {who}" if count > 1 else f"a hook beside {who}"
        yield Figure(f"{beside}: failed", str(failed), "0", failed == 0)
        yield Figure(f"{beside}: sleeps of one, at most", str(slept), f"< {SLEEPS}, which are 250 ms", slept < SLEEPS)
        yield Figure(f"{beside}: all done", f"{took:.2f} s, {spoke} answered in time")


def measured() -> Iterator[Figure | Growth]:
    """Every figure."""
    found: dict[str, float] = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            home, project = Path(folder, "home"), Path(folder, "project")
            project.mkdir()
            os.environ["CURATOR_HOME"] = str(home)
            curator = made.opened(home)
            fill(curator, project, size)
            curator.close()
            asked = {"cwd": str(project), "prompt": f"please {related.lesson(7).insight}"}
            told = ratio("UserPromptSubmit", asked, speaks=True)
            found[f"{size:,}"] = told
            if limit := TARGETS.get(size):
                yield Figure(f"A prompt, {size:,} lessons", f"{told:.2f} times bare", f"≤ {limit:g} times", told <= limit)
            touch = {"cwd": str(project), "tool_name": "Edit", "tool_input": {"file_path": "docs/elsewhere.txt"}}
            silent = ratio("PostToolUse", touch, speaks=False)
            if size in TARGETS:
                yield Figure(
                    f"A file without lessons, {size:,} elsewhere", f"{silent:.2f} times bare", "≤ 2.2 times", silent <= 2.2
                )
            if size == SIZES[-1]:
                yield from crowd(home, asked)
    yield Growth(
        "A prompt, answered: CPU over bare", "lessons", {k: f"{v:.2f}" for k, v in found.items()}, curve([*found.values()])
    )


if __name__ == "__main__":
    say(measured())
