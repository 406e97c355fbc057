"""Cline and its forks Roo Code and Kilo Code: ``…/globalStorage/<extension>/tasks/<task>/ui_messages.json``, one JSON list.

``ui_messages.json`` has what a person saw, with times: words, calls, questions. The file
``api_conversation_history.json`` beside it has the results of calls and the folder, so curator reads both. Roo's
``history_item.json`` names the parent of a subtask. The agent rewrites all files each time. A Cline message says how long the
other file was at its time. In Roo both files have times. Otherwise curator counts the requests. Memory lasts for one reading:
``outcomes``, ``asked`` (a question without its answer), ``denied`` (a refused call whose reason may follow), ``requests`` (so
far), ``begun_requests`` (in all), ``begun`` (the task was said), ``count`` (of messages).

``api_conversation_history.json`` has messages of Anthropic's API. Results are in messages of role "user": as ``tool_result``
blocks, or as text that begins with ``[tool for '…'] Result:``.

The command line has files of another form since its third version: see the second part.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Role
from curator.transcripts.base import document, messages
from curator.transcripts.base.jsonl import Writer
from curator.transcripts.base.messages import dicts, object_of, text_of

_LABEL = re.compile(r"\[[a-z_]+(?: (?:for|to|in) .*?)?\] Result:\n?", re.DOTALL)

_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^)\n]+)\)")

_WORKSPACE = re.compile(r'"workspaces": \{\s*"([^"\n]+)"')

_EXIT = re.compile(r"(?:Exit code:|exited with code|exit code) (-?\d+)")

_DENIED = "The user denied this operation"

_UNDONE = ("was not executed because", "Skipping tool due to", "was interrupted")

_FAILED = ("The tool execution failed", "Command execution was not successful", "Failed to ", "Error ")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: its text, whether it reports success, whether a person refused it.

    Only the transcript has the reason: here a person's words are joined with the output of files and commands.
    """

    text: str
    ok: bool | None = None
    denied: bool = False


class Outcomes:
    """The results of a task's calls, in their order."""

    def __init__(self, api: Any) -> None:
        self.cwd = ""
        self.results: list[list[Outcome]] = []
        self.texts: list[list[str]] = []
        self.times: list[float] = []
        self.at: dict[int, int] = {}
        self.prompts: list[int] = []
        for index, message in enumerate(api if isinstance(api, list) else ()):
            user = isinstance(message, dict) and message.get("role") == "user"
            texts = list(_texts(message)) if user else []
            self._place(texts)
            self.results.append(list(_outcomes(texts)) if user else [])
            self.texts.append(list(_texts(message)) if isinstance(message, dict) and not user else [])
            time = message.get("ts") if isinstance(message, dict) else None
            self.times.append(time if isinstance(time, (int, float)) and not isinstance(time, bool) else 0)
            if user:
                self.prompts.append(index)
        # Times that are missing or go back are no order to search in.
        self.timed = bool(self.times) and self.times[0] > 0 and self.times == sorted(self.times)

    def __bool__(self) -> bool:
        return bool(self.results)

    def next(self, message: JSON, requests: int, *, failed: bool = False) -> Outcome | None:
        """Return the outcome of the next call of the shown message. Return ``None`` while it is unknown.

        ``failed`` accepts only a failed one.
        """
        index = self._answering(message, requests)
        if index is None or not 0 <= index < len(self.results):
            return None
        count = self.at.get(index, 0)
        if count >= len(self.results[index]) or (failed and self.results[index][count].ok is not False):
            return None
        self.at[index] = count + 1
        return self.results[index][count]

    def whole(self, message: JSON, requests: int) -> str:
        """Return the agent's complete text that begins like the shown one, because Cline leaves streamed text incomplete."""
        index = self._answering(message, requests)
        shown = text_of(message.get("text")).strip()
        for near in (index - 1, index - 2) if index is not None else ():
            for text in self.texts[near] if 0 <= near < len(self.texts) else ():
                if text.strip().startswith(shown):
                    return text.strip()
        return ""

    def _answering(self, message: JSON, requests: int) -> int | None:
        """Return the index of the message with the results of the calls that are shown in this one."""
        before = message.get("conversationHistoryIndex")
        if isinstance(before, int):
            return next(iter(self.prompts[bisect_right(self.prompts, before) :]), None)
        shown = message.get("ts")
        if self.timed and isinstance(shown, (int, float)):
            later = bisect_left(self.times, shown)
            return next(iter(self.prompts[bisect_left(self.prompts, later) :]), None)
        return self.prompts[requests] if 0 < requests < len(self.prompts) else None

    def _place(self, texts: list[str]) -> None:
        if self.cwd:
            return
        for text in texts:
            if "<environment_details>" in text and (found := _FOLDER.search(text) or _WORKSPACE.search(text)):
                self.cwd = found[1]


