"""A program as distiller: what it is given, what it may do wrong, and that nothing of it outlives its answer."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from curator.distill import command
from curator.errors import CuratorError
from curator.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these processes are ended the POSIX way")
PROMPT = "read this: ünï \u2028 日本 $(touch made) `touch made`\n"
SECONDS = 60
"""So long a test waits for what comes at once, or never."""


def program(tmp_path: Path, text: str, *, seconds: int = 20) -> command.Command:
    script = tmp_path / "model.py"
    script.write_text(f"import os, subprocess, sys, time\n{text}\n", encoding="utf-8")
    return command.of(Settings(home=tmp_path, distill_command=(sys.executable, str(script)), distill_seconds=seconds))


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[int]:
    """The end of a pipe that is at its end when every process is gone that has ``tmp_path / "pipe"`` open."""
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    yield end
    os.close(end)


def gone(pipe: int) -> bool:
    """Whether somebody had the pipe open, and nobody has any more."""
    said = b""
    while select.select([pipe], [], [], SECONDS)[0]:
        part = os.read(pipe, 100)
        if not part:
            return said == b"here\n"
        said += part
    return False


def test_a_program_gets_the_prompt_and_its_answer_is_the_answer(tmp_path: Path) -> None:
    made = program(tmp_path, "sys.stdout.write(sys.stdin.read() + os.environ['CURATOR_DISTILL'])")
    assert made.answer(PROMPT) == f"{PROMPT}1"
    assert made.answer("a\udcffb") == "a?b1", "half a letter stops nothing"


def test_a_project_puts_no_module_of_its_own_into_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "this.py").write_text("print('owned')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "clone")
    made = command.of(Settings(home=tmp_path / "home", distill_command=(sys.executable, "-m", "this"), distill_seconds=SECONDS))
    assert "owned" not in made.answer(PROMPT)


def test_a_key_in_the_command_is_shown_nowhere() -> None:
    token = "ghp_" + "a1B2" * 9
    made = command.of(Settings(home=Path(), distill_command=("my-model", "--api-key", token)))
    assert made.model.startswith("my-model")
    assert token not in made.model


def test_no_shell_reads_the_arguments(tmp_path: Path) -> None:
    hostile = "; touch made $(touch made)"
    settings = Settings(home=tmp_path, distill_command=(sys.executable, "-c", "import sys; print(sys.argv[1])", hostile))
    assert command.of(settings).answer(PROMPT) == f"{hostile}\n"
    assert "made" in command.of(settings).model


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sys.exit('no model there')", "code 1: no model there"),
        ("sys.exit('a\\n\\x1b[31mb\\u202e ' + 'x' * 900)", "code 1: b x{198}$"),
        ("sys.exit('password=' + 'hunter' + '22')", r"code 1: password=\[redacted\]"),
        ("print('  ')", "gave no answer$"),
        ("print('never' * 100_000)", "more than 256 kB"),
        ("print('bad luck', '}', '12', sep='\\n', file=sys.stderr); sys.exit(3)", "code 3: bad luck$"),
        ("os.kill(os.getpid(), 9)", "code -9$"),
    ],
)
def test_what_a_program_does_wrong_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        program(tmp_path, text).answer(PROMPT)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"^`no-such-model` is not on the PATH$"):
        command.of(Settings(home=tmp_path, distill_command=("no-such-model",))).answer(PROMPT)
    with pytest.raises(CuratorError, match="needs a command"):
        command.of(Settings(home=tmp_path))


@pytest.fixture
def sleeping(tmp_path: Path) -> str:
    """A script of the shell that has the pipe open, starts a child and waits for it."""
    return f"exec 9>'{tmp_path / 'pipe'}'; sleep 600 & echo here >&9; wait"


def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path, pipe: int, sleeping: str) -> None:
    made = command.of(Settings(home=tmp_path, distill_command=("sh", "-c", sleeping), distill_seconds=1))
    with pytest.raises(TimeoutError, match=r"^`sh` did not answer within 1 second$"):
        made.answer(PROMPT)
    assert gone(pipe)


def test_a_child_that_stays_is_ended_and_not_waited_for(tmp_path: Path, pipe: int) -> None:
    text = (
        f"pipe = open({str(tmp_path / 'pipe')!r}, 'w')\nprint('here', file=pipe, flush=True)\n"
        "subprocess.Popen(['sleep', '600'], pass_fds=[pipe.fileno()])\nprint('[]')"
    )
    assert program(tmp_path, text).answer(PROMPT) == "[]\n"
    assert gone(pipe)


def test_a_program_can_be_stopped_from_elsewhere(tmp_path: Path, pipe: int, sleeping: str) -> None:
    made = command.Command(("sh", "-c", sleeping), 600, tmp_path)
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(made.answer, PROMPT)
        assert select.select([pipe], [], [], SECONDS)[0], "it has begun"
        command.end_all()
        assert isinstance(answer.exception(SECONDS), ValueError)
    assert gone(pipe)
    command.end_all()


@pytest.mark.parametrize("way", ["an interrupt", "the end"])
def test_nothing_outlives_us(pipe: int, sleeping: str, way: str) -> None:
    run = f"command.run(('sh', '-c', {sleeping!r}), '', 600)"
    thread = f"import sys, threading; threading.Thread(target=lambda: {run}, daemon=True).start(); sys.stdin.read()"
    ask = f"from curator.distill import command; {run if way == 'an interrupt' else thread}"
    asking = subprocess.Popen([sys.executable, "-c", ask], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert select.select([pipe], [], [], SECONDS)[0], "it has begun"
    if way == "an interrupt":
        asking.send_signal(signal.SIGINT)
    assert (b"KeyboardInterrupt" in asking.communicate(timeout=SECONDS)[1]) == (way == "an interrupt")
    assert gone(pipe)
