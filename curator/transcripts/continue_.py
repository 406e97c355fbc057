"""Continue: ``~/.continue/sessions/<uuid>.json``, one JSON document per session, which Continue rewrites each time.

The document is ``{sessionId, title, workspaceDirectory, history: [item]}``. An item is ``{message: {role, content, toolCalls},
toolCallStates, contextItems, editorState, promptLogs, conversationSummary}``. ``editorState`` has what a person typed, as a
document. If a session has it, it counts, since ``content`` also has selected code and files. The editor added
``contextItems`` and logged ``promptLogs``. There are no times. The agent's source (core/index.d.ts) names the fields. Memory:
``session``, ``cwd``, ``calls`` (calls without a result).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import agent_folders
from curator.model import JSON, Happening, Role, Turn
from curator.transcripts.base import document, jsonl, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "continue"

_SESSION = re.compile(rb'\s*(?:\xef\xbb\xbf)?\{\s*"sessionId"\s*:\s*"')
_FAILED = re.compile(r"\bfailed\b", re.IGNORECASE)
_DONE = frozenset(("done", "errored", "canceled"))
_TYPED = frozenset(("doc", "paragraph", "bulletList", "orderedList", "listItem", "blockquote", "heading"))
"""Nodes of the editor's document with a person's text."""
_DEEPEST = 20


def claims(path: Path, head: bytes) -> bool:
    """Return whether the document begins like a session."""
    has_name = b'"workspaceDirectory"' in head or b'"history"' in head
    return path.suffix == ".json" and has_name and b'"projectHash"' not in head[:2000] and bool(_SESSION.match(head))


def read(path: Path, start: Mark) -> Reading:
    """Read the new part. Raises ``OSError`` only."""
    return document.read(path, start, _unfold, turns_from_record)


def _unfold(whole: Any, memory: JSON) -> Sequence[Any]:
    if not isinstance(whole, dict):
        return ()
    memory["session"] = text_of(whole.get("sessionId"))
    place = text_of(whole.get("workspaceDirectory"))
    memory["cwd"] = agent_folders.folder_of(place) if place.startswith("file:") else place
    history = whole.get("history")
    return history if isinstance(history, list) else ()


def turns_from_record(item: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """Yield the turns of one item of the history."""
    message = object_of(item.get("message"))
    role = message.get("role")
    text = _content(message.get("content"))
    if role == "user":
        editor = item.get("editorState")
        if typed := messages.typed_text(_document_text(editor) if isinstance(editor, dict) else text):
            yield _turn(source, memory, Role.HUMAN, typed)
    elif role == "assistant":
        if text.strip():
            yield _turn(source, memory, Role.ASSISTANT, text.strip())
        yield from _call_turns(item, message, source, memory)
    elif role == "tool":
        yield from _result_turns(message, text, source, memory)
    elif role not in ("system", "thinking"):
        unknown[str(role)[:80]] += 1
    if text_of(item.get("conversationSummary")):
        yield _turn(source, memory, Role.EVENT, "", happening=Happening.COMPACTION)


def _turn(source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    return jsonl.turn(AGENT, source, memory, role, text, **more)


def _content(content: Any) -> str:
    parts = dicts(content)
    return content if isinstance(content, str) else "\n".join(text_of(part.get("text")) for part in parts if "text" in part)


def _document_text(node: JSON, depth: int = 0) -> str:
    """Return the text in an editor's document without selected code, mentions and commands, which are nodes of their own."""
    if node.get("type") == "text":
        return text_of(node.get("text"))
    inner = dicts(node.get("content")) if node.get("type") in _TYPED and depth < _DEEPEST else []
    texts = [_document_text(each, depth + 1) for each in inner]
    return ("" if node.get("type") == "paragraph" else "\n").join(texts)


# --- tools ------------------------------------------------------------------------------------------------------------


def _call_turns(item: JSON, message: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    """Yield calls from the editor's states, or else from the model. Their results come as messages."""
    states = dicts(item.get("toolCallStates"))
    for state in states or [{"toolCall": call} for call in dicts(message.get("toolCalls"))]:
        call = object_of(state.get("toolCall"))
        function, parsed = object_of(call.get("function")), state.get("parsedArgs")
        arguments = parsed if isinstance(parsed, dict) else document.parse_object(function.get("arguments"))
        identity = text_of(state.get("toolCallId")) or text_of(call.get("id"))
        about = messages.about(text_of(function.get("name")), identity, arguments)
        yield _turn(source, memory, Role.TOOL_CALL, messages.describe(arguments), **about)
        if state.get("status") in _DONE:
            yield _state_turn(state, source, memory, about)
        else:
            memory.setdefault("calls", {})[about["call"]] = about


def _state_turn(state: JSON, source: Source, memory: JSON, about: JSON) -> Turn:
    if state["status"] == "canceled":
        return _turn(source, memory, Role.EVENT, "", happening=Happening.REFUSAL, ok=False, **about)
    output = dicts(state.get("output"))
    text = "\n".join(filter(None, (text_of(part.get("content")) for part in output)))
    failed = state["status"] == "errored" or any(_FAILED.search(text_of(part.get("status"))) for part in output)
    return _turn(source, memory, Role.TOOL_RESULT, messages.output(text), ok=not failed, **about)


def _result_turns(message: JSON, text: str, source: Source, memory: JSON) -> Iterator[Turn]:
    """Yield a result that is its own message, without text that the call's state already has."""
    about = memory.get("calls", {}).pop(text_of(message.get("toolCallId")), None)
    if about is not None:
        yield _turn(source, memory, Role.TOOL_RESULT, messages.output(text), **about)
