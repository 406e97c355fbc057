"""Read append-only JSON lines incrementally, whatever the state of the file.

A format gives a function that turns one record into turns and keeps all that it must remember in one flat JSON object, the
memory. The whole state of reading is (offset, line, memory). So a reading from any mark gives what an uninterrupted one gives.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from curator.hookspecs import Mark, Reading
from curator.io import files
from curator.model import JSON, Locator, Role, Turn
from curator.transcripts.base import discover
from curator.transcripts.base.messages import MAX_WORDS, cap, mend_all

WINDOW_BYTES = 256 * 1024
WINDOW_TURNS = 40

_MANY_ERRORS = 20
_CHECKPOINT_TURNS = 4
_BEGINNING = 1024
_HEAD = 400
MAX_TORN_CHARACTERS, MAX_TORN_OBJECTS = 1_000_000, 50
"""The longest line with a torn record that is searched for the next one, and the number of attempts."""
_decoder = json.JSONDecoder()
_SURROGATE = re.compile(rb"\\u[dD]")
"""An escape that may be half of a pair; a third of the cost of looking for both cases in turn."""


@dataclass(frozen=True, slots=True)
class Source:
    """The place of a record: the file's name as given, the record's 1-based line."""

    file: str
    line: int


def turn(
    agent: str,
    source: Source,
    memory: JSON,
    role: Role,
    text: str,
    *,
    line: int = 0,
    record: str = "",
    session: str = "",
    cwd: str = "",
    sidechain: bool = False,
    automated: bool = False,
    **more: Any,
) -> Turn:
    """Return a turn of a record, with the session's data from ``memory``. ``record`` is the record's own id."""
    line, sidechain = line or source.line, sidechain or bool(memory.get("sidechain"))
    if sidechain and role is Role.HUMAN:  # the agent that calls a subagent writes its prompt
        role, more["happening"] = Role.ASSISTANT, None
    return Turn(
        agent=agent,
        session=session or memory.get("session") or Path(source.file).stem,
        role=role,
        text=cap(text, MAX_WORDS),
        locator=Locator(source.file, line, line, record),
        cwd=cwd or memory.get("cwd", ""),
        branch=memory.get("branch", ""),
        sidechain=sidechain,
        automated=automated or bool(memory.get("automated")),
        **more,
    )


TurnsFromRecord = Callable[[JSON, Source, JSON, Counter[str]], Iterable[Turn]]
"""(record, where, memory, unknown) → turns. Changes ``memory`` and counts in ``unknown``; must survive any record."""


def read(path: Path, start: Mark, turns_from_record: TurnsFromRecord, skip: Sequence[bytes] = ()) -> Reading:
    """Read complete records from ``start`` on.

    Lines with one record that contain one of ``skip`` in their first 400 bytes are skipped unparsed. A last line without a
    newline counts if it is complete JSON; otherwise ``end`` stays before it. A long file comes in batches. Raises ``OSError``.
    """
    pass_ = _Pass(str(path), start, turns_from_record)
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


def read_on(path: Path, start: Mark, turns_from_record: TurnsFromRecord, skip: Sequence[bytes] = ()) -> Reading:
    """Read like ``read``, for a format with other, rewritten files. It always gets its last mark.

    Its beginning shows whether it is still the same file. The number of known turns comes from ``seen``. The mark's memory
    holds both under ``file`` and ``behind``. Raises ``OSError``.
    """
    memory = dict(start.memory)
    behind = memory.pop("behind", 0)
    start_mark = Mark(start.offset, start.line, memory)
    if memory.pop("file", None) != _beginning(path, start.offset) or path.stat().st_size < start.offset:
        start_mark, behind = Mark(), 0
    reading = read(path, start_mark, turns_from_record, skip)
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
    pass_.fail("a line is longer than any record; it was passed over")
    pass_.offset += files.MAX_RECORD_BYTES
    while (raw := file.readline(files.MAX_RECORD_BYTES)) and not raw.endswith(b"\n") and len(raw) == files.MAX_RECORD_BYTES:
        pass_.offset += len(raw)
    pass_.offset += len(raw) - 1 if raw.endswith(b"\n") else len(raw)
    return raw[-1:] if raw.endswith(b"\n") else b""


class _Pass:
    """A pass over a file: its place, and its results."""

    def __init__(self, file: str, start: Mark, turns_from_record: TurnsFromRecord) -> None:
        self.file = file
        self.turns_from_record = turns_from_record
        self.offset = start.offset
        self.lines = start.line
        self.memory = _copy(start.memory)
        self.turns: list[Turn] = []
        self.unknown: Counter[str] = Counter()
        self.errors: list[str] = []
        self.failures = 0
        self.size = 0
        self.checkpoints: list[tuple[int, Mark]] = [(0, start)]
        self.checkpoint_from = 0

    @property
    def full(self) -> bool:
        """True if this is enough for one portion."""
        return self.size > files.MAX_PORTION_CHARACTERS

    def mark(self) -> Mark:
        return Mark(self.offset, self.lines, _copy(self.memory))

    def fail(self, what: str) -> None:
        self.failures += 1
        if self.failures <= _MANY_ERRORS:
            self.errors.append(f"{self.file}:{self.lines + 1}: {what}")

    def line(self, raw: bytes, skip: re.Pattern[bytes] | None) -> bool:
        """Take one line; ``False`` when it is torn and must be read again."""
        if not self.offset and raw.startswith(codecs.BOM_UTF8):
            self.offset = len(codecs.BOM_UTF8)
            raw = raw[self.offset :]
        if self.offset >= self.checkpoint_from and len(self.turns) >= self.checkpoints[-1][0] + _CHECKPOINT_TURNS:
            self.checkpoints.append((len(self.turns), self.mark()))
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
        """Yield the objects on a line; return the number of finished bytes of a torn one.

        In a torn line, only leading objects in valid UTF-8 count, because later bytes may change the rest.
        """
        if raw.isspace():
            return 0
        if why := files.too_large_reason(raw):
            self.fail(f"{why}; it was passed over")
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
                self.fail("this is no JSON record; it was passed over")
                if not (at := _find_last_record(text, at)):
                    break
                continue
            if not whole and not isinstance(record, dict):
                break
            self._take(record, mend=mend)
            end = at
        return len(text[:end].encode("utf-8"))

    def _take(self, record: Any, *, mend: bool) -> None:
        if not isinstance(record, dict):
            return
        try:
            record = mend_all(record) if mend else record
            turns = list(self.turns_from_record(record, Source(self.file, self.lines + 1), self.memory, self.unknown))
            self.turns.extend(turns)
            self.size += sum(len(turn.text) for turn in turns)
            if self.size > files.MAX_PORTION_CHARACTERS * 7 // 8:  # the next portion begins with the last turns of this one
                self.checkpoint_from = min(self.checkpoint_from, self.offset)
        except (TypeError, AttributeError, KeyError, IndexError, ValueError, RecursionError) as error:
            # A record of known type but unforeseen shape: the next version of an agent, or garbage.
            self.fail(f"a record has an unforeseen shape ({type(error).__name__}: {str(error)[:80]}); it was passed over")

    def reading(self) -> Reading:
        end = self.mark()
        if self.failures > _MANY_ERRORS:
            self.errors.append(f"{self.file}: {self.failures - _MANY_ERRORS} more lines could not be read")
        count, window = self._window(end)
        behind = len(self.turns) - count
        return Reading(tuple(self.turns), end, window, self.unknown, tuple(self.errors), behind, more=self.full)

    def _window(self, end: Mark) -> tuple[int, Mark]:
        """Return the latest checkpoint with enough turns after it, or else the oldest near one, or the end."""
        near = [(count, mark) for count, mark in self.checkpoints if end.offset - mark.offset <= WINDOW_BYTES]
        for count, mark in reversed(near):
            if len(self.turns) - count >= WINDOW_TURNS:
                return count, mark
        return near[0] if near else (len(self.turns), end)


def _find_last_record(text: str, at: int) -> int:
    """Return the start of a record after a torn one on the same line; 0 if there is none.

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
    """Return a copy that later changes don't reach. Formats replace the values inside lists and objects, never change them."""
    return {key: value.copy() if isinstance(value, (list, dict)) else value for key, value in memory.items()}
