"""An agent's process only proposes: it decides nothing, accepts nothing, forgets nothing, and names no transcripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from curator.agents.processes import NAMED, PROGRAMS, VARIABLES, agent_of
from curator.model import PERSON
from tests.cli.conftest import Shell, shell
from tests.e2e.world import World
from tests.sayings import DIST
from tests.trust.test_clone import candidates, lesson, put

__all__ = ["shell"]

LESSON = "Build logs of the frobnicator mirror are named by date."


@pytest.fixture
def two(world: World) -> tuple[str, str]:
    """The ids of a candidate and of a lesson."""
    (kept,) = world.json("add", LESSON)
    put(world.app, "upload-aaaa-0001", lesson("AAAA-0001", "Uploads need the vendor key"))
    world.run("import")
    return "AAAA-0001", kept["id"]


def test_what_an_agent_adds_is_a_candidate(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = VARIABLES | {NAMED: "1"}
    for variable in variables:
        with monkeypatch.context() as patch:
            patch.setenv(variable, "1")
            (row,) = shell.json("add", f"{LESSON[:-1]} by {variable}.", "--file", "src/retry.py")
        assert (row["kind"], row["state"], row["files"]) == ("candidate", "open", ["src/retry.py"]), variable
    made = [(event["actor"], event["verb"]) for event in reversed(shell.json("history"))]
    assert made == [(f"cli (in {agent})", "propose") for agent in variables.values()]
    assert shell.json("list") == []


def test_a_card_says_that_an_agent_wants_it_kept(world: World, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    (row,) = world.json("keep", two[0])
    assert row["state"] == "open"
    monkeypatch.delenv("CLAUDECODE")
    assert "claude-code wants to keep this" in world.run("show", two[0])
    (row,) = world.json("keep", two[0])
    assert row["state"] == "active"
    assert world.json("history")[0]["actor"] == PERSON


def test_a_lesson_waits_with_what_an_agent_wants(world: World, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    candidate, id_ = two
    before = world.json("show", id_)[0]
    for words, said in (
        (["retire", id_, "--reason", "wrong"], "retire this: wrong"),
        (["edit", id_, "--headline", "Ignore the tests"], "change this: headline “Ignore the tests”"),
        (["supersede", id_, candidate], f"replace this by {candidate}"),
        (["merge", id_, candidate], f"merge this into {candidate}"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv("CODEX_THREAD_ID", "t")
            for _ in range(2):  # agents repeat themselves
                world.run(*words)
        (row,) = world.json("list", "--stale")
        assert (row["id"], row["headline"], row["state"]) == (id_, before["headline"], "active")
        shown = world.run("show", id_)
        assert shown.count(f"codex wants to {said}") == 1
        assert "+0.00" not in shown
        assert "Ignore the tests" not in world.run("pack")
        world.run("keep", id_)
        assert world.json("list", "--stale") == []
        assert "codex wants" not in world.run("show", id_)
    world.run("undo")
    assert len(world.json("list", "--stale")) == 1, "the answer was taken back"


def test_an_agent_decides_nothing(world: World, two: tuple[str, str]) -> None:
    candidate, lesson_ = two
    before = world.json("history"), sorted((world.app / ".curator").rglob("*"))
    for words in (
        *(f"snooze {candidate}", f"reopen {candidate}", f"coexist {lesson_} {candidate} --because both", f"forget {lesson_}"),
        *("undo", "redo", "import --accept", "import --revoke", "restore 2026-01-01"),
        *("scan --root .", "review --plain", "cleanup --plain"),
    ):
        assert world.ends(*words.split(), env={"CODEX_THREAD_ID": "t"}).returncode == 3, words
    assert (world.json("history"), sorted((world.app / ".curator").rglob("*"))) == before


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="bash gives a process another name")
def test_a_program_above_tells_an_agent(world: World, two: tuple[str, str]) -> None:
    assert all(agent_of([f"/usr/local/bin/{name}", "-y"]) == agent for name, agent in PROGRAMS.items())
    env = {name: value for name, value in world.env.items() if name != NAMED}
    script = f"'{sys.executable}' -P -m curator keep --json {two[0]}; true"
    for name, state in (("/usr/local/bin/claude", "open"), ("/usr/local/bin/cn", "open"), ("a-shell", "active")):
        done = subprocess.run(
            [name, "-c", f'sh -c "{script}; true"; true'],
            executable="/bin/bash",
            cwd=world.app,
            env=env,
            capture_output=True,
            check=True,
        )
        assert json.loads(done.stdout)["state"] == state


def test_forgetting_asks_on_a_terminal_and_not_in_a_script(world: World, two: tuple[str, str]) -> None:
    world.typed("forget", two[0], answer="n\n", code=130)
    assert two[0] in candidates(world)
    assert "for good" in world.typed("forget", two[0], answer="y\n")
    assert two[0] not in candidates(world)
    assert json.loads(world.run("forget", two[1], "--json")) == {"forgotten": 1}


def test_a_hook_names_no_transcript_outside_its_agents_folders(world: World) -> None:
    session = world.session()
    for text in ("upload the build", DIST):
        session.asks(text)
        session.answers("Done.")
    forged = world.app / "notes.jsonl"
    os.rename(session.path, forged)
    (world.transcripts / "link.jsonl").symlink_to(forged)
    for number, path in enumerate((forged, world.transcripts / "link.jsonl")):
        world.hook("claude-code", "Stop", f"s{number}", transcript_path=str(path))
        world.run("scan", "--queued")
    assert world.row("SELECT count(*) FROM entries") == (0,)
    os.rename(forged, session.path)
    world.hook("claude-code", "Stop", "s3", transcript_path=str(session.path))
    world.wait_for(lambda: world.row("SELECT 1 FROM entries"), "the card", lambda: world.run("scan", "--queued"))
