"""The evidence gate: a quote occurs verbatim in a turn, and comes with the lines around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from curator.model import Evidence, Happening, Line, Role, Turn
from curator.text.redact import clean

CONTEXT_LINES = 3
"""Lines of an excerpt before and after the quoted one."""

MAX_LINE_CHARACTERS = 280
"""Characters of an excerpt's line that are kept."""

QUOTE = 300
"""Characters of a quote that are kept."""

_BLANK = re.compile(r"[-*+•–—_=~#>|:.…`─━⎯\s]*|\W*\d{1,3}[.)]\W*")
"""A line without words around a quote: a list mark or number, a rule, the rest of a fence."""

_HARNESS = re.compile(
    r"\s*(?:Chunk ID: \w+|Wall time:? .{1,30}|(?:Process )?exited with .{1,40}|Process running with .{1,40}|Exit code:? \d+|"
    r"Original token count: \d+|Total output lines: \d+|Warning: truncated output .{1,60}|"
    r"Script (?:completed|running|failed).{0,40}|(?:Output|Stdout|Stderr):|"
    r"\*\*(?:Input|Output|Result):\*\*|.{0,40}\*\*\* Begin Patch)\s*"
)
"""A line that an agent's harness puts before a call's input or output. It does not describe the work."""


def gather(turns: Sequence[Turn], index: int, start: int, end: int, around: int = CONTEXT_LINES) -> Evidence | None:
    """Return evidence for ``turns[index].text[start:end]``. Return ``None`` if there are no such words.

    The quote is cut at ``QUOTE`` characters, at a word's end. Turns are already masked (see ``transcripts.base.follow``).
    """
    turn = turns[index]
    quote = _clip(turn.text[start:end], QUOTE)
    if not quote.strip() or quote not in turn.text:
        return None
    line, line_end = _place(turn, start, start + len(turn.text[start:end].rstrip()))
    at = turn.locator
    lines = [*_before(turns, index, start, around), Line(speaker(turn), quote, hit=True), *_after(turns, index, end, around)]
    return Evidence(
        quote=quote,
        role=speaker(turn),
        file=clean(at.file),
        line=line,
        line_end=line_end,
        agent=turn.agent,
        session=turn.session,
        at=turn.at,
        excerpt=tuple(lines),
    )


def speaker(turn: Turn) -> Role:
    """Return the speaker of a turn. The reason of a refusal and the answer to a question are a person's words, filed as
    events.
    """
    by_person = turn.role is Role.EVENT and turn.happening in (Happening.REFUSAL, Happening.ANSWER)
    return Role.HUMAN if by_person else turn.role


def _place(turn: Turn, start: int, end: int) -> tuple[int, int]:
    """Return the lines of the record, or in Markdown, where a turn has many lines, those of the words."""
    at = turn.locator
    if at.line_end <= at.line:
        return at.line, at.line_end
    line = min(at.line_end, at.line + turn.text.count("\n", 0, start))
    return line, min(at.line_end, line + turn.text.count("\n", start, end))


def _clip(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    stop = text.rfind(" ", most // 2, most)
    return text[: stop if stop > 0 else most]


def _lines(turn: Turn, lines: Iterable[str]) -> list[Line]:
    return [Line(speaker(turn), _clip(line.strip(), MAX_LINE_CHARACTERS)) for line in lines]


def _without_blanks(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if not _BLANK.fullmatch(line))


def _before(turns: Sequence[Turn], index: int, start: int, most: int) -> list[Line]:
    text = turns[index].text[max(0, start - 4_000) : start]
    found = _lines(turns[index], islice(_without_blanks(reversed(text.splitlines())), most))[::-1]
    for turn in reversed(turns[max(0, index - most) : index]):
        if len(found) >= most:
            break
        found = _gist(turn) + found
    return found[-most:]


def _after(turns: Sequence[Turn], index: int, end: int, most: int) -> list[Line]:
    found = _lines(turns[index], islice(_without_blanks(turns[index].text[end : end + 4_000].splitlines()), most))
    for turn in turns[index + 1 : index + 1 + most]:
        if len(found) >= most:
            break
        found += _gist(turn)
    return found[:most]


def _gist(turn: Turn) -> list[Line]:
    """Return one line that represents a neighbouring turn."""
    if turn.role is Role.TOOL_CALL and turn.command:
        return _lines(turn, [" ".join(turn.command[:2_000].split())])
    lines = _without_blanks(turn.text[:2_000].splitlines())
    if turn.role in (Role.TOOL_CALL, Role.TOOL_RESULT):
        lines = (line for line in lines if not _HARNESS.fullmatch(line))
    return _lines(turn, islice(lines, 1))
