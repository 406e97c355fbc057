"""``python -m curator`` as other programs meet it: signals, pipes, locales, terminals."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import curator as package
from curator.model import State
from tests.cli.conftest import RULES, Make, Sessions, Shell
from tests.files import TOP

CURATOR = [sys.executable, "-m", "curator"]


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    return kept | {"PYTHONPATH": str(TOP)} | more


def started(*arguments: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    command = [*CURATOR, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment(**more), capture_output=True, timeout=60, stdin=subprocess.DEVNULL)


def running(*arguments: str | Path, cwd: Path) -> subprocess.Popen[bytes]:
    """A command that goes on, with pipes."""
    command, env, pipe = [*CURATOR, *map(str, arguments)], environment(PYTHONUNBUFFERED="1"), subprocess.PIPE
    return subprocess.Popen(command, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe)


def in_a_shell(line: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    env = environment(CURATOR=f"{sys.executable} -m curator", **more)
    return subprocess.run(["bash", "-c", line], cwd=cwd, env=env, capture_output=True, timeout=60)


def test_codes_of_a_real_process(shell: Shell) -> None:
    assert started("--version", cwd=shell.folder).stdout.decode() == f"curator {package.__version__}\n"
    assert started("show", "ZZZZ", cwd=shell.folder).returncode == 3
    nothing = started(cwd=shell.folder)
    assert (nothing.returncode, nothing.stdout) == (2, b"")
    assert b"terminal" in nothing.stderr
    assert b"review --plain" in nothing.stderr


@pytest.mark.parametrize("command", ["list --candidates --all", "list --candidates --json", "history", "--help"])
def test_a_closed_pipe_is_quiet(shell: Shell, make: Make, command: str) -> None:
    # Each in a session of its own, so that the inbox holds none back: what it says of that is no complaint about the pipe.
    shell.put(*(make(insight="long " * 200, session=f"s{n}") for n in range(300)))
    done = in_a_shell(f"$CURATOR {command} | head -1; exit ${{PIPESTATUS[0]}}", shell.folder)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1


def test_decisions_and_installations_hold_even_if_nobody_reads_them(shell: Shell, make: Make, isolation: Path) -> None:
    (isolation / ".claude").mkdir()
    ids = shell.put(make(), make())
    for words in (["keep", *ids, "--json"], ["install", "claude-code", "--yes"]):
        ours, theirs = os.pipe()
        os.close(ours)
        command = [*CURATOR, *words]
        done = subprocess.run(command, cwd=shell.folder, env=environment(), stdout=theirs, stderr=subprocess.PIPE, timeout=60)
        os.close(theirs)
        assert done.returncode == 0, done.stderr
        assert words[0] != "keep" or not done.stderr
    assert len(shell.json("list")) == 2
    assert len(list((shell.folder / ".curator").rglob("*.md"))) == 2
    assert "curator" in (isolation / ".claude" / "settings.json").read_text("utf-8")


@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "latin-1"}],
)
def test_any_locale(shell: Shell, make: Make, locale: dict[str, str]) -> None:
    (id_,) = shell.put(make(headline="Größe → 測試", state=State.ACTIVE))
    printed = started("list", "--json", cwd=shell.folder, **locale)
    assert (printed.returncode, printed.stderr) == (0, b"")
    assert json.loads(printed.stdout.decode("utf-8"))["headline"] == "Größe → 測試"
    done = started("show", id_, cwd=shell.folder, **locale)
    assert (done.returncode, done.stderr) == (0, b"")
    if "PYTHONUTF8" not in locale:
        return  # elsewhere Python takes what is typed for UTF-8
    shell.put(make())
    odd = [f"edit {id_} --headline", "add", "add x --file", "show", "list --since", "review --plain --session", "--project"]
    line = "; ".join([r"printf 'e\nGr\xf6\xdfe\n' | $CURATOR review --plain", *(rf"$CURATOR {part} $'\xff'" for part in odd)])
    done = in_a_shell(line, shell.folder, **locale)
    assert b"Traceback" not in done.stderr
    assert b"unexpected" not in done.stderr


def test_names_that_are_no_text(shell: Shell, sessions: Sessions) -> None:
    path = sessions("s1")
    odd = os.fsencode(path.parent) + b"/\xff.jsonl"
    os.rename(path, odd)
    done = subprocess.run(
        [*map(os.fsencode, CURATOR), b"detect", odd, b"--json"], cwd=shell.folder, env=environment(), capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert os.fsencode(json.loads(done.stdout.splitlines()[0].decode("utf-8"))["file"]) == odd
    done = started("scan", "--root", sessions.root, "--json", cwd=shell.folder)
    assert b"unexpected" not in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("closing", "commands"),
    [
        ("<&-", ("review --plain", "")),
        (">&-", ("list --candidates",)),
        ("2>&-", ("list --candidates", "")),
        ("<&- >&- 2>&-", ("list --candidates", "review --plain", "", "undo", "scan")),
    ],
)
def test_closed_streams(shell: Shell, make: Make, closing: str, commands: tuple[str, ...]) -> None:
    shell.put(make())
    for command in commands:
        done = in_a_shell(f"$CURATOR {command} {closing}", shell.folder)
        assert done.returncode == (0 if command else 2), command
        assert b"Traceback" not in done.stderr


def test_a_folder_that_is_gone_is_said(shell: Shell) -> None:
    gone = shell.folder / "gone"
    gone.mkdir()
    done = in_a_shell('rmdir "$PWD"; $CURATOR list; exit $?', gone)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"--project" in done.stderr
    assert b"unexpected" not in done.stderr


def test_ctrl_c_finishes_the_file_at_hand_and_a_second_scan_goes_on(shell: Shell, sessions: Sessions) -> None:
    count = 10
    for at in range(count):
        sessions(f"s{at}", [*RULES, f"we never edit folder{at}/ by hand, the nightly sync overwrites it", *["Go on."] * 400])
    with running("scan", "--root", sessions.root, "--json", cwd=shell.folder) as process:
        while not stored(shell) and process.poll() is None:
            pass  # until the first file is saved: then it is reading the second
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    assert b"Stopped" in err
    (first,) = map(json.loads, out.splitlines())
    assert 0 < first["files"] < count
    (second,) = shell.json("scan", "--root", sessions.root)
    assert second["files"] == count
    assert first["turns"] + second["turns"] == count * 404
    (third,) = shell.json("scan", "--root", sessions.root)
    assert (third["turns"], third["candidates"]) == (0, 0)
    assert len(stored(shell)) == first["candidates"] + second["candidates"]


def test_a_scan_that_a_script_has_ignore_ctrl_c_goes_on(shell: Shell, sessions: Sessions) -> None:
    for at in range(3):
        sessions(f"s{at}", [*RULES, *["Go on."] * 400])
    root = shlex.quote(str(sessions.root))
    done = in_a_shell(
        f"trap '' INT; $CURATOR scan --root {root} --json & while kill -INT $!; do :; done; wait $!", shell.folder
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files"] == 3


def stored(shell: Shell) -> list[str]:
    return [row["id"] for row in shell.json("list", "--candidates", "--all")]


def test_ctrl_c_while_a_question_is_asked(shell: Shell, make: Make) -> None:
    first, second = shell.put(make(score=0.9), make(score=0.1))
    with running("review", "--plain", cwd=shell.folder) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"y\n")
        process.stdin.flush()
        seen = b""
        while b"2 of 2" not in seen or not seen.endswith(b"?: "):
            seen += os.read(process.stdout.fileno(), 65536)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    assert [shell.json("show", id_)[0]["state"] for id_ in (first, second)] == ["active", "open"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal of its own")
def test_progress_is_drawn_on_stderr_where_that_is_a_terminal(shell: Shell, sessions: Sessions) -> None:
    for at in range(3):
        sessions(f"s{at}")
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*CURATOR, "scan", "--root", str(sessions.root), "--json"],
        cwd=shell.folder,
        env=environment(TERM="xterm"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=60,
    )
    os.close(theirs)
    drawn = os.read(ours, 65536)
    os.close(ours)
    assert done.returncode == 0
    assert b"%" in drawn
    assert json.loads(done.stdout)["files"] == 3
