"""Relations: CPU of relating one new lesson to many stored ones, with all that a fresh process reads for it."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import made
from figures import Figure, Growth, below, child, curve, say

from curator import app, comparison
from curator.app import Curator
from curator.model import Change, Entry, State, Verb

SIZES = (1_000, 10_000, 100_000)
TARGETS = {10_000: 50, 100_000: 250}
ASKED = 20
WORDS = [
    f"{a}{b}{c}"
    for a in "bdfgklmnprst"
    for b in ("ar", "el", "in", "or", "ush", "ato")
    for c in ("den", "lix", "mur", "to", "ve")
]
VOCABULARY = [f"{word}{end}" for end in ("", "ing", "Factory", "_path", ".py", "ion", "Cache", "er", "al") for word in WORDS]
WEIGHTS = [*accumulate(1 / (rank + 2) for rank in range(len(VOCABULARY)))]
CHOICES = ("Use npm to install packages", "Use pnpm to install packages", "Run the tests with pytest", "Indent with tabs")


def lesson(n: int) -> Entry:
    """Lesson number ``n``: some twenty words, as frequent as words are; one of fifty makes a choice."""
    pick = random.Random(n)
    words = " ".join(pick.choices(VOCABULARY, cum_weights=WEIGHTS, k=pick.randint(12, 26)))
    text = f"{pick.choice(CHOICES)} for {words}" if n % 50 == 0 else f"Always {words}"
    return made.entry(n, 0.0, State.ACTIVE)._replace(headline=text[:60], insight=text, files=(), symbols=())


def fill(curator: Curator, count: int) -> None:
    """Store so many lessons."""
    with curator.store.transaction():
        curator.store.sources.remember(made.PROJECT, "made-up")
        for n in range(count):
            curator.store.apply([(Verb.ADD, Change(before=None, after=lesson(n)))], actor="detector", at=0.0)


def ask(home: Path) -> None:
    """Relate lessons that are not stored to those that are; print milliseconds of the first and of the others in the mean."""
    begun = time.process_time()
    curator = made.opened(home)
    spent = []
    for n in range(ASKED):
        new = lesson(n * 7)._replace(id=f"NEW-{n}", insight=f"{lesson(n * 7).insight} except {VOCABULARY[n]}")
        near = app.merge_targets.near(curator, new, made.PROJECT.id, State.ACTIVE)
        comparison.relate(new, near)
        spent.append(time.process_time() - begun)
        begun = time.process_time()
    print(spent[0] * 1000, sum(spent[1:]) / (ASKED - 1) * 1000)


def figures() -> Iterator[Figure | Growth]:
    """The best of three fresh processes."""
    firsts, others = [], []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            curator = made.opened(Path(folder))
            fill(curator, size)
            curator.close()
            runs = [child(__file__, "--ask", folder).split() for _ in range(3)]
        firsts.append(min(float(first) for first, _ in runs))
        others.append(min(float(other) for _, other in runs))
        if size in TARGETS:
            yield below(f"one new lesson against {size:,}, in a fresh process", firsts[-1], TARGETS[size], "ms CPU", 0)
            yield below(f"each further one against {size:,}", others[-1], TARGETS[size], "ms CPU", 0)
    steps = {f"{size:,}": f"{value:.0f} ms" for size, value in zip(SIZES, others, strict=True)}
    yield Growth("CPU of relating one new lesson", "stored lessons", steps, curve(others))


if __name__ == "__main__":
    ask(Path(sys.argv[2])) if "--ask" in sys.argv else say(figures())
