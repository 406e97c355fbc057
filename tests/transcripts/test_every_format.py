"""One table over all formats: where they look, which files are theirs, and how they read on. Each runs with its samples."""

from __future__ import annotations

import codecs
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Companions, Format, Mark
from curator.model import JSON, Role
from curator.transcripts import AIDER_HISTORY, BUILT_IN
from curator.transcripts.base import discover, sessions
from curator.transcripts.base.follow import follow
from curator.transcripts.cline import API
from tests.files import write_file
from tests.transcripts import (
    test_aider,
    test_antigravity,
    test_copilot_cli,
    test_crush,
    test_cursor,
    test_goose,
    test_kimi,
    test_kiro,
    test_opencode,
    test_pi,
    test_qwen,
    test_zed,
)
from tests.transcripts import transcript_records as records
from tests.transcripts.samples import on_disk, samples

AGENTS: dict[str, Format] = {format_.agent: format_ for format_ in BUILT_IN}
SAMPLES = samples()
CASES = [(agent, at) for agent, several in SAMPLES.items() for at in range(len(several))]
HOME = Path("/home/me")


def test_every_format_has_a_sample() -> None:
    assert {format_.agent for format_ in BUILT_IN} == SAMPLES.keys()


# --- places -----------------------------------------------------------------------------------------------------------

VSCODE = (".config/Code/User/workspaceStorage", "/appdata/Code/User/workspaceStorage")
CLAUDE = (".claude/projects", ".config/claude/projects", "Library/Application Support/Claude/local-agent-mode-sessions")
CLINE = (".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks", ".cline/data/tasks")


@pytest.mark.parametrize(
    ("agent", "env", "roots"),
    [
        ("aider", {"PWD": "/srv/app"}, [f"/srv/app/{AIDER_HISTORY}"]),
        ("aider", {"PWD": "/srv", "AIDER_CHAT_HISTORY_FILE": "talk.md"}, ["/srv/talk.md"]),
        ("antigravity", {}, [f".gemini/{name}/brain" for name in ("antigravity", "antigravity-ide", "antigravity-cli")]),
        ("claude-code", {}, {*CLAUDE}),
        ("claude-code", {"CLAUDE_CONFIG_DIR": "/a, /b"}, {"/a/projects", "/b/projects"}),
        ("cline", {}, {*CLINE}),
        ("codex", {}, [".codex/sessions", ".codex/archived_sessions"]),
        ("codex", {"CODEX_HOME": "/x"}, ["/x/sessions", "/x/archived_sessions"]),
        ("continue", {}, [".continue/sessions"]),
        ("continue", {"CONTINUE_GLOBAL_DIR": "/c"}, ["/c/sessions"]),
        ("copilot-cli", {}, [".copilot/session-state"]),
        ("copilot-cli", {"COPILOT_HOME": "/x"}, ["/x/session-state"]),
        ("crush", {"PWD": "/srv"}, ["/srv/.crush/crush.db", "/srv/.crush/crush.db-wal"]),
        ("cursor", {}, {".cursor/projects", ".cursor/chats", ".config/Cursor/chats"}),
        ("droid", {}, [".factory/sessions"]),
        ("gemini", {}, [".gemini/tmp"]),
        ("goose", {}, [".local/share/goose/sessions"]),
        ("goose", {"XDG_DATA_HOME": "/d"}, ["/d/goose/sessions"]),
        ("goose", {"GOOSE_PATH_ROOT": "/g"}, ["/g/data/sessions"]),
        ("kimi", {}, [".kimi-code/sessions", ".kimi/sessions"]),
        ("kimi", {"KIMI_CODE_HOME": "/k", "KIMI_SHARE_DIR": "/e"}, ["/k/sessions", "/e/sessions"]),
        ("kiro", {}, [".kiro/sessions"]),
        ("kiro", {"KIRO_HOME": "/k"}, ["/k/sessions"]),
        ("kiro", {"KIRO_SESSIONS_DIR": "/s"}, ["/s"]),
        ("opencode", {}, [".local/share/opencode/opencode.db", ".local/share/opencode/opencode.db-wal"]),
        ("pi", {}, [".pi/agent/sessions"]),
        ("pi", {"PI_CODING_AGENT_DIR": "/p"}, ["/p/sessions"]),
        ("pi", {"PI_CODING_AGENT_SESSION_DIR": "/s"}, ["/s"]),
        ("qwen", {"QWEN_HOME": "/q"}, ["/q/projects"]),
        ("vscode-copilot", {"APPDATA": "/appdata"}, {*VSCODE}),
        ("zed", {}, {".local/share/zed/threads/threads.db", "Library/Application Support/Zed/threads/threads.db-wal"}),
    ],
)
def test_the_places_of_each_agent(agent: str, env: dict[str, str], roots: list[str] | set[str]) -> None:
    """A list names all places, a set some of them."""
    found = AGENTS[agent].roots(HOME, env)
    if isinstance(roots, set):
        assert {HOME / root for root in roots} <= set(found)
    else:
        assert list(found) == [HOME / root for root in roots]


