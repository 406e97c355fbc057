"""How much a name says of its value, and what a value looks like: random, a password, or a placeholder, a word, a path,
a number.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from curator.text.words import word_set


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
    """See ``grade_of``."""


_NAME_PART = re.compile(r"[A-Z]{1,40}(?![a-z])|[A-Z]?[a-z]{1,40}")
_STRONG = re.compile(
    r"(?!(?:by|com|tres|sur|encom|over|under|im|no)pass$|nopasswd$)"
    r"(?:\w*(?:password|passwd|passphrase|passcode|passwort|passw|kennwort|secret)s?|\w+pass|\w+pwd|passe|pw|pswd?|psk"
    r"|senha|mdp|parola\w{0,2}|jelsz\w{1,8}|adgangskode"
    r"|contrase\w*|wachtwoord\w*|hesl[oau]m?|has[lł]\w{1,2}|adgangskode\w*|kodeord\w*|salasana\w*|sandi|sandinya|gesl[oa]"
    r"|lozinka|parool\w{0,4}|parole|passord\w*|nenosiri|\w{2,20}pw|pasahitz\w{1,6}|contrasinal|credentials?|creds?|passin|passout"
    r"|masterauth|authtok)"
)
_KEYS = word_set(
    "api access secret private encryption encrypt signing sign master service license licence account auth session admin",
    "product deploy deployer shared client token jwt hmac aes webhook storage app application preshared unseal functions",
    "subscription wallet root user host write read ingest bot integration project team server push consumer activation gen",
    "crypt recovery setup authenticator pairing",
)
_OTHER_KEYS = word_set(
    "public pub primary foreign cache partition sort hot idempotency object group row index map translation sub kms",
    "publishable registry natural composite unique ordering config settings dict query recv send list export import known new",
)
_MEDIUM = word_set(
    "token tokens auth oauth authtoken authorization accesstoken refreshtoken idtoken salt jwt bearer otp totp apikey apikeys",
    "accesskey secretkey privatekey masterkey authkey signature dsn bot mnemonic seed encrypt license licence webhook",
    "mac pat pepper phpsessid jsessionid sessionid sessid",
)
_WEAK = word_set("key keys cookie sid csrf xsrf csrftoken login")
_TAILS = word_set(
    "old new prod production staging stage dev test live ci local main default value values str string plain raw text",
    "base b hex env primary secondary backup header data impl confirmation confirm again repeat",
)


@lru_cache(maxsize=2048)
def grade_of(name: str) -> int:
    """3: whatever it has is a secret, 2: what looks like one is, 1: what is random is, 0: it says nothing.

    >>> [grade_of(name) for name in ("DB_PASSWORD", "apiKey", "key", "primary_key", "password_hash_algorithm")]
    [3, 2, 1, 0, 0]
    """
    parts = [part.lower() for part in _NAME_PART.findall(name)]
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


DIGIT = re.compile(r"[0-9]")
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
PATH = re.compile(
    r"(?:~|\.{1,2})?//?[\w.@-]|[A-Za-z]:[\\/]|[\w./@-]{1,200}\.(?:[a-z]{1,5}|[a-z]{1,4}\d)(?::\d+)?$"
    r"|[\w-]+/[\w./@-]+(?:\?[\w=&.-]*|#[a-z_]{2,40})?$|refs/"
)
UNIT = re.compile(
    r"(?i)[~≈<>]?l?[\d.,_:/x×%+-]+l?(?:\d|m\d+s|[a-z]{1,3}|bits?|bytes?|days?|hours?|minutes?|mins?|secs?|seconds?"
    r"|chars?|times?"
    r"|tokens?|%)?[.,;:!?)]*|0[xob][0-9a-f]{1,16}|\d{1,6}(?:\.\d{1,6})+[-+~][\w.+~-]{1,40}|#?v\d[\w.#+-]{0,40}"
    r"|\d{4}-\d\d-\d\dt?[\d:.z+-]*"
)
"""A number, with what is counted; a version, a date, an address in memory."""
TECHNIQUE = re.compile(
    r"(?i)argon2\w{0,2}|sha-?\d{1,3}|md5|pbkdf2|ed25519|x25519|base\d\d|utf-?\d+|oauth-?\d?|oauth2\.\d|https?\d?"
    r"|http/\d(?:\.\d)?"
    r"|[hrep]s\d{3}|[al]?gpl-[\d.]+\S*|apache-2\.0|bsd-\d\S*|mpl-2\.0|cc-\w{2}\S{0,20}|eupl-\d\S*|aes-?\d*\w*"
    r"|rsa[-:]?\d*|py\d+|python\d*[\d.]*|es\d+|k8s|i18n|l10n|s3|ec2|ipv[46]|p12|pkcs#?\d+|x\.?509|tls\w*"
    r"|tls1\.\d|ssl\w*|sql\d*|win\d+|cl100k\w*|o200k\w*|bcrypt\w*|scrypt|ntlmv\d|(?:level|step|line|test|user"
    r"|phase)\d{0,4}|w3c|mp\d"
    r"|n?varchar2?|1password|log4j|x86\w*|a(?:md|rm)64\w*|neo4j|auth0|web3|osc\d+|c\+\+\d*|[a-z]\d{1,2}"
)
NO_VALUE = re.compile(
    r"(?i)[.^\\]|a-z|0-9|\$(?:\{|\(|[a-z_])|[<%{*\[]|#\{|\w{0,12}[<{[]|your|my[-_ ]?(?:secret|password|token|key|api)"
    r"|change[-_]?(?:me|it)|example|dummy|placeholder|redacted|todo|insert|enter|replace|some[-_]|here\b|n/a\b|enc\["
    r"|(?:required|nullable|sometimes)[|:]"
    r"|\w{1,12}://|op:|vault:|ssm:|arn:"
    r"|[^\n]{0,80}(?:\.[*+]|xxxx|\*\*\*|\.\.\.|…|\$\{|\{\{|redacted)"
)
"""What stands in the place of a value."""
PLAIN = word_set(
    "true false null none nil undefined string str text bool boolean int integer number any bytes required optional",
    "object array type password passwords passwort token tokens secret secrets key auth user username name value default",
    "yes no on off pass bearer unknown missing empty invalid expired wrong correct incorrect unset hidden visible strict",
    "include omit same-origin hashed plain plaintext encrypted basic digest oauth oauth2 jwt oidc saml ldap session",
    "cookie redis memory always never self this falsch store cache manager helper provider service field input prompt",
    "symbol unicode json yaml toml env environment config settings needed inherit mandatory there set not already still only",
    "also random unique stored valid opaque short long longer weak strong secure again authentication encryption hashing reset",
    "policy validation rotation protection popup redirect incorrecta incorrecto obligatoria errata errato obbligatoria",
    "verplicht onjuist wymagane nieprawidłowe błędne povinné nesprávné felaktigt obligatoriskt forkert feil pakollinen väärä",
    "obrigatória obligatorio obligatorisch verplichte hibás kötelező incorectă",
    "greșită yanlış gerekli falsch erforderlich obligatoire incorrect manquant manquante inválida",
)
WORDY = re.compile(
    r"[A-Za-z]?[a-z]{2,40}(?:[-_ ./:][A-Za-z]{2,40}|[A-Z][a-z]{1,20}){0,20}(?:[-_.]?\d{1,4})?"
    r"|[A-Z]{2,40}(?:[-_][A-Z]{2,40}){0,20}(?:[-_.]?\d{1,4})?"
)
"""Words of a name, whichever way they are joined, perhaps with a number."""
_NUMBERED = re.compile(WORDY.pattern.replace(r"\d{1,4}", r"\d{1,2}"))
"""The same with a number as things have, not with one as people choose it for a password."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_RUN = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_GROUPS = re.compile(r"(?:[A-Z0-9]{4,8}-){2,9}[A-Z0-9]{4,8}")
"""How keys of licences are printed."""
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F-]+")
_USUAL = word_set(
    "ab ac ad ag ai al am an ap ar as at au av ay ba be bi bl bo br bu by ca ce ch ci ck cl co cr ct cu da dd de di do",
    "dr du ea ec ed ee ef el em en ep er es et ev ex ey fa fe ff fi fo fr ga ge gi gn go gr ha he hi ho ht ia ic id ie",
    "if ig il im in io ir is it iv iz ke ki la ld le li ll lo ls lt lu ly ma me mi mm mo mp mu na nc nd ne ng ni nk nn",
    "no ns nt nu ob oc od of og ok ol om on oo op or os ot ou ov ow pa pe ph pi pl po pp pr pt pu qu ra rc rd re ri rk",
    "rm rn ro rr rs rt ru ry sa sc se sh si sk so sp ss st su sw sy ta te th ti to tr ts tt tu ty ub uc ud ue ui ul um",
    "un up ur us ut va ve vi vo wa we wh wi wo wr xp xt ye yp ys",
)
"""Pairs of letters of which words are made; of random letters one pair in three is one of these."""


