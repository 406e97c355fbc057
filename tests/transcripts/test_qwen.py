from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark
from curator.model import Happening, Role, Turn
from curator.plugins import formats
from curator.transcripts.base.discover import format_of
from curator.transcripts.base.follow import follow
from curator.transcripts.claude_code import ClaudeCode
from curator.transcripts.qwen import Qwen
from tests.transcripts.transcript_records import Record, happened, lines, said, write

QWEN = Qwen()
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
    reading = QWEN.read(chat(tmp_path, *records), Mark())
    assert not reading.errors
    assert not reading.unknown
    return list(reading.turns)


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
    assert (human.role, human.text, human.session, human.cwd, human.branch) == (
        Role.HUMAN,
        "Keep the retry in the client.",
        "Q1",
        "/srv/app",
        "main",
    )
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
    assert happened(told) == [
        (Happening.REFUSAL, ""),
        (Happening.ANSWER, "Only Postgres"),
        (Happening.COMPACTION, ""),
    ]
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
    assert [(turn.role, turn.sidechain) for turn in told if turn.role is not Role.HUMAN] == [
        (Role.ASSISTANT, True),
        (Role.ASSISTANT, False),
    ]


def test_a_session_that_another_one_opened_is_automated(tmp_path: Path) -> None:
    (turn,) = turns(tmp_path, system("parent_session", parentSessionId="Q0"), user("Go."))
    assert turn.automated


def test_repeated_and_unknown_records(tmp_path: Path) -> None:
    once = user("Never squash.")
    reading = QWEN.read(chat(tmp_path, once, once, record("dream")), Mark())
    assert [turn.text for turn in reading.turns] == ["Never squash."]
    assert reading.unknown == {"dream": 1}


def test_reading_on_pairs_calls_with_results(tmp_path: Path) -> None:
    path = chat(tmp_path, user("Go."), spoke(called("run_shell_command", command="make")))
    first = follow(QWEN, path, None)
    path.write_bytes(path.read_bytes() + lines(result("fine")))
    again = follow(QWEN, path, first.bookmark)
    (new,) = again.turns[again.old_turns :]
    assert (new.role, new.command, new.ok) == (Role.TOOL_RESULT, "make", True)


def test_its_records_are_not_taken_for_claude_codes(tmp_path: Path) -> None:
    path = chat(tmp_path, user("Go."))
    found = format_of(path, formats())
    assert found is not None
    assert found.agent == "qwen"
    titled = write(tmp_path / "x" / "chats" / "Q2.jsonl", system("session_source", sourceType="cli"))
    assert QWEN.claims(titled, titled.read_bytes())
    theirs = {"parentUuid": None, "sessionId": "S", "type": "user", "message": {"role": "user", "content": "Go."}}
    other = write(tmp_path / "S.jsonl", theirs)
    assert not QWEN.claims(other, other.read_bytes())
    assert ClaudeCode().claims(other, other.read_bytes())


def test_chats_in_geminis_format(tmp_path: Path) -> None:
    path = tmp_path / ".qwen" / "tmp" / "abc" / "chats" / "session-1.json"
    path.parent.mkdir(parents=True)
    message = {"id": "m1", "timestamp": "2025-10-01T08:00:00Z", "type": "user", "content": "Never squash."}
    path.write_text(
        json.dumps({"sessionId": "Q0", "projectHash": "0", "messages": [message, {**message, "id": "m2", "type": "qwen"}]})
    )
    assert QWEN.find(tmp_path / ".qwen") == (path,)
    human, agent = QWEN.read(path, Mark()).turns
    assert (human.agent, human.role, agent.role) == ("qwen", Role.HUMAN, Role.ASSISTANT)
    assert QWEN.roots(Path("/home/me"), {"QWEN_HOME": "/q"}) == (Path("/q/projects"), Path("/q/tmp"))
