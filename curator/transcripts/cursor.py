"""Cursor: ``~/.cursor/projects/<project>/agent-transcripts/…/<chat>.jsonl``, append-only, and the editor's ``state.vscdb``.

A line of the first is ``{role, message}`` without id or time. It has calls, but seldom their results. The file's time is the
time of its turns. A person's words in a prompt are in ``<user_query>``. The name of a project is its folder with ``-`` for
every unusual character, which nobody can reverse. curator takes the folder in the chat that gives this name. Memory: ``cwd``,
``calls`` (calls without a result).

The second part reads the editor's database, and those of the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import agent_folders, sqlite
from curator.model import JSON, Happening, Role
from curator.transcripts.base import discover, document, jsonl, messages, sessions
from curator.transcripts.base.jsonl import Writer, WriteTurns
from curator.transcripts.base.messages import dicts, object_of, text_of
from curator.transcripts.base.sessions import Message, Place, Session

AGENT = "cursor"

TRANSCRIPTS = "agent-transcripts"

_WORKSPACE = re.compile(r"Workspace Path: (.+)")

_ODD = re.compile(r"[^A-Za-z0-9]+")

_ATTACHED = ("attached_files", "cursor_rules_context", "open_and_recently_viewed_files", "system_reminder")
"""Elements with file contents that may come before a person's words."""

_HIDDEN = "[REDACTED]"

_STOPPED = frozenset(("aborted", "cancelled", "canceled", "interrupted"))


def candidates(root: Path) -> Iterator[Path]:
    """Yield the files under ``root`` that may be a transcript or database by their place."""
    for path in discover.files_below(root, (".jsonl", ".vscdb", CHAT_NAME)):
        if TRANSCRIPTS in path.parts or path.parent.name == "globalStorage" or path.name == CHAT_NAME:
            yield path


def claims(path: Path, head: bytes) -> bool:
    """Return whether it is one of Cursor's databases, or a transcript by its first line."""
    if path.suffix == ".db":
        return head.startswith(sqlite.MAGIC) and is_chat(path)
    if path.suffix == ".vscdb":
        return head.startswith(sqlite.MAGIC) and is_cursors(path)
    first = head.lstrip().partition(b"\n")[0].replace(b'": ', b'":')
    shaped = first.startswith((b'{"role":"user","message":', b'{"role":"assistant","message":'))
    return path.suffix == ".jsonl" and shaped and b'"parentUuid":' not in first


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    if path.suffix == ".vscdb":
        return read_database(path, start)
    reading = (read_chat if path.suffix == ".db" else jsonl.read_on)(AGENT, path, start, write_turns)
    at = path.stat().st_mtime
    cwd = text_of(reading.end.memory.get("cwd"))
    turns = tuple(replace(turn, at=at if turn.at is None else turn.at, cwd=turn.cwd or cwd) for turn in reading.turns)
    return replace(reading, turns=turns)


def write_turns(record: JSON, writer: Writer) -> None:
    """Write the turns of one line of a transcript."""
    role, message, path = record.get("role"), record.get("message"), Path(writer.file)
    writer.sidechain = path.parent.name == "subagents"
    writer.session = writer.memory.get("session") or (path.parent.parent.name if writer.sidechain else path.stem)
    writer.at, writer.record = messages.seconds(record.get("timestamp")), text_of(record.get("id"))
    blocks = messages.blocks(message.get("content") if isinstance(message, dict) else record.get("content"))
    if role == "user":
        _user(blocks, writer)
    elif role == "assistant":
        _assistant(blocks, writer)
    if role in ("user", "tool"):
        for block in blocks:
            if role == "tool" or block.get("type") == "tool_result":
                _result(block, writer)
    if record.get("type") == "turn_ended" and record.get("status") in _STOPPED:
        writer.event(Happening.INTERRUPTION)


def _user(blocks: Sequence[JSON], writer: Writer) -> None:
    whole = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
    if not writer.memory.get("cwd") and (found := _WORKSPACE.search(whole)):
        writer.memory["cwd"] = found[1].strip()
    if writer.sidechain:
        writer.assistant(query(whole) or whole)
    else:
        writer.human(query(whole))


