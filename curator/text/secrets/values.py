"""The tests of the rules: how strongly a name suggests a secret, and whether a value looks like one."""

from __future__ import annotations

import re
from functools import lru_cache

from curator.text.words import word_set

_NAME_PART = re.compile(r"[A-Z]{1,40}(?![a-z])|[A-Z]?[a-z]{1,40}")
_STRONG = re.compile(
    r"(?!(?:by|com|tres|sur|encom|over|under|im|no)pass$|nopasswd$)"
    r"(?:\w*(?:password|passwd|passphrase|passcode|passwort|passw|kennwort|secret)s?|\w+pass|\w+pwd|passe|pw|pswd?|psk"
    r"|senha|mdp|parola\w{0,2}|jelsz\w{1,8}|adgangskode"
    r"|contrase\w*|wachtwoord\w*|hesl[oau]m?|has[lł]\w{1,2}|adgangskode\w*|kodeord\w*|\w*salasana\w*|sandi|sandinya|gesl[oa]"
    r"|lozinka|parool\w{0,4}|parole|passord\w*|nenosiri|\w{2,20}pw|pasahitz\w{1,6}|contrasinal|credentials?|creds?|passin|passout"
    r"|masterauth|authtok)"
)
_WHOLE = word_set("clave chave chiave zugangsdaten -pass --pass") | {"identified by"}
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
_RUNS = word_set(
    "single one two three four multi first second third final next previous each every another render shader battle season",
    "tower",
)
"""Words before a pass that is a run over something, or a ticket of a game."""
_TAILS = word_set(
    "old new prod production staging stage dev test live ci local main default value values str string plain raw text",
    "base b hex env primary secondary backup header data impl confirmation confirm again repeat",
)


@lru_cache(maxsize=2048)
def grade_of(name: str) -> int:
    """Return which values of a name are secrets. 3: all; 2: those that look like one; 1: random ones; 0: the name says nothing.

    >>> [grade_of(name) for name in ("DB_PASSWORD", "apiKey", "key", "primary_key", "password_hash_algorithm")]
    [3, 2, 1, 0, 0]
    """
    if name.lower() in _WHOLE:
        return 3
    parts = [part.lower() for part in _NAME_PART.findall(name)]
    while len(parts) > 1 and parts[-1] in _TAILS:
        parts.pop()
    if (
        not parts or "existing" in parts or (name[0] == "-" and parts[0] in ("disabled", "no", "ask"))
    ):  # the name of one that is kept elsewhere
        return 0
    *rest, last = parts
    if last in ("pass", "pwd"):  # by itself the result of a test, or the folder of a shell
        return 0 if rest and rest[-1] in _RUNS else 3 if rest and rest[-1] not in ("old", "all", "any") else 2
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
"""A number with its unit, or a version, a date, or an address in memory."""
_LABEL = re.compile(
    r"(?:[A-Za-z]{1,20}[-_])?20\d\d-(?:[QW]?\d\d?|\d\d-\d\d)(?:[-_T][\w:.+-]{0,40})?|Q[1-4]-?20\d\d"
    r"|(?!(?:[A-Z0-9]{4,8}-){2})[A-Z]{1,8}\d?(?:-[A-Z]?\d{1,6}){1,3}[a-z]?|[A-Za-z]{0,8}#\d{1,6}|(?:RFC|ISO)\d{3,5}"
    r"|\d{1,4}(?:st|nd|rd|th|\.\d)?-[a-z]{2,12}(?:-[A-Za-z]{2,12})?"
)
"""A date with a word, a quarter or a week; or a ticket; or a measure such as ``16-hour-old``."""
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
    r"(?i)[.\\<{\[]|[\^%*](?!(?-i:(?=\D{0,40}\d)(?=[^a-z]{0,40}[a-z])(?=[^A-Z]{0,40}[A-Z])[\w!#%^*@-]{7,80}[\w!#@-]\Z))"
    r"|a-z|0-9|\$(?:\{|\(|[a-z_])|#\{|\w{0,12}[<{[]|your|my[-_ ]?(?:secret|password|token|key|api)"
    r"|change[-_]?(?:me|it)|example|dummy|placeholder|redacted|todo|insert|enter|replace|some[-_]|here\b|n/a\b|enc\["
    r"|(?:required|nullable|sometimes)[|:]"
    r"|\w{1,12}://|op:|vault:|ssm:|arn:"
    r"|[^\n]{0,80}(?:\.[*+]|xxxx|\*\*\*|\.\.\.|…|\$\{|\{\{|redacted)"
)
"""A placeholder for a value."""
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
"""Words like those of ``WORDY``, but with a number of at most two digits. People choose longer numbers for passwords."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_RUN = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_GROUPS = re.compile(r"(?:[A-Z0-9]{4,8}-){2,9}[A-Z0-9]{4,8}")
"""The printed form of licence keys."""
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F-]+")
_USUAL = word_set(
    "ab ac ad ag ai al am an ap ar as at au av ay ba be bi bl bo br bu by ca ce ch ci ck cl co cr ct cu da dd de di do",
    "dr du ea ec ed ee ef el em en ep er es et ev ex ey fa fe ff fi fo fr ga ge gi gn go gr ha he hi ho ht ia ic id ie",
    "if ig il im in io ir is it iv iz ke ki la ld le li ll lo ls lt lu ly ma me mi mm mo mp mu na nc nd ne ng ni nk nn",
    "no ns nt nu ob oc od of og ok ol om on oo op or os ot ou ov ow pa pe ph pi pl po pp pr pt pu qu ra rc rd re ri rk",
    "rm rn ro rr rs rt ru ry sa sc se sh si sk so sp ss st su sw sy ta te th ti to tr ts tt tu ty ub uc ud ue ui ul um",
    "un up ur us ut va ve vi vo wa we wh wi wo wr xp xt ye yp ys",
)
"""Pairs of letters that make words. In random letters, one pair in three is one of these."""


def is_measure(value: str) -> bool:
    """Return whether a word is a number of things, a date, a ticket or a technique's name."""
    return any(one.fullmatch(value) for one in (UNIT, _LABEL, TECHNIQUE))