def _texts(message: JSON) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for block in dicts(content):
        inner = block.get("content") if block.get("type") == "tool_result" else None
        if block.get("type") == "text":
            yield text_of(block.get("text"))
        elif block.get("type") == "tool_result":
            parts = inner if isinstance(inner, str) else "\n".join(text_of(part.get("text")) for part in dicts(inner))
            failed = "The tool execution failed" if block.get("is_error") is True and not parts.startswith(_FAILED) else ""
            yield f"[tool] Result:\n{failed}{': ' if failed else ''}{parts}"


def _outcomes(texts: list[str]) -> Iterator[Outcome]:
    for text in texts:
        label = _LABEL.match(text[:20_000])
        if label:
            # The oldest versions join everything in one text.
            body = text[label.end() :].partition("<environment_details>")[0].strip()
            yield _outcome(body)
        elif any(sign in text[:300] for sign in _UNDONE):
            yield Outcome(text.strip())


def _outcome(text: str) -> Outcome:
    denied = text.startswith(_DENIED)
    if text.startswith('{"status":') and len(text) < 100_000:
        data = document.parse_object(text)
        denied = data.get("status") == "denied"
        if data.get("status") == "error":
            return Outcome(text_of(data.get("error")) or text, ok=False)
    if denied:
        return Outcome(text, ok=False, denied=True)
    if any(sign in text[:300] for sign in _UNDONE):
        return Outcome(text)
    return Outcome(text, ok=_ok(text))


def _ok(text: str) -> bool | None:
    if found := _EXIT.search(text[:400]):
        return found[1] == "0"
    if text.startswith(_FAILED) or "<error>" in text[:200]:
        return False
    # A command that failed has been executed all the same.
    return None if text.startswith("Command ") else True


AGENT = "cline"

NAME = "ui_messages.json"

API = "api_conversation_history.json"

ITEM = "history_item.json"

_CANCELLED = '"cancelReason":"user_cancelled"'

_CHANGED = "HAS_CHANGES"

_APPROVE = "REQ_APP"

_OUTPUT = "\nOutput:"


def claims(path: Path, head: bytes) -> bool:
    """Return whether it has the name, or begins as a list of such messages, or as a session."""
    if is_session(path, head):
        return True
    head = head.lstrip()
    if path.suffix != ".json" or not head.startswith(b"["):
        return False
    return path.name == NAME or (b'"ts":' in head and (b'"say":' in head or b'"ask":' in head))


def read(path: Path, start: Mark) -> Reading:
    """Read the whole task, wherever ``start`` is. Raises only ``OSError``."""
    if path.name.endswith(ENDING):
        return _read_session(path, start)
    try:
        api = document.load(path.with_name(API))
    except OSError:
        api = None
    except ValueError as error:
        return document.incomplete_reading(path.with_name(API), start, error)
    item = document.load_object(path.with_name(ITEM))

    def unfold(messages: Any, memory: JSON) -> Sequence[Any]:
        records = messages if isinstance(messages, list) else []
        requests = sum(isinstance(message, dict) and message.get("say") == "api_req_started" for message in records)
        memory |= {"session": path.parent.name, "outcomes": Outcomes(api), "item": item}
        memory |= {"requests": 0, "begun_requests": requests, "count": len(records)}
        return records

    return document.read(AGENT, path, start, unfold, write_turns)


def companions(path: Path) -> Sequence[Path]:
    """Return the files that are read with it."""
    if path.name.endswith(ENDING):
        return (session_file(path),)
    return (path.with_name(API), path.with_name(ITEM))


def transcript(written: Path) -> Path | None:
    """Return the messages file next to a file that is read with it."""
    return written.with_name(NAME) if written.name in (API, ITEM) else None


def write_turns(message: JSON, writer: Writer) -> None:
    """Write the turns of one message."""
    item = writer.memory["item"]
    writer.at, writer.sidechain = messages.seconds(message.get("ts")), bool(item.get("parentTaskId"))
    writer.cwd = writer.memory["outcomes"].cwd or text_of(item.get("workspace"))
    kind = message.get("say") if message.get("type") == "say" else message.get("ask")
    if kind not in _READ or (message.get("partial") is True and kind != "text"):
        return
    if kind != "user_feedback" and (denial := writer.memory.pop("denied", None)):  # a person gave no words of their own
        writer.event(Happening.REFUSAL, ok=False, **denial)
    _READ[kind](message, writer)


