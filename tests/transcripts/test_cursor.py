from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.model import Role, Turn
from tests.transcripts import stores
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, followed, happened, has, read, said, use, write
from tests.transcripts.transcript_records import text as block

CURSOR = FORMATS["cursor"]


def line(role: str, *blocks: Record, **more: Any) -> Record:
    return {"role": role, "message": {"content": list(blocks)}, **more}


def ask(words: str, before: str = "") -> Record:
    return line("user", block(f"{before}<user_query>\n{words}\n</user_query>"))


CHAT = [
    ask("Never mock the clock.", "<user_info>\nWorkspace Path: /repo/app\n</user_info>\n<open_and_recently_viewed_files>x"),
    line("assistant", block("Looking.\n\n[REDACTED]"), use("", "Shell", command="make test", description="Run")),
    line("assistant", use("t1", "StrReplace", path="/repo/app/a.py", old_string="a", new_string="b")),
    line("user", {"type": "tool_result", "tool_use_id": "t1", "content": "no such text", "is_error": True}),
    {"type": "turn_ended", "status": "aborted"},
    line("user", block("<system_reminder>be brief</system_reminder>")),
    {"type": "turn_ended", "status": "success"},
]


def chat(tmp_path: Path, *records: Record, name: str = "repo-app/agent-transcripts/u1/u1.jsonl") -> list[Turn]:
    return list(read(CURSOR, write(tmp_path / "projects" / name, *records)).turns)


# --- transcripts ------------------------------------------------------------------------------------------------------


def test_a_transcript(tmp_path: Path) -> None:
    found = chat(tmp_path, *CHAT)
    assert [(turn.role, turn.tool, turn.text, turn.ok, turn.locator.line) for turn in found] == [
        (Role.HUMAN, "", "Never mock the clock.", None, 1),
        (Role.ASSISTANT, "", "Looking.", None, 2),
        (Role.TOOL_CALL, "Shell", "make test", None, 2),
        (Role.TOOL_CALL, "StrReplace", "/repo/app/a.py\na\nb", None, 3),
        (Role.TOOL_RESULT, "StrReplace", "no such text", False, 4),
        (Role.EVENT, "", "", None, 5),
    ]
    path = tmp_path / "projects" / "repo-app" / "agent-transcripts" / "u1" / "u1.jsonl"
    assert {(turn.session, turn.cwd, turn.at) for turn in found} == {("u1", "/repo/app", path.stat().st_mtime)}
    assert (found[2].command, found[4].paths) == ("make test", ("/repo/app/a.py",))
    assert happened(found) == ["interruption"]


@pytest.mark.parametrize(
    "words", ["<attached_files>a.py</attached_files>", "words without a query", "<user_query> </user_query>", ""]
)
def test_outside_a_query_nobody_typed(tmp_path: Path, words: str) -> None:
    assert said(chat(tmp_path, line("user", block(words)))) == []


@pytest.mark.parametrize(
    ("project", "path", "folder"),
    [
        ("home-me-my-app", "/home/me/my.app/src/a.py", "/home/me/my.app"),
        ("c-work-app", "C:\\work\\app\\a.py", "C:\\work\\app"),
        ("home-me-my-app", "/elsewhere/a.py", ""),
        ("home-me-my-app", "src/a.py", ""),
    ],
)
def test_the_folder_is_the_one_that_gives_the_projects_name(tmp_path: Path, project: str, path: str, folder: str) -> None:
    found = chat(tmp_path, ask("x"), line("assistant", use("", "Read", path=path)), name=f"{project}/agent-transcripts/u.jsonl")
    assert {turn.cwd for turn in found} == {folder}


def test_results_of_the_role_tool(tmp_path: Path) -> None:
    made = line("assistant", use("t1", "Read", path="/repo/app/a.py"))
    path = write(
        tmp_path / "agent-transcripts" / "u.jsonl",
        made,
        line("tool", {"type": "tool_result", "tool_use_id": "t1", "content": [block("x = 1")]}),
        line("assistant", {"type": "tool_result", "tool_use_id": "t2", "content": "y"}),
        line("system", block("You are Cursor.")),
    )
    assert [(turn.tool, turn.text) for turn in read(CURSOR, path).turns[1:]] == [("Read", "x = 1"), ("", "y")]


# --- the database -----------------------------------------------------------------------------------------------------


class State(stores.Database):
    """A hand-written ``state.vscdb``."""

    tables = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"

    def put(self, key: str, value: Any) -> None:
        value = value if value is None or isinstance(value, (str, bytes)) else json.dumps(value)
        self.fill("INSERT INTO cursorDiskKV VALUES (?, ?)", key, value)

    def chat(self, name: str, *bubbles: Record, **more: Any) -> None:
        """A chat with these messages, of which those that are told again are not written anew."""
        headers = []
        for bubble in bubbles:
            headers.append({"bubbleId": bubble["bubbleId"], "type": bubble.get("type")})
            self.fill(
                "INSERT INTO cursorDiskKV SELECT ?, ? WHERE (?, ?) NOT IN (SELECT key, value FROM cursorDiskKV)",
                *(f"bubbleId:{name}:{bubble['bubbleId']}", json.dumps(bubble)) * 2,
            )
        composer = {"composerId": name, "createdAt": 1_780_300_800_000, "fullConversationHeadersOnly": headers, **more}
        self.put(f"composerData:{name}", composer)


