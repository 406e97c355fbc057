"""Press keys in an application without a terminal, and wait until all that follows from them is done and drawn.

Textual's own pilot waits until its process uses little time of the processor. That costs a fiftieth of a second and more for
each key, and on a busy machine it is over too early: a process that others keep waiting looks like one that rests.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from textual import events
from textual.keys import REPLACED_KEYS, key_to_character
from textual.widgets import Input, TextArea
from textual.worker import WorkerCancelled

from curator.tui.app import CuratorApp


async def press(app: CuratorApp, *keys: str, pace: Callable[[], None] = lambda: None) -> None:
    """Press keys, each after the one before has been carried out and drawn; only letters typed into a field do not wait.

    Calls ``pace`` before each key.
    """
    for key, following in zip(keys, (*keys[1:], ""), strict=False):
        pace()
        app.post_message(events.Key(key, key_to_character(REPLACED_KEYS.get(key, key))))
        if not (is_typed(app, key) and is_typed(app, following)):
            await settle(app)


def is_typed(app: CuratorApp, key: str) -> bool:
    """Return whether a key changes the text of a field and does no more."""
    return isinstance(app.focused, Input | TextArea) and (len(key) == 1 or key == "backspace")


async def settle(app: CuratorApp) -> None:
    """Wait until no message is under way, no worker and no thread runs, and all is drawn.

    Threads that follow files go on. Raises ``WorkerFailed`` if a worker did; one whose place another took has not failed.
    """
    while True:
        await _rest(app)
        workers = [worker for worker in app.workers if not worker.is_finished]
        following = app.background.watch and app.curator.settings.watch
        threads = [] if following else [thread for thread in app.background.threads if thread.is_alive()]
        if not workers and not threads:
            return
        for worker in workers:
            with contextlib.suppress(WorkerCancelled):
                await worker.wait()
        for thread in threads:
            await asyncio.to_thread(thread.join)


async def _rest(app: CuratorApp) -> None:
    """Let every task of the loop go on until all of them wait for something, and draw what that changed."""
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    held = 0
    while True:
        await app.animator.wait_until_complete()
        await asyncio.sleep(0)
        while ready:
            await asyncio.sleep(0)
        for screen in app.screen_stack:
            if screen is app.screen or screen._callbacks:  # what lies below another is drawn with that
                screen._on_timer_update()
        if app._batch_count and held < 100:
            held += 1
            await asyncio.sleep(0.001)  # Textual holds drawing back for 50 ms, by a timer that an app that ends never hears
        elif not ready:
            return
