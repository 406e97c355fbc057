"""A name that is itself the value of a field, and what it names in another field of the same object, before or behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.assigned import plain, quoted
from curator.text.secrets.grades import Name
from curator.text.secrets.values import chosen, mixed, phrased

Span = tuple[int, int]

WINDOW = 300
"""Characters around a name in which the other field is looked for."""

_NAMED = re.compile(
    r"(?i)(?:name|key|type|id|label|title|field|variable)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:[\w.-]{0,40}/){0,4}$"
)
_FIELD = re.compile(
    r"(?<![\w.-])[\"']?(?:[pP]arameter)?(?:[vV]alue|result|content|default|[sS]ecretString)[\"']?[ \t]{0,4}[:=][ \t]{0,4}"
    r"(?:(?P<quote>[\"'])(?P<literal>[^\"'\n]{3,200})(?P=quote)|(?P<bare>[^\s\"',;<>()\[\]{}|]{3,200}))"
)
_OPENS = re.compile(r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}(?:\{|\r?\n[ \t]{1,24}(?=value:))")
"""What opens an object behind its name."""
_SIGNS = (":", "=", "/")
_APART = re.compile(r"[{}]|\n[ \t]{0,20}-[ \t]|<\w|>|\n[ \t]{0,4}\n")
"""Where another object begins, or this one ends."""
_ENDS = re.compile(r"\}|\n[ \t]{0,20}-[ \t]|>|\n[ \t]{0,4}\n")


def beside(name: Name) -> Iterator[Span]:
    """The value of the field beside the one that has the name: ``{"value": "x", "name": "DB_PASSWORD"}``."""
    text, start, end = name.text, name.start, name.end
    inside = _OPENS.match(text, end)
    named = text[max(0, start - 3) : start].rstrip("\"' ")[-1:] in _SIGNS and _NAMED.search(text, max(0, start - 120), start)
    if named:
        before = [*_FIELD.finditer(text, max(0, start - WINDOW), start)]
        if before and not _APART.search(text, before[-1].end(), start):
            yield from _value(before[-1], name)
    if named or inside:
        begin = inside.end() if inside else end
        close = _ENDS.search(text, begin, end + WINDOW)
        found = _FIELD.search(text, begin, close.start() if close else end + WINDOW)
        if found:
            yield from _value(found, name)


def _value(field: re.Match[str], name: Name) -> Iterator[Span]:
    part = field.lastgroup or ""
    value = field[part]
    sure = part == "literal" or chosen(value) or mixed(value) or phrased(value)
    if " " not in value and quoted(value, name.word, name.grade) and (sure or (name.word.isupper() and plain(value))):
        yield field.span(part)
