"""Real clients and their notes: a note that a client writes is a card, and decisions reach its next session.

The models follow a script; the clients carry out the writing by their own tools.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents.clients import CLAUDE, FOLDER, GEMINI, QWEN, Client, put
from tests.e2e.agents.model import Call, Model, serving, texts
from tests.e2e.agents.test_clients import blocks, run
from tests.e2e.world import World

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="these processes are started the POSIX way"),
    pytest.mark.timeout(600),
]

RULE = "Uploads to the warehouse need the signing key in the header."
TOPIC = f"---\nname: upload-key\ndescription: {RULE}\ntype: feedback\n---\n{RULE}\n\n**Why:** It drops others.\n"
INDEX = f"# Notes\n\n- [Upload key](upload-key.md) — {RULE}\n"
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Remembering:
    """A client that keeps notes: its folder for a project, the files that its model writes, and the tool for that."""

    client: Client
    folder: Callable[[World], Path]
    files: dict[str, str]
    write: Callable[[Path, str], Call]

    def calls(self, world: World) -> Sequence[Call]:
        """The calls by which the model writes its note."""
        return [self.write(self.folder(world) / name, text) for name, text in self.files.items()]


def slug(world: World) -> str:
    """The name of a project's folder."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(world.app))


REMEMBERING = (
    Remembering(
        CLAUDE,
        lambda world: world.home / ".claude" / "projects" / slug(world) / "memory",
        {"upload-key.md": TOPIC, "MEMORY.md": INDEX},
        lambda file, text: Call("Write", {"file_path": str(file), "content": text}),
    ),
    Remembering(
        QWEN,
        lambda world: world.home / ".qwen" / "projects" / slug(world) / "memory",
        {"upload-key.md": TOPIC, "MEMORY.md": INDEX},
        lambda file, text: Call("write_file", {"file_path": str(file), "content": text}),
    ),
    Remembering(
        GEMINI,
        lambda world: world.home / ".gemini" / "tmp" / "app" / "memory",
        {"MEMORY.md": f"# Notes\n\n- {RULE}\n"},
        lambda file, text: Call("write_file", {"file_path": str(file), "content": text}),
    ),
)
every_client = pytest.mark.parametrize("remembering", REMEMBERING, ids=lambda one: one.client.id)


@pytest.mark.shows("notes")
@every_client
def test_a_dropped_note_is_gone_from_the_next_session_until_undo(remembering: Remembering, world: World) -> None:
    card, one = noted(remembering, world), remembering
    assert (card["agent"], Path(card["evidence"][0]["file"]).expanduser().parent) == (one.client.id, one.folder(world))
    put(world.settings.home / "settings.toml", 'memories = "apply"\n')
    assert RULE in told(one, world)
    before = notes(one, world)
    rest(world)
    world.run("retire", card["id"])
    assert RULE not in told(one, world)
    rest(world)
    world.run("undo")
    assert notes(one, world) == before
    assert RULE in told(one, world)


@every_client
def test_a_kept_note_reaches_another_client_and_is_no_news_when_it_notes_that(remembering: Remembering, world: World) -> None:
    card = noted(remembering, world)
    other = next(one for one in REMEMBERING if one.client.where() and one is not remembering)
    world.run("keep", card["id"])
    with serving() as model:
        other.client.prepare(world, model)
        world.run("install", other.client.id, "--yes", "--no-files", "--no-mcp")
        asked = "why does the warehouse drop uploads, is it the signing key in the header?"
        session(other, world, model, asked)
        assert card["id"] in blocks(model.told[-1:])
        model.calls[:] = other.calls(world)
        session(other, world, model, asked)
    assert other.folder(world).is_dir()
    world.run("scan")
    assert [row for row in world.json("list", "--candidates") if row["signal"] == "memory"] == []


def noted(one: Remembering, world: World) -> dict[str, Any]:
    """Have a client write its note, and return the card. Skips where there is no such client, or no other one."""
    if not one.client.where() or sum(bool(two.client.where()) for two in REMEMBERING) < 2:
        pytest.skip(f"{one.client.program} and another client are neither in PATH nor in the folder that {FOLDER} names")
    with serving(*one.calls(world)) as model:
        one.client.prepare(world, model)
        session(one, world, model, "remember that uploads need the key")
    world.run("scan")
    (card,) = [row for row in world.json("list", "--candidates") if row["signal"] == "memory"]
    return card


def told(one: Remembering, world: World) -> str:
    """Return all that a new session tells the model."""
    with serving() as model:
        one.client.prepare(world, model)
        session(one, world, model, "what does vendor/ hold?")
    return "\n".join(texts(model.told[0]))


def session(one: Remembering, world: World, model: Model, words: str) -> None:
    """A session of a client, with a prompt."""
    run(one.client, world, model, *one.client.command(words))


def notes(one: Remembering, world: World) -> dict[str, bytes]:
    """Return the files that its model wrote."""
    return {name: (one.folder(world) / name).read_bytes() for name in one.files}


def rest(world: World) -> None:
    """Make all files of the home an hour old: no agent writes them now."""
    for file in world.home.rglob("*"):
        if file.is_file():
            os.utime(file, (file.stat().st_mtime - HOUR,) * 2)