def random(word: str, least: int) -> bool:
    """Return whether a word mixes small letters, capitals and digits as no name does. It has at least ``least`` characters."""
    if len(word) < least or word.islower() or word.isupper():
        return False
    runs = _RUN.findall(word)
    mixture = min(sum(map(str.isupper, runs)), sum(map(str.islower, runs))) > 1 and any(map(str.isdigit, runs))
    words = [run for run in runs if len(run) > 3 and run.islower()]
    named = sum(map(len, words)) * 2 > len(word) and speakable(" ".join(words))  # 1 in 60,000 random words of 20 letters
    return mixture and sum(map(len, runs)) >= least and len(runs) * 3.5 >= len(word) and not (named or speakable(word))


def is_mixture(word: str) -> bool:
    """Return whether letters and digits alternate often, in any case, as in hexadecimal numbers and base 32."""
    if _GROUPS.fullmatch(word):
        return DIGIT.search(word) is not None
    runs = _RUN.findall(word)
    size, numbers = sum(map(len, runs)), sum(map(str.isdigit, runs))
    if not 0 < numbers < len(runs) or len(runs) * 5 < size:
        return word.isupper() and word.isalnum() and size >= 16 and numbers > 0
    return (size >= 16 and _HEX.fullmatch(word) is not None) or not (speakable(word) or WORDY.fullmatch(word))


def speakable(word: str) -> bool:
    """Return whether the letters follow one another as in words.

    A name of several words does not pass, whatever its capitals. Parts of two letters do not pass either.
    """
    parts = _PART.findall(word)
    if len(parts) > 6 and sum(map(len, parts)) < 2.4 * len(parts) and any(map(str.isdigit, parts)):
        return False
    runs = [run.lower() for run in _LETTERS.findall(word)]
    pairs = sum(map(len, runs)) - len(runs)
    usual = sum(run[at : at + 2] in _USUAL for run in runs for at in range(len(run) - 1))
    return pairs > 3 and usual > 0.7 * pairs


