"""The plugin of this repository in real clients, installed from a local marketplace by their own commands."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest

from tests.e2e.agents.clients import CLAUDE, CODEX, COPILOT, FOLDER, LESSONS, PROMPT, QWEN, Client, environment
from tests.e2e.agents.model import Call, Model, serving, texts
from tests.e2e.agents.test_clients import BLOCK, SAID, SECONDS, SERVED, TRIES, known, run
from tests.e2e.world import World
from tests.files import TOP

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these processes are started the POSIX way")


@dataclass(frozen=True, slots=True)
class Plugged:
    """A client that takes plugins: how it is told of ours, and how its model calls the search of lessons."""

    client: Client
    commands: Sequence[Sequence[str]]
    search: Callable[[Path], Call]

    def install(self, world: World, model: Model) -> None:
        """Add the marketplace, a copy of it since some clients write beside it, then the plugin."""
        place = world.home / "marketplace"
        shutil.copytree(TOP / ".claude-plugin", place / ".claude-plugin", dirs_exist_ok=True)
        for words in self.commands:
            done = subprocess.run(
                [self.client.where(), *(word.format(place=place) for word in words)],
                cwd=world.app,
                env=environment(world, model),
                input="y\n",
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
            assert done.returncode == 0, (words, done.stdout[-2_000:], done.stderr[-2_000:])


ADD = ("plugin", "marketplace", "add", "{place}")
CLAUDE_PLUGIN = Plugged(
    CLAUDE,
    (ADD, ("plugin", "install", "curator@curator")),
    lambda folder: Call("mcp__plugin_curator_curator__search_lessons", LESSONS),
)
PLUGGED = (
    CLAUDE_PLUGIN,
    Plugged(CODEX, (ADD, ("plugin", "add", "curator@curator")), lambda folder: CODEX.calls(folder)[-1]),
    # Its plugins' servers start in the plugin's folder, so they must be told where the work is.
    Plugged(
        COPILOT,
        (ADD, ("plugin", "install", "curator@curator")),
        lambda folder: Call("curator-search_lessons", LESSONS | {"cwd": str(folder)}),
    ),
    Plugged(QWEN, (("extensions", "install", "{place}:curator"),), lambda folder: QWEN.calls(folder)[-1]),
)


@pytest.fixture
def in_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of ``PATH`` with ``curator`` in it, beside the system's own."""
    program = tmp_path / "bin" / "curator"
    program.parent.mkdir()
    program.symlink_to(Path(sys.executable).with_name("curator"))
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


def test_claude_code_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    if not CLAUDE.where():
        pytest.skip(f"{CLAUDE.program} is neither in PATH nor in the folder that {FOLDER} names")
    for place in (TOP, f"{TOP}/.claude-plugin/curator"):
        done = subprocess.run(
            [CLAUDE.where(), "plugin", "validate", "--strict", place],
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.shows("plugin")
@pytest.mark.parametrize("beside", [(), ("--no-mcp",)], ids=["alone", "beside_settings"])
@pytest.mark.parametrize("plugged", PLUGGED, ids=lambda plugged: plugged.client.id)
def test_a_plugin_sends_each_lesson_once(
    plugged: Plugged, beside: Sequence[str], world: World, in_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = plugged.client
    monkeypatch.setenv("PWD", str(world.app))
    lessons = known(client, world)
    due = sorted(lessons[moment] for moment in client.hears)
    for _ in range(TRIES):
        with serving(*client.calls(world.app)[:-1], plugged.search(world.app)) as model:
            client.prepare(world, model)
            if beside:  # first: once the plugin is there, it writes none
                world.run("install", client.id, "--yes", "--no-files", *beside)
            plugged.install(world, model)
            run(client, world, model, *client.command(SAID))
        last = [*texts(model.told[-1:])]
        hooked = [unescape(text) for text in last if SERVED not in text]
        sent = [id_ for text in hooked for ids, _ in BLOCK.findall(text) for id_ in ids.split()]
        if set(sent) >= set(due):
            break
    assert sorted(sent) == due, world.log()
    assert any(lessons[PROMPT] in text and SERVED in text for text in last), "the server gave it, too"
    assert {row["agent"] for row in world.json("why")} == {client.id}


@pytest.mark.timeout(TRIES * SECONDS)
def test_without_curator_a_plugin_stops_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    known(CLAUDE, world)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with serving() as model:
        CLAUDE.prepare(world, model)
        CLAUDE_PLUGIN.install(world, model)
        run(CLAUDE, world, model, *CLAUDE.command("/curator:why"))
    assert any("uv tool install" in text for text in texts(model.told[-1:]))


@pytest.mark.timeout(TRIES * SECONDS)
def test_commands_of_the_plugin_give_the_model_what_curator_says(world: World, in_path: Path) -> None:
    lessons = known(CLAUDE, world)
    with serving() as model:
        CLAUDE.prepare(world, model)
        CLAUDE_PLUGIN.install(world, model)
        run(CLAUDE, world, model, *CLAUDE.command("what is in vendor/? We change nothing there by hand."))
        for command in ("why", "review", "lessons"):
            run(CLAUDE, world, model, *CLAUDE.command(f"/curator:{command}"), "--continue")
        said = "\n".join(texts(model.told[-1:]))
    assert "UserPromptSubmit, a prompt: “what is in vendor/?" in said
    assert "cd " + str(world.app) + " && curator" in said
    assert f"{lessons[PROMPT]}" in said
    assert "tool `save_lesson` of curator" in said