def query(text: str) -> str:
    """Return a person's words in a prompt: the text in its ``<user_query>``.

    Return an empty text if there are several, or if an attached element ends after it, because a file can hold such an element.

    >>> query("<attached_files>a.py</attached_files><user_query>keep it</user_query>")
    'keep it'
    """
    before, _, rest = text.partition("<user_query>")
    words, end, _ = rest.partition("</user_query>")
    forged = "<user_query>" in rest or any(f"<{tag}" in before and f"</{tag}>" in rest for tag in _ATTACHED)
    return messages.typed_text(words.strip()) if end and not forged else ""


def _assistant(blocks: Sequence[JSON], writer: Writer) -> None:
    for block in blocks:
        if block.get("type") == "text":
            writer.assistant(text_of(block.get("text")).replace(_HIDDEN, "").strip())
        elif block.get("type") == "tool_use":
            arguments = object_of(block.get("input"))
            _place(messages.paths(arguments), writer)
            writer.call(block.get("name"), block.get("id"), arguments)
        elif block.get("type") == "tool_result":
            _result(block, writer)


def _result(block: JSON, writer: Writer) -> None:
    about = writer.end_call(block.get("tool_use_id") or block.get("tool_call_id") or block.get("id"))
    failed = block.get("is_error")
    ok = not failed if isinstance(failed, bool) else None
    writer.result(messages.content_text(block.get("content", block.get("text"))), ok=ok, **about)


def _place(paths: Sequence[str], writer: Writer) -> None:
    """Remember the folder, among those that hold a file, which gives the project's name."""
    parts = Path(writer.file).parts
    if writer.memory.get("cwd") or TRANSCRIPTS not in parts:
        return
    name = parts[parts.index(TRANSCRIPTS) - 1]
    for path in paths[:10]:
        pure = PureWindowsPath(path) if path[1:2] == ":" else PurePosixPath(path)
        for folder in pure.parents if pure.is_absolute() else ():
            if _ODD.sub("-", str(folder)).strip("-").lower() == name.lower():
                writer.memory["cwd"] = str(folder)
                return


# --- databases --------------------------------------------------------------------------------------------------------
#
# ``state.vscdb``: a table of keys and JSON values, often many gigabytes, with every chat of the editor.
#
# ``composerData:<chat>`` lists the messages of a chat in order (``fullConversationHeadersOnly``). Early versions have them in
# ``conversation``. ``bubbleId:<chat>:<message>`` is a message. A changed row gets a new row number. So curator reads only the
# rows after the last known number. Memory, added to that of ``sessions``: ``open`` (chats whose last message was not complete).

_PENDING = frozenset(("loading", "pending", "running", "generating", "created", "streaming"))

_REFUSED = frozenset(("rejected", "denied"))

_OUTPUTS = ("output", "contents", "content", "diff", "stdout", "message", "error")


def is_settled(bubble: JSON) -> bool:
    """Return whether a message is final while its chat goes on: a prompt, or a finished call."""
    former = bubble.get("toolFormerData")
    if isinstance(former, dict) and former:
        return text_of(former.get("status")) not in _PENDING
    return bubble.get("type") == 1


def write_bubble(bubble: JSON, writer: Writer) -> None:
    """Write the turns of one message."""
    timing = object_of(bubble.get("timingInfo"))
    times = bubble.get("createdAt"), timing.get("clientRpcSendTime"), timing.get("clientEndTime"), writer.memory.get("began")
    seconds = (messages.seconds(time) for time in times if time)
    writer.at, writer.record = next((at for at in seconds if at is not None), None), text_of(bubble.get("bubbleId"))
    text, former = text_of(bubble.get("text")), object_of(bubble.get("toolFormerData"))
    if bubble.get("type") == 1:
        writer.human(messages.typed_text(text))
    elif bubble.get("type") == 2:
        writer.assistant(text)
        if text_of(former.get("name")):
            _tool(former, writer)


def _tool(former: JSON, writer: Writer) -> None:
    name = text_of(former.get("name"))
    arguments = {**document.parse_object(former.get("params")), **document.parse_object(former.get("rawArgs"))}
    about = messages.about(name, text_of(former.get("toolCallId")) or writer.record, arguments)
    if "terminal" in name and not about["command"]:
        about["command"] = text_of(arguments.get("command"))
    writer.turn(Role.TOOL_CALL, messages.describe(arguments), **about)
    result = document.parse_object(former.get("result"))
    status = former.get("status")
    extra = object_of(former.get("additionalData"))
    decisions = (former.get("userDecision"), extra.get("status"))
    own = not name.startswith("mcp")  # a server alone decides on its answer
    refusal = any(decision in _REFUSED for decision in decisions if isinstance(decision, str))
    if refusal or (own and result.get("rejected") is True):
        reason = text_of(extra.get("feedback")) or (text_of(result.get("feedback")) if own else "")
        writer.event(Happening.REFUSAL, reason, ok=False, **about)
        return
    answers = list(_answers(result)) if name.startswith("ask") else []
    writer.answers(answers, **about)
    text = next((text_of(result.get(key)) for key in _OUTPUTS if text_of(result.get(key))), "") or _plain(former)
    if not answers and status not in _PENDING and (text or status):
        writer.result(text, ok=_ok(result, status, shell=bool(about["command"])), **about)


