"""``curator review --split``: the inbox beside the session, by whatever terminal is around it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from curator.cli.main import TERMINALS, open_split
from tests.cli.conftest import Shell
from tests.files import write_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these programs are scripts of the POSIX shell")


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in TERMINALS:
        monkeypatch.delenv(variable, raising=False)


def test_without_such_a_terminal_it_says_what_to_type(shell: Shell) -> None:
    said = shell("review", "--split")
    assert said.code == 0
    assert f"cd {shell.folder} && curator\n" in said.out
    assert f"cd {shell.folder} && curator --all\n" in shell("review", "--split", "--all").out
    assert f"cd {shell.folder} && curator review --session ab\n" in shell("review", "--split", "--session", "ab").out


@pytest.mark.parametrize("variable", TERMINALS)
def test_a_terminal_is_asked_for_a_split(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    name = TERMINALS[variable][0]
    write_program(tmp_path / "tools" / name, f'printf "%s\\n" "$@" > "{tmp_path}/words"')
    monkeypatch.setenv("PATH", f"{tmp_path}/tools")
    monkeypatch.setenv(variable, "1")
    assert "next to this session" in shell("review", "--split").out
    words = (tmp_path / "words").read_text().splitlines()
    assert str(shell.folder) in words
    assert words[-4:] == [sys.executable, "-EP", "-m", "curator"]


def test_a_terminal_that_refuses_is_quoted(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(tmp_path / "tools" / "tmux", "echo no space for new pane >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}/tools")
    monkeypatch.setenv("TMUX", "1")
    said = shell("review", "--split")
    assert said.code == 3
    assert "no space for new pane" in said.err
    assert "second terminal" in said.err


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_a_folder_s_name_runs_nothing_in_tmux(tmp_path: Path) -> None:
    folder = tmp_path / "a#(touch pwned)b"
    folder.mkdir()
    tmux = [str(shutil.which("tmux")), "-S", str(tmp_path / "s")]
    env = {name: os.environ[name] for name in ("PATH", "HOME")} | {"TERM": "xterm"}
    try:
        subprocess.run([*tmux, "new-session", "-d", "-x", "80", "-y", "20", "cat"], cwd=tmp_path, env=env, check=True)
        open_split(str(folder), [], env | {"TMUX": f"{tmp_path / 's'},1,0"})
        shown = [*tmux, "list-panes", "-F", "#{pane_start_path}"]
        paths = subprocess.run(shown, env=env, check=True, capture_output=True, text=True).stdout.splitlines()
    finally:
        subprocess.run([*tmux, "kill-server"], env=env, check=False)
    assert str(folder) in paths
    assert not [*tmp_path.rglob("pwned")]


def test_a_program_of_the_project_is_not_asked(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(shell.folder / "bin" / "tmux", f'touch "{tmp_path}/ran"')
    monkeypatch.setenv("PATH", f"{shell.folder}/bin")
    monkeypatch.setenv("TMUX", "1")
    assert "second terminal" in shell("review", "--split").out
    assert not (tmp_path / "ran").exists()
