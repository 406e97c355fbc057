from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.model import Happening, Role, Turn
from curator.transcripts import cursor_db
from curator.transcripts.base import sessions
from curator.transcripts.cursor import Cursor
from tests.transcripts.transcript_records import Record, happened, lines, read, said, use, write
from tests.transcripts.transcript_records import text as block

CURSOR = Cursor()


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
    assert happened(found) == [(Happening.INTERRUPTION, "")]


@pytest.mark.parametrize(
    "words",
    ["<attached_files>a.py</attached_files>", "words without a query", "<user_query> </user_query>", ""],
)
def test_outside_a_query_nobody_typed(tmp_path: Path, words: str) -> None:
    assert said(chat(tmp_path, line("user", block(words)))) == []


def test_a_subagent_is_a_sidechain_of_its_chat(tmp_path: Path) -> None:
    (turn,) = chat(tmp_path, ask("do the part"), name="p/agent-transcripts/u1/subagents/a1.jsonl")
    assert (turn.role, turn.sidechain, turn.session) == (Role.ASSISTANT, True, "u1")


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


def test_a_transcript_is_read_on(tmp_path: Path) -> None:
    path = write(tmp_path / "agent-transcripts" / "u.jsonl", *CHAT[:3])
    first = CURSOR.read(path, Mark())
    path.write_bytes(lines(*CHAT))
    again = CURSOR.read(path, first.window)
    assert again.old_turns == len(first.turns)
    assert [turn.role for turn in again.turns[again.old_turns :]] == [Role.TOOL_RESULT, Role.EVENT]
    path.write_bytes(lines(*CHAT[:2]))
    assert len(CURSOR.read(path, again.window).turns) == 3


def test_results_of_the_role_tool_and_lines_nobody_knows(tmp_path: Path) -> None:
    made = line("assistant", use("t1", "Read", path="/repo/app/a.py"))
    path = write(
        tmp_path / "agent-transcripts" / "u.jsonl",
        made,
        line("tool", {"type": "tool_result", "tool_use_id": "t1", "content": [block("x = 1")]}),
        line("assistant", {"type": "tool_result", "tool_use_id": "t2", "content": "y"}),
        line("system", block("You are Cursor.")),
        {"type": "quantum_leap"},
    )
    reading = CURSOR.read(path, Mark())
    assert [(turn.tool, turn.text) for turn in reading.turns[1:]] == [("Read", "x = 1"), ("", "y")]
    assert dict(reading.unknown) == {"quantum_leap": 1}


PLAIN = """user:
<attached_files>a.py</attached_files>
<user_query>
Never mock the clock. Pasted:
assistant:
no
</user_query>

assistant:
[Thinking] The user wants
no mocks.

I will run the tests.
[Tool call] Shell
  command: make test
  description: Run

[Tool result] Shell
  1 failed

[Tool call] StrReplace
  path: /repo/app/a.py
  new_string: one
    two
Done.

user:
words without a query
"""


def test_a_transcript_in_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "repo-app" / "agent-transcripts" / "u1.txt"
    path.parent.mkdir(parents=True)
    path.write_text(PLAIN[: PLAIN.index("[Tool call] StrReplace")])
    assert CURSOR.find(tmp_path) == (path,)
    first = read(CURSOR, path)
    path.write_text(PLAIN)
    again = CURSOR.read(path, first.window)
    assert again.old_turns == len(first.turns) == 4
    assert [(turn.role, turn.tool, turn.text, turn.locator.line) for turn in again.turns] == [
        (Role.HUMAN, "", "Never mock the clock. Pasted:\nassistant:\nno", 2),
        (Role.ASSISTANT, "", "I will run the tests.", 13),
        (Role.TOOL_CALL, "Shell", "make test", 14),
        (Role.TOOL_RESULT, "Shell", "1 failed", 18),
        (Role.TOOL_CALL, "StrReplace", "/repo/app/a.py\none\n    two", 21),
        (Role.ASSISTANT, "", "Done.", 25),
    ]
    assert {(turn.session, turn.cwd) for turn in again.turns} == {("u1", "/repo/app")}
    assert (again.turns[2].command, again.turns[4].paths) == ("make test", ("/repo/app/a.py",))


