from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from curator.hookspecs import Mark
from curator.io import files
from curator.model import Happening, Role
from curator.transcripts.base import discover
from curator.transcripts.base.follow import follow
from tests.transcripts.transcript_records import (
    CODEX,
    META,
    Record,
    codex,
    event,
    happened,
    has,
    item,
    message,
    payload,
    read,
    said,
    write,
)


def call(name: str, call_id: str = "c1", **given: Any) -> Record:
    return item("function_call", name=name, arguments=json.dumps(given), call_id=call_id)


def output(text: Any, call_id: str = "c1") -> Record:
    return item("function_call_output", call_id=call_id, output=text)


def test_texts_that_are_logged_twice_are_said_once(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rollout-x.jsonl",
        META,
        message("user", "<environment_context><cwd>/repo/app</cwd></environment_context>"),
        message("user", "No, keep it in the client."),
        event("user_message", message="No, keep it in the client.", images=[]),
        event("agent_message", message="Kept."),
        message("assistant", "Kept."),
    )
    human, agent = read(CODEX, path).turns
    has(human, role=Role.HUMAN, text="No, keep it in the client.", line=4, sidechain=False, automated=False)
    has(human, session="C1", cwd="/repo/app", branch="main", at=1780300800.0)
    has(agent, role=Role.ASSISTANT, text="Kept.", line=6)


def test_without_events_the_items_are_all_there_is(tmp_path: Path) -> None:
    given = message("user", "# AGENTS.md instructions for /x")
    human, agent = codex(tmp_path, META, given, message("user", "Go."), message("assistant", "Gone."))
    has(human, role=Role.HUMAN, text="Go.", line=3)
    has(agent, role=Role.ASSISTANT, text="Gone.", line=4)


def test_the_schema_up_to_031(tmp_path: Path) -> None:
    bare = [
        {"id": "OLD", "timestamp": "2025-07-01T00:00:00Z", "instructions": None, "git": {"branch": "dev"}},
        {"record_type": "state"},
        message("user", "<environment_context><cwd>/old</cwd>")["payload"],
        message("user", "Never push.")["payload"],
        call("shell", command=["bash", "-lc", "ls"])["payload"],
        output('{"output":"a.py","metadata":{"exit_code":0}}')["payload"],
    ]
    turns = codex(tmp_path, *bare)
    assert [turn.role for turn in turns] == [Role.HUMAN, Role.TOOL_CALL, Role.TOOL_RESULT]
    assert [turn.text for turn in turns] == ["Never push.", "ls", "a.py"]
    assert {(turn.session, turn.branch, turn.cwd) for turn in turns} == {("OLD", "dev", "/old")}


WRAPPED = "# Context from my IDE setup:\n## Open tabs:\n- a.py\n\n## My request for Codex:\nrename it\n"


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", []),
        ("<turn_aborted>The user interrupted</turn_aborted>", []),
        ("<user_instructions>x</user_instructions>", []),
        ("<skill><name>x</name></skill>", []),
        ("# AGENTS.md instructions for /repo", []),
        ("", []),
        (WRAPPED, ["rename it"]),
    ],
)
def test_only_what_was_typed_is_a_persons(tmp_path: Path, words: str, typed: list[str]) -> None:
    assert said(codex(tmp_path, META, event("user_message", message=words))) == typed


@pytest.mark.parametrize(
    ("made", "command"),
    [
        (call("shell", command=["bash", "-lc", "make test"]), "make test"),
        (call("shell", command=["git", "status"]), "git status"),
        (call("shell_command", command="make test"), "make test"),
        (call("exec_command", cmd="make test", workdir="/repo"), "make test"),
        (item("custom_tool_call", name="exec", input='const r = await tools.exec_command({"cmd":"make \\"x\\""})'), 'make "x"'),
        (item("local_shell_call", call_id="c1", action={"command": ["bash", "-lc", "ls"]}), "ls"),
        (call("update_plan", plan=[]), ""),
        (item("function_call", name="shell", arguments="{torn", call_id="c1"), ""),
    ],
)
def test_the_command_in_its_shapes(tmp_path: Path, made: Record, command: str) -> None:
    (turn,) = codex(tmp_path, META, made)
    assert (turn.role, turn.command) == (Role.TOOL_CALL, command)


