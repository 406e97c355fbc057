"""A program on this machine as distiller: the prompt on its standard input, the answer on its standard output."""

from __future__ import annotations

import atexit
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from curator.errors import CuratorError
from curator.io import commands, files, git
from curator.settings import Settings
from curator.text import redact
from curator.text.words import pluralize

MAX_ANSWER_BYTES = 256 * 1024
"""Bytes of an answer that are read."""
MAX_COMPLAINT_BYTES = 16 * 1024
"""The number of bytes read from the end of a program's error output."""
SILENT = {"CURATOR_DISTILL": "1"}
"""Silences curator's own hooks in the asked agent, because its run is nobody's session."""

_running = set[subprocess.Popen[bytes]]()
_starting = threading.RLock()
"""The lock for ``_running``, so that a program that is just starting is ended too."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, its time limit in seconds, and its folder, which is no project's, since that may hold
    code.
    """

    arguments: tuple[str, ...]
    seconds: float
    folder: Path

    @property
    def model(self) -> str:
        """The command line, which is shown and stored: without the keys in it."""
        return redact.clean(shlex.join(self.arguments))

    def answer(self, prompt: str) -> str:
        """Run the program once. Raises ``OSError``, ``TimeoutError`` and ``ValueError``."""
        files.private_folder(self.folder)
        output = run(self.arguments, prompt, self.seconds, self.folder, {"PWD": str(self.folder)})
        name = Path(self.arguments[0]).name
        if output.code:
            raise ValueError(f"`{name}` ended with code {output.code}{as_sentence_end(output.complaint)}")
        if not output.text.strip():
            raise ValueError(f"`{name}` gave no answer{as_sentence_end(output.complaint)}")
        return output.text


@dataclass(frozen=True, slots=True)
class Output:
    """The result of a program: its exit code, its output, and the end of its error output."""

    code: int
    text: str
    complaints: str

    @property
    def complaint(self) -> str:
        """The last of the complaints that has a letter, as it may be shown; empty if there is none."""
        lines = reversed(self.complaints.splitlines())
        return next((one_line_complaint(line) for line in lines if any(map(str.isalpha, line))), "")


def of(settings: Settings) -> Command:
    """Return the command from the settings. Raises ``CuratorError``."""
    if not settings.distill_command:
        raise CuratorError(
            "The reader `command` needs a command.",
            f'Set it in {settings.file}, such as distill_command = ["my-model", "--json"].',
        )
    return Command(settings.distill_command, settings.distill_seconds, settings.cache / "clients" / "command")


def run(
    arguments: Sequence[str],
    prompt: str,
    seconds: float,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Output:
    """Return the output of a program for this standard input, in a folder, with more environment variables.

    It is ended with all its children, even after an answer. Raises ``OSError``, ``TimeoutError`` and ``ValueError``. It uses
    files instead of pipes, because a child that keeps the output open would block a pipe.
    """
    name = Path(arguments[0]).name
    program = files.find_program(arguments[0], outside=git.untrusted_folders(os.curdir))
    if program is None:
        raise FileNotFoundError(f"`{name}` is not on the PATH")
    environment = {**commands.environment(Path.cwd()), **SILENT, **(variables or {})}
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(prompt.encode("utf-8", "replace"))
        stdin.seek(0)
        process = None
        try:
            with defer_interrupts(), _starting:
                process = subprocess.Popen(
                    [program, *arguments[1:]],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    cwd=folder,
                    env=environment,
                    start_new_session=True,
                )
                _running.add(process)
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"`{name}` did not answer within {pluralize(round(seconds), 'second')}") from None
        finally:  # also after ctrl-c, which does not reach a separate session
            if process:
                with _starting:
                    _running.discard(process)
                kill(process)
                process.wait()
        stdout.seek(0)
        answer = stdout.read(MAX_ANSWER_BYTES + 1)
        stderr.seek(max(0, stderr.seek(0, os.SEEK_END) - MAX_COMPLAINT_BYTES))
        complaints = stderr.read().decode("utf-8", "replace")
    if len(answer) > MAX_ANSWER_BYTES:
        raise ValueError(f"`{name}` answered with more than {MAX_ANSWER_BYTES // 1024} kB")
    return Output(code, answer.decode("utf-8", "replace"), complaints)


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Delay an interrupt to the end of the block. An interrupt while a program starts would leave it running."""
    if threading.current_thread() is not threading.main_thread():  # only that one is interrupted
        yield
        return
    came = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
    if came:
        signal.raise_signal(signal.SIGINT)


def end_all() -> None:
    """End every running program of all threads. Waiting threads get a ``ValueError``. Safe at any time."""
    with _starting:
        for process in _running:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program with all its children, without waiting."""
    with suppress(ProcessLookupError, PermissionError):  # nobody is left
        os.killpg(process.pid, signal.SIGKILL)


def one_line_complaint(complaint: str) -> str:
    """Return a complaint on one line, without secrets, at most 200 characters."""
    return " ".join(redact.clean(complaint[:2_000]).split())[:200]


def as_sentence_end(complaint: str) -> str:
    """Return a complaint as the end of a sentence; empty if there is none."""
    return f": {complaint}" if complaint else ""


atexit.register(end_all)  # an abandoned thread leaves its program
