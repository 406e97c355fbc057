from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.model import Happening, Role, Turn
from curator.transcripts.base.follow import follow
from curator.transcripts.gemini import root_of
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, followed, happened, has, lines, said, turns_of, write

GEMINI = FORMATS["gemini"]
HEAD: Record = {"sessionId": "G1", "projectHash": "0" * 64, "startTime": "2026-05-01T08:00:00.000Z", "kind": "main"}


def user(identity: str, text: str, **more: Any) -> Record:
    return {"id": identity, "timestamp": "2026-05-01T08:00:01.000Z", "type": "user", "content": [{"text": text}], **more}


def spoke(identity: str, text: str, *calls: Record) -> Record:
    grown = {"toolCalls": list(calls)} if calls else {}
    return {"id": identity, "timestamp": "2026-05-01T08:00:02.000Z", "type": "gemini", "content": text, **grown}


def call(name: str, output: str = "", status: str = "success", *, error: str = "", **given: Any) -> Record:
    response = {"error": error} if error else {"output": output}
    result = [{"functionResponse": {"id": "c1", "name": name, "response": response}}]
    more = {"timestamp": "2026-05-01T08:00:03.000Z", "status": status}
    return {"id": "c1", "name": name, "args": given, "result": result, **more}


def chat(tmp_path: Path, *records: Record, name: str = "tmp/app/chats/session-2026-05-01T08-00-g1.jsonl") -> Path:
    return write(tmp_path / name, *records)


def turns(tmp_path: Path, *records: Record) -> list[Turn]:
    return turns_of(GEMINI, chat(tmp_path, HEAD, *records))


def test_a_message_that_grows_is_told_once_where_it_stands_last(tmp_path: Path) -> None:
    told = turns(
        tmp_path,
        user("u1", "Keep the retry in the client."),
        {"$set": {"lastUpdated": "2026-05-01T08:00:01.500Z"}},
        spoke("g1", "I will run the tests."),
        spoke("g1", "I will run the tests.", call("run_shell_command", "Output: 1 failed\nExit Code: 2", command="pytest -q")),
    )
    human, agent, asked, answered = told
    has(human, role=Role.HUMAN, text="Keep the retry in the client.", session="G1", at=1777622401.0)
    has(agent, role=Role.ASSISTANT, text="I will run the tests.", line=5, record="g1")
    has(asked, role=Role.TOOL_CALL, tool="run_shell_command", command="pytest -q", call="c1")
    assert (answered.role, answered.ok, answered.command) == (Role.TOOL_RESULT, False, "pytest -q")


def test_text_that_grew_is_told_as_it_is_at_last(tmp_path: Path) -> None:
    told = turns(tmp_path, spoke("g1", "I think"), spoke("g1", "I think so."), user("u1", "Good, always do."))
    assert [turn.text for turn in told] == ["I think so.", "Good, always do."]


def test_calls_wait_for_their_end(tmp_path: Path) -> None:
    waiting = call("read_file", file_path="a.py") | {"status": "executing", "result": None}
    (asked,) = turns(tmp_path, spoke("g1", "", waiting))
    assert (asked.role, asked.paths) == (Role.TOOL_CALL, ("a.py",))
    asked, answered = turns(tmp_path, spoke("g1", "", waiting), spoke("g1", "", call("read_file", "x = 1", file_path="a.py")))
    assert (answered.role, answered.ok, answered.text, answered.paths) == (Role.TOOL_RESULT, True, "x = 1", ("a.py",))


