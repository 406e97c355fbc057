"""A program on this machine as distiller: JSON on its standard input, JSON on its standard output, one run a candidate."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from curator.errors import CuratorError
from curator.settings import Settings

MOST = 64 * 1024
"""Bytes of an answer that are read."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, and the seconds it may take."""

    arguments: tuple[str, ...]
    seconds: float

    @property
    def model(self) -> str:
        """The command line."""
        return shlex.join(self.arguments)

    def answer(self, prompt: str) -> str:
        """Run the program once. Raises ``OSError``, ``TimeoutError`` and ``ValueError``."""
        return run(self.arguments, prompt, self.seconds)


def of(settings: Settings) -> Command:
    """The command that is set. Raises ``CuratorError``."""
    if not settings.distill_command:
        raise CuratorError(
            "The distiller `command` needs a command.",
            f'Set it in {settings.file}, such as distill_command = ["my-distiller", "--brief"].',
        )
    return Command(settings.distill_command, settings.distill_seconds)


def run(arguments: Sequence[str], given: str, seconds: float) -> str:
    """What a program prints when it is given this. Raises ``OSError``, ``TimeoutError`` and ``ValueError``.

    Files rather than pipes: a child that outlives the program and holds its output open can't keep us waiting.
    """
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(given.encode("utf-8", "replace"))
        stdin.seek(0)
        process = subprocess.Popen(arguments, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{arguments[0]} did not answer within {seconds:g} seconds") from None
        finally:
            if process.returncode is None:  # ctrl-c does not reach a session of its own
                end(process)
        if code:
            raise ValueError(f"{arguments[0]} ended with code {code}{last_line(stderr)}")
        stdout.seek(0)
        answer = stdout.read(MOST + 1)
    if len(answer) > MOST:
        raise ValueError(f"{arguments[0]} answered with more than {MOST // 1024} kB")
    return answer.decode("utf-8", "replace")


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program with all that it has started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def last_line(stderr: IO[bytes]) -> str:
    """What a program said last about what went wrong."""
    stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, stderr.tell() - 2_000))
    said = stderr.read().decode("utf-8", "replace").strip()
    return f": {said.splitlines()[-1][:200]}" if said else ""
