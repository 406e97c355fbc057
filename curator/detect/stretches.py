"""What stands between two blanks: its tokens, its words, the names and marks in it. None of these but code crosses a blank, so
that a stretch is looked at once and then known: nine of ten are repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

REMEMBERED = 12_000
"""Stretches that are known at most; then all are forgotten, and it begins anew."""

_PARTS = (
    ("code", r"`[^`\n]{1,160}`"),
    ("url", r"https?://\S+"),
    ("path", r"[A-Za-z0-9_$@.~-]*(?:[/_.][A-Za-z0-9_$@.-]+)+/?"),
    ("name", r"[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*"),
    ("flag", r"--?[a-z][\w-]+"),
    ("word", r"[A-Za-z]+(?:['’][a-z]+)?"),
    ("num", r"\d[\d.,]*%?"),
    ("other", r"[\u3400-\u9fff]|[?!:;—–(]|→|->"),
)
_TOKEN = re.compile("|".join(f"(?P<{kind}>{part})" for kind, part in _PARTS))
_CODE = re.compile(_PARTS[0][1])
_FILE = re.compile(r"/|\.[a-z]{1,5}$")

_WORD = re.compile(r"[a-z0-9][a-z0-9'_]*|[\u3400-\u9fff]+")
_NAME = re.compile(
    r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-zA-Z0-9]+_\w+|[A-Z]{2,}_[A-Z_]+|\w+\(\)|"
    r"--[a-z][\w-]+|[\w./~-]*/[\w.-]+(?:/[\w.-]*)*|\.?\w[\w-]*\.(?:py|js|jsx|ts|tsx|go|rs|java|cs|cpp|c|h|rb|"
    r"php|vue|md|json|jsonc|toml|yaml|yml|sh|ps1|css|html|sql|ex|exs|lock|mod|env|txt|ini|cfg))(?=\W|$)"
)
_EMOJI = re.compile("[✅✓🎉✨🚀❌🔧📝]")
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b|#\d{1,5}\b|\.\w{1,4}:\d+")
_DIGIT = re.compile(r"\d")


class Stretch(NamedTuple):
    """One stretch: its tokens, its plain words in lower case, how many names are in it, and the cues of its form."""

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    names: int = 0
    marks: tuple[str, ...] = ()


def of(text: str) -> list[Stretch]:
    """The stretches of a text, in order."""
    return [_KNOWN[stretch] for stretch in text.split()]


def tokens(text: str) -> list[str]:
    """Words in lower case; code, links, paths, identifiers, flags and numbers by their kind; telling marks.

    >>> tokens("Don't run `npm ci` in src/app, use --frozen instead!")
    ["don't", 'run', '<code>', 'in', '<path>', 'use', '<flag>', 'instead', '!']
    """
    if "`" not in text:
        return [token for stretch in text.split() for token in _KNOWN[stretch].tokens]
    if "://" in text:  # a link may hold half of what looks like code
        return list(_tokens(text))
    found: list[str] = []
    for number, part in enumerate(_CODE.split(text)):
        found += ["<code>"] if number else []
        found += [token for stretch in part.split() for token in _KNOWN[stretch].tokens]
    return found


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, apostrophes made plain."""
    return _WORD.findall(text.lower().replace("’", "'"))


class _Stretches(dict[str, Stretch]):
    def __missing__(self, text: str) -> Stretch:
        if len(self) >= REMEMBERED:
            self.clear()
        found = self[text] = _stretch(text)
        return found


_KNOWN = _Stretches()


def _stretch(text: str) -> Stretch:
    bare = text[:-1] if text[-1] in ",." else text
    if bare.isascii() and bare.isalpha() and (bare.islower() or bare.istitle()):
        only = (bare.lower(),)
        return Stretch(only, only)
    marks = [] if text.isascii() or not _EMOJI.search(text) else ["emoji"]
    if _DIGIT.search(text):
        marks += ["digits", "hash"] if _HASH.search(text) else ["digits"]
    return Stretch(tuple(_tokens(text)), tuple(words_of(text)), len(_NAME.findall(text)), tuple(marks))


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup, match[0]
        if kind == "word":
            if len(found) > 2 and found.isupper():
                yield "<caps>"
            yield found.lower().replace("’", "'")
        elif kind == "other":
            yield found
        elif kind == "path":
            yield "<path>" if _FILE.search(found) else "<name>"
        else:
            yield f"<{kind}>"
