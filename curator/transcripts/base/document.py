"""Read transcripts that are one JSON document, which the agent rewrites each time, and return only the new turns.

A format gives two functions. One finds the list of messages in a document. The other turns a message into turns, as for JSON
lines, with the message's 1-based number for a line. Hashes of the beginnings of turns are the memory of known turns. If words
were removed or have grown since, curator returns them again, and all others once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.io import files
from curator.model import JSON, Turn
from curator.transcripts.base.jsonl import Collection, WriteTurns
from curator.transcripts.base.messages import mend_all, object_of

CONTEXT_TURNS = 40
"""The number of known turns that come again before the first new one."""

Unfold = Callable[[Any, JSON], Sequence[Any]]
"""(document, memory) → messages. It puts facts about the session into ``memory``, and must survive any input."""


def read(agent: str, path: Path, start: Mark, unfold: Unfold, write_turns: WriteTurns) -> Reading:
    """Return the turns of a document. Of those known at ``start``, return only the last few, for context. Raises ``OSError``.

    A half-written document gives no turns and a sentence. The mark stays where it was.
    """
    try:
        document = load(path)
    except ValueError as error:
        return incomplete_reading(path, start, error)
    memory: JSON = {}
    return new_reading(start, collect(agent, path, unfold(document, memory), memory, write_turns))


def load(path: Path) -> Any:
    """Return the content of a JSON file, without lone surrogates.

    Raises ``OSError``, and ``ValueError`` for incomplete JSON.
    """
    with path.open("rb") as file:
        return parse(file.read(files.MAX_RECORD_BYTES + 1))


def load_object(path: Path) -> JSON:
    """Return the object in a JSON file. It is empty if the file can't be read or is half written."""
    try:
        return object_of(load(path))
    except (OSError, ValueError):
        return {}


def parse(raw: bytes | str) -> Any:
    """Return the value of a JSON text, without lone surrogates.

    Raises ``ValueError`` for text that is not JSON, too deep or too large.
    """
    if why := files.too_large_reason(raw):
        raise ValueError(why)
    try:
        value = json.loads(raw.decode("utf-8", "replace").removeprefix("\ufeff") if isinstance(raw, bytes) else raw)
        surrogates = (b"\\ud" in raw or b"\\uD" in raw) if isinstance(raw, bytes) else ("\\ud" in raw or "\\uD" in raw)
        return mend_all(value) if surrogates else value
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def parse_or_none(raw: Any) -> Any:
    """Return the value of a JSON text. Return ``None`` for any other text."""
    try:
        return parse(raw) if isinstance(raw, (str, bytes)) else None
    except ValueError:
        return None


def parse_object(raw: Any) -> JSON:
    """Return an object, or the one written in a text. It is empty for anything else."""
    return raw if isinstance(raw, dict) else object_of(parse_or_none(raw))


def incomplete_reading(path: Path, start: Mark, error: Exception) -> Reading:
    """Return the reading of a document that could not be parsed: nothing, said, and to be tried again."""
    sentence = f"{path}: is no whole JSON document ({str(error)[:120]}); it is read again when it changes"
    return Reading((), start, start, errors=(sentence,), old_turns=0)


def collect(agent: str, path: Path, records: Sequence[Any], memory: JSON, write_turns: WriteTurns) -> Collection:
    """Return the turns of messages in order."""
    found = Collection(agent, str(path), memory, write_turns)
    for number, record in enumerate(records, 1):
        found.take(record, number, f": message {number}")
    return found


def new_reading(start: Mark, found: Collection | Reading) -> Reading:
    """Return a reading of a document's turns without those known at ``start``, except some context."""
    states = _states(found.turns)
    known = _count_known(start, states)
    first = max(known - CONTEXT_TURNS, 0)
    end = Mark(memory={"known": _checkpoints(states)})
    return Reading(tuple(found.turns[first:]), end, end, found.unknown, tuple(found.errors), old_turns=known - first)


def _states(turns: Sequence[Turn]) -> list[str]:
    """Return for each turn a hash of it and all before it. Times and places don't count: agents fill them in later."""
    state = hashlib.blake2b(digest_size=8)
    states = []
    for turn in turns:
        identity = (turn.session, turn.role, turn.happening or "", turn.tool, turn.call, str(turn.ok), turn.text)
        state.update("\x1f".join(identity).encode("utf-8", "replace") + b"\x1e")
        states.append(state.hexdigest())
    return states


def _checkpoints(states: Sequence[str]) -> list[list[Any]]:
    """Return where the turns stood: at the end, and ever farther before it."""
    counts = {len(states)} | {len(states) - 2**power for power in range(len(states).bit_length())}
    return [[count, states[count - 1]] for count in sorted(counts) if count > 0]


def _count_known(start: Mark, states: Sequence[str]) -> int:
    """Return the number of known turns: those with the same beginnings."""
    remembered = start.memory.get("known")
    known = 0
    for pair in remembered if isinstance(remembered, list) else ():
        match pair:
            case [int(count), str(state)] if 0 < count <= len(states) and states[count - 1] == state:
                known = max(known, count)
    return known
