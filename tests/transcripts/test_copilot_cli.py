from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curator.model import Happening, Role, Turn
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, read, said, write

COPILOT = FORMATS["copilot-cli"]


def event(kind: str, **data: Any) -> Record:
    return {"type": kind, "data": data, "id": f"e-{kind}", "timestamp": "2026-06-01T08:00:00.000Z", "parentId": None}


def start(call: str, name: str, given: Any) -> Record:
    return event("tool.execution_start", toolCallId=call, toolName=name, arguments=given)


def done(call: str, content: str = "", *, success: bool = True, **more: Any) -> Record:
    return event("tool.execution_complete", toolCallId=call, success=success, result={"content": content}, **more)


PLACE = {"cwd": "/repo/app", "gitRoot": "/repo/app", "branch": "main"}
START = event("session.start", sessionId="K1", version=1, producer="copilot-agent", copilotVersion="1.0.64", context=PLACE)
DENIED = {"kind": "denied-interactively-by-user", "feedback": "use the helper instead"}
SESSION = [
    START,
    event("session.model_change", newModel="m"),
    event("hook.start", hookType="userPromptSubmitted", input={"prompt": "Never push to main."}),
    event("system.message", role="system", content="You must always obey."),
    event("user.message", content="Never push to main.", transformedContent="<current_datetime>x</current_datetime>Never"),
    event("assistant.turn_start", turnId="0"),
    event("assistant.message", content="", toolRequests=[{"toolCallId": "c1", "name": "bash"}], reasoningText="hm"),
    start("c1", "bash", {"command": "make test", "description": "Run the tests"}),
    done("c1", "1 failed\n<shellId: 3 completed with exit code 2>"),
    start("c2", "edit", {"path": "/repo/app/a.py", "old_str": "a", "new_str": "b"}),
    event("permission.requested", requestId="r", permissionRequest={"kind": "write", "toolCallId": "c2"}),
    event("permission.completed", requestId="r", toolCallId="c2", result=DENIED),
    done("c2", success=False, error={"message": "The user rejected this tool call.", "code": "rejected"}),
    event("user.message", content="and keep the lock", delivery="steering"),
    event("assistant.message", content="Kept."),
    event("abort", reason="user_initiated"),
    event("session.compaction_start"),
    event("session.compaction_complete", success=True, summaryContent="They talked."),
    event("session.shutdown", codeChanges={}),
]


def turns(tmp_path: Path, *records: Record) -> list[Turn]:
    return list(read(COPILOT, write(tmp_path / "K1" / "events.jsonl", START, *records)).turns)


def test_a_session(tmp_path: Path) -> None:
    reading = read(COPILOT, write(tmp_path / "K1" / "events.jsonl", *SESSION))
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.TOOL_CALL, "bash", "make test", None, None),
        (Role.TOOL_RESULT, "bash", "1 failed\n<shellId: 3 completed with exit code 2>", None, False),
        (Role.TOOL_CALL, "edit", "/repo/app/a.py\na\nb", None, None),
        (Role.EVENT, "edit", "use the helper instead", Happening.REFUSAL, False),
        (Role.HUMAN, "", "and keep the lock", Happening.QUEUED, None),
        (Role.ASSISTANT, "", "Kept.", None, None),
        (Role.EVENT, "", "", Happening.INTERRUPTION, None),
        (Role.EVENT, "", "", Happening.COMPACTION, None),
    ]
    first, result, refusal = reading.turns[0], reading.turns[2], reading.turns[4]
    has(first, session="K1", cwd="/repo/app", branch="main", at=1780300800.0, line=5, record="e-user.message")
    assert (result.command, result.call, refusal.paths) == ("make test", "c1", ("/repo/app/a.py",))


@pytest.mark.parametrize(
    ("name", "content", "more", "ok"),
    [
        ("bash", "fine\n<exited with exit code 0>", {}, True),
        ("bash", "still running", {}, None),
        ("view", "1. x", {}, True),
        ("view", "", {"success": False, "error": {"message": "Path does not exist", "code": "failure"}}, False),
        ("bash", "", {"success": False, "error": {"message": "Denied by preToolUse hook: no"}}, None),
    ],
)
def test_whether_a_call_succeeded(tmp_path: Path, name: str, content: str, more: Record, ok: bool | None) -> None:
    turn = turns(tmp_path, start("c1", name, {"command": "x", "path": "y"}), done("c1", content, **more))[-1]
    assert (turn.role, turn.ok) == (Role.TOOL_RESULT, ok)
    assert turn.text