def test_a_folder_that_was_moved_leaves_none_behind() -> None:
    assert HOME / ".claude/projects" not in AGENTS["claude-code"].roots(HOME, {"CLAUDE_CONFIG_DIR": "/a, /b"})


def test_opencode_has_a_database_by_whatever_name(tmp_path: Path) -> None:
    base = tmp_path / "opencode"
    base.mkdir()
    env = {"XDG_DATA_HOME": str(tmp_path)}
    for name in ("opencode.db", "opencode-dev.db"):  # the first one is expected before there is any
        roots = AGENTS["opencode"].roots(HOME, env)
        assert roots == (base / name, base / f"{name}-wal")
        (base / "opencode-dev.db").touch()


def test_crush_lists_its_projects(tmp_path: Path) -> None:
    (tmp_path / "app" / ".crush").mkdir(parents=True)
    env = {"XDG_DATA_HOME": str(tmp_path), "PWD": str(tmp_path / "app" / "src")}
    listed = tmp_path / "crush" / "projects.json"
    listed.parent.mkdir()
    for text, folders in (
        ('{"projects": [{"path": "/a", "data_dir": "/a/.crush"}]}', [str(tmp_path / "app/.crush"), "/a/.crush"]),
        ('{"projects": [7]}', [str(tmp_path / "app/.crush")]),
        ('{"projects"', [str(tmp_path / "app/.crush")]),
    ):
        listed.write_text(text)
        found = AGENTS["crush"].roots(HOME, env)
        assert [str(place) for place in found] == [f"{folder}/crush.db{end}" for folder in folders for end in ("", "-wal")]


# --- whose files ------------------------------------------------------------------------------------------------------

SESSIONS = b'[{"sessionId": "n1", "workspaceDirectory": "/srv/app"}]'
ITEMS = b'{"session": {"id": "x"}, "items": []}'
DATABASE = b"SQLite format 3\x00"


