"""Code as a sequence of tokens in which layout, comments and docstrings leave no trace."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MASK = "\u2022"
"""Stands for a symbol's own name, so that a renamed symbol has the tokens that it had."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_TRAILING = re.compile(r",(?=\s*(?:[)\]}]|\Z))")
_BLANKS = re.compile(rb"\s+")
_SINGLE = str.maketrans("'", '"')


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes ``start`` to ``end`` of a source, read as ``text``."""

    start: int
    end: int
    text: bytes = b" "


def literal(source: bytes, start: int, end: int) -> Edit:
    """A string whose blanks count, unlike those of the code around it."""
    return Edit(start, end, _BLANKS.sub(b" \xc2\xb7 ", source[start:end]))


def tokens(text: str, *, loose: str = "", quotes: bool = False) -> tuple[str, ...]:
    """The tokens of code from which comments are gone; a comma before a closing bracket or at the end is layout.

    ``loose`` are characters that mean nothing, ``quotes`` makes ' and \" one.

    >>> tokens("f(a,\\n  'b',\\n)", quotes=True) == tokens('f(a, "b")')
    True
    """
    text = _TRAILING.sub("", text)
    if quotes:
        text = text.translate(_SINGLE)
    found = _TOKEN.findall(text)
    return tuple(token for token in found if token not in loose) if loose else tuple(found)


def edited(source: bytes, start: int, end: int, edits: Sequence[Edit]) -> str:
    """The text between two places with edits carried out, which are sorted by their start; of two that overlap the first.

    What is put in at the very start belongs to what is around the text.
    """
    pieces, at = [], start
    for edit in edits:
        if edit.start >= end:
            break
        if edit.start >= at and start < edit.end <= end:
            pieces += [source[at : edit.start], edit.text]
            at = edit.end
    pieces.append(source[at:end])
    return b"".join(pieces).decode("utf-8", "replace")


def masked(found: Iterable[str], name: str) -> tuple[str, ...]:
    """Tokens with a symbol's own name made anonymous."""
    return tuple(MASK if token == name else token for token in found)


def digest(found: Sequence[str]) -> str:
    """A short hash of tokens; empty for none."""
    return hashlib.blake2b("\0".join(found).encode("utf-8", "replace"), digest_size=8).hexdigest() if found else ""
