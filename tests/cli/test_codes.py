"""Exit codes, what goes where, ids, and where options may stand."""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import click
import pytest

from curator.cli import cli, commands
from curator.cli.context import CliRun, pass_session
from curator.cli.main import SECTIONS
from curator.model import State
from curator.settings import load
from tests.cli.conftest import Make, Shell


@pytest.mark.parametrize(
    "line",
    [
        *("", "nope", "list --nope", "--all --nope", "keep", "keep A --reason wrong", "retire A --reason bored", "merge A"),
        *("list --since yesterday", "list --category joke", "scan --since banana", "detect", "detect a.jsonl --limit -1"),
        *("forget", "add", "add words --scope ' , '", "edit A --headline ' '", "undo --event last", f"undo --event {'9' * 23}"),
        *("completion tcsh", "review", "demo"),
    ],
)
def test_what_makes_no_sense_is_2_and_says_why(shell: Shell, line: str) -> None:
    done = shell(*shlex.split(line))
    assert (done.code, done.out) == (2, "")
    assert done.err.strip()


@pytest.mark.parametrize(
    "line",
    [
        *("show ZZZZ", "show %", "show ''", "keep ZZZZ", "retire ZZZZ", "edit ZZZZ --headline x", "merge ZZZZ YYYY"),
        *("supersede ZZZZ YYYY", "snooze ZZZZ", "forget ZZZZ", "history ZZZZ", "undo --event 99"),
        *("detect absent.jsonl", "scan --root absent", "detect --root absent", "import absent"),
    ],
)
def test_what_does_not_exist_is_3_and_named(shell: Shell, line: str) -> None:
    command, *arguments = shlex.split(line)
    done = shell(command, *arguments, "--json")
    assert (done.code, done.out) == (3, "")
    assert "unexpected" not in done.err
    assert any(word.strip("%") in done.err for word in arguments if not word.startswith("--"))


def test_nothing_found_is_no_error(shell: Shell, tmp_path: Path) -> None:
    for arguments in (["list"], ["history"], ["scan", "--root", str(tmp_path)], ["detect", "--root", str(tmp_path)]):
        done = shell(*arguments)
        assert (done.code, done.out) == (0, "")
        assert done.err
        assert shell.json(*arguments) == []
    for command in ("undo", "redo"):
        done = shell(command, "--json")
        assert (done.code, done.out, done.err) == (0, "", f"curator: There is nothing to {command}.\n")


def test_ids_in_any_case_and_shortened(shell: Shell, make: Make) -> None:
    shell.put(make(id="7K3F-Q2MD"), make(id="7K3F-Q2ME"), make(id="9ABC-DEFG"))
    assert shell.json("show", "7k3fq2md")[0]["id"] == "7K3F-Q2MD"
    done = shell("keep", "9", "7k3")
    assert (done.code, done.out) == (3, "")
    assert "7K3F-Q2MD, 7K3F-Q2ME" in done.err
    assert shell.state("9") == "open"  # one unknown id, and nothing is touched
    assert "no entry" in shell("show", "%").err
    assert len(shell.json("keep", "9", "9abc-defg")) == 1, "an id that is named twice is meant once"
    assert [row["id"] for row in shell.json("list")] == ["9ABC-DEFG"], "a kept candidate keeps its id"


def test_project_and_all_before_or_after_the_command(shell: Shell, make: Make, other: Path) -> None:
    (here,) = shell.put(make(state=State.ACTIVE))
    (there,) = shell.put(make(state=State.ACTIVE), folder=other)

    def ids(*arguments: str) -> list[str]:
        return sorted(row["id"] for row in shell.json(*arguments))

    assert ids("list") == [here]
    assert ids("--project", str(other), "list") == ids("list", "--project", str(other)) == [there]
    assert ids("--all", "list") == ids("list", "--all") == sorted([here, there])
    assert len(shell.json("history", "--all")) == 2
    assert shell.json("stats", "--all")[0]["states"] == {"active": 2}
    assert shell.json("stats")[0]["states"] == {"active": 1}
    assert shell.json("show", there)[0]["project"] == "other"  # ids are found in every project
    assert shell("review", "--plain", "--all").code == 0
    shell("retire", there)
    assert shell.json("undo", "--project", str(other))[0]["undone"] == [there]