def test_what_a_person_did_to_a_call(tmp_path: Path) -> None:
    denied = "[Operation Cancelled] Reason: User denied execution."
    notice = {"id": "i1", "timestamp": "2026-05-01T08:00:04.000Z", "type": "info", "content": "Request cancelled."}
    stored = "The plan is stored at: /x/p.md"
    told = turns(
        tmp_path,
        spoke("g1", "", call("run_shell_command", status="cancelled", error=denied, command="git push")),
        notice,
        user("u1", "Push nothing."),
        notice | {"id": "i2"},
        spoke("g2", "", call("replace", "Done.", file_path="a.py", modified_by_user=True)),
        spoke("g3", "", call("ask_user", '{"answers":{"0":"Only Postgres"}}', questions=[{"question": "Which store?"}])),
        spoke("g4", "", call("exit_plan_mode", f"Plan rejected. User feedback: no cache\n\n{stored}\nRevise")),
        spoke("g5", "", call("exit_plan_mode", f"Plan rejected. No feedback provided.\n\n{stored}")),
        spoke("g6", "", call("exit_plan_mode", "Go.\n\nThe approved implementation plan is stored at: /x/p.md")),
    )
    answered = ["answer: Only Postgres", "answer: no cache", "refusal", "answer"]
    assert happened(told) == ["refusal", "interruption", "user_edit", *answered]
    assert "Which store?" in [turn.text for turn in told if turn.role is Role.TOOL_CALL]
    refused = next(turn for turn in told if turn.happening is Happening.REFUSAL)
    assert (refused.ok, refused.command, refused.call) == (False, "git push", "c1")


@pytest.mark.parametrize(
    ("filed", "words"),
    [
        ("Use @a.py\n--- Content from referenced files ---\n\nContent from @a.py:\nx", "Use @a.py"),
        ("<session_context>\nThis is set up for you.\n</session_context>", ""),
        ("<hook_context>be nice</hook_context>\n\nNo, keep it.", "No, keep it."),
        ("/chat save one", ""),
        ("/fix the flaky login test", "the flaky login test"),
        ("/srv/app/log is full, rotate it", "/srv/app/log is full, rotate it"),
        ("I ran the following shell command:\n```sh\nls\n```", ""),
    ],
)
def test_only_what_was_typed_is_a_persons(tmp_path: Path, filed: str, words: str) -> None:
    assert said(turns(tmp_path, user("u1", filed))) == ([words] if words else [])


def test_what_was_shown_wins_over_what_was_sent(tmp_path: Path) -> None:
    shown = user("u1", "Long body of a command", displayContent=[{"text": "Never squash."}])
    assert said(turns(tmp_path, shown)) == ["Never squash."]


def test_a_compaction_repeats_nothing(tmp_path: Path) -> None:
    first, reply = user("u1", "Never squash."), spoke("g1", "Fine.")
    summary = user("s1", "<state_snapshot>all so far</state_snapshot>")
    patch = {"$set": {"messages": [summary, reply], "lastUpdated": "2026-05-01T08:01:00.000Z"}}
    told = turns(tmp_path, first, reply, patch, patch, user("u2", "Go on then."))
    assert [turn.role for turn in told] == [Role.HUMAN, Role.ASSISTANT, Role.EVENT, Role.HUMAN]
    assert happened(told) == ["compaction"]


# --- the project's folder ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "named"), [("/srv/app", "/srv/app/src/a.py"), ("C:\\Work\\app", "C:\\Work\\app\\src\\a.py")]
)
def test_the_folder_is_found_by_its_hash(tmp_path: Path, folder: str, named: str) -> None:
    head = HEAD | {"projectHash": hashlib.sha256(folder.encode()).hexdigest()}
    records = [head, user("u1", "Go."), spoke("g1", "", call("write_file", "ok", file_path=named))]
    assert {turn.cwd for turn in GEMINI.read(chat(tmp_path, *records), Mark()).turns} == {folder}
    output = call("write_file", f"Successfully overwrote file: {named}. Here is the code", file_path="src/a.py")
    records = [head, user("u1", "Go."), spoke("g1", "", output)]
    assert {turn.cwd for turn in GEMINI.read(chat(tmp_path, *records), Mark()).turns} == {folder}
    notice = {"id": "i", "type": "info", "content": f"Current workspace directories:\n- {folder}"}
    assert {turn.cwd for turn in GEMINI.read(chat(tmp_path, head, notice, user("u1", "Go.")), Mark()).turns} == {folder}


def test_a_folder_that_only_looks_right_is_not_taken(tmp_path: Path) -> None:
    told = turns(tmp_path, user("u1", "Go."), spoke("g1", "", call("write_file", "ok", file_path="/srv/app/a.py")))
    assert {turn.cwd for turn in told} == {""}


