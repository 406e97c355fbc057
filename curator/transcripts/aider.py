"""Aider: ``.aider.chat.history.md`` in a project's folder, append-only Markdown with all sessions one after another.

``# aider chat started at <local time>`` opens a session. A person's input begins with ``#### ``. Aider's own lines begin with
``> ``: questions with answers, edits, commits and errors. All other lines are the model's. Aider ends each piece that it
appends with two spaces, except the model's text. So a heading or quotation of the model differs from a prompt or message,
unless an editor removed the spaces. The lines after a session's head show whether one did.

Memory: ``session``, ``started``, ``ordinal``, ``automated``, ``trimmed`` (the spaces are gone), ``working`` (a prompt without
an answer), ``edited`` (files of the last edits, for ``/undo``), ``answer`` and ``given`` (hashes of the model's last text and
of a slash command's words, which may come back as a prompt), ``known`` (number of turns before the mark) and ``last`` (hashes
of the last of them, which may have grown since).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Happening, Locator, Role, Turn
from curator.transcripts.base import messages

ASKED = re.compile(r"(.*?\?)? ?\(Y\)es/\(N\)o[^\[]*\[\w*\]: ?(\w*)$", re.DOTALL)
"""A question that Aider asks, and the answer."""

_ASKED_2023 = re.compile(
    r"((?:Allow edits to|Allow creation of|Create new file|Edit the files|Run (?:the|shell|this)|Attempt to fix).*\?)"
    r" ?([yn])\w*$"
)
"""The same questions before summer 2024, when Aider did not write the possible answers."""

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
"""Questions of the agent before it goes on, with the tool that a no refuses. Other questions belong to Aider's setup."""

_ABOUT_SOMETHING = ("Run shell", "Create new", "Allow edits", "Add file", "Add URL", "Open ")
"""Questions that come after a message with their subject."""

_NOISE = re.compile(
    r"Tokens: |Cost estimates|Aider v|Main model: |Weak model: |Editor model: |Model: |Git repo: |Repo-map|Git working dir: "
    r"|Cur working dir: |Using .* model with|Added |You can |https?://|\^C|Multiline mode|Note: in-chat|Skipping |Commit "
    r"|Committing |Use /help|Restored previous|Copied code|All chat history|Retrying in|Initial repo scan|Diff since "
    r"|Processing your request|Dropp|Removed: |Now at: |Has it been deleted|Newer aider|Re-run aider|Please answer with"
)
"""Aider's words about itself and not about the work."""

_STARTED = re.compile(r"\S*aider(?:\.exe|\.py)?(?: (.*))?$")

_BATCH = re.compile(r"(?:^|\s)(?:--message|-m|--message-file|--msg|-f)(?:[\s=]|$)")

_MISFIT = re.compile(r"^# \d+ .*failed to|^The LLM did not conform", re.MULTILINE)

_APPLIED = "Applied edit to "

_RUNNING = "Running "


@dataclass(frozen=True, slots=True)
class Message:
    """A piece of Aider's words: its text, and its lines as a half-open range. Without lines, it repeats an earlier answer."""

    text: str
    line: int
    line_end: int


MakeTurn = Callable[..., Turn]
"""(role, text, start, stop, **fields) → a turn of a half-open range of lines."""


def turns(group: Sequence[Message], memory: JSON, say: MakeTurn) -> Iterator[Turn]:
    """Yield the turns of messages that follow one another. ``memory`` is the history's."""
    plain: list[Message] = []
    edits: list[Message] = []
    alike = False
    for message in group:
        text = message.text
        if not text:
            alike = alike or message.line == message.line_end
            continue
        if edits and not text.startswith((_APPLIED, "Commit ")):
            yield from _edit_turns(edits, memory, say)
            edits = []
        prompt = ASKED.match(text) or _ASKED_2023.match(text)
        question = (prompt[1] or "") if prompt else ""
        subject = plain.pop() if plain and question.startswith(_ABOUT_SOMETHING) else None
        if prompt or text.startswith((_APPLIED, _RUNNING, "^C again")):
            yield from _text_turns(plain, say)
            plain = []
        if prompt:
            if not alike:
                yield from _question_turns(question, prompt[2].lower(), subject, message, say)
            alike = False
        elif text.startswith(_APPLIED) or (edits and text.startswith("Commit ")):
            edits.append(message)
        elif text.startswith(_RUNNING) and not text.endswith("..."):
            command = messages.cap(text.removeprefix(_RUNNING))
            yield say(Role.TOOL_CALL, command, message.line, message.line_end, tool="shell", command=command)
        elif text.startswith("^C again"):
            # If a person leaves at once, that is no criticism of the answer.
            if memory.pop("working", False) and not any(other.text.startswith("^C Keyboard") for other in group):
                yield say(Role.EVENT, "", message.line, message.line_end, happening=Happening.INTERRUPTION)
        elif not _is_noise(text, memory):
            plain.append(message)
    yield from _edit_turns(edits, memory, say)
    yield from _text_turns(plain, say)


