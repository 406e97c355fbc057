"""The inbox in a terminal of its own: whatever ends it, the shell gets the terminal back."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from tests.e2e.terminal import start, terminal
from tests.e2e.world import World

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
OTHER_SCREEN, MOUSE = b"\x1b[?1049", b"\x1b[?1000"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_window_that_is_told_to_end_gives_the_terminal_back(name: str, world: World) -> None:
    with terminal(world, [sys.executable, "-P", "-m", "curator"], world.env) as screen:
        world.wait_for(lambda: "Help" in screen.text, "the inbox")
        screen.process.send_signal(getattr(signal, name))
        assert screen.process.wait(60) == 0
        world.wait_for(lambda: OTHER_SCREEN + b"l" in b"".join(screen.output), "the shell's screen")
    written = b"".join(screen.output)
    for mode in (OTHER_SCREEN, MOUSE):
        assert written.rindex(mode + b"l") > written.rindex(mode + b"h")


def test_a_window_whose_terminal_is_gone_ends_by_itself(world: World) -> None:
    """Without a signal, such as after ``setsid``; reading the end of the terminal again and again took a whole core."""
    leader, process = start([sys.executable, "-P", "-m", "curator"], world.app, world.env)
    try:
        shown = b""
        while b"Help" not in shown:
            shown += os.read(leader, 1 << 16)
        os.close(leader)
        process.wait(60)
    finally:
        process.kill()
        process.wait()
