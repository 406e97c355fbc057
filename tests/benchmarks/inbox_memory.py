"""Memory of the inbox with everything loaded, over a minimal Textual app."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import made
from figures import Figure, Growth, below, curve, say
from live_card import correction
from terminal import INBOX, MINIMAL, running

from curator.app import scan

SIZES = (100, 10_000, 100_000)
SETTLED = 1.5
"""Seconds after which what was needed to load the rows is given back."""


def figures() -> Iterator[Figure | Growth]:
    """Memory hardly varies: one process for each size, after one that is not measured."""
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for _ in range(2):  # the first compiles, which takes memory of its own
            with running(Path(folder, "bare"), "-c", MINIMAL) as app:
                app.until("minimal app")
                time.sleep(SETTLED)
                bare = app.resident()
        for size in SIZES:
            home = Path(folder, str(size))
            made.filled(home, size)
            with running(home, *INBOX) as app:
                app.until("inbox 1/")
                painted = app.resident()
            for _ in range(2):
                with running(home, *INBOX) as app:
                    app.until(f"inbox 1/{size:,}")
                    time.sleep(SETTLED)
                    resident = app.resident()
            found.append(resident)
        reading = while_reading(home)
    yield Figure("minimal Textual app, resident", f"{bare:.0f} MiB")
    yield Figure(f"inbox, {SIZES[-1]:,} rows waiting, resident", f"{found[-1]:.0f} MiB")
    yield Figure("of that at the first paint, before it reads, counts, watches and colours", f"{painted:.0f} MiB")
    yield below(f"memory over a minimal Textual app; {SIZES[-1]:,} rows waiting", found[-1] / bare, 1.5, "times", 2)
    yield Figure("the same after a line of a transcript became a card beside it", f"{reading:.0f} MiB")
    steps = {f"{size:,}": f"{value:.0f} MiB" for size, value in zip(SIZES, found, strict=True)}
    yield Growth("memory of the inbox", "rows waiting", steps, curve(found))


def while_reading(home: Path) -> float:
    """MiB of the inbox after it has read a line that an agent wrote: detection is loaded by then."""
    folder = home / ".claude" / "projects" / "-made-up-app"
    folder.mkdir(parents=True)
    curator = made.opened(home, None, export=False, since_days=10_000)
    (folder / "live-1.jsonl").write_text(correction(1))
    scan.scan(curator, roots=[home / ".claude"])
    curator.close()
    with running(home, *INBOX) as app:
        app.until("shows 1 more")
        time.sleep(SETTLED)
        (folder / "live-2.jsonl").write_text(correction(2))
        app.until("shows 2 more")
        time.sleep(SETTLED)
        return app.resident()


if __name__ == "__main__":
    say(figures())
