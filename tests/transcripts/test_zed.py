from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.model import Happening, Role, Turn
from tests.transcripts import stores
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, followed, happened, has, said

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZED = FORMATS["zed"]
AT = "2026-06-01T08:00:00+00:00"
DENIED = "Permission to run tool denied by user"


def user(*content: Record, identity: str = "u1") -> Record:
    return {"User": {"id": identity, "content": [*content]}}


def text(words: str) -> Record:
    return {"Text": words}


def mention(words: str) -> Record:
    return {"Mention": {"uri": {"File": {"abs_path": "/a.md"}}, "content": words}}


def use(call: str, name: str, **given: Any) -> Record:
    return {"ToolUse": {"id": call, "name": name, "raw_input": "{}", "input": given, "is_input_complete": True}}


def agent(*content: Record, **results: Record) -> Record:
    return {"Agent": {"content": [*content], "tool_results": results}}


def result(*content: Any, failed: bool = False) -> Record:
    return {"tool_use_id": "c", "tool_name": "x", "is_error": failed, "content": [*content], "output": None}


THREAD = [
    user(text("Never push to main."), mention("Always ask.")),
    agent(
        {"Thinking": {"text": "hm", "signature": None}},
        text("I will test."),
        use("c1", "terminal", command="make test", cd="app"),
        c1=result({"Text": 'Command "make test" failed with exit code 2.\n\n1 failed'}),
    ),
    agent(use("c2", "edit_file", path="/srv/app/a.py"), c2=result({"Text": DENIED}, failed=True)),
    agent(use("c3", "terminal", command="sleep 9"), c3=result("Tool canceled by user", failed=True)),
    "Resume",
    agent(text("Kept.")),
]


class Database(stores.Database):
    """A made-up ``threads.db``."""

    tables = """CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL,
        data_type TEXT NOT NULL, data BLOB NOT NULL, parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT);"""

    def thread(self, name: str, *messages: Any, at: str = AT, kind: str = "zstd", parent: str | None = None) -> None:
        data = json.dumps({"title": "t", "messages": [*messages], "updated_at": at, "version": "0.3.0"}).encode()
        row = (name, "t", at, kind, zstd.compress(data) if kind == "zstd" else data, parent, "/srv/app\n/srv/other", "0,1")
        self.fill("INSERT OR REPLACE INTO threads VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "threads" / "threads.db")


def turns(database: Database, *messages: Any, **more: Any) -> list[Turn]:
    database.thread("t1", *messages, **more)
    return list(ZED.read(database.path, Mark()).turns)


@pytest.mark.parametrize("kind", ["zstd", "json"])
def test_a_thread(database: Database, kind: str) -> None:
    found = turns(database, *THREAD, kind=kind)
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in found] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "terminal", "make test", None, None),
        (Role.TOOL_RESULT, "terminal", 'Command "make test" failed with exit code 2.\n\n1 failed', None, False),
        (Role.TOOL_CALL, "edit_file", "/srv/app/a.py", None, None),
        (Role.EVENT, "edit_file", "", Happening.REFUSAL, False),
        (Role.TOOL_CALL, "terminal", "sleep 9", None, None),
        (Role.EVENT, "terminal", "", Happening.INTERRUPTION, False),
        (Role.ASSISTANT, "", "Kept.", None, None),
    ]
    has(found[0], session="t1", cwd="/srv/app", at=1780300800.0, line=1, record="u1")
    assert (found[3].command, found[3].call, found[5].paths) == ("make test", "c1", ("/srv/app/a.py",))


def test_what_is_said_later_is_new_and_a_call_waits_for_its_result(database: Database) -> None:
    running = agent(use("c9", "terminal", command="make"))
    database.thread("t1", *THREAD, running)
    known, told = followed(ZED, database.path)
    assert told[-1] == "Kept."
    database.thread(
        "t1", *THREAD, agent(use("c9", "terminal", command="make"), c9=result("ok")), at="2026-06-01T08:00:01+00:00"
    )
    assert followed(ZED, database.path, known)[1] == ["make", "ok"]


def test_a_thread_in_which_a_person_went_back_goes_on(database: Database) -> None:
    database.thread("t1", *THREAD)
    known, _ = followed(ZED, database.path)
    database.thread("t1", THREAD[0], user(text("No, keep it."), identity="u2"), at="2026-06-01T08:00:01+00:00")
    assert "No, keep it." in followed(ZED, database.path, known)[1]


def test_only_the_exact_words_of_the_agent_are_a_refusal(database: Database) -> None:
    called = agent(use("c1", "terminal"), use("c2", "mcp_x"), c1=result(DENIED), c2=result(f"{DENIED}: no", failed=True))
    assert happened(turns(database, called)) == []


def test_a_subagents_prompt_was_written_by_the_agent_that_called_it(database: Database) -> None:
    (turn,) = turns(database, user(text("Look.")), parent="t0")
    assert (turn.role, turn.sidechain) == (Role.ASSISTANT, True)


def test_odd_values_are_survived(database: Database) -> None:
    database.thread("t2", user(text("Go.")), {"Dream": {}}, 7)
    for number, data in enumerate((b"", b"\x28\xb5\x2f\xfd", zstd.compress(b"{"), zstd.compress(b"[]"))):
        database.fill(
            "INSERT INTO threads (id, summary, updated_at, data_type, data) VALUES (?, '', '', 'zstd', ?)", number, data
        )
    reading = ZED.read(database.path, Mark())
    assert said(list(reading.turns)) == ["Go."]
