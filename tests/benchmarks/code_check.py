"""The code under lessons: a check when nothing changed, the symbols of a project, and what a change of one file costs."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import made
from figures import Figure, Growth, below, child, cpu, curve, median, say

from curator import app, code
from curator.app import anchoring
from curator.model import Change, Project, State, Verb
from curator.settings import Settings

LESSONS = (10, 100, 1_000)
FILES = (100, 1_000, 10_000)
ROUNDS = 5
START = """
import os, sys, time
os.environ["CURATOR_HOME"] = sys.argv[1]
os.chdir(sys.argv[2])
sys.argv = ["curator", *sys.argv[3:]]
from curator.__main__ import main
code = main()
spent = os.times()
print(code, spent.user + spent.system + spent.children_user + spent.children_system)
"""
FILE = '''"""What is numbered {n}."""

from __future__ import annotations

import logging

LIMIT_{n} = {n}


class Pool{n}:
    """Connections of kind {n}."""

    size: int = LIMIT_{n}

    def __init__(self, host: str, port: int = {n}) -> None:
        self.host, self.port = host, port
        self.open: list[str] = []

    def close(self, grace: float) -> int:
        """Close them, one by one."""
        for connection in self.open:
            connection.drain(grace)
            logging.info("drained %s of %s", connection, self.host)
        self.open.clear()
        return len(self.open)

    @property
    def busy(self) -> bool:
        return len(self.open) >= self.size


def connect_{n}(host: str, *, retries: int = 3) -> Pool{n}:
    # Each attempt waits a little longer than the one before.
    for attempt in range(retries):
        if answer := lookup(host, timeout=attempt * {n}):
            return Pool{n}(answer.host, answer.port)
    raise LookupError(host)
'''


def git(folder: Path, *words: str) -> None:
    """One git command, as nobody in particular."""
    who = {f"GIT_{role}_{what}": "bench" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, env={**os.environ, **who})


def code_base(folder: Path, files: int) -> list[str]:
    """A committed repository of so many source files of about forty lines; returns their paths."""
    paths = [f"app/part{n // 50:03}/file{n:05}.py" for n in range(files)]
    for n, path in enumerate(paths):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(FILE.format(n=n), encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return paths


def lessons(home: Path, folder: Path, paths: list[str], count: int) -> None:
    """A store with so many lessons, each on a method of a file of its own, and their files in the project."""
    taken = code.make_anchors(folder, paths[:count], ["close"])
    curator = made.opened(home, None)
    project = curator.enter(str(folder))
    at = time.time()
    with curator.store.transaction():
        for n, anchor in enumerate(taken):
            entry = made.entry(n, at, State.ACTIVE)._replace(project=project.id, files=(anchor.path,), anchors=(anchor,))
            curator.store.apply([(Verb.KEEP, Change(before=None, after=entry))], actor="person", at=at, batch=f"made-{n}")
    app.settling.export(curator)
    curator.close()


def checked(home: Path, folder: Path, *words: str) -> float:
    """CPU seconds of a fresh process that checks and finds nothing; the best of some."""
    found = []
    for _ in range(ROUNDS):
        out = child("-c", START, str(home), str(folder), "check", *words)
        code, seconds = out.split()[-2:]
        if code != "0":
            raise SystemExit(f"check {words} ended with {code}")
        found.append(float(seconds))
    return min(found)


def checks() -> Iterator[Figure | Growth]:
    """A check of lessons on code that did not change."""
    ways: dict[str, tuple[str, ...]] = {"database": (), "--from-files": ("--from-files",)}
    found: dict[str, list[float]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "app")
        folder.mkdir()
        paths = code_base(folder, LESSONS[-1])
        for count in LESSONS:
            home = Path(place, f"home{count}")
            lessons(home, folder, paths, count)
            for way, words in ways.items():
                found[way].append(checked(home, folder, *words))
    for way, seconds in found.items():
        yield below(
            f"check, nothing changed, {LESSONS[-1]:,} lessons on {LESSONS[-1]:,} files, {way}", seconds[-1], 0.5, "s CPU", 2
        )
        steps = {f"{count:,}": f"{value:.2f} s" for count, value in zip(LESSONS, seconds, strict=True)}
        yield Growth(f"CPU of a check, {way}, start included", "lessons", steps, curve(seconds))


def indexed(count: int) -> tuple[float, float]:
    """CPU seconds of a first index, and after one file changed."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "app")
        folder.mkdir()
        paths = code_base(folder, count)
        settings = Settings(home=Path(place, "home"))
        project = Project(id="bench", name="bench", folder=str(folder))
        first = cpu(lambda: anchoring.update(settings, project))
        looked = []
        for n in range(ROUNDS):
            (folder / paths[n]).write_text(FILE.format(n=n + count), encoding="utf-8")
            looked.append(cpu(lambda: anchoring.update(settings, project)))
    return first, median(looked)


def indexes() -> Iterator[Figure | Growth]:
    """The symbols of a project."""
    first, looked = zip(*map(indexed, FILES), strict=True)
    size = f"{FILES[-1]:,} files"
    yield below(f"first index of {size}", first[-1], 60, "s CPU")
    yield below(f"one file of {size} changed, found by looking", looked[-1] * 1000, 100, "ms CPU")
    for what, seconds in {"a first index": first, "an update after one change": looked}.items():
        steps = {f"{count:,}": f"{value * 1000:,.0f} ms" for count, value in zip(FILES, seconds, strict=True)}
        yield Growth(f"CPU of {what}", "files", steps, curve(seconds))


if __name__ == "__main__":
    say(checks())
    say(indexes())
