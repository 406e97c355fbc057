from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.model import Happening, Role, Turn
from curator.transcripts.base.follow import follow
from tests.transcripts import stores
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, followed, happened, has, new, said, turns_of, write

GOOSE = FORMATS["goose"]
T0 = 1_777_622_400
ABOUT: Record = {"working_dir": "/srv/app", "description": "d", "message_count": 3, "total_tokens": None}


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def message(role: str, *content: Record, at: int = 1, **more: Any) -> Record:
    return {"role": role, "created": T0 + at, "content": list(content), **more}


def request(name: str, call: str = "c1", **given: Any) -> Record:
    return {"type": "toolRequest", "id": call, "toolCall": {"status": "success", "value": {"name": name, "arguments": given}}}


def response(*texts: str, call: str = "c1", error: str = "", **more: Any) -> Record:
    content = [text(words) for words in texts]
    result = {"status": "error", "error": error} if error else {"status": "success", "value": {"content": content, **more}}
    return {"type": "toolResponse", "id": call, "toolResult": result}


def turns(tmp_path: Path, *messages: Record, about: Record = ABOUT) -> list[Turn]:
    return turns_of(GOOSE, write(tmp_path / "20250601_100000.jsonl", about, *messages))


# --- what messages say ------------------------------------------------------------------------------------------------


def test_words_calls_and_results(tmp_path: Path) -> None:
    told = turns(
        tmp_path,
        message("user", text("Keep the retry in the client."), id="m1"),
        message("assistant", text("I will test."), request("developer__shell", command="make test"), at=2),
        message("user", response("1 failed", structuredContent={"exit_code": 2}), at=3),
        message("assistant", request("developer__text_editor", "c2", command="write", path="/srv/app/a.py"), at=4),
        message("user", response("done", call="c2", isError=False), at=5),
        message("assistant", request("developer__shell", "c3", command="true"), at=6),
        message("user", response(call="c3", error="-32603: no such shell"), at=7),
    )
    human, spoke, asked, answered, edit, edited, _, failed = told
    has(human, role=Role.HUMAN, text="Keep the retry in the client.", session="20250601_100000", cwd="/srv/app")
    has(human, at=1777622401.0, line=2, record="m1")
    has(spoke, role=Role.ASSISTANT, text="I will test.")
    has(asked, role=Role.TOOL_CALL, tool="developer__shell", command="make test")
    has(answered, role=Role.TOOL_RESULT, ok=False, text="1 failed", command="make test")
    assert edit.command == edited.command == ""
    assert (edit.paths, edited.paths, edited.ok) == (("/srv/app/a.py",), ("/srv/app/a.py",), True)
    assert (failed.ok, failed.text) == (False, "no such shell")


def test_what_a_person_did(tmp_path: Path) -> None:
    told = turns(
        tmp_path,
        message("assistant", request("developer__shell", command="git push")),
        message("user", response("The user has declined to run this tool. DO NOT attempt to call this tool again.")),
        message("assistant", request("developer__shell", "c2", command="sleep 99")),
        message("user", response(call="c2", error="Interrupted by the user to make a correction")),
        message("assistant", {"type": "conversationCompacted", "msg": "compacted"}),
    )
    assert happened(told) == ["refusal", "interruption", "compaction"]
    assert next(turn.command for turn in told if turn.happening is Happening.REFUSAL) == "git push"


def test_only_what_was_typed_is_a_persons(tmp_path: Path) -> None:
    hidden = {"userVisible": False, "agentVisible": True}
    told = turns(
        tmp_path,
        message("user", text("This is what was said so far."), metadata=hidden),
        message("user", text("Never squash."), metadata={"userVisible": True, "agentVisible": False}),
        message("user", response("You said so.")),
    )
    assert said(told) == ["Never squash."]