def _outcome_of(message: JSON, writer: Writer, *, failed: bool = False) -> Outcome | None:
    outcome: Outcome | None = writer.memory["outcomes"].next(message, writer.memory["requests"], failed=failed)
    return outcome


def _request(message: JSON, writer: Writer) -> None:
    writer.memory["requests"] += 1
    if _CANCELLED in text_of(message.get("text"))[-2000:]:
        writer.event(Happening.INTERRUPTION)


def _json(message: JSON) -> JSON:
    """Return a message's text as JSON. Return an empty object for plain text."""
    return document.parse_object(message.get("text"))


# --- what is said -----------------------------------------------------------------------------------------------------


def _task(message: JSON, writer: Writer) -> None:
    writer.memory["begun"] = True
    writer.human(messages.typed_text(text_of(message.get("text"))))


def _text_turns(message: JSON, writer: Writer) -> None:
    """Write the turn of a text: the first one of a task is a person's, all others are the agent's."""
    outcomes, requests = writer.memory["outcomes"], writer.memory["requests"]
    if not writer.memory.get("begun") and not requests:
        _task(message, writer)
        return
    text = text_of(message.get("text"))
    if message.get("partial") is True:
        # The conversation does not yet contain the text of the current request.
        running = requests == writer.memory["begun_requests"] if outcomes else writer.line == writer.memory["count"]
        text = outcomes.whole(message, requests) or ("" if running else text)
    writer.assistant(text)


def _completion_turns(message: JSON, writer: Writer) -> None:
    text = text_of(message.get("text")).removesuffix(_CHANGED).strip()
    if text and text != writer.memory.get("result"):
        writer.memory["result"] = text
        writer.assistant(text)


def _feedback(message: JSON, writer: Writer) -> None:
    """Write a person's words: the reason of a refusal, the answer to a question, or a prompt."""
    writer.memory["begun"] = True
    text = messages.typed_text(text_of(message.get("text")))
    denial, question = writer.memory.pop("denied", None), writer.memory.pop("asked", None)
    if denial:
        writer.event(Happening.REFUSAL, text, ok=False, **denial | {"line": writer.line, "at": writer.at})
    elif question and text:
        writer.event(Happening.ANSWER, text, ok=True, **question)
    else:
        writer.human(text)


def _edit_turns(message: JSON, writer: Writer) -> None:
    """Write a change by hand, without its text: most of a diff is the file's."""
    path = text_of(_json(message).get("path"))
    writer.event(Happening.USER_EDIT, paths=(path,) if path else ())


def _compaction_turns(message: JSON, writer: Writer) -> None:
    if _json(message).get("status") in (None, "completed"):
        writer.event(Happening.COMPACTION)


def _report_turns(message: JSON, writer: Writer) -> None:
    writer.assistant(text_of(message.get("text")))


# --- tools ------------------------------------------------------------------------------------------------------------


def _tool(message: JSON, writer: Writer) -> None:
    data = _json(message)
    name = text_of(data.get("tool")) or "tool"
    if name == "summarizeTask":
        writer.event(Happening.COMPACTION)
        return
    several = data.get("batchFiles", data.get("batchDiffs"))
    listed = [text_of(file.get("path")) for file in several if isinstance(file, dict)] if isinstance(several, list) else []
    paths = tuple(path for path in (text_of(data.get("path")), *listed[:50]) if path)
    content = text_of(data.get("diff")) or text_of(data.get("content"))
    edits = name in ("editedExistingFile", "newFileCreated", "appliedDiff", "insertContent", "searchAndReplace")
    text = "\n".join((*paths, *(text_of(data.get(key)) for key in ("regex", "query", "reason", "content" if edits else ""))))
    about: JSON = {"tool": name, "paths": paths}
    _call_turns(message, writer, messages.cap(content if edits and content else text.strip()), about)
    if not writer.memory["outcomes"] and not edits and content and content not in paths:
        writer.result(content, **about)


def _command(message: JSON, writer: Writer) -> None:
    command = text_of(message.get("text")).removesuffix(_APPROVE).partition(_OUTPUT)[0].strip()
    about: JSON = {"tool": "execute_command", "command": messages.cap(command)}
    writer.memory["command"] = about
    _call_turns(message, writer, messages.cap(command), about)


def _output_turns(message: JSON, writer: Writer) -> None:
    """Write a command's output in pieces. If the other file has it complete, that file is used."""
    text = text_of(message.get("text"))
    if text.strip() and not writer.memory["outcomes"]:
        writer.result(text, **writer.memory.get("command", {"tool": "execute_command"}))


