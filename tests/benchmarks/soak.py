"""An hour of work: an open inbox with keys pressed, beside transcripts that grow, hooks and commands; what keeps growing?

    python tests/benchmarks/soak.py --shared ../shared --minutes 60

This process is the inbox, on a terminal that is rendered but not there. A second one appends real transcripts line by line, as
agents do, says something new to learn now and then, runs hooks, and runs commands that write. Each minute a row is printed.
Flat is what the last quarter says of the third: the first half loads what is loaded once, and fills caches to their bounds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from figures import median
from inbox_keys import App, pressed, quiet
from live_card import correction
from textual import events
from textual.pilot import Pilot

from curator.app import Curator
from curator.model import PERSON, Verb
from curator.settings import load
from curator.tui.list_screen import ListScreen

TICK = 0.5
"""Seconds between two things that happen beside the inbox, and between two that the person does."""
PORTION = 12_000
"""Bytes that all agents together write in a tick: what the shared transcripts hold comes once in about an hour."""
SESSIONS = 6
"""So many sessions are written at the same time."""
KEYS = 12
ROOM = 1.05
"""What the last quarter may have over the third: more is growth."""
DOES: Sequence[Sequence[str]] = (
    *[("y",)] * 3,
    *[("x",)] * 5,
    *[("u",)] * 2,
    *[("j",)] * 4,
    ("U",),
    ("k",),
    ("z",),
    ("X", "1"),
    ("space", "space", "x"),
    ("e", "escape"),
    ("enter", "escape"),
    ("slash", *"test", "enter", "j", "escape"),
    ("slash", *"run the", "escape"),
    ("right_square_bracket",),
    ("left_square_bracket",),
    ("+",),
    ("g", "l", "j", "j"),
    ("g", "h", "j"),
    ("g", "s"),
    ("g", "c"),
    ("question_mark", "escape"),
    ("pagedown",),
    ("G",),
    ("home",),
)
SIZES = ((120, 40), (80, 24), (160, 45), (45, 40))
MEASURES = {
    "resident": "MB",
    "files": "open",
    "threads": "",
    "database": "MB",
    "log": "MB",
    "rows": "shown or behind the pill",
    "cpu": "ms of a key",
    "key": "ms until drawn",
}


# --- beside the inbox -------------------------------------------------------------------------------------------------


def growing(shared: Path, root: Path) -> Iterator[int]:
    """Append the lines of real transcripts to some sessions at a time, for ever; gives the bytes of each piece."""
    chance = random.Random(1)
    found = sorted(path for path in (shared / "transcripts").rglob("*.jsonl") if path.stat().st_size)
    for again in range(1_000):
        chance.shuffle(found)
        waiting = list(found)
        current: list[Iterator[int]] = []
        while waiting or current:
            while waiting and len(current) < SESSIONS:
                current.append(_replay(waiting.pop(), shared / "transcripts", root, again))
            for one in list(current):
                if (size := next(one, None)) is None:
                    current.remove(one)
                else:
                    yield size


def _replay(source: Path, top: Path, root: Path, again: int) -> Iterator[int]:
    place = root / source.relative_to(top)
    place = place.with_name(f"again-{again}-{place.name}") if again else place
    place.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as lines:
        for line in lines:
            with place.open("ab") as file:
                file.write(line)
            yield len(line)


def run(counts: Counter[str], arguments: Sequence[str], given: str = "") -> str:
    """Run a command; returns what it printed, empty where it refused, and counts how it ended."""
    done = subprocess.run(
        [sys.executable, "-m", "curator", *arguments],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    name = arguments[0]
    counts[name] += 1
    said = done.stderr.strip()
    if done.returncode not in (0, 1, 3) or "Traceback" in said or (name == "hook" and (done.returncode or said)):
        counts[f"{name} went wrong"] += 1
        print(f"{arguments}: {done.returncode} {said[-300:]}", file=sys.stderr, flush=True)
    elif done.returncode:
        counts[f"{name} refused"] += 1
    return done.stdout if done.returncode == 0 else ""


def beside(shared: Path, root: Path, folder: Path, until: float) -> None:
    """What happens on the machine while the inbox is open; prints its counts and the ids that were acknowledged."""
    counts, ids, size = Counter[str](), list[str](), growing(shared, root)
    hooks = ("UserPromptSubmit", "PreToolUse", "SessionStart", "Stop")
    for number in range(1_000_000):
        if time.time() > until:
            break
        began, left = time.monotonic(), PORTION
        while left > 0:
            left -= (part := next(size))
            counts["bytes"] += part
        if number % 4 == 0:
            place = root / "projects" / "-made-up" / f"live-{number}.jsonl"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(correction(number), encoding="utf-8")
            counts["corrections"] += 1
        if number % 6 == 1:
            event = hooks[number // 6 % len(hooks)]
            payload = {"session_id": f"s{number // 50}", "cwd": str(folder), "prompt": f"run the step {number} of the tests"}
            payload |= {"transcript_path": str(place), "tool_name": "Edit"}
            run(counts, ["hook", "claude-code", event], json.dumps(payload | {"tool_input": {"file_path": "src/a.py"}}))
        if number % 30 == 2:
            out = run(counts, ["add", "--json", f"Run the step {number} before each release"])
            ids += [json.loads(out)["id"]] if out else []
        if number % 30 == 17 and ids:
            one = ids[number % len(ids)]
            words: tuple[list[str], ...] = (
                ["edit", one, "--headline", f"Run another step {number}"],
                ["search", "step", "release"],
                ["status"],
            )
            run(counts, (*words, ["list"], ["import"], ["retire", one], ["undo"])[number // 30 % 7])
        time.sleep(max(0.0, TICK - (time.monotonic() - began)))
    print(json.dumps({"counts": counts, "ids": ids}))


# --- the inbox --------------------------------------------------------------------------------------------------------


class Watched(App):
    """The inbox, which writes down what it says went wrong."""

    def say(self, error: BaseException) -> None:
        print(f"said: {error!r}", file=sys.__stdout__, flush=True)
        super().say(error)


def size_of(path: Path) -> float:
    """Megabytes of a file; 0 where there is none."""
    return path.stat().st_size / 1e6 if path.exists() else 0.0


async def delay(app: Watched, key: str) -> float:
    """Milliseconds from a key until the last of what it draws is written."""
    driver: Any = app._driver
    began = time.monotonic()
    app.post_message(events.Key(key, None))
    await quiet(app)
    return float(driver.written - began) * 1000


async def measured(app: Watched, pilot: Pilot[Any]) -> dict[str, float]:
    """One row: the state of this process, of its files, and what a key costs."""
    await pilot.resize_terminal(*SIZES[0])
    while not isinstance(app.screen, ListScreen) or app.screen.listing.name != "inbox":
        await pilot.press("escape", "escape", "g", "i")
    await quiet(app)
    spent = [await pressed(app, key) for key in "jk" * (KEYS // 2)]
    waited = [await delay(app, key) for key in "jk" * (KEYS // 2)]
    path = app.curator.settings.database
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "resident": int(status["VmRSS"].split()[0]) / 1024,
        "files": len(os.listdir("/proc/self/fd")),
        "threads": int(status["Threads"]),
        "database": size_of(path),
        "log": size_of(path.with_name(f"{path.name}-wal")),
        "rows": len(app.screen.list.rows) + len(app.screen.list.rows.pending),
        "cpu": median(spent),
        "key": median(waited),
    }


async def work(curator: Curator, root: Path, going: Callable[[], bool], every: float) -> list[dict[str, float]]:
    """Press keys as long as it goes on; a row each ``every`` seconds."""
    chance, rows = random.Random(2), list[dict[str, float]]()
    app = Watched(curator, roots=[root])
    async with app.run_test(size=SIZES[0]) as pilot:
        due = time.time() + every
        while going():
            await pilot.press(*chance.choice(DOES))
            if chance.random() < 0.3:
                await pilot.press("escape", "escape", "g", "i")
            if chance.random() < 0.02:
                await pilot.resize_terminal(*chance.choice(SIZES))
            await asyncio.sleep(TICK)
            if time.time() >= due:
                due += every
                rows.append(await measured(app, pilot))
                row = " ".join(f"{name} {value:.1f}" for name, value in rows[-1].items())
                print(len(rows), row, file=sys.__stdout__, flush=True)  # the application keeps the other for itself
        app.exit()
    return rows


def judged(rows: Sequence[dict[str, float]]) -> bool:
    """Print each measure in the third and the last quarter; whether what must be flat is."""
    quarter = max(1, len(rows) // 4)
    flat = True
    for name, unit in MEASURES.items():
        third, last = (median([row[name] for row in part]) for part in (rows[2 * quarter : 3 * quarter], rows[-quarter:]))
        grows = last > third * ROOM + (1 if unit in ("open", "") else 0) and name in ("resident", "files", "threads", "log")
        flat = flat and not grows
        print(f"| {name} | {unit} | {third:.1f} | {last:.1f} | {'GROWS' if grows else ''} |")
    return flat


def main() -> int:
    """Run the hour; 1 where something grew, went wrong or was lost."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=60, help="seconds between two rows")
    parser.add_argument("--beside", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    shared = given.shared.resolve()
    if given.beside:
        beside(shared, Path(given.beside[0]), Path(given.beside[1]), float(given.beside[2]))
        return 0
    with tempfile.TemporaryDirectory() as base:
        folder, root, home = (Path(base, name) for name in ("app", "agents", "home"))
        for one in (folder, root, home):
            one.mkdir()
        os.environ |= {"HOME": base, "CURATOR_HOME": str(home), "CURATOR_SINCE_DAYS": "10000"}
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), os.getcwd())))
        script, before = Path(__file__).resolve(), os.getcwd()
        os.chdir(folder)
        curator = Curator(load())
        until = time.time() + given.minutes * 60
        words = [sys.executable, str(script), "--shared", str(shared), "--beside", str(root), str(folder), str(until)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as other:
            rows = asyncio.run(work(curator, root, lambda: time.time() < until, given.every))
            out, _ = other.communicate()
        curator.close()
        told = json.loads(out)
        with closing(Curator(load())) as again:
            events = again.store.events.recent()
            added = Counter(event.id for event in events if event.verb is Verb.ADD)
            missing = [id_ for id_ in told["ids"] if added[id_] != 1]
            health = again.store.connection.execute("PRAGMA integrity_check").fetchone()[0]
            verdicts = sum(event.actor == PERSON for event in events)
        os.chdir(before)
    print(
        f"beside: {told['counts']}; acknowledged {len(told['ids'])}, missing {len(missing)}; "
        f"verdicts in the log {verdicts}; database: {health}"
    )
    return int(not judged(rows) or bool(missing) or health != "ok" or any("wrong" in name for name in told["counts"]))


if __name__ == "__main__":
    sys.exit(main())