def _plain(former: JSON) -> str:
    """Return the outcome of a call if it is not an object, or else its error."""
    result = former.get("result")
    if isinstance(result, str) and not result.lstrip().startswith("{"):
        return result
    error = former.get("error")
    parsed = document.parse_object(error)
    return text_of(parsed.get("clientVisibleErrorMessage")) or text_of(parsed.get("message")) or text_of(error)


def _answers(result: JSON) -> Iterator[str]:
    answers = result.get("answers")
    values = list(answers.values()) if isinstance(answers, dict) else answers if isinstance(answers, list) else []
    for value in values:
        if isinstance(value, dict):
            options = dicts(value.get("selectedOptions")) or [value]
            value = ", ".join(text_of(item.get("label")) or text_of(item.get("answer")) for item in options)
        if isinstance(value, str) and value.strip():
            yield value


def _ok(result: JSON, status: object, *, shell: bool) -> bool | None:
    code = result.get("exitCodeV2", result.get("exitCode"))
    if isinstance(code, int):
        return code == 0
    if status in ("error", "failed"):
        return False
    return True if status == "completed" and not shell else None


TABLE = "cursorDiskKV"

MAX_VALUE_BYTES = 32 * 1024 * 1024
"""The bytes of a value that are too many to be read: a message with its attachments."""

_ROWS = 5_000

_AT_ONCE = 20

_MAX_OPEN = 200

_NEVER = 1 << 62

Header = tuple[str, JSON | None]
"""The id of a message, and the message if the chat itself contains it."""


def is_cursors(path: Path) -> bool:
    """Return whether a database has Cursor's table. Return ``True`` if it is busy; the reader will report that."""
    try:
        return TABLE in sqlite.tables(path)
    except OSError:
        return True


def read_database(path: Path, start: Mark) -> Reading:
    """Read a batch of new messages in a database. Raises ``OSError``."""
    known = start.memory.get("open")
    store = Store(path, [name for name in known if isinstance(name, str)] if isinstance(known, list) else [])
    reading = sessions.read(AGENT, path, start, store, write_bubble)
    mark = Mark(memory={**reading.window.memory, "open": sorted(store.open)[:_MAX_OPEN]})
    return replace(reading, end=mark, window=mark)


