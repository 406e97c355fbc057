"""The plugin in ``.claude-plugin``: it says what the table of agents says, and its launcher stops no agent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curator import __version__
from curator.agents.install.catalog import BY_ID, SERVER_SECONDS
from curator.agents.install.obstacles import PLUGIN
from curator.agents.install.parts import entry
from curator.io import files, git
from tests.files import TOP, write_program

FOLDER = TOP / ".claude-plugin"
CURATOR = FOLDER / "curator"
LAUNCH = CURATOR / "launch.sh"
SH = os.environ.get("CURATOR_TEST_SH", "/bin/sh").split()
"""The shell that runs the launcher: such as `busybox sh`."""
HERE = str(LAUNCH)

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="only in a checkout")
posix = pytest.mark.skipif(sys.platform == "win32", reason="it is a script of the POSIX shell")


def content(file: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize(("agent", "file"), [("claude-code", "hooks.json"), ("codex", "codex.json")])
def test_its_hooks_are_those_that_install_writes(agent: str, file: str) -> None:
    hooks = BY_ID[agent].hooks
    assert hooks
    wanted = {event: [entry(agent, hooks, event, matcher, shared=True)] for event, matcher in hooks.events.items()}
    for event, (group,) in wanted.items():
        group["hooks"][0]["command"] = f'sh "${{CLAUDE_PLUGIN_ROOT}}/launch.sh" hook {agent} {event}'
    assert content(CURATOR / "hooks" / file) == {"hooks": wanted}


def test_its_manifests_are_of_this_version_and_one_name() -> None:
    manifests = [content(CURATOR / folder / "plugin.json") for folder in (".claude-plugin", ".codex-plugin")]
    (listed,) = content(FOLDER / "marketplace.json")["plugins"]
    assert {manifest["version"] for manifest in manifests} == {__version__}
    assert "version" not in listed, "one place says it"
    assert {f"{manifest['name']}@{content(FOLDER / 'marketplace.json')['name']}" for manifest in manifests} == {PLUGIN}
    assert (FOLDER.parent / listed["source"]).resolve() == CURATOR
    codex = BY_ID["codex"].server
    assert codex
    server = manifests[1]["mcpServers"]["curator"]
    assert server["env_vars"] == [*codex.more["env_vars"], "CODEX_HOME"]
    assert server["startup_timeout_sec"] == codex.more["startup_timeout_sec"] == SERVER_SECONDS


def launched(*words: str, path: str, home: Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": path, "HOME": str(home)} | more
    return subprocess.run([*SH, HERE, *words], env=env, cwd=cwd, input="{}", capture_output=True, text=True, timeout=60)


@posix
@pytest.mark.parametrize("moved", [False, True])
def test_codex_starts_the_server_by_the_launcher(tmp_path: Path, moved: bool) -> None:
    """It puts nothing in place of a variable in a server's words, and starts it in the project."""
    project, home = tmp_path / "home" / "project", tmp_path / "home"
    codex = home / ("elsewhere" if moved else ".codex")
    shutil.copytree(CURATOR, codex / "plugins" / "cache" / "curator" / "curator" / __version__)
    program(project / "bin", "echo the project ran")
    program(home / ".local/bin")
    server = content(CURATOR / ".codex-plugin" / "plugin.json")["mcpServers"]["curator"]
    env = {"PATH": f"{project}/bin:/usr/bin:/bin", "HOME": str(home)} | ({"CODEX_HOME": str(codex)} if moved else {})
    done = subprocess.run(
        [server["command"], *server["args"]], env=env, cwd=project, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == (f"mcp in {project}\n", "")


def program(folder: Path, says: str = 'echo "$@" in "$PWD"', code: int = 0) -> Path:
    return write_program(folder / "curator", f"{says}\nexit {code}")


def one_answer(path: str, cwd: Path, **env: str) -> bool:
    """Whether the launcher runs the program; the doctor finds it as well, or neither does."""
    done = subprocess.run([*SH, HERE, "why"], env={"PATH": path} | env, cwd=cwd, capture_output=True, text=True, timeout=60)
    found = files.find_program("curator", {"PATH": path}, outside=git.untrusted_folders(cwd))
    assert (found is not None) == (done.stdout == "it ran\n"), done
    return found is not None


def make_repository(folder: Path) -> None:
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")


@posix
@pytest.mark.parametrize("place", ["bin", "home/.local/bin"])
def test_the_launcher_finds_curator_in_path_and_in_the_home_and_not_in_the_project(tmp_path: Path, place: str) -> None:
    project = tmp_path / "project"
    make_repository(project)
    program(project / ".venv/bin", "echo the project ran")
    program(tmp_path / place)
    path = f"{project}/.venv/bin:bin:.::/usr/bin:/bin:{tmp_path}/bin"
    done = launched("hook", "codex", "Stop", path=path, home=tmp_path / "home", cwd=project)
    assert (done.stdout, done.stderr, done.returncode) == (f"hook codex Stop in {project}\n", "", 0)


@posix
@pytest.mark.parametrize(
    ("repositories", "cwd", "place", "runs"),
    [
        ((), "home/app/part", "home/app/bin", False),
        ((), "home/work/app", "home/work/bin", False),
        ((), "home/app", "home/other/bin", True),
        (("home/work/app",), "home/work/app/part", "home/work/bin", True),
        (("home/work", "home/work/app"), "home/work/app", "home/work/bin", False),
        (("home",), "home/app", "home/bin", True),
        (("home",), "home/app", "home/app/bin", False),
        (("home",), "home", "home/app/bin", True),
        (("",), "home/app", "home/bin", True),
        (("",), "home/app", "home/app/bin", False),
        ((), "", "bin", True),
        ((), "srv/app", "srv/app/bin", False),
        ((), "srv/app", "srv/bin", True),
        (("srv",), "srv/app", "srv/bin", False),
    ],
)
def test_the_launcher_and_the_doctor_have_one_rule_of_what_is_the_project_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repositories: Sequence[str], cwd: str, place: str, runs: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    for repository in repositories:
        make_repository(tmp_path / repository)
    (tmp_path / cwd).mkdir(parents=True, exist_ok=True)
    file = program(tmp_path / place, "echo it ran")
    assert one_answer(f"{file.parent}:/usr/bin:/bin", tmp_path / cwd, HOME=str(tmp_path / "home")) == runs


@posix
@pytest.mark.parametrize(
    ("links", "runs"),
    [
        (("home/work/evil/bin/curator",), False),
        (("../work/evil/bin/curator",), False),
        (("link", "../work/evil/bin/curator"), False),
        (("../tool/bin/curator",), True),
        (("link", "../tool/bin/curator"), True),
        (("folder/curator",), False),
    ],
)
def test_a_link_to_a_program_of_the_project_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: Sequence[str], runs: bool
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    evil = program(home / "work/evil/bin", "echo it ran").parent
    program(home / "tool/bin", "echo it ran")
    clean = home / "clean"
    clean.mkdir()
    (clean / "folder").symlink_to(evil)
    write_program(evil / "readlink", f"echo {home}/tool/bin/curator")
    for name, target in zip(("curator", *links), links, strict=False):
        (clean / name).symlink_to(tmp_path / target if target.startswith("home/") else target)
    assert one_answer(f"{evil}:{clean}:/usr/bin:/bin", evil.parent, HOME=str(home)) == runs


@posix
@pytest.mark.parametrize("home", [None, "", "."])
@pytest.mark.parametrize("repository", [False, True])
def test_without_a_home_folder_the_project_s_program_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str | None, repository: bool
) -> None:
    project = tmp_path / "project"
    program(project / "bin", "echo it ran")
    if repository:
        make_repository(project)
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)
    monkeypatch.chdir(project)
    env = {} if home is None else {"HOME": home}
    assert not one_answer(f"{project}/bin:/usr/bin:/bin", project, **env)
    program(tmp_path / "tool", "echo it ran")
    assert one_answer(f"{project}/bin:{tmp_path}/tool:/usr/bin:/bin", project, **env)


