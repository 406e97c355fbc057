"""The audit of agents' memories: CPU and time of ``curator memories`` on a made-up home of 1,000 files with 10,000 notes.
The start of the inbox in this home, over one in a home without notes, by CPU and by time.

Forty projects share one repository each with a history of removed files. Half of the notes name a path, a tenth one that is
gone; some contradict or repeat another one.
"""

from __future__ import annotations

import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import made
from figures import Figure, below, median, say
from terminal import INBOX, running

PROJECTS, FILES, FACTS = 40, 24, 226
LIMIT = 3.0
ROUNDS = 9


def text(n: int) -> str:
    """One fact: a sentence or two, in other words each time."""
    pick = random.Random(n)
    verb, thing, place, reason = (pick.choice(words) for words in (made.VERBS, made.THINGS, made.PLACES, made.REASONS))
    word = f"{thing.split()[-1]}{n % (FACTS + FILES)}"
    start = "Never" if n % 5 == 0 else "Always"
    named = f" See `src/{'past' if n % 20 == 0 else 'new'}/{word}.py`." if n % 2 == 0 else ""
    tool = f" Use {pick.choice(('npm', 'pnpm'))} for it." if n % 200 == 1 else ""
    return f"{start} {verb} `{word}` of {thing} {place}, since {reason}.{named}{tool}"


def git(folder: Path, *words: str) -> None:
    """Run git in a folder."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


def make(home: Path, number: int) -> Path:
    """Make one project and the notes on it; return its folder."""
    folder = home / "srv" / f"app{number}"
    base = number * (FACTS + FILES)
    for path in (folder / name for n in range(FACTS + FILES) for name in re.findall(r"src/[\w/]+\.py", text(base + n))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    git(home, "init", "-q", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "rm", "-qr", "src/past")
    git(folder, "commit", "-qm", "second")
    memory = home / ".claude" / "projects" / str(folder).replace("/", "-").replace(".", "-").replace("_", "-") / "memory"
    memory.mkdir(parents=True)
    facts = "".join(f"- {text(base + n)}\n" for n in range(FACTS))
    (memory / "MEMORY.md").write_text(f"# Notes\n\n{facts}")
    for n in range(FILES):
        body = f"{text(base + FACTS + n)}\n\n**Why:** it failed twice.\n\n**How to apply:** in every change of the module.\n"
        (memory / f"note{n}.md").write_text(f"---\nname: note {n}\ndescription: about {n}\ntype: feedback\n---\n\n{body}")
    return folder


def starts(home: Path) -> tuple[float, float]:
    """Return the start of the inbox with the notes of a home over one without, in CPU and in time, in the median round.

    The first round, which compiles, is left out.
    """
    spent, took = [], []
    with tempfile.TemporaryDirectory() as bare:
        for place in (Path(bare), home):
            made.filled(place, 100)
        for _ in range(ROUNDS + 1):
            seconds = []
            for place in (Path(bare), home):
                with running(place, *INBOX) as app:
                    seconds.append(app.until("inbox 1/"))
                spent.append(app.spent)
            took.append(seconds[1] / seconds[0])
    ratios = [mine / bare for bare, mine in zip(spent[::2], spent[1::2], strict=True)]
    return median(ratios[1:]), median(took[1:])


def figures() -> Iterator[Figure]:
    """Audit the home in a fresh process. A run before it compiles the modules, as an installation does."""
    with tempfile.TemporaryDirectory() as base:
        home = Path(os.path.realpath(base))
        first, *_ = [make(home, number) for number in range(PROJECTS)]
        env = {**os.environ, "HOME": str(home), "CURATOR_HOME": str(home / "curator")}
        env = {**env, "PYTHONPYCACHEPREFIX": str(home / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
        subprocess.run([sys.executable, "-m", "curator", "memories", "--no-home"], cwd=first, env=env, capture_output=True)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        command = [sys.executable, "-m", "curator", "memories"]
        done = subprocess.run(command, cwd=first, env=env, capture_output=True, text=True, check=True)
        took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        spent_ratio, took_ratio = starts(home)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    yield below(f"audit of {done.stdout.partition(';')[0]} in {PROJECTS * (FILES + 1):,} files, CPU", spent, LIMIT, "s")
    yield Figure("the same, time", f"{took:.1f} s")
    yield below("start → first paint with these notes over none, CPU", spent_ratio, 1.1, "times", 2)
    yield below("start → first paint with these notes over none, time", took_ratio, 1.1, "times", 2)


if __name__ == "__main__":
    say(figures())