class Store(sessions.Store):
    """The questions to Cursor's database."""

    def __init__(self, path: Path, waiting: Sequence[str]) -> None:
        self.path = path
        self.open = set(waiting)
        self.row = -1
        self.folders: dict[str, str] | None = None
        self.chat: tuple[str, JSON, list[Header]] = ("", {}, [])

    def sessions_after(self, after: Place | None, more: bool, limit: int) -> Sequence[Session]:
        """Return chats in the order of their last written row."""
        row = after[0] if after else -1
        newest = sqlite.rows(self.path, f"SELECT max(rowid) FROM {TABLE}")[0][0] or 0
        if row > newest:  # the rows have new numbers
            row = -1
        self.row = row
        last: dict[str, int] = {}
        # A plus sign keeps SQLite from walking the keys instead of the rows.
        question = (
            f"SELECT rowid, key FROM {TABLE} WHERE rowid > ? AND (+key >= 'bubbleId:' AND +key < 'bubbleId;'"
            " OR +key >= 'composerData:' AND +key < 'composerData;') ORDER BY rowid LIMIT ?"
        )
        while len(last) < limit:
            rows = sqlite.rows(self.path, question, (row, _ROWS))
            for row, key in rows:
                last.pop(chat := str(key).split(":", 2)[1], None)
                last[chat] = row
                if len(last) >= limit:
                    break
            if len(rows) < _ROWS:
                break
        waiting = [] if more else sorted(name for name in self.open if name not in last)[:limit]
        # Without a cursor of its own a waiting chat must not move the cursor.
        found = [self._session(name, self.row) for name in waiting]
        return [*found, *(self._session(name, row) for name, row in last.items())][:limit]

    def _session(self, name: str, row: int) -> Session:
        return Session(name, (row, name), _NEVER, {"session": name})

    def new(self, session: Session, after: Place | None, limit: int) -> Sequence[Message]:
        """Return messages after a place, up to the first that is not complete."""
        composer, headers = self._chat(session)
        places = {name: index for index, (name, _) in enumerate(headers)}
        begin = places.get(str(after[1]), -1) + 1 if after else 0
        if after and str(after[1]) not in places:
            begin = self._rewound(session.id, headers)
        generating = composer.get("status") == "generating"
        self.open.discard(session.id)
        found = []
        for message in self._messages(session.id, headers, begin, begin + limit):
            settled = is_settled(message.record) or not generating
            found.append(replace(message, settled=settled))
            if not settled:
                self.open.add(session.id)
                break
        return found

    def before(self, session: Session, place: Place, limit: int) -> Sequence[Message]:
        """Return the last messages before a place."""
        _, headers = self._chat(session)
        return list(self._messages(session.id, headers, max(place[0] - limit, 0), place[0]))

    def _rewound(self, chat: str, headers: Sequence[Header]) -> int:
        """Return the position of a chat whose last messages were taken back: the first row written since."""
        question = f"SELECT rowid, key FROM {TABLE} WHERE key >= ? AND key < ? AND +rowid > ?"
        rows = sqlite.rows(self.path, question, (f"bubbleId:{chat}:", f"bubbleId:{chat};", self.row))
        written = {str(key).rpartition(":")[2] for _, key in rows}
        return next((index for index, (name, _) in enumerate(headers) if name in written), len(headers))

    def _chat(self, session: Session) -> tuple[JSON, list[Header]]:
        if self.chat[0] != session.id:
            composer = next(iter(self._values([f"composerData:{session.id}"]).values()), {})
            self.chat = (session.id, composer, _headers(composer))
        composer = self.chat[1]
        session.memory["branch"] = text_of(composer.get("createdOnBranch"))
        session.memory["began"] = composer.get("createdAt")
        session.memory["sidechain"] = bool(composer.get("subagentInfo") or composer.get("isBestOfNSubcomposer"))
        session.memory["cwd"] = self._folder(session.id, composer)
        return composer, self.chat[2]

    def _messages(self, chat: str, headers: Sequence[Header], begin: int, end: int) -> Iterator[Message]:
        for first in range(begin, min(end, len(headers)), _AT_ONCE):
            some = headers[first : min(first + _AT_ONCE, end)]
            values = self._values([f"bubbleId:{chat}:{name}" for name, inline in some if inline is None])
            for index, (name, inline) in enumerate(some, first):
                bubble = inline if inline is not None else values.get(f"bubbleId:{chat}:{name}", {})
                yield Message((index, name), {**bubble, "bubbleId": name})

    def _values(self, keys: Sequence[str]) -> dict[str, JSON]:
        question = (
            f"SELECT key, CASE WHEN length(CAST(value AS BLOB)) > {MAX_VALUE_BYTES} THEN NULL ELSE value END FROM {TABLE}"
            f" WHERE key IN ({', '.join('?' * len(keys))})"
        )
        return {
            str(key): document.parse_object(value) for key, value in (sqlite.rows(self.path, question, keys) if keys else ())
        }

    def _folder(self, chat: str, composer: JSON) -> str:
        """Return the folder of a chat: its own (since 3.12), or else that of its workspace."""
        uri = object_of(composer.get("workspaceIdentifier")).get("uri")
        if isinstance(uri, dict):
            return text_of(uri.get("fsPath")) or text_of(uri.get("path"))
        if self.folders is None:
            self.folders = _folders(self.path.parent.parent / "workspaceStorage")
        return self.folders.get(chat, "")


def _headers(composer: JSON) -> list[Header]:
    """Return the messages of a chat in their order."""
    found: list[Header] = [(text_of(item.get("bubbleId")), None) for item in dicts(composer.get("fullConversationHeadersOnly"))]
    inline = enumerate(dicts(composer.get("conversation")))
    return [item for item in found if item[0]] or [(text_of(item.get("bubbleId")) or f"{at}", item) for at, item in inline]