def prompt(name: str, words: str, **more: Any) -> Record:
    return {"bubbleId": name, "type": 1, "text": words, "createdAt": "2026-06-01T08:00:00.000Z", **more}


def answer(name: str, words: str = "", **more: Any) -> Record:
    return {"bubbleId": name, "type": 2, "text": words, **more}


def tool(name: str, called: str, given: Record, result: Any = None, **more: Any) -> Record:
    former = {"name": called, "toolCallId": f"call-{name}", "rawArgs": json.dumps(given), "status": "completed", **more}
    return answer(name, toolFormerData={**former, "result": json.dumps(result) if result is not None else None})


BUBBLES = [
    prompt("b1", "Keep the retry in the client."),
    answer("b2", "Kept.", thinking={"text": "hm"}, timingInfo={"clientEndTime": 1_780_300_805_000}),
    tool("b3", "run_terminal_cmd", {"command": "make test"}, {"output": "1 failed", "exitCodeV2": 2}),
    tool("b4", "read_file", {"target_file": "a.py"}, {"contents": "x = 1"}),
    tool("b5", "edit_file", {"target_file": "b.py"}, {"rejected": True}, userDecision="rejected"),
    tool("b6", "search_replace", {"file_path": "c.py"}, status="error", error='{"clientVisibleErrorMessage":"no match"}'),
    tool("b7", "ask_question", {"questions": [{"question": "Which?"}]}, {"answers": {"q": "the small one"}}),
]


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(tmp_path / "User" / "globalStorage" / "state.vscdb")


def test_a_chat_of_the_editor(state: State) -> None:
    uri = {"fsPath": "/repo/app"}
    state.chat("c1", *BUBBLES, createdOnBranch="main", workspaceIdentifier={"uri": uri})
    reading = CURSOR.read(state.path, Mark())
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.ok, turn.locator.line) for turn in reading.turns] == [
        (Role.HUMAN, "", "Keep the retry in the client.", None, 1),
        (Role.ASSISTANT, "", "Kept.", None, 2),
        (Role.TOOL_CALL, "run_terminal_cmd", "make test", None, 3),
        (Role.TOOL_RESULT, "run_terminal_cmd", "1 failed", False, 3),
        (Role.TOOL_CALL, "read_file", "a.py", None, 4),
        (Role.TOOL_RESULT, "read_file", "x = 1", True, 4),
        (Role.TOOL_CALL, "edit_file", "b.py", None, 5),
        (Role.EVENT, "edit_file", "", False, 5),
        (Role.TOOL_CALL, "search_replace", "c.py", None, 6),
        (Role.TOOL_RESULT, "search_replace", "no match", False, 6),
        (Role.TOOL_CALL, "ask_question", "Which?", None, 7),
        (Role.EVENT, "ask_question", "the small one", True, 7),
    ]
    has(reading.turns[0], session="c1", cwd="/repo/app", branch="main", at=1780300800.0, record="b1")
    has(reading.turns[1], at=1780300805.0)
    has(reading.turns[3], command="make test", call="call-b3")
    assert happened(list(reading.turns)) == ["refusal", "answer: the small one"]


def test_only_what_changed_is_told(state: State) -> None:
    state.chat("c1", *BUBBLES[:3])
    state.chat("c2", prompt("d1", "another"))
    known, told = followed(CURSOR, state.path)
    assert told == ["Keep the retry in the client.", "Kept.", "make test", "1 failed", "another"]
    assert followed(CURSOR, state.path, known)[1] == []
    state.chat("c1", *BUBBLES[:4])
    known, told = followed(CURSOR, state.path, known)
    assert [turn.locator.line for turn in known.turns] == [1, 2, 3, 3, 4, 4]
    assert (known.old_turns, told) == (4, ["a.py", "x = 1"])
    assert followed(CURSOR, state.path, known)[1] == []


def test_what_is_not_complete_waits(state: State) -> None:
    running = tool("b3", "run_terminal_cmd", {"command": "make"}, status="loading")
    state.chat("c1", *BUBBLES[:1], answer("b2", "Kep"), running, status="generating")
    known, told = followed(CURSOR, state.path)
    assert told == ["Keep the retry in the client."]
    # Nothing tells that the chat's own row changed: it is looked at all the same.
    state.fill("UPDATE cursorDiskKV SET value = ? WHERE key = 'bubbleId:c1:b2'", json.dumps(BUBBLES[1]))
    state.fill("UPDATE cursorDiskKV SET value = json_set(value, '$.status', 'completed') WHERE key = 'composerData:c1'")
    known, told = followed(CURSOR, state.path, known)
    assert told == ["Kept.", "make"]
    assert known.bookmark
    assert known.bookmark.window.memory["open"] == []


