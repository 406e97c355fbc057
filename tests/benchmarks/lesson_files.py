"""Export: files written and CPU when nothing, and when one of the lessons, has changed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import made
from figures import Figure, Growth, below, cpu, curve, say

from curator import app
from curator.app import Curator
from curator.model import Project, State

SIZES = (100, 1_000, 10_000)
ROUNDS = 3


def exported(curator: Curator, work: Path) -> tuple[float, int]:
    """CPU seconds of one export, and how many files are other than before."""

    def stamps() -> dict[str, tuple[int, int]]:
        return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in work.rglob("*.md")}

    before = stamps()
    seconds = cpu(partial(app.settling.export, curator))
    after = stamps()
    return seconds, sum(before.get(name) != stamp for name, stamp in after.items())


def figures() -> Iterator[Figure | Growth]:
    """The best of some rounds."""
    found: dict[str, list[float]] = {"nothing": [], "one lesson": []}
    files: dict[str, set[int]] = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder, "work")
            work.mkdir()
            curator = made.opened(Path(folder, "home"), Project(id=made.PROJECT.id, name="bench", folder=str(work)))
            made.fill(curator, size, State.ACTIVE)
            app.settling.export(curator)
            runs: dict[str, list[tuple[float, int]]] = {"nothing": [], "one lesson": []}
            for at in range(ROUNDS):
                runs["nothing"].append(exported(curator, work))
                curator.decisions.edit(made.entry(at, 0.0).id, insight=f"Changed by hand, for the {at}th time.")
                runs["one lesson"].append(exported(curator, work))
            curator.close()
        for what, each in runs.items():
            found[what].append(min(seconds for seconds, _ in each))
            files[what] = {count for _, count in each}
    for (what, seconds), wanted in zip(found.items(), (0, 1), strict=True):
        yield Figure(
            f"{what} changed of {SIZES[-1]:,}", f"{max(files[what])} files written", str(wanted), files[what] == {wanted}
        )
        yield below(f"{what} changed of {SIZES[-1]:,}, export", seconds[-1], 0.2, "s CPU", 2)
        steps = {f"{size:,}": f"{value * 1000:.0f} ms" for size, value in zip(SIZES, seconds, strict=True)}
        yield Growth(f"CPU of an export, {what} changed", "lessons", steps, curve(seconds))


if __name__ == "__main__":
    say(figures())
