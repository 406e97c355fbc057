"""Places that hold secrets by their form: key blocks, addresses, hashes of passwords, lists of logins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.grades import graded
from curator.text.secrets.values import NO_VALUE, PLAIN, chosen, likely, mixed, random, strong

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


def find(text: str, low: bytes) -> Iterator[Span]:
    """What stands where only secrets do; ``low`` is the text in lower case, as bytes."""
    if b"-----begin" in low:
        yield from (match.span() for match in _PRIVATE.finditer(text))
    at = low.find(b"://")
    while at >= 0:
        address = _ADDRESS.match(text, at)
        assert address is not None
        yield from _addressed(text, at, address.end())
        at = low.find(b"://", address.end())
    if b" / " in low:
        for match in _SLASHED.finditer(text):
            sure = chosen(match["value"]) or (len(match["value"]) >= 16 and mixed(match["value"]))
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


def _addressed(text: str, at: int, end: int) -> Iterator[Span]:
    """What stands in an address: after a user's name, behind names in its query, in the path of a hook."""
    login = _LOGIN.match(text, at, end)
    if login:
        part = "value" if login["value"] else "only"
        if not NO_VALUE.match(login[part]) and login[part].lower() not in (*PLAIN, "pw", "pwd"):
            yield login.span(part)
    if text.find("=", at, end) > 0:
        for match in _QUERY.finditer(text, at, end):
            grade = graded(match["name"].replace("%", "_")) or 2 * (match["name"] in ("code", "sig", "sign"))
            if grade and not NO_VALUE.match(match["value"]) and (likely if grade == 3 else mixed)(match["value"]):
                yield match.span("value")
    versioned = _VERSIONED.search(text, at, end)
    if versioned and (random(versioned["value"], 24) or mixed(versioned["value"])):
        yield versioned.span("value")
    if text.find("hook", at, end) > 0 or text.find("/bot", at, end) > 0:
        yield from (
            match.span("value") for match in _HOOK.finditer(text, at, end) if any(map(mixed, match["value"].split("/")))
        )