def _folders(storage: Path) -> dict[str, str]:
    """Return the folder of each chat that a workspace lists."""
    found: dict[str, str] = {}
    for place in sorted(storage.glob("*/workspace.json")):
        try:
            workspace = document.load(place)
            folder = agent_folders.folder_of(workspace.get("folder")) if isinstance(workspace, dict) else ""
            rows = sqlite.rows(
                place.with_name("state.vscdb"), "SELECT value FROM ItemTable WHERE key = 'composer.composerData'"
            )
        except (OSError, ValueError):
            continue
        listed = document.parse_object(rows[0][0]).get("allComposers") if rows and folder else None
        found |= {text_of(item.get("composerId")): folder for item in dicts(listed)}
    return found


# --- the chats of the command line ------------------------------------------------------------------------------------
#
# ``~/.cursor/chats/<md5 of the folder>/<chat>/store.db``, one database per chat. ``meta`` has one row of JSON in hexadecimal
# digits. Its ``latestRootBlobId`` names a row of ``blobs``, the root. The root is a Protocol Buffer that begins with the ids of
# the messages in their order. A message is JSON in the form of the AI SDK. ``meta.json`` next to the database names the folder.
# curator reads a whole chat each time. Seen in public copies of September 2026.

CHAT_NAME = "store.db"

_MESSAGE_ID = b"\x0a\x20"
"""The head of a message's id in the root: field 1, 32 bytes."""
_CHAT_AT_ONCE = 200
_EXIT = re.compile(r"\AExit code: (-?\d+)")


def is_chat(path: Path) -> bool:
    """Return whether a database has such tables. Return ``True`` if it is busy; the reader will report that."""
    try:
        return path.name == CHAT_NAME and {"blobs", "meta"} <= sqlite.tables(path)
    except OSError:
        return True


def read_chat(agent: str, path: Path, start: Mark, write_turns: WriteTurns) -> Reading:
    """Read the whole chat, wherever ``start`` is. Raises only ``OSError``."""
    memory: JSON = {"session": path.parent.name}
    memory["cwd"] = text_of(document.load_object(path.with_name("meta.json")).get("cwd"))
    found = document.collect(agent, path, list(map(_chat_record, _chat_messages(path))), memory, write_turns)
    return document.new_reading(start, found)


def _chat_messages(path: Path) -> Iterator[JSON]:
    stored = sqlite.rows(path, "SELECT value FROM meta WHERE key = '0'")
    try:
        meta = document.parse_object(bytes.fromhex(stored[0][0]))
    except (IndexError, TypeError, ValueError):
        meta = {}
    root = next(iter(_blobs(path, [text_of(meta.get("latestRootBlobId"))]).values()), None) or b""
    names, at = [], 0
    while root.startswith(_MESSAGE_ID, at):
        names.append(root[at + 2 : at + 34].hex())
        at += 34
    for first in range(0, len(names), _CHAT_AT_ONCE):
        some = names[first : first + _CHAT_AT_ONCE]
        blobs = _blobs(path, some)
        yield from (document.parse_object(blobs.get(name)) for name in some)


def _blobs(path: Path, names: Sequence[str]) -> Mapping[str, bytes]:
    question = f"SELECT id, CAST(data AS BLOB) FROM blobs WHERE id IN ({', '.join('?' * len(names))})"
    return dict(sqlite.rows(path, question, names))


def _chat_record(message: JSON) -> JSON:
    """Return a message in the form of a transcript's line."""
    outcome = object_of(object_of(object_of(message.get("providerOptions")).get("cursor")).get("highLevelToolCallResult"))
    failed = outcome.get("isError", object_of(outcome.get("output")).get("isError"))
    blocks = [_chat_block(block, failed) for block in messages.blocks(message.get("content"))]
    return {"role": message.get("role", "system"), "message": {"content": blocks}, "id": message.get("id")}


def _chat_block(block: JSON, failed: Any) -> JSON:
    if block.get("type") == "tool-call":
        about = {"id": block.get("toolCallId"), "name": block.get("toolName"), "input": block.get("args")}
        return {"type": "tool_use", **about}
    if block.get("type") == "tool-result":
        text = text_of(block.get("result")) or messages.content_text(dicts(block.get("experimental_content")))
        code = _EXIT.match(text)
        return {
            "type": "tool_result",
            "tool_use_id": block.get("toolCallId"),
            "content": text,
            "is_error": code[1] != "0" if code else failed,
        }
    return block
