"""Read append-only JSON lines incrementally, whatever the state of the file.

A format gives a function that turns one record into turns and keeps its state in one flat JSON object, the memory. The whole
state of reading is (offset, line, memory). A reading from any mark therefore gives the same as an uninterrupted one.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from curator.hookspecs import Mark, Reading
from curator.io import files
from curator.model import JSON, Happening, Locator, Role, Turn
from curator.transcripts.base import discover, messages
from curator.transcripts.base.messages import text_of

WINDOW_BYTES = 256 * 1024
WINDOW_TURNS = 40

MAX_ERRORS = 20
MAX_CALLS = 200
REDACTED = "REDACTED"
"""The text that replaced every long random string in Entire's checkpoints, ids too: it took them for secrets."""
_CHECKPOINT_TURNS = 4
_SILENT, _SILENT_PER_TURN = 20, 5
"""The records that may give no turn: in all, and for each turn. In 300 real sessions there were at most 3 for each turn."""
_BEGINNING = 1024
_HEAD = 400
MAX_TORN_CHARACTERS, MAX_TORN_OBJECTS = 1_000_000, 50
"""The longest line with a torn record that is searched for the next one, and the number of attempts."""
_decoder = json.JSONDecoder()
_SURROGATE = re.compile(rb"\\u[dD]")
"""An escape that may be half of a pair. This search costs a third of two searches for both cases."""


@dataclass(slots=True)
class Writer:
    """The writer of one record's turns: its agent, its place, and the common values of its turns."""

    agent: str
    file: str
    line: int
    memory: JSON
    """The session's memory."""
    at: float | None = None
    record: str = ""
    """The record's own id."""
    session: str = ""
    cwd: str = ""
    sidechain: bool = False
    automated: bool = False
    turns: list[Turn] = field(default_factory=list)

    def turn(self, role: Role, text: str, *, line: int = 0, **more: Any) -> None:
        """Add a turn. ``more`` has its other fields, or other values than the record's."""
        line, memory = line or self.line, self.memory
        sidechain = more.pop("sidechain", self.sidechain) or bool(memory.get("sidechain"))
        if sidechain and role is Role.HUMAN:  # the agent that calls a subagent writes its prompt
            role, more["happening"] = Role.ASSISTANT, None
        turn = Turn(
            agent=self.agent,
            session=self.session or memory.get("session") or Path(self.file).stem,
            role=role,
            text=messages.cap(text, messages.MAX_WORDS),
            locator=Locator(self.file, line, line, self.record),
            at=more.pop("at", self.at),
            cwd=self.cwd or memory.get("cwd", ""),
            branch=memory.get("branch", ""),
            sidechain=sidechain,
            automated=self.automated or bool(memory.get("automated")),
            **more,
        )
        self.turns.append(turn)

    def human(self, text: str, **more: Any) -> None:
        """Add a person's words, if there are any."""
        if text:
            self.turn(Role.HUMAN, text, **more)

    def assistant(self, text: str, **more: Any) -> None:
        """Add the agent's words, if there are any."""
        if text.strip():
            self.turn(Role.ASSISTANT, text, **more)

    def event(self, happening: Happening, text: str = "", **more: Any) -> None:
        """Add an event."""
        self.turn(Role.EVENT, text, happening=happening, **more)

    def answers(self, answers: Sequence[str], **about: Any) -> bool:
        """Add a person's answers to a call. Return whether there are any."""
        for answer in answers:
            self.event(Happening.ANSWER, answer, ok=True, **about)
        return bool(answers)

    def call(self, tool: object, call: object, arguments: JSON, **more: Any) -> JSON:
        """Add a call, and return the fields that its result shares with it."""
        about = messages.about(text_of(tool), text_of(call), arguments) | more
        return self.begin_call(about, messages.describe(arguments))

    def begin_call(self, about: JSON, text: str) -> JSON:
        """Add a call with these fields. Remember and return them for its result."""
        if about["call"] == REDACTED:
            self.memory["redacted"] = self.memory.get("redacted", 0) + 1
            about["call"] = f"{REDACTED} {self.memory['redacted']}"
        calls: dict[str, list[Any]] = self.memory.setdefault("calls", {})
        calls.pop(about["call"], None)
        calls[about["call"]] = [about["tool"], messages.cap(about["command"]), list(about["paths"])]
        if len(calls) > MAX_CALLS:  # some get no result
            del calls[next(iter(calls))]
        self.turn(Role.TOOL_CALL, text, **about)
        return about

    def end_call(self, call: object, name: object = "") -> JSON:
        """Return and forget the fields that a result shares with its call. For an unknown call, ``name`` is its tool."""
        call, calls = text_of(call), self.memory.get("calls", {})
        if call == REDACTED:  # results come in the order of the calls
            call = next((waiting for waiting in calls if waiting.startswith(f"{REDACTED} ")), call)
        tool, command, paths = calls.pop(call, ("", "", ()))
        return {"tool": tool or text_of(name), "call": call, "command": command, "paths": tuple(paths)}

    def result(self, text: str, **more: Any) -> None:
        """Add the result of a call."""
        self.turn(Role.TOOL_RESULT, messages.output(text), **more)