def random(word: str, least: int) -> bool:
    """Whether a word of at least so many characters mixes small letters, capitals and digits as no name of a thing does."""
    if len(word) < least or word.islower() or word.isupper():
        return False
    runs = _RUN.findall(word)
    mixture = min(sum(map(str.isupper, runs)), sum(map(str.islower, runs))) > 1 and any(map(str.isdigit, runs))
    return mixture and sum(map(len, runs)) >= least and len(runs) * 3.5 >= len(word) and not speakable(word)


def is_mixture(word: str) -> bool:
    """Whether letters and digits change often, in any case: also hexadecimal numbers and what base 32 gives."""
    if _GROUPS.fullmatch(word):
        return DIGIT.search(word) is not None
    runs = _RUN.findall(word)
    size, numbers = sum(map(len, runs)), sum(map(str.isdigit, runs))
    if not 0 < numbers < len(runs) or len(runs) * 5 < size:
        return word.isupper() and word.isalnum() and size >= 16 and numbers > 0
    return (size >= 16 and _HEX.fullmatch(word) is not None) or not (speakable(word) or WORDY.fullmatch(word))


def speakable(word: str) -> bool:
    """Whether letters follow one another as they do in words: a name of several words does not, whatever its capitals.

    Parts of two letters are none, however well their letters agree.
    """
    parts = _PART.findall(word)
    if len(parts) > 6 and sum(map(len, parts)) < 2.4 * len(parts) and any(map(str.isdigit, parts)):
        return False
    runs = [run.lower() for run in _LETTERS.findall(word)]
    pairs = sum(map(len, runs)) - len(runs)
    usual = sum(run[at : at + 2] in _USUAL for run in runs for at in range(len(run) - 1))
    return pairs > 3 and usual > 0.7 * pairs


