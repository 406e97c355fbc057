"""No file of a clone says what runs: hooks in settings, programs on the way, modules beside lesson files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from curator.agents.install import command
from curator.errors import CuratorError
from curator.io import commands, files
from tests.e2e.world import World
from tests.files import write_program
from tests.sayings import VENDOR
from tests.trust.conftest import Trap

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the traps are shell scripts")


def claude_settings(run: str) -> str:
    hook = {"hooks": [{"type": "command", "command": run}]}
    return json.dumps({"hooks": {event: [hook] for event in ("SessionStart", "UserPromptSubmit", "Stop")}})


@pytest.mark.parametrize("personal", [False, True], ids=["of the project", "of the person"])
@pytest.mark.parametrize(
    "form",
    [
        "{bin} hook claude-code {event} 2>/dev/null || :",
        "bin/curator hook claude-code {event} 2>/dev/null || :",
        "{bin} -EP -m curator hook claude-code {event} 2>/dev/null || :",
        "sh -c '{bin} hook claude-code {event}'",
    ],
)
def test_the_doctor_runs_no_program_that_settings_name(form: str, personal: bool, world: World, trap: Trap) -> None:
    path = trap.script("program", world.app / "bin" / "curator")
    folder = world.home / ".claude" if personal else world.app / ".claude"
    folder.mkdir(parents=True, exist_ok=True)
    run = form.format(bin=path, event="SessionStart")
    (folder / "settings.json").write_text(claude_settings(run), encoding="utf-8")
    assert world.ends("doctor").returncode in (0, 1)
    assert trap.ran == set()


def test_names_of_programs_lead_out_of_the_work_tree(world: World, trap: Trap) -> None:
    """Not even where PATH names a folder of the project, as some tools have it."""
    agents = ("claude-code", "codex", "cline", "opencode")
    world.run("install", *agents, "--project", "--yes", "--no-mcp")
    world.run("install", *agents, "--yes", "--no-mcp")
    for name in ("curator", "codex", "git", "xclip"):
        trap.script(name, world.app / "node_modules" / ".bin" / name)
        trap.script(name, world.app / name)
    path = os.pathsep.join((str(world.app / "node_modules" / ".bin"), ".", os.environ["PATH"]))
    assert world.ends("doctor", env={"PATH": path}).returncode in (0, 1)
    assert trap.ran == set()


def test_a_program_is_found_outside_of_a_folder_only(tmp_path: Path) -> None:
    inner, outer = tmp_path / "app" / "bin", tmp_path / "bin"
    for folder in (inner, outer):
        write_program(folder / "tool", "")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "tool").symlink_to(inner / "tool")
    path = os.pathsep.join(map(str, (inner, tmp_path / "links", outer)))
    assert files.find_program("tool", {"PATH": path}, outside=[tmp_path / "app"]) == str(outer / "tool")
    assert files.find_program("tool", {"PATH": path}) == str(inner / "tool")
    assert files.find_program("tool", {"PATH": "bin"}) is None


def test_git_merges_without_a_module_of_the_work_tree(world: World, trap: Trap) -> None:
    """The driver runs in the work tree, where anybody may have committed a module of any name."""
    world.run("install", "git", "--yes")
    world.run("add", VENDOR)
    for words in (["add", "."], ["commit", "-q", "-m", "a lesson"], ["branch", "other"]):
        world.git(world.app, *words)
    (file,) = (world.app / ".curator" / "lessons").iterdir()
    for branch, first in (("main", "Ask first"), ("other", "Never touch it")):
        world.git(world.app, "checkout", "-q", branch)
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("# ", f"# {first}: ", 1), encoding="utf-8")
        world.git(world.app, "commit", "-q", "-a", "-m", branch)
    for name in ("yaml", "click", "sqlite_utils", "curator", "sitecustomize", "usercustomize", "json"):
        trap.module(name, world.app / f"{name}.py")
    done = subprocess.run(
        ["git", "merge", "main"],
        cwd=world.app,
        env={**world.env, "PYTHONPATH": str(world.app)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "both sides changed" in done.stdout + done.stderr  # our driver did run
    assert trap.ran == set()


def test_every_command_that_we_register_names_this_interpreter_alone() -> None:
    own = f"{command.interpreter()} -EP -m curator"
    assert command.merge_driver() == own
    assert command.hook("codex", "Stop").startswith(f"{own} hook")
    assert " ".join([command.server()[0], *command.server()[1]]) == f"{own} mcp"
    assert f"{own} hook" in command.cline_script("Stop")
    assert json.dumps([command.interpreter(), "-EP", "-m", "curator"]) in command.opencode_plugin()


@pytest.fixture
def on_path(world: World, trap: Trap, monkeypatch: pytest.MonkeyPatch) -> Trap:
    """Programs of the project come first on the PATH, as an activated ``.venv`` or a relative entry has them."""
    folder = world.app / ".venv" / "bin"
    for name in ("claude", "my-model", "my-editor", "vi", "my-tool", "node", "git", "curator"):
        trap.script(name, folder / name)
    path = os.pathsep.join((str(folder), ".venv/bin", "", ".", os.environ["PATH"]))
    monkeypatch.setenv("PATH", path)
    return trap


@pytest.mark.parametrize("distiller", ["claude", "command"])
def test_a_reader_is_no_program_of_the_project(distiller: str, world: World, on_path: Trap) -> None:
    session = world.session()
    for _ in range(3):
        session.asks(VENDOR)
        session.answers("Understood.")
    world.run("scan")
    world.settings.home.joinpath("settings.toml").write_text(
        f'distiller = "{distiller}"\ndistill_command = ["my-model"]\n', encoding="utf-8"
    )
    done = world.ends("distill", "--all-new", "--yes")
    assert "is not on the PATH" in done.stderr
    assert on_path.ran == set()


def test_an_editor_is_no_program_of_the_project(world: World, on_path: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = world.json("add", VENDOR)
    for editor in ("my-editor", ".venv/bin/my-editor", f"{world.app}/.venv/bin/my-editor"):
        monkeypatch.setenv("EDITOR", editor)
        world.run("edit", row["id"], code=3)
        assert on_path.ran == set(), editor


def test_a_program_finds_no_other_in_the_project(world: World, on_path: Trap, tmp_path: Path) -> None:
    """A script names its interpreter: that one is looked for outside, too."""
    script = write_program(tmp_path / "tools" / "tool", "#!/usr/bin/env node\n")
    commands.run_in_terminal([str(script)], world.app)
    assert on_path.ran == set()


def test_a_command_of_a_key_is_no_program_of_the_project(world: World, on_path: Trap) -> None:
    with pytest.raises(CuratorError, match="outside the project"):
        commands.locate_program(["my-tool"], world.app)
    assert on_path.ran == set()
