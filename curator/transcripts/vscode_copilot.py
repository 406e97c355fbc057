"""Copilot chat in VS Code: ``…/User/workspaceStorage/<hash>/chatSessions/<session>.json``, newer ``.jsonl``.

The former is one document. The latter is a log of its changes, one per line: ``kind`` 0 sets the whole, 1 sets, 2 pushes (after
index ``i``), 3 deletes, at the path ``k``. The editor starts it anew after some hundred changes, so curator reads all of it,
too (see the editor's source, chatSessionOperationLog.ts). A message is a request with its response, a list of parts.
``workspace.json`` of the workspace names the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import agent_folders, files
from curator.model import JSON, Happening, Role
from curator.transcripts.base import discover, document, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

AGENT = "vscode-copilot"
_DENIED, _SKIPPED = 0, 5
"""Kinds of decision on a call (``ToolConfirmKind``): a person said no, or let the agent go on without it."""

_PENDING, _CANCELLED = 0, 2
"""States of a response (``ResponseModelState``)."""

_UNDONE, _MODIFIED = 2, 3
"""A person's change of an edited file before the next request (``ChatRequestEditedFileEventKind``)."""

_MARK = "__vscode"


def write_turns(request: JSON, writer: Writer) -> None:
    """Write the turns of one request and its response."""
    writer.at, writer.record = messages.seconds(request.get("timestamp")), text_of(request.get("requestId"))
    for event in dicts(request.get("editedFileEvents")):
        path = _path(event.get("uri"))
        paths = (path,) if path else ()
        if event.get("eventKind") == _MODIFIED:
            writer.event(Happening.USER_EDIT, paths=paths)
        elif event.get("eventKind") == _UNDONE:
            writer.event(Happening.REFUSAL, tool="edit", paths=paths, ok=False)
    message = request.get("message")
    text = text_of(message.get("text")) if isinstance(message, dict) else text_of(message)
    # After a pressed button, and after a command's end, there is a request whose words a person did not type.
    if not request.get("confirmation") and not request.get("isSystemInitiated"):
        writer.human(messages.typed_text(text))
    _Response(request, writer).write(dicts(request.get("response")))
    if request.get("isCanceled") is True or object_of(request.get("modelState")).get("value") == _CANCELLED:
        writer.event(Happening.INTERRUPTION)


