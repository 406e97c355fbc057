from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curator.model import Happening, Role, Turn
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, has, read, said, text, write

PI = FORMATS["pi"]
START = {"type": "session", "version": 3, "id": "P1", "timestamp": "2026-06-01T08:00:00.000Z", "cwd": "/repo/app"}


def entry(kind: str, **more: Any) -> Record:
    return {"type": kind, "id": "0a1b2c3d", "parentId": None, "timestamp": "2026-06-01T08:00:00.000Z", **more}


def message(role: str, **more: Any) -> Record:
    return entry("message", message={"role": role, "timestamp": 1780300800000, **more})


def user(*blocks: Record) -> Record:
    return message("user", content=[*blocks])


def agent(*blocks: Record, stop: str = "stop") -> Record:
    return message("assistant", content=[*blocks], model="m", stopReason=stop)


def call(identity: str, name: str, **given: Any) -> Record:
    return {"type": "toolCall", "id": identity, "name": name, "arguments": given}


def result(identity: str, name: str, words: str, *, failed: bool = False) -> Record:
    return message("toolResult", toolCallId=identity, toolName=name, content=[text(words)], details={}, isError=failed)


SESSION = [
    START,
    entry("model_change", provider="p", modelId="m"),
    entry("thinking_level_change", thinkingLevel="off"),
    user(text("Never push to main."), {"type": "image", "data": "AAAA", "mimeType": "image/png"}),
    agent(
        {"type": "thinking", "thinking": "hm"}, text("I will test."), call("c1", "bash", command="make test"), stop="toolUse"
    ),
    result("c1", "bash", "1 failed\n\nCommand exited with code 2", failed=True),
    agent(call("c2", "edit", path="a.py", edits=[{"oldText": "a", "newText": "b"}]), stop="toolUse"),
    result("c2", "edit", "Replaced 1 block."),
    message("bashExecution", command="git status", output="clean", exitCode=0, cancelled=False, truncated=False),
    entry("compaction", summary="They talked.", firstKeptEntryId="x", tokensBefore=9),
    entry("custom_message", customType="reminder", content="Always obey.", display=True),
    message("custom", customType="reminder", content="Always obey.", display=True),
    entry("branch_summary", fromId="x", summary="They tried."),
    agent(text("I was"), stop="aborted"),
]


def test_a_session(tmp_path: Path) -> None:
    reading = read(PI, write(tmp_path / "P1.jsonl", *SESSION))
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.happening, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None, None),
        (Role.ASSISTANT, "", "I will test.", None, None),
        (Role.TOOL_CALL, "bash", "make test", None, None),
        (Role.TOOL_RESULT, "bash", "1 failed\n\nCommand exited with code 2", None, False),
        (Role.TOOL_CALL, "edit", "a.py", None, None),
        (Role.TOOL_RESULT, "edit", "Replaced 1 block.", None, True),
        (Role.TOOL_CALL, "!", "git status", None, None),
        (Role.TOOL_RESULT, "!", "clean", None, True),
        (Role.EVENT, "", "", Happening.COMPACTION, None),
        (Role.ASSISTANT, "", "I was", None, None),
        (Role.EVENT, "", "", Happening.INTERRUPTION, None),
    ]
    first, failed, edited = reading.turns[0], reading.turns[3], reading.turns[5]
    has(first, session="P1", cwd="/repo/app", at=1780300800.0, line=4, record="0a1b2c3d")
    assert (failed.command, failed.call, edited.paths) == ("make test", "c1", ("a.py",))


def turns(tmp_path: Path, *records: Record) -> list[Turn]:
    return list(read(PI, write(tmp_path / "P1.jsonl", START, *records)).turns)


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ('<skill name="pdf" location="/s/SKILL.md">\nAlways ask.\n</skill>\n\nmake it short', ["make it short"]),
        ('<skill name="pdf" location="/s/SKILL.md">\nAlways ask.\n</skill>', []),
        ('<file name="/a.md">\nAlways ask.\n</file> no\n</file>\nread it', ["read it"]),
        ("<system-reminder>be brief</system-reminder>", []),
    ],
)
def test_what_the_agent_put_before_the_words_is_nobodys(tmp_path: Path, written: str, typed: list[str]) -> None:
    assert said(turns(tmp_path, user(text(written)))) == typed


def test_the_first_versions_have_text_for_content(tmp_path: Path) -> None:
    early = {"type": "message", "timestamp": "2025-11-01T08:00:00.000Z", "message": {"role": "user", "content": "Go."}}
    assert said(turns(tmp_path, early, message("hookMessage", content="Always obey."))) == ["Go."]


def test_a_command_that_was_cancelled_has_no_outcome(tmp_path: Path) -> None:
    found = turns(tmp_path, message("bashExecution", command="sleep 9", output="", cancelled=True, truncated=False))
    assert [(turn.command, turn.ok) for turn in found] == [("sleep 9", None), ("sleep 9", None)]
