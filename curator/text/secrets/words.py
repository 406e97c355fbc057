"""Words in which letters and digits run on."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from curator.text.secrets.grades import graded
from curator.text.secrets.values import DIGIT, UUID, mixed, random, speakable

RUN = 12
"""So many letters and digits in a row are looked at."""
RANDOM = 20
"""From so many characters on a random word is a secret without a name."""
NEAR = 64
"""Characters before a word in which its name is looked for."""

_ALNUM = (string.ascii_letters + string.digits).encode()
_NARROW = bytes(97 if code in _ALNUM else 32 for code in range(256))
_WIDE = bytes(97 if code in _ALNUM or code in b"_-+/=.~" else 32 for code in range(256))
_NEEDLE = b"a" * RUN

_MADE = re.compile(
    r"(?<![A-Za-z0-9])(?:django-insecure-[\w+/=.~-]{20,}+|(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[\w-]{16,}+"
    r"|GR1348941[\w-]{16,}+|xox[a-z]-[\w-]{8,}+|xapp-\d-[\w-]{8,}+|sk-(?=[\w-]{0,200}[0-9])[\w-]{16,}+"
    r"|[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}+|whsec_[\w+/=]{10,}+|npm_[A-Za-z0-9]{30,}+|pypi-[\w-]{40,}+|AIza[\w-]{26,}+"
    r"|ya29\.[\w-]{20,}+|GOCSPX-[\w-]{16,}+|1//0[\w-]{20,}+|hf_[A-Za-z0-9]{20,}+|do[opr]_v1_\w{20,}+|sbp_\w{20,}+"
    r"|sb_secret_[\w-]{16,}+|lin_(?:api|oauth)_\w{20,}+|ntn_\w{20,}+|secret_[A-Za-z0-9]{30,}+|dapi[0-9a-f-]{30,}+"
    r"|hv[sbr]\.[\w-]{20,}+|tskey-[\w-]{16,}+|AGE-SECRET-KEY-1\w{20,}+|SG\.[\w-]{16,}+\.[\w-]{16,}+|SK[0-9a-f]{32}(?!\w)"
    r"|key-[0-9a-f]{32}(?!\w)|shp(?:at|ss|ca|pa)_[0-9a-fA-F]{24,}+|sq[pua]_[0-9a-f]{30,}+|sq0[a-z]{3}-[\w-]{20,}+"
    r"|EAA[A-Za-z0-9]{20,}+|r8_\w{20,}+|gsk_\w{20,}+|xai-[\w-]{20,}+|pplx-\w{20,}+|nvapi-[\w-]{20,}+|PMAK-[\w-]{24,}+"
    r"|NRAK-\w{16,}+|[0-9a-f]{36}NRAL(?!\w)|gl(?:sa|c)_[\w+/=]{20,}+|ph[cx]_\w{20,}+|dckr_[a-z]{3}_[\w-]{16,}+"
    r"|pul-[0-9a-f]{30,}+"
    r"|rubygems_\w{20,}+|AT[AC]TT3[\w=-]{20,}+|dp\.(?:st|pt|ct|sa|scim|audit)\.[\w.-]{20,}+|fm[12]_[\w+/=]{20,}+"
    r"|figd_[\w-]{16,}+"
    r"|pat[A-Za-z0-9]{14}\.\w{30,}+|sntry[su]_[\w+/=]{20,}+|cio[A-Za-z0-9]{28,}+|oy2[a-z0-9]{40,}+"
    r"|[\w-]{14}\.atlasv1\.[\w-]{30,}+"
    r"|re_[A-Za-z0-9]{8}_\w{16,}+|(?:tfp|bkua|tgp_v1|napi|apify_api|ops|rnd|vcp|fw|live|prod|secret|token)_"
    r"(?=[A-Za-z_]{0,40}[0-9])[A-Za-z0-9]{28,}+|xkeysib-[\w-]{20,}+|eyJ[\w-]{6,}+\.[\w-]{6,}+(?:\.[\w-]*+){0,3})"
)
"""How the keys of known makers begin, with what more it takes to be sure."""
_LEADS = (
    *("hf_", "npm_", "sk-", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "_pat_", "glpat-", "xoxb-", "xoxp-", "hvs.", "SG."),
    *("whsec_", "_live_", "_test_", "ya29.", "pypi-", "AIza", "GOCSPX-", "secret_", "figd_", "-KEY-1", "tskey-auth-"),
)
"""What stands before the long part of a key that may have no digit."""
_LAST = frozenset(lead[-3:] for lead in _LEADS)
"""The ends of these: one look spares most words the many."""
_OPEN = re.compile(
    r"(?:[Ss][Hh][Aa]\d{1,3}[-:=]|h1:|data:|base64,|iVBORw0KGgo|/9j/|R0lGOD|PHN2Zy|UklGR|AAAA[A-Z0-9]|d09G[MR]|T1RUTw|AAEAAAA"
    r"|pk_|pk\.|(?:srv)?tool(?:u|use)?_|(?:call|msg|req|resp|run|thread|asst|batch|item|fc|rs|ctc|evt|cus|pi|pm|ch|price"
    r"|prod|sub|in|acct"
    r"|seti|si|inv|ses|prt|ws|ig|part|workflow|session|user|org|proj|snap|dpl|prj|team|usr|bld|job|task|exec|trace|conv"
    r"|node|col"
    r"|doc|img|step|file|event|order|cart|page|row|cmpl|chatcmpl|gen|trc|span|obj|ord|app)[-_]|A-Z|a-z|0-9)"
)
"""How numbers of things begin, which open no door, and pictures, fonts and public keys."""
_THING = re.compile(
    r"(?i)(?:(?:^|[^a-z])(?:u?u?id|guid|sha\d*|md5|sum|rev|ref|sri)|ids?|hash(?:es)?|digests?|checksums?|etag|integrity"
    r"|revision|commit|"
    r"fingerprint|cursor|public[_-]?key|pub[_-]?key|thumbprint|ssh-\w{2,20}|resolved|certificate[_-]?data|blob|"
    r"encrypted[_-]?content|image|png|svg|font|base64,?)[\"'\\\])]{0,4}[ \t]{0,2}[:=]?[ \t\"'\\(`]{0,4}$"
)
"""Names of what a long word may be, beside a secret."""
_NAME_BEFORE = re.compile(
    r"(?i)(?P<name>[A-Za-z][\w.-]{0,48}+)[\"'`\\)\]]{0,4}[ \t]{0,4}(?::=|=>|={1,3}|:|(?<=[ \t]))[ \t]{0,4}[bfru]?[\"'`\\]{0,4}"
    r"(?:(?:bearer|basic|token|bot|key|jwt)[ \t]{1,2})?(?:s%3a|s:)?$"
)
_FILE = re.compile(r"\.[a-z]{1,5}\d?$")
_NEXT_LINE = re.compile(
    r"[ \t]*+(?:\r?\n|\\n)[ \t+>|]{0,8}(?=[A-Za-z]{0,80}[0-9+/=])[A-Za-z0-9+/]{2,80}={0,2}(?=\s|-----|[\"'\\]|\Z)"
)
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2}[\w.~+/=-]{0,200}+){0,20}+")
"""What a word goes on with that an address has encoded."""
_PUBLIC = re.compile(
    r"-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE)[A-Z0-9 ]{1,40}-----[\s\S]{0,20000}?(?:-----END [A-Z0-9 ]{1,40}-----|\Z)"
)


def find(text: str, data: bytes) -> Iterator[tuple[int, int]]:
    """The places of such words, where they are secrets; ``data`` is the text as ASCII."""
    runs = data.translate(_NARROW) + b" "
    at = runs.find(_NEEDLE)
    if at < 0:
        return
    wide = data.translate(_WIDE) + b" "
    public: list[tuple[int, int]] | None = None
    done = 0
    while at >= 0:
        end = runs.find(b" ", at + RUN)
        run = text[at:end]
        led = (text[at - 3 : at] in _LAST and text.endswith(_LEADS, max(0, at - 12), at)) or text.startswith(":AA", at - 1)
        if led or not run.isalpha() or not (run[1:].islower() or run.isupper()):
            start, end = max(done, wide.rfind(b" ", 0, at) + 1), wide.find(b" ", end)
            done = end
            if led or DIGIT.search(text, start, done):
                if public is None:
                    public = [match.span() for match in _PUBLIC.finditer(text)] if b"-----BEGIN " in data else []
                if not any(begin <= start < close for begin, close in public):
                    yield from _secret(text, start, done)
        at = runs.find(_NEEDLE, end)


def _secret(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    word = text[start:end]
    made = [match.span() for match in _MADE.finditer(word) if "xxxx" not in match[0].lower()]
    yield from ((start + begin, start + close) for begin, close in made)
    if word.startswith("AA") and len(word) > 30 and text[start - 1 : start] == ":" and text[start - 2 : start - 1].isdigit():
        yield start, end  # a bot's of Telegram
    if made or word.startswith("//") or (word[0] == "/" and not random(word, RANDOM)):  # what an address goes on with, a path
        return
    body = word.rstrip("=.")
    value = body[body.rfind("=") + 1 :].lstrip("-.%")
    begin = start + len(body) - len(value)
    if "/" in value and any(len(part) > 4 and part.isalpha() and speakable(part) for part in value.split("/")):
        return  # a path
    before = text[max(0, begin - NEAR) : begin]
    if not UUID.fullmatch(value) and random(value, RANDOM) and not _FILE.search(value):
        named = (found := _NAME_BEFORE.search(before)) and graded(found["name"]) > 1
        if not (_OPEN.match(value) or _OPEN.search(before[-12:]) or _THING.search(before)) or (
            named and "session" in before.lower()
        ):
            encoded = _ENCODED.match(text, end)
            yield begin, max(_block(text, begin, end), encoded.end() if encoded else end)
    elif len(value) >= RUN and not _OPEN.match(value) and (UUID.fullmatch(value) or mixed(value)):
        found = _NAME_BEFORE.search(before)
        if found and graded(found["name"]) > 1:
            yield begin, end


def _block(text: str, start: int, end: int) -> int:
    """Where a block of such lines ends: its last line is short, and may look like a word."""
    while end - start >= 40 and (match := _NEXT_LINE.match(text, end)):
        start, end = match.span()
    return end
