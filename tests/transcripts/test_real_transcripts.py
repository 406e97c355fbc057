"""The readers against real sessions that lie beside the checkout; nothing of them is copied here."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from curator.hookspecs import Mark
from curator.model import Happening, Role
from curator.plugins import formats
from curator.transcripts.base import discover

REAL = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
AGENTS = {format_.agent: format_ for format_ in formats()}

pytestmark = pytest.mark.skipif(not (REAL / "MANIFEST.csv").exists(), reason=f"no real transcripts at {REAL}")


def manifest() -> list[dict[str, str]]:
    with (REAL / "MANIFEST.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["format"] in AGENTS]
    return [row for row in rows if not row["file"].endswith("/api_conversation_history.json")]  # read with its sibling


def test_the_whole_tree_is_found_and_nothing_else() -> None:
    found = discover.find(formats(), [REAL], REAL, {})
    assert not found.errors
    listed = {(row["format"], str(REAL / row["file"])) for row in manifest()}
    assert {(item.format.agent, str(item.path)) for item in found.transcripts if item.format.agent in AGENTS} == listed


@pytest.mark.parametrize("agent", ["claude-code", "codex", "specstory"])
def test_every_file_is_read_and_gives_the_prompts_it_should(agent: str) -> None:
    """Prompts are counted against the manifest.

    Claude Code and Codex may differ by accepted plans (events here) and by words queued in old versions, which the manifest
    counts otherwise. The manifest's number for SpecStory is that of "User" heads, which may also hold command echoes,
    interruptions and plans: every
    file has at most that number.
    """
    counted = listed = 0
    for row in manifest():
        if row["format"] != agent:
            continue
        reading = AGENTS[agent].read(REAL / row["file"], Mark())
        assert not reading.errors
        assert not reading.unknown
        roles = Counter(turn.role for turn in reading.turns)
        expected = int(row["turns"])
        listed += expected
        if agent == "specstory":
            assert roles[Role.HUMAN] <= expected
            counted += roles[Role.HUMAN]
        else:
            plans = sum(turn.happening is Happening.ANSWER and not turn.text for turn in reading.turns)
            counted += roles[Role.HUMAN] + plans
            assert abs(roles[Role.HUMAN] + plans - expected) <= 3, row["file"]
    assert counted == pytest.approx(listed, rel=0.1 if agent == "specstory" else 0.02)


@pytest.mark.parametrize(("agent", "share"), [("copilot-cli", 1.0), ("cline", 1.0), ("aider", 0.7)])
def test_prompts_are_those_that_people_typed(agent: str, share: float) -> None:
    """The manifest counts in Aider's histories also commands that say nothing, and plans that come back as prompts."""
    counted = listed = 0
    for row in manifest():
        if row["format"] == agent:
            reading = AGENTS[agent].read(REAL / row["file"], Mark())
            assert (reading.errors, dict(reading.unknown)) == ((), {})
            counted += sum(turn.role is Role.HUMAN for turn in reading.turns)
            listed += int(row["turns"])
            again = AGENTS[agent].read(REAL / row["file"], reading.window)
            assert (again.old_turns or again.behind or reading.behind) == len(again.turns)
    assert listed * share <= counted <= listed


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_window_reads_the_last_turns_again(agent: str) -> None:
    for row in manifest():
        if row["format"] == agent:
            path = REAL / row["file"]
            whole = AGENTS[agent].read(path, Mark())
            again = AGENTS[agent].read(path, whole.window)
            assert tuple(again.turns) == tuple(whole.turns[len(whole.turns) - whole.behind :])
            assert whole.end.offset == path.stat().st_size


def test_a_storys_text_stands_at_its_lines() -> None:
    for row in manifest():
        if row["format"] == "specstory":
            lines = [line.rstrip("\r") for line in (REAL / row["file"]).read_bytes().decode("utf-8", "replace").split("\n")]
            for turn in AGENTS["specstory"].read(REAL / row["file"], Mark()).turns:
                if turn.role in (Role.HUMAN, Role.ASSISTANT) and len(turn.text) < 60_000:
                    standing = "\n".join(lines[turn.locator.line - 1 : turn.locator.line_end])
                    assert turn.text in standing
                    assert standing.count("\n") == turn.text.count("\n")


@pytest.mark.parametrize("agent", ["gemini", "opencode"])
def test_every_prompt_of_a_session_is_found_and_nothing_else(agent: str) -> None:
    """``logs.json`` repeats Gemini's prompts beside its sessions; the manifest counts its slash commands too."""
    for row in manifest():
        if row["format"] == agent and not row["file"].endswith("logs.json"):
            reading = AGENTS[agent].read(REAL / row["file"], Mark())
            assert not reading.errors
            assert not reading.unknown
            assert sum(turn.role is Role.HUMAN for turn in reading.turns) == int(row["turns"]), row["file"]
            again = AGENTS[agent].read(REAL / row["file"], reading.window)
            assert again.old_turns == len(again.turns)
            assert again.turns == reading.turns[len(reading.turns) - len(again.turns) :]


def test_an_export_of_opencode_is_located_by_its_messages() -> None:
    for row in manifest():
        if row["format"] == "opencode":
            messages = json.loads((REAL / row["file"]).read_bytes())["messages"]
            for turn in AGENTS["opencode"].read(REAL / row["file"], Mark()).turns:
                if turn.role in (Role.HUMAN, Role.ASSISTANT):
                    texts = [part.get("text", "") for part in messages[turn.locator.line - 1]["parts"]]
                    assert any(turn.text.strip() in text for text in texts)
