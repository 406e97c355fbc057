"""Sessions of Cline's newer command line: one document of messages, and the file beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark, Reading
from curator.model import Happening, Role
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record

CLINE = FORMATS["cline"]
SESSION = "1780300800000_abcde"


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def message(role: str, *blocks: Record, **more: Any) -> Record:
    return {"id": f"m{len(blocks)}", "role": role, "content": [*blocks], "ts": 1_780_300_800_000, **more}


def called(name: str, **given: Any) -> Record:
    return message("assistant", {"type": "tool_use", "id": "c1", "name": name, "input": given})


def answered(content: object, **more: Any) -> Record:
    return message("user", {"type": "tool_result", "tool_use_id": "c1", "name": "x", "content": content, **more})


def typed(words: str) -> Record:
    return message("user", text(f'<user_input mode="act">{words}</user_input>'))


def session(folder: Path, *messages: Record, agent: str = "lead", **about: Any) -> Reading:
    """A session's reading, or that of an agent within it; ``about`` stands in the file beside it."""
    root = folder / SESSION
    root.mkdir(parents=True, exist_ok=True)
    known = {"version": 1, "session_id": SESSION, "interactive": True, "cwd": "/repo/app"}
    known |= {"metadata": {"git": {"branch": "main"}}} | about
    (root / f"{SESSION}.json").write_text(json.dumps(known), encoding="utf-8")
    own = {"sessionId": SESSION} if agent == "lead" else {"sessionId": "sub", "origin": {"parentThreadId": SESSION}}
    path = root / f"{SESSION if agent == 'lead' else agent}.messages.json"
    whole = {"version": 1, "updated_at": "", "agent": agent, **own, "messages": [*messages]}
    path.write_text(json.dumps(whole, indent=2), encoding="utf-8")
    assert path in CLINE.find(folder)
    reading = CLINE.read(path, Mark())
    assert not reading.errors
    return reading


def test_words_and_what_became_of_calls(tmp_path: Path) -> None:
    files = {"files": [{"path": "/repo/app/a.py"}]}
    reading = session(
        tmp_path,
        typed("Never use a global lock."),
        called("read_files", **files),
        answered([{"query": "/repo/app/a.py", "result": "1 | x", "success": True}]),
        called("run_commands", commands=["make test"]),
        answered([{"query": "make test", "result": "", "error": "exit 2", "success": False}]),
        message("assistant", {"type": "thinking", "thinking": "hm"}, text("Done.")),
    )
    said = [(turn.role, turn.text, turn.ok) for turn in reading.turns]
    assert said == [
        (Role.HUMAN, "Never use a global lock.", None),
        (Role.TOOL_CALL, "/repo/app/a.py", None),
        (Role.TOOL_RESULT, "1 | x", True),
        (Role.TOOL_CALL, "make test", None),
        (Role.TOOL_RESULT, "exit 2", False),
        (Role.ASSISTANT, "Done.", None),
    ]
    first, read, *_, failed, _ = reading.turns
    assert (first.session, first.cwd, first.branch, first.automated) == (SESSION, "/repo/app", "main", False)
    assert (read.paths, failed.command) == (("/repo/app/a.py",), "make test")
    assert not reading.unknown


def test_what_hooks_and_compactions_gave_is_nobodys(tmp_path: Path) -> None:
    hook = message("user", text('<hook_context source="PostToolUse">always x</hook_context>'))
    compaction = {"kind": "compaction_summary", "displayRole": "system"}
    summary = message("user", text("Context summary: always x"), metadata=compaction)
    reading = session(tmp_path, hook, hook | {"metadata": {"displayRole": "system"}}, summary)
    assert [turn.happening for turn in reading.turns] == [Happening.COMPACTION]


def test_a_change_of_mode_is_not_typed(tmp_path: Path) -> None:
    notice = "<mode_notice>The mode is another one.</mode_notice>\n"
    (turn,) = session(tmp_path, message("user", text(notice + '<user_input mode="act">go on</user_input>'))).turns
    assert turn.text == "go on"


def test_a_rejected_call_is_a_refusal(tmp_path: Path) -> None:
    rejected = "This tool call was rejected by the user and not executed."
    *_, turn = session(tmp_path, called("editor", path="a.py"), answered(rejected, is_error=True)).turns
    assert (turn.happening, turn.paths) == (Happening.REFUSAL, ("a.py",))


def test_what_a_tool_read_of_rejections_is_none(tmp_path: Path) -> None:
    read = f"{'# Errors' * 20}\nThis tool call was rejected by the user and not executed."
    *_, turn = session(tmp_path, called("read_files", path="errors.md"), answered(read)).turns
    assert (turn.role, turn.text) == (Role.TOOL_RESULT, read)


def test_words_are_a_persons_in_whatever_folder_the_file_lies(tmp_path: Path) -> None:
    session(tmp_path, typed("Never use a global lock."))
    moved = tmp_path / "elsewhere.messages.json"
    (tmp_path / SESSION / f"{SESSION}.messages.json").rename(moved)
    (turn,) = CLINE.read(moved, Mark()).turns
    assert (turn.role, turn.text, turn.session) == (Role.HUMAN, "Never use a global lock.", SESSION)


@pytest.mark.parametrize("opening", ["<user_input ", "<user_input>", "<mode_notice>"])
def test_openings_without_an_end_take_no_minutes(tmp_path: Path, opening: str) -> None:
    """A quadratic search takes many minutes for so many."""
    session(tmp_path, message("user", text(opening * 100_000)))


@pytest.mark.parametrize("agent", ["subagent", "teammate"])
def test_without_a_person_nothing_is_theirs(tmp_path: Path, agent: str) -> None:
    assert session(tmp_path, typed("go"), interactive=False).turns[0].automated
    (turn,) = session(tmp_path, typed("look for x"), agent=agent).turns
    assert (turn.role, turn.sidechain, turn.session) == (Role.ASSISTANT, True, SESSION)


def test_the_file_beside_it_may_be_missing_or_broken(tmp_path: Path) -> None:
    path = tmp_path / SESSION / f"{SESSION}.messages.json"
    session(tmp_path, typed("go"))
    for broken in ("[]", "{", '{"metadata": 1}'):
        path.with_name(f"{SESSION}.json").write_text(broken, encoding="utf-8")
        assert [turn.text for turn in CLINE.read(path, Mark()).turns] == ["go"]
    path.with_name(f"{SESSION}.json").unlink()
    assert [turn.text for turn in CLINE.read(path, Mark()).turns] == ["go"]
    assert CLINE.companions(path) == (path.with_name(f"{SESSION}.json"),)


def test_unknown_messages_and_parts_give_no_turn(tmp_path: Path) -> None:
    assert session(tmp_path, message("user", {"type": "hologram"}), message("oracle", text("x"))).turns == ()
