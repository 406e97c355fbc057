"""The pipe to the client: stdout carries the protocol and nothing else, and the first requests are answered at once.

``claim`` moves both ends away from descriptors 0 and 1 before anything else is imported, so that a stray ``print`` and the
child processes that we start (git) can't reach them. Standard library only; see ``greeting`` for why.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
import time
from collections import deque
from contextlib import suppress
from functools import cache
from types import FrameType
from typing import Any, NoReturn

from curator.agents.mcp import handshake
from curator.errors import CuratorError
from curator.text.escape import escaped

log = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds that calls may take to end once the client has said its last word, or is gone."""
LOOK = 2.0
"""Seconds between two looks whether the client still lives."""


class Wire:
    """Both ends of the pipe, as the file that the SDK's transport reads lines from and writes lines to.

    Until the SDK asks for lines, a thread reads them and answers what the greeting can; it stops at the first request that
    it can't. The SDK is then given all these lines, so that it knows what was said; its own answers to what was answered are
    not sent a second time.
    """

    def __init__(self, reading: int, writing: int) -> None:
        # Never closed: a thread may wait on them until the process is gone.
        self.by_hand = os.isatty(reading)
        """Whether a person types, and no agent."""
        self._in = os.fdopen(reading, "r", encoding="utf-8", errors="replace", closefd=False)
        self._out = os.fdopen(writing, "w", encoding="utf-8", errors="backslashreplace", newline="\n", closefd=False)
        self._heard: deque[str] = deque()
        self._said: list[str] = []
        self._loaded = threading.Event()
        self._attended = threading.Event()
        self._asked: set[Any] = set()
        self._answered = threading.Condition()
        self._greeter = threading.Thread(target=self._greet, name="greeter", daemon=True)
        self._greeter.start()

    def attend(self) -> None:
        """Say that the command line makes sense: from now on a client may leave before the SDK is loaded."""
        self._attended.set()

    def readline(self) -> str:
        """The next line from the client, those that the greeting read first; empty at the end.

        The end is told once all is answered: the SDK drops what it has not answered by then, and whoever pipes requests into
        us closes the pipe at once.
        """
        self._loaded.set()
        self._greeter.join()  # ends with the next request at the latest; it has answered all until then
        line = handshake.mended(self._heard.popleft() if self._heard else self._in.readline())
        with self._answered:
            if not line:
                self._answered.wait_for(lambda: not self._asked, timeout=PATIENCE)
            elif (request := handshake.opening(line)) is not None and isinstance(request["id"], int | str):
                self._asked.add(request["id"])
        return line

    def write(self, text: str) -> int:
        """Send a line, unless it answers what the greeting has answered."""
        id_ = handshake.answered(text)
        said = next((line for line in self._said if handshake.answered(line) == id_), None)
        if said is None:
            self._send(text)
        else:
            self._said.remove(said)
            if json.loads(said) != json.loads(text):
                log.warning("the greeting and the SDK differ: %s", text[:500])
        with self._answered:
            self._asked.discard(id_)
            self._answered.notify_all()
        return len(text)

    def flush(self) -> None:
        """Nothing to do: every line is sent when it is written."""

    def _send(self, text: str) -> None:
        try:
            self._out.write(escaped(text))
            self._out.flush()
        except OSError:
            leave()  # the client has closed its end: nobody is left to tell

    def _greet(self) -> None:
        talk = handshake.Greeting()
        for line in iter(self._in.readline, ""):
            self._heard.append(line)
            request = handshake.opening(line)
            if request is None:
                continue
            said = talk.answer(request)
            if said is None:
                return
            self._said.append(said)
            self._send(f"{said}\n")
            if self._loaded.is_set():
                return
        self._attended.wait()
        leave()  # all that was asked is answered


@cache
def claim() -> Wire:
    """Take standard input and output for the protocol; once. Raises ``CuratorError`` where they are closed.

    From now on descriptor 0 is empty and 1 leads to where 2 does. SIGTERM, and the end of the process that started us, end
    this one with exit code 0, ctrl-c with 130: some clients send no end of file.
    """
    try:
        reading, writing = os.dup(0), os.dup(1)
        empty = os.open(os.devnull, os.O_RDWR)
        os.dup2(empty, 0)
        os.dup2(2 if _open(2) else empty, 1)
        os.close(empty)
    except OSError as error:
        raise CuratorError(
            f"Standard input or output is closed: {error.strerror}.", "An agent starts this and speaks with it over both."
        ) from error
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _ended)
    threading.Thread(target=_follow_parent, args=(os.getppid(),), name="parent", daemon=True).start()
    return Wire(reading, writing)


def greet() -> None:
    """Claim what there is to claim, before anything else is done; what is wrong with it the command says later."""
    with suppress(CuratorError):
        claim()


WRITING = threading.Lock()
"""Held by a call while it writes."""


def leave(code: int = 0) -> NoReturn:
    """End the process as soon as no call writes. Other threads wait for the client and can't be asked to end."""
    WRITING.acquire(timeout=PATIENCE)
    os._exit(code)


def _ended(number: int, frame: FrameType | None) -> None:
    leave(130 if number == signal.SIGINT else 0)


def _follow_parent(parent: int) -> NoReturn:
    """End with the process that started us: a server whose client was killed would stay for ever."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    leave()


def _open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