def test_a_chat_that_was_taken_back_goes_on(state: State) -> None:
    state.chat("c1", *BUBBLES)
    known, _ = followed(CURSOR, state.path)
    state.chat("c1", BUBBLES[0], prompt("n1", "No, in the server."), answer("n2", "Moved."))
    assert followed(CURSOR, state.path, known)[1] == ["No, in the server.", "Moved."]


def test_rows_numbered_anew_are_no_new_words(state: State) -> None:
    state.chat("c0", prompt("a", "first"))
    state.chat("c1", *BUBBLES)
    known, _ = followed(CURSOR, state.path)
    state.fill("DELETE FROM cursorDiskKV WHERE key LIKE '%c0%'")
    state.run("""
        CREATE TABLE made (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
        INSERT INTO made SELECT key, value FROM cursorDiskKV ORDER BY rowid;
        DROP TABLE cursorDiskKV;
        ALTER TABLE made RENAME TO cursorDiskKV;
    """)
    known, told = followed(CURSOR, state.path, known)
    assert told == []
    state.chat("c1", *BUBBLES, prompt("z", "and more"))
    assert followed(CURSOR, state.path, known)[1] == ["and more"]


def test_early_chats_hold_their_messages(state: State) -> None:
    state.put("composerData:old", {"conversation": [{"type": 1, "text": "go"}, {"type": 2, "text": "gone"}]})
    found = CURSOR.read(state.path, Mark()).turns
    assert [(turn.role, turn.text, turn.locator.line) for turn in found] == [(Role.HUMAN, "go", 1), (Role.ASSISTANT, "gone", 2)]


def test_the_folder_by_the_workspace_that_lists_the_chat(state: State) -> None:
    workspace = state.path.parent.parent / "workspaceStorage" / "hash"
    workspace.mkdir(parents=True)
    (workspace / "workspace.json").write_text('{"folder": "file:///repo/my%20app"}')
    listed = stores.Database(workspace / "state.vscdb")
    listed.run("CREATE TABLE ItemTable (key TEXT, value BLOB)")
    listed.fill("INSERT INTO ItemTable VALUES ('composer.composerData', ?)", '{"allComposers": [{"composerId": "c1"}]}')
    state.chat("c1", *BUBBLES[:1])
    state.chat("c2", *BUBBLES[:1])
    assert {turn.session: turn.cwd for turn in CURSOR.read(state.path, Mark()).turns} == {"c1": "/repo/my app", "c2": ""}


def test_a_subagents_chat(state: State) -> None:
    state.chat("c1", *BUBBLES[:1], subagentInfo={"parentComposerId": "c0"})
    (turn,) = CURSOR.read(state.path, Mark()).turns
    assert (turn.role, turn.sidechain) == (Role.ASSISTANT, True)


def test_answers_and_commands_in_other_shapes(state: State) -> None:
    chosen = {"answers": [{"selectedOptions": [{"label": "small"}, {"label": "red"}]}, {"answer": "soon"}]}
    state.chat(
        "c1",
        tool("b1", "ask_question", {"question": "Which?"}, chosen),
        tool("b2", "run_terminal_command_v2", {}, {"output": "ok"}, params='{"command": "make"}'),
        tool("b3", "mcp_x", {}, status="completed", rawArgs="{", error="went wrong"),
    )
    found = CURSOR.read(state.path, Mark()).turns
    assert happened(list(found)) == ["answer: small, red", "answer: soon"]
    results = [(turn.command, turn.text, turn.ok) for turn in found if turn.role is Role.TOOL_RESULT]
    assert results == [("make", "ok", None), ("", "went wrong", True)]


def test_odd_values_are_survived(state: State) -> None:
    state.chat("c1", *BUBBLES, {"bubbleId": "odd", "type": 9})
    for key, value in (
        ("composerData:none", None),
        ("composerData:list", "[]"),
        ("composerData:torn", '{"fullConversationHeadersOnly": ['),
        ("composerData:blob", b"\xff\xfe"),
        ("bubbleId:", "{}"),
        ("bubbleId:c1:b2", None),
        ("bubbleId:c1:b3", '{"type": 2, "toolFormerData": {"name": "x", "rawArgs": "{", "result": "[1]"}}'),
    ):
        state.put(key, value)
    reading = CURSOR.read(state.path, Mark())
    assert said(list(reading.turns)) == ["Keep the retry in the client."]


def test_which_files_are_its_own(tmp_path: Path, state: State) -> None:
    write(tmp_path / "projects" / "p" / "other.jsonl", *CHAT)
    State(tmp_path / "workspaceStorage" / "x" / "state.vscdb")
    assert set(CURSOR.find(tmp_path)) == {state.path}
