"""Continue: ``~/.continue/sessions/<uuid>.json``, one JSON document per session, which Continue rewrites each time.

The document is ``{sessionId, title, workspaceDirectory, history: [item]}``. An item is ``{message: {role, content, toolCalls},
toolCallStates, contextItems, editorState, promptLogs, conversationSummary}``. ``editorState`` has what a person typed, as a
document. If a session has it, it counts, since ``content`` also has selected code and files. The editor added
``contextItems`` and logged ``promptLogs``. There are no times. The agent's source (core/index.d.ts) names the fields. Memory:
``session``, ``cwd``, ``calls`` (calls without a result).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import agent_folders
from curator.model import JSON, Happening
from curator.transcripts.base import document, messages
from curator.transcripts.base.jsonl import Writer
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
    return document.read(AGENT, path, start, _unfold, write_turns)


def _unfold(whole: Any, memory: JSON) -> Sequence[Any]:
    if not isinstance(whole, dict):
        return ()
    memory["session"] = text_of(whole.get("sessionId"))
    place = text_of(whole.get("workspaceDirectory"))
    memory["cwd"] = agent_folders.folder_of(place) if place.startswith("file:") else place
    history = whole.get("history")
    return history if isinstance(history, list) else ()


def write_turns(item: JSON, writer: Writer) -> None:
    """Write the turns of one item of the history."""
    message = object_of(item.get("message"))
    role = message.get("role")
    text = _content(message.get("content"))
    if role == "user":
        editor = item.get("editorState")
        writer.human(messages.typed_text(_document_text(editor) if isinstance(editor, dict) else text))
    elif role == "assistant":
        writer.assistant(text.strip())
        _call_turns(item, message, writer)
    elif role == "tool" and text_of(message.get("toolCallId")) in writer.memory.get(
        "calls", {}
    ):  # otherwise the call's state has it
        writer.result(text, **writer.end_call(message["toolCallId"]))
    if text_of(item.get("conversationSummary")):
        writer.event(Happening.COMPACTION)


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


def _call_turns(item: JSON, message: JSON, writer: Writer) -> None:
    """Write calls from the editor's states, or else from the model. Their results come as messages."""
    states = dicts(item.get("toolCallStates"))
    for state in states or [{"toolCall": call} for call in dicts(message.get("toolCalls"))]:
        call = object_of(state.get("toolCall"))
        function, parsed = object_of(call.get("function")), state.get("parsedArgs")
        arguments = parsed if isinstance(parsed, dict) else document.parse_object(function.get("arguments"))
        about = writer.call(function.get("name"), state.get("toolCallId") or call.get("id"), arguments)
        if state.get("status") in _DONE:
            _state_turn(state, writer, writer.end_call(about["call"]))


def _state_turn(state: JSON, writer: Writer, about: JSON) -> None:
    output = dicts(state.get("output"))
    text = "\n".join(filter(None, (text_of(part.get("content")) for part in output)))
    failed = state["status"] == "errored" or any(_FAILED.search(text_of(part.get("status"))) for part in output)
    if state["status"] == "canceled":
        writer.event(Happening.REFUSAL, ok=False, **about)
    else:
        writer.result(text, ok=not failed, **about)
