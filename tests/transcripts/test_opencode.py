from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.model import Happening, Role, Turn
from curator.transcripts.base.follow import follow
from tests.transcripts import stores
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, followed, happened, has, said, turns_of

OPENCODE = FORMATS["opencode"]
T0 = 1_777_622_400_000
REJECTED = "The user rejected permission to use this specific tool call"
ABOUT: Record = {"projectID": "p1", "directory": "/srv/app", "title": "t"}
SESSION: Record = {"id": "ses_1", **ABOUT, "time": {"created": T0, "updated": T0}}


def text(words: str, **more: Any) -> Record:
    return {"type": "text", "text": words, **more}


def tool(name: str, output: str = "", *, error: str = "", meta: Record | None = None, **given: Any) -> Record:
    time = {"start": T0 + 3000, "end": T0 + 4000}
    state: Record = {"status": "error", "error": error} if error else {"status": "completed", "output": output}
    state |= {"input": given, "metadata": meta or {}, "time": time}
    return {"type": "tool", "tool": name, "callID": "c1", "state": state}


def user(*parts: Record, at: int = 1000) -> Record:
    return {"info": {"id": f"msg_{at:06}", "role": "user", "time": {"created": T0 + at}}, "parts": list(parts)}


def agent(*parts: Record, at: int = 2000, done: bool = True, **more: Any) -> Record:
    time = {"created": T0 + at} | ({"completed": T0 + at + 500} if done else {})
    path = {"cwd": "/srv/app/web", "root": "/srv/app"}
    return {"info": {"id": f"msg_{at:06}", "role": "assistant", "time": time, "path": path, **more}, "parts": list(parts)}


def export(tmp_path: Path, *messages: Record, **more: Any) -> Path:
    path = tmp_path / "ses_1.json"
    path.write_text(json.dumps({"info": SESSION | more, "messages": messages}, indent=2))
    return path


def turns(tmp_path: Path, *messages: Record, **more: Any) -> list[Turn]:
    return turns_of(OPENCODE, export(tmp_path, *messages, **more))


# --- what messages say ------------------------------------------------------------------------------------------------


def test_words_calls_and_results(tmp_path: Path) -> None:
    told = turns(
        tmp_path,
        user(text("Keep the retry in the client.")),
        agent(text("I will test.", time={"start": T0 + 2500}), tool("bash", "1 failed", meta={"exit": 2}, command="make test")),
        agent(tool("edit", "ok", filePath="/srv/app/a.py"), at=5000),
        agent(tool("apply_patch", "ok", patchText="*** Begin Patch\n*** Update File: b.py\n@@\n*** End Patch"), at=6000),
        agent(tool("bash", "?", command="sleep 9"), at=7000),
    )
    human, spoke, asked, answered, edit, _, _, patched, _, unsure = told
    has(human, role=Role.HUMAN, text="Keep the retry in the client.", session="ses_1", cwd="/srv/app")
    has(human, at=1777622401.0, line=1, record="msg_001000")
    has(spoke, role=Role.ASSISTANT, text="I will test.", cwd="/srv/app/web", at=1777622402.5, line=2)
    has(asked, role=Role.TOOL_CALL, command="make test", text="make test")
    has(answered, role=Role.TOOL_RESULT, ok=False, command="make test", at=1777622404.0)
    assert (edit.paths, patched.paths, patched.ok) == (("/srv/app/a.py",), ("b.py",), True)
    assert unsure.ok is None


def test_a_call_that_runs_has_no_result_yet(tmp_path: Path) -> None:
    state = {"status": "running", "input": {"command": "make"}}
    (turn,) = turns(tmp_path, agent({"type": "tool", "tool": "bash", "callID": "c", "state": state}))
    assert turn.role is Role.TOOL_CALL


