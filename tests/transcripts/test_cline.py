from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark, Reading
from curator.model import Happening, Role, Turn
from curator.transcripts.cline import API
from tests.files import write_file
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, said

CLINE = FORMATS["cline"]
START = 1_780_300_800_000


def say(kind: str, text: str = "", **more: Any) -> Record:
    return {"ts": START, "type": "say", "say": kind, "text": text, **more}


def ask(kind: str, text: str = "", **more: Any) -> Record:
    return {"ts": START, "type": "ask", "ask": kind, "text": text, **more}


def tool(name: str, **given: Any) -> str:
    return json.dumps({"tool": name, **given})


def user(*texts: str) -> Record:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def agent(*texts: str) -> Record:
    return {"role": "assistant", "content": [{"type": "text", "text": text} for text in texts]}


ENVIRONMENT = "<environment_details>\n# Current Working Directory (/repo/app) Files\na.py\n</environment_details>"
DENIED = "[write_to_file for 'b.py'] Result:\nThe user denied this operation."
UI = [
    say("text", "Never use a global lock."),
    say("checkpoint_created"),
    say("api_req_started", '{"request":"<task>Never use a global lock.</task>"}'),
    say("reasoning", "hm", partial=False),
    say("text", "I look", partial=True, conversationHistoryIndex=0),
    say("tool", tool("readFile", path="a.py", content="/repo/app/a.py"), conversationHistoryIndex=0),
    say("api_req_started", '{"request":"[read_file for \'a.py\'] Result: x"}'),
    ask("tool", tool("newFileCreated", path="b.py", content="lock = 1"), conversationHistoryIndex=2),
    say("user_feedback", "no, use the queue instead", conversationHistoryIndex=2),
    say("api_req_started", "{}"),
    ask("command", "make test" + "REQ_APP", conversationHistoryIndex=4),
    ask("command_output", "1 failed"),
    say("user_feedback_diff", tool("editedExistingFile", path="c.py", diff="-a\n+b")),
    say("api_req_started", '{"request":"x","cancelReason":"user_cancelled"}'),
    ask("resume_task"),
    say("user_feedback", "go on with the queue"),
    say("completion_result", "Done.HAS_CHANGES"),
    ask("completion_result", ""),
]
HISTORY = [
    user("<task>\nNever use a global lock.\n</task>", ENVIRONMENT),
    agent("I look at it first."),
    user("[read_file for 'a.py'] Result:\nx = 1", ENVIRONMENT),
    agent("I write it."),
    user(DENIED, "The user provided the following feedback:\n<feedback>\nno, use the queue instead\n</feedback>", ENVIRONMENT),
    agent("I run it."),
    user("[execute_command for 'make test'] Result:\nCommand executed with exit code 2\nOutput:\n1 failed", ENVIRONMENT),
]


def write(tmp_path: Path, ui: Any, api: Any = None) -> Path:
    path = write_file(tmp_path / "tasks" / "1780300800000" / "ui_messages.json", json.dumps(ui))
    if api is not None:
        path.with_name(API).write_text(json.dumps(api))
    return path


def read(tmp_path: Path, ui: Any, api: Any = None) -> Reading:
    reading = CLINE.read(write(tmp_path, ui, api), Mark())
    assert not reading.errors
    return reading


def turns(tmp_path: Path, *ui: Record, api: Any = None) -> list[Turn]:
    return list(read(tmp_path, [UI[0], *ui], api).turns[1:])


def test_a_task(tmp_path: Path) -> None:
    reading = read(tmp_path, UI, HISTORY)
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.ok, turn.locator.line) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never use a global lock.", None, 1),
        (Role.ASSISTANT, "", "I look at it first.", None, 5),
        (Role.TOOL_CALL, "readFile", "a.py", None, 6),
        (Role.TOOL_RESULT, "readFile", "x = 1", True, 6),
        (Role.TOOL_CALL, "newFileCreated", "lock = 1", None, 8),
        (Role.EVENT, "newFileCreated", "no, use the queue instead", False, 9),
        (Role.TOOL_CALL, "execute_command", "make test", None, 11),
        (Role.TOOL_RESULT, "execute_command", "Command executed with exit code 2\nOutput:\n1 failed", False, 11),
        (Role.EVENT, "", "", None, 13),
        (Role.EVENT, "", "", None, 14),
        (Role.HUMAN, "", "go on with the queue", None, 16),
        (Role.ASSISTANT, "", "Done.", None, 17),
    ]
    has(reading.turns[0], session="1780300800000", cwd="/repo/app", at=1780300800.0)
    has(reading.turns[5], happening=Happening.REFUSAL, paths=("b.py",))
    assert reading.turns[7].command == "make test"
    assert [turn.happening for turn in reading.turns[8:10]] == [Happening.USER_EDIT, Happening.INTERRUPTION]


