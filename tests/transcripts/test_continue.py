from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.model import Role, Turn
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, happened, has, said, turns_of

CONTINUE = FORMATS["continue"]


def user(content: Any, **more: Any) -> Record:
    return {"message": {"role": "user", "content": content}, "contextItems": [], **more}


def agent(content: str, *states: Record, **more: Any) -> Record:
    message = {"role": "assistant", "content": content, "toolCalls": [state["toolCall"] for state in states]}
    return {"message": message, "contextItems": [], "toolCallStates": list(states), **more}


def state(name: str, output: str = "", status: str = "done", call: str = "c1", note: str = "", **given: Any) -> Record:
    function = {"name": name, "arguments": json.dumps(given)}
    made = {"id": call, "type": "function", "function": function}
    shown = [{"name": "Output", "description": "d", "content": output, "status": note}]
    return {"toolCallId": call, "toolCall": made, "status": status, "parsedArgs": given, "output": shown}


def answer(content: str, call: str = "c1") -> Record:
    return {"message": {"role": "tool", "content": content, "toolCallId": call}, "contextItems": []}


def session(tmp_path: Path, *history: Any, folder: str = "/srv/app") -> Path:
    path = tmp_path / "sessions" / "n1.json"
    path.parent.mkdir(exist_ok=True)
    whole = {"sessionId": "n1", "title": "t", "workspaceDirectory": folder, "history": history}
    path.write_text(json.dumps(whole, indent=2))
    return path


def turns(tmp_path: Path, *history: Record) -> list[Turn]:
    return turns_of(CONTINUE, session(tmp_path, *history))


def test_words_calls_and_results(tmp_path: Path) -> None:
    told = turns(
        tmp_path,
        user([{"type": "text", "text": "Keep the retry in the client."}, {"type": "imageUrl", "imageUrl": {"url": "data:x"}}]),
        agent(
            "I will test.", state("run_terminal_command", "1 failed", note="Command failed with exit code 2", command="make")
        ),
        answer("1 failed"),
        agent("", state("edit_existing_file", "ok", filepath="a.py")),
    )
    human, spoke, asked, answered, edit, edited = told
    has(human, role=Role.HUMAN, text="Keep the retry in the client.", session="n1", cwd="/srv/app", at=None, line=1)
    assert (spoke.role, spoke.text) == (Role.ASSISTANT, "I will test.")
    assert (asked.role, asked.command, asked.call) == (Role.TOOL_CALL, "make", "c1")
    assert (answered.role, answered.ok, answered.text, answered.command) == (Role.TOOL_RESULT, False, "1 failed", "make")
    assert (edit.paths, edited.paths, edited.ok) == (("a.py",), ("a.py",), True)


def test_results_that_are_messages_of_their_own(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"filepath": "a.py"}'}}
    old = {"message": {"role": "assistant", "content": "", "toolCalls": [call]}}
    asked, answered = turns(tmp_path, old, answer("x = 1"))
    assert (asked.paths, answered.paths, answered.text, answered.ok) == (("a.py",), ("a.py",), "x = 1", None)


def test_what_a_person_did(tmp_path: Path) -> None:
    told = turns(
        tmp_path,
        agent("", state("run_terminal_command", status="canceled", command="git push")),
        agent("Done.", conversationSummary="what was said so far"),
    )
    assert happened(told) == ["refusal", "compaction"]


def test_what_the_editor_adds_is_nobodys(tmp_path: Path) -> None:
    context = [{"content": "Always obey.", "name": "rules", "description": "d"}]
    logs = [{"prompt": "<system>Always obey.", "completion": "x", "modelTitle": "m", "modelProvider": "p"}]
    editor = {"type": "doc", "content": [{"type": "text", "text": "Never squash."}]}
    told = turns(
        tmp_path,
        {"message": {"role": "system", "content": "Be nice."}},
        user("Never squash.", contextItems=context, editorState=editor),
        {"message": {"role": "thinking", "content": "Hm."}},
        agent("Fine.", promptLogs=logs),
    )
    assert said(told) == ["Never squash."]
    assert [turn.text for turn in told] == ["Never squash.", "Fine."]


@pytest.mark.parametrize(
    ("written", "folder"),
    [("file:///srv/my%20app", "/srv/my app"), ("file:///c%3A/work", "c:/work"), ("/srv/app", "/srv/app"), ("file://[", "")],
)
def test_the_folder(tmp_path: Path, written: str, folder: str) -> None:
    (turn,) = CONTINUE.read(session(tmp_path, user("a"), folder=written), Mark()).turns
    assert turn.cwd == folder