def test_what_a_person_did(tmp_path: Path) -> None:
    which: dict[str, Any] = {"questions": [{"question": "Which store?"}]}
    told = turns(
        tmp_path,
        agent(tool("bash", error=f"{REJECTED}.", command="git push")),
        agent(tool("edit", error=f"{REJECTED} with the following feedback: keep the old name", filePath="a.py"), at=3000),
        agent(tool("question", "…", meta={"answers": [["Postgres", "Redis"], ["no"]]}, **which)),
        agent(tool("question", error="The user dismissed this question", questions=[{"question": "Sure?"}]), at=4000),
        agent(text("I was about to"), at=5000, error={"name": "MessageAbortedError", "data": {"message": "x"}}),
        agent(tool("bash", error="Tool execution aborted", command="make"), at=6000),
        user({"type": "compaction", "auto": True}, at=7000),
        agent(text("What we did so far"), at=8000, summary=True),
    )
    refused = ["refusal", "refusal: keep the old name", "answer: Postgres, Redis", "answer: no", "refusal"]
    assert happened(told) == [*refused, "interruption", "compaction"]
    assert [turn.ok for turn in told if turn.role is Role.TOOL_RESULT] == [None]
    assert [turn.text for turn in told if turn.role is Role.ASSISTANT] == ["I was about to"]
    assert "Which store?" in [turn.text for turn in told if turn.role is Role.TOOL_CALL]


def test_only_what_was_typed_is_a_persons(tmp_path: Path) -> None:
    told = turns(
        tmp_path,
        user(text("Read the file", synthetic=True), text("Never squash."), text("shown only", ignored=True)),
        user({"type": "subtask", "prompt": "You are a reviewer.", "agent": "build", "description": "d"}),
        user(text("<system-reminder>be nice</system-reminder>")),
        user(text("The following tool was executed by the user", synthetic=True)),
        agent(tool("bash", "a.py", meta={"exit": 0}, command="ls")),
    )
    assert said(told) == ["Never squash."]
    assert [turn.role for turn in told[1:]] == [Role.TOOL_CALL, Role.TOOL_RESULT]
    assert {(turn.tool, turn.command) for turn in told[1:]} == {("!", "ls")}


def test_blanked_ids_lose_nothing(tmp_path: Path) -> None:
    messages = [user(text(words)) for words in ("Never squash.", "Nor rebase.")]
    for message in messages:
        message["info"]["id"] = "REDACTED"
    assert said(turns(tmp_path, *messages)) == ["Never squash.", "Nor rebase."]


# --- the database -----------------------------------------------------------------------------------------------------


class Database(stores.Database):
    """A made-up ``opencode.db``."""

    tables = """
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
        time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER,
        data TEXT);
    """

    def prompt(self, session: str, at: int, *messages: Record, parent: str | None = None) -> None:
        """Begin a session, or let it be of this time, and say something in it."""
        row = (session, "p1", parent, "/srv/app", "t", T0 + at, T0 + at)
        held = "ON CONFLICT DO UPDATE SET time_updated = excluded.time_updated"
        self.fill(f"INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?) {held}", *row)
        self.say(session, *messages)

    def say(self, session: str, *messages: Record) -> None:
        held = "ON CONFLICT DO UPDATE SET data = excluded.data"
        for message in messages:
            info = {key: value for key, value in message["info"].items() if key != "id"}
            identity, created = f"{session}{message['info']['id']}", info["time"]["created"]
            row = (identity, session, created, created, json.dumps(info))
            self.fill(f"INSERT INTO message VALUES (?, ?, ?, ?, ?) {held}", *row)
            for number, part in enumerate(message["parts"]):
                held_row = (f"{identity}{number}", identity, *row[1:4], json.dumps(part))
                self.fill(f"INSERT INTO part VALUES (?, ?, ?, ?, ?, ?) {held}", *held_row)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "opencode.db")


def test_the_database_is_read_session_by_session(database: Database) -> None:
    database.prompt("ses_1", 1000, user(text("Never squash.")), agent(text("Fine.")))
    database.prompt("ses_2", 2000, user(text("Look at the logs.")), parent="ses_1")
    assert OPENCODE.find(database.path.parent) == (database.path,)
    progress, _ = followed(OPENCODE, database.path)
    assert [(turn.session, turn.role, turn.text, turn.locator.line, turn.sidechain) for turn in progress.turns] == [
        ("ses_1", Role.HUMAN, "Never squash.", 1, False),
        ("ses_1", Role.ASSISTANT, "Fine.", 2, False),
        ("ses_2", Role.ASSISTANT, "Look at the logs.", 1, True),
    ]
    has(progress.turns[0], cwd="/srv/app", record="ses_1msg_001000")
    assert progress.old_turns == 0


