from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.model import Happening, Role, Turn
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, read, said, write

KIRO = FORMATS["kiro"]


def record(kind: str, *content: Record, **more: Any) -> Record:
    return {"version": "v1", "kind": kind, "data": {"message_id": "m1", "content": [*content], **more}}


def part(kind: str, data: Any) -> Record:
    return {"kind": kind, "data": data}


def prompt(words: str) -> Record:
    return record("Prompt", part("text", words), meta={"timestamp": 1780300800})


def agent(*content: Record) -> Record:
    return record("AssistantMessage", *content)


def use(call: str, name: str, **given: Any) -> Record:
    return part("toolUse", {"toolUseId": call, "name": name, "input": given})


def results(call: str, content: Record, status: str = "success", **outcome: Any) -> Record:
    result = part("toolResult", {"toolUseId": call, "content": [content], "status": status})
    return record("ToolResults", result, results={call: {"tool": None, **outcome}})


RAN = part("json", {"exit_status": "exit status: 2", "stdout": "1 failed", "stderr": ""})
SESSION = [
    prompt("Never push to main."),
    agent(part("text", "I will test."), use("c1", "shell", command="make test", __tool_use_purpose="look")),
    results("c1", RAN),
    agent(use("c2", "write", command="create", path="/repo/app/a.py")),
    results("c2", part("text", "The tool arguments failed validation"), "error"),
    agent(use("c3", "shell", command="sleep 9")),
    results("c3", part("text", "Tool use was cancelled by the user"), "error", result="Cancelled"),
    record("Clear"),
    agent(part("text", "Kept.")),
]


def turns(tmp_path: Path, *records: Record, name: str = "cli/K1.jsonl") -> list[Turn]:
    return list(read(KIRO, write(tmp_path / name, *records)).turns)


def test_a_session_of_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path / "cli" / "K1.jsonl", *SESSION)
    path.with_suffix(".json").write_text('{"session_id": "K1", "cwd": "/repo/app", "parent_session_id": null}')
    reading = read(KIRO, path)
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "shell", "make test", None, None),
        (Role.TOOL_RESULT, "shell", json.dumps(RAN["data"]), None, False),
        (Role.TOOL_CALL, "write", "create", None, None),
        (Role.TOOL_RESULT, "write", "The tool arguments failed validation", None, False),
        (Role.TOOL_CALL, "shell", "sleep 9", None, None),
        (Role.EVENT, "shell", "", Happening.INTERRUPTION, None),
        (Role.ASSISTANT, "", "Kept.", None, None),
    ]
    first, failed, last = reading.turns[0], reading.turns[3], reading.turns[8]
    has(first, session="K1", cwd="/repo/app", at=1780300800.0, line=1, record="m1")
    assert (failed.command, failed.call, last.at) == ("make test", "c1", first.at)


def event(type_: str, **more: Any) -> Record:
    return {"id": "e1", "timestamp": "2026-06-01T08:00:00.000Z", "payload": {"type": type_, **more}}


LATE = "0/sess_1/messages.jsonl"
EVENTS = [
    event("user", content="Never push to main.", images=[], documents=[]),
    event("turn_start", executionId="x"),
    event("steering_inclusion", documents=["file:///always.md"]),
    event("assistant", content="hm", operationType="Reasoning"),
    event("assistant", content="I will test.", operationType="Say"),
    event("pending_interaction", interactionType="tool_approval", toolCallId="c1", question="Run it?"),
    event("interaction_resolved", toolCallId="c1", outcome="selected", selectedOption="always-accept"),
    event("tool_call", toolCallId="c1", toolName="execute_bash", args={"command": "make test"}, status="completed"),
    event("tool_result", toolCallId="c1", content="1 failed", success=False),
    event("interaction_resolved", toolCallId="c2", outcome="selected", selectedOption="reject"),
    event("tool_result", toolCallId="c2", content="It was rejected.", success=False),
    event("pending_interaction", interactionType="user_input", toolCallId="c3", question="Which db?"),
    event("interaction_resolved", toolCallId="c3", outcome="selected", selectedOption="SQLite"),
    event("user", content="and keep the lock", source="steer"),
    event("tombstone", kind="summarization"),
    event("assistant", content="They talked.", operationType="Summary"),
]


def test_a_session_of_the_editor(tmp_path: Path) -> None:
    path = write(tmp_path / LATE, *EVENTS)
    path.with_name("session.json").write_text('{"id": "sess_1", "workspacePaths": ["/repo/app"]}')
    reading = read(KIRO, path)
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "execute_bash", "make test", None, None),
        (Role.TOOL_RESULT, "execute_bash", "1 failed", None, False),
        (Role.EVENT, "", "", Happening.REFUSAL, False),
        (Role.EVENT, "", "SQLite", Happening.ANSWER, True),
        (Role.HUMAN, "", "and keep the lock", Happening.QUEUED, None),
        (Role.EVENT, "", "", Happening.COMPACTION, None),
    ]
    has(reading.turns[0], session="sess_1", cwd="/repo/app", at=1780300800.0, line=1, record="e1")
    assert reading.turns[3].command == "make test"


@pytest.mark.parametrize(
    ("about", "who"),
    [
        ({"parentSessionId": "s0", "createdReason": "subagent"}, (Role.ASSISTANT, True)),
        ({"parentSessionId": "s0", "createdReason": "tangent"}, (Role.HUMAN, False)),
        ({"parentSessionId": None, "workspacePaths": None}, (Role.HUMAN, False)),
    ],
)
def test_a_session_says_who_called_it(tmp_path: Path, about: Record, who: tuple[Role, bool]) -> None:
    path = write(tmp_path / LATE, event("user", content="Look."))
    path.with_name("session.json").write_text(json.dumps(about))
    (turn,) = read(KIRO, path).turns
    assert (turn.role, turn.sidechain) == who


def test_what_nobody_typed_is_no_human_turn(tmp_path: Path) -> None:
    assert said(turns(tmp_path, event("user", content="Always ask.", source="hook"), name=LATE)) == []
    assert said(turns(tmp_path, prompt("<system-reminder>x</system-reminder>"))) == []
    assert (
        happened(turns(tmp_path, prompt("a"), results("c1", part("text", "Tool use was cancelled by the user"), "error"))) == []
    )