def _is_noise(text: str, memory: JSON) -> bool:
    if text.startswith("Tokens: "):
        memory.pop("working", None)
    if started := _STARTED.match(text):
        memory["automated"] = bool(_BATCH.search(started[1] or ""))
    return bool(started or _NOISE.match(text))


def _text_turns(group: Sequence[Message], say: MakeTurn) -> Iterator[Turn]:
    if group:
        text = "\n".join(message.text for message in group)
        more: JSON = {"tool": "edit", "ok": False} if _MISFIT.search(text) else {"tool": "aider"}
        yield say(Role.TOOL_RESULT, messages.output(text), group[0].line, group[-1].line_end, **more)


def _edit_turns(group: Sequence[Message], memory: JSON, say: MakeTurn) -> Iterator[Turn]:
    if group:
        paths = tuple(message.text.removeprefix(_APPLIED) for message in group if message.text.startswith(_APPLIED))
        memory["edited"] = list(paths[-50:])
        start, stop = group[0].line, group[-1].line_end
        text = messages.output("\n".join(message.text for message in group))
        yield say(Role.TOOL_CALL, messages.cap("\n".join(paths)), start, stop, tool="edit", paths=paths)
        yield say(Role.TOOL_RESULT, text, start, stop, tool="edit", paths=paths, ok=True)


def _question_turns(question: str, answer: str, subject: Message | None, message: Message, say: MakeTurn) -> Iterator[Turn]:
    tool = next((tool for opening, tool in _REFUSABLE if question.startswith(opening)), "")
    if not tool:
        return
    match = _NAMED.match(question)
    text = match[1] if match and not subject else ""
    text = "\n".join(line.rstrip() for line in subject.text.strip().split("\n")) if subject else text
    about: JSON = {"tool": tool}
    if text:
        about |= {"command": messages.cap(text)} if tool == "shell" else {"paths": (text,)}
    if answer.startswith(("n", "s", "d")):
        start = subject.line if subject else message.line
        yield say(Role.TOOL_CALL, messages.cap(text or question), start, message.line_end, **about)
        yield say(Role.EVENT, "", message.line, message.line_end, happening=Happening.REFUSAL, ok=False, **about)
    elif tool == "architect":
        yield say(Role.EVENT, "", message.line, message.line_end, happening=Happening.ANSWER, ok=True, **about)


AGENT = "aider"

PORTION = 16 * 1024 * 1024
"""Maximum number of bytes per reading."""

_WINDOW_TURNS = 40

_GROWING = 8
"""The number of last turns that may still change when more messages follow without a blank line."""

_HEAD = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})(.*)$")

_COMMAND = re.compile(r"(?:/([\w-]+)|!)(?:\s+|(?<=!))(.*)$|/([\w-]+)$", re.DOTALL)

_OWN_LINES = ("> Tokens: ", "> Applied edit to ", "> Commit ", "> Added ", "> Running ", "> ^C", "> Aider v")
"""Beginnings of lines that Aider writes and models do not."""

_RAN = ("I ran this command:", "And got this output:")
"""The words around the output of a person's command, as the model gets it."""

_WATCHED = "(marked with █)"

_COMMENT = " \t/#*;-%"

_PROMPT_COMMANDS = frozenset(("ask", "architect", "code", "context", "copy-context", "help", "ok"))
"""Slash commands whose argument goes to the model."""