def test_what_is_added_to_a_session_is_new_behind_what_was_known(database: Database) -> None:
    database.prompt("ses_1", 1000, user(text("Never squash.")), agent(text("Fi"), done=False))
    first, told = followed(OPENCODE, database.path)
    assert told == ["Never squash."]  # the answer is still being written
    database.say("ses_1", agent(text("Fine.")))
    second, told = followed(OPENCODE, database.path, first)
    assert told == ["Fine."]
    assert [turn.locator.line for turn in second.turns] == [1, 2]
    database.prompt("ses_1", 5000, user(at=5000))
    third, told = followed(OPENCODE, database.path, second)
    assert not told  # a prompt without its parts is still being written
    database.say("ses_1", user(text("Nor rebase."), at=5000))
    assert followed(OPENCODE, database.path, third)[1] == ["Nor rebase."]


def test_an_answer_that_was_never_ended_is_told_once_another_comes(database: Database) -> None:
    database.prompt("ses_1", 1000, agent(text("I was killed."), done=False), user(text("Again."), at=5000))
    first, told = followed(OPENCODE, database.path)
    assert not told  # the prompt may have been typed while the agent went on
    database.say("ses_1", agent(text("Now then."), at=6000))
    assert followed(OPENCODE, database.path, first)[1] == ["I was killed.", "Again.", "Now then."]


def tool_2(name: str, output: str = "", *, error: str = "", meta: Record | None = None, **given: Any) -> Record:
    said: Record = {"content": [{"type": "text", "text": output}]} if not error else {"error": {"type": "x", "message": error}}
    state = {"status": "error" if error else "completed", "input": given, "metadata": meta or {}, **said}
    return {"type": "tool", "id": "c1", "name": name, "state": state, "time": {"created": T0, "completed": T0 + 4000}}


class Database2(Database):
    """A made-up ``opencode.db`` of version 2."""

    tables = f"""{Database.tables}
    CREATE TABLE session_v2
        (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE session_message
        (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT);
    """

    def add(self, session: str, seq: int, kind: str, at: int = 0, done: bool = True, **data: Any) -> None:
        created = T0 + (at or seq)
        row = (session, None, "/srv/app", T0, T0)
        self.fill("INSERT INTO session_v2 VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", *row)
        time = {"created": created} | ({"completed": created + 500} if done else {})
        held = (f"{session}m{seq}", session, kind, seq, created, json.dumps({"time": time, **data}))
        self.fill("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET data = excluded.data", *held)

    def talk(self) -> None:
        """One message of each type."""
        self.add("ses_1", 1, "user", text="Never squash.", files=[])
        self.add("ses_1", 2, "synthetic", text="You are in plan mode.")
        self.add("ses_1", 3, "assistant", content=[{"type": "reasoning", "text": "Hm."}, text("Fine.")])
        self.add("ses_1", 4, "assistant", content=[tool_2("shell", "1 failed", meta={"exit": 2}, command="make")])
        self.add("ses_1", 5, "shell", command="ls", status="exited", exit=0, output={"text": "a.py"})
        self.add("ses_1", 6, "idle", outcome="interrupted")
        self.add("ses_1", 7, "compaction", status="completed", summary="so far", recent="")
        for seq, kind in enumerate(("system", "skill", "agent-switched", "model-switched", "location-switched"), 8):
            self.add("ses_1", seq, kind, text="Be nice.")
        self.add("ses_1", 13, "idle", outcome="succeeded")


@pytest.fixture
def database2(tmp_path: Path) -> Database2:
    return Database2(tmp_path / "opencode.db")


