"""A statement as words: in order, with those that carry it, its values and whether it forbids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from curator.comparison.lists import listed

TOKEN = re.compile(r"(?<![\w@.+/:*<>=$~-])[\w@.+/:*<>=$~-]*[\w*]")
"""A word or a name, in a text as ``spelt`` gives it."""
_CODE = re.compile(r"`([^`\n]{1,120})`")
_PARTS = re.compile(r"[^\W_]+")
_ENDINGS = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")
NOISE = listed(
    "a an the is are was were be been being am to of in on at for from by with as and or that which this "
    "these those it its we you i "
    "our your my us they their please so then now also just very there here has have had will would should "
    "can could may might do does "
    "did must need needs make sure ensure use used using always when if any all every each only new"
)
_FORBIDS = listed(
    "not never no don't dont cannot can't avoid without stop forbidden doesn't isn't shouldn't mustn't won't "
    "neither nor disabled"
)
_NUMBERS = listed("two three four five six seven eight nine ten once twice")


@dataclass(frozen=True, slots=True)
class Words:
    """``tokens`` in order, ``stems`` that carry the statement, ``values`` (numbers, names, code), words that ``forbid``."""

    tokens: tuple[str, ...]
    stems: frozenset[str]
    values: frozenset[str]
    forbids: frozenset[str]


@lru_cache(maxsize=16384)  # the same words come again in every statement
def stem(word: str) -> str:
    """A word without its grammatical ending."""
    return _ENDINGS.sub("", word)


def spelt(text: str) -> str:
    """A text with one sign for an apostrophe, and "don't" as a word."""
    return text.replace("’", "'").replace("n't", "nt ").replace("N'T", "NT ")


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def analysed(text: str) -> Words:
    """The words of a statement.

    >>> sorted(analysed("Never run `npm install` on port 3000").values)
    ['3000', 'install', 'npm']
    """
    raw = [token.strip("*") for token in TOKEN.findall(spelt(text))]
    tokens = tuple(token.lower() for token in raw if any(letter.isalnum() for letter in token))
    plain = [part for token in tokens for part in _PARTS.findall(token)]
    forbids = frozenset(word for word in text.lower().replace("’", "'").split() if word.strip(".,;:!*()\"'") in _FORBIDS)
    stems = frozenset(stem(word) for word in plain if word not in NOISE and word not in ("not", "never", "no", "dont", "nt"))
    return Words(tokens, stems, frozenset(token.lower() for token in raw if is_value(token)) | _coded(text), forbids)


def _coded(text: str) -> frozenset[str]:
    """The words inside backticks, lower case."""
    return frozenset(word.lower() for code in _CODE.findall(text) for word in TOKEN.findall(code))


def forbidding(token: str) -> bool:
    """Whether a token, in lower case, forbids or denies."""
    return token in _FORBIDS or (token.endswith("nt") and f"{token[:-2]}n't" in _FORBIDS)


@lru_cache(maxsize=16384)
def is_value(token: str) -> bool:
    """Whether a token is a name, number, path or option rather than a word of the language."""
    if token.lower() in _NUMBERS:
        return True
    return (
        any(letter.isdigit() or letter in "_/.@+:=" for letter in token)
        or token.startswith("-")
        or token[1:] != token[1:].lower()
    )
