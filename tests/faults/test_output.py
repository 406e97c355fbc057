"""Nobody meets a traceback: not by settings, a full disk, or a key pressed too early."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from curator.settings import load
from tests.cli.conftest import Shell, shell
from tests.files import TOP

__all__ = ["shell"]

FULL = "/dev/full"
pytestmark = pytest.mark.skipif(not os.path.exists(FULL), reason="there is no device that is always full")


def started(shell: Shell, *words: str, full: str = "", **env: str) -> subprocess.CompletedProcess[bytes]:
    """A process whose output, or errors, go to a full device."""
    place = open(FULL, "wb") if full else None  # noqa: SIM115 - the process has it longer
    try:
        return subprocess.run(
            [sys.executable, "-m", "curator", *words],
            cwd=shell.folder,
            env={**os.environ, "PYTHONPATH": str(TOP)} | env,
            timeout=60,
            stdin=subprocess.DEVNULL,
            stdout=place if full in ("out", "both") else subprocess.PIPE,
            stderr=place if full in ("errors", "both") else subprocess.PIPE,
        )
    finally:
        if place:
            place.close()


@pytest.mark.parametrize("command", ["keys", "list --help", "list --json", "doctor"])
def test_output_that_can_not_be_written_is_said(command: str, shell: Shell) -> None:
    assert shell("add", "Run make check").code == 0
    done = started(shell, *command.split(), full="out")
    assert done.returncode == 3
    assert b"The output can't be written: No space left on device." in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_decision_that_could_not_be_printed_is_stored(shell: Shell) -> None:
    done = started(shell, "add", "Run make check", full="out")
    assert done.returncode == 0
    assert b"Your decision is saved. The output can't be written" in done.stderr
    assert len(shell.json("list")) == 1
    assert len(list((shell.folder / ".curator" / "lessons").iterdir())) == 1


@pytest.mark.parametrize("full", ["errors", "both"])
def test_errors_that_can_not_be_written_break_nothing(full: str, shell: Shell) -> None:
    for words, code in ((["show", "ZZZZ"], 3), (["add", "Run make check"], 0), (["status", "--line"], 0)):
        assert started(shell, *words, full=full).returncode == code
    assert len(shell.json("list")) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = " + "[" * 5_000 + "]" * 5_000, "settings.toml"),
        ("snooze_hours = 99999999999999999999", "snooze_hours must be a whole number from 0 to 1,000,000"),
        ("distill_price = 1e300", "distill_price must be a number from 0 to 1,000,000"),
    ],
    ids=["deep", "large", "infinite"],
)
def test_settings_that_make_no_sense_are_named(text: str, words: str, shell: Shell) -> None:
    home = load().home
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text(text, encoding="utf-8")
    assert words in shell("doctor").out
    for command in ("list", "status", "add Run-make"):
        done = shell(*command.split())
        assert done.code == 3, command
        assert words in done.err
        assert not [bad for bad in ("Traceback", "unexpected") if bad in done.err]
    for quiet in ("status --line", "hook claude-code SessionStart"):
        line = started(shell, *quiet.split())
        assert (line.returncode, line.stdout, line.stderr) == (0, b"", b"")


@pytest.mark.parametrize("module", ["click", "textual", "sqlite3"])
def test_a_key_in_the_first_moments_stops_it_in_a_sentence(module: str, shell: Shell, tmp_path: Path) -> None:
    """Ctrl-C while modules are imported: it comes out of any of them."""
    (tmp_path / "early").mkdir()
    (tmp_path / "early" / f"{module}.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    path = os.pathsep.join((str(tmp_path / "early"), str(TOP)))
    done = started(shell, "list" if module != "textual" else "doctor", PYTHONPATH=path)
    assert done.returncode == 130
    assert b"Traceback" not in done.stderr
    assert b"Stopped" in done.stderr