# --- the database -----------------------------------------------------------------------------------------------------


class State:
    """A hand-written ``state.vscdb``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.ask("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")

    def ask(self, question: str, *values: Any) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(question, values)

    def put(self, key: str, value: Any) -> None:
        value = value if value is None or isinstance(value, (str, bytes)) else json.dumps(value)
        self.ask("INSERT INTO cursorDiskKV VALUES (?, ?)", key, value)

    def chat(self, name: str, *bubbles: Record, **more: Any) -> None:
        """A chat with these messages, of which those that are told again are not written anew."""
        headers = []
        for bubble in bubbles:
            headers.append({"bubbleId": bubble["bubbleId"], "type": bubble.get("type")})
            self.ask(
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


def drained(path: Path, mark: Mark) -> tuple[list[Turn], Mark]:
    """What is new, portion by portion."""
    new: list[Turn] = []
    for _ in range(100):
        reading = CURSOR.read(path, mark)
        assert not reading.errors
        assert reading.old_turns is not None
        json.dumps(reading.window.memory)
        new += reading.turns[reading.old_turns :]
        mark = reading.window
        if not reading.more:
            return new, mark
    raise AssertionError("it asks for more for ever")


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
    first, second, shell = reading.turns[0], reading.turns[1], reading.turns[3]
    assert (first.session, first.cwd, first.branch, first.at) == ("c1", "/repo/app", "main", 1780300800.0)
    assert (first.locator.record, second.at, shell.command, shell.call) == ("b1", 1780300805.0, "make test", "call-b3")
    assert [turn.happening for turn in reading.turns if turn.role is Role.EVENT] == [Happening.REFUSAL, Happening.ANSWER]


def test_only_what_changed_is_told(state: State) -> None:
    state.chat("c1", *BUBBLES[:3])
    state.chat("c2", prompt("d1", "another"))
    new, mark = drained(state.path, Mark())
    assert said(new) == ["Keep the retry in the client.", "another"]
    assert drained(state.path, mark) == ([], mark)
    state.chat("c1", *BUBBLES[:4])
    reading = CURSOR.read(state.path, mark)
    assert [turn.locator.line for turn in reading.turns] == [1, 2, 3, 3, 4, 4]
    assert reading.old_turns == 4
    assert drained(state.path, reading.window)[0] == []


def test_what_is_not_complete_waits(state: State) -> None:
    running = tool("b3", "run_terminal_cmd", {"command": "make"}, status="loading")
    state.chat("c1", *BUBBLES[:1], answer("b2", "Kep"), running, status="generating")
    new, mark = drained(state.path, Mark())
    assert [turn.text for turn in new] == ["Keep the retry in the client."]
    # Nothing tells that the chat's own row changed: it is looked at all the same.
    state.ask("UPDATE cursorDiskKV SET value = ? WHERE key = 'bubbleId:c1:b2'", json.dumps(BUBBLES[1]))
    state.ask("UPDATE cursorDiskKV SET value = json_set(value, '$.status', 'completed') WHERE key = 'composerData:c1'")
    new, mark = drained(state.path, mark)
    assert [turn.text for turn in new] == ["Kept.", "make"]
    assert mark.memory["open"] == []


def test_a_chat_that_was_taken_back_goes_on(state: State) -> None:
    state.chat("c1", *BUBBLES)
    _, mark = drained(state.path, Mark())
    state.chat("c1", BUBBLES[0], prompt("n1", "No, in the server."), answer("n2", "Moved."))
    assert [turn.text for turn in drained(state.path, mark)[0]] == ["No, in the server.", "Moved."]


def test_many_chats_come_in_portions(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "SESSIONS", 3)
    monkeypatch.setattr(sessions, "MESSAGES", 5)
    monkeypatch.setattr(cursor_db, "_ROWS", 4)
    for number in range(8):
        state.put(f"checkpointId:{number}", "x" * 1000)
        state.chat(f"c{number}", *(prompt(f"p{number}-{at}", f"{number}-{at}") for at in range(4)))
    assert CURSOR.read(state.path, Mark()).more
    new, mark = drained(state.path, Mark())
    assert sorted(turn.text for turn in new) == sorted(f"{number}-{at}" for number in range(8) for at in range(4))
    state.chat("c0", *(prompt(f"p0-{at}", f"0-{at}") for at in range(5)))
    assert [turn.text for turn in drained(state.path, mark)[0]] == ["0-4"]


def test_rows_numbered_anew_are_no_new_words(state: State) -> None:
    state.chat("c0", prompt("a", "first"))
    state.chat("c1", *BUBBLES)
    _, mark = drained(state.path, Mark())
    state.ask("DELETE FROM cursorDiskKV WHERE key LIKE '%c0%'")
    state.ask("CREATE TABLE made (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
    state.ask("INSERT INTO made SELECT key, value FROM cursorDiskKV ORDER BY rowid")
    state.ask("DROP TABLE cursorDiskKV")
    state.ask("ALTER TABLE made RENAME TO cursorDiskKV")
    new, mark = drained(state.path, mark)
    assert new == []
    state.chat("c1", *BUBBLES, prompt("z", "and more"))
    assert [turn.text for turn in drained(state.path, mark)[0]] == ["and more"]


def test_early_chats_hold_their_messages(state: State) -> None:
    state.put("composerData:old", {"conversation": [{"type": 1, "text": "go"}, {"type": 2, "text": "gone"}]})
    found = CURSOR.read(state.path, Mark()).turns
    assert [(turn.role, turn.text, turn.locator.line) for turn in found] == [(Role.HUMAN, "go", 1), (Role.ASSISTANT, "gone", 2)]


def test_the_folder_by_the_workspace_that_lists_the_chat(state: State) -> None:
    workspace = state.path.parent.parent / "workspaceStorage" / "hash"
    workspace.mkdir(parents=True)
    (workspace / "workspace.json").write_text('{"folder": "file:///repo/my%20app"}')
    with closing(sqlite3.connect(workspace / "state.vscdb")) as connection, connection:
        connection.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)")
        listed = json.dumps({"allComposers": [{"composerId": "c1"}]})
        connection.execute("INSERT INTO ItemTable VALUES ('composer.composerData', ?)", (listed,))
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
    assert happened(list(found)) == [(Happening.ANSWER, "small, red"), (Happening.ANSWER, "soon")]
    assert [(turn.command, turn.text, turn.ok) for turn in found if turn.role is Role.TOOL_RESULT] == [
        ("make", "ok", None),
        ("", "went wrong", True),
    ]


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
    assert dict(reading.unknown) == {"bubble 9": 1}
    assert said(list(reading.turns)) == ["Keep the retry in the client."]


def test_a_torn_database_is_an_os_error(state: State) -> None:
    state.chat("c1", *BUBBLES)
    raw = state.path.read_bytes()
    state.path.write_bytes(raw[:100] + os.urandom(len(raw) - 100))
    with pytest.raises(OSError, match=r"."):
        CURSOR.read(state.path, Mark())


def test_which_files_are_its_own(tmp_path: Path, state: State) -> None:
    path = write(tmp_path / "projects" / "p" / "agent-transcripts" / "u1" / "u1.jsonl", *CHAT)
    write(tmp_path / "projects" / "p" / "other.jsonl", *CHAT)
    other = tmp_path / "workspaceStorage" / "x" / "state.vscdb"
    other.parent.mkdir(parents=True)
    other.write_bytes(state.path.read_bytes())
    assert set(CURSOR.find(tmp_path)) == {path, state.path}
    assert CURSOR.transcript(state.path.with_name("state.vscdb-wal")) == state.path
    assert list(CURSOR.companions(state.path)) == [state.path.with_name("state.vscdb-wal")]
    assert CURSOR.transcript(path) is None
    assert tmp_path / ".cursor" / "projects" in CURSOR.roots(tmp_path, {})


def test_of_many_chats_those_of_late_are_remembered(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_REMEMBERED", 3)
    for number in range(6):
        state.chat(f"c{number}", prompt(f"p{number}", f"{number}"))
    _, mark = drained(state.path, Mark())
    assert list(mark.memory["told"]) == ["c3", "c4", "c5"]
    state.chat("c5", prompt("p5", "5"), prompt("q5", "more"))
    state.chat("c0", prompt("p0", "0"), prompt("q0", "old"))
    assert [turn.text for turn in drained(state.path, mark)[0]] == ["more", "0", "old"]
