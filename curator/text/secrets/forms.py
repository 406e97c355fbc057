"""Secrets that their form alone gives away: words in which letters and digits run on, key blocks, addresses, hashes of
passwords, lists of logins.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from curator.text.secrets.values import (
    DIGIT,
    NO_VALUE,
    PLAIN,
    UUID,
    grade_of,
    is_mixture,
    is_password,
    likely,
    random,
    speakable,
    strong,
)

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
    r"|pul-[0-9a-f]{30,}+|amzn\.mws\.[0-9a-f-]{36}|fc-[0-9a-f]{32}(?!\w)|sk_[0-9a-f]{40,}+|lsv2_[a-z]{2}_[0-9a-f]{32}\w{0,20}+"
    r"|[0-9a-f]{32}-us\d{1,2}(?!\w)|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}+|(?:sdk|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
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


def find_runs(text: str, data: bytes) -> Iterator[tuple[int, int]]:
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
        has_name = (found := _NAME_BEFORE.search(before)) and grade_of(found["name"]) > 1
        if not (_OPEN.match(value) or _OPEN.search(before[-12:]) or _THING.search(before)) or (
            has_name and "session" in before.lower()
        ):
            encoded = _ENCODED.match(text, end)
            yield begin, max(_block(text, begin, end), encoded.end() if encoded else end)
    elif len(value) >= RUN and not _OPEN.match(value) and (UUID.fullmatch(value) or is_mixture(value)):
        found = _NAME_BEFORE.search(before)
        if found and grade_of(found["name"]) > 1:
            yield begin, end


def _block(text: str, start: int, end: int) -> int:
    """Where a block of such lines ends: its last line is short, and may look like a word."""
    while end - start >= 40 and (match := _NEXT_LINE.match(text, end)):
        start, end = match.span()
    return end


Span = tuple[int, int]

_PRIVATE = re.compile(
    r"-----BEGIN [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|Static key V1)-----[\s\S]*?"
    r"(?:-----END [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|Static key V1)-----|\Z)"
)
_VAULT = re.compile(r"\$ANSIBLE_VAULT;[^\n]{1,80}\n(?P<value>(?:[ \t]{0,40}[0-9a-f]{2,120}(?:\r?\n|(?![\w \t]))){1,400}+)")
_SLASHED = re.compile(r" / (?P<value>(?![A-Za-z]{1,20}\d{1,2}(?![\w!#$%^*?]))[^\s\"'`/,;)]{6,60})(?![^\s\"'`,;).])")
_ENTERS = re.compile(
    r"(?i)(?:log[ gi]|\bsign|meld|connect|connexion|sesi[oó]n|acced|entra|user|benutz|account|creds|admin|root)[^\n]{0,40}"
    r"(?<![\w/.@-])[\w.@-]{2,40}$|(?<![\w/.@-])(?:admin|root|user|postgres)\w{0,12}$"
)
"""A user, where somebody logs in."""
_ADDRESS = re.compile(r"://[^\s\"'`<>]{0,4000}+")
_LOGIN = re.compile(
    r"://(?:[^\s/:@\"'`<>\[\]]{0,120}:(?P<value>[^\s/\"'`<>]{1,200})@(?=[\w\[$(%{-])|(?P<only>[^\s/:@\"'`<>]{16,200})@)"
)
_QUERY = re.compile(r"[?&;#](?P<name>[\w.%-]{1,40})=(?P<value>[^\s&\"'`<>#;)\]}]{6,2000}+)")
_HOOK = re.compile(
    r"(?:hooks\.slack\.com/\w{1,20}/|discord(?:app)?\.com/api/webhooks/|webhook(?:\.office\.com)?[\w.]{0,40}/"
    r"|/webhooks?/|/hooks?/"
    r"|/bot(?=\d))(?P<value>[\w/@.:%-]{16,300}+)"
)
_VERSIONED = re.compile(r"/v\d{1,2}/(?P<value>[\w-]{24,100})/?(?=[?.,;:)\]]{0,2}(?:\s|$))")
"""An address whose whole path is a version and a key, as nodes of chains have it."""
_DRIVER = re.compile(r"@(?:(?P<go>(?:tcp|unix|udp)\()|//?\w|\w{1,20}(?=[\s\"'`:]|$))")
_MAILBOX = re.compile(r"@[\w-]{1,40}(?:\.[\w-]{1,40}){1,3}:(?P<value>[^\s\"'`,;<>]{6,100})")
_GO = re.compile(r"[\w.-]{1,60}:(?P<value>[^\s\"'`@/]{1,100})$")
_USER = re.compile(r"(?<![\w/:.-])[\w.-]{1,40}:(?P<value>[^\s\"'`@/:]{7,100})$")
_MARKED = re.compile(r"[!#$%^*?]")
_ORACLE = re.compile(
    r"(?:thin:|(?:sqlplus|impdp|expdp|sqlldr|rman)[ \t]{1,4}(?:-?\w{1,12}[ \t])?)[\w.-]{1,40}/(?P<value>[^\s\"'`@/]{1,100})$"
)
_HASH = re.compile(
    r"\$(?:apr1|2[abxy]|[156y]|argon2\w{0,2}|pbkdf2[\w-]{0,20}|scrypt|7|production|sandbox)\$[\w./$,=+-]{20,300}+"
)
_SHA = re.compile(r"\{S?SHA\d{0,3}\}[\w+/=]{20,200}+")
_RELAY = re.compile(r"\]?:587[ \t]{1,8}[\w.@+-]{1,80}:(?P<value>[^\s:]{4,200})(?=\s|\Z)")
"""A mail server, and whom it knows."""
_PGPASS = re.compile(r"(?m)(?<![\w.*:-])[\w.*-]{1,100}:(?:5432|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(?P<value>\S{3,200})$")


def find_places(text: str, low: bytes) -> Iterator[Span]:
    """What stands where only secrets do; ``low`` is the text in lower case, as bytes."""
    if b"-----begin" in low:
        yield from (match.span() for match in _PRIVATE.finditer(text))
    at = low.find(b"://")
    while at >= 0:
        address = _ADDRESS.match(text, at)
        assert address is not None
        yield from _find_in_address(text, at, address.end())
        at = low.find(b"://", address.end())
    if b" / " in low:
        for match in _SLASHED.finditer(text):
            sure = is_password(match["value"]) or (len(match["value"]) >= 16 and is_mixture(match["value"]))
            if sure and _ENTERS.search(text, max(0, match.start() - 90), match.start()):
                yield match.span("value")
    if b"$" in low:
        if b"$ansible_vault" in low:
            yield from (match.span("value") for match in _VAULT.finditer(text))
        yield from (match.span() for match in _HASH.finditer(text))
    if b"{s" in low:
        yield from (match.span() for match in _SHA.finditer(text))
    if b":5432:" in low:
        yield from (match.span("value") for match in _PGPASS.finditer(text))
    if b":587 " in low:
        yield from (match.span("value") for match in _RELAY.finditer(text))
    if b"@" in low:
        yield from (match.span("value") for match in _MAILBOX.finditer(text) if likely(match["value"]))
        for match in _DRIVER.finditer(text):
            found = (_GO if match["go"] else _ORACLE).search(text, max(0, match.start() - 120), match.start())
            if found and not NO_VALUE.match(found["value"]):
                yield found.span("value")
            elif not match["go"]:
                user = _USER.search(text, max(0, match.start() - 120), match.start())
                if user and (strong(user["value"]) or (_MARKED.search(user["value"]) and likely(user["value"]))):
                    yield user.span("value")


def _find_in_address(text: str, at: int, end: int) -> Iterator[Span]:
    """What stands in an address: after a user's name, behind names in its query, in the path of a hook."""
    login = _LOGIN.match(text, at, end)
    if login:
        part = "value" if login["value"] else "only"
        if not NO_VALUE.match(login[part]) and login[part].lower() not in (*PLAIN, "pw", "pwd"):
            yield login.span(part)
    if text.find("=", at, end) > 0:
        for match in _QUERY.finditer(text, at, end):
            grade = grade_of(match["name"].replace("%", "_")) or 2 * (match["name"] in ("code", "sig", "sign"))
            if grade and not NO_VALUE.match(match["value"]) and (likely if grade == 3 else is_mixture)(match["value"]):
                yield match.span("value")
    versioned = _VERSIONED.search(text, at, end)
    if versioned and (random(versioned["value"], 24) or is_mixture(versioned["value"])):
        yield versioned.span("value")
    if text.find("hook", at, end) > 0 or text.find("/bot", at, end) > 0:
        yield from (
            match.span("value") for match in _HOOK.finditer(text, at, end) if any(map(is_mixture, match["value"].split("/")))
        )
