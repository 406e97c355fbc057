"""A user's name and a value beside it: in prose, in calls, in maps and lists of people."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.lists import holds, listed
from curator.text.secrets.assigned import plain
from curator.text.secrets.grades import Name
from curator.text.secrets.values import NO_VALUE, chosen, filled, likely, mixed, phrased

Span = tuple[int, int]

ROWS = 20
"""So many people of a list are looked at."""

_SPOKEN = listed(
    "login log-in zugangsdaten creds credentials identifiants credenciales credenziali credenciais inloggegevens"
) | {"log in"}
_PAIR = re.compile(
    r"(?:[^\n]{0,40}?(?:[:=]|\b(?:with|as|mit|avec|con|are|sind|is|com"
    r"|met)))?[ \t\"'`(]{1,3}[\w.@-]{2,40}(?:[ \t]?/[ \t]?|:|[ \t]and[ \t])"
    r"(?P<value>[^\s\"'`/,;)]{4,100})"
)
_TO = re.compile(r"(?<![\w/:.-])[\w.@-]{2,40}(?:[ \t]?/[ \t]?|:)(?P<value>[^\s\"'`/,;)]{4,60})[\"'`)]?[ \t]to[ \t]$")
_ARGUMENTS = re.compile(
    r"\(\s{0,12}(?:b?'[^'\n]{0,100}'|b?\"[^\"\n]{0,100}\"|[$@:&]?[\w.]{0,40})(?P<rest>\s{0,4},[^()\n]{3,300})"
)
_HOST = re.compile(r"(?:[\w-]{1,60}\.){0,5}[\w-]{1,60}:\d{1,5}")
_CELL = re.compile(r"(?P<quote>['\"])(?P<value>[^'\"\n]{3,200})(?P=quote)")
_NUMBERED = re.compile(r"[A-Z]?[a-z]{3,20}[-_.]?\d{2,4}")
"""A password as people choose it, where a call has a user before it."""
_BASES = ("pdo", "mysql")
_CALL = re.compile(
    r"(?P<gives>[ \t]?=[ \t]?)?\w{0,30}\(\s?[\"'](?P<user>[^\"'\n]{1,60})[\"']\s{0,2},"
    r"\s{0,2}(?:Some\()?[\"'](?P<value>[^\"'\n]{3,200})[\"']"
    r"(?P<close>\s?\))?"
)
_MADE = re.compile(r"(?:\.\w{2,20})?\((?:[^()\n]|\([^()\n]{0,80}\)){0,300}")
"""The arguments of a call that signs, encrypts or encodes."""
_USER_AND = re.compile(r"[\w.@-]{1,60}:(?P<value>[^\s\"'$<{]{4,200})")
PEOPLE = (
    *(
        "users",
        "user",
        "accounts",
        "account",
        "logins",
        "login",
        "credentials",
        "creds",
        "passwords",
        "passwd",
        "auth",
        "members",
    ),
    *("auth_basic", "authbasic", "auth_ident", "authident"),
)
"""How names of lists of people end, and of what one person logs in with."""
_OPENING = re.compile(r"[\"'\])]{0,3}(?:[ \t]{0,8}(?::=|=>|<{2,3}-?|[:=])[ \t]{0,4}(?:map\[string\]string)?|(?<=\])(?=\r?\n))")
_ONE = re.compile(r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?P<user>[\w-]{2,60}):(?P<value>[^\s\"'`,:/@$<{}()]{4,100})")
_LIST = re.compile(r"['\"]?\w{0,12}['\"]?[ \t]{0,4}\r?\n(?:[ \t]{0,8}list:[ \t]{0,2}\|[ \t]{0,2}\r?\n)?")
"""What comes between ``chpasswd`` and its lines: the mark of their end, or a key."""
_ENTRY = re.compile(
    r"[\s,{\[(\"']{0,24}(?P<user>[\w.@-]{1,60})[\"']?[ \t]{0,4}(?::|=>|=|,)[ \t]{0,4}(?P<quote>[\"']?)"
    r"(?P<value>[^\s\"',{}\[\]()]{4,100})[\"']?[ \t]{0,4}[)\]},]{0,3}"
)
_SLASHED = re.compile(r"[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?\w{2,20}/(?P<value>[^\s\"'/$<{]{6,100})")
_TYPED = re.compile(
    r"(?i)(?:\b(?:send(?:line|_?keys)?|fill|type)|[{ .]value[ \t]?[:=]|with[ \t]|/[a-z]?\){1,2},"
    r"|\"\),)[ \t]?\(?[ \t]?(?:--[ \t])?[bru]?(?P<quote>[\"'])"
    r"(?P<value>[^\s\"']{3,100}?)(?:\\[rnt])*(?P=quote)"
)
"""What a program or a test types."""
_TYPES = ("send", "fill", "type(", "value:", "value :", "value =", "with ", '"),', "),")
WINDOW = 160
"""Characters behind a prompt in which the answer is looked for."""

WORDS = _SPOKEN
"""Names of what a user and a value are told with."""


def spoken(name: Name) -> Iterator[Span]:
    """A user and a value, as people tell each other."""
    back = _TO.search(name.text, max(0, name.start - 120), name.start) if name.low in ("login", "log in") else None
    if back and likely(back["value"]):
        yield back.span("value")
    if (name.low in _SPOKEN or name.low.startswith("wi")) and (found := _PAIR.match(name.text, name.end)):
        value = found["value"]
        if likely(value) and not (name.low.startswith("wi") and "/" not in found[0] and ":" not in found[0]):
            yield found.span("value")


def called(name: Name) -> Iterator[Span]:
    """The values among the arguments of a call."""
    text, end = name.text, name.end
    if name.low == "wifi" and text.startswith(".begin(", end):
        end += len(".begin")
    if text[end : end + 1] == "(" and (call := _ARGUMENTS.match(text, end)):
        cells = (cell for cell in _CELL.finditer(text, *call.span("rest")) if not _HOST.fullmatch(cell["value"]))
        for at, cell in enumerate(cells):
            human = at == 1 and filled(cell["value"]) and (_NUMBERED.fullmatch(cell["value"]) or name.low.startswith(_BASES))
            if human or chosen(cell["value"]) or (len(cell["value"]) >= 16 and mixed(cell["value"])) or phrased(cell["value"]):
                yield cell.span("value")
    if name.low.endswith(("auth", "login")) and (found := _CALL.match(text, end)):
        alone = (found["gives"] or "." in name.word) and found["close"] and filled(found["value"])
        if likely(found["value"]) or (alone and found["value"] != found["user"]):
            yield found.span("value")


def made(text: str, end: int) -> Iterator[Span]:
    """The values in a call that signs, encrypts or encodes what it is given."""
    call = _MADE.match(text, end)
    if call is None:
        return
    for cell in _CELL.finditer(text, *call.span()):
        value, (start, close) = cell["value"], cell.span("value")
        if (
            (pair := _USER_AND.fullmatch(value))
            and not _HOST.fullmatch(value)
            and (likely(pair["value"]) or phrased(pair["value"]) or plain(pair["value"]))
        ):
            yield pair.start("value") + start, close
        elif " " not in value and (chosen(value) or phrased(value) or (len(value) >= 16 and mixed(value))):
            yield start, close


def people(name: Name) -> Iterator[Span]:
    """The values in a map, a list or a file of people."""
    text, low = name.text, name.low
    if not low.endswith(PEOPLE):
        return
    if low.endswith("auth") and (found := _SLASHED.match(text, name.end)) and likely(found["value"]):
        yield found.span("value")
    if not low.endswith(("s", "passwd")):  # one person
        one = _ONE.match(text, name.end)
        if one and (chosen(one["value"]) or likely(one["value"])):
            yield one.span("value")
        return
    opening = _OPENING.match(text, name.end)
    if opening is None:
        return
    at, sure = opening.end(), low == "chpasswd"
    if sure and (head := _LIST.match(text, at)):
        at = head.end()
    for _ in range(ROWS):
        entry = _ENTRY.match(text, at)
        if entry is None:
            return
        value = entry["value"]
        if (
            chosen(value)
            or (name.grade == 3 and likely(value))
            or (sure and not NO_VALUE.match(value))
            or (low.endswith("passwords") and entry["quote"] and plain(value))
        ):
            yield entry.span("value")
        at = entry.end()


def typed(name: Name) -> Iterator[Span]:
    """What is typed behind a prompt that asks for a secret, or into its field."""
    text = name.text
    window = text[name.end : name.end + WINDOW]
    if not holds(window, _TYPES):
        return
    close = text.find("\n", text.find("\n", name.end) + 1) if "\n" in window else -1
    close = min(close if close >= 0 else len(text), name.end + WINDOW)
    found = _TYPED.search(text, name.end, close)
    if found and (
        likely(found["value"]) or phrased(found["value"]) or (found[0].lower().startswith("send") and plain(found["value"]))
    ):
        yield found.span("value")
