"""Copilot chat in VS Code: ``…/User/workspaceStorage/<hash>/chatSessions/<session>.json``, newer ``.jsonl``.

The former is one document. The latter is how the same document came to be, one change a line: ``kind`` 0 the whole, 1 set, 2
push (behind index ``i``), 3 delete, at the path ``k``; it is begun anew after some hundred changes, so it is read whole as
well (see the editor's source, chatSessionOperationLog.ts). A message is a request with its response, a list of parts. The
folder stands in ``workspace.json`` of the workspace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import NOTHING, Mark, Reading
from curator.io import limits
from curator.model import JSON
from curator.transcripts.base import document, editors, walk
from curator.transcripts.base.tool_calls import text_of
from curator.transcripts.vscode_parts import absorb

AGENT = "vscode-copilot"
CHATS = ("chatSessions", "emptyWindowChatSessions", "transferredChatSessions")
"""Folders of chats: those of a workspace, of a window without one, of one on its way to another window."""

_EDITORS = ("Code", "Code - Insiders", "Code - OSS", "VSCodium")
_SUFFIXES = (".json", ".jsonl")


class VscodeCopilot:
    """The format of chats in VS Code."""

    agent = AGENT
    rewrites = True

    def roots(self, home: Path, env: Mapping[str, str]) -> Sequence[Path]:
        """The storage of workspaces, and of windows without one, in each editor that keeps chats so."""
        folders = (*editors.user_folders(home, env, _EDITORS), home / ".vscode-server" / "data" / "User")
        places = ("workspaceStorage", "globalStorage/emptyWindowChatSessions")
        return tuple(folder / place for folder in folders for place in places)

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING) -> Sequence[Path]:
        """Every chat under ``root``."""
        return tuple(path for path in _listed(root) if walk.is_of(AGENT, path, self.claims, known))

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the head is that of a chat."""
        head = head.lstrip()
        if path.suffix == ".jsonl":
            return head.startswith(b'{"kind":0,"v":{') and (path.parent.name in CHATS or b'"requests":' in head)
        head = head.replace(b'": ', b'":')
        says = b'"responderUsername":' in head or b'"requests":[' in head
        ours = path.parent.name in CHATS or b'"requesterUsername":' in head
        return path.suffix == ".json" and head.startswith(b"{") and says and ours

    def read(self, path: Path, start: Mark) -> Reading:
        """Read the whole chat, wherever ``start`` is; raises ``OSError`` only."""
        try:
            chat = _replayed(path) if path.suffix == ".jsonl" else document.load(path)
        except ValueError as error:
            return document.torn(path, start, error)
        memory: JSON = {"session": path.stem, "cwd": _folder(path)}
        turns, unknown, errors = document.absorbed(path, _requests(chat, memory), memory, absorb)
        return document.told(start, turns, unknown, errors)


def _listed(root: Path) -> Iterator[Path]:
    """Chats by their places; what else lies in a workspace's storage may be large and is not walked."""
    if root.name == "workspaceStorage":
        for folder in sorted(root.glob("*/chatSessions")):
            yield from (path for suffix in _SUFFIXES for path in walk.files(folder, suffix))
    else:
        for suffix in _SUFFIXES:
            yield from (path for path in walk.files(root, suffix) if path.parent.name in CHATS or path == root)


def _folder(path: Path) -> str:
    try:
        workspace = document.load(path.parent.parent / "workspace.json")
    except (OSError, ValueError):
        return ""
    return editors.folder_of(workspace.get("folder")) if isinstance(workspace, dict) else ""


def _requests(chat: Any, memory: JSON) -> Sequence[Any]:
    if not isinstance(chat, dict):
        return ()
    memory["session"] = text_of(chat.get("sessionId")) or memory["session"]
    repository = chat.get("repoData")
    memory["branch"] = text_of(repository.get("localBranch")) if isinstance(repository, dict) else ""
    requests = chat.get("requests")
    return requests if isinstance(requests, list) else ()


LOG = 4 * limits.RECORD
"""Bytes of a log of changes: a chat is as large as all that they add."""

# --- the log of changes -----------------------------------------------------------------------------------------------


def _replayed(path: Path) -> Any:
    """What a chat is after all changes. Raises ``OSError``, and ``ValueError`` for lines that are no JSON but the last."""
    chat: Any = None
    with path.open("rb") as file:
        while line := file.readline(limits.RECORD + 1):
            if file.tell() > LOG:
                raise ValueError(f"it is larger than {LOG >> 20} MB")
            try:
                change = document.parsed(line) if line.strip() else None
            except ValueError:
                if line.endswith(b"\n") or chat is None:
                    raise
                break  # half written: it is read when it is whole
            if isinstance(change, dict):
                chat = change.get("v") if change.get("kind") == 0 else _changed(chat, change)
    return chat


def _changed(chat: Any, change: JSON) -> Any:
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