@pytest.mark.parametrize(
    ("given", "text", "ok"),
    [
        ('{"output":"1 failed","metadata":{"exit_code":1,"duration_seconds":0.1}}', "1 failed", False),
        ('{"output":"fine","metadata":{"exit_code":0}}', "fine", True),
        ("Exit code: 2\nWall time: 1 s\nOutput:\nno", None, False),
        ("Chunk ID: ab\nWall time: 5 s\nProcess exited with code 0\nOutput:\nProcess exited with code 9", None, True),
        ("Chunk ID: ab\nWall time: 10 s\nProcess running with session ID 7\nOutput:\n", None, None),
        ("apply_patch verification failed: no such line", None, False),
        ("failed in sandbox LinuxSeccomp", None, False),
        ("Plan updated", None, None),
        ([{"type": "input_text", "text": "Script completed\nOutput:"}, {"text": '{"exit_code":3,"output":"x"}'}], None, False),
        ([{"type": "input_text", "text": "Script failed\nOutput:"}], None, False),
        ({"content": "x", "success": True}, "x", True),
        (None, "", None),
    ],
)
def test_the_outcome_in_its_shapes(tmp_path: Path, given: Any, text: str | None, ok: bool | None) -> None:
    turn = codex(tmp_path, META, call("shell", command=["bash", "-lc", "make"]), output(given))[-1]
    assert (turn.role, turn.command, turn.call, turn.ok) == (Role.TOOL_RESULT, "make", "c1", ok)
    assert text is None or turn.text == text


def test_a_patch_names_its_files(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.md\n+z\n*** End Patch"
    as_tool = item("custom_tool_call", name="apply_patch", input=patch, call_id="p1")
    done = item("custom_tool_call_output", call_id="p1", output="Exit code: 0\nOutput:\nSuccess.")
    scripted = item("custom_tool_call", name="exec", input=f"await tools.apply_patch({json.dumps(patch)})", call_id="p3")
    turns = codex(tmp_path, META, as_tool, done, call("shell", "p2", command=["apply_patch", patch]), scripted)
    assert [turn.paths for turn in turns] == [("src/a.py", "b.md")] * 4
    assert turns[1].ok


def test_polling_repeats_the_command_it_polls(tmp_path: Path) -> None:
    begun = [call("exec_command", cmd="make slow"), output("Process running with session ID 71\nOutput:\n")]
    polled = [call("write_stdin", "c2", session_id=71, chars=""), output("Process exited with code 1\nOutput:\nno", "c2")]
    has(codex(tmp_path, META, *begun, *polled)[-1], command="make slow", ok=False)


def test_a_person_stops_refuses_and_answers(tmp_path: Path) -> None:
    turns = codex(
        tmp_path,
        META,
        event("turn_aborted", reason="interrupted"),
        event("turn_aborted", reason="replaced"),
        call("shell", command=["bash", "-lc", "rm x"]),
        output("exec command rejected by user"),
        call("request_user_input", "c2", questions=[{"id": "a", "question": "Which?"}]),
        output('{"answers":{"a":{"answers":["the second"]}}}', "c2"),
    )
    assert happened(turns) == ["interruption", "refusal", "answer: the second"]


def test_a_compaction_is_said_once_and_repeats_nothing(tmp_path: Path) -> None:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "old words"}]}]
    compacted = payload("compacted", message="", replacement_history=history)
    again = event("user_message", message="Go on.")
    turns = codex(tmp_path, META, compacted, event("context_compacted"), again, event("context_compacted"))
    assert [turn.happening for turn in turns] == [Happening.COMPACTION, None, Happening.COMPACTION]
    assert said(turns) == ["Go on."]


def test_a_forks_first_session_is_its_own_and_folders_change(tmp_path: Path) -> None:
    parent = payload("session_meta", id="PARENT", cwd="/elsewhere")
    moved = payload("turn_context", cwd="/repo/sub")
    (turn,) = codex(tmp_path, META, parent, moved, event("user_message", message="Go."))
    assert (turn.session, turn.cwd) == ("C1", "/repo/sub")


def test_a_thread_that_an_agent_opened_may_be_taken_over(tmp_path: Path) -> None:
    meta = payload("session_meta", id="D", source="vscode", thread_source="subagent")
    delegated = event("user_message", message="<codex_delegation><input>Split it.</input></codex_delegation>")
    turns = codex(tmp_path, meta, delegated, event("user_message", message="No, keep it whole."))
    assert [(turn.role, turn.sidechain) for turn in turns] == [(Role.ASSISTANT, False), (Role.HUMAN, False)]


# --- older versions ---------------------------------------------------------------------------------------------------


