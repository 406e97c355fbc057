"""OpenCode: what ``opencode export`` writes, the JSON files of versions before 1.2, and the database since.

All hold the same objects: a session ``{id, parentID, directory, time}``, messages ``{id, role, time, path, error, summary}``,
and their parts ``{type, …}``. An export is ``{info, messages: [{info, parts}]}``; files in ``$XDG_DATA_HOME/opencode/storage``
are ``session/<project>/ses_*.json``, ``message/<session>/msg_*.json`` and ``part/<message>/prt_*.json``. The agent's source
(packages/opencode, message-v2) names the fields. Exports that others stored may have their ids blanked out alike, so nothing
relies on these. Memory: ``session``, ``cwd``, ``sidechain``, ``shell`` (a person ran the next command).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import NOTHING, Mark, Reading
from curator.io import sqlite
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts import opencode_db, places
from curator.transcripts.base import discover, document, jsonl, messages, sessions
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "opencode"

_IGNORED = frozenset(("reasoning", "step-start", "step-finish", "snapshot", "patch", "file", "agent", "retry", "subtask"))
"""Parts that say nothing: a ``subtask`` holds what a slash command gave to a subagent, a ``patch`` names a file again."""

_SHELL = "The following tool was executed by the user"
_REJECTED = "The user rejected permission to use"
_FEEDBACK = re.compile(r"The user rejected permission[^\n]{0,100}? feedback: ?(.*)", re.DOTALL)
_DISMISSED = "The user dismissed this question"
_OWN = frozenset(
    (
        *(
            "apply_patch",
            "bash",
            "batch",
            "codesearch",
            "edit",
            "glob",
            "grep",
            "list",
            "lsp",
            "multiedit",
            "patch",
            "plan_exit",
        ),
        *("question", "read", "skill", "task", "todoread", "todowrite", "webfetch", "websearch", "write"),
    )
)
"""OpenCode's own tools: the error of a server's tool is whatever that server says."""
_HALTED = ("Tool execution aborted", "Tool execution was interrupted")
_EXPORT = re.compile(rb'\s*\{\s*"info"\s*:\s*\{[^{}]{0,400}?"id"\s*:\s*"ses_')
_STORED = re.compile(rb'\s*\{[^{}]{0,400}?"id"\s*:\s*"ses_')


class OpenCode:
    """The format of OpenCode."""

    agent = AGENT
    rewrites = True

    roots = staticmethod(places.opencode)

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING) -> Sequence[Path]:
        """Exports, sessions in JSON files and databases under ``root``."""
        below = root / "storage" / "session" if (root / "storage" / "session").is_dir() else root
        documents = [path for path in discover.files_below(below, ".json") if not path.name.startswith(("msg_", "prt_"))]
        stores = sorted(root.glob("*.db")) if below != root else list(discover.files_below(root, ".db"))
        return tuple(path for path in (*documents, *stores) if discover.is_of(AGENT, path, self.claims, known))

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the head is that of an export or a session's file, or this is a database of OpenCode's name."""
        if path.suffix == ".db":
            return path.name.startswith("opencode") and head.startswith(sqlite.MAGIC)
        return path.suffix == ".json" and bool(_EXPORT.match(head) or (path.name.startswith("ses_") and _STORED.match(head)))

    def read(self, path: Path, start: Mark) -> Reading:
        """Read what is new; raises ``OSError`` only."""
        if path.suffix == ".db":
            store = opencode_db.StoreV2(path) if opencode_db.is_used(path) else opencode_db.Store(path)
            return sessions.read(path, start, store, absorb)
        return document.read(path, start, lambda whole, memory: _unfold(path, whole, memory), absorb)

    def companions(self, path: Path) -> Sequence[Path]:
        """Of a database its log; of a session in JSON files the folder of its messages, the last one, its parts, the last."""
        if path.suffix == ".db":
            return sqlite.companions(path)
        found = [_messages_of(path)]
        for below in (lambda last: (last, _parts_of(last)), lambda last: (last,)):
            last = max((file.name for file in discover.files_below(found[-1], ".json")), default="")
            if not last:
                break
            found += below(found[-1] / last)
        return tuple(found)

    def transcript(self, written: Path) -> Path | None:
        """The database, or the session that a message's or part's file belongs to."""
        if written.name.startswith("opencode") and (owner := sqlite.owner(written)):
            return owner
        folder = written.parent
        if written.suffix != ".json" or folder.parent.name not in ("message", "part"):
            return None
        storage = folder.parent.parent
        if folder.parent.name == "part":
            folder = next((file.parent for file in (storage / "message").glob(f"*/{folder.name}.json")), folder)
        return next(iter((storage / "session").glob(f"*/{folder.name}.json")), None)


# --- where messages stand ---------------------------------------------------------------------------------------------


def _unfold(path: Path, whole: Any, memory: JSON) -> Sequence[Any]:
    if not isinstance(whole, dict):
        return ()
    if isinstance(whole.get("info"), dict):
        memory.update(session_of(whole["info"]))
        return dicts(whole.get("messages"))
    memory.update(session_of(whole))
    messages = [
        (file, info) for file in discover.files_below(_messages_of(path), ".json") if (info := document.load_object(file))
    ]
    messages.sort(key=lambda item: (_created_at(item[1]), item[0].name))
    return [
        {"info": info, "parts": [document.load_object(part) for part in discover.files_below(_parts_of(file), ".json")]}
        for file, info in messages
    ]


def _messages_of(path: Path) -> Path:
    return path.parents[min(2, len(path.parents) - 1)] / "message" / path.stem


def _parts_of(message: Path) -> Path:
    return message.parents[min(2, len(message.parents) - 1)] / "part" / message.stem


