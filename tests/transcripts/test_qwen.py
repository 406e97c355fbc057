from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from curator.model import Happening, Role, Turn
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, said, turns_of, write

QWEN = FORMATS["qwen"]
_ids = itertools.count()


def record(kind: str, *parts: Record, role: str = "user", **more: Any) -> Record:
    common = {"uuid": f"q{next(_ids)}", "parentUuid": None, "sessionId": "Q1", "timestamp": "2026-05-01T08:00:00.000Z"}
    place = {"cwd": "/srv/app", "version": "0.24.7", "gitBranch": "main"}
    return {**common, "type": kind, **place, "message": {"role": role, "parts": list(parts)}, **more}


def user(text: str, **more: Any) -> Record:
    return record("user", {"text": text}, **more)


def spoke(*parts: Record) -> Record:
    return record("assistant", *parts, role="model", model="some-model")


def called(name: str, call: str = "c1", **given: Any) -> Record:
    return {"functionCall": {"id": call, "name": name, "args": given}}


def result(output: str = "", status: str = "success", call: str = "c1", *, error: str = "") -> Record:
    response = {"error": error} if error else {"output": output}
    answer = {"functionResponse": {"id": call, "name": "some_tool", "response": response}}
    return record("tool_result", answer, toolCallResult={"callId": call, "status": status, "resultDisplay": "shown"})


def system(subtype: str, **payload: Any) -> Record:
    made = record("system", subtype=subtype, systemPayload=payload)
    del made["message"]
    return made


def chat(tmp_path: Path, *records: Record) -> Path:
    return write(tmp_path / ".qwen" / "projects" / "-srv-app" / "chats" / "Q1.jsonl", *records)


def turns(tmp_path: Path, *records: Record) -> list[Turn]:
    return turns_of(QWEN, chat(tmp_path, *records))


def test_words_calls_and_results(tmp_path: Path) -> None:
    shell = called("run_shell_command", command="make test")
    failed = "Command: make test\nDirectory: (root)\nOutput: 1 failed\nExit Code: 2\nSignal: (none)"
    told = turns(
        tmp_path,
        user("Keep the retry in the client."),
        spoke({"text": "Hm.", "thought": True}, {"text": "I will test."}, shell),
        result(failed),
        spoke(called("edit", "c2", file_path="a.py")),
        result("", call="c2"),
    )
    human, agent, asked, answered, edit, edited = told
    has(human, role=Role.HUMAN, text="Keep the retry in the client.", session="Q1", cwd="/srv/app", branch="main")
    assert human.locator.record.startswith("q")
    assert (agent.role, agent.text, agent.locator.line) == (Role.ASSISTANT, "I will test.", 2)
    assert (asked.role, asked.tool, asked.command) == (Role.TOOL_CALL, "run_shell_command", "make test")
    assert (answered.role, answered.ok, answered.command, answered.call) == (Role.TOOL_RESULT, False, "make test", "c1")
    assert edit.paths == edited.paths == ("a.py",)
    assert (edited.ok, edited.text, edited.tool) == (True, "shown", "edit")


def test_what_a_person_did(tmp_path: Path) -> None:
    denied = "[Operation Cancelled] Reason: User denied execution."
    told = turns(
        tmp_path,
        spoke(called("run_shell_command", command="git push")),
        result(status="cancelled", error=denied),
        spoke(called("ask_user_question", "c2", questions=[{"question": "Which store?"}])),
        result('{"answers":{"0":"Only Postgres"}}', call="c2"),
        system("chat_compression", info={}, compressedHistory=[{"role": "user", "parts": [{"text": "all so far"}]}]),
        user("and use tabs", subtype="mid_turn_user_message", systemPayload={"displayText": "and use tabs"}),
    )
    assert happened(told) == ["refusal", "answer: Only Postgres", "compaction"]
    assert (told[-1].role, told[-1].happening) == (Role.HUMAN, Happening.QUEUED)


def test_only_what_was_typed_is_a_persons(tmp_path: Path) -> None:
    told = turns(
        tmp_path,
        user("job done", subtype="notification", systemPayload={"displayText": "job done"}),
        user("Cron fired", subtype="cron"),
        user("Go on with the goal.", provenance="goal_control"),
        user("<system-reminder>be nice</system-reminder>"),
        user("The whole body of a command", systemPayload={"displayText": "/review the login flow only", "hookContext": ""}),
        user("Never squash.", provenance="real_user"),
        user("Look at the logs.", isSidechain=True, agentId="explore-1"),
        user("You are a worker.", subtype="agent_launch_prompt"),
        system("slash_command", phase="invocation", rawCommand="/about"),
        system("ui_telemetry", uiEvent={}),
    )
    assert said(told) == ["the login flow only", "Never squash."]
    assert [turn.sidechain for turn in told if turn.role is Role.ASSISTANT] == [True, False]


def test_a_record_that_is_repeated_gives_one_turn(tmp_path: Path) -> None:
    once = user("Never squash.")
    assert [turn.text for turn in turns(tmp_path, once, once)] == ["Never squash."]