_SILENT = frozenset(
    (
        *("add", "attach", "chat-mode", "clear", "commit", "copy", "diff", "drop", "edit", "editor", "editor-model", "exit"),
        *("lint", "load", "ls", "map", "map-refresh", "model", "models", "multiline-mode", "paste", "quit", "read-only"),
        *("reasoning-effort", "report", "reset", "save", "settings", "think-tokens", "tokens", "voice", "weak-model", "web"),
    )
)
"""Slash commands that say nothing to the model."""


def claims(path: Path, head: bytes) -> bool:
    """Return whether the file has Aider's name, or begins with the head of a session."""
    return path.name.endswith("aider.chat.history.md") or head.lstrip().startswith(b"# aider chat started at ")


def read(path: Path, start: Mark) -> Reading:
    """Continue from ``start``. Raises only ``OSError``."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        if start.offset > size:
            error = f"{path}: is shorter than what was read of it; read it from the start"
            return Reading((), start, start, errors=(error,), old_turns=0)
        file.seek(start.offset)
        data = file.read(PORTION)
    more = start.offset + len(data) < size
    history = _History(path, start, data[: data.rfind(b"\n") + 1])
    history.read()
    return history.reading(start, len(data), more=more)


class _History:
    """One pass over a piece of a history: its lines, the session's facts, the turns found."""

    def __init__(self, path: Path, start: Mark, data: bytes) -> None:
        self.path = path
        self.raw = data.split(b"\n")[:-1]
        self.lines = [line.decode("utf-8-sig", "replace").removesuffix("\r") for line in self.raw]
        self.first = start.line + 1
        self.memory: JSON = {key: value for key, value in start.memory.items() if key not in ("known", "last")}
        self.turns: list[Turn] = []
        self.open_fences: dict[str, int] = {}
        self.marks = [(0, start)]
        self.offset = start.offset
        self.at = 0

    def read(self) -> None:
        """Take one block after another: a session's head, a prompt, Aider's messages, the model's text."""
        at = 0
        while at < len(self.lines):
            self._mark(at)
            line = self.lines[at]
            if not line.strip():
                at += 1
            elif head := self._head(at):
                at = self._session(head, at)
            elif self._is_prompt(at):
                end = next((i for i in range(at, len(self.lines)) if not self._has_prefix(i)), len(self.lines))
                self.turns.extend(self._prompt(at, end))
                at = end
            elif self._is_notice(at):
                at = self._messages(at)
            else:
                at = self._answer(at)
        self._mark(at)

    def _mark(self, at: int) -> None:
        self.offset += sum(map(len, self.raw[self.at : at])) + at - self.at
        self.at = at
        self.marks.append((len(self.turns), Mark(self.offset, self.first + at - 1, dict(self.memory))))
        if len(self.marks) > 4096:  # a window needs only the youngest
            del self.marks[1:2048]

    def reading(self, start: Mark, portion: int, *, more: bool) -> Reading:
        """Return the turns read, with the marks for the next look."""
        known = start.memory.get("known")
        known = min(known, len(self.turns)) if isinstance(known, int) and known > 0 else 0
        last = start.memory.get("last")
        for index, state in enumerate(last if isinstance(last, list) else (), known - len(last or ())):
            if 0 <= index < known and _hash(self.turns[index]) != state:
                known = index
        if more and len(self.marks) > 2 and self.marks[-2][1].offset > start.offset:
            # The last block may continue after the batch.
            count, mark = self.marks[-2]
            return Reading(tuple(self.turns[:count]), mark, mark, old_turns=min(known, count), more=True)
        end = self.marks[-1][1]
        if more and end.offset == start.offset:  # one line fills the portion
            end = Mark(start.offset + portion, start.line, end.memory)
        enough = [item for item in self.marks if len(self.turns) - item[0] >= _WINDOW_TURNS]
        count, window = enough[-1] if enough else self.marks[0]
        behind = len(self.turns) - count
        last = [_hash(turn) for turn in self.turns[-min(behind, _GROWING) :]] if behind else []
        window = Mark(window.offset, window.line, {**_plain(window.memory), "known": behind, "last": last})
        return Reading(tuple(self.turns), end, window if not more else end, behind=behind, old_turns=known, more=more)

    # --- whose a line is ---------------------------------------------------------------------------------------------

    def _session(self, stamp: str, at: int) -> int:
        ordinal = self.memory.get("ordinal", 1) + 1 if self.memory.get("started") == stamp else 1
        suffix = f"-{ordinal}" if ordinal > 1 else ""
        session = f"{self.path}#{stamp.replace(' ', 'T')}{suffix}"
        self.memory = {"session": session, "started": stamp, "ordinal": ordinal}
        banner = next((line for line in self.lines[at + 1 : at + 4] if line.strip()), "")
        if banner.startswith("> ") and not banner.endswith("  "):
            self.memory["trimmed"] = True
        return at + 1

    def _head(self, at: int) -> str:
        """Return the start time of the session that begins on this line. For any other line, return an empty text."""
        if not self.lines[at].startswith("# aider chat "):
            return ""
        alone = not any(self.lines[i].strip() for i in (at - 1, at + 1) if 0 <= i < len(self.lines))
        head = _HEAD.match(self.lines[at]) if alone else None
        return head[1] if head else ""

    def _has_prefix(self, at: int) -> bool:
        line = self.lines[at]
        if not line.startswith("####") or line[4:5] not in (" ", ""):
            return False
        return bool(self.memory.get("trimmed")) or line.endswith("  ")

    def _is_prompt(self, at: int) -> bool:
        return self._has_prefix(at) and (at == 0 or not self.lines[at - 1].strip())

    def _is_notice(self, at: int) -> bool:
        line = self.lines[at]
        if not line.startswith("> ") and not (line == ">" and self.memory.get("trimmed")):
            return False
        if line.endswith("  ") or self.memory.get("trimmed"):
            return True
        # The first line of several: the piece ends with two spaces before the next blank line or message.
        before = self.lines[at - 1] if at else ""
        return line.startswith(("> # ", "> UnifiedDiff")) or (before.startswith("> ") and before.endswith("  "))

    def _answer(self, at: int) -> int:
        """Return the model's text from here on, with every fence that closes again."""
        end = at
        while end < len(self.lines):
            line = self.lines[end]
            if end > at and (self._is_prompt(end) or self._head(end) or (self._is_notice(end) and not self._is_quote(end))):
                break
            fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
            end = self._behind(fence[1], end) if fence else end + 1
        first, last = self._trim(at, end)
        text = "\n".join(self.lines[first:last])
        self.memory["answer"] = _short("".join(text.split()))
        self.turns.append(self._turn(Role.ASSISTANT, text, first, last))
        return end

    def _is_quote(self, at: int) -> bool:
        """Return whether a line that looks like a message continues with a paragraph of the model."""
        return bool(self.memory.get("trimmed")) and bool(self.lines[at - 1].strip())

    def _behind(self, fence: str, at: int) -> int:
        """Return the line after the fence that opens here, or the next line that is certainly Aider's."""
        if self.open_fences.get(fence[0], -1) > at:
            return at + 1
        for index in range(at + 1, len(self.lines)):
            line = self.lines[index]
            if line.startswith(fence[0]) and line.startswith(fence) and not line.strip().strip(fence[0]):
                return index + 1
            sure = line.startswith(_OWN_LINES) and self._is_notice(index)
            if sure or self._head(index) or (not self.memory.get("trimmed") and self._is_prompt(index)):
                # Do not search again for a fence of another length up to there, since each search costs the whole text.
                self.open_fences[fence[0]] = index
                return at + 1
        self.open_fences[fence[0]] = len(self.lines)
        return at + 1

    def _trim(self, start: int, stop: int) -> tuple[int, int]:
        while stop > start + 1 and not self.lines[stop - 1].strip():
            stop -= 1
        return start, stop

    # --- what is said ------------------------------------------------------------------------------------------------

    def _turn(self, role: Role, text: str, start: int, stop: int, **more: Any) -> Turn:
        return Turn(
            agent=AGENT,
            session=self.memory.get("session") or str(self.path),
            role=role,
            text=messages.cap(text, messages.MAX_WORDS),
            locator=Locator(str(self.path), self.first + start, self.first + max(stop, start + 1) - 1),
            at=_local(self.memory.get("started")),
            cwd=str(self.path.parent),
            automated=bool(self.memory.get("automated")),
            **more,
        )

    def _prompt(self, at: int, end: int) -> Iterator[Turn]:
        prompt_lines = [line[5:].rstrip() for line in self.lines[at:end]]
        while prompt_lines and not prompt_lines[-1]:
            prompt_lines.pop()
            end -= 1
        text = messages.typed_text("\n".join(prompt_lines))
        if (
            not text
            or text == "<blank>"
            or (text.startswith(_RAN[0]) and _RAN[1] in text)
            or self.memory.get("answer") == _short("".join(text.split()))
        ):
            return  # an architect's plan comes back as the prompt of the model that edits
        if _WATCHED in "".join(prompt_lines[:3]):
            yield from self._comments(prompt_lines, at)
            return
        command = _COMMAND.match(text) if text.startswith(("/", "!")) else None
        name = ((command[1] or command[3]) if command else None) or ("run" if command else "")
        argument = (command[2] or "").strip() if command else ""
        if name in ("run", "test", "git"):
            ran = f"git {argument}" if name == "git" else argument
            yield self._turn(Role.TOOL_CALL, messages.cap(ran or f"/{name}"), at, end, tool="!", command=messages.cap(ran))
        elif name == "undo":
            paths = tuple(self.memory.pop("edited", ()))
            yield self._turn(Role.EVENT, "", at, end, happening=Happening.REFUSAL, tool="edit", paths=paths, ok=False)
        elif name not in _SILENT and (argument or name not in _PROMPT_COMMANDS):
            self.memory["working"] = name != "copy-context"
            words = argument if name in _PROMPT_COMMANDS else text
            if not command and self.memory.pop("given", "") == _short(text):
                return
            if name in _PROMPT_COMMANDS:
                self.memory["given"] = _short(words)
            yield self._turn(Role.HUMAN, words, at, end)

    def _comments(self, prompt_lines: Sequence[str], at: int) -> Iterator[Turn]:
        """Yield only the comments that a person wrote to the model, of a prompt made of comments in watched files."""
        self.memory["working"] = True
        run: list[str] = []
        for index, line in enumerate([*prompt_lines, ""]):
            if line.startswith("█"):
                run.append(line[1:].strip(_COMMENT))
            elif run:
                yield self._turn(Role.HUMAN, "\n".join(run), at + index - len(run), at + index)
                run = []

    # --- what Aider says ---------------------------------------------------------------------------------------------

    def _messages(self, at: int) -> int:
        """Write Aider's messages from this line on. Return the line after them."""
        found: list[Message] = []
        while at < len(self.lines) and (self._is_notice(at) or self._is_answer(at)):
            if not self._is_notice(at):
                found.append(Message("", at, at))
                at += 2
                continue
            end = at + 1
            if not self.lines[at].endswith("  ") and not self.memory.get("trimmed"):
                end = next((i + 1 for i in range(at, len(self.lines)) if self._piece_ends(i)), len(self.lines))
            text = "\n".join([self.lines[at][2:], *self.lines[at + 1 : end]]).rstrip()
            found.append(Message(text, at, end))
            at = end
        self.turns.extend(turns(found, self.memory, self._turn))
        return at

    def _is_answer(self, at: int) -> bool:
        """Return whether Aider writes its answer as a prompt after this blank line, when told to answer all such questions
        alike.
        """
        following = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        return not self.lines[at].strip() and following.startswith("#### ") and bool(ASKED.match(following[5:].rstrip()))

    def _piece_ends(self, at: int) -> bool:
        following = self.lines[at + 1] if at + 1 < len(self.lines) else "> Tokens: "
        return self.lines[at].endswith("  ") or following.startswith(("> Tokens: ", "# aider chat started"))


def _plain(memory: JSON) -> JSON:
    return {key: value for key, value in memory.items() if key not in ("known", "last")}


def _hash(turn: Turn) -> str:
    return _short(f"{turn.role} {turn.text}")


def _short(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _local(stamp: object) -> float | None:
    """Return a session's start in seconds since the epoch: Aider writes local time, taken as this machine's."""
    try:
        return datetime.fromisoformat(stamp).timestamp() if isinstance(stamp, str) else None
    except (ValueError, OverflowError, OSError):
        return None
