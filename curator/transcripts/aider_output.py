"""What Aider itself tells in a chat history: questions with their answers, edits, commands it runs, errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from curator.model import JSON, Happening, Role, Turn
from curator.transcripts.base import messages

ASKED = re.compile(r"(.*?\?)? ?\(Y\)es/\(N\)o[^\[]*\[\w*\]: ?(\w*)$", re.DOTALL)
"""A question that Aider asks, and the answer."""

_ASKED_2023 = re.compile(
    r"((?:Allow edits to|Allow creation of|Create new file|Edit the files|Run (?:the|shell|this)|Attempt to fix).*\?)"
    r" ?([yn])\w*$"
)
"""The same before summer 2024, when the answers to choose from were not written."""

_NAMED = re.compile(r"(?:Allow edits to|Allow creation of new file) (?!file )(\S+?)\??(?: |$)")

_REFUSABLE = (
    ("Run shell", "shell"),
    ("Run the ", "shell"),
    ("Run this ", "shell"),
    ("Create new file", "edit"),
    ("Allow creation of", "edit"),
    ("Allow edits to", "edit"),
    ("Edit the files?", "architect"),
    ("Add file to the chat?", "add"),
    ("Attempt to fix lint errors", "lint"),
    ("Attempt to fix test errors", "test"),
)
"""Questions by which the agent asks to go on, and the tool that a no refuses; other questions are Aider's set-up."""

_ABOUT_SOMETHING = ("Run shell", "Create new", "Allow edits", "Add file", "Add URL", "Open ")
"""Questions that stand behind a message with what they are about."""

_NOISE = re.compile(
    r"Tokens: |Cost estimates|Aider v|Main model: |Weak model: |Editor model: |Model: |Git repo: |Repo-map|Git working dir: "
    r"|Cur working dir: |Using .* model with|Added |You can |https?://|\^C|Multiline mode|Note: in-chat|Skipping |Commit "
    r"|Committing |Use /help|Restored previous|Copied code|All chat history|Retrying in|Initial repo scan|Diff since "
    r"|Processing your request|Dropp|Removed: |Now at: |Has it been deleted|Newer aider|Re-run aider|Please answer with"
)
"""What Aider tells about itself and not about the work."""

_STARTED = re.compile(r"\S*aider(?:\.exe|\.py)?(?: (.*))?$")
_BATCH = re.compile(r"(?:^|\s)(?:--message|-m|--message-file|--msg|-f)(?:[\s=]|$)")
_MISFIT = re.compile(r"^# \d+ .*failed to|^The LLM did not conform", re.MULTILINE)
_APPLIED = "Applied edit to "
_RUNNING = "Running "


@dataclass(frozen=True, slots=True)
class Message:
    """What Aider said in one piece: its text, its lines as a half-open range. Without lines it stands for an answer of
    before that held for the next question as well."""

    text: str
    line: int
    line_end: int


class Say(Protocol):
    """Makes a turn of what stands on a half-open range of lines."""

    def __call__(self, role: Role, text: str, start: int, stop: int, **more: object) -> Turn:
        """A turn with these and ``more`` of its fields."""


def turns(told: Sequence[Message], memory: JSON, say: Say) -> Iterator[Turn]:
    """The turns of messages that follow one another; ``memory`` is the history's."""
    plain: list[Message] = []
    edits: list[Message] = []
    alike = False
    for message in told:
        text = message.text
        if not text:
            alike = alike or message.line == message.line_end
            continue
        if edits and not text.startswith((_APPLIED, "Commit ")):
            yield from _edited(edits, memory, say)
            edits = []
        asked = ASKED.match(text) or _ASKED_2023.match(text)
        question = (asked[1] or "") if asked else ""
        subject = plain.pop() if plain and question.startswith(_ABOUT_SOMETHING) else None
        if asked or _acts(text):
            yield from _said(plain, say)
            plain = []
        if asked:
            if not alike:
                yield from _asked(question, asked[2].lower(), subject, message, say)
            alike = False
        elif text.startswith(_APPLIED) or (edits and text.startswith("Commit ")):
            edits.append(message)
        elif text.startswith(_RUNNING) and not text.endswith("..."):
            command = messages.capped(text.removeprefix(_RUNNING))
            yield say(Role.TOOL_CALL, command, message.line, message.line_end, tool="shell", command=command)
        elif text.startswith("^C again"):
            # Who leaves at once did not find fault with an answer.
            if memory.pop("working", False) and not any(other.text.startswith("^C Keyboard") for other in told):
                yield say(Role.EVENT, "", message.line, message.line_end, happening=Happening.INTERRUPTION)
        elif not _is_noise(text, memory):
            plain.append(message)
    yield from _edited(edits, memory, say)
    yield from _said(plain, say)


def _acts(text: str) -> bool:
    return text.startswith((_APPLIED, _RUNNING, "^C again"))


def _is_noise(text: str, memory: JSON) -> bool:
    if text.startswith("Tokens: "):
        memory.pop("working", None)
    if started := _STARTED.match(text):
        memory["automated"] = bool(_BATCH.search(started[1] or ""))
    return bool(started or _NOISE.match(text))


def _said(told: Sequence[Message], say: Say) -> Iterator[Turn]:
    if told:
        text = "\n".join(message.text for message in told)
        more: JSON = {"tool": "edit", "ok": False} if _MISFIT.search(text) else {"tool": "aider"}
        yield say(Role.TOOL_RESULT, messages.output(text), told[0].line, told[-1].line_end, **more)


def _edited(told: Sequence[Message], memory: JSON, say: Say) -> Iterator[Turn]:
    if told:
        paths = tuple(message.text.removeprefix(_APPLIED) for message in told if message.text.startswith(_APPLIED))
        memory["edited"] = list(paths[-50:])
        start, stop = told[0].line, told[-1].line_end
        text = messages.output("\n".join(message.text for message in told))
        yield say(Role.TOOL_CALL, messages.capped("\n".join(paths)), start, stop, tool="edit", paths=paths)
        yield say(Role.TOOL_RESULT, text, start, stop, tool="edit", paths=paths, ok=True)


def _asked(question: str, answer: str, subject: Message | None, message: Message, say: Say) -> Iterator[Turn]:
    tool = next((tool for opening, tool in _REFUSABLE if question.startswith(opening)), "")
    if not tool:
        return
    named = _NAMED.match(question)
    said = named[1] if named and not subject else ""
    said = "\n".join(line.rstrip() for line in subject.text.strip().split("\n")) if subject else said
    about: JSON = {"tool": tool}
    if said:
        about |= {"command": messages.capped(said)} if tool == "shell" else {"paths": (said,)}
    if answer.startswith(("n", "s", "d")):
        start = subject.line if subject else message.line
        yield say(Role.TOOL_CALL, messages.capped(said or question), start, message.line_end, **about)
        yield say(Role.EVENT, "", message.line, message.line_end, happening=Happening.REFUSAL, ok=False, **about)
    elif tool == "architect":
        yield say(Role.EVENT, "", message.line, message.line_end, happening=Happening.ANSWER, ok=True, **about)
