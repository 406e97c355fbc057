"""Values that are a line by themselves, or share it with a comment: the line tells their name, or the line before it does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.assigned import plain
from curator.text.secrets.grades import Name
from curator.text.secrets.values import chosen, filled, likely, mixed, phrased, random, speakable

Span = tuple[int, int]

LINE = 300
"""Characters of a line that are looked at."""

_COMMENT = re.compile(
    r"(?:^|[ \t;,)\]}])(?:#|//|--(?=[ \t])|/\*|<!--|<-|←|(?<=[`\"'][ ])[–—])[ \t]{0,4}(?:[\w/'-]{1,20}[ \t]){0,4}$"
)
_SIGN = re.compile(r"#|//|--[ ]|/\*|<!--|<-|←|[`\"'][ ][–—]")
_CELL = re.compile(r"[brf]?(?P<quote>[\"'`])(?P<value>[^\"'`\s]{5,200}?)(?:\\[rnt])*(?P=quote)")
_ALONE = re.compile(
    r"[ \t]*+(?:[-*+][ \t]{1,3})?(?:\w{1,40}[ \t]?[:=][ \t]?)?(?P<value>[^\s\"'`;,()\[\]{}]{5,200})[;,]?[ \t]*+"
)
_BELOW = re.compile(
    r"\n(?:[ \t>]{0,4}\r?\n|[ \t]{0,4}```\w{0,12}\r?\n){0,2}"
    r"[ \t>]{0,12}(?:\*\*|[`\"'])?(?P<value>(?![<{\[(])[^\s\"'`<>]{5,200}+)[`\"']?[ \t]{0,4}(?=\r?\n|\Z)"
)
_TELLS = (":", " is", " below", " below.", " ist", " est", " es", "↓")
"""How a line ends that announces the next one."""
_PROMPT = re.compile(r"(?:[$%❯➜»>]|^\+|[\w~)\]/]#)[ ]\S")
"""The sign of a shell before a command."""
_COMMIT = re.compile(r"[0-9a-f]{7,12}")
_PAIR = re.compile(r"[ \t]{1,4}(?P<value>\S{4,200})[ \t]{0,4}(?=\r?\n|\Z)")
_NEIGHBOR = re.compile(
    r"(?:user(?:name)?|login|host|hostname|account|server|email|from|port|machine)[ \t]{1,4}\S{1,80}[ \t]{0,4}\r?$"
)
"""A line of the same file, as programs for mail have it."""


def commented(name: Name) -> Span | None:
    """What stands before a comment that names it, in the same line: ``"x",  // the password``."""
    text, start = name.text, name.start
    if not _SIGN.search(text, max(0, start - 90), start):
        return None
    begin = max(text.rfind("\n", 0, start) + 1, start - LINE)
    sign = _COMMENT.search(text, max(begin, start - 90), start)
    if sign is None or sign.start() - begin < 5:
        return None
    close = sign.start() + 1
    cells = [*_CELL.finditer(text, begin, close)]
    if cells and not text[cells[-1].end() : sign.start()].strip(" \t;,)]}"):
        return cells[-1].span("value") if _secret(cells[-1]["value"], name.grade) else None
    whole = _ALONE.fullmatch(text, begin, close)
    return whole.span("value") if whole and _secret(whole["value"], name.grade) else None


def below(name: Name) -> Span | None:
    """What stands alone in the line below: a sentence announces it, or a command shows it."""
    text, start, end = name.text, name.start, name.end
    close = text.find("\n", end, end + LINE)
    found = _BELOW.match(text, close) if close >= 0 else None
    if found is None or not _secret(found["value"], name.grade):
        return None
    begin = max(text.rfind("\n", 0, start) + 1, start - LINE)
    tells = text[max(end, close - 12) : close].rstrip(" \t*`\r").endswith(_TELLS)
    return found.span("value") if tells or _PROMPT.search(text[begin:end]) else None


def shown(text: str, at: int) -> Iterator[Span]:
    """What a command that makes or decodes a secret leaves in the line below it."""
    close = text.find("\n", at, at + LINE)
    if close >= 0 and (found := _BELOW.match(text, close)) and _secret(found["value"], 3):
        yield found.span("value")


def alone(name: Name) -> Span | None:
    """The value in a line of a name and a value: ``password x``."""
    text, start = name.text, name.start
    if not (name.word in ("pass", "pwd") or (name.grade == 3 and name.word.islower())):
        return None
    indent = text[max(0, start - 24) : start].rpartition("\n")[2]
    found = _PAIR.match(text, name.end) if not indent.strip() else None
    if found is None or not filled(found["value"]):
        return None
    begin = start - len(indent)
    if name.word in ("pass", "pwd"):  # also the outcome of a test, a command
        return found.span("value") if chosen(found["value"]) else None
    value = found["value"]
    before, behind = text[max(0, begin - LINE) : max(0, begin - 1)], text[found.end() : found.end() + LINE].lstrip("\r\n")
    near = _NEIGHBOR.search(before.rpartition("\n")[2].strip()) or _NEIGHBOR.match(behind.partition("\n")[0].strip())
    if (
        likely(value)
        or (value.isalpha() and len(value) >= 8 and not speakable(value))
        or phrased(value)
        or (near and plain(value))
    ):
        return found.span("value")
    return None


def _secret(value: str, grade: int) -> bool:
    """Whether a word that stands apart from its name is what the name says."""
    value = value.removesuffix("**")
    if (
        not filled(value)
        or ("/" in value and not {".", ":"}.isdisjoint(value))
        or _COMMIT.fullmatch(value)
        or ("@" in value[1:-1] and not likely(value))
    ):
        return False
    if grade == 3 and (chosen(value) or phrased(value)):
        return True
    return (mixed(value) and len(value) >= 12) or random(value, 16)