class _Response:
    """The parts of one response. Pieces of text are joined until another part comes."""

    def __init__(self, request: JSON, writer: Writer) -> None:
        self.request = request
        self.writer = writer
        self.text: list[str] = []
        self.last_edit = ""
        metadata = object_of(object_of(request.get("result")).get("metadata"))
        rounds = dicts(metadata.get("toolCallRounds"))
        self.calls = {text_of(call.get("id")): call for each in rounds for call in dicts(each.get("toolCalls"))}
        self.results = object_of(metadata.get("toolCallResults"))

    def write(self, parts: list[JSON]) -> None:
        for part in parts:
            kind = part.get("kind")
            if kind in (None, "markdownContent"):
                self.text.append(_markdown(part.get("content")) or _markdown(part))
            elif kind == "inlineReference":
                self.text.append(_reference(part))
            elif kind in ("toolInvocationSerialized", "toolInvocation"):
                self._flush()
                self._tool(part)
            elif kind in ("textEditGroup", "notebookEditGroup"):
                self._flush()
                self._edit(_path(part.get("uri")))
            elif kind in ("questionCarousel", "elicitation", "elicitationSerialized"):
                self._flush()
                self._question(part)
        # The text at the end of an unfinished response is not complete.
        if object_of(self.request.get("modelState")).get("value") != _PENDING:
            self._flush()

    def _flush(self) -> None:
        text = "".join(self.text).strip()
        self.text = []
        # Fences that held an edit are left empty.
        if text.strip("`\n "):
            self.writer.assistant(text)

    def _edit(self, path: str) -> None:
        if path and path != self.last_edit:
            self.last_edit = path
            self.writer.turn(Role.TOOL_CALL, path, tool="edit", paths=(path,))

    def _tool(self, part: JSON) -> None:
        call = text_of(part.get("toolCallId"))
        call_ = self.calls.get(call) or self.calls.get(call.partition(_MARK)[0]) or {}
        data = object_of(part.get("toolSpecificData"))
        arguments = document.parse_object(call_.get("arguments")) or document.parse_object(data.get("rawInput"))
        about = messages.about(text_of(part.get("toolId")) or text_of(call_.get("name")), call, arguments)
        line = object_of(data.get("commandLine"))
        if data.get("kind") == "terminal":
            about["command"] = text_of(line.get("toolEdited")) or text_of(line.get("original")) or text_of(data.get("command"))
        details = part.get("resultDetails")
        if not about["paths"] and isinstance(details, list):
            about["paths"] = tuple(filter(None, map(_path, dicts(details)[:50])))
        text = about["command"] or messages.describe(arguments) or _markdown(part.get("invocationMessage"))
        self.writer.sidechain = bool(part.get("subAgentInvocationId") or part.get("fromSubAgent"))
        self.writer.turn(Role.TOOL_CALL, messages.cap(text), **about)
        self._outcome(part, data, line, about)
        if data.get("kind") == "subagent":
            self.writer.assistant(text_of(data.get("result")), sidechain=True)
        self.writer.sidechain = False

    def _outcome(self, part: JSON, data: JSON, line: JSON, about: JSON) -> None:
        decision = part.get("isConfirmed")
        decided = object_of(decision).get("type")
        if edited := text_of(line.get("userEdited")):
            text = messages.cap(edited)
            self.writer.event(Happening.USER_EDIT, text, **{**about, "command": text})
        if decision is False or decided in (_DENIED, _SKIPPED):
            self.writer.event(Happening.REFUSAL, ok=False, **about)
            return
        if part.get("isComplete") is False:
            return
        details = object_of(part.get("resultDetails"))
        code = object_of(data.get("terminalCommandState")).get("exitCode")
        text = text_of(object_of(data.get("terminalCommandOutput")).get("text"))
        text = text or _output(details.get("output")) or self._result(about["call"]) or _markdown(part.get("pastTenseMessage"))
        ok = code == 0 if isinstance(code, int) else False if details.get("isError") is True else None
        if text.strip() or ok is not None:
            self.writer.result(text, ok=ok, **about)

    def _result(self, call: str) -> str:
        result = self.results.get(call) or self.results.get(call.partition(_MARK)[0])
        return "\n".join(text_of(part.get("value")) for part in dicts(object_of(result).get("content")))

    def _question(self, part: JSON) -> None:
        texts = [_markdown(item.get("message")) or _markdown(item.get("title")) for item in dicts(part.get("questions"))]
        text = "\n".join(texts) or _markdown(part.get("message")) or _markdown(part.get("title"))
        about: JSON = {"tool": "ask", "call": text_of(part.get("resolveId")) or f"{self.writer.line}/{text_of(part.get('id'))}"}
        self.writer.turn(Role.TOOL_CALL, messages.cap(text), **about)
        self.writer.answers([*filter(None, map(_choice_text, object_of(part.get("data")).values()))], **about)
        if part.get("state") == "rejected":
            self.writer.event(Happening.REFUSAL, ok=False, **about)


def _choice_text(value: Any) -> str:
    """Return an answer in any of its forms: text, several texts, or a selection with a written addition."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(text_of, value)))
    if isinstance(value, dict):
        several = value.get("selectedValues")
        options = [value.get("freeformValue"), value.get("selectedValue"), *(several if isinstance(several, list) else ())]
        return ", ".join(filter(None, map(text_of, options)))
    return text_of(value)


def _markdown(value: Any) -> str:
    """Return a text, also if it is Markdown in an object."""
    return text_of(value.get("value")) if isinstance(value, dict) else text_of(value)


def _output(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(text_of(item.get("value")) for item in dicts(value) if item.get("isText") is not False)
    return text_of(value)


def _reference(part: JSON) -> str:
    inner = part.get("inlineReference")
    name = text_of(part.get("name")) or (text_of(inner.get("name")) if isinstance(inner, dict) else "")
    return f"`{name or _path(inner).rpartition('/')[2]}`"


def _path(uri: Any) -> str:
    """Return the path of an address in any of its shapes: text, its parts, a place in a file."""
    if isinstance(uri, dict):
        inner = uri.get("uri")
        return _path(inner) if isinstance(inner, (dict, str)) else text_of(uri.get("fsPath")) or text_of(uri.get("path"))
    return agent_folders.folder_of(uri)


CHATS = ("chatSessions", "emptyWindowChatSessions", "transferredChatSessions")
"""Folders of chats: those of a workspace, of a window without one, of one on its way to another window."""

_SUFFIXES = (".json", ".jsonl")


def candidates(root: Path) -> Iterator[Path]:
    """Yield chats by their places. Other parts of a workspace's storage may be large and are not searched."""
    if root.name == "workspaceStorage":
        for folder in sorted(root.glob("*/chatSessions")):
            yield from discover.files_below(folder, _SUFFIXES)
    else:
        yield from (path for path in discover.files_below(root, _SUFFIXES) if path.parent.name in CHATS)