WriteTurns = Callable[[JSON, Writer], None]
"""(record, writer) → None. It changes the writer's memory, and must survive any record."""


class Collection:
    """The turns of many records, the kinds of records that gave none, and a sentence for each that has an odd form."""

    def __init__(self, agent: str, file: str, memory: JSON, write_turns: WriteTurns) -> None:
        self.agent = agent
        self.file = file
        self.memory = memory
        self.write_turns = write_turns
        self.turns: list[Turn] = []
        self.kinds: Counter[str] = Counter()
        """The kinds of records that gave turns."""
        self.silent: Counter[str] = Counter()
        self.errors: list[str] = []
        self.failures = 0

    @property
    def unknown(self) -> Counter[str]:
        """Return the kinds of records without a turn, if most gave none. The agent has probably changed its format."""
        silent = Counter({kind: count for kind, count in self.silent.items() if not self.kinds[kind]})
        return silent if silent.total() > max(_SILENT, _SILENT_PER_TURN * len(self.turns)) else Counter()

    def fail(self, place: str, what: str) -> None:
        """Add a sentence about a place in the file."""
        self.failures += 1
        if self.failures <= MAX_ERRORS:
            self.errors.append(f"{self.file}{place} {what}; it was passed over")

    def take(self, record: Any, line: int, place: str, *, mend: bool = False) -> Sequence[Turn]:
        """Add the turns of a record, and return them. ``place`` names it in an error. ``mend`` replaces lone surrogates."""
        if not isinstance(record, dict):
            return ()
        writer = Writer(self.agent, self.file, line, self.memory)
        try:
            self.write_turns(messages.mend_all(record) if mend else record, writer)
        except (TypeError, AttributeError, KeyError, IndexError, ValueError, RecursionError) as error:
            # A record of known type but unforeseen shape: the next version of an agent, or garbage.
            self.fail(place, f"has an unforeseen shape ({type(error).__name__}: {str(error)[:80]})")
        else:
            (self.kinds if writer.turns else self.silent)[kind_of(record)] += 1
        self.turns += writer.turns  # also those that a record gave before its odd part
        return writer.turns


def kind_of(record: JSON) -> str:
    """Return the type of a record, or else its role, and the type inside it."""
    inner = messages.object_of(record.get("payload")).get("type")
    names = (record.get("type") or record.get("role") or "record", inner)
    return "/".join(str(name) for name in names if name)[:80]