def _created_at(info: JSON) -> float:
    created = object_of(info.get("time")).get("created")
    return created if isinstance(created, (int, float)) else 0.0


def session_of(info: JSON) -> JSON:
    """What is to be remembered of a session, from its object or the row of the same fields."""
    memory: JSON = {"session": text_of(info.get("id")), "cwd": text_of(info.get("directory"))}
    if opencode_db.asks_nobody(info.get("permission")):
        memory["automated"] = True
    return {**memory, "sidechain": True} if text_of(info.get("parentID")) else memory


# --- messages ---------------------------------------------------------------------------------------------------------


def absorb(record: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """The turns of one message ``{info, parts}``."""
    info = object_of(record.get("info"))
    parts = dicts(record.get("parts"))
    role = info.get("role")
    if role == "user":
        yield from _prompt_turns(info, parts, source, memory)
    elif role == "assistant":
        yield from _answer_turns(info, parts, source, memory)
    elif info:
        unknown[str(role)[:80]] += 1
    for part in parts:
        kind = part.get("type")
        if kind == "compaction":
            yield _turn(info, source, memory, Role.EVENT, "", happening=Happening.COMPACTION)
        elif kind not in ("text", "tool") and kind not in _IGNORED and part:
            unknown[f"part/{kind}"[:80]] += 1


def _turn(info: JSON, source: Source, memory: JSON, role: Role, text: str, at: float | None = None, **more: Any) -> Turn:
    cwd = text_of(object_of(info.get("path")).get("cwd"))
    at = _time(info, "created") if at is None else at
    identity, aside = text_of(info.get("id")), bool(memory.get("sidechain"))
    return jsonl.turn(AGENT, source, memory, role, text, record=identity, at=at, cwd=cwd, automated=aside, **more)


def _time(owner: JSON, *names: str) -> float | None:
    time = object_of(owner.get("time"))
    found = (messages.seconds(time.get(name)) for name in names)
    return next((at for at in found if at is not None), None)


def _prompt_turns(info: JSON, parts: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    texts = [part for part in parts if part.get("type") == "text"]
    memory["shell"] = any(text_of(part.get("text")) == _SHELL for part in texts)
    typed = (
        messages.typed_text(text_of(part.get("text")))
        for part in texts
        if not part.get("synthetic") and not part.get("ignored")
    )
    if text := messages.cap("\n\n".join(filter(None, typed)), messages.MAX_WORDS):
        # A subagent's prompt is written by the agent that started it.
        role = Role.ASSISTANT if memory.get("sidechain") else Role.HUMAN
        yield _turn(info, source, memory, role, text)


def _answer_turns(info: JSON, parts: Sequence[JSON], source: Source, memory: JSON) -> Iterator[Turn]:
    for part in parts:
        if part.get("type") == "tool":
            yield from _tool(info, part, source, memory)
        elif part.get("type") == "text" and info.get("summary") is not True and part.get("synthetic") is not True:
            text = messages.cap(text_of(part.get("text")).strip(), messages.MAX_WORDS)
            if text:
                yield _turn(info, source, memory, Role.ASSISTANT, text, at=_time(part, "start"))
    if object_of(info.get("error")).get("name") == "MessageAbortedError":
        yield _turn(info, source, memory, Role.EVENT, "", happening=Happening.INTERRUPTION, at=_time(info, "completed"))


# --- tools ------------------------------------------------------------------------------------------------------------


def _tool(info: JSON, part: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    state = object_of(part.get("state"))
    arguments = object_of(state.get("input"))
    about = messages.about(text_of(part.get("tool")), text_of(part.get("callID")), arguments)
    if memory.get("shell"):
        about["tool"] = "!"
    at = _time(state, "start")
    yield _turn(info, source, memory, Role.TOOL_CALL, messages.describe(arguments), at=at, **about)
    status = state.get("status")
    if status == "completed":
        yield from _completion_turns(info, state, source, memory, at=_time(state, "end", "start"), **about)
    elif status == "error":
        yield from _failure_turns(info, text_of(state.get("error")), source, memory, at=_time(state, "end", "start"), **about)


def _completion_turns(info: JSON, state: JSON, source: Source, memory: JSON, **about: Any) -> Iterator[Turn]:
    detail = object_of(state.get("metadata"))
    answers = _answers(detail.get("answers")) if about["tool"] == "question" else []
    for answer in answers:
        yield _turn(info, source, memory, Role.EVENT, answer, happening=Happening.ANSWER, ok=True, **about)
    if not answers:
        code = detail.get("exit")
        ok = code == 0 if isinstance(code, int) else None if about["command"] else True
        yield _turn(info, source, memory, Role.TOOL_RESULT, messages.output(text_of(state.get("output"))), ok=ok, **about)


def _failure_turns(info: JSON, error: str, source: Source, memory: JSON, **about: Any) -> Iterator[Turn]:
    if error.startswith((_REJECTED, _DISMISSED)) or _FEEDBACK.match(error):
        feedback = _FEEDBACK.match(error) if about["tool"] in _OWN else None
        reason = feedback[1].strip() if feedback else ""
        yield _turn(info, source, memory, Role.EVENT, reason, happening=Happening.REFUSAL, ok=False, **about)
    else:
        ok = None if error.startswith(_HALTED) else False
        yield _turn(info, source, memory, Role.TOOL_RESULT, messages.output(error), ok=ok, **about)


def _answers(answers: Any) -> list[str]:
    """What a person chose or wrote for each question: several choices of one are one answer."""
    found = []
    for answer in answers if isinstance(answers, list) else ():
        chosen = [choice for choice in answer if isinstance(choice, str)] if isinstance(answer, list) else [text_of(answer)]
        found.append(", ".join(filter(None, chosen)))
    return [answer for answer in found if answer.strip()]
