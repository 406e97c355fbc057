"""Names of secrets, and how much they say of the value that they have."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from curator.text.lists import listed


class Name(NamedTuple):
    """A name of a secret where it stands in a text."""

    text: str
    start: int
    end: int
    word: str
    low: str
    after: str
    """The two characters behind it."""
    grade: int
    """See ``graded``."""


_PART = re.compile(r"[A-Z]{1,40}(?![a-z])|[A-Z]?[a-z]{1,40}")
_STRONG = re.compile(
    r"(?!(?:by|com|tres|sur|encom|over|under|im|no)pass$|nopasswd$)"
    r"(?:\w*(?:password|passwd|passphrase|passcode|passwort|passw|kennwort|secret)s?|\w+pass|\w+pwd|passe|pw|pswd?|psk"
    r"|senha|mdp|parola\w{0,2}|jelsz\w{1,8}|adgangskode"
    r"|contrase\w*|wachtwoord\w*|hesl[oau]m?|has[lł]\w{1,2}|adgangskode\w*|kodeord\w*|salasana\w*|sandi|sandinya|gesl[oa]"
    r"|lozinka|parool\w{0,4}|parole|passord\w*|nenosiri|\w{2,20}pw|pasahitz\w{1,6}|contrasinal|credentials?|creds?|passin|passout"
    r"|masterauth|authtok)"
)
_KEYS = listed(
    "api access secret private encryption encrypt signing sign master service license licence account auth session admin",
    "product deploy deployer shared client token jwt hmac aes webhook storage app application preshared unseal functions",
    "subscription wallet root user host write read ingest bot integration project team server push consumer activation gen",
    "crypt recovery setup authenticator pairing",
)
_OTHER_KEYS = listed(
    "public pub primary foreign cache partition sort hot idempotency object group row index map translation sub kms",
    "publishable registry natural composite unique ordering config settings dict query recv send list export import known new",
)
_MEDIUM = listed(
    "token tokens auth oauth authtoken authorization accesstoken refreshtoken idtoken salt jwt bearer otp totp apikey apikeys",
    "accesskey secretkey privatekey masterkey authkey signature dsn bot mnemonic seed encrypt license licence webhook",
    "mac pat pepper phpsessid jsessionid sessionid sessid",
)
_WEAK = listed("key keys cookie sid csrf xsrf csrftoken login")
_TAILS = listed(
    "old new prod production staging stage dev test live ci local main default value values str string plain raw text",
    "base b hex env primary secondary backup header data impl confirmation confirm again repeat",
)


@lru_cache(maxsize=2048)
def graded(name: str) -> int:
    """3: whatever it has is a secret, 2: what looks like one is, 1: what is random is, 0: it says nothing.

    >>> graded("DB_PASSWORD"), graded("apiKey"), graded("key"), graded("primary_key"), graded("password_hash_algorithm")
    (3, 2, 1, 0, 0)
    """
    parts = [part.lower() for part in _PART.findall(name)]
    while len(parts) > 1 and parts[-1] in _TAILS:
        parts.pop()
    if (
        not parts or "existing" in parts or (name[0] == "-" and parts[0] in ("disabled", "no", "ask"))
    ):  # the name of one that is kept elsewhere
        return 0
    *rest, last = parts
    if last in ("pass", "pwd"):  # by itself the result of a test, or the folder of a shell
        return 3 if rest and rest[-1] not in ("old", "all", "any") else 2
    if _STRONG.fullmatch(last) or (last in ("word", "phrase", "code") and rest[-1:] == ["pass"]):
        return 3
    if last in ("id", "hash") and rest and _STRONG.fullmatch(rest[-1]):
        return 2
    if last == "certificate":
        return 2 * (rest[-1:] == ["app"])  # of video calls
    if last.endswith(("key", "keys")):
        beside = last.removesuffix("s").removesuffix("key") or (rest[-1] if rest else "")
        return 0 if beside in _OTHER_KEYS else 2 if beside in _KEYS or not _KEYS.isdisjoint(rest) else 1
    if last in _MEDIUM or (last.endswith("token") and last != "token"):
        return 2
    return int(last in _WEAK)
