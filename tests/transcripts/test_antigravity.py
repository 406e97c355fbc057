from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.model import Happening, Role, Turn
from curator.transcripts.antigravity import CUT, FULL
from curator.transcripts.base.follow import follow
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, lines, new, read, said, write

ANTIGRAVITY = FORMATS["antigravity"]
PLACE = f"antigravity-cli/brain/A1/.system_generated/logs/{FULL}"
SHORT_PLACE = PLACE.replace(FULL, CUT[0])
DENIED = 'permission check failed for write_file "/repo/app/a.py": user denied permission for write_file(/repo/app/a.py)'


def step(number: int, kind: str, source: str = "MODEL", status: str = "DONE", **more: Any) -> Record:
    return {
        "step_index": number,
        "source": source,
        "type": kind,
        "status": status,
        "created_at": "2026-06-01T08:00:00Z",
        **more,
    }


def request(number: int, words: str, behind: str = "The current local time is: 8.") -> Record:
    content = f"<USER_REQUEST>\n{words}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\n{behind}\n</ADDITIONAL_METADATA>"
    return step(number, "USER_INPUT", "USER_EXPLICIT", content=content)


def planner(number: int, words: str = "", *calls: Record, **more: Any) -> Record:
    made: Record = {"tool_calls": [*calls]} if calls else {}
    return step(number, "PLANNER_RESPONSE", **made, **({"content": words} if words else {}), **more)


def call(name: str, **given: Any) -> Record:
    return {"name": name, "args": {**given, "toolAction": "Working", "toolSummary": "Work"}}


def result(number: int, text: str, kind: str = "GENERIC", **more: Any) -> Record:
    return step(
        number, kind, content=f"Created At: 2026-06-01T08:00:00Z\nCompleted At: 2026-06-01T08:00:01Z\n\n\t\t{text}", **more
    )


SESSION = [
    request(0, "Never push to main."),
    step(1, "CONVERSATION_HISTORY", "SYSTEM"),
    planner(2, "I will test.", call("run_command", CommandLine="make test", Cwd="/repo/app"), thinking="hm"),
    result(3, "The command exited with code 2.\n\t\tOutput:\n1 failed"),
    planner(
        4, "", call("write_to_file", TargetFile="/repo/app/a.py", CodeContent="x"), call("view_file", AbsolutePath="/a.md")
    ),
    step(5, "GENERIC", status="ERROR", error=DENIED, content="Encountered error in step execution"),
    result(6, "notes", "VIEW_FILE"),
    planner(7, "", call("ask_question", questions=[{"question": "Which database?", "options": ["SQLite"]}])),
    result(8, "A1: SQLite"),
    step(9, "SYSTEM_MESSAGE", "SYSTEM", content="Task done."),
    planner(10, "On it", status="RUNNING"),
    planner(10, "Kept."),
]


def test_a_session(tmp_path: Path) -> None:
    reading = read(ANTIGRAVITY, write(tmp_path / PLACE, *SESSION))
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "run_command", "make test", None, None),
        (Role.TOOL_RESULT, "run_command", "The command exited with code 2.\n\t\tOutput:\n1 failed", None, False),
        (Role.TOOL_CALL, "write_to_file", "/repo/app/a.py\nx", None, None),
        (Role.TOOL_CALL, "view_file", "/a.md", None, None),
        (Role.EVENT, "write_to_file", "", Happening.REFUSAL, False),
        (Role.TOOL_RESULT, "view_file", "notes", None, True),
        (Role.TOOL_CALL, "ask_question", "Which database?", None, None),
        (Role.EVENT, "ask_question", "SQLite", Happening.ANSWER, True),
        (Role.ASSISTANT, "", "Kept.", None, None),
    ]
    first, failed, refused = reading.turns[0], reading.turns[3], reading.turns[6]
    has(first, session="A1", at=1780300800.0, line=1, sidechain=False)
    assert (failed.command, failed.call, failed.cwd, refused.paths) == ("make test", "3", "/repo/app", ("/repo/app/a.py",))


def turns(tmp_path: Path, *records: Record, place: str = PLACE) -> list[Turn]:
    return list(read(ANTIGRAVITY, write(tmp_path / place, *records, planner(99, "Done."))).turns)


def test_the_shorter_log_encodes_arguments_and_gives_way_to_the_full_one(tmp_path: Path) -> None:
    given = call("run_command", CommandLine='"make test"', Cwd='"/repo/app"', WaitMs="500", Note='"cut <truncated 9 bytes>')
    told = turns(tmp_path, request(0, "Go."), planner(1, "", given), place=SHORT_PLACE)
    assert (told[1].command, told[1].cwd, "cut <truncated" in told[1].text) == ("make test", "/repo/app", False)
    assert list(ANTIGRAVITY.find(tmp_path)) == [tmp_path / SHORT_PLACE]
    full = write(tmp_path / PLACE, *SESSION)
    assert list(ANTIGRAVITY.find(tmp_path)) == [full]


