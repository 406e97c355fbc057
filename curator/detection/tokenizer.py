"""Cut a sentence at blanks into tokens, words, names and marks, each piece once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

REMEMBERED = 3_000
"""Stretches that are known at most; then they grow old, and what was not met again when the next ones do is forgotten."""

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
_NAMELIKE = re.compile(r"[A-Z_/.(-]")
_EMOJI = re.compile("[✅✓🎉✨🚀❌🔧📝]")
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b|#\d{1,5}\b|\.\w{1,4}:\d+")
_DIGIT = re.compile(r"\d")


class Stretch(NamedTuple):
    """One stretch: its tokens, its plain words in lower case, how many names are in it, and the cues of its form."""

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    names: int = 0
    marks: tuple[str, ...] = ()
    torn: bool = False
    """A backtick in it belongs to code that begins or ends elsewhere: its tokens hold only where it stands alone."""


_TOKENS, _WORDS, _NAMES, _MARKS, _TORN = map(itemgetter, range(5))


def of(text: str) -> list[Stretch]:
    """The stretches of a text, in order."""
    return [*map(_KNOWN.__getitem__, text.split())]


def words(found: Sequence[Stretch]) -> list[str]:
    """The plain words of stretches in lower case."""
    return [*chain.from_iterable(map(_WORDS, found))]


def names(found: Sequence[Stretch]) -> int:
    """How many names stand in stretches."""
    return sum(map(_NAMES, found))


def marks(found: Sequence[Stretch]) -> Iterator[str]:
    """The cues of the form of stretches."""
    return chain.from_iterable(map(_MARKS, found))


def tokens(text: str, found: Sequence[Stretch] | None = None) -> list[str]:
    """Words in lower case; code, links, paths, identifiers, flags and numbers by their kind; telling marks.

    Whoever has the stretches of the text already may give them.

    >>> tokens("Don't run `npm ci` in src/app, use --frozen instead!")
    ["don't", 'run', '<code>', 'in', '<path>', 'use', '<flag>', 'instead', '!']
    """
    found = of(text) if found is None else found
    if "`" not in text or True not in map(_TORN, found):
        return [*chain.from_iterable(map(_TOKENS, found))]
    if "://" in text:  # a link may hold half of what looks like code
        return list(_tokens(text))
    first, *others = _CODE.split(text)
    texts = [*chain.from_iterable(map(_TOKENS, of(first)))]
    for part in others:
        texts.append("<code>")
        texts += chain.from_iterable(map(_TOKENS, of(part)))
    return texts


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, apostrophes made plain."""
    return _WORD.findall(text.lower().replace("’", "'"))


class _Stretches(dict[str, Stretch]):
    def __init__(self) -> None:
        self.old: dict[str, Stretch] = {}

    def __missing__(self, text: str) -> Stretch:
        if len(self) >= REMEMBERED:
            self.old = dict(self)
            self.clear()
        found = self[text] = self.old.get(text) or _stretch(text)
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
    names = len(_NAME.findall(text)) if _NAMELIKE.search(text) else 0
    torn = "`" in text and "`" in _CODE.sub("", text)
    return Stretch(tuple(_tokens(text)), tuple(words_of(text)), names, tuple(marks), torn)


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