def test_without_its_sibling_outputs_are_told_as_they_were_shown(tmp_path: Path) -> None:
    found = turns(
        tmp_path,
        ask("command", "make"),
        ask("command_output", "1 failed"),
        say("tool", tool("searchFiles", path=".", regex="lock", content="a.py: lock")),
        say("error", "no such file"),
        say("diff_error", "a.py"),
        ask("tool", tool("newFileCreated", path="b.py", content="x")),
        say("user_feedback", "fine, but smaller"),
    )
    assert [(turn.role, turn.text, turn.ok) for turn in found] == [
        (Role.TOOL_CALL, "make", None),
        (Role.TOOL_RESULT, "1 failed", None),
        (Role.TOOL_CALL, ".\nlock", None),
        (Role.TOOL_RESULT, "a.py: lock", None),
        (Role.TOOL_RESULT, "no such file", False),
        (Role.TOOL_RESULT, "a.py", False),
        (Role.TOOL_CALL, "x", None),
        (Role.HUMAN, "fine, but smaller", None),
    ]


@pytest.mark.parametrize(
    ("result", "happening"),
    [
        ("The user denied this operation.", Happening.REFUSAL),
        ('{"status":"denied","message":"The user denied this operation."}', Happening.REFUSAL),
        ('{"status":"denied","feedback":"not there"}', Happening.REFUSAL),
        ("The user denied this operation with:\n<feedback>\nnot there\n</feedback>", Happening.REFUSAL),
        ("The tool execution failed with the following error:\n<error>\nx\n</error>", None),
        ('{"status":"error","error":"no such file"}', None),
    ],
)
def test_what_became_of_a_call(tmp_path: Path, result: str, happening: Happening | None) -> None:
    """A reason is told by the message that a person wrote; in a result it may be what a file or a command says."""
    shown = [say("api_req_started"), ask("tool", tool("newFileCreated", path="b.py"))]
    texts = [user("x"), agent("y"), user(f"[write_to_file for 'b.py'] Result:\n{result}")]
    native = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": result}]}
    blocks = [user("x"), agent("y"), {"role": "user", "content": [native]}]
    timed = [{**message, "ts": START + 1000 * place} for place, message in enumerate(texts, -1)]
    for api in (texts, blocks, timed):
        outcome = read(tmp_path, [UI[0], *shown, say("api_req_started")], api).turns[-1]
        assert (outcome.happening, outcome.ok) == (happening, False)
        assert not happening or not outcome.text


def test_an_error_in_place_of_a_call_is_told_as_the_model_heard_it(tmp_path: Path) -> None:
    api = [user("x"), agent("y"), user("[replace_in_file for 'a.py'] Result:\nThe tool execution failed: no such lines in it")]
    shown = [say("api_req_started"), say("diff_error", "a.py"), say("error", "again")]
    found = turns(tmp_path, *shown, api=api)
    assert [(turn.text, turn.ok) for turn in found] == [("The tool execution failed: no such lines in it", False)]


def test_questions_and_their_answers(tmp_path: Path) -> None:
    question = json.dumps({"question": "Which cache?", "options": ["a", "b"]})
    found = turns(
        tmp_path,
        ask("followup", question),
        say("user_feedback", "none: keep it simple"),
        ask("followup", json.dumps({"question": "Sure?", "selected": "yes"})),
        ask("followup", "How many?"),
        say("user_feedback", "two"),
        ask("plan_mode_respond", json.dumps({"response": "1. do it", "selected": "later"})),
        say("user_feedback", "start with the tests"),
    )
    assert [(turn.role, turn.text, turn.call) for turn in found] == [
        (Role.TOOL_CALL, "Which cache?", "2"),
        (Role.EVENT, "none: keep it simple", "2"),
        (Role.TOOL_CALL, "Sure?", "4"),
        (Role.EVENT, "yes", "4"),
        (Role.TOOL_CALL, "How many?", "5"),
        (Role.EVENT, "two", "5"),
        (Role.ASSISTANT, "1. do it", ""),
        (Role.EVENT, "later", "7"),
        (Role.HUMAN, "start with the tests", ""),
    ]
    assert {turn.happening for turn in found if turn.role is Role.EVENT} == {Happening.ANSWER}


COMPACTIONS = [say("compaction", '{"status":"completed","mode":"auto"}'), say("tool", tool("summarizeTask"))]
COMPACTIONS += [say("condense_context"), say("sliding_window_truncation"), ask("condense"), ask("summarize_task")]