def looks_random(value: str) -> bool:
    """Return whether a long value has so many changes, or a UUID, that a key's name is right."""
    parts = _PART.findall(value)
    dense = len(parts) > 6 and sum(map(len, parts)) < 3 * len(parts) and any(map(str.isdigit, parts))
    return len(value) >= 16 and (dense or UUID.search(value) is not None)


def likely(value: str) -> bool:
    """Return whether a word in prose is a password: no word, number, path, expression or technique's name."""
    if len(value) < 5 or not _MIXTURE.search(value):  # most words of prose
        return False
    if NO_VALUE.match(value) or is_measure(value):
        return False
    digits, marks = any(map(str.isdigit, value)), any(mark in value[1:] for mark in "!#$%^*?@")
    if not any(map(str.isalpha, value)) or not (digits or marks) or PATH.match(value) or code(value):
        return False
    if marks and not digits:
        return not value.rstrip("!?=+*%&").isalpha() and "=" not in value
    return not (("_" in value or "-" in value) and _NUMBERED.fullmatch(value))


def is_secret(value: str) -> bool:
    """Return whether a word in the place of a secret is one, and no placeholder."""
    return not (NO_VALUE.match(value) or PATH.match(value) or value.isdigit() or value.lower() in PLAIN)


def strong(value: str) -> bool:
    """Return whether a word is a password anywhere: it has a sign among or after its letters and digits."""
    return (
        len(value) >= 7
        and "/" not in value
        and any(mark in value[1:] for mark in "!#$%^*?")
        and any(map(str.isdigit, value))
        and any(map(str.isupper, value))
        and likely(value)
    )


def is_password(value: str) -> bool:
    """Return whether a word is a password by itself: no counted number, no word with one digit, no address."""
    is_word = WORDY.fullmatch(value) and sum(map(str.isdigit, value)) < 2
    number = UUID.fullmatch(value) or _NUMBER.fullmatch(value) or "@" in value.strip("@")
    return strong(value) or (likely(value) and not is_word and not number)


def is_passphrase(value: str) -> bool:
    """Return whether it is a phrase of three words and more that hyphens join."""
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
    """Return whether an unquoted value is an expression: a name with dots, a call, a reference."""
    return _CODE.fullmatch(value) is not None and not random(value, 12)


_NAMING = re.compile(r"(?i)passw|token|secret|^[\w-]+\.[\w.-]+$|\.\.|:$|(?:^|[-_.]|api|access|private|public|master)key$")
_FILE = re.compile(r"\.[a-z]{1,5}\d?$")
_COMMIT = re.compile(r"[0-9a-f]{7,12}")
_COUNTED = re.compile(r"[A-Za-z][a-z]{1,6}\d")
"""A numbered thing, such as the second of two."""
_ADJECTIVE = re.compile(
    r"(?:ed|ing|able|ible|ive|ory|ous|ful|less|ent|ant|isch|lich|ig|é|ée|ado|ada|ido|ida|oria|orio|ório|ória|oire|ante"
    r"|ente|ecta|ecto|icht|igt|ct|uist|ectă|inen|rata)$"
)
"""Endings of words that describe a password, in the languages with a known word for "is"."""
_HOST = re.compile(r"(?:[\w-]{1,60}\.){0,5}[\w-]{1,60}:\d{1,5}")
_NUMBERED_WORDS = re.compile(r"(?=[^A-Z]{0,60}[A-Z])[A-Za-z]{3,12}(?:[-_][A-Za-z]{3,12}){1,8}[-_]\d{2,4}")
_CHOSEN = re.compile(r"[A-Z]?[a-z]{3,20}[-_.]?\d{2,4}")


def has_digit(value: str) -> bool:
    """Return whether a digit is in it."""
    return DIGIT.search(value) is not None


