"""``curator distill`` from end to end, with a real program; and nothing of it where no distiller is set."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.model import Entry
from curator.settings import load
from tests.cli.conftest import Shell
from tests.cli.test_processes import CURATOR, environment
from tests.cli.test_shapes import documented

Make = Callable[..., Entry]
PROGRAM = """
import json, sys
given = json.load(sys.stdin)
open({calls!r}, "a").write("x")
if {fails}:
    sys.exit("no model is loaded")
said = given["insight"].rstrip(".")
print(json.dumps({{"headline": said, "insight": said + ": " + given["headline"]}}))
"""


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """Set a program as distiller; returns the file that it writes a letter into each time."""
    return program(tmp_path, fails=False)


def program(tmp_path: Path, *, fails: bool) -> Path:
    script, calls = tmp_path / "distiller.py", tmp_path / "calls"
    script.write_text(PROGRAM.format(calls=str(calls), fails=fails), encoding="utf-8")
    settings = load()
    settings.home.mkdir(parents=True, exist_ok=True)
    command = json.dumps([sys.executable, str(script)])
    settings.file.write_text(f'distiller = "command"\ndistill_command = {command}\ndistill_price = 2.5\n', encoding="utf-8")
    calls.write_text("")
    return calls


def test_without_a_distiller_nothing_happens_and_the_way_is_shown(shell: Shell, make: Make) -> None:
    shell.put(make())
    done = shell("distill", "--yes")
    assert (done.code, done.out) == (3, "")
    assert "No distiller is set" in done.err
    assert "distiller = " in done.err


def test_the_estimate_sends_nothing(shell: Shell, make: Make, calls: Path) -> None:
    shell.put(make(), make())
    done = shell("distill", "--estimate")
    assert (done.code, done.out) == (0, "")
    assert "2 candidates: 2 calls to " in done.err
    assert "tokens (0.00" in done.err
    (figures,) = shell.json("distill", "--estimate")
    assert (figures["candidates"], figures["calls"], figures["reworded"]) == (2, 2, 0)
    assert figures["cost"] == pytest.approx(figures["tokens"] * 2.5 / 1e6)
    assert calls.read_text() == ""


def test_nobody_is_asked_without_a_yes(shell: Shell, make: Make, calls: Path) -> None:
    shell.put(make())
    done = shell("distill")
    assert (done.code, done.out) == (2, "")
    assert "--yes" in done.err
    assert calls.read_text() == ""


@pytest.mark.parametrize(("typed", "sent"), [("y\n", "x"), ("n\n", ""), ("\n", "")])
def test_a_person_is_asked(
    shell: Shell, make: Make, calls: Path, monkeypatch: pytest.MonkeyPatch, typed: str, sent: str
) -> None:
    shell.put(make())
    monkeypatch.setattr("curator.cli.distill.is_terminal", lambda: True)
    done = shell("distill", typed=typed)
    assert done.code == 0
    assert "Go ahead?" in done.err
    assert ("Nothing was sent" in done.err) == (not sent)
    assert calls.read_text() == sent


def test_from_the_inbox_to_a_lesson_and_back(shell: Shell, make: Make, calls: Path) -> None:
    entry = make()
    shell.put(entry)
    done = shell("distill", "--yes")
    assert (done.code, done.out) == (
        0,
        f"{entry.id}  {entry.insight.rstrip('.')}\nreworded 1, unchanged 0, refused 0, failed 0\n",
    )
    assert entry.insight.rstrip(".") in shell("show", entry.id).out
    (row,) = shell.json("list", "--candidates")
    assert (row["state"], row["headline"]) == ("open", entry.headline)
    assert "1 answered before: nothing is to be sent" in shell("distill").err  # not even a question
    assert calls.read_text() == "x"
    (event, *_) = shell.json("history")
    assert event["verb"] == "distill"
    assert shell.json("stats")[0]["decisions"] == 0
    shell.json("keep", entry.id, "--wording", "1")
    assert shell.json("list")[0]["headline"] == entry.insight.rstrip(".")
    shell.json("undo")
    shell.json("undo")
    assert "distilled" not in shell("show", entry.id).out


def test_failures_are_one_line_and_leave_the_inbox_as_it_was(shell: Shell, make: Make, tmp_path: Path) -> None:
    program(tmp_path, fails=True)
    shell.put(make(), make())
    before = shell("list", "--candidates", "--json").out
    done = shell("distill", "--yes")
    assert (done.code, done.out) == (0, "reworded 0, unchanged 0, refused 0, failed 2\n")
    assert done.err.count("\n") == 2
    assert "no model is loaded. The offline words stand" in done.err
    assert shell("list", "--candidates", "--json").out == before
    log = load().log.read_text(encoding="utf-8")
    assert log.count("the distiller command failed on") == 2
    assert "Traceback" not in log + done.err


def test_the_figures_are_those_of_the_reference(shell: Shell, make: Make, calls: Path) -> None:
    shell.put(make(), make(session="s2"))
    (figures,) = shell.json("distill", "--yes", "--limit", "1")
    assert list(figures) == documented("distill")
    assert (figures["calls"], figures["reworded"], figures["failed"]) == (1, 1, 0)
    (figures,) = shell.json("distill", "--yes", "--all", "--limit", "0")
    assert (figures["candidates"], figures["cached"], figures["calls"]) == (2, 1, 1)
    assert calls.read_text() == "xx"


@pytest.mark.parametrize("arguments", ["list --candidates", "scan", "review --plain", "distill --yes", "doctor"])
def test_without_a_distiller_no_network_library_is_loaded(shell: Shell, make: Make, arguments: str) -> None:
    shell.put(make())
    watch = (
        "import atexit, socket, sys\n"
        "def refuse(*_, **__): raise AssertionError('a socket was opened')\n"
        "socket.socket.connect = refuse\n"
        "atexit.register(lambda: print(sorted({'urllib.request', 'http.client', 'curator.distill.endpoint',"
        " 'curator.distill.command', 'curator.distill.prompt'} & sys.modules.keys()), file=sys.stderr))\n"
        "from curator.__main__ import main\n"
        f"sys.argv = ['curator', *{arguments.split()!r}]\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", watch],
        cwd=shell.folder,
        env=environment(),
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.stderr.decode().splitlines()[-1] == "[]"
    assert b"a socket was opened" not in done.stderr


def test_ctrl_c_ends_the_program_too(shell: Shell, make: Make, tmp_path: Path) -> None:
    shell.put(make())
    settings, pid = load(), tmp_path / "pid"
    command = json.dumps(["sh", "-c", f"echo $$ > '{pid}.new'; mv '{pid}.new' '{pid}'; exec sleep 600"])
    settings.file.write_text(f'distiller = "command"\ndistill_command = {command}\n', encoding="utf-8")
    running = subprocess.Popen([*CURATOR, "distill", "--yes"], cwd=shell.folder, env=environment(), stderr=subprocess.PIPE)
    assert eventually(pid.exists)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"Traceback" not in said
    assert eventually(lambda: ended(int(pid.read_text())))


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold within a minute."""
    for _ in range(3_000):
        if holds():
            return True
        time.sleep(0.02)
    return False


def ended(pid: int) -> bool:
    """Whether a process is no more."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
