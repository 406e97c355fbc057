from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.model import Happening, Role, Turn
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, read, result, said, text, use, write

DROID = FORMATS["droid"]
START = {"type": "session_start", "id": "D1", "title": "Push", "owner": "me", "version": 2, "cwd": "/repo/app"}
CANCELLED = "Tool execution cancelled by user"


def message(role: str, *blocks: Record, **more: Any) -> Record:
    said = {"role": role, "content": [*blocks], **more}
    return {"type": "message", "id": "m1", "timestamp": "2026-06-01T08:00:00.000Z", "message": said}


def user(*blocks: Record, **more: Any) -> Record:
    return message("user", *blocks, **more)


def agent(*blocks: Record) -> Record:
    return message("assistant", *blocks)


SESSION = [
    START,
    user(text("<system-reminder>\nTools: x\n</system-reminder>"), visibility="llm_only"),
    user(text("Never push to main."), interactionMode="auto"),
    agent({"type": "thinking", "thinking": "hm"}, text("I will test."), use("c1", "Execute", command="make test")),
    user(result("c1", "Error: Command failed (exit code: 2)\n1 failed", failed=True)),
    agent(use("c2", "Edit", file_path="/repo/app/a.py", old_str="a", new_str="b")),
    user(result("c2", CANCELLED, failed=True)),
    {"type": "agent_turn_outcome", "turnId": "m1", "reason": "completed"},
    agent(use("c3", "Execute", command="sleep 9")),
    user(result("c3", f"Error: {CANCELLED}", failed=True)),
    {"type": "agent_turn_outcome", "turnId": "m2", "reason": "cancelled"},
    {"type": "compaction_state", "id": "k1", "timestamp": "2026-06-01T08:00:00.000Z", "summaryText": "They talked."},
    agent(text("Kept.")),
]


def test_a_session(tmp_path: Path) -> None:
    reading = read(DROID, write(tmp_path / "D1.jsonl", *SESSION))
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "Execute", "make test", None, None),
        (Role.TOOL_RESULT, "Execute", "Error: Command failed (exit code: 2)\n1 failed", None, False),
        (Role.TOOL_CALL, "Edit", "/repo/app/a.py\na\nb", None, None),
        (Role.EVENT, "Edit", "", Happening.REFUSAL, False),
        (Role.TOOL_CALL, "Execute", "sleep 9", None, None),
        (Role.TOOL_RESULT, "Execute", f"Error: {CANCELLED}", None, None),
        (Role.EVENT, "", "", Happening.INTERRUPTION, None),
        (Role.EVENT, "", "", Happening.COMPACTION, None),
        (Role.ASSISTANT, "", "Kept.", None, None),
    ]
    first, failed, refused = reading.turns[0], reading.turns[3], reading.turns[5]
    has(first, session="D1", cwd="/repo/app", at=1780300800.0, line=3, record="m1")
    assert (failed.command, failed.call, refused.paths) == ("make test", "c1", ("/repo/app/a.py",))


def turns(tmp_path: Path, *records: Record) -> list[Turn]:
    return list(read(DROID, write(tmp_path / "D1.jsonl", START, *records)).turns)


@pytest.mark.parametrize(
    "record",
    [
        user(text("Always ask."), visibility="llm_only"),
        message("system", text("Always ask."), visibility="user_only"),
        user(result("c1", "ok"), text("Always ask.")),
        user(text("<system-reminder>Always ask.</system-reminder>")),
    ],
)
def test_what_nobody_typed_is_no_human_turn(tmp_path: Path, record: Record) -> None:
    assert said(turns(tmp_path, record)) == []


def test_only_the_exact_words_of_the_agent_are_a_refusal(tmp_path: Path) -> None:
    printed, other = result("c1", CANCELLED), result("c2", f"{CANCELLED}: no", failed=True)
    assert happened(turns(tmp_path, user(printed), user(other))) == []


def test_a_prompt_that_a_program_gave_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "D1.jsonl"
    for tags, automated in (([], False), ([{"name": "exec"}], True)):
        path.with_suffix(".settings.json").write_text(json.dumps({"tags": tags}))
        (turn,) = turns(tmp_path, user(text("Go.")))
        assert turn.automated is automated


def test_a_subagents_prompt_was_written_by_the_agent_that_called_it(tmp_path: Path) -> None:
    called = START | {"callingSessionId": "D0", "callingToolUseId": "c1"}
    (turn,) = read(DROID, write(tmp_path / "D2.jsonl", called, user(text("Look.")))).turns
    assert (turn.role, turn.sidechain) == (Role.ASSISTANT, True)
