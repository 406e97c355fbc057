"""History scan: CPU a MB in all stages, reading into Turns alone over plain ``json.loads``, and a tree that did not change."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import made
from figures import Figure, Growth, below, cpu, curve, say

from curator import app, plugins
from curator.app import Curator
from curator.hookspecs import Format, Mark
from curator.transcripts.base import discover

SIZES = (1, 10, 100)
"""Sessions of about 1 MB."""
ROUNDS = 3
REAL = Path(__file__).resolve().parents[3] / "shared" / "transcripts"

Transcripts = Sequence[tuple[Format, Path]]


def transcripts(root: Path) -> Transcripts:
    """The transcripts below a folder."""
    found = discover.find(plugins.formats(), [root], root, {}).transcripts
    return [(item.format, item.path) for item in found]


def scanned(curator: Curator, root: Path) -> Callable[[], object]:
    """A scan of a folder, to be measured."""
    return lambda: app.scan.scan(curator, roots=[root])


def read(found: Transcripts) -> Callable[[], None]:
    """Reading into Turns, to be measured."""

    def work() -> None:
        for format_, path in found:
            format_.read(path, Mark())

    return work


def parse(found: Transcripts) -> Callable[[], None]:
    """Plain parsing of the same lines, to be measured."""

    def work() -> None:
        for _, path in found:
            with path.open("rb") as file:
                for line in file:
                    json.loads(line)

    return work


def over_plain(found: Transcripts) -> float:
    """How many times plain parsing reading costs: the best of some rounds each."""
    lines = [(format_, path) for format_, path in found if path.suffix == ".jsonl"]
    return min(cpu(read(lines)) for _ in range(ROUNDS)) / min(cpu(parse(lines)) for _ in range(ROUNDS))


def calls(work: Callable[[], object], below: Path) -> Counter[str]:
    """How often files below a folder are opened and asked for their state meanwhile."""
    counted: Counter[str] = Counter()
    names = ("stat", "lstat")
    real = {name: getattr(os, name) for name in names}

    def counting(name: str) -> Callable[..., object]:
        def call(path: object, *more: object, **also: object) -> object:
            counted["stat"] += str(path).startswith(str(below)) and str(path).endswith((".jsonl", ".md"))
            return real[name](path, *more, **also)

        return call

    def heard(event: str, values: tuple[object, ...]) -> None:
        if event == "open" and listening and str(values[0]).startswith(str(below)):
            counted["open"] += 1

    sys.addaudithook(heard)
    listening = True
    for name in names:
        setattr(os, name, counting(name))
    try:
        work()
    finally:
        for name in names:
            setattr(os, name, real[name])
        listening = False
    return counted


def figures() -> Iterator[Figure | Growth]:
    """Made-up trees, then the real one where it is."""
    per_mb = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "agents")
            megabytes = made.tree(root, size, "/made-up/app") / 1e6
            curator = made.opened(Path(folder, "home"))
            per_mb.append(cpu(scanned(curator, root)) / megabytes * 1000)
            if size == SIZES[1]:
                ratio = over_plain(transcripts(root))
            if size == SIZES[-1]:
                yield from unchanged(curator, root, size)
            curator.close()
    yield below(f"history scan, all stages, {megabytes:.0f} MB made up", per_mb[-1], 100, "ms CPU a MB", 0)
    steps = {f"{size}": f"{value:.0f} ms" for size, value in zip(SIZES, per_mb, strict=True)}
    yield Growth("CPU a MB of a history scan", "sessions", steps, curve(per_mb))
    yield below("reading into Turns over json.loads of the same lines, made up", ratio, 3, "times")
    yield from real()


def unchanged(curator: Curator, root: Path, files: int) -> Iterator[Figure]:
    """A second scan of the same tree."""
    seconds = min(cpu(scanned(curator, root)) for _ in range(ROUNDS))
    asked = calls(scanned(curator, root), root)
    value = f"{asked['stat'] / files:.1f} stats, {asked['open'] / files:.1f} opens a file"
    yield Figure(
        f"scan of {files} unchanged transcripts", value, "1 stat, 0 opens", asked["stat"] <= files and not asked["open"]
    )
    yield Figure("CPU of that", f"{seconds / files * 1000:.2f} ms a file")


def real() -> Iterator[Figure]:
    """Real transcripts, which are no part of the project."""
    if not REAL.is_dir():
        yield Figure("history scan of real transcripts", "skipped: there are none beside the checkout")
        return
    with tempfile.TemporaryDirectory() as folder:
        curator = made.opened(Path(folder))
        found = transcripts(REAL)
        megabytes = sum(path.stat().st_size for _, path in found) / 1e6
        seconds = cpu(scanned(curator, REAL))
        curator.close()
    yield below(
        f"history scan, all stages, {megabytes:.0f} MB of real transcripts", seconds / megabytes * 1000, 100, "ms CPU a MB", 0
    )
    yield below("reading into Turns over json.loads of the same lines, real", over_plain(found), 3, "times")


if __name__ == "__main__":
    say(figures())
