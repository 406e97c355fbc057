"""Codes that people are sent and words that they write down: PINs, one-time codes, recovery codes, seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.grades import Name
from curator.text.secrets.values import DIGIT, UNIT

Span = tuple[int, int]

ROWS = 20
"""So many lines of codes below their name are looked at."""
NEAR = 40
"""Characters before the word "code" in which it is said what the code is for."""

_SEED = re.compile(r"[\"']?[ \t]{0,2}(?:is|:|=|ist)?[ \t]{0,3}[\"'`]?(?P<value>(?:[a-z]{3,8}[ \t]{1,2}){11,23}[a-z]{3,8})")
_SEEDS = frozenset(("phrase", "seed_phrase", "recovery_phrase", "mnemonic"))
_IS = r"(?:is|:|：|=|ist|lautet|est|es|é|è|to|jest|je|är|er|on)"
_PIN = re.compile(rf"(?:[ \t]code)?[\"']?[ \t]{{0,3}}{_IS}[ \t]{{0,3}}[\"'`]?(?P<value>\d{{4,8}})(?![\w.])(?! ohm)")
_NEXT = re.compile(r"[ =](?P<value>\d{4,8})(?![\w.])")
_LOCK = re.compile(r"(?i)\b(?:unlock|sim|card|bank|door|screen|vault|alarm|safe|phone)[ _-]$")
_SENT = re.compile(
    rf"(?:code)?[\"']?[ \t]{{0,3}}(?:{_IS}[ \t]{{0,3}})?[\"'`*]{{0,2}}(?P<value>\d{{4,8}}|\d{{3}}[- ]\d{{3}})(?![\w.]?\w|%)"
    r"(?![ \t]+(?:lines?|char|words?|bytes?|times|files?|loc|tests?|items?|rows?|points)\b)"
)
"""A code of digits behind its name, and not a count of something."""
_FOR = re.compile(
    r"(?i)(?:(?:verif|v[ée]rif|confirm|conferm|authenti|authori[sz]|one[- ]?time|(?:2|m)fa|t?otp|sms|log[- ]?in"
    r"|sign[- ]?in|security|access"
    r"|reset|unlock|door"
    r"|gate|garage|alarm|safe|recovery|pairing|your|dein|ihr|votre|token|enter (?:the|this)|best[äa]tigung|sicherheit|anmelde"
    r"|zugang|segurid|seguran|acces)\w{0,8}[ _-]?)code$"
)
"""What a code that opens something is for."""
_ROMANCE = re.compile(r"(?i)[^\d\n]{0,12}(?:conferm|confirm|verific|sicur|segur|acces)[^\d\n]{0,24}(?P<value>\d{4,8})(?![\d.])")
_BACK = re.compile(r"(?i)(?<![\w.-])(?:G-)?(?P<value>\d{4,8})[ \t](?:is|to|as)[ \t](?:your[ \t])?(?:[\w-]{1,20}[ \t]){0,3}$")
_CODE = re.compile(r"(?<![\w-])[A-Za-z0-9]{4,12}(?:[- ][A-Za-z0-9]{4,12}){0,5}(?![\w-])")
_CODES = re.compile(
    r"\s{1,4}(?:[-*\d.)]{1,3}[ \t]{1,3})?"
    r"(?P<codes>(?=[^\n]{0,40}\d)[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){0,5})[ \t,`\"']{0,4}(?=\r?\n|\Z)"
)
_NETWORK = re.compile(r":(?:[^\n;]{0,100}+;){0,5}?P:(?P<value>(?:\\.|[^;\\\n]){4,100}+);")
"""What a phone reads from a code to join a network: the fields behind ``WIFI``."""
_LETTERS = re.compile(r"[^\W\d_]{0,12}+")
_GROUPS = re.compile(
    r"[\"']?(?:[ \t]is)?[ \t]?[:=]?[ \t]{0,3}(?P<value>(?:\d{6}-){3,7}\d{6}|(?:[a-z2-7]{4} ){3,7}[a-z2-7]{4})(?!\w)"
)
"""Keys that people copy by hand."""
_LINE = re.compile(r"[^\n]{0,2000}+")

_DIGITS = frozenset(("pin", "otp", "puk", "--otp", "--pin", "--totp", "--token-code", "--mfa-code", "--otp-code"))
WORDS = _SEEDS | _DIGITS
"""Names of codes."""


def sent(text: str, start: int, end: int) -> Iterator[Span]:
    """A code that somebody was sent, beside the word ``code`` or one that begins like ``verify``."""
    if text[start + 2 : end].lower() in ("dice", "digo"):
        if found := _ROMANCE.match(text, end):
            yield found.span("value")
        return
    code = text[start:end].lower() == "code"
    if not code:  # within a word
        end = _LETTERS.match(text, end).end()  # type: ignore[union-attr]  # it matches the empty text, too
        start = text.rfind(" ", max(0, start - 8), start) + 1 or start
    if not code or _FOR.search(text, max(0, start - NEAR), end):
        if found := _SENT.match(text, end):
            yield found.span("value")
        if found := _BACK.search(text, max(0, start - 2 * NEAR), start):
            yield found.span("value")


def counted(text: str, end: int) -> Iterator[Span]:
    """A code of digits behind a name of another script."""
    found = _ANY.match(text, end)
    if found:
        yield found.span("value")


_ANY = re.compile(r"[^\d\n]{0,8}(?P<value>\d{4,8})(?![\d.])")


def opened(name: Name) -> Iterator[Span]:
    """What the names of codes, PINs and seeds have."""
    text, end, low = name.text, name.end, name.low
    if low in _SEEDS and (found := _SEED.match(text, end)):
        yield found.span("value")
    if low == "wifi" and (found := _NETWORK.match(text, end)):
        yield found.span("value")
    if low in _DIGITS:
        found = _PIN.match(text, end)
        if found is None and (low[0] == "-" or _LOCK.search(text, max(0, name.start - NEAR), name.start)):
            found = _NEXT.match(text, end)
        if found:
            yield found.span("value")
    if name.grade > 1 and low.endswith("key") and (found := _GROUPS.match(text, end)) and DIGIT.search(found["value"]):
        yield found.span("value")
    if "codes" in low or low.endswith(("y code", "h code", "p code")):
        yield from _codes(text, end)


def _codes(text: str, end: int) -> Iterator[Span]:
    """Codes for who has lost the second factor: in the same line, and in lines of codes alone that follow."""
    line = _LINE.match(text, end)
    assert line is not None
    yield from (
        code.span() for code in _CODE.finditer(text, *line.span()) if DIGIT.search(code[0]) and not UNIT.fullmatch(code[0])
    )
    for _ in range(ROWS):
        line = _CODES.match(text, line.end())
        if line is None:
            return
        yield line.span("codes")