@pytest.mark.parametrize(
    ("agent", "name", "head", "claimed"),
    [
        ("aider", "talk.md", SAMPLES["aider"][0][0][1], True),
        ("aider", "README.md", b"# aider\n", False),
        ("antigravity", "logs/chunks/transcript/0.jsonl", records.lines(test_antigravity.SESSION[0]), False),
        ("antigravity", "logs/overview.txt", records.lines(test_antigravity.SESSION[0]), True),
        ("antigravity", "logs/transcript.jsonl", b'{"type":"user"}', False),
        ("claude-code", "s.jsonl", b'{"type":"summary","summary":"A title","leafUuid":"x"}', True),
        ("claude-code", "s.jsonl", b'{"type":"queue-operation","operation":"enqueue","sessionId":"S1"}', True),
        ("claude-code", "s.jsonl", b'{"type":"permission-mode","mode":"plan","sessionId":"S1"}', True),
        ("claude-code", "s.jsonl", b'{"type":"file-history-snapshot","messageId":"m","snapshot":{}}', True),
        ("claude-code", "s.jsonl", b'{"isSidechain":false,"parentUuid":null,"sessionId":"S1","type":"user"}', True),
        ("claude-code", "s.jsonl", b'{"type":"session.start","data":{"sessionId":"x"}}', False),
        ("claude-code", "s.jsonl", b'{"type":"session_meta","payload":{"sessionId":"x"}}', False),
        ("codex", "any.jsonl", records.lines(records.event("user_message", message="x")), True),
        ("codex", "rollout-b.jsonl", b'{"id": "x", "timestamp": "2025-07-01T00:00:00Z", "instructions": null}', True),
        ("codex", "rollout-c.jsonl", b'{"record_type": "state"}', True),
        ("codex", "other.jsonl", b'{"id": "x", "instructions": null}', False),
        ("codex", "other.json", ITEMS, False),
        ("codex", "rollout-e.txt", records.lines(records.META), False),
        ("continue", "sessions/sessions.json", SESSIONS, False),
        ("continue", "sessions/n1.json", b'{"sessionId": "g", "projectHash": "0", "history": []}', False),
        ("copilot-cli", "session-state/other.jsonl", b'{"type": "user", "parentUuid": null}', False),
        ("crush", ".crush/other.db", DATABASE, False),
        ("gemini", "tmp/app/chats/logs.json", b'[{"sessionId":"G1"}]', False),
        ("goose", "t.jsonl", records.lines(test_goose.message("user", test_goose.text("a"))), True),
        ("goose", "s.jsonl", b'{"role":"user","content":"a"}', False),
        ("goose", "other.db", DATABASE, False),
        ("kimi", "K1/wire.jsonl", records.lines(test_kimi.EARLY[1]), True),
        ("kimi", "K1/context.jsonl", records.lines(test_kimi.START), False),
        ("opencode", "ses_1.json", b'{"info": {"id": "ses_1", "projectID": "p1", "directory": "/a"}, "messages": []}', True),
        ("opencode", "ses_1.json", b'{"info": {"name": "x", "version": "1"}, "openapi": "3"}', False),
        ("opencode", "other.json", json.dumps(test_opencode.SESSION).encode(), False),
        ("opencode", "state.db", DATABASE, False),
        ("qwen", "x/chats/Q2.jsonl", records.lines(test_qwen.system("session_source", sourceType="cli")), True),
        ("qwen", "S.jsonl", records.lines(records.user("Go.")), False),
        ("vscode-copilot", "workspaceStorage/hash/state.json", b"{}", False),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_which_files_are_an_agents_own(tmp_path: Path, agent: str, name: str, head: bytes, claimed: bool) -> None:
    path = on_disk(tmp_path, [(name, head)])
    assert AGENTS[agent].claims(path, head) is claimed
    if agent != "aider":  # its history is looked for under one name, and claimed under others when it is named
        assert list(AGENTS[agent].find(tmp_path)) == ([path] if claimed else [])


@pytest.mark.parametrize(
    ("agent", "written", "transcript"),
    [
        ("cline", f"tasks/1/{API}", "tasks/1/ui_messages.json"),
        ("cline", "tasks/1/task_metadata.json", None),
        ("cursor", "globalStorage/state.vscdb-wal", "globalStorage/state.vscdb"),
        ("cursor", "chats/0/k1/store.db-wal", "chats/0/k1/store.db"),
        ("cursor", "p/agent-transcripts/u1/u1.jsonl", None),
        ("crush", ".crush/crush.db-wal", ".crush/crush.db"),
        ("crush", "other.db-wal", None),
        ("goose", "sessions.db-wal", "sessions.db"),
        ("goose", "other.db-wal", None),
        ("opencode", "opencode.db-wal", "opencode.db"),
        ("zed", "threads/threads.db-wal", "threads/threads.db"),
        ("zed", "other.db-wal", None),
        ("opencode", "other.db-wal", None),
    ],
)
def test_a_file_beside_a_transcript_leads_to_it(agent: str, written: str, transcript: str | None, tmp_path: Path) -> None:
    format_ = AGENTS[agent]
    assert isinstance(format_, Companions)
    for path in [tmp_path / written, *([tmp_path / transcript] if transcript else [])]:
        write_file(path, b"")
    known = {tmp_path / transcript: agent} if transcript else {}
    assert discover.transcript_of(tmp_path / written, [format_], known) == tmp_path / (transcript or written)
    if transcript:
        assert tmp_path / written in format_.companions(tmp_path / transcript)


# --- who speaks -------------------------------------------------------------------------------------------------------

RULE = {"permission": "question", "pattern": "*", "action": "deny"}
GO = {"id": "u1", "type": "user", "content": [{"text": "Go."}]}
STARTED = {"sessionId": "G1", "projectHash": "0" * 64, "startTime": "2026-05-01T08:00:00.000Z"}
ALONE = test_copilot_cli.event("system.message", content="You are Copilot. You are running in non-interactive mode and ...")
PRESENT = test_copilot_cli.event("system.message", content="You are Copilot.")
SAID = test_copilot_cli.event("user.message", content="Never squash.")


def codex(**source: Any) -> bytes:
    return records.lines(records.payload("session_meta", id="S", **source), records.event("user_message", message="Go."))


def goose_file(**about: Any) -> bytes:
    return records.lines(test_goose.ABOUT | about, test_goose.message("user", test_goose.text("Go.")))


def gemini(kind: str, at: str) -> bytes:
    return records.lines(STARTED | {"kind": kind}, GO | {"timestamp": f"2026-05-01T08:00:{at}Z"})


def opencode_file(**more: Any) -> bytes:
    prompt = test_opencode.user(test_opencode.text("Never squash."))
    return json.dumps({"info": test_opencode.SESSION | more, "messages": [prompt]}).encode()


PERSON, UNATTENDED = (Role.HUMAN, False, False), (Role.HUMAN, False, True)
INNER, INNER_ALONE = (Role.ASSISTANT, True, False), (Role.ASSISTANT, True, True)


@pytest.mark.parametrize(
    ("agent", "name", "data", "who"),
    [
        ("aider", "talk.md", (test_aider.HEAD.replace("--model m", "--yes --message x") + "#### x  \n").encode(), UNATTENDED),
        ("aider", "talk.md", (test_aider.HEAD + "#### x  \n").encode(), PERSON),
        ("claude-code", "s.jsonl", records.lines(records.assistant(records.text("I look."), isSidechain=True)), INNER),
        ("claude-code", "s.jsonl", records.lines(records.user("Go.", entrypoint="sdk-py")), UNATTENDED),
        ("claude-code", "s.jsonl", records.lines(records.user("Go.", entrypoint="claude-desktop", promptSource="sdk")), PERSON),
        ("codex", "rollout-s.jsonl", codex(source={"subagent": "review"}), INNER),
        ("codex", "rollout-s.jsonl", codex(source="exec"), UNATTENDED),
        ("copilot-cli", "K1/events.jsonl", records.lines(test_copilot_cli.START, SAID, ALONE), UNATTENDED),
        ("copilot-cli", "K1/events.jsonl", records.lines(test_copilot_cli.START, SAID, PRESENT), PERSON),
        ("cursor", "p/agent-transcripts/u1/subagents/a1.jsonl", records.lines(test_cursor.ask("do the part")), INNER),
        ("gemini", "chats/G1/sub.jsonl", gemini("subagent", "01.000"), INNER),
        ("gemini", "chats/session-1.jsonl", gemini("main", "00.022"), UNATTENDED),
        ("gemini", "chats/session-1.jsonl", gemini("main", "01.000"), PERSON),
        ("goose", "1.jsonl", goose_file(schedule_id="nightly"), UNATTENDED),
        ("goose", "1.jsonl", goose_file(), PERSON),
        ("opencode", "ses_1.json", opencode_file(permission=[RULE]), UNATTENDED),
        ("opencode", "ses_1.json", opencode_file(permission=[RULE | {"action": "ask"}]), PERSON),
        ("opencode", "ses_1.json", opencode_file(permission=[]), PERSON),
        ("opencode", "ses_1.json", opencode_file(parentID="ses_0"), INNER_ALONE),
        (
            "qwen",
            "chats/Q1.jsonl",
            records.lines(test_qwen.system("parent_session", parentSessionId="Q0"), test_qwen.user("Go.")),
            UNATTENDED,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whose_the_first_words_are(tmp_path: Path, agent: str, name: str, data: bytes, who: tuple[Role, bool, bool]) -> None:
    """A person who is there, a prompt that nobody typed, or an agent within another one's session."""
    turn = AGENTS[agent].read(on_disk(tmp_path, [(name, data)]), Mark()).turns[0]
    assert (turn.role, turn.sidechain, turn.automated) == who


# --- reading on -------------------------------------------------------------------------------------------------------

LISTS = {"codex": "items", "gemini": "messages", "opencode": "messages", "continue": "history", "vscode-copilot": "requests"}
"""Where the document of a format has its messages; others are a list of them."""
LINES = [case for case in CASES if SAMPLES[case[0]][case[1]][0][0].endswith(".jsonl")]
DOCUMENTS = [case for case in CASES if SAMPLES[case[0]][case[1]][0][0].endswith(".json")]
APART = [("codex", 1), ("opencode", 1)]
"""One is read by its marks alone, the other's messages lie in files of their own: their own tests let them grow."""


def changed(agent: str, at: int, *more: JSON) -> bytes:
    """The sample's transcript with more records or messages at its end."""
    name, data = SAMPLES[agent][at][0]
    if name.endswith(".jsonl"):
        return data + records.lines(*more)
    whole = json.loads(data)
    held = whole if isinstance(whole, list) else whole[LISTS[agent]]
    held.extend(more)
    return json.dumps(whole).encode()


def growing(agent: str, at: int) -> Iterator[bytes]:
    """The sample's transcript as it grows by a record, and the begin of the next one, or by a message at a time."""
    name, data = SAMPLES[agent][at][0]
    if name.endswith(".jsonl"):
        rows = data.splitlines(keepends=True)
        yield from (b"".join(rows[:count]) + rows[count][:20] for count in range(1, len(rows)))
    else:
        whole = json.loads(data)
        held: list[Any] = whole if isinstance(whole, list) else whole[LISTS[agent]]
        for count in range(1, len(held)):
            cut = held[:count]
            yield json.dumps(cut if isinstance(whole, list) else whole | {LISTS[agent]: cut}).encode()
    yield data


@pytest.mark.parametrize(("agent", "at"), [case for case in (*LINES, *DOCUMENTS) if case not in APART])
def test_a_transcript_that_grows_tells_each_turn_once(tmp_path: Path, agent: str, at: int) -> None:
    path = on_disk(tmp_path, SAMPLES[agent][at])
    whole = [(turn.role, turn.text, turn.command, turn.ok) for turn in AGENTS[agent].read(path, Mark()).turns]
    told, bookmark = [], None
    for data in growing(agent, at):
        path.write_bytes(data)
        progress = follow(AGENTS[agent], path, bookmark)
        bookmark = progress.bookmark
        told += [(turn.role, turn.text, turn.command, turn.ok) for turn in progress.turns[progress.old_turns :]]
    assert told == whole
    assert any(role is Role.HUMAN for role, *_ in told)


def is_database(case: tuple[str, int]) -> bool:
    return SAMPLES[case[0]][case[1]][0][1].startswith(b"SQLite format 3")


@pytest.mark.parametrize(("agent", "at"), [case for case in CASES if not is_database(case)])
def test_a_byte_order_mark_hides_nothing(tmp_path: Path, agent: str, at: int) -> None:
    path = on_disk(tmp_path, SAMPLES[agent][at])
    plain, written = AGENTS[agent].read(path, Mark()), path.stat().st_mtime_ns
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
    os.utime(path, ns=(written, written))
    assert AGENTS[agent].claims(path, discover.head(path))
    marked = AGENTS[agent].read(path, Mark())
    assert (marked.turns, marked.errors) == (plain.turns, plain.errors)
    assert not AGENTS[agent].read(path, marked.end).errors


@pytest.mark.parametrize(("agent", "at"), DOCUMENTS)
def test_a_document_half_written_keeps_the_mark(tmp_path: Path, agent: str, at: int) -> None:
    path = on_disk(tmp_path, SAMPLES[agent][at])
    mark = AGENTS[agent].read(path, Mark()).window
    path.write_bytes(path.read_bytes()[:-9])
    reading = AGENTS[agent].read(path, mark)
    assert (reading.turns, reading.window, reading.old_turns) == ((), mark, 0)
    assert "no whole JSON document" in reading.errors[0]


# --- records nobody knows ---------------------------------------------------------------------------------------------

OPENCODE_QUIET = "reasoning step-start step-finish snapshot patch file agent retry".split()
GOOSE_QUIET = "thinking redactedThinking image toolConfirmationRequest actionRequired systemNotification".split()
OPENCODE_PARTS = [{"type": kind} for kind in (*OPENCODE_QUIET, "dream")]
GOOSE_PARTS = [{"type": kind} for kind in (*GOOSE_QUIET, "dream")]
SENT = {"role": "user", "content": [{"type": "text", "text": "Always use tabs."}]}


@pytest.mark.parametrize(
    ("agent", "at", "more"),
    [
        ("antigravity", 0, [test_antigravity.step(11, "DREAM", "SYSTEM"), test_antigravity.step(12, "CHECKPOINT")]),
        ("claude-code", 0, [{"type": "novelty"}, {"no": "type"}]),
        ("claude-code", 0, [{"type": "progress", "data": {}}, {"type": "mode", "mode": "plan"}]),
        ("claude-code", 0, [{"type": "api-request-blob", "sessionId": "s", "hash": "b", "message": SENT}]),
        ("claude-code", 0, [{"type": kind} for kind in ("atis-latch", "api-request-shape", "api-request")]),
        ("claude-code", 0, [{"type": "tools-used", "tools": ["Read"]}, {"type": "cost-state"}]),
        ("codex", 0, [records.event("novelty"), records.item("novelty")]),
        ("codex", 0, [records.payload("novelty")]),
        ("cline", 0, [{"ts": 1, "type": "say", "say": "quantum_leap", "text": ""}]),
        ("continue", 0, [7, {"message": 7}, {"message": {"role": "ghost"}}]),
        ("copilot-cli", 0, [test_copilot_cli.event("model.telemetry", usage={})]),
        ("copilot-cli", 0, [test_copilot_cli.event("quantum.leap")]),
        ("cursor", 0, [{"type": "quantum_leap"}]),
        ("droid", 0, [{"type": "dream"}, {"type": "todo_state", "todos": {}}]),
        ("gemini", 0, [{"type": kind, "id": kind} for kind in ("info", "warning", "error", "dream")]),
        ("gemini", 0, [{"$set": {"summary": "s"}}, {"$new": 1}]),
        ("gemini", 2, [{"sessionId": "x", "messageId": 1, "type": "dream"}]),
        ("goose", 0, [test_goose.message("assistant", *GOOSE_PARTS)]),
        ("goose", 0, [test_goose.message("ghost")]),
        ("kimi", 0, [test_kimi.record("dream.begin"), {"type": "dream"}]),
        ("kimi", 1, [test_kimi.envelope("Dream"), test_kimi.envelope("TurnEnd")]),
        ("kiro", 0, [test_kiro.record("Dream")]),
        ("kiro", 1, [test_kiro.event("dream")]),
        ("opencode", 0, [test_opencode.agent(*OPENCODE_PARTS, at=9000)]),
        ("opencode", 0, [{"info": {"role": "ghost"}, "parts": []}]),
        ("pi", 0, [test_pi.entry("dream"), test_pi.message("ghost")]),
        ("qwen", 0, [test_qwen.record("dream")]),
        ("vscode-copilot", 0, [{"requestId": "r9", "message": {}, "response": [{"kind": "quantum"}]}]),
    ],
)
def test_unknown_records_give_no_turn(tmp_path: Path, agent: str, at: int, more: list[Any]) -> None:
    path = on_disk(tmp_path, SAMPLES[agent][at])
    known = [(turn.role, turn.text) for turn in AGENTS[agent].read(path, Mark()).turns]
    path.write_bytes(changed(agent, at, *more))
    reading = AGENTS[agent].read(path, Mark())
    assert [(turn.role, turn.text) for turn in reading.turns] == known


# --- databases --------------------------------------------------------------------------------------------------------

Say = Callable[..., None]


def cursor(path: Path) -> Say:
    state = test_cursor.State(path)
    told: dict[str, list[str]] = defaultdict(list)

    def say(session: str, *words: str) -> None:
        told[session] += words
        state.chat(session, *(test_cursor.prompt(f"{session}-{at}", text) for at, text in enumerate(told[session])))

    return say


def crush(path: Path) -> Say:
    database, begun, seconds = test_crush.Database(path), set[str](), count()

    def say(session: str, *words: str) -> None:
        if session not in begun:
            database.begin(session)
        begun.add(session)
        for text in words:
            database.say(session, test_crush.user(test_crush.text(text)), at=next(seconds))

    return say


def goose(path: Path) -> Say:
    database, begun, seconds = test_goose.Database(path), set[str](), count()

    def say(session: str, *words: str) -> None:
        if session not in begun:
            database.begin(session)
        begun.add(session)
        database.say(session, *(test_goose.message("user", test_goose.text(text), at=next(seconds)) for text in words))

    return say


def opencode(path: Path) -> Say:
    database, seconds = test_opencode.Database(path), count(0, 1000)

    def say(session: str, *words: str) -> None:
        for text in words:
            at = next(seconds)
            database.prompt(session, at, test_opencode.user(test_opencode.text(text), at=at))

    return say


def zed(path: Path) -> Say:
    database, seconds = test_zed.Database(path), count(10)
    told: dict[str, list[str]] = defaultdict(list)

    def say(session: str, *words: str) -> None:
        told[session] += words
        messages = [test_zed.user(test_zed.text(text), identity=f"{session}-{at}") for at, text in enumerate(told[session])]
        database.thread(session, *messages, at=f"2026-06-01T08:00:{next(seconds)}+00:00")

    return say


STORES = {
    "crush": (crush, "crush.db"),
    "cursor": (cursor, "globalStorage/state.vscdb"),
    "goose": (goose, "sessions.db"),
    "opencode": (opencode, "opencode.db"),
    "zed": (zed, "threads.db"),
}


@pytest.mark.parametrize("agent", STORES)
def test_a_database_of_many_sessions_comes_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str) -> None:
    monkeypatch.setattr(sessions, "SESSIONS", 3)
    monkeypatch.setattr(sessions, "MESSAGES", 4)
    monkeypatch.setattr(sessions, "_REMEMBERED", 2)
    monkeypatch.setattr("curator.transcripts.cursor._ROWS", 4)
    open_, name = STORES[agent]
    path = tmp_path / name
    say = open_(path)
    expected = []
    for number in range(10):
        words = [f"{number}-{word}" for word in range(7 if number == 4 else 2)]
        say(f"s{number}", *words)
        expected += words
    assert AGENTS[agent].read(path, Mark()).more
    known, told = records.followed(AGENTS[agent], path)
    assert sorted(told) == sorted(expected)
    assert known.bookmark
    assert len(known.bookmark.window.memory["told"]) == 2
    assert records.followed(AGENTS[agent], path, known)[1] == []
    say("s9", "late")
    say("s2", "very late")
    say("new", "newer")
    known, told = records.followed(AGENTS[agent], path, known)
    assert sorted(set(told) - set(expected)) == ["late", "newer", "very late"]
    assert records.followed(AGENTS[agent], path, known)[1] == []


@pytest.mark.parametrize("agent", STORES)
def test_a_damaged_database_is_an_os_error(tmp_path: Path, agent: str) -> None:
    open_, name = STORES[agent]
    path = tmp_path / name
    open_(path)("s1", "Go.")
    raw = path.read_bytes()
    path.write_bytes(raw[:100] + bytes(range(1, 256)) * (len(raw) // 255))
    with pytest.raises(OSError, match=r"."):
        AGENTS[agent].read(path, Mark())
