"""The readers against real sessions that lie beside the checkout; nothing of them is copied here."""

from __future__ import annotations

import csv
import json

import pytest

from curator.hookspecs import Mark
from curator.model import Happening, Role
from curator.plugins import formats
from curator.transcripts.base import discover
from tests.files import SHARED

REAL = SHARED / "transcripts"
AGENTS = {format_.agent: format_ for format_ in formats()}

pytestmark = pytest.mark.skipif(not (REAL / "MANIFEST.csv").exists(), reason=f"no real transcripts at {REAL}")


def manifest(*agents: str) -> list[dict[str, str]]:
    """The rows of these agents, or of all; what is read with its sibling, or repeats prompts of sessions, is left out."""
    with (REAL / "MANIFEST.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["format"] in (agents or AGENTS)]
    return [row for row in rows if not row["file"].endswith("/api_conversation_history.json")]


def test_the_whole_tree_is_found_and_nothing_else() -> None:
    found = discover.find(formats(), [REAL], REAL, {})
    assert not found.errors
    listed = {(row["format"], str(REAL / row["file"])) for row in manifest()}
    assert {(item.format.agent, str(item.path)) for item in found.transcripts if item.format.agent in AGENTS} == listed


@pytest.mark.parametrize(
    ("agent", "least", "most", "apart"),
    [
        ("aider", 0.7, 1.0, None),  # the manifest counts commands that say nothing, and plans that come back as prompts
        ("claude-code", 0.98, 1.02, 3),  # it counts words queued in old versions otherwise
        ("cline", 1.0, 1.0, 0),
        ("codex", 0.98, 1.02, 3),
        ("copilot-cli", 1.0, 1.0, 0),
        ("gemini", 1.0, 1.0, 0),
        ("opencode", 1.0, 1.0, 0),
        ("specstory", 0.9, 1.0, None),  # it counts heads, which may also hold command echoes, interruptions and plans
    ],
)
def test_every_file_gives_the_prompts_that_people_typed(agent: str, least: float, most: float, apart: int | None) -> None:
    """Accepted plans of Claude Code and Codex are prompts to the manifest, and events here."""
    counted = listed = 0
    for row in manifest(agent):
        if row["file"].endswith("logs.json"):  # repeats the prompts of the sessions beside it
            continue
        reading = AGENTS[agent].read(REAL / row["file"], Mark())
        assert (reading.errors, dict(reading.unknown)) == ((), {})
        prompts = sum(turn.role is Role.HUMAN for turn in reading.turns)
        if agent in ("claude-code", "codex"):
            prompts += sum(turn.happening is Happening.ANSWER and not turn.text for turn in reading.turns)
        assert apart is None or abs(prompts - int(row["turns"])) <= apart, row["file"]
        assert agent != "specstory" or prompts <= int(row["turns"])
        counted += prompts
        listed += int(row["turns"])
        again = AGENTS[agent].read(REAL / row["file"], reading.window)
        assert tuple(again.turns) == tuple(reading.turns[len(reading.turns) - len(again.turns) :])
        assert (again.old_turns or again.behind or reading.behind) == len(again.turns)
        assert agent not in ("claude-code", "codex") or reading.end.offset == (REAL / row["file"]).stat().st_size
    assert listed * least <= counted <= listed * most


def test_a_storys_text_stands_at_its_lines() -> None:
    for row in manifest("specstory"):
        lines = [line.rstrip("\r") for line in (REAL / row["file"]).read_bytes().decode("utf-8", "replace").split("\n")]
        for turn in AGENTS["specstory"].read(REAL / row["file"], Mark()).turns:
            if turn.role in (Role.HUMAN, Role.ASSISTANT) and len(turn.text) < 60_000:
                standing = "\n".join(lines[turn.locator.line - 1 : turn.locator.line_end])
                assert turn.text in standing
                assert standing.count("\n") == turn.text.count("\n")


def test_an_export_of_opencode_is_located_by_its_messages() -> None:
    for row in manifest("opencode"):
        messages = json.loads((REAL / row["file"]).read_bytes())["messages"]
        for turn in AGENTS["opencode"].read(REAL / row["file"], Mark()).turns:
            if turn.role in (Role.HUMAN, Role.ASSISTANT):
                texts = [part.get("text", "") for part in messages[turn.locator.line - 1]["parts"]]
                assert any(turn.text.strip() in text for text in texts)