def is_open(value: str) -> bool:
    """Return whether it can be a value at all: no placeholder, no word for one, no path."""
    placeholder = NO_VALUE.match(value) or value.lower().rstrip("?!") in PLAIN
    return len(value) >= 3 and not placeholder and not (PATH.match(value) and not random(value, 12))


def is_lowercase(value: str) -> bool:
    """Return whether small letters, joined by hyphens perhaps, may be a password."""
    good = len(value) >= 6 and value.isascii() and value.islower() and value.replace("-", "").isalpha()
    return good and value not in PLAIN and not NO_VALUE.match(value) and not _NAMING.search(value)


def is_long_mixture(value: str) -> bool:
    """Return whether it is a mixture of at least 16 characters."""
    return len(value) >= 16 and is_mixture(value)


def is_random(value: str) -> bool:
    """Return whether it is random and long enough to be a secret without a name."""
    body = value.rstrip("=.")
    return random(body, 20) and not UUID.fullmatch(body) and not _FILE.search(body)


def is_key(value: str) -> bool:
    """Return whether a value looks like the key that its name suggests."""
    marked = any(mark in value for mark in "!#$%^*?") and likely(value)
    return (len(value) >= 6 and (marked or is_mixture(value) or looks_random(value))) or is_weak_key(value)


def is_weak_key(value: str) -> bool:
    """Return whether a value looks like a key although its name usually means something else."""
    return random(value, 16) or (len(value) >= 20 and is_mixture(value))


def is_quoted_password(value: str) -> bool:
    """Return whether the quoted text after a password's name is the password."""
    shown = not value.isascii() and sum(map(str.isascii, value)) * 3 < len(value) * 2  # to people
    return is_open(value) and not shown and (has_digit(value) or not (" " in value or _NAMING.search(value)))


def is_quoted_phrase(value: str) -> bool:
    """Return whether the quoted text is a phrase of several words."""
    return " " in value and is_open(value)


def is_quoted_key(value: str) -> bool:
    """Return whether the quoted text after a key's name is the key."""
    return _is_quoted(value) and is_key(value)


def is_quoted_weak_key(value: str) -> bool:
    """Return whether the quoted text after the word key is a key."""
    return _is_quoted(value) and is_weak_key(value)


def _is_quoted(value: str) -> bool:
    return (
        is_open(value) and " " not in value and (looks_random(value) or not _NAMING.search(value)) and not UNIT.fullmatch(value)
    )


def is_constant(value: str) -> bool:
    """Return whether it is a password, where a constant is defined."""
    return is_open(value) and is_password(value)


def is_chosen(value: str) -> bool:
    """Return whether it is likely or a phrase, and no placeholder."""
    return is_open(value) and (likely(value) or is_passphrase(value))


def is_bare_password(value: str) -> bool:
    """Return whether a word without quotes is the password that its name suggests."""
    if not is_open(value) or code(value):
        return False
    if value.isdigit():
        return len(value) >= 4
    marked = has_digit(value) or any(mark in value for mark in "!#%^&*+~@")
    return (marked and (not value.isascii() or any(map(str.isalnum, value)))) or (
        not _NAMING.search(value) and not value.islower() and len(value) >= 12 and value.isalnum() and not speakable(value)
    )


def is_told_password(value: str) -> bool:
    """Return whether a word after a colon is a password. A number with a unit, a date or a ticket is none there."""
    return is_bare_password(value) and (value.isdigit() or not (UNIT.fullmatch(value) or _LABEL.fullmatch(value)))


def is_bare_word(value: str) -> bool:
    """Return whether a lower-case word may be a password where only a password is possible."""
    return is_open(value) and not code(value) and value.islower() and not _NAMING.search(value)


def is_bare_key(value: str) -> bool:
    """Return whether a word without quotes is the key that its name suggests."""
    return _is_bare(value) and is_key(value)


def is_bare_weak_key(value: str) -> bool:
    """Return whether a word without quotes after the word key is a key."""
    return _is_bare(value) and is_weak_key(value)


def is_bare_constant(value: str) -> bool:
    """Return whether a word is likely as the value of a variable."""
    return _is_bare(value) and (likely(value) or is_passphrase(value))


