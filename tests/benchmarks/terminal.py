"""Programs on a real pseudo-terminal: when their first screen is there, and what they hold in memory."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.terminal import start  # type: ignore[import-untyped,unused-ignore]

MINIMAL = """
from textual.app import App
from textual.widgets import Static

class Minimal(App):
    def compose(self):
        yield Static("minimal app")

Minimal().run()
"""
INBOX = ("-m", "curator", "--all")


@dataclass(slots=True)
class Running:
    """A program on a terminal: its process id, our end of the terminal, when it was started.

    ``spent`` are the CPU seconds that it took, once it was ended.
    """

    pid: int
    terminal: int
    started: float
    spent: float = 0.0

    def until(self, text: str, seconds: float = 60.0) -> float:
        """Read until a text is on the screen; returns the seconds since the start."""
        seen, end = b"", time.monotonic() + seconds
        while text.encode() not in seen:
            if not select.select([self.terminal], [], [], max(0.0, end - time.monotonic()))[0]:
                raise SystemExit(f"{text!r} did not show within {seconds} s; the last was {seen[-500:]!r}")
            seen += os.read(self.terminal, 65_536)
        return time.monotonic() - self.started

    def resident(self) -> float:
        """MiB of memory in use."""
        return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(self.pid)])) / 1024


@contextmanager
def running(home: Path, *command: str) -> Iterator[Running]:
    """Run Python on a terminal of its own, with everything it reads and keeps below ``home``."""
    started = time.monotonic()
    ours, process = start([sys.executable, *command], Path.cwd(), environment(home), rows=40)
    app, before = Running(process.pid, ours, started), _spent()
    try:
        yield app
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(ours)
        app.spent = _spent() - before


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment(home: Path) -> Mapping[str, str]:
    """The environment: a home of its own, and compiled modules whatever the caller's settings, but not in the sources."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("CURATOR_", "PYTHON", "CLAUDE_", "CODEX_"))
    }
    return {
        **kept,
        "HOME": str(home),
        "CURATOR_HOME": str(home),
        "PYTHONPYCACHEPREFIX": str(home.parent / "compiled"),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
