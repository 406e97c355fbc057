"""Append → card: wall time from a line written to a transcript until the row is stored and the inbox has taken it in."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import made
from figures import Figure, below, median, say

from curator.app import scan
from curator.tui.app import CuratorApp
from curator.tui.list_screen import ListScreen

APPENDS = 30
PAUSE = 0.7
"""Seconds between two appends, so that each is a first event and no burst."""
LIMIT = 300.0


def correction(n: int) -> str:
    """A line with a correction that was not said before."""
    verb, thing = made.VERBS[n % len(made.VERBS)], made.THINGS[n * 5 % len(made.THINGS)]
    said = f"No, stop. Always {verb} {thing} {made.PLACES[n % len(made.PLACES)]} from now on, because rule {n} says so."
    record = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/made-up/app",
        "sessionId": f"live-{n}",
        "type": "user",
        "message": {"role": "user", "content": said},
        "uuid": f"{n:08x}-live-0000-0000-000000000000",
        "timestamp": "2026-02-01T10:00:00.000Z",
    }
    return json.dumps(record, separators=(",", ":")) + "\n"


def rows(app: CuratorApp) -> int:
    """How many rows the inbox knows of, shown or behind the pill."""
    assert isinstance(app.screen, ListScreen)
    return len(app.screen.list.rows) + len(app.screen.list.rows.pending)


async def arrivals(home: Path, root: Path) -> list[float]:
    """Milliseconds of each append that became a card."""
    app = CuratorApp(made.opened(home, None, export=False, since_days=10_000), roots=[root])
    found = []
    async with app.run_test(size=(120, 40)):
        await asyncio.sleep(3)  # what there is has been read, and is watched
        for n in range(APPENDS):
            before, path = rows(app), root / "projects" / "-made-up-0" / f"live-{n}.jsonl"
            started = time.monotonic()
            with path.open("a", encoding="utf-8") as file:
                file.write(correction(n))
            while rows(app) == before and time.monotonic() - started < 3:
                await asyncio.sleep(0.002)
            if rows(app) > before:
                found.append((time.monotonic() - started) * 1000)
            await asyncio.sleep(PAUSE)
        app.exit()
    app.curator.close()
    return found


def figures() -> Iterator[Figure]:
    """Each append goes to a session of its own, so that the cap of a session holds none back."""
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "agents"), Path(folder, "home")
        made.tree(root, 5, "/made-up/app", turns=20)
        for n in range(APPENDS):
            start = list(made.session(1000 + n, "/made-up/app", turns=2))
            text = made.lines(record | {"sessionId": f"live-{n}"} for record in start)
            root.joinpath("projects", "-made-up-0", f"live-{n}.jsonl").write_text(text, encoding="utf-8")
        curator = made.opened(home, None)
        scan.scan(curator, roots=[root])
        curator.close()
        found = sorted(asyncio.run(arrivals(home, root)))
    yield Figure("appended corrections that became cards", f"{len(found)} of {APPENDS}")
    if found:
        yield Figure("append → card, median", f"{median(found):.0f} ms")
        yield below("append → card, p95", found[max(0, round(len(found) * 0.95) - 1)], LIMIT, "ms", 0)


if __name__ == "__main__":
    say(figures())