def _server_turns(message: JSON, writer: Writer) -> None:
    data = _json(message)
    name = "__".join(filter(None, ("mcp", text_of(data.get("serverName")), text_of(data.get("toolName")))))
    _call_turns(message, writer, messages.cap(text_of(data.get("arguments"))), {"tool": name})


def _browser_turns(message: JSON, writer: Writer) -> None:
    _call_turns(message, writer, messages.cap(text_of(message.get("text"))), {"tool": "browser_action"})


def _failure_turns(message: JSON, writer: Writer) -> None:
    """Write an error that is shown instead of a call. The model gets more of it than a person."""
    outcome = _outcome_of(message, writer, failed=True)
    text = outcome.text if outcome and not outcome.denied else "" if writer.memory["outcomes"] else text_of(message.get("text"))
    if text.strip():
        writer.result(text, ok=False)


def _call_turns(message: JSON, writer: Writer, text: str, about: JSON) -> None:
    """Write a call, and its outcome if the other file has it."""
    about = {"call": f"{writer.line}", **about}
    writer.turn(Role.TOOL_CALL, text, **about)
    outcome = _outcome_of(message, writer)
    if outcome and outcome.denied:
        writer.memory["denied"] = {**about, "line": writer.line, "at": writer.at}
    elif outcome:
        writer.result(outcome.text, ok=outcome.ok, **about)


# --- questions --------------------------------------------------------------------------------------------------------


def _question_turns(message: JSON, writer: Writer) -> None:
    data = _json(message)
    question = text_of(data.get("question")) or text_of(message.get("text"))
    about: JSON = {"tool": "ask_followup_question", "call": f"{writer.line}"}
    writer.turn(Role.TOOL_CALL, messages.cap(" ".join(question.split())), **about)
    _outcome_of(message, writer)  # the answer again
    writer.memory["asked"] = about
    if answer := text_of(data.get("selected")):
        writer.memory.pop("asked")
        writer.event(Happening.ANSWER, answer, ok=True, **about)


def _plan_turns(message: JSON, writer: Writer) -> None:
    data = _json(message)
    text = text_of(data.get("response")) or text_of(message.get("text"))
    _outcome_of(message, writer)
    writer.assistant(text)
    if answer := text_of(data.get("selected")):
        about: JSON = {"tool": "plan_mode_respond", "call": f"{writer.line}"}
        writer.event(Happening.ANSWER, answer, ok=True, **about)


_READ = {
    "api_req_started": _request,
    "browser_action_launch": _browser_turns,
    "command": _command,
    "command_output": _output_turns,
    "compaction": _compaction_turns,
    "completion_result": _completion_turns,
    "condense": _compaction_turns,
    "condense_context": _compaction_turns,
    "diff_error": _failure_turns,
    "error": _failure_turns,
    "followup": _question_turns,
    "mcp_server_response": _output_turns,
    "plan_completion_result": _completion_turns,
    "plan_mode_respond": _plan_turns,
    "sliding_window_truncation": _compaction_turns,
    "subtask_result": _report_turns,
    "summarize_task": _compaction_turns,
    "task": _task,
    "text": _text_turns,
    "tool": _tool,
    "use_mcp_server": _server_turns,
    "user_edit_todos": _edit_turns,
    "user_feedback": _feedback,
    "user_feedback_diff": _edit_turns,
}


# --- sessions of the third command line -------------------------------------------------------------------------------
#
# ``~/.cline/data/sessions/<id>/<id>.messages.json``, one JSON document.
#
# Its ``messages`` have the form of Anthropic's API, in blocks, with times. A person's words are in ``<user_input mode="…">``.
# Messages of role "user" whose ``metadata.displayRole`` is the system come from hooks and compactions. The file ``<id>.json``
# beside it has the folder, the branch, and whether a person could answer. Subagents have their own messages in the folder of
# the session that began them. They have their own ids, and that session's id as ``parentThreadId``. Memory lasts for one
# reading: ``session``, ``cwd``, ``branch``, ``automated``, ``sidechain``, ``calls`` (calls without a result). Seen on 3.0.65.

ENDING = ".messages.json"
REJECTED = "This tool call was rejected by the user"
_OPENING = 100
"""The maximum distance of that from the start, plain or in JSON. Further on, it is text that the tool has read."""
SUBAGENTS = ("subagent", "teammate")
"""The values of ``agent`` for messages that a person did not write. All others have "lead", in any folder."""

_TYPED = re.compile(r"\s*+<user_input\b[^<>]*>")
_NOTICE = re.compile(r"<mode_notice>[^<]*(?:<(?!/?mode_notice>)[^<]*)*</mode_notice>")
"""A notice. The pattern stops at the next element of its kind: a text of openings would take minutes."""