def claims(path: Path, head: bytes) -> bool:
    """Return whether the head is that of a chat."""
    head = head.lstrip()
    if path.suffix == ".jsonl":
        return head.startswith(b'{"kind":0,"v":{') and (path.parent.name in CHATS or b'"requests":' in head)
    head = head.replace(b'": ', b'":')
    claimed = b'"responderUsername":' in head or b'"requests":[' in head
    ours = path.parent.name in CHATS or b'"requesterUsername":' in head
    return path.suffix == ".json" and head.startswith(b"{") and claimed and ours


def read(path: Path, start: Mark) -> Reading:
    """Read the whole chat, wherever ``start`` is. Raises only ``OSError``."""
    try:
        chat = _replay(path) if path.suffix == ".jsonl" else document.load(path)
    except ValueError as error:
        return document.incomplete_reading(path, start, error)
    memory: JSON = {"session": path.stem, "cwd": _folder(path)}
    return document.new_reading(start, document.collect(AGENT, path, _requests(chat, memory), memory, write_turns))


def _folder(path: Path) -> str:
    return agent_folders.folder_of(document.load_object(path.parent.parent / "workspace.json").get("folder"))


def _requests(chat: Any, memory: JSON) -> Sequence[Any]:
    if not isinstance(chat, dict):
        return ()
    memory["session"] = text_of(chat.get("sessionId")) or memory["session"]
    memory["branch"] = text_of(object_of(chat.get("repoData")).get("localBranch"))
    requests = chat.get("requests")
    return requests if isinstance(requests, list) else ()


LOG = 4 * files.MAX_RECORD_BYTES
"""Bytes of a log of changes: a chat is as large as all that they add."""

# --- the log of changes -----------------------------------------------------------------------------------------------


def _replay(path: Path) -> Any:
    """Return a chat after all its changes.

    Raises ``OSError``, and ``ValueError`` for invalid lines, except the last.
    """
    chat: Any = None
    with path.open("rb") as file:
        while line := file.readline(files.MAX_RECORD_BYTES + 1):
            if file.tell() > LOG:
                raise ValueError(f"it is larger than {LOG >> 20} MB")
            try:
                change = document.parse(line) if line.strip() else None
            except ValueError:
                if line.endswith(b"\n") or chat is None:
                    raise
                break  # half written: it is read when it is whole
            if isinstance(change, dict):
                chat = change.get("v") if change.get("kind") == 0 else _apply_change(chat, change)
    return chat


def _apply_change(chat: Any, change: JSON) -> Any:
    keys = change.get("k")
    if not isinstance(keys, list) or not keys:
        return chat
    holder = chat
    for key in keys[:-1]:
        holder = _item(holder, key)
    kind, last = change.get("kind"), keys[-1]
    if kind == 2:
        items = _item(holder, last)
        if not isinstance(items, list):
            items = []
            _set(holder, last, items)
        if isinstance(start := change.get("i"), int) and start >= 0:
            del items[start:]
        items.extend(change["v"] if isinstance(change.get("v"), list) else ())
    elif kind in (1, 3):
        _set(holder, last, change.get("v"))
    return chat


def _item(holder: Any, key: Any) -> Any:
    if isinstance(holder, dict):
        return holder.get(key) if isinstance(key, str) else None
    inside = isinstance(holder, list) and isinstance(key, int) and 0 <= key < len(holder)
    return holder[key] if inside else None


def _set(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, dict) and isinstance(key, str):
        holder[key] = value
    elif isinstance(holder, list) and isinstance(key, int) and 0 <= key <= len(holder):
        holder[key : key + 1] = [value]