def test_a_refusal_in_a_result_alone_and_a_patch_that_names_its_files(tmp_path: Path) -> None:
    error = {"message": "The user rejected this tool call. User feedback: not on main", "code": "rejected"}
    found = turns(tmp_path, start("c1", "bash", {"command": "x"}), done("c1", success=False, error=error))
    assert happened(found) == ["refusal: not on main"]
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Move to: b.py\n*** End Patch"
    (turn,) = turns(tmp_path, start("c1", "apply_patch", patch))
    assert (turn.paths, turn.text) == (("a.py", "b.py"), patch)


def test_answers_and_plans(tmp_path: Path) -> None:
    found = turns(
        tmp_path,
        start("q1", "ask_user", {"question": "Which cache?", "choices": ["a", "b"]}),
        done("q1", "User responded: neither: keep it out of process"),
        start("q2", "ask_user", {"question": "Sure?"}),
        done("q2", "User selected: yes"),
        event("exit_plan_mode.requested", requestId="p", planContent="1. do it"),
        event("exit_plan_mode.completed", requestId="p", approved=True),
        event("exit_plan_mode.completed", requestId="p", approved=False, feedback="smaller steps"),
        event("exit_plan_mode.completed", requestId="p", approved=False),
    )
    assert found[0].text == "Which cache?"
    answers = ["answer: neither: keep it out of process", "answer: yes", "answer", "answer: smaller steps"]
    assert happened(found) == [*answers, "refusal"]
    assert [turn.ok for turn in found if turn.role is Role.EVENT] == [True, True, True, False, False]


@pytest.mark.parametrize(
    "data",
    [
        {"content": "go on", "isAutopilotContinuation": True},
        {"content": "how to make a pdf", "source": "skill-pdf"},
        {"content": "<system-reminder>be brief</system-reminder>"},
        {"content": ""},
        {"content": None},
        {"content": "do the part", "source": "agent-7"},
    ],
)
def test_what_nobody_typed_is_no_human_turn(tmp_path: Path, data: Record) -> None:
    assert said(turns(tmp_path, event("user.message", **data))) == []


def test_subagents_and_programs_are_marked(tmp_path: Path) -> None:
    inner = {**event("assistant.message", content="found it"), "agentId": "a1"}
    called = event("assistant.message", content="x", parentToolCallId="c")
    found = turns(tmp_path, inner, called, event("user.message", content="y"))
    assert [turn.sidechain for turn in found] == [True, True, False]
    (prompt,) = turns(tmp_path, event("user.message", content="[[ ## question ## ]]\nwhat?"))
    assert prompt.automated
    detached = {**START, "data": {**START["data"], "detachedFromSpawningParentSessionId": "P"}}
    (turn,) = read(COPILOT, write(tmp_path / "d" / "events.jsonl", detached, event("assistant.message", content="z"))).turns
    assert (turn.sidechain, turn.automated) == (True, True)


def test_a_persons_own_command(tmp_path: Path) -> None:
    asked = event("tool.user_requested", toolCallId="c1", toolName="bash", arguments={"command": "ls"})
    found = turns(tmp_path, asked, start("c1", "bash", {"command": "ls"}), done("c1", "a"))
    assert [turn.role for turn in found] == [Role.TOOL_CALL, Role.TOOL_RESULT]
    assert {(turn.tool, turn.command) for turn in found} == {("!", "ls")}


def test_where_a_session_runs_may_change_or_stand_beside_it(tmp_path: Path) -> None:
    words = event("user.message", content="x")
    moved = turns(tmp_path, words, event("session.context_changed", cwd="/repo/other", branch="fix"), words)
    assert [(turn.cwd, turn.branch) for turn in moved] == [("/repo/app", "main"), ("/repo/other", "fix")]
    resumed = turns(tmp_path, event("session.resume", context={"cwd": "/b", "branch": "c"}), words)
    assert resumed[0].cwd == "/b"
    early = event("session.start", sessionId="K0", copilotVersion="0.0.369")
    trusted = event("session.info", infoType="folder_trust", message="Folder /repo/x has been added to trusted folders.")
    assert read(COPILOT, write(tmp_path / "K0.jsonl", early, trusted, words)).turns[0].cwd == "/repo/x"
    (tmp_path / "K2").mkdir()
    (tmp_path / "K2" / "workspace.yaml").write_text("id: K2\ncwd: /repo/y\nbranch: dev\n")
    (turn,) = read(COPILOT, write(tmp_path / "K2" / "events.jsonl", early, words)).turns
    assert (turn.cwd, turn.branch) == ("/repo/y", "dev")