_FILE = "<file_content path="
"""The beginning of a file that was named in a prompt. Its text follows."""


def is_session(path: Path, head: bytes) -> bool:
    """Return whether the document begins like such a session."""
    return path.name.endswith(ENDING) and b'"sessionId"' in head and b'"agent"' in head


def session_file(path: Path) -> Path:
    """Return the file that knows the session's folder."""
    return path.parent / f"{path.parent.name}.json"


def _read_session(path: Path, start: Mark) -> Reading:
    """Read the whole session, wherever ``start`` is. Raises only ``OSError``."""
    known = document.load_object(session_file(path))

    def unfold(whole: Any, memory: JSON) -> Sequence[Any]:
        if not isinstance(whole, dict):
            return ()
        git = object_of(object_of(known.get("metadata")).get("git"))
        origin = object_of(whole.get("origin"))
        memory["session"] = text_of(origin.get("parentThreadId")) or text_of(whole.get("sessionId")) or path.parent.name
        memory["cwd"] = text_of(known.get("cwd")) or text_of(known.get("workspace_root"))
        memory["branch"] = text_of(git.get("branch"))
        memory["automated"] = known.get("interactive") is False
        memory["sidechain"] = whole.get("agent") in SUBAGENTS
        messages = whole.get("messages")
        return messages if isinstance(messages, list) else ()

    return document.read(AGENT, path, start, unfold, _write_session_turns)


def _write_session_turns(message: JSON, writer: Writer) -> None:
    """Write the turns of one message."""
    metadata = object_of(message.get("metadata"))
    writer.at, writer.record = messages.seconds(message.get("ts")), text_of(message.get("id"))
    if message.get("role") not in ("user", "assistant"):
        return
    if metadata.get("kind") == "compaction_summary":
        writer.event(Happening.COMPACTION)
        return
    if metadata.get("displayRole") in ("system", "status", "error"):
        return
    blocks = messages.blocks(message.get("content"))
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            _session_text_turns(message, text_of(block.get("text")), blocks, writer)
        elif kind == "tool_use":
            _call_turn(block, writer)
        elif kind == "tool_result":
            _result_turn(block, writer)


def _typed_text(text: str, *, beside: bool) -> str:
    """Return a person's words in a text: the element at its start, or without one everything.

    ``beside`` results, a text without an element gives nothing. A later element may be a file's.
    """
    if opening := _TYPED.match(text):
        text = text[opening.end() :].partition("</user_input>")[0]
    elif beside or "<user_input" in text:
        return ""
    return messages.typed_text(text.partition(_FILE)[0])


def _session_text_turns(message: JSON, text: str, blocks: Sequence[JSON], writer: Writer) -> None:
    """Write words. The task of a subagent comes from the agent that began it."""
    if message["role"] == "user" and not writer.memory["sidechain"]:
        beside = any(block.get("type") == "tool_result" for block in blocks)
        writer.human(_typed_text(_NOTICE.sub("", text), beside=beside))
    else:
        writer.assistant(text.strip())


def _call_turn(block: JSON, writer: Writer) -> None:
    arguments = object_of(block.get("input"))
    about = messages.about(text_of(block.get("name")), text_of(block.get("id")), arguments)
    several = tuple(path for file in dicts(arguments.get("files")) if (path := text_of(file.get("path"))))
    commands = arguments.get("commands")
    if about["tool"] == "run_commands" and isinstance(commands, list):
        about["command"] = messages.cap("\n".join(filter(None, map(text_of, commands))))
    about["paths"] = (*about["paths"], *several[:50])
    writer.begin_call(about, messages.cap(about["command"] or messages.describe(arguments) or "\n".join(several)))


def _result_turn(block: JSON, writer: Writer) -> None:
    about = writer.end_call(block.get("tool_use_id"), block.get("name"))
    parts = dicts(block.get("content"))
    text = text_of(block.get("content")) or "\n".join(filter(None, map(_part, parts)))
    failed = block.get("is_error") is True or any(part.get("success") is False for part in parts)
    if REJECTED in text[:_OPENING]:
        writer.event(Happening.REFUSAL, ok=False, **about)
    else:
        writer.result(text, ok=not failed, **about)


def _part(part: JSON) -> str:
    """Return a part of a result as text: the text itself, or the outcome of one of several queries."""
    for key in ("text", "error", "result"):
        if text_of(part.get(key)):
            return text_of(part.get(key))
    return json.dumps(part["result"], ensure_ascii=False) if isinstance(part.get("result"), (dict, list)) else ""
