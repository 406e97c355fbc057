"""Tiny hand-written records for the tests of transcripts, in the shapes that agents write."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from curator.hookspecs import Format, Mark, Reading
from curator.model import Role, Turn
from curator.transcripts.base.follow import Progress, follow
from tests.files import write_file
from tests.transcripts.formats import FORMATS

Record = dict[str, Any]

CLAUDE, CODEX, STORY = FORMATS["claude-code"], FORMATS["codex"], FORMATS["specstory"]
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected. "
TOLD = REFUSED + "To tell you how to proceed, the user said:\n"


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records)


def write(path: Path, *records: Record) -> Path:
    return write_file(path, lines(*records))


def read(format_: Format, path: Path) -> Reading:
    reading = format_.read(path, Mark())
    assert not reading.errors
    return reading


def turns_of(format_: Format, path: Path) -> list[Turn]:
    """Return the turns of a transcript of which every record is known."""
    reading = read(format_, path)
    assert not reading.unknown
    return list(reading.turns)


def claude(tmp_path: Path, *records: Record) -> list[Turn]:
    return list(read(CLAUDE, write(tmp_path / "s.jsonl", *records)).turns)


def codex(tmp_path: Path, *records: Record) -> list[Turn]:
    return list(read(CODEX, write(tmp_path / "rollout-s.jsonl", *records)).turns)


def story(tmp_path: Path, text: str) -> list[Turn]:
    path = write_file(tmp_path / "app" / ".specstory" / "history" / "2026-01-01_10-00Z-talk.md", text)
    return list(read(STORY, path).turns)


def has(turn: Turn, **expected: Any) -> None:
    """Assert the fields of a turn; ``line``, ``line_end`` and ``record`` are those of its locator."""
    held = {name: getattr(turn.locator if hasattr(turn.locator, name) else turn, name) for name in expected}
    assert held == expected


def new(progress: Progress) -> list[str]:
    """Return the texts of the turns that a portion adds."""
    return [turn.text for turn in progress.turns[progress.old_turns :]]


def followed(format_: Format, path: Path, known: Progress | None = None) -> tuple[Progress, list[str]]:
    """Follow a transcript portion by portion; return the last portion and the texts of all new turns."""
    progress = follow(format_, path, known.bookmark if known else None)
    told = new(progress)
    while progress.bookmark and progress.bookmark.more:
        progress = follow(format_, path, progress.bookmark)
        told += new(progress)
    assert not progress.errors
    return progress, told


def said(turns: list[Turn]) -> list[str]:
    return [turn.text for turn in turns if turn.role is Role.HUMAN]


def happened(turns: list[Turn]) -> list[str]:
    """Return the events, each with its words behind a colon if it has any."""
    return [f"{turn.happening}: {turn.text}".removesuffix(": ") for turn in turns if turn.role is Role.EVENT]


def unprivileged(check: Callable[[], bool]) -> bool:
    """What ``check`` says when it runs as a user who may not read everything; root may, so it is asked in a child."""
    if os.geteuid() != 0:
        return check()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of threads, which the child does not use
        child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setuid(65534)
            code = 0 if check() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# --- Claude Code ------------------------------------------------------------------------------------------------------


def user(content: Any, **more: Any) -> Record:
    common = {"sessionId": "S1", "cwd": "/repo/app", "gitBranch": "main", "timestamp": "2026-02-01T10:00:00.000Z"}
    message = {"role": "user", "content": content}
    return {"parentUuid": None, "isSidechain": False, **common, "type": "user", "message": message, **more}


def assistant(*blocks: Record, **more: Any) -> Record:
    message = {"id": "m1", "role": "assistant", "model": "some-model", "content": list(blocks)}
    return {"parentUuid": None, "sessionId": "S1", "cwd": "/repo/app", "type": "assistant", "message": message, **more}


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def use(call: str, name: str, **given: Any) -> Record:
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def result(call: str, content: Any, *, failed: bool = False) -> Record:
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {**block, "is_error": True} if failed else block


def refused(call: str, said: str = REFUSED) -> Record:
    """What a person's refusal of a call leaves, in the words of the agent."""
    return user([result(call, said, failed=True)], toolUseResult=f"Error: {said}", version="2.1.12")


def queue(operation: str, content: str | None = None) -> Record:
    record = {"type": "queue-operation", "operation": operation, "sessionId": "S1", "timestamp": "2026-02-01T10:00:01Z"}
    return record if content is None else {**record, "content": content}


def attachment(**given: Any) -> Record:
    return {"parentUuid": "a", "isSidechain": False, "attachment": given, "type": "attachment", "sessionId": "S1"}


# --- Codex ------------------------------------------------------------------------------------------------------------


def payload(kind: str, **given: Any) -> Record:
    return {"timestamp": "2026-06-01T08:00:00Z", "type": kind, "payload": given}


def event(kind: str, **given: Any) -> Record:
    return payload("event_msg", type=kind, **given)


def item(kind: str, **given: Any) -> Record:
    return payload("response_item", type=kind, **given)


def message(role: str, words: str) -> Record:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": words}])


META = payload("session_meta", id="C1", cwd="/repo/app", originator="codex-tui", source="cli", git={"branch": "main"})
