from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.model import Happening, Role, Turn
from tests.transcripts import stores
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, followed, happened, has

CRUSH = FORMATS["crush"]
T0 = 1_780_300_800


def part(kind: str, **data: Any) -> Record:
    return {"type": kind, "data": data}


def text(words: str) -> Record:
    return part("text", text=words)


def call(identity: str, name: str, **given: Any) -> Record:
    return part("tool_call", id=identity, name=name, input=json.dumps(given), finished=True)


def result(identity: str, words: str, *, failed: bool = False) -> tuple[str, list[Record]]:
    return ("tool", [part("tool_result", tool_call_id=identity, name="", content=words, is_error=failed), DONE])


def finish(reason: str) -> Record:
    return part("finish", reason=reason, time=T0)


DONE = finish("stop")
DENIED = "User denied permission"


def user(*parts: Record) -> tuple[str, list[Record]]:
    return ("user", [*parts, DONE])


def agent(*parts: Record, reason: str = "tool_use") -> tuple[str, list[Record]]:
    return ("assistant", [*parts, finish(reason)])


class Database(stores.Database):
    """A made-up ``crush.db``."""

    tables = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, updated_at INTEGER NOT NULL);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL,
        created_at INTEGER NOT NULL, is_summary_message INTEGER DEFAULT 0 NOT NULL);
    """

    def begin(self, session: str, parent: str | None = None) -> None:
        self.fill("INSERT INTO sessions VALUES (?, ?, 't', 0)", session, parent)

    def say(self, session: str, *messages: tuple[str, list[Record]], at: int = T0, summary: bool = False) -> None:
        for role, parts in messages:
            (number,) = stores.rows_of(self.path, "SELECT count(*) FROM messages")[0]
            row = (f"m{number}", session, role, json.dumps(parts), at, summary)
            self.fill("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)", *row)
        self.fill("UPDATE sessions SET updated_at = ? WHERE id = ?", at, session)


SESSION = [
    user(text("Never push to main."), part("binary", Path="a.png", MIMEType="image/png", Data="AAAA")),
    agent(part("reasoning", thinking="hm"), text("I will test."), call("c1", "bash", command="make test")),
    result("c1", "1 failed\nExit code 2\n\n<cwd>/srv/app</cwd>"),
    agent(call("c2", "edit", file_path="/srv/app/a.py", old_string="a", new_string="b")),
    result("c2", DENIED, failed=True),
    user(part("shell_command", command="git status", output="clean", exit_code=0)),
    agent(text("I was"), call("c3", "bash", command="sleep 9"), reason="canceled"),
    result("c3", "Error: user cancelled assistant tool calling", failed=True),
]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    (tmp_path / "app" / ".crush").mkdir(parents=True)
    return Database(tmp_path / "app" / ".crush" / "crush.db")


def turns(database: Database, *messages: tuple[str, list[Record]]) -> list[Turn]:
    database.begin("s1")
    database.say("s1", *messages)
    return list(followed(CRUSH, database.path)[0].turns)


def test_a_session(database: Database) -> None:
    found = turns(database, *SESSION)
    database.say("s1", ("assistant", [text("They talked."), DONE]), summary=True)
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in found] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "bash", "make test", None, None),
        (Role.TOOL_RESULT, "bash", "1 failed\nExit code 2\n\n<cwd>/srv/app</cwd>", None, False),
        (Role.TOOL_CALL, "edit", "/srv/app/a.py\na\nb", None, None),
        (Role.EVENT, "edit", "", Happening.REFUSAL, False),
        (Role.TOOL_CALL, "!", "git status", None, None),
        (Role.TOOL_RESULT, "!", "clean", None, True),
        (Role.ASSISTANT, "", "I was", None, None),
        (Role.TOOL_CALL, "bash", "sleep 9", None, None),
        (Role.EVENT, "", "", Happening.INTERRUPTION, None),
        (Role.TOOL_RESULT, "bash", "Error: user cancelled assistant tool calling", None, None),
    ]
    first, failed, refused = found[0], found[3], found[5]
    has(first, session="s1", cwd=str(database.path.parent.parent), at=1780300800.0, line=1, record="m0")
    assert (failed.command, failed.call, refused.paths) == ("make test", "c1", ("/srv/app/a.py",))


def test_a_summary_is_a_compaction_and_nobodys_words(database: Database) -> None:
    database.begin("s1")
    database.say("s1", ("user", [text("Always ask."), DONE]), summary=True)
    (turn,) = followed(CRUSH, database.path)[0].turns
    assert (turn.happening, turn.text) == (Happening.COMPACTION, "")


def test_only_the_exact_words_of_the_agent_are_a_refusal(database: Database) -> None:
    called = agent(call("c1", "bash", command="cat"), call("c2", "mcp_x"))
    assert happened(turns(database, called, result("c1", DENIED), result("c2", f"{DENIED}: no", failed=True))) == []


def test_a_subagents_prompt_was_written_by_the_agent_that_called_it(database: Database) -> None:
    database.begin("m1$$c1", "s1")
    database.say("m1$$c1", user(text("Look.")))
    (turn,) = followed(CRUSH, database.path)[0].turns
    assert (turn.role, turn.sidechain) == (Role.ASSISTANT, True)


def test_an_answer_waits_until_it_is_complete(database: Database) -> None:
    database.begin("s1")
    database.say("s1", user(text("Go.")), ("assistant", [text("I will")]))
    known, told = followed(CRUSH, database.path)
    assert told == ["Go."]
    database.fill("UPDATE messages SET parts = ? WHERE id = 'm1'", json.dumps([text("I will test."), finish("end_turn")]))
    database.fill("UPDATE sessions SET updated_at = ?", T0 + 5)
    assert followed(CRUSH, database.path, known)[1] == ["I will test."]


def test_a_database_of_the_first_version_has_no_summaries(database: Database) -> None:
    database.run("ALTER TABLE messages DROP COLUMN is_summary_message")
    database.begin("s1")
    database.fill("INSERT INTO messages VALUES ('m1', 's1', 'user', ?, ?)", json.dumps([text("Go.")]), T0)
    assert [turn.text for turn in followed(CRUSH, database.path)[0].turns] == ["Go."]