def read(agent: str, path: Path, start: Mark, write_turns: WriteTurns, skip: Sequence[bytes] = ()) -> Reading:
    """Read complete records from ``start`` on.

    Lines with one record that contain one of ``skip`` in their first 400 bytes are skipped and not parsed. A last line without
    a newline counts if it is complete JSON. Otherwise ``end`` stays before it. A long file comes in batches. Raises
    ``OSError``.
    """
    pass_ = _Pass(Collection(agent, str(path), _copy(start.memory), write_turns), start)
    skipped = re.compile(b"|".join(map(re.escape, skip))) if skip else None
    with discover.open_transcript(path) as file:
        size = file.seek(0, 2)
        if start.offset > size:
            return Reading(
                (), start, start, Counter(), (f"{path}: is shorter than what was read of it; read it from the start",)
            )
        file.seek(start.offset)
        pass_.checkpoint_from = size - WINDOW_BYTES
        while raw := file.readline(files.MAX_RECORD_BYTES):
            if not raw.endswith(b"\n") and len(raw) == files.MAX_RECORD_BYTES:
                raw = _rest_of_line(file, pass_)
            if not pass_.line(raw, skipped) or pass_.full:
                break
    return pass_.reading()


def read_on(agent: str, path: Path, start: Mark, write_turns: WriteTurns, skip: Sequence[bytes] = ()) -> Reading:
    """Read like ``read``, for a format with other, rewritten files. It always gets its last mark.

    Its beginning shows whether it is still the same file. The number of known turns comes from ``seen``. The mark's memory
    holds both under ``file`` and ``behind``. Raises ``OSError``.
    """
    memory = dict(start.memory)
    behind = memory.pop("behind", 0)
    start_mark = Mark(start.offset, start.line, memory)
    if memory.pop("file", None) != _beginning(path, start.offset) or path.stat().st_size < start.offset:
        start_mark, behind = Mark(), 0
    reading = read(agent, path, start_mark, write_turns, skip)
    end, window = (
        replace(mark, memory={**mark.memory, "file": _beginning(path, mark.offset), "behind": behind})
        for mark, behind in ((reading.end, 0), (reading.window, reading.behind))
    )
    return replace(reading, end=end, window=window, old_turns=min(behind, len(reading.turns)) if isinstance(behind, int) else 0)


def _beginning(path: Path, offset: int) -> str:
    """Return a hash of the first bytes before a mark."""
    with path.open("rb") as file:
        return blake2b(file.read(min(offset, _BEGINNING)), digest_size=8).hexdigest()


def _rest_of_line(file: BinaryIO, pass_: _Pass) -> bytes:
    pass_.fail("a line is longer than any record")
    pass_.offset += files.MAX_RECORD_BYTES
    while (raw := file.readline(files.MAX_RECORD_BYTES)) and not raw.endswith(b"\n") and len(raw) == files.MAX_RECORD_BYTES:
        pass_.offset += len(raw)
    pass_.offset += len(raw) - 1 if raw.endswith(b"\n") else len(raw)
    return raw[-1:] if raw.endswith(b"\n") else b""


