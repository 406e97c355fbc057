"""Hooks as agents run them: real processes, which end with 0 and print one whole object or nothing, whatever they meet."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

from curator.agents import spool
from tests.app.conftest import Transcript
from tests.hooks.project import ASKED, HOLDER, WRITER, Project, ids, process_beside

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these processes are started the POSIX way")

MODULES = """
import os, sys
def leave(code):
    os.write(2, " ".join(sys.modules).encode())
    raise SystemExit(code)
os._exit = leave
from curator import hooks
hooks.SECONDS = 60.0
sys.argv = ["curator", "hook", *sys.argv[1:]]
from curator.__main__ import main
main()
"""
AT_ONCE = 50


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "app")


def start(*arguments: str, **how: Any) -> subprocess.Popen[bytes]:
    """Start ``curator hook``, as if installed."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-P", "-m", "curator", "hook", *arguments], **(pipes | how))


def run(data: bytes, *arguments: str, **how: Any) -> bytes:
    """What a hook prints; it must end well and say nothing else."""
    child = start(*(arguments or ("claude-code", "UserPromptSubmit")), **how)
    out, err = child.communicate(data, timeout=60)
    assert (child.returncode, err) == (0, b"")
    return out or b""


def prompt(project: Project, session: str = "s1", **more: Any) -> bytes:
    return json.dumps({"session_id": session, "cwd": str(project.folder), "prompt": ASKED} | more).encode()


def insist(project: Project, **how: Any) -> str:
    """Ask in one session after another until a hook answers: on a busy machine it may be late. Returns the session."""
    for session in ("s1", "s2", "s3", "s4", "s5"):
        if told := answered(run(prompt(project, session), **how)):
            assert told == [project.tests]
            return session
    raise AssertionError("no hook answered in time")


def answered(out: bytes) -> list[str]:
    """The ids in what a hook printed, which is nothing or one whole object in ASCII."""
    assert out == b"" or (out.isascii() and isinstance(json.loads(out), dict))
    return ids(out)


def test_a_prompt(project: Project) -> None:
    session = insist(project)
    assert answered(run(prompt(project, session, prompt=f"again: {ASKED}"))) == []
    assert project.complaints() == ""


GARBAGE: dict[str, Callable[[], bytes]] = {
    "no JSON": lambda: b"hello {",
    "a bomb": lambda: b'{"session_id":"s1","prompt":' + b"[" * 1_000_000,
    "50 MB": lambda: b'{"session_id":"s1","prompt":"' + b"x" * 50_000_000 + b'"}',
    "half a letter": lambda: b'{"session_id":"\\ud800","cwd":"/\\udfff","prompt":"\\ud83d run the tests with frobnicate"}',
}


@pytest.mark.parametrize("what", GARBAGE)
def test_garbage(project: Project, what: str) -> None:
    garbage = GARBAGE[what]()
    assert run(garbage) == run(garbage, "claude-code", "Nothing") == b""
    assert project.complaints() == ""


def test_standard_streams_that_are_closed(project: Project) -> None:
    hook = f"{sys.executable} -P -m curator hook claude-code UserPromptSubmit"
    for shell in (f"{hook} <&-", f"{hook} >&-", f"{hook} <&- >&- 2>&-", f"{hook} >/dev/full", f"{hook} | true"):
        done = subprocess.run(["sh", "-c", shell], input=prompt(project), capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), shell
    assert project.settings.database.read_bytes().startswith(b"SQLite format 3\0")


def test_standard_input_that_never_ends(project: Project) -> None:
    child = start("claude-code", "UserPromptSubmit")
    assert child.wait(timeout=60) == 0
    assert child.communicate() == (b"", b"")


def test_without_a_home(project: Project, tmp_path: Path) -> None:
    bare = {"PATH": os.environ["PATH"]}
    assert run(prompt(project), env=bare | {"HOME": str(tmp_path / "none")}) == b""
    assert run(prompt(project), env=bare | {"HOME": str(tmp_path / "none"), "CURATOR_HOME": "/dev/null/x"}) == b""
    insist(project, env=bare | {"CURATOR_HOME": str(project.settings.home)})


def test_a_home_that_can_not_be_written(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.settings.spool).write_text("in the way")
    assert run(prompt(project)) == b""


@pytest.mark.parametrize("how", ["newer", "damaged", "empty", "a folder", "held"])
def test_databases(project: Project, how: str) -> None:
    path = project.settings.database
    if how == "newer":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = 999")
            connection.execute("DROP TABLE lessons")
    elif how == "damaged":
        path.write_bytes(path.read_bytes()[:2_000] + b"\xff" * 30_000)
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    with process_beside(HOLDER, path) if how == "held" else nullcontext():
        assert run(prompt(project)) == b""
    assert project.complaints() == "" or how in ("damaged", "a folder")
    if how == "held":
        insist(project)


