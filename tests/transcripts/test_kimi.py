from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from curator.model import Happening, Role, Turn
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, read, said, text, write

KIMI = FORMATS["kimi"]
AT = 1780300800000
START = {"type": "metadata", "protocol_version": "1.5", "created_at": AT}
PLACE = "sessions/wd_app_1/K1/agents/main/wire.jsonl"


def record(kind: str, **more: Any) -> Record:
    return {"type": kind, "agentId": "main", **more, "time": AT}


def message(*blocks: Record, **origin: Any) -> Record:
    origin = {"kind": "user"} | origin
    said = {"role": "user", "content": [*blocks], "id": "m1", "toolCalls": [], "origin": origin}
    return record("context.append_message", message=said)


def event(kind: str, **more: Any) -> Record:
    return record("context.append_loop_event", event={"type": kind, "uuid": "e1", **more})


def spoke(words: str) -> Record:
    return event("content.part", part=text(words))


def call(identity: str, name: str, **given: Any) -> Record:
    return event("tool.call", toolCallId=identity, name=name, args=given)


def result(identity: str, output: str, *, failed: bool = False) -> Record:
    return event("tool.result", toolCallId=identity, result={"output": output, **({"isError": True} if failed else {})})


def decided(identity: str, name: str, decision: str, **more: str) -> Record:
    result = {"decision": decision, **more}
    return record("permission.record_approval_result", toolCallId=identity, toolName=name, action="x", result=result)


QUESTION = {"question": "Which db?", "options": [{"label": "Postgres"}]}
SESSION = [
    START,
    record("profile.bind", systemPrompt="You must always obey."),
    record("turn.prompt", input=[text("Never push to main.")], origin={"kind": "user"}),
    message(text("Never push to main.")),
    message(text("<system-reminder>\nBe brief.\n</system-reminder>"), kind="injection", variant="mode"),
    event("step.begin", step=1),
    event("content.part", part={"type": "think", "think": "hm"}),
    spoke("I will test."),
    decided("c1", "Bash", "approved"),
    call("c1", "Bash", command="make test"),
    result("c1", "1 failed\nCommand failed with exit code: 2.", failed=True),
    decided("c2", "Edit", "rejected", feedback="use the helper"),
    call("c2", "Edit", path="/repo/app/a.py", old_string="a", new_string="b"),
    result("c2", 'Tool "Edit" was not run.', failed=True),
    call("c3", "AskUserQuestion", questions=[QUESTION]),
    result("c3", json.dumps({"answers": {"Which db?": "SQLite"}})),
    record("turn.steer", input=[text("and keep the lock")], origin={"kind": "user"}),
    message(text("and keep the lock")),
    message(text("<bash-input>\ncat a &lt; b\n</bash-input>"), kind="shell_command", phase="input"),
    message(text("<bash-stdout>x</bash-stdout>"), kind="shell_command", phase="output", isError=True),
    record("context.apply_compaction", summary="They talked.", compactedCount=3),
    record("turn.cancel", turnId=0, reason="user_cancelled"),
    {"message": {"message": {"role": "user", "content": [text("x")]}}, "type": "agent.message.appended", "kind": "event"},
]


def turns(tmp_path: Path, *records: Record, place: str = PLACE) -> list[Turn]:
    return list(read(KIMI, write(tmp_path / place, START, *records)).turns)


def test_a_session(tmp_path: Path) -> None:
    path = write(tmp_path / PLACE, *SESSION)
    (path.parents[2] / "state.json").write_text('{"cwd": "/repo/app"}')
    reading = read(KIMI, path)
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "Bash", "make test", None, None),
        (Role.TOOL_RESULT, "Bash", "1 failed\nCommand failed with exit code: 2.", None, False),
        (Role.TOOL_CALL, "Edit", "/repo/app/a.py\na\nb", None, None),
        (Role.EVENT, "Edit", "use the helper", Happening.REFUSAL, False),
        (Role.TOOL_CALL, "AskUserQuestion", "Which db?", None, None),
        (Role.EVENT, "AskUserQuestion", "SQLite", Happening.ANSWER, True),
        (Role.HUMAN, "", "and keep the lock", Happening.QUEUED, None),
        (Role.TOOL_CALL, "!", "cat a < b", None, None),
        (Role.TOOL_RESULT, "!", "<bash-stdout>x</bash-stdout>", None, False),
        (Role.EVENT, "", "", Happening.COMPACTION, None),
        (Role.EVENT, "", "", Happening.INTERRUPTION, None),
    ]
    first, failed, refused = reading.turns[0], reading.turns[3], reading.turns[5]
    has(first, session="K1", cwd="/repo/app", at=1780300800.0, line=4, record="m1")
    assert (failed.command, failed.call, refused.paths) == ("make test", "c1", ("/repo/app/a.py",))


def envelope(kind: str, **payload: Any) -> Record:
    return {"timestamp": AT / 1000, "message": {"type": kind, "payload": payload}}


