"""Start → first paint: a fresh process on a real terminal, over a minimal Textual app.

It waits for nothing, so that its CPU is its time on a machine at rest, and stays what it is on a busy one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import made
from figures import Figure, Growth, below, curve, median, say
from terminal import INBOX, MINIMAL, running

SIZES = (100, 10_000, 100_000)
ROUNDS = 21


def figures() -> Iterator[Figure | Growth]:
    """Rounds in turn, so that a busy moment meets all of them; the first, which compiles, is left out.

    The ratio is that of the median round: on a shared machine the same start takes half as much again within a minute.
    """
    with tempfile.TemporaryDirectory() as folder:
        homes = {size: Path(folder, str(size)) for size in SIZES}
        for size, home in homes.items():
            made.filled(home, size)
        minimal: list[float] = []
        ours: dict[int, list[float]] = {size: [] for size in SIZES}
        for _ in range(ROUNDS + 1):
            with running(homes[SIZES[0]], "-c", MINIMAL) as app:
                app.until("minimal app")
            minimal.append(app.spent)
            for size, home in homes.items():
                with running(home, *INBOX) as app:
                    app.until("inbox 1/")
                ours[size].append(app.spent)
    found = [median(ours[size][1:]) for size in SIZES]
    ratio = median([mine / bare for mine, bare in zip(ours[SIZES[-1]][1:], minimal[1:], strict=True)])
    yield Figure("minimal Textual app → first paint", f"{median(minimal[1:]) * 1000:.0f} ms CPU")
    yield Figure("inbox → first paint", f"{found[-1] * 1000:.0f} ms CPU")
    yield below(f"start → first paint over a minimal Textual app; {SIZES[-1]:,} rows waiting", ratio, 1.5, "times", 2)
    steps = {f"{size:,}": f"{value * 1000:.0f} ms" for size, value in zip(SIZES, found, strict=True)}
    yield Growth("CPU of start → first paint", "rows waiting", steps, curve(found))


if __name__ == "__main__":
    say(figures())
