from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark, Reading
from curator.model import Happening, Role, Turn
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, lines, said

CHATS = FORMATS["vscode-copilot"]
AT = 1_780_300_800_000


def request(words: Any, *response: Record, **more: Any) -> Record:
    message = {"text": words, "parts": []} if isinstance(words, str) else words
    common = {"requestId": "r1", "timestamp": AT, "modelState": {"value": 1}}
    return {**common, "message": message, "response": list(response), **more}


def text(words: str) -> Record:
    return {"value": words, "supportThemeIcons": False}


def tool(name: str = "copilot_readFile", call: str = "c1", **more: Any) -> Record:
    common = {"toolId": name, "toolCallId": call, "isComplete": True, "isConfirmed": {"type": 1}}
    return {"kind": "toolInvocationSerialized", **common, "invocationMessage": {"value": "Reading"}, **more}


def terminal(command: str, code: int | None = None, output: str = "", **more: Any) -> Record:
    data: Record = {"kind": "terminal", "commandLine": {"original": command}, "terminalCommandOutput": {"text": output}}
    if code is not None:
        data["terminalCommandState"] = {"exitCode": code}
    return tool("run_in_terminal", toolSpecificData=data, **more)


def document(*requests: Record, **more: Any) -> Record:
    return {"version": 3, "responderUsername": "GitHub Copilot", "sessionId": "V1", "requests": list(requests), **more}


CHAT = document(
    request(
        "Never touch the lock file.",
        {"kind": "mcpServersStarting"},
        {"kind": "thinking", "value": "hm"},
        text("I look at "),
        {"kind": "inlineReference", "name": "a.py", "inlineReference": {"path": "/repo/app/a.py"}},
        text(" first."),
        tool(pastTenseMessage={"value": "Read a.py"}, resultDetails=[{"uri": {"path": "/repo/app/a.py"}}]),
        terminal("make test", 2, "1 failed"),
        text("\n```\n"),
        {"kind": "codeblockUri", "uri": {"path": "/repo/app/b.py"}},
        {"kind": "textEditGroup", "uri": {"path": "/repo/app/b.py"}, "edits": []},
        text("\n```\n"),
        {"kind": "textEditGroup", "uri": {"path": "/repo/app/b.py"}, "edits": []},
        tool("run_task", "c3", isConfirmed={"type": 0}, isComplete=False),
        text("Done."),
    ),
    request("and the tests?", modelState={"value": 2}, editedFileEvents=[{"uri": {"path": "/repo/app/b.py"}, "eventKind": 3}]),
)
LOG = [
    {"kind": 0, "v": document(request("go", text("Go"), modelState={"value": 0}))},
    {"kind": 1, "k": ["requests", 0, "response", 0], "v": text("Going.")},
    {"kind": 2, "k": ["requests", 0, "response"], "v": [terminal("ls", 0, "a.py")]},
    {"kind": 1, "k": ["requests", 0, "modelState"], "v": {"value": 1}},
    {"kind": 2, "k": ["requests"], "v": [request("stop", text("Stopped."))]},
]


def place(tmp_path: Path, name: str = "V1.json") -> Path:
    path = tmp_path / "workspaceStorage" / "hash" / "chatSessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.with_name("workspace.json").write_text('{"folder": "file:///repo/app"}')
    return path


def read(path: Path, mark: Mark | None = None) -> Reading:
    reading = CHATS.read(path, mark or Mark())
    assert not reading.errors
    return reading


def turns(tmp_path: Path, *requests: Record, **more: Any) -> list[Turn]:
    path = place(tmp_path)
    path.write_text(json.dumps(document(*requests, **more)))
    return list(read(path).turns)


def test_a_chat(tmp_path: Path) -> None:
    path = place(tmp_path)
    path.write_text(json.dumps(CHAT))
    reading = read(path)
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.ok, turn.locator.line) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never touch the lock file.", None, 1),
        (Role.ASSISTANT, "", "I look at `a.py` first.", None, 1),
        (Role.TOOL_CALL, "copilot_readFile", "Reading", None, 1),
        (Role.TOOL_RESULT, "copilot_readFile", "Read a.py", None, 1),
        (Role.TOOL_CALL, "run_in_terminal", "make test", None, 1),
        (Role.TOOL_RESULT, "run_in_terminal", "1 failed", False, 1),
        (Role.TOOL_CALL, "edit", "/repo/app/b.py", None, 1),
        (Role.TOOL_CALL, "run_task", "Reading", None, 1),
        (Role.EVENT, "run_task", "", False, 1),
        (Role.ASSISTANT, "", "Done.", None, 1),
        (Role.EVENT, "", "", None, 2),
        (Role.HUMAN, "", "and the tests?", None, 2),
        (Role.EVENT, "", "", None, 2),
    ]
    has(reading.turns[0], session="V1", cwd="/repo/app", at=1780300800.0, record="r1")
    has(reading.turns[2], paths=("/repo/app/a.py",))
    has(reading.turns[5], command="make test")
    assert happened(list(reading.turns)) == ["refusal", "user_edit", "interruption"]


