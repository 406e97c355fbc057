"""Key → next card drawn, saved: CPU of the inbox from a decision's key to a quiet screen, commit and repaint included."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import made
from figures import Figure, Growth, below, child, curve, median, say
from textual import events
from textual.drivers.headless_driver import HeadlessDriver

from curator import tui
from curator.tui.app import CuratorApp
from curator.tui.list_screen import ListScreen

SIZES = (100, 10_000, 100_000)
LIMIT = 16.0
KEYS = 24
QUIET = 0.08
"""Seconds without a write after which the screen counts as drawn."""


class Screen(HeadlessDriver):
    """A terminal that is not there but for which everything is rendered, as for a real one."""

    written = 0.0

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        self.written = time.monotonic()


class App(CuratorApp):
    """The inbox on that terminal."""

    CSS_PATH = str(Path(tui.__file__).with_name("curator.tcss"))  # else looked for beside this class

    def _build_driver(self, *ignored: object, **also: object) -> Screen:
        return Screen(self, size=(120, 40))


async def quiet(app: CuratorApp) -> None:
    """Wait until nothing more is drawn."""
    driver = app._driver
    assert isinstance(driver, Screen)
    driver.written = time.monotonic()
    while time.monotonic() - driver.written < QUIET:
        await asyncio.sleep(QUIET / 4)


async def pressed(app: CuratorApp, key: str) -> float:
    """CPU milliseconds of the inbox's thread for one key."""
    assert isinstance(app.screen, ListScreen)
    app.screen.keys.burst.forget()  # decisions this fast are prose in the wrong pane
    before = time.thread_time()
    app.post_message(events.Key(key, key if len(key) == 1 else None))
    await quiet(app)
    return (time.thread_time() - before) * 1000


async def drive(home: Path) -> dict[str, float]:
    """Press keys; the median of each, less what waiting for as long costs."""
    app = App(made.opened(home, export=False), watch=False)
    found: dict[str, float] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(1.0)
        await quiet(app)
        idle = median([await pressed(app, "f12") for _ in range(KEYS)])
        for name, keys in (("y", "y"), ("x", "x"), ("j", "j"), ("xu", "xu")):
            rounds = [[await pressed(app, key) for key in keys] for _ in range(KEYS // len(keys))]
            found[name] = median([each[-1] for each in rounds]) - idle
        found["idle"] = idle
        app.exit()
    app.curator.close()
    return found


def figures() -> Iterator[Figure | Growth]:
    """A fresh process for each size, so that none warms another up."""
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for size in SIZES:
            home = Path(folder, str(size))
            made.filled(home, size)
            parts = child(__file__, "--drive", str(home)).split()
            found[size] = dict(zip(parts[::2], map(float, parts[1::2]), strict=True))
    for key, what in (("y", "keep (y)"), ("x", "drop (x)"), ("xu", "undo (u)"), ("j", "next (j)")):
        values = [found[size][key] for size in SIZES]
        done = "next card drawn" if key == "j" else "card drawn, saved"
        yield below(f"{what} → {done}; {SIZES[-1]:,} rows waiting", values[-1], LIMIT, "ms CPU")
        steps = {f"{size:,}": f"{value:.1f} ms" for size, value in zip(SIZES, values, strict=True)}
        yield Growth(f"CPU of {what}", "rows waiting", steps, curve(values))


if __name__ == "__main__":
    if "--drive" in sys.argv:
        print(*(f"{key} {value}" for key, value in asyncio.run(drive(Path(sys.argv[-1]))).items()))
    else:
        say(figures())