def _is_bare(value: str) -> bool:
    return is_open(value) and not code(value) and not is_measure(value)


def is_scheme_value(value: str) -> bool:
    """Return whether a word is the value of an authentication scheme."""
    return len(value) >= 8 and not value.islower() and not NO_VALUE.match(value)


def is_flag_key(value: str) -> bool:
    """Return whether a word after a flag is the key that the flag suggests."""
    return is_flag_weak_key(value) or is_mixture(value)


def is_flag_weak_key(value: str) -> bool:
    """Return whether a word after a flag is likely to be a key or is random."""
    return likely(value) or random(value, 16)


def is_flag_password(value: str) -> bool:
    """Return whether a word after a password's flag is the password."""
    return is_flag_key(value) or is_passphrase(value)


def is_flag_word(value: str) -> bool:
    """Return whether a word after a password's flag may be the password. In ``file:x``, the word is ``x``."""
    return is_lowercase(value.rpartition(":")[2])


def is_apart_password(value: str) -> bool:
    """Return whether a word at a distance from a password's name is the password."""
    value = value.removesuffix("**")
    return is_apart_key(value) or (_is_apart(value) and (is_password(value) or is_passphrase(value)))


def is_apart_key(value: str) -> bool:
    """Return whether a word at a distance from a key's name is the key."""
    value = value.removesuffix("**")
    return _is_apart(value) and ((is_mixture(value) and len(value) >= 12) or random(value, 16))


def _is_apart(value: str) -> bool:
    address = ("/" in value and not {".", ":"}.isdisjoint(value)) or ("@" in value[1:-1] and not likely(value))
    return is_secret(value) and not address and not _COMMIT.fullmatch(value)


def is_said_password(value: str) -> bool:
    """Return whether a word of a sentence about a password is it."""
    word = value.lstrip("=").rstrip(".?").strip("*_")
    if _COUNTED.fullmatch(word) or word[:1] == "-":
        return False
    grouped = is_passphrase(word) and not speakable(word)
    return grouped or (likely(word) and not _COMMIT.fullmatch(word)) or is_said_key(value)


def is_said_key(value: str) -> bool:
    """Return whether a word of a sentence about a key is it."""
    word = value.lstrip("=").rstrip(".?").strip("*_")
    return len(word) >= 8 and word[0] != "-" and likely(word) and (is_mixture(word) or strong(value))


def is_said_word(value: str) -> bool:
    """Return whether one word that a sentence ends with is a password rather than how one is."""
    word = value.rstrip(".!?")
    chosen = word.isalpha() and word[1:].islower() and word.lower() not in PLAIN and not _ADJECTIVE.search(word)
    joined = is_passphrase(word.replace("_", "-")) or _NUMBERED_WORDS.fullmatch(word) is not None
    return not NO_VALUE.match(word) and (chosen or joined)


def is_line_word(value: str) -> bool:
    """Return whether the only other word on a name's line is its value."""
    letters = value.isalpha() and len(value) >= 8 and not speakable(value)
    return is_secret(value) and (likely(value) or letters or is_passphrase(value))


def is_argument(value: str) -> bool:
    """Return whether an argument of a call is a secret by itself."""
    return not _HOST.fullmatch(value) and (is_password(value) or is_long_mixture(value) or is_passphrase(value))


def is_second_argument(value: str) -> bool:
    """Return whether it is a typical password after a user name."""
    return is_secret(value) and _CHOSEN.fullmatch(value) is not None


def is_client_secret(value: str) -> bool:
    """Return whether an argument after a client's id is its secret, which may have letters only."""
    letters = value.isalpha() and len(value) >= 12 and not value.islower() and not speakable(value)
    return letters or strong(value) or is_long_mixture(value)


def is_pair(value: str) -> bool:
    """Return whether an argument is a secret, or a user's name with one."""
    user, _, rest = value.partition(":")
    return likely(value) or is_mixture(value) or (user.isalnum() and is_secret(rest) and (likely(rest) or rest.count("-") > 1))


