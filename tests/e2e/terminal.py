"""A terminal in which a program is typed to, for what it does only there."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.e2e.world import World

ROWS, COLUMNS = 45, 120
_CONTROL = re.compile(r"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b[\]()][^\x07\x1b]*\x07?")


class Terminal:
    """What stands on it, and what is typed into it."""

    def __init__(self, world: World, leader: int, process: subprocess.Popen[bytes]) -> None:
        self.world = world
        self.process = process
        self.leader = leader
        self.output: list[bytes] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError):
            while data := os.read(self.leader, 1 << 16):
                self.output.append(data)

    @property
    def text(self) -> str:
        """All that was written so far, without control sequences and spaces."""
        return "".join(_CONTROL.sub("", b"".join(self.output).decode(errors="replace")).split())

    def type(self, words: str) -> None:
        """Type, and wait until the words stand there."""
        before = len(self.text)
        os.write(self.leader, words.encode())
        self.world.wait_for(lambda: "".join(words.split()) in self.text[before:], f"{words!r} on the screen")

    def enter(self) -> None:
        """Press enter. What comes too soon after words is taken for a line end of a paste: whoever waits presses it again."""
        os.write(self.leader, b"\r")


def start(words: Sequence[str], cwd: Path, env: Mapping[str, str], rows: int = ROWS) -> tuple[int, subprocess.Popen[bytes]]:
    """Start a program in a terminal of its own; returns our end of that, and the process."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
    env = {**env, "TERM": "xterm-256color"}
    process = subprocess.Popen(
        words, cwd=cwd, env=env, stdin=follower, stdout=follower, stderr=follower, start_new_session=True
    )
    os.close(follower)
    return leader, process


@contextmanager
def terminal(world: World, words: Sequence[str], env: Mapping[str, str]) -> Iterator[Terminal]:
    """A program in a terminal of its own, ended afterwards."""
    leader, process = start(words, world.app, env)
    try:
        yield Terminal(world, leader, process)
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()
        os.close(leader)
