"""Many processes that write at once: several that add lessons, beside an open inbox with keys pressed, and hooks.

    python tests/benchmarks/writers.py --writers 8 --adds 200 --hooks 50

This process is the inbox; every ``curator add`` and every hook is a process of its own. Asked: each id that was acknowledged
stands once in the log, nothing was refused, and SQLite finds the database whole.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from live_card import correction
from soak import run, work

from curator.app import Curator
from curator.model import PERSON, Verb
from curator.settings import load

EVENTS = ("UserPromptSubmit", "PreToolUse", "SessionStart", "Stop")
PAUSE = 0.2
"""Seconds between two looks whether it is time for the next hook."""


def writer(name: int, adds: int, ids: list[str]) -> Counter[str]:
    """Add so many lessons, one command after the other; the ids that are acknowledged come into ``ids``."""
    counts = Counter[str]()
    for number in range(adds):
        out = run(counts, ["add", "--json", f"Run the step {number} of writer {name} before each release"])
        ids += [json.loads(out)["id"]] if out else []
        counts["acknowledged"] += bool(out)
    return counts


def hooks(count: int, adds: int, root: Path, folder: Path, ids: list[str]) -> Counter[str]:
    """Run so many hooks, spread over the adds, each with something new to learn in a transcript."""
    counts = Counter[str]()
    ends = time.monotonic() + 3_600
    for number in range(count):
        while len(ids) < number * adds // count and time.monotonic() < ends:
            time.sleep(PAUSE)
        place = root / "projects" / "-made-up" / f"live-{number}.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(correction(number), encoding="utf-8")
        payload = {"session_id": f"s{number}", "cwd": str(folder), "prompt": "run the step before a release"}
        payload |= {"transcript_path": str(place), "tool_name": "Edit"}
        run(counts, ["hook", "claude-code", EVENTS[number % len(EVENTS)]], json.dumps(payload))
    return counts


def main() -> int:
    """Write and look what is there; 1 where something was refused, went wrong, is missing or double."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--adds", type=int, default=200)
    parser.add_argument("--hooks", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        folder, root, home = (Path(base, name) for name in ("app", "agents", "home"))
        for one in (folder, root, home):
            one.mkdir()
        os.environ |= {"HOME": base, "CURATOR_HOME": str(home), "CURATOR_SINCE_DAYS": "10000"}
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), os.getcwd())))
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        before, began = os.getcwd(), time.monotonic()
        os.chdir(folder)
        ids: list[str] = []
        adds = given.writers * given.adds
        curator = Curator(load())
        with ThreadPoolExecutor(given.writers + 1) as pool:
            jobs = [pool.submit(writer, name, given.adds, ids) for name in range(given.writers)]
            jobs.append(pool.submit(hooks, given.hooks, adds, root, folder, ids))
            rows = asyncio.run(work(curator, root, lambda: not all(job.done() for job in jobs), 60))
            counts = sum((job.result() for job in jobs), Counter[str]())
        taken = time.monotonic() - began
        curator.close()
        with closing(Curator(load())) as again:
            events = again.store.events.recent()
            added = Counter(event.id for event in events if event.verb is Verb.ADD)
            health = again.store.connection.execute("PRAGMA integrity_check").fetchone()[0]
            verdicts = sum(event.actor == PERSON and event.verb is not Verb.ADD for event in events)
        os.chdir(before)
    wrong = [id_ for id_ in ids if added[id_] != 1]
    print(
        f"{given.writers} x {given.adds} in {taken:.0f} s: {dict(counts)}; {len(set(ids))} ids, {len(wrong)} not once "
        f"in the log, {sum(added.values())} added there; other verdicts {verdicts}; rows {len(rows)}; database: {health}"
    )
    refused = any(name.endswith(("refused", "wrong")) for name in counts)
    return int(refused or bool(wrong) or len(set(ids)) != adds or sum(added.values()) != adds or health != "ok")


if __name__ == "__main__":
    sys.exit(main())