def early_call(identity: str, name: str, **given: Any) -> Record:
    return envelope("ToolCall", type="function", id=identity, function={"name": name, "arguments": json.dumps(given)})


def early_result(identity: str, output: str, words: str, *, failed: bool = False) -> Record:
    return envelope("ToolResult", tool_call_id=identity, return_value={"is_error": failed, "output": output, "message": words})


EARLY = [
    {"type": "metadata", "protocol_version": "1.10"},
    envelope("TurnBegin", user_input="Never push to main."),
    envelope("StepBegin", n=1),
    envelope("ContentPart", type="text", text="I will test."),
    envelope("StatusUpdate", context_usage=0.1),
    early_call("c1", "Shell", command="make test"),
    early_result("c1", "1 failed", "Command failed with exit code: 2.", failed=True),
    early_call("c2", "WriteFile", path="/repo/app/a.py", content="x"),
    envelope("ApprovalRequest", id="r1", tool_call_id="c2", sender="WriteFile", action="edit", description="x"),
    envelope("ApprovalResponse", request_id="r1", response="reject", feedback="use the helper"),
    early_result("c2", "", "The tool call is rejected by the user.", failed=True),
    envelope("SteerInput", user_input=[text("and keep the lock")]),
    envelope("CompactionEnd"),
    envelope("TurnEnd"),
]


def test_a_session_of_kimi_cli(tmp_path: Path) -> None:
    folder = hashlib.md5(b"/repo/app").hexdigest()
    path = write(tmp_path / "sessions" / folder / "E1" / "wire.jsonl", *EARLY)
    (tmp_path / "kimi.json").write_text('{"work_dirs": [{"path": "/other"}, {"path": "/repo/app"}]}')
    reading = read(KIMI, path)
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "Shell", "make test", None, None),
        (Role.TOOL_RESULT, "Shell", "1 failed\nCommand failed with exit code: 2.", None, False),
        (Role.TOOL_CALL, "WriteFile", "/repo/app/a.py\nx", None, None),
        (Role.EVENT, "WriteFile", "use the helper", Happening.REFUSAL, False),
        (Role.HUMAN, "", "and keep the lock", Happening.QUEUED, None),
        (Role.EVENT, "", "", Happening.COMPACTION, None),
    ]
    has(reading.turns[0], session="E1", cwd="/repo/app", at=1780300800.0, line=2)
    assert reading.turns[3].command == "make test"


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        (message(text("Skill: always ask."), text("make it short"), skillActivations=[{"skillName": "a"}]), ["make it short"]),
        (
            message(text("Always ask."), kind="skill_activation", trigger="user-slash", skillArgs="keep it short"),
            ["keep it short"],
        ),
        (message(text("Always ask."), kind="skill_activation", trigger="model-tool", skillArgs="keep it short"), []),
        (message(text("Always ask."), kind="plugin_command", trigger="user-slash", commandArgs="fast"), []),
        (message(text("Always ask."), kind="cron_job", jobId="j"), []),
        (message(text("Always ask."), kind="hook_result", event="Stop"), []),
        (message(text("<system-reminder>x</system-reminder>")), []),
    ],
)
def test_the_origin_says_what_a_person_typed(tmp_path: Path, written: Record, typed: list[str]) -> None:
    assert said(turns(tmp_path, written)) == typed


def test_plans_are_accepted_and_refused(tmp_path: Path) -> None:
    found = []
    for number, given in enumerate(({"decision": "approved"}, {"decision": "rejected"})):
        plan = decided(f"c{number}", "ExitPlanMode", **given)
        found += [plan, call(f"c{number}", "ExitPlanMode"), result(f"c{number}", "x")]
    found += [decided("c9", "ExitPlanMode", "rejected", feedback="smaller"), call("c9", "ExitPlanMode"), result("c9", "x")]
    assert happened(turns(tmp_path, *found)) == ["answer", "refusal", "answer: smaller"]


@pytest.mark.parametrize("more", [{"reason": "aborted"}, {"target": "queued"}])
def test_what_no_person_stopped_is_no_interruption(tmp_path: Path, more: Record) -> None:
    assert happened(turns(tmp_path, record("turn.cancel", **more))) == []


def test_a_subagents_prompt_was_written_by_the_agent_that_called_it(tmp_path: Path) -> None:
    place = "sessions/wd_app_1/K1/agents/agent-1/wire.jsonl"
    (turn,) = turns(tmp_path, message(text("Look.")), place=place)
    assert (turn.role, turn.sidechain, turn.session) == (Role.ASSISTANT, True, "K1")


def test_a_session_that_was_copied_from_kimi_cli_tells_only_what_is_new(tmp_path: Path) -> None:
    copied = {key: value for key, value in message(text("Never push to main.")).items() if key != "time"}
    assert said(turns(tmp_path, copied, message(text("and keep the lock")))) == ["and keep the lock"]
