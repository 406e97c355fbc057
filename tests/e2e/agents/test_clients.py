"""Real clients: what `curator install` sets up reaches their model, and what they write down is read without an echo.

They are run where they are found, in PATH or in the folder that ``CURATOR_E2E_AGENTS`` names; nothing is downloaded.
"""

from __future__ import annotations

import json
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents.clients import CLIENTS, FILE, FOLDER, Client, environment, put
from tests.e2e.agents.model import DONE, Model, serving, texts
from tests.e2e.world import World, ids
from tests.sayings import UV, VENDOR

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these processes are started the POSIX way")

LESSON = VENDOR.removeprefix("no, ")
PROMPT = f"why did the nightly sync overwrite what we changed in vendor/?\n\n{UV.removeprefix('no, ')}"
SERVED = FILE
"""Stands in what the server says of the lesson, not in what a hook does."""
SECONDS = 240
TRIES = 3
"""A hook may be late on a busy machine; then the session is begun anew."""


@pytest.mark.timeout(TRIES * SECONDS)
@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_the_model_is_told_and_the_transcript_has_no_echo(client: Client, world: World) -> None:
    if not client.where():
        pytest.skip(f"{client.program} is neither in PATH nor in the folder that {FOLDER} names")
    put(world.app / FILE, "x = 1\n")
    (row,) = world.json("add", LESSON, "--file", FILE)
    lesson = str(row["id"])
    model = next((model for _ in range(TRIES) if lesson in hooked(model := session(client, world))), None)
    assert model, f"{client.id} told its model nothing; curator says: {world.run('why')} {world.log()}"
    asked_for = [text for request in model.told for text in texts(request) if lesson in text]
    assert client.tool in json.dumps(model.told)
    assert any(SERVED in text for text in asked_for), "the server gave it, too"
    assert not any("hook_context" in row["asked"]["prompt"] for row in world.json("why"))
    no_echo(client, world, lesson)


def session(client: Client, world: World) -> Model:
    """A whole session of a client with the scripted model, set up by `curator install`."""
    with serving(*client.calls(world.app)) as model:
        client.prepare(world, model)
        world.run("install", client.id, "--yes")
        command = [client.where(), *client.command(PROMPT)]
        done = subprocess.run(
            command,
            cwd=world.app,
            env=environment(world, model),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    assert done.returncode == 0, (done.stdout[-2_000:], done.stderr[-2_000:])
    assert DONE in done.stdout, (done.stdout[-2_000:], done.stderr[-2_000:])
    return model


def hooked(model: Model) -> list[str]:
    """The ids that hooks told the model, from the sentinel around them, which must be whole; the server's answers are others.

    Gemini escapes what hooks say as if it were HTML.
    """
    told = [unescape(text) for text in texts(model.told[-1:])]
    blocks = [part.partition("</curator-lessons>") for text in told for part in text.split("<curator-lessons")[1:]]
    whole = ["<curator-lessons" + block + end for block, end, _ in blocks]
    return [id_ for block in whole for id_ in ids(block) if f"\n{id_}: " in block]


def no_echo(client: Client, world: World, lesson: str) -> None:
    """The client's own transcript: its turns are read, the person's rule is found, what was injected is not."""

    def read() -> tuple[str] | None:
        return world.row("SELECT path FROM files WHERE agent = ? AND turns > 2", client.id)

    found = world.wait_for(read, f"the reading of {client.id}'s transcript", nudge=lambda: world.json("scan"))
    cards = world.json("list", "--candidates")
    if client.automated:
        assert cards == []
        cards = typed(world, Path(found[0]))
    else:
        assert [card["agent"] for card in cards] == [client.id]
    said = [json.dumps(card, ensure_ascii=False) for card in cards]
    assert said, "the person's rule"
    assert all("uv run pytest" in text and "sync.toml" not in text and lesson not in text for text in said), said


def typed(world: World, path: Path) -> list[dict[str, Any]]:
    """What the same transcript gives if a person had typed in it, which is all that these records say otherwise."""
    copy = world.home / "typed" / path.name
    text = path.read_text(encoding="utf-8").replace('"originator":"codex_exec"', '"originator":"codex-tui"')
    put(copy, text.replace('"source":"exec"', '"source":"cli"'))
    return world.json("detect", str(copy))