def test_calls_take_their_arguments_and_results_from_the_rounds(tmp_path: Path) -> None:
    made = {"id": "c1", "name": "read_file", "arguments": '{"filePath": "/repo/app/a.py"}'}
    results = {"c1": {"content": [{"value": "x = 1"}]}}
    metadata = {"toolCallRounds": [{"toolCalls": [made]}], "toolCallResults": results}
    call, result = turns(tmp_path, request("x", tool(call="c1__vscode-7"), result={"metadata": metadata}))[1:]
    assert (call.text, call.paths) == ("/repo/app/a.py", ("/repo/app/a.py",))
    assert (result.text, result.paths) == ("x = 1", ("/repo/app/a.py",))


EDITED = {"kind": "terminal", "commandLine": {"original": "rm", "userEdited": "ls"}}
CHOSEN = {"selectedValue": "a", "freeformValue": "but later"}


def questions(**answers: Any) -> Record:
    return {"kind": "questionCarousel", "questions": [{"id": "q", "title": "Which?"}], "data": answers}


@pytest.mark.parametrize(
    ("part", "events"),
    [
        (tool(isConfirmed=False), ["refusal"]),
        (tool(isConfirmed={"type": 5}), ["refusal"]),
        (tool(isConfirmed={"type": 4}), []),
        (tool(isConfirmed=True), []),
        (tool("run_in_terminal", toolSpecificData=EDITED), ["user_edit: ls"]),
        (questions(q="the small one"), ["answer: the small one"]),
        (questions(q=CHOSEN, r=["b", "c"]), ["answer: but later, a", "answer: b, c"]),
        ({"kind": "elicitationSerialized", "title": "Delete?", "state": "rejected"}, ["refusal"]),
        ({"kind": "elicitationSerialized", "title": "Delete?", "state": "accepted"}, []),
    ],
)
def test_what_a_person_decided(tmp_path: Path, part: Record, events: list[str]) -> None:
    found = turns(tmp_path, request("x", part))
    assert happened(found) == events
    assert found[1].role is Role.TOOL_CALL


def test_edits_that_a_person_took_back(tmp_path: Path) -> None:
    event = {"uri": "file:///repo/app/b%20c.py", "eventKind": 2}
    undone, *_ = turns(tmp_path, request("x", editedFileEvents=[event, {"uri": {"path": "/d.py"}, "eventKind": 1}]))
    assert (undone.happening, undone.tool, undone.paths) == (Happening.REFUSAL, "edit", ("/repo/app/b c.py",))


REMINDER = {"text": "<system-reminder>x</system-reminder>"}


@pytest.mark.parametrize(("given", "words"), [({"text": "go"}, ["go"]), ("go", ["go"]), (None, []), (REMINDER, [])])
def test_a_persons_words(tmp_path: Path, given: Any, words: list[str]) -> None:
    assert said(turns(tmp_path, {"requestId": "r", "message": given, "response": []})) == words
    assert said(turns(tmp_path, {"requestId": "r", "message": given, "response": [], "confirmation": "Continue"})) == []


def test_subagents_are_marked(tmp_path: Path) -> None:
    data = {"kind": "subagent", "prompt": "do the part", "result": "The part is done."}
    inner = tool(call="c2", subAgentInvocationId="c1", pastTenseMessage="Read b.py")
    found = turns(tmp_path, request("x", tool("runSubagent", toolSpecificData=data), inner))
    assert [turn.role for turn in found if not turn.sidechain] == [Role.HUMAN, Role.TOOL_CALL]
    assert [turn.role for turn in found if turn.sidechain] == [Role.ASSISTANT, Role.TOOL_CALL, Role.TOOL_RESULT]


def test_the_branch_is_told(tmp_path: Path) -> None:
    assert turns(tmp_path, request("x"), repoData={"localBranch": "fix"})[0].branch == "fix"


def test_a_log_of_changes(tmp_path: Path) -> None:
    path = place(tmp_path, "V1.jsonl")
    path.write_bytes(lines(*LOG))
    assert [turn.text for turn in read(path).turns] == ["go", "Going.", "ls", "a.py", "stop", "Stopped."]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        # A log may take back.
        ({"kind": 2, "k": ["requests"], "i": 0}, []),
        ({"kind": 3, "k": ["requests"]}, []),
        ({"kind": 1, "k": ["requests", 0], "v": None}, []),
        ({"kind": 0, "v": document()}, []),
        # Odd changes are survived.
        ({"kind": 1, "k": ["requests", 99, "message"], "v": "x"}, ["go"]),
        ({"kind": 2, "k": ["requests", "x", "y"], "v": [1]}, ["go"]),
        ({"kind": 1, "k": [["odd"]], "v": 1}, ["go"]),
        ({"kind": 1, "k": "requests"}, ["go"]),
        ({"kind": 2, "k": ["requests", 0, "followups"], "v": {"a": 1}, "i": -4}, ["go"]),
        ({"kind": 9, "k": ["a"]}, ["go"]),
    ],
)
def test_a_change_in_a_log(tmp_path: Path, change: Record, words: list[str]) -> None:
    path = place(tmp_path, "V1.jsonl")
    path.write_bytes(lines(LOG[0], change))
    found = list(read(path).turns)
    assert said(found) == words
    assert words or not found


def test_a_log_without_its_first_line_keeps_the_mark(tmp_path: Path) -> None:
    path = place(tmp_path, "V1.jsonl")
    path.write_bytes(lines(LOG[0]))
    mark = read(path).window
    path.write_bytes(b'{"kind": 0, "v": {"req\n')
    reading = CHATS.read(path, mark)
    assert (reading.turns, reading.window) == ((), mark)
    assert reading.errors