def is_phrase_or_password(value: str) -> bool:
    """Return whether it is a password by itself or a phrase."""
    return is_password(value) or is_passphrase(value)


def is_phrase_or_likely(value: str) -> bool:
    """Return whether it is likely to be a password, a phrase or small letters."""
    return likely(value) or is_passphrase(value)


def is_typed(value: str) -> bool:
    """Return whether it is an answer to a password prompt."""
    return is_phrase_or_likely(value) or is_lowercase(value)


def is_unmeasured(value: str) -> bool:
    """Return whether it is a secret and no number of a thing."""
    return is_secret(value) and not UNIT.fullmatch(value)


def anything(value: str) -> bool:
    """Return whether something is there: the expression has said all."""
    return bool(value)


def is_login(value: str) -> bool:
    """Return whether the text before an address's host is a password."""
    return not NO_VALUE.match(value) and value.lower() not in (*PLAIN, "pw", "pwd")


def is_node_key(value: str) -> bool:
    """Return whether the end of an address is a key."""
    return random(value, 24) or is_mixture(value)


def has_mixed_part(value: str) -> bool:
    """Return whether a part of a path is a mixture."""
    return any(map(is_mixture, value.split("/")))


def is_slashed(value: str) -> bool:
    """Return whether a value after a user and a slash is a password."""
    return is_password(value) or is_long_mixture(value)


def is_placed(value: str) -> bool:
    """Return whether it is no placeholder."""
    return not NO_VALUE.match(value)


def is_marked(value: str) -> bool:
    """Return whether it has a sign that few words but passwords have."""
    return strong(value) or (any(mark in value for mark in "!#$%^*?") and likely(value))


def is_community(value: str) -> bool:
    """Return whether it is a community of SNMP that not everybody knows."""
    return is_secret(value) and value.lower() not in ("public", "private")


def is_recovery_code(value: str) -> bool:
    """Return whether it is a code rather than a word or a number of things."""
    return has_digit(value) and (len(value) >= 6 or not UNIT.fullmatch(value))


def is_sealed(value: str) -> bool:
    """Return whether the signed or encoded value of a call is a secret."""
    return " " not in value and (is_phrase_or_password(value) or is_long_mixture(value))


def is_beside_password(value: str) -> bool:
    """Return whether the value of a field next to a password's name is the password."""
    return is_quoted_password(value) and " " not in value


def is_cell(value: str) -> bool:
    """Return whether a cell below a password's name is one."""
    return is_quoted_password(value) and (likely(value) or is_mixture(value))


def is_key_cell(value: str) -> bool:
    """Return whether a cell below a key's name is one."""
    return is_quoted_key(value) and (likely(value) or is_mixture(value))


def is_grouped(value: str) -> bool:
    """Return whether groups of letters are no words."""
    return not speakable(value)


def is_likely_quoted(value: str) -> bool:
    """Return whether an argument in quotes is a password."""
    return is_quoted_password(value) and likely(value)


def is_likely_key(value: str) -> bool:
    """Return whether an argument in quotes is a key."""
    return is_quoted_key(value) and likely(value)


def is_likely_weak_key(value: str) -> bool:
    """Return whether an argument after the word key is a key."""
    return is_quoted_weak_key(value) and likely(value)


def is_id_or_mixture(value: str) -> bool:
    """Return whether a word after a key's name is a number in groups or a mixture."""
    body = value.rstrip("=.")
    return len(body) >= 12 and (UUID.fullmatch(body) is not None or is_mixture(body))


def is_query_mixture(value: str) -> bool:
    """Return whether the value of a query is a key."""
    return not NO_VALUE.match(value) and is_mixture(value)


def is_stated(value: str) -> bool:
    """Return whether the value of a statement is no placeholder or word for one."""
    return value.lower() not in PLAIN and not NO_VALUE.match(value)


def is_bare_likely(value: str) -> bool:
    """Return whether a word is likely as the value of a constant."""
    return _is_bare(value) and likely(value)