def test_the_folder_as_gemini_notes_it(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, user("u1", "Go."))
    assert root_of(path) == ""
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/srv/other": "other", "/srv/app": "app"}}))
    assert root_of(path) == "/srv/app"
    (tmp_path / "tmp/app/.project_root").write_text("/srv/moved\n")
    assert root_of(path) == "/srv/moved"
    assert {turn.cwd for turn in GEMINI.read(path, Mark()).turns} == {"/srv/moved"}
    (tmp_path / "tmp/app/.project_root").unlink()
    (tmp_path / "projects.json").write_text("[" * 100_000)
    assert root_of(path) == ""


# --- reading on -------------------------------------------------------------------------------------------------------

LONG = [
    record
    for number in range(60)
    for record in (
        user(f"u{number}", f"Never do thing {number}."),
        spoke(f"g{number}", f"I won't do thing {number}."),
        spoke(f"g{number}", f"I won't do thing {number}.", call("run_shell_command", "ok", command=f"make t{number}")),
        {"$set": {"lastUpdated": "2026-05-01T08:00:01.500Z"}},
    )
]


def test_reading_on_tells_each_turn_once(tmp_path: Path) -> None:
    whole = GEMINI.read(chat(tmp_path, HEAD, *LONG), Mark()).turns
    path = chat(tmp_path, HEAD)
    known, told = followed(GEMINI, path)
    for at in range(0, len(LONG), 7):
        path.write_bytes(path.read_bytes() + lines(*LONG[at : at + 7]))
        known, more = followed(GEMINI, path, known)
        told += more
    assert told == [turn.text for turn in whole]
    assert known.old_turns >= 40


def test_another_file_in_its_place_is_read_from_the_start(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, *LONG)
    first = follow(GEMINI, path, None)
    other = HEAD | {"sessionId": "G2"}
    path.write_bytes(lines(other, *LONG, user("x", "Wholly other.")))
    again = follow(GEMINI, path, first.bookmark)
    assert again.old_turns == 0
    assert len(again.turns) == len(first.turns) + 1
    path.write_bytes(lines(other, user("x", "Short.")))
    assert [turn.text for turn in follow(GEMINI, path, again.bookmark).turns] == ["Short."]


def test_the_whole_document_that_older_versions_write(tmp_path: Path) -> None:
    path = tmp_path / "session-2025-11-01T08-00-g1.json"
    messages = [user("u1", "Never squash."), spoke("g1", "Fine.", call("read_file", "x", file_path="a.py"))]
    path.write_text(json.dumps(HEAD | {"messages": messages}, indent=2))
    told = GEMINI.read(path, Mark()).turns
    assert [turn.role for turn in told] == [Role.HUMAN, Role.ASSISTANT, Role.TOOL_CALL, Role.TOOL_RESULT]
    assert [turn.locator.line for turn in told] == [1, 2, 2, 2]


def test_the_log_of_prompts_tells_sessions_that_have_no_chat(tmp_path: Path) -> None:
    chat(tmp_path, HEAD, name="tmp/app/chats/session-2026-05-01T08-00-aaaaaaaa.jsonl")
    common = {"messageId": 0, "type": "user", "timestamp": "2026-05-01T08:00:00.000Z"}
    entries = [
        {"sessionId": "aaaaaaaa-1", **common, "message": "Told by its chat."},
        {"sessionId": "bbbbbbbb-2", **common, "message": "/quit"},
        {"sessionId": "bbbbbbbb-2", **common, "message": "Never squash."},
        {"sessionId": "bbbbbbbb-2", **common, "type": "dream"},
    ]
    path = tmp_path / "tmp" / "app" / "logs.json"
    path.write_text(json.dumps(entries, indent=2))
    (tmp_path / "tmp" / "app" / ".project_root").write_text("/srv/app")
    assert GEMINI.claims(path, path.read_bytes())
    reading = GEMINI.read(path, Mark())
    (turn,) = reading.turns
    has(turn, text="Never squash.", session="bbbbbbbb-2", cwd="/srv/app", line=3, at=1777622400.0)


def test_the_answers_of_a_version_that_calls_itself_model_are_read(tmp_path: Path) -> None:
    assert [turn.text for turn in turns(tmp_path, user("u1", "Never push."), spoke("g1", "Ok.") | {"type": "model"})] == [
        "Never push.",
        "Ok.",
    ]
