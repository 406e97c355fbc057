"""Start → first paint: a fresh process on a real terminal, over a minimal Textual app.

It waits for nothing, so that its CPU is its time on a machine at rest, and stays what it is on a busy one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import made
from figures import Figure, Growth, below, curve, median, say
from terminal import INBOX, MINIMAL, running

SIZES = (100, 10_000, 100_000)
ROUNDS = 9


def figures() -> Iterator[Figure | Growth]:
    """Rounds in turn, so that a busy moment meets all of them; the first, which compiles, is left out."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {size: Path(folder, str(size)) for size in SIZES}
        for size, home in homes.items():
            curator = made.opened(home)
            made.fill(curator, size)
            curator.close()
        minimal: list[tuple[float, float]] = []
        ours: dict[int, list[tuple[float, float]]] = {size: [] for size in SIZES}
        for _ in range(ROUNDS + 1):
            with running(homes[SIZES[0]], "-c", MINIMAL) as app:
                seconds = app.until("minimal app")
            minimal.append((app.spent, seconds))
            for size, home in homes.items():
                with running(home, *INBOX) as app:
                    seconds = app.until("inbox 1/")
                ours[size].append((app.spent, seconds))
    bare = medians(minimal[1:])
    found = [medians(ours[size][1:]) for size in SIZES]
    yield Figure("minimal Textual app → first paint", f"{bare[0] * 1000:.0f} ms CPU, {bare[1] * 1000:.0f} ms")
    yield Figure("inbox → first paint", f"{found[-1][0] * 1000:.0f} ms CPU, {found[-1][1] * 1000:.0f} ms")
    ratio = found[-1][0] / bare[0]
    yield below(f"CPU of start → first paint over a minimal Textual app; {SIZES[-1]:,} rows waiting", ratio, 1.5, "times", 2)
    steps = {f"{size:,}": f"{spent * 1000:.0f} ms" for size, (spent, _) in zip(SIZES, found, strict=True)}
    yield Growth("CPU of start → first paint", "rows waiting", steps, curve([spent for spent, _ in found]))


def medians(rounds: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The CPU seconds, and those on the clock, of the round in the middle, each by itself."""
    spent, seconds = zip(*rounds, strict=True)
    return median(spent), median(seconds)


if __name__ == "__main__":
    say(figures())
