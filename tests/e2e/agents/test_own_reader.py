"""The reader ``own`` with real clients: each session goes to the command of the agent that wrote it, and to no other."""

from __future__ import annotations

import json
import os
import re
import shlex
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.agents.clients import CLAUDE, CODEX, FOLDER, GEMINI, QWEN, Client, environment
from tests.e2e.agents.model import Call, Model, serving
from tests.e2e.agents.test_clients import run
from tests.e2e.world import World
from tests.files import write_file, write_program
from tests.sayings import UV

READERS = (CLAUDE, CODEX, GEMINI, QWEN)
HOUR = 3600.0


@pytest.mark.timeout(600)
def test_each_session_reaches_the_client_that_wrote_it_and_no_other(world: World, tmp_path: Path) -> None:
    clients = [client for client in READERS if client.where()]
    if len(clients) < 2:
        pytest.skip(f"fewer than two of the clients are in PATH or in the folder that {FOLDER} names")
    with ExitStack() as stack:
        models = {client.id: stack.enter_context(serving(*looks(client))) for client in clients}
        for client in clients:
            model = models[client.id]
            client.prepare(world, model)
            run(client, world, model, *client.command(f"what does {topic(client)} hold?\n\n{UV}"))
            model.words = "[]"
            model.requests.clear()
            put_program(client, world, model, tmp_path / "bin")
        make_old_and_typed(clients, world)
        path = os.pathsep.join((str(tmp_path / "bin"), "/usr/bin", "/bin"))
        world.run("scan")
        done = world.ends("read", "--all-new", "--yes", "--with", "own", "--json", env={"PATH": path})
        assert (done.returncode, "failed" in done.stderr) == (0, False), done.stderr
        for client in clients:
            sent = json.dumps(models[client.id].requests)
            found = [other.id for other in clients if topic(other) in sent]
            assert found == [client.id], done.stderr


def looks(client: Client) -> tuple[Call, ...]:
    """A command that its model runs, without which the session is too short to be read."""
    return (client.shell("true"),) if client.shell else ()


def topic(client: Client) -> str:
    """A word that stands in the session of this client alone."""
    return f"drawer-of-{client.id}"


def put_program(client: Client, world: World, model: Model, folder: Path) -> None:
    """Put a program on the PATH that is this client with its own model."""
    provider = f'model_providers.scripted={{name="scripted",base_url="{model.url}/v1",wire_api="responses"}}'
    more = ["-c", 'model_provider="scripted"', "-c", provider] if client is CODEX else []
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in environment(world, model).items())
    write_program(folder / client.program, f'{exports}exec {client.where()} "$@" {shlex.join(more)}')


def make_old_and_typed(clients: list[Client], world: World) -> None:
    """Change the transcripts as if a person had typed in them, an hour ago."""
    for file in world.home.rglob("*.json*"):
        text = file.read_text(encoding="utf-8", errors="replace")
        if not any(topic(client) in text for client in clients):
            continue
        for client in clients:
            for says, instead in client.typed.items():
                text = re.sub(says, instead, text)
        write_file(file, text)
        os.utime(file, (file.stat().st_mtime - HOUR,) * 2)