@pytest.mark.parametrize(
    ("record", "ok"),
    [
        (result(2, "The command completed successfully.\n\t\tOutput:\nThe command exited with code 1."), True),
        (result(2, "The command exited with code 0."), True),
        (result(2, "The command failed with exit code: 127"), False),
        (result(2, "x", "RUN_COMMAND", exit_code=1), False),
        (result(2, "x", "GREP_SEARCH", status="ERROR"), False),
        (result(2, "Running in the background", "RUN_COMMAND", status="RUNNING"), None),
        (step(2, "ERROR_MESSAGE", "SYSTEM", error="invalid tool call"), False),
    ],
)
def test_what_a_result_says_of_its_call(tmp_path: Path, record: Record, ok: bool | None) -> None:
    told = turns(tmp_path, request(0, "Go."), planner(1, "", call("run_command", CommandLine="make")), record)
    assert [(turn.command, turn.ok) for turn in told if turn.role is Role.TOOL_RESULT] == [("make", ok)]


@pytest.mark.parametrize(
    "record",
    [
        step(0, "USER_INPUT", "SYSTEM", content="<USER_REQUEST>Always ask.</USER_REQUEST>"),
        request(0, "go</USER_REQUEST><USER_REQUEST>Always ask."),
        request(0, "[Message] timestamp=8 sender=A0 content=Always ask."),
        request(0, "<subagent_reminder>Tell your caller.</subagent_reminder> Always ask."),
        step(0, "USER_INPUT", "USER_EXPLICIT", content="<USER_SETTINGS_CHANGE>\nAlways ask.\n</USER_SETTINGS_CHANGE>"),
    ],
)
def test_what_nobody_typed_is_no_human_turn(tmp_path: Path, record: Record) -> None:
    assert "Always ask." not in "".join(said(turns(tmp_path, record)))


def test_a_skipped_question_and_an_error_of_a_server_are_no_acts_of_a_person(tmp_path: Path) -> None:
    asked = planner(1, "", call("ask_question", questions=[{"question": "Which?"}]), call("mcp_web_fetch"))
    told = turns(
        tmp_path, request(0, "Go."), asked, result(2, "A1: User Skipped"), step(3, "GENERIC", status="ERROR", error="no")
    )
    assert happened(told) == []


def test_the_folder_is_that_of_the_history_else_of_a_command_else_of_the_open_file(tmp_path: Path) -> None:
    behind = "Active Document: d:\\work\\app\\src\\a.py (LANGUAGE_PYTHON)\nCursor is on line: 1"
    records = (request(0, "Go.", behind), planner(1, "", call("run_command", CommandLine="ls", Cwd="/repo/app")))
    assert [turn.cwd for turn in turns(tmp_path, *records)] == ["d:\\work\\app\\src", "/repo/app", "/repo/app"]
    of_ours = behind.replace("work", ".gemini")
    assert turns(tmp_path, request(0, "Go.", of_ours))[0].cwd == ""
    other, own = (
        {"conversationId": "A0", "workspace": "/else"},
        {"conversationId": "A1", "workspace": "/srv/app", "display": "Go."},
    )
    (tmp_path / "antigravity-cli" / "history.jsonl").write_bytes(b"A1\n" + lines(other, own))
    assert {turn.cwd for turn in turns(tmp_path, *records)} == {"/srv/app"}


def test_a_subagents_prompt_was_written_by_the_agent_that_called_it(tmp_path: Path) -> None:
    made = 'Created the following subagents:\n{\n  "conversationId": "A1"\n}'
    caller = [request(0, "Look."), planner(1, "", call("invoke_subagent")), result(2, made, "INVOKE_SUBAGENT")]
    write(tmp_path / PLACE.replace("A1", "A0"), *caller)
    quoted = tmp_path / PLACE.replace("A1", "A2")
    write(quoted, request(0, "Look."), result(1, json.dumps(made), "VIEW_FILE"))
    (turn, _) = turns(tmp_path, request(0, "Always ask."))
    assert (turn.role, turn.sidechain) == (Role.ASSISTANT, True)
    os.remove(tmp_path / PLACE.replace("A1", "A0"))
    assert said(turns(tmp_path, request(0, "Always ask."))) == ["Always ask."]


def test_a_prompt_waits_until_it_is_clear_whose_it_is(tmp_path: Path) -> None:
    path = write(tmp_path / PLACE, request(0, "Never push to main."))
    progress = follow(ANTIGRAVITY, path, None)
    assert not progress.turns
    write(path, request(0, "Never push to main."), planner(1, "Right."))
    assert new(follow(ANTIGRAVITY, path, progress.bookmark)) == ["Never push to main.", "Right."]


def test_a_log_elsewhere_is_named_by_its_file(tmp_path: Path) -> None:
    assert {turn.session for turn in turns(tmp_path, *SESSION, place=FULL)} == {FULL.removesuffix(".jsonl")}
    with pytest.raises(FileNotFoundError):
        ANTIGRAVITY.read(tmp_path / "absent.jsonl", Mark())
