"""Real clients and their notes: a note that a client writes is a card, and decisions reach its next session.

The models follow a script; the clients carry out the writing by their own tools.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents.clients import CLAUDE, CODEX, FOLDER, GEMINI, QWEN, Client
from tests.e2e.agents.model import DONE, Call, Model, serving, texts
from tests.e2e.agents.test_clients import blocks, run
from tests.e2e.world import World
from tests.files import write_file

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
    write_file(world.settings.home / "settings.toml", 'memories = "apply"\n')
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


class InBackground(Model):
    """A model that also writes Codex's notes, as two background models do at the start of a session.

    The session itself is answered once the notes are written: Codex ends its background work with it.
    """

    noting = False

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def responses(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if "rollout_slug" in json.dumps(request.get("text", {})):
            self.words = json.dumps({"rollout_summary": RULE, "rollout_slug": "upload-key"})
        elif any(text.startswith("Consolidate the supplied rollout summaries") for text in texts(request["input"])):
            self.words = DONE
            if any(item["type"].endswith("call_output") for item in request["input"]):
                self.written.set()
            elif self.noting:
                command = json.dumps({"cmd": f"cat > memory_summary.md <<'END'\n{SUMMARY}END"})
                self.calls = [Call("exec", {"input": f"text(await tools.exec_command({command}))"}, kind="custom_tool_call")]
                request = request | {"tools": [{}]}
        else:
            self.words = DONE
            if self.noting and request.get("tools"):
                self.written.wait(60)
        yield from super().responses(request)


SUMMARY = f"v1\n\n## User Profile\n\nx\n\n## User preferences\n\n- {RULE}\n\n## General Tips\n\n## What's in Memory\n"
MEMORIES = "\n[features]\nmemories = true\n\n[memories]\ngenerate_memories = true\nmin_rollout_idle_hours = 1\n"


@pytest.mark.skipif(not CODEX.where(), reason=f"codex is neither in PATH nor in the folder that {FOLDER} names")
def test_what_codex_notes_in_the_background_is_a_card_and_its_next_run_is_told_of_a_drop(world: World) -> None:
    config, model = world.home / ".codex" / "config.toml", InBackground()
    with serving(instead=model):
        CODEX.prepare(world, model)
        write_file(config, config.read_text().replace("\n[model_providers", f"{MEMORIES}\n[model_providers"))
        run(CODEX, world, model, *CODEX.command("remember that uploads need the key"))
        with closing(sqlite3.connect(world.home / ".codex" / "state_5.sqlite")) as base, base:
            # It notes only what was typed in its window, an hour ago at least.
            base.execute("UPDATE threads SET source = 'cli', updated_at_ms = updated_at_ms - 7200000")
        model.noting = True
        run(CODEX, world, model, *CODEX.command("what does vendor/ hold?"))
    world.run("scan")
    (card,) = [row for row in world.json("--all", "list", "--candidates") if row["signal"] == "memory"]
    assert (card["agent"], card["insight"]) == ("codex", RULE)
    write_file(world.settings.home / "settings.toml", 'memories = "apply"\n')
    rest(world)
    world.run("drop", card["id"])
    (request,) = (world.home / ".codex" / "memories_v2" / "extensions" / "ad_hoc" / "notes").iterdir()
    assert RULE in request.read_text()
    with closing(sqlite3.connect(world.home / ".codex" / "memories_v2_1.sqlite")) as base, base:
        base.execute("DELETE FROM jobs WHERE kind = 'memory_consolidate_global'")  # it would wait some hours
    model.written.clear()
    with serving(instead=model):
        write_file(config, re.sub(r"http://127.0.0.1:\d+", model.url, config.read_text()))
        run(CODEX, world, model, *CODEX.command("what does vendor/ hold?"))
    assert model.written.is_set()
    assert request.name in (request.parents[3] / "phase2_workspace_diff.md").read_text(), "its next run is told to read it"


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