def test_undo_and_redo_mean_the_project_at_hand_as_the_key_does(shell: Shell, make: Make, other: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (here,) = shell.put(make())
    (there,) = shell.put(make(), folder=other)
    shell("keep", here)
    shell("keep", there)
    assert shell.json("undo")[0]["undone"] == [here], "the last decision was another project's"
    assert shell("undo").err.splitlines()[1:] == ["`curator undo --all` undoes the last decision of any project."]
    assert shell.json("redo")[0]["undone"] == [here]
    shell("drop", there)  # the word of the inbox
    assert shell.json("undo", "--all")[0]["undone"] == [there]
    shell.folder = outside
    assert shell.json("undo")[0]["undone"] == [there], "outside there is no project whose decision could be meant"


def test_a_damaged_database_is_3_and_left_alone(shell: Shell) -> None:
    settings = load()
    settings.home.mkdir(parents=True)
    settings.database.write_bytes(b"this is no database, but somebody's words" * 100)
    before = settings.database.read_bytes()
    for arguments in (["list"], ["add", "words"], ["scan"], ["undo"]):
        done = shell(*arguments)
        assert (done.code, done.out) == (3, "")
        assert str(settings.database) in done.err
        assert "Traceback" not in done.err
    assert settings.database.read_bytes() == before


def test_a_newer_database_is_3_and_only_read(shell: Shell, make: Make) -> None:
    (id_,) = shell.put(make())
    with closing(sqlite3.connect(load().database)) as connection, connection:
        connection.execute("PRAGMA user_version = 9999")
    done = shell("list", "--candidates", "--json")
    assert (done.code, done.one["id"], "newer" in done.err) == (3, id_, True)
    for arguments in (["keep", id_], ["undo"], ["scan"], ["review", "--plain"]):
        done = shell(*arguments)
        assert (done.code, "update curator" in done.err.lower()) == (3, True), arguments


def test_a_fault_of_ours_is_said_and_logged_without_a_traceback(shell: Shell) -> None:
    @click.command()
    @pass_session
    def divide(session: CliRun) -> float:
        with session.open():
            return 1 / 0

    cli.add_command(divide)
    try:
        done = shell("divide")
    finally:
        del cli.commands["divide"]
    assert (done.code, done.out) == (3, "")
    assert "Traceback" not in done.err
    assert "ZeroDivisionError" in load().log.read_text(encoding="utf-8")


def test_every_command_and_every_option_has_help() -> None:
    assert list(commands()) == cli.list_commands(click.Context(cli))
    for name, command in commands().items():
        assert command.help, name
        assert len(command.get_short_help_str(100)) <= 60, name
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert getattr(parameter, "help", None), f"{name} {parameter.name}"


def test_the_list_of_commands_stands_in_sections_with_each_of_them_once(shell: Shell) -> None:
    assert sorted(" ".join(SECTIONS.values()).split()) == list(commands())
    lines = shell("--help").out.splitlines()
    assert all(f"{heading}:" in lines for heading in SECTIONS)
    shown = [line.split()[0] for line in lines if re.match(r"  [a-z]", line)]
    assert [name for name in " ".join(SECTIONS.values()).split() if not commands()[name].hidden] == [
        name for name in shown if name in commands()
    ]
    columns = {
        line.index(line.split(maxsplit=1)[1]) for line in lines if re.match(r"  [a-z]", line) and line.split()[0] in commands()
    }
    assert len(columns) == 1


@pytest.mark.parametrize("name", ["", *commands()])
def test_help_is_0_on_stdout(shell: Shell, name: str) -> None:
    for flag in ("--help", "-h"):
        done = shell(*filter(None, [name, flag]))
        assert (done.code, done.err) == (0, "")
        assert name != "undo" or "x<=" not in done.out
        assert done.out.startswith(f"Usage: curator {name}".rstrip())


def test_the_inbox_is_for_terminals_and_gets_the_session(shell: Shell) -> None:
    shell.terminal = True
    assert shell().code == shell("review", "--session", "s7").code == shell("demo").code == 0
    assert shell.opened == ["", "s7", ""]


def test_hostile_text_does_not_drive_the_terminal(shell: Shell, make: Make) -> None:
    (id_,) = shell.put(make(context="\x1b]0;mine\x07\x1b[2Jafter", files=("a\x1b[31m.py",)))
    done = shell("show", id_)
    assert "after" in done.out
    assert "\x1b" not in done.out
    assert "\x1b" not in shell("show", id_[:2] + "\x1b[2J").err


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: Shell, shell_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = shell("completion", shell_name)
    assert done.code == 0
    assert "_CURATOR_COMPLETE" in done.out
    monkeypatch.setenv("_CURATOR_COMPLETE", f"{shell_name}_complete")
    monkeypatch.setenv("COMP_WORDS", "curator su")
    monkeypatch.setenv("COMP_CWORD", "su" if shell_name == "fish" else "1")
    assert "supersede" in shell().out


@pytest.mark.parametrize("path", ["../../x", "link/x"])
def test_a_file_outside_the_project_is_refused(shell: Shell, tmp_path: Path, path: str) -> None:
    (shell.folder / "link").symlink_to(tmp_path)
    done = shell("add", "Mind this file", "--file", path)
    assert (done.code, done.out) == (3, "")
    assert path in done.err
    assert shell.json("list") == []


def test_files_are_named_relative_to_the_project_and_scopes_lie_in_it(shell: Shell) -> None:
    (row,) = shell.json("add", "Mind it", "--file", str(shell.folder / "src" / "a.py"), "--file", "./b.py")
    assert row["files"] == ["src/a.py", "b.py"]
    for command in (["add", "Use uv here"], ["edit", row["id"]]):
        done = shell(*command, "--scope", "src,/Users/ann/tap")
        assert (done.code, "/Users/ann/tap is not inside this project" in done.err) == (3, True)
    assert [row["scope"] for row in shell.json("list")] == ["project"]


@pytest.mark.parametrize(
    "command", ["list", "add x", "mcp", "doctor", "export", "pack", "why", "stats", "review --plain", "check"]
)
def test_a_folder_that_is_not_there_and_of_no_project_is_said(shell: Shell, tmp_path: Path, command: str) -> None:
    shell("add", "Keep the linter quiet")
    absent = tmp_path / "absent"
    done = shell("--project", absent, *command.split())
    assert (done.code, done.out) == (3, "")
    assert f"There is no folder {absent}, and curator knows no project there." in done.err
    assert shell("--project", shell.folder / "typo", *command.split()).code == 3


def test_a_folder_that_is_gone_may_be_named_while_its_project_is_known(shell: Shell, tmp_path: Path) -> None:
    gone, here = tmp_path / "gone", shell.folder
    gone.mkdir()
    shell.folder = gone
    shell("add", "Keep the linter quiet")
    shutil.rmtree(gone)
    shell.folder = here
    assert len(shell.json("list", "--project", gone)) == 1