def test_a_result_that_people_are_shown_in_other_words_is_told_once(tmp_path: Path) -> None:
    shown = {**text("# a.py"), "annotations": {"audience": ["user"], "priority": 0.2}}
    for_agent = {**text("x = 1"), "annotations": {"audience": ["assistant"]}}
    result = {"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": [for_agent, shown]}}
    (turn,) = turns(tmp_path, message("user", result))
    assert (turn.text, turn.ok) == ("x = 1", True)


def test_a_file_that_is_written_anew(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", ABOUT, message("user", text("a")))
    first = follow(GOOSE, path, None)
    write(path, ABOUT | {"message_count": 4}, message("user", text("a")), message("assistant", text("b")))
    again = follow(GOOSE, path, first.bookmark)
    assert new(again) == ["b"]
    assert again.old_turns == 1


# --- the database -----------------------------------------------------------------------------------------------------


class Database(stores.Database):
    """A made-up ``sessions.db``."""

    tables = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, session_type TEXT, schedule_id TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT,
        created_timestamp INTEGER, metadata_json TEXT);
    """

    def begin(self, session: str, kind: str = "user") -> None:
        self.fill("INSERT INTO sessions VALUES (?, 'n', '/srv/app', ?, NULL)", session, kind)

    def say(self, session: str, *messages: Record) -> None:
        columns = "session_id, role, content_json, created_timestamp, metadata_json"
        for one in messages:
            row = (session, one["role"], json.dumps(one["content"]), one["created"], json.dumps(one.get("metadata")))
            self.fill(f"INSERT INTO messages ({columns}) VALUES (?, ?, ?, ?, ?)", *row)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "sessions.db")


def test_the_database_is_read_session_by_session(database: Database) -> None:
    for name, kind in (("s1", "user"), ("s2", "sub_agent"), ("s3", "scheduled"), ("s4", "terminal")):
        database.begin(name, kind)
        database.say(name, message("user", text(f"Go, {name}.")))
    assert GOOSE.find(database.path.parent) == (database.path,)
    progress, _ = followed(GOOSE, database.path)
    assert [(turn.session, turn.role, turn.sidechain, turn.automated, turn.cwd) for turn in progress.turns] == [
        ("s1", Role.HUMAN, False, False, "/srv/app"),
        ("s2", Role.ASSISTANT, True, True, "/srv/app"),
        ("s3", Role.HUMAN, False, True, "/srv/app"),
        ("s4", Role.HUMAN, False, False, "/srv/app"),
    ]


def test_what_is_added_is_new_behind_what_was_known(database: Database) -> None:
    database.begin("s1")
    call = message("assistant", request("developer__shell", command="make"), at=2)
    database.say("s1", message("user", text("a"), at=1), call)
    first, told = followed(GOOSE, database.path)
    assert told == ["a", "make"]
    database.say("s1", message("user", response("fine"), at=3))
    second, told = followed(GOOSE, database.path, first)
    assert told == ["fine"]
    assert (second.turns[-1].command, second.turns[-1].locator.line) == ("make", 3)
    assert followed(GOOSE, database.path, second)[1] == []


def test_a_compaction_tells_nothing_twice(database: Database) -> None:
    database.begin("s1")
    before = [message("user", text(f"{number}"), at=number) for number in range(5)]
    database.say("s1", *before)
    progress, told = followed(GOOSE, database.path)
    assert told == ["0", "1", "2", "3", "4"]
    database.run("DELETE FROM messages WHERE session_id = 's1'")
    summary = message("user", text("so far"), at=9, metadata={"userVisible": False})
    database.say("s1", *before, summary, message("user", text("next"), at=10))
    again, told = followed(GOOSE, database.path, progress)
    assert told == ["4", "next"]  # said in the same second as the last that was known: told twice rather than not at all
    assert [turn.text for turn in again.turns[: again.old_turns]] == ["0", "1", "2", "3"]


def test_rows_of_another_shape_are_survived(database: Database) -> None:
    database.run("""
        INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES (NULL, 7, '[{', 'x');
        INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES ('s9', 'user', '{"type": 1}', x'00');
    """)
    database.say("s9", message("user", text("a")))
    assert followed(GOOSE, database.path)[1] == ["a"]