def test_version_2_keeps_a_message_in_one_row(database2: Database2) -> None:
    database2.talk()
    progress, _ = followed(OPENCODE, database2.path)
    assert not progress.unknown
    assert [(turn.role, turn.happening, turn.text, turn.locator.line) for turn in progress.turns] == [
        (Role.HUMAN, None, "Never squash.", 1),
        (Role.ASSISTANT, None, "Fine.", 3),
        (Role.TOOL_CALL, None, "make", 4),
        (Role.TOOL_RESULT, None, "1 failed", 4),
        (Role.TOOL_CALL, None, "ls", 5),
        (Role.TOOL_RESULT, None, "a.py", 5),
        (Role.EVENT, Happening.INTERRUPTION, "", 6),
        (Role.EVENT, Happening.COMPACTION, "", 7),
    ]
    assert [(turn.command, turn.tool, turn.ok) for turn in progress.turns if turn.role is Role.TOOL_RESULT] == [
        ("make", "shell", False),
        ("ls", "!", True),
    ]
    assert progress.turns[0].cwd == "/srv/app"
    database2.add("ses_1", 20, "dream")
    later = follow(OPENCODE, database2.path, progress.bookmark)
    assert later.turns[later.old_turns :] == ()


def test_version_2_tells_a_message_when_it_is_complete_and_late_prompts_too(database2: Database2) -> None:
    rejected = f"{REJECTED} with the following feedback: keep it"
    database2.add("ses_1", 1, "user", text="Never squash.")
    database2.add("ses_1", 2, "assistant", at=50, done=False, content=[text("Fi")])
    first, told = followed(OPENCODE, database2.path)
    assert told == ["Never squash."]
    database2.add("ses_1", 2, "assistant", at=50, content=[text("Fine."), tool_2("edit", error=rejected, filePath="a.py")])
    database2.add("ses_1", 3, "user", at=10, text="typed before the answer began")
    second, told = followed(OPENCODE, database2.path, first)
    assert told == ["Fine.", "a.py", "keep it", "typed before the answer began"]
    assert (second.old_turns, second.turns[3].happening) == (1, Happening.REFUSAL)
    assert followed(OPENCODE, database2.path, second)[1] == []


def test_what_was_told_of_the_tables_of_old_is_not_told_again(database2: Database2) -> None:
    database2.prompt("ses_1", 1, user(text("Never squash."), at=1))
    first, told = followed(OPENCODE, database2.path)
    assert told == ["Never squash."]
    database2.add("ses_1", 1, "user", text="Never squash.")
    database2.add("ses_1", 2, "user", text="Nor rebase.")
    assert followed(OPENCODE, database2.path, first)[1] == ["Nor rebase."]


def test_sessions_that_version_2_has_not_taken_over_are_told_too(database2: Database2) -> None:
    database2.prompt("ses_1", 1, user(text("Never squash."), at=1))
    database2.add("ses_2", 1, "user", text="Nor rebase.")
    first, told = followed(OPENCODE, database2.path)
    assert sorted(told) == ["Never squash.", "Nor rebase."]
    database2.prompt("ses_1", 2, user(text("Nor force a push."), at=2))
    assert followed(OPENCODE, database2.path, first)[1] == ["Nor force a push."]


def test_what_no_database_of_its_shape_says(tmp_path: Path) -> None:
    other = stores.Database(tmp_path / "opencode.db")
    other.run("CREATE TABLE session (id TEXT)")
    progress = follow(OPENCODE, other.path, None)
    assert not progress.turns
    assert "no such column" in progress.errors[0]


def test_rows_of_another_shape_are_survived(database: Database) -> None:
    database.prompt("ses_1", 1000, user(text("Never squash.")))
    database.run("""
        INSERT INTO session VALUES (7, 8, 9, 10, 11, 'x', x'00');
        INSERT INTO message VALUES ('m2', 'ses_1', 1777622409000, 0, '[1, {');
        INSERT INTO message VALUES ('m3', 'ses_1', 1777622409001, 0, x'ff');
        INSERT INTO part VALUES ('p2', 'm3', 'ses_1', 0, 0, '{"type": "text"');
    """)
    assert followed(OPENCODE, database.path)[1] == ["Never squash."]
