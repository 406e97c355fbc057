"""Values in the columns and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.assigned import quoted
from curator.text.secrets.grades import Name
from curator.text.secrets.values import likely, mixed, phrased

Span = tuple[int, int]

ROWS = 20
"""So many rows below a head are looked at."""
WIDTH = 500
"""Characters that a row of a table may have."""

_SIGNS = frozenset(",;\t|\n")
_HEAD = re.compile(
    r"(?![ \t]*+\d*+\t)(?:[^\n,;\t|]{0,80}+[,;\t|])?"
    r"(?:[ \t]{0,20}[\"']?[A-Za-z][\w .#-]{0,30}+[\"']?[ ]{0,20}[,;\t|]){0,30}(?:[ \t]{0,20}[\"']?[\w .-]{1,40}+[\"']?)?\s?"
)
"""The head of a table: names alone."""
_ROW = re.compile(
    r"(?i)[^()\n]{0,200}\)\s{0,4}values\s{0,4}\((?P<cells>[^\n]{0,400}(?:\n\[[^\]\n]{1,80}\][ \t]\([^\n]{0,400})?)"
)
"""The values of an ``INSERT``, also where a log shows them in the line below."""
_CELL = re.compile(r"(?P<quote>['\"])(?P<value>[^'\"\n]{3,200})(?P=quote)")


def row(name: Name) -> Iterator[Span]:
    """What a statement of SQL gives to the columns that it names."""
    if name.grade == 3 and (found := _ROW.match(name.text, name.end)):
        cells = _CELL.finditer(name.text, *found.span("cells"))
        yield from (cell.span("value") for cell in cells if likely(cell["value"]) or phrased(cell["value"]))


def column(name: Name) -> Iterator[Span]:
    """What stands below a name that heads a column: in rows of as many cells."""
    text, start, end, grade = name.text, name.start, name.end, name.grade
    sign = text[end : end + 3].lstrip("\"' \r")[:1] or text[max(0, start - 3) : start].rstrip("\"' ")[-1:]
    if grade < 2 or sign not in _SIGNS:
        return
    begin, close = text.rfind("\n", max(0, start - WIDTH), start) + 1, text.find("\n", end, end + WIDTH)
    if close < 0 or begin + WIDTH < start:
        return
    head, before = text[begin:close], text[begin:start]
    if sign == "\n":
        sign = before.rstrip("\"' ")[-1:]
    if sign not in _SIGNS or sign == "\n" or sign not in head.strip(f" \t\r{sign}") or not _HEAD.fullmatch(head):
        return
    index, cells = before.count(sign), head.count(sign)
    for _ in range(ROWS):
        begin, close = close + 1, text.find("\n", close + 1, close + 1 + WIDTH)
        row = text[begin : close if close >= 0 else begin + WIDTH].split(sign)
        if not "".join(row).strip("-+:| \r"):
            continue
        if len(row) not in (cells + 1, cells) or len(row) <= index:
            return
        cell = row[index].strip("\"'` \r")
        at = begin + sum(map(len, row[:index])) + index + row[index].find(cell)
        if " " not in cell and quoted(cell, "", grade) and (likely(cell) or mixed(cell)):
            yield at, at + len(cell)
        if close < 0:
            return