class _Pass:
    """A pass over a file: its place, and its results."""

    def __init__(self, found: Collection, start: Mark) -> None:
        self.found = found
        self.offset = start.offset
        self.lines = start.line
        self.size = 0
        self.checkpoints: list[tuple[int, Mark]] = [(0, start)]
        self.checkpoint_from = 0

    @property
    def full(self) -> bool:
        """Return whether this is enough for one portion."""
        return self.size > files.MAX_PORTION_CHARACTERS

    def mark(self) -> Mark:
        return Mark(self.offset, self.lines, _copy(self.found.memory))

    def fail(self, what: str) -> None:
        self.found.fail(f":{self.lines + 1}:", what)

    def line(self, raw: bytes, skip: re.Pattern[bytes] | None) -> bool:
        """Take one line. Return ``False`` if it is torn and must be read again."""
        if not self.offset and raw.startswith(codecs.BOM_UTF8):
            self.offset = len(codecs.BOM_UTF8)
            raw = raw[self.offset :]
        if self.offset >= self.checkpoint_from and len(self.found.turns) >= self.checkpoints[-1][0] + _CHECKPOINT_TURNS:
            self.checkpoints.append((len(self.found.turns), self.mark()))
        whole = raw.endswith(b"\n")
        if whole and skip and skip.search(raw, 0, _HEAD) and b"}{" not in raw:
            self.offset += len(raw)
            self.lines += 1
            return True
        end = self._records(raw, whole)
        if not whole:
            self.offset += end
            return False
        self.offset += len(raw)
        self.lines += 1
        return True

    def _records(self, raw: bytes, whole: bool) -> int:
        """Yield the objects on a line. Return the number of finished bytes of a torn one.

        In a torn line, only leading objects in valid UTF-8 count, because later bytes may change the rest.
        """
        if raw.isspace():
            return 0
        if why := files.too_large_reason(raw):
            self.fail(why)
            return len(raw)
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            text = raw.decode("utf-8", "replace") if whole else raw[: error.start].decode("utf-8")
        mend = _SURROGATE.search(raw) is not None
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            return self._split_objects(text, whole=whole, mend=mend)
        if not whole and not isinstance(record, dict):
            return 0
        self._take(record, mend=mend)
        return len(text.encode("utf-8")) if not whole else len(raw)

    def _split_objects(self, text: str, *, whole: bool, mend: bool) -> int:
        """Yield objects on one line without a newline between them, or before a torn one."""
        at = end = 0
        while at < len(text):
            while at < len(text) and text[at].isspace():
                at += 1
            try:
                record, at = _decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                if not whole or not text[at:].strip():
                    break
                self.fail("this is no JSON record")
                if not (at := _find_last_record(text, at)):
                    break
                continue
            if not whole and not isinstance(record, dict):
                break
            self._take(record, mend=mend)
            end = at
        return len(text[:end].encode("utf-8"))

    def _take(self, record: Any, *, mend: bool) -> None:
        turns = self.found.take(record, self.lines + 1, f":{self.lines + 1}: a record", mend=mend)
        self.size += sum(len(turn.text) for turn in turns)
        if self.size > files.MAX_PORTION_CHARACTERS * 7 // 8:  # the next portion begins with the last turns of this one
            self.checkpoint_from = min(self.checkpoint_from, self.offset)

    def reading(self) -> Reading:
        end, found = self.mark(), self.found
        if found.failures > MAX_ERRORS:
            found.errors.append(f"{found.file}: {found.failures - MAX_ERRORS} more lines could not be read")
        count, window = self._window(end)
        behind = len(found.turns) - count
        return Reading(tuple(found.turns), end, window, found.unknown, tuple(found.errors), behind, more=self.full)

    def _window(self, end: Mark) -> tuple[int, Mark]:
        """Return the latest checkpoint with enough turns after it, or else the oldest near one, or the end."""
        near = [(count, mark) for count, mark in self.checkpoints if end.offset - mark.offset <= WINDOW_BYTES]
        for count, mark in reversed(near):
            if len(self.found.turns) - count >= WINDOW_TURNS:
                return count, mark
        return near[0] if near else (len(self.found.turns), end)


def _find_last_record(text: str, at: int) -> int:
    """Return the start of a record after a torn one on the same line. Return 0 if there is none.

    A killed writer leaves the beginning of a record, or zero bytes, and the next writer appends to it.
    """
    if len(text) > MAX_TORN_CHARACTERS:
        return 0  # each try may read all of it
    for found in islice(re.finditer(r'\{"', text), MAX_TORN_OBJECTS):
        if found.start() > at:
            try:
                record, end = _decoder.raw_decode(text, found.start())
            except (ValueError, RecursionError):
                continue
            if not text[end:].strip() and "timestamp" in record:
                return found.start()
    return 0


def _copy(memory: JSON) -> JSON:
    """Return a copy that later changes don't affect.

    It is shallow, because formats replace the values inside lists and objects and never change them.
    """
    return {key: value.copy() if isinstance(value, (list, dict)) else value for key, value in memory.items()}