def test_redacted_ids_are_paired_by_their_order(tmp_path: Path) -> None:
    turns = codex(
        tmp_path,
        payload("session_meta", id="REDACTED", cwd="/repo"),
        call("shell", "REDACTED", command=["bash", "-lc", "make a"]),
        call("shell", "REDACTED", command=["bash", "-lc", "make b"]),
        output("Exit code: 1\nOutput:\n", "REDACTED"),
        output("Exit code: 0\nOutput:\n", "REDACTED"),
    )
    has(turns[2], command="make a", ok=False, session="rollout-s")
    has(turns[3], command="make b", ok=True, session="rollout-s")


def test_odd_shapes_are_survived(tmp_path: Path) -> None:
    turns = codex(
        tmp_path,
        META,
        call("view_image", path="shot.png"),
        output("{torn"),
        call("request_user_input", "c2", questions=[]),
        output("no answers", "c2"),
        item("custom_tool_call", name="exec", input='{"cmd": "make \\q"}', call_id="c3"),
    )
    has(turns[0], role=Role.TOOL_CALL, paths=("shot.png",), text='{"path": "shot.png"}')
    has(turns[1], role=Role.TOOL_RESULT, paths=("shot.png",), text="{torn")
    assert turns[3].role is Role.TOOL_RESULT
    assert turns[4].command == ""


def _completed(words: str) -> Record:
    item = {"type": "UserMessage", "id": "i1", "content": [{"type": "text", "text": words, "text_elements": []}]}
    return event("item_completed", thread_id="C1", turn_id="t1", item=item)


def test_people_s_words_as_items(tmp_path: Path) -> None:
    done = event("item_completed", item={"type": "AgentMessage", "content": [{"type": "Text", "text": "Done."}]})
    assert said(codex(tmp_path, META, message("user", "use make"), _completed("use make"), done)) == ["use make"]


@pytest.mark.parametrize("items_first", [True, False])
def test_words_that_are_logged_as_message_and_as_item_count_once(tmp_path: Path, items_first: bool) -> None:
    records = []
    for words in ("use make", "again", "again"):
        both = [_completed(words), event("user_message", message=words)]
        records += both if items_first else both[::-1]
    assert said(codex(tmp_path, META, *records)) == ["use make", "again", "again"]


def test_a_rollout_that_codex_has_compressed_reads_as_before(tmp_path: Path) -> None:
    path = write(tmp_path / "rollout-x.jsonl", META, event("user_message", message="No, keep it in the client."))
    plain = read(CODEX, path)
    packed = tmp_path / "rollout-x.jsonl.zst"
    packed.write_bytes(zstd.compress(path.read_bytes()))
    assert CODEX.find(tmp_path) == (path, packed)
    assert [turn.text for turn in read(CODEX, packed).turns] == [turn.text for turn in plain.turns]
    assert CODEX.read(packed, plain.end).turns == ()
    packed.write_bytes(packed.read_bytes()[:-9])
    assert discover.format_of(packed, [CODEX]) is CODEX
    progress = follow(CODEX, packed, None)
    assert "rollout-x.jsonl.zst: can't be read (it is damaged" in progress.errors[0]


def test_a_compressed_rollout_has_the_limits_of_a_plain_one(tmp_path: Path) -> None:
    head, last = (
        b"".join(json.dumps(one).encode() + b"\n" for one in some) for some in ((META,), (event("user_message", message="x"),))
    )
    packed = tmp_path / "rollout-x.jsonl.zst"
    packed.write_bytes(zstd.compress(head + b'{"x":"' + b"a" * files.MAX_RECORD_BYTES + b'"}\n' + last))
    assert packed.stat().st_size < 100_000
    reading = CODEX.read(packed, Mark())
    assert said(list(reading.turns)) == ["x"]
    assert "a line is longer than any record" in reading.errors[0]


def test_prompts_among_the_items_count_where_no_event_repeats_them(tmp_path: Path) -> None:
    started = event("task_started", turn_id="1")
    ours, asked = message("user", "<environment_context>x</environment_context>"), message("user", "Never push.")
    turns = codex(tmp_path, META, started, ours, asked, event("token_count"), message("assistant", "Ok."))
    assert said(turns) == ["Never push."]
    repeated = event("user_message", message="Never push.")
    hooked = message("user", "Always ask.")
    turns = codex(tmp_path, META, started, asked, repeated, hooked, message("assistant", "Ok."))
    assert said(turns) == ["Never push."]


def test_a_session_may_have_its_id_under_another_name(tmp_path: Path) -> None:
    about = payload("session_meta", session_id="S9", cwd="/repo/app")
    (turn,) = codex(tmp_path, about, event("user_message", message="Go on."))
    assert turn.session == "S9"