@posix
@pytest.mark.parametrize("repository", [False, True])
@pytest.mark.parametrize("link", [False, True])
def test_a_newline_at_the_end_of_a_folder_s_name_makes_no_other_folder_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: bool, link: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    project = tmp_path / "project\n"
    folder = program(project / "bin\n", "echo it ran").parent
    if repository:
        make_repository(project)
    if link:
        (tmp_path / "link").symlink_to(project)
        (tmp_path / "clean").mkdir()
        (tmp_path / "clean/curator").symlink_to(folder / "curator")
    for place in (tmp_path / "link/bin\n", tmp_path / "clean") if link else (folder, f"/{folder}", project):
        (project / "curator").unlink(missing_ok=True)
        (project / "curator").symlink_to(folder / "curator")
        assert not one_answer(f"{place}:/usr/bin:/bin", project, HOME=str(tmp_path / "home"))


@posix
def test_the_launcher_knows_who_else_takes_the_plugin(tmp_path: Path) -> None:
    program(tmp_path / "bin")
    (tmp_path / "app").mkdir()

    def run(*words: str, **more: str) -> str:
        return launched(*words, path=f"{tmp_path}/bin", home=tmp_path, cwd=tmp_path / "app", **more).stdout

    hook = ("hook", "claude-code", "Stop")
    assert run(*hook).startswith("hook claude-code Stop")
    assert run(*hook, COPILOT_PLUGIN_ROOT="/x").startswith("hook copilot-cli Stop")
    assert run(*hook, QWEN_PROJECT_DIR="/x").startswith("hook qwen Stop")
    assert run("mcp") == f"mcp in {tmp_path}/app\n"
    assert run("mcp", COPILOT_PLUGIN_ROOT=str(CURATOR)) == f"mcp in {tmp_path}\n", "it starts servers in the plugin's folder"


@posix
def test_without_curator_it_says_what_to_do_once_and_stops_nothing(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return launched(*words, path="/nowhere", home=tmp_path, cwd=tmp_path)

    start = run("hook", "claude-code", "SessionStart")
    assert "uv tool install" in json.loads(start.stdout)["systemMessage"]
    assert start.returncode == 0
    prompt = run("hook", "claude-code", "UserPromptSubmit")
    assert (prompt.stdout, prompt.stderr, prompt.returncode) == ("", "", 0)
    server = run("mcp")
    assert (server.stdout, server.returncode) == ("", 127)
    assert "uv tool install" in server.stderr
    why = run("why", "some-session")
    assert ("uv tool install" in why.stdout, why.returncode) == (True, 0)


@posix
def test_what_fails_stops_no_agent_and_is_said_where_a_person_asked(tmp_path: Path) -> None:
    program(tmp_path / "bin", says="echo broken >&2", code=3)

    def run(*words: str) -> tuple[str, str, int]:
        done = launched(*words, path=f"/usr/bin:/bin:{tmp_path}/bin", home=tmp_path, cwd=tmp_path)
        return done.stdout, done.stderr, done.returncode

    assert run("hook", "claude-code", "Stop") == ("", "", 0)
    assert run("why", "x") == ("broken\n", "", 0)
    assert os.access(LAUNCH, os.R_OK)
