"""Verdicts by the thousand, each killed at a random step: what was acknowledged stands, and files say what is stored.

    python tests/benchmarks/kills.py --kills 5000

A project with forty lessons and candidates. Each round runs a command that is ended, without warning, before one of the calls
by which it changes a file or ends a transaction. Every tenth round ``import`` and ``export`` run to their end, and must find
nothing that comes from a file; what the log says must be in the files, and no draft be left.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from curator import app
from curator.app import Curator
from curator.cli import Frontends, run
from curator.lesson_files import STATES, parse
from curator.model import Category, Change, Entry, State, Verb
from curator.settings import load
from tests.faults.kills import KILLED, killed  # type: ignore[import-untyped]

STEPS = 45
"""Steps among which the one is chosen before which a command ends; most have fewer, and come to their end."""


def prepared(folder: Path, count: int) -> None:
    """A project with candidates, every second kept."""
    curator = Curator(load())
    project = curator.enter(str(folder))
    entries = [
        Entry(
            id=f"{letter}{number:03d}-0000",
            project=project.id,
            state=State.OPEN,
            category=Category.CONVENTION,
            headline=f"Use the tool {letter}{number}",
            insight=f"Use the tool {letter}{number}.",
            created=1.0,
            updated=1.0,
            signal="rule",
            score=0.5,
        )
        for letter in "AB"
        for number in range(count // 2)
    ]
    with curator.store.transaction():
        curator.store.sources.remember(project, project.folder)
        curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries], actor="detector", at=1.0)
    outcome = curator.verdicts.accept([entry.id for entry in entries if entry.id.startswith("B")])
    app.settling.settle(curator, [entry.id for entry in outcome.entries])
    curator.close()


def command(chance: random.Random, ids: list[str], number: int) -> list[str]:
    """A verdict on some of them, or its opposite."""
    one, other = chance.sample(ids, 2)
    return chance.choice(
        [
            ["keep", one],
            ["retire", one],
            ["edit", one, "--headline", f"Use another tool {number}", "--insight", f"Use another tool {number}."],
            ["merge", one, other],
            ["add", f"Run the step {number} first"],
            ["undo"],
            ["undo"],
            ["redo"],
            ["export"],
            ["import"],
            ["reopen", one],
            ["snooze", one],
            ["supersede", one, other],
        ]
    )


def quietly(*words: str) -> int:
    """The exit code of a command of which nothing is printed."""
    with contextlib.redirect_stdout(StringIO()), contextlib.redirect_stderr(StringIO()):
        return run(list(words), Frontends(inbox=lambda *_, **__: "", smoke=lambda _: []))


def faults(folder: Path) -> list[str]:
    """What is wrong after all was brought in and written."""
    found = [f"{word} ended with {code}" for word in ("import", "export") if (code := quietly(word))]
    curator = Curator(load())
    try:
        events = curator.store.events.recent()
        found += [f"event {event.seq} on {event.id} came from a file" for event in events if event.actor == "import"]
        entries = {event.id: curator.lessons.peek(event.id) for event in events}
        stored = {id_: (one.state, one.headline, one.insight) for id_, one in entries.items() if one and one.state in STATES}
    finally:
        curator.close()
    lessons = folder / ".curator" / "lessons"
    files = {name: parse((lessons / name).read_text("utf-8"), name) for name in os.listdir(lessons) if name.endswith(".md")}
    there = {entry.id: (entry.state, entry.headline, entry.insight) for entry in files.values()}
    found += [
        f"{id_} is {stored.get(id_)} and its file {there.get(id_)}"
        for id_ in stored.keys() | there
        if stored.get(id_) != there.get(id_)
    ]
    return found + [f"{name} is left" for name in os.listdir(lessons) if not name.endswith(".md")]


def main() -> None:
    """Run the rounds and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, counts = random.Random(given.seed), Counter[str]()
    with TemporaryDirectory() as base:
        folder = Path(base) / "app"
        folder.mkdir()
        os.environ |= {"HOME": base, "CURATOR_HOME": str(Path(base) / "home")}
        os.chdir(folder)
        prepared(folder, 40)
        ids = [f"{letter}{number:03d}-0000" for letter in "AB" for number in range(20)]
        rounds = 0
        while counts["killed"] < given.kills:
            rounds += 1
            code = killed(command(chance, ids, rounds), chance.randrange(1, STEPS), folder)
            counts["killed" if code == KILLED else f"ended with {code}"] += 1
            if rounds % 10 == 0:
                for fault in faults(folder):
                    counts["wrong"] += 1
                    print(f"round {rounds}: {fault}", flush=True)
                counts["looked at"] += 1
    print(dict(counts))


if __name__ == "__main__":
    main()
