"""Replay: CPU of 1,000 past sessions with their control, by how many lessons there are."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import made
import related
from figures import Figure, Growth, below, child, say

from curator.app.figures.replay import KnownLesson, Transcripts, replay_sessions
from curator.app.sessions.scan import infrequent_gc
from curator.model import State
from curator.replay import signs

SESSIONS = 1_000
TURNS = 30
"""Turns of a made-up session: a quarter of a megabyte, as real ones are in the mean."""
SIZES = (100, 1_000, 10_000)
KEPT = 1_764_547_200.0
"""1 December 2025: a month before the made-up sessions."""
FOLDER = "/repo"
PROJECT = made.PROJECT._replace(folder=FOLDER)


def lessons(count: int) -> list[KnownLesson]:
    """So many lessons, a tenth of them about what the sessions are about, and as many of another project."""
    own = [related.lesson(n)._replace(created=KEPT) if n % 10 else made.entry(n, KEPT, State.ACTIVE) for n in range(count)]
    others = [related.lesson(count + n)._replace(id=f"O{n}", project="other", fingerprint=f"other-{n}") for n in range(count)]
    return [KnownLesson(entry, KEPT, entry.session) for entry in (*own, *others)]


def measure(root: Path, count: int) -> None:
    """Print the CPU seconds of a replay of all sessions below a folder, and how often something came up again."""
    known = lessons(count)
    with tempfile.TemporaryDirectory() as home:
        curator = made.opened(Path(home), PROJECT)
        curator.store.sources.remember(PROJECT, FOLDER)
        begun = time.process_time()
        entries = [one.entry for one in known]
        with infrequent_gc():
            run = Transcripts(curator, entries[:count], signs(entries).values(), PROJECT.id)
            read = list(run.read([root], lambda step: None))
            report = replay_sessions(known[:count], read, known)
        print(time.process_time() - begun, report.sessions, len(report.cases), sum(map(len, report.sendings)))
        curator.close()


def figures() -> Iterator[Figure | Growth]:
    """Each size in a process of its own."""
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        megabytes = made.tree(Path(folder), SESSIONS, FOLDER, TURNS) / 1e6
        for size in SIZES:
            seconds, sessions, cases, sent = child(__file__, "measure", folder, str(size)).split()
            spent.append(float(seconds))
            print(f"{size}: {seconds} {sessions} {cases} {sent}", file=sys.stderr)
    yield below(f"replay of {SESSIONS:,} sessions ({megabytes:.0f} MB), 1,000 lessons, with its control", spent[1], 60, "s CPU")
    yield below("10,000 lessons over 100", spent[-1] / spent[0], 2, "times", 2)
    steps = {f"{size:,}": f"{value:.1f} s" for size, value in zip(SIZES, spent, strict=True)}
    yield Growth("CPU of a replay", "lessons", steps, f"{spent[-1] / spent[0]:.1f} times over all steps")


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        say(figures())