def choppy(value: str) -> bool:
    """Whether a long value has so many changes, or a UUID in it, that who names it a key is right."""
    parts = _PART.findall(value)
    dense = len(parts) > 6 and sum(map(len, parts)) < 3 * len(parts) and any(map(str.isdigit, parts))
    return len(value) >= 16 and (dense or UUID.search(value) is not None)


def likely(value: str) -> bool:
    """Whether a word of prose is a password rather than a word, a number, a path, an expression or a technique's name."""
    if len(value) < 5 or not _MIXTURE.search(value):  # most words of prose
        return False
    if NO_VALUE.match(value) or UNIT.fullmatch(value) or TECHNIQUE.fullmatch(value):
        return False
    digits, marks = any(map(str.isdigit, value)), any(mark in value[1:] for mark in "!#$%^*?@")
    if not any(map(str.isalpha, value)) or not (digits or marks) or PATH.match(value) or code(value):
        return False
    if marks and not digits:
        return not value.rstrip("!?=+*%&").isalpha() and "=" not in value
    return not (("_" in value or "-" in value) and _NUMBERED.fullmatch(value))


def is_secret(value: str) -> bool:
    """Whether a word where only a secret stands is one, rather than what stands in the place of one."""
    return not (NO_VALUE.match(value) or PATH.match(value) or value.isdigit() or value.lower() in PLAIN)


def strong(value: str) -> bool:
    """Whether a word is a password whoever says it: in the middle of its letters and digits stands a sign, or at their end."""
    return (
        len(value) >= 7
        and "/" not in value
        and any(mark in value[1:] for mark in "!#$%^*?")
        and any(map(str.isdigit, value))
        and any(map(str.isupper, value))
        and likely(value)
    )


def is_password(value: str) -> bool:
    """Whether a word is a password by itself: no number of a thing, no word with one digit, no address."""
    is_word = WORDY.fullmatch(value) and sum(map(str.isdigit, value)) < 2
    number = UUID.fullmatch(value) or _NUMBER.fullmatch(value) or "@" in value.strip("@")
    return strong(value) or (likely(value) and not is_word and not number)


def is_passphrase(value: str) -> bool:
    """Whether it is a phrase of three words and more that hyphens join."""
    return _PHRASE.fullmatch(value) is not None


_NUMBER = re.compile(r"(?:0x)?[0-9a-f]{24,}|[a-z]{1,4}-[0-9a-f]{8,}|[A-Z]{2}\d{10,}")
_PHRASE = re.compile(r"[a-z]{3,12}(?:-[a-z]{3,12}){2,8}")
_MIXTURE = re.compile(r"[\d!#$%^*?@]")
_CODE = re.compile(
    r"[A-Za-z_$@&*!][\w$]*+(?:(?:\??\.|->|::|\[)[\w$\]\"']++)++[(;,)!]*|[\w.:]++\(.*|[!@&*]\w+|[A-Za-z_]\w*+[=!+-]=.*"
    r"|[\w.]++\[.*",
    re.DOTALL,
)


def code(value: str) -> bool:
    """Whether an unquoted value is an expression: a name with dots, a call, a reference."""
    return _CODE.fullmatch(value) is not None and not random(value, 12)
