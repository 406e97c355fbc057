"""What became of Cline's calls, out of ``api_conversation_history.json``: Anthropic messages, rewritten whole.

Results stand in messages of the role "user": as ``tool_result`` blocks, or as text that begins with ``[tool for '…'] Result:``.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from curator.model import JSON
from curator.transcripts.base.tool_calls import dicts, text_of

_LABEL = re.compile(r"\[[a-z_]+(?: (?:for|to|in) .*?)?\] Result:\n?", re.DOTALL)
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^)\n]+)\)")
_WORKSPACE = re.compile(r'"workspaces": \{\s*"([^"\n]+)"')
_EXIT = re.compile(r"(?:Exit code:|exited with code|exit code) (-?\d+)")
_DENIED = "The user denied this operation"
_UNDONE = ("was not executed because", "Skipping tool due to", "was interrupted")
_FAILED = ("The tool execution failed", "Command execution was not successful", "Failed to ", "Error ")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a call: its text, whether it reports success, whether a person refused it.

    Why they did only the transcript tells: here their words stand in one string with what files and commands print.
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
        """What became of the next call of the message that is shown here; ``None`` when nobody knows (yet).

        ``failed`` asks only for one that failed.
        """
        index = self._answering(message, requests)
        if index is None or not 0 <= index < len(self.results):
            return None
        done = self.at.get(index, 0)
        if done >= len(self.results[index]) or (failed and self.results[index][done].ok is not False):
            return None
        self.at[index] = done + 1
        return self.results[index][done]

    def whole(self, message: JSON, requests: int) -> str:
        """The agent's text that begins as the message that is shown: Cline leaves shown text cut off where it streamed it."""
        index = self._answering(message, requests)
        shown = text_of(message.get("text")).strip()
        for near in (index - 1, index - 2) if index is not None else ():
            for text in self.texts[near] if 0 <= near < len(self.texts) else ():
                if text.strip().startswith(shown):
                    return text.strip()
        return ""

    def _answering(self, message: JSON, requests: int) -> int | None:
        """The index of the message with the results of the calls that are shown in this one."""
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
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            said = {}
        denied = said.get("status") == "denied" if isinstance(said, dict) else False
        if isinstance(said, dict) and said.get("status") == "error":
            return Outcome(text_of(said.get("error")) or text, ok=False)
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
