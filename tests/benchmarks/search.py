"""Search: CPU of finding lessons by words, over one raw query of SQLite's full-text index for the same words."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import made
import related
from figures import Figure, Growth, cpu, curve, say

from curator.app import Curator, search
from curator.store.indexes import quote

SIZES = (1_000, 10_000, 100_000)
TARGETS = {10_000: 3.0, 100_000: 3.0}
ASKED = 40
FULL_TEXT = """SELECT entries.id FROM recall CROSS JOIN entries ON seq = recall.rowid
    WHERE recall MATCH ? AND +state = 'active' AND +project = ? ORDER BY recall.rank LIMIT 20"""


def words(n: int) -> str:
    """What is searched for: some words of a stored lesson, and one that is in none."""
    return " ".join([*related.lesson(n * 7).insight.split()[1:6], "elsewhere"])


def full_text(curator: Curator, match: str) -> None:
    """One raw query."""
    curator.store.connection.execute(FULL_TEXT, (match, made.PROJECT.id)).fetchall()


def pairs(curator: Curator) -> Iterator[tuple[float, float]]:
    """(ours, the raw query's) CPU seconds of each question, side by side."""
    curator.project = made.PROJECT
    for n in range(ASKED):
        asked = words(n)
        match = " OR ".join(quote(word) for word in asked.split())
        raw = cpu(partial(full_text, curator, match))
        yield cpu(partial(search.search, curator, asked)), raw


def figures() -> Iterator[Figure | Growth]:
    """Each size with a database of its own."""
    ours = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            curator = made.opened(Path(folder))
            related.fill(curator, size)
            list(pairs(curator))  # read once: files are cached for both
            spent = list(pairs(curator))
            curator.close()
        mine, raw = (statistics.median(column) for column in zip(*spent, strict=True))
        ours.append(1000 * mine)
        if size in TARGETS:
            ratio = mine / raw
            name = f"search among {size:,} lessons, over one full-text query ({1000 * raw:.1f} ms)"
            yield Figure(name, f"{ratio:.1f}x ({1000 * mine:.1f} ms CPU)", f"≤ {TARGETS[size]:g}x", ratio <= TARGETS[size])
    steps = {f"{size:,}": f"{value:.1f} ms" for size, value in zip(SIZES, ours, strict=True)}
    yield Growth("CPU of one search", "lessons", steps, curve(ours))


if __name__ == "__main__":
    say(figures())