def test_modules(project: Project) -> None:
    """The standard library's smallest modules and the few of ours: each other one is milliseconds a call."""
    bare = subprocess.run(
        [sys.executable, "-P", "-c", "import runpy, pkgutil, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    allowed = {*bare.stdout.split(), "_json", "_sha1", "_sqlite3", "_signal", "fcntl", "math", "__future__", "curator"}
    allowed |= {
        f"curator.{name}"
        for name in ("__main__", "io", "io.worktree", "text", "text.harness", "text.words", "store", "store.hook_reader")
    }
    touch = {"session_id": "s2", "cwd": str(project.folder), "tool_name": "Edit", "tool_input": {"file_path": "src/db.py"}}
    for event, payload in (("UserPromptSubmit", prompt(project)), ("PostToolUse", json.dumps(touch).encode())):
        done = subprocess.run(
            [sys.executable, "-P", "-c", MODULES, "claude-code", event], input=payload, capture_output=True, check=True
        )
        assert answered(done.stdout)
        loaded = {*done.stderr.decode().split()}
        ours = {name for name in loaded if name.startswith(("curator.hooks", "curator.agents", "curator.ranking"))}
        assert loaded - allowed - ours == set()
        assert {name for name in ours if name.startswith(("curator.agents.mcp", "curator.agents.install"))} == set()
        dear = "re dataclasses enum typing pathlib tomllib argparse subprocess threading asyncio logging click json sqlite3"
        assert loaded & {*dear.split()} == set()


def crowd(folder: Path, payloads: Sequence[bytes]) -> list[bytes]:
    """What hooks print that start at once; each finds its payload already there."""
    children = []
    for at, payload in enumerate(payloads):
        file = folder / f"payload{at}.json"
        file.write_bytes(payload)
        with file.open("rb") as opened:
            children.append(start("claude-code", "UserPromptSubmit", stdin=opened))
    said = [child.communicate(timeout=100) for child in children]
    assert [child.returncode for child in children] == [0] * len(payloads)
    assert {err for _, err in said} == {b""}
    return [out for out, _ in said]


def test_fifty_at_once_beside_a_writer(project: Project, tmp_path: Path) -> None:
    asked = [prompt(project, session=f"s{at % 10}", prompt=f"{ASKED} {at}") for at in range(AT_ONCE)]
    with process_beside(WRITER, project.settings.database):
        said = crowd(tmp_path, asked)
    told = [answered(out) for out in said if out]
    assert told == [[project.tests]] * len(told)
    assert len(told) <= 10  # once a session; the others were late, or their session was told
    sessions = [receipt["session"] for receipt in project.receipts() if receipt["told"]]
    assert len(sessions) == len({*sessions})
    assert project.complaints() == ""


def stops(project: Project, payload: bytes, *flags: str, **env: str) -> Path:
    """Have hooks run at the end of a turn until one starts a reader, and wait for that; returns the queue."""
    fcntl = pytest.importorskip("fcntl")
    queue = project.settings.spool / spool.FOLDER
    command = [sys.executable, *flags, "-m", "curator", "hook", "claude-code", "Stop"]
    for _ in range(5):  # on a busy machine it may be late
        done = subprocess.run(command, input=payload, env=os.environ | env, capture_output=True, timeout=60, check=True)
        assert (done.stdout, done.stderr) == (b"", b"")
        if (queue / spool.LOCK).exists():
            break
    with (queue / spool.LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the process that was started holds it from before it was born
    return queue


def test_the_end_of_a_turn_has_its_transcript_read(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    session = Transcript(tmp_path / "claude", project.folder, "s7")
    session.says("no, always use frobnicate instead of pytest to run the tests")
    insist(project)
    queue = stops(project, prompt(project, transcript_path=str(session.path)), "-P")
    assert list(queue.glob("*.json")) == []
    with closing(sqlite3.connect(project.settings.database)) as connection:
        assert connection.execute("SELECT path FROM files").fetchall() == [(str(session.path),)]
        assert connection.execute("SELECT count(*) FROM deliveries").fetchone() == (1,)


def test_who_reads_beside_an_agent_minds_its_environment_no_more_than_the_hook(project: Project, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    queue = stops(project, prompt(project), "-EP", PYTHONPATH=str(tmp_path))
    assert list(queue.glob("*.json")) == []
    assert not (tmp_path / "ran").exists()
