"""The words of a statement with what stands before each: which punctuation, and whether it is code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from curator.comparison.words import TOKEN, spelt

_CODE = re.compile(r"`[^`\n]+`")
_COMMAND = re.compile(
    r"(?:\$ )?(?:uv|npm|npx|pnpm|yarn|bun|cargo|go|make|git|python3?|pytest|docker|node|gh|dotnet|mvn|composer|just|nx"
    r"|poetry|pip|cd|ruff|mix|\./\S+)\s+[\w./-]+"
)
"""How a line begins that is a command and nothing else, but for a remark behind ``#``."""
_PROSE = 12
"""A line of more words that begins like a command is a sentence about it."""
_LETTER = re.compile(r"[^\W_]")


class Token(NamedTuple):
    """A word in lower case, what stands between it and the word before, and whether it is code."""

    word: str
    gap: str
    code: bool


@lru_cache(maxsize=4096)  # as in ``words.analysed``, whose tokens these are
def written(text: str) -> tuple[Token, ...]:
    """The tokens of a statement.

    >>> [(token.word, token.gap, token.code) for token in written("Run `make`, then push")]
    [('run', '', False), ('make', ' `', True), ('then', '`, ', False), ('push', ' ', False)]
    """
    plain = spelt(text)
    code = [match.span() for match in _CODE.finditer(plain)] or _command(plain)
    found, last, at = [], 0, 0
    for match in TOKEN.finditer(plain):
        word = match[0].strip("*")
        if _LETTER.search(word):
            start, end = match.span()
            while at < len(code) and code[at][1] <= start:
                at += 1
            found.append(Token(word.lower(), plain[last:start], at < len(code) and code[at][0] <= start))
            last = end
    return tuple(found)


def _command(text: str) -> list[tuple[int, int]]:
    line, remark, _ = text.partition(" #")
    return [(0, len(line))] if _COMMAND.match(text) and (remark or len(line.split()) <= _PROSE) else []