def test_events(tmp_path: Path) -> None:
    assert happened(turns(tmp_path, *COMPACTIONS)) == ["compaction"] * len(COMPACTIONS)
    assert happened(turns(tmp_path, say("user_edit_todos", "[]"))) == ["user_edit"]
    assert turns(tmp_path, say("compaction", '{"status":"started"}')) == []


def test_other_tools(tmp_path: Path) -> None:
    found = turns(
        tmp_path,
        ask("use_mcp_server", json.dumps({"serverName": "db", "toolName": "query", "arguments": '{"q":1}'})),
        say("mcp_server_response", "3 rows"),
        say("browser_action_launch", "http://localhost"),
        say("tool", tool("readFile", batchFiles=[{"path": "a.py"}, {"path": "b.py"}])),
        say("subtask_result", "The part is done."),
        say("plan_completion_result", "A plan."),
    )
    assert [turn.tool for turn in found] == ["mcp__db__query", "execute_command", "browser_action", "readFile", "", ""]
    calls = [Role.TOOL_CALL, Role.TOOL_RESULT, Role.TOOL_CALL, Role.TOOL_CALL]
    assert [turn.role for turn in found] == [*calls, Role.ASSISTANT, Role.ASSISTANT]
    assert found[3].paths == ("a.py", "b.py")


def test_a_subtasks_prompt_is_its_agents(tmp_path: Path) -> None:
    path = write(tmp_path, [say("text", "Do the part."), say("text", "Doing.")])
    path.with_name("history_item.json").write_text('{"id":"1","parentTaskId":"0","workspace":"/repo"}')
    found = CLINE.read(path, Mark()).turns
    assert [(turn.role, turn.sidechain, turn.cwd) for turn in found] == [(Role.ASSISTANT, True, "/repo")] * 2


def test_messages_half_shown_wait(tmp_path: Path) -> None:
    assert said(list(read(tmp_path, [say("task", "go"), say("user_feedback", "sto", partial=True)]).turns)) == ["go"]
    assert turns(tmp_path, say("text", "Let me", partial=True)) == []
    assert [turn.text for turn in turns(tmp_path, say("text", "Let me", partial=True), say("info"))] == ["Let me"]
    running = [say("api_req_started"), say("text", "I lo", partial=True), say("tool", tool("readFile", path="a.py"))]
    assert [turn.role for turn in turns(tmp_path, *running, api=HISTORY[:1])] == [Role.TOOL_CALL]
    assert turns(tmp_path, *running, api=HISTORY[:3])[0].text == "I look at it first."


def test_a_half_written_sibling_keeps_the_mark(tmp_path: Path) -> None:
    path = write(tmp_path, UI, HISTORY)
    mark = CLINE.read(path, Mark()).window
    path.with_name(API).write_text('[{"ts": 1')
    reading = CLINE.read(path, mark)
    assert (reading.turns, reading.window, reading.old_turns) == ((), mark, 0)
    assert API in reading.errors[0]


def test_a_refusal_without_words_is_told_when_no_words_can_follow(tmp_path: Path) -> None:
    api = [user("x"), agent("y"), user(DENIED)]
    shown = [say("api_req_started"), ask("tool", tool("newFileCreated", path="b.py"))]
    assert happened(turns(tmp_path, *shown, api=api)) == []
    assert happened(turns(tmp_path, *shown, say("text", "Then not."), api=api)) == ["refusal"]


def test_of_several_calls_some_are_not_made(tmp_path: Path) -> None:
    """Early versions say all in one text; others leave out what stands behind a refused call."""
    skipped = "Tool [read_file] was not executed because a tool has already been used in this message."
    api = [user("x"), agent("y"), user("[read_file for 'a.py'] Result:\nx = 1", skipped)]
    shown = [say("api_req_started"), say("tool", tool("readFile", path="a.py")), say("tool", tool("readFile", path="b.py"))]
    found = turns(tmp_path, *shown, api=api)
    assert [(turn.ok, turn.paths) for turn in found if turn.role is Role.TOOL_RESULT] == [(True, ("a.py",)), (None, ("b.py",))]
    early = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
    early.append({"role": "user", "content": f"[read_file for 'a.py'] Result:\nx = 1\n\n{ENVIRONMENT}"})
    assert turns(tmp_path, *shown, api=early)[1].text == "x = 1"


def test_texts_that_are_no_json_are_survived(tmp_path: Path) -> None:
    torn = [say("tool", "{torn"), ask("followup", '{"question":'), say("user_feedback_diff", "[]"), ask("command")]
    found = turns(tmp_path, *torn)
    assert [turn.role for turn in found] == [Role.TOOL_CALL, Role.TOOL_CALL, Role.EVENT, Role.TOOL_CALL]
