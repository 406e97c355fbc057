"""Secrets in sentences: values behind a name, before it or in quotes, a user's name with a value beside it, codes and
seeds.

A user's name and a value stand together in prose, in calls, in maps and lists of people. Codes are PINs, one-time
codes, recovery codes, and words that people write down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.assigned import plain
from curator.text.secrets.values import (
    DIGIT,
    NO_VALUE,
    PLAIN,
    UNIT,
    Name,
    is_mixture,
    is_passphrase,
    is_password,
    is_secret,
    likely,
    speakable,
    strong,
)
from curator.text.words import contains_any, word_set

Span = tuple[int, int]

_SENTENCE = re.compile(r"(?:(?<=\w)\w|(?![\"']{1,2}[,:]|\\n|(?<!\w)\w{1,40}+=(?=\S))[^\n{};|<>]){0,64}")

_WORD = re.compile(r"[^\s\"'`,;:()\[\]{}<>|\\“”„«»，。：；、（）「」]{4,200}")

ASCII = re.compile(r"[!#-&*-+\--~]{4,200}")

_STATED = re.compile(
    r"(?i)[ \t]{0,2}(?:(?:for|of|from|to|on|für|vom|der|des|de|du|del|do|da|di|per|la|le|el|o|the|our|my|das|den)[ \t]"
    r"(?:(?:the|our|my|this|your)[ \t])?"
    r"[\w./-]{1,24}[ \t]{1,2}){0,4}"
    r"(?:is|was|are|be|ist|war|lautet|est|es|son|é|è|to|jest|je|är|er|on|este|là|=|:|：)"
    r"(?:[ \t](?:now|currently|still|jetzt)|:)?[ \t]{0,3}"
    r"[\"'`“„«]?(?P<value>[^\s\"'`,;()\[\]{}<>“”„«»]{6,200})"
)

_PHRASE = re.compile(
    r"[ \t]{0,2}(?:for[ \t][\w ./-]{1,40}[ \t])?(?:is|:|=|ist|est|es|é|è"
    r"|was)[ \t]{0,2}[\"'`“](?P<value>[^\"'`”\n]{6,200})[\"'`”]"
)

_AS = re.compile(
    r"[\"'`“„]?(?P<value>[^\s\"'`,;()<>“”„]{6,200})[\"'`”“]?[ \t](?:\(|(?:as|for|als|für|como|comme|come|is|ist|jako|как)[ \t])"
    r"(?:(?:the|a|an|our|my|your|das|dem|den|el|la|le|o|il|mot|de)[ \t]|[\w-]{1,20}[ \t]){0,3}$"
)

_SEVERAL = re.compile(r"[a-z]{3,12}(?:[-_][a-z]{3,12}){2,8}")

_OPTION = re.compile(r"[ \t]--?[a-z]")
"""A name with an option behind it is a command."""

_WORDS = re.compile(
    r"[\"']?[ \t]{0,2}(?:is|:|=|ist)[ \t]{0,2}(?P<value>(?:[a-z]{3,10}[ \t]){3,7}[a-z]{3,10})[ \t.]{0,2}(?=\n|\Z)"
)

_SMALL = re.compile(
    r"\b(?:the|your|must|for|this|with|from|and|not|are|can|has|was|use|used|should|enter|that|than|least|any|all|you"
    r"|der|die|das|ein)\b"
)
"""Words of which sentences are made, and phrases that protect something are not."""

_NUMBERED = re.compile(r"[A-Za-z][a-z]{1,6}\d")
"""A thing of which there are two."""

_ASKED = re.compile(
    r"[ \t](?:is generated )?(?:for|of|para|pour"
    r"|für)[ \t][^\n:]{1,60}:[ \t]{0,2}(?P<value>[^\s\"']{5,100})[ \t]{0,3}(?=\r?\n|\Z)"
)
"""A prompt with the answer behind it."""

_COMMIT = re.compile(r"[0-9a-f]{7,12}")

_ADJECTIVE = re.compile(
    r"(?:ed|ing|able|ible|ive|ory|ous|ful|less|ent|ant|isch|lich|ig|é|ée|ado|ada|ido|ida|oria|orio|ório|ória|oire|ante"
    r"|ente|ecta|ecto|icht|igt|ct|uist|ectă|inen|rata)$"
)
"""How words end that say how a password is, in the languages whose words for "is" are looked for."""


def before(name: Name) -> Iterator[Span]:
    """A value that is said to be one: ``use x as the password``."""
    text, start = name.text, name.start
    found = _AS.search(text, max(0, start - 90), start) if name.grade == 3 and text[start - 1 : start] in (" ", "(") else None
    if found and likely(found["value"]):
        yield found.span("value")


def sentence_value(text: str, end: int, grade: int) -> Iterator[Span]:
    """A value in prose: the first word behind a name, in its sentence, that is none of any language."""
    if grade < 3 and not DIGIT.search(text, end, end + 100):
        return
    rest = _SENTENCE.match(text, end)
    assert rest is not None
    if _OPTION.match(text, end):
        return
    for word in (_WORD if text[end : end + 1].isascii() else ASCII).finditer(text, end, rest.end()):
        if text[word.start() - 1] == "\\":
            continue
        if word.end() == rest.end():
            word = _WORD.match(text, word.start()) or word  # the window cuts it
        value = word[0].lstrip("=").rstrip(".?").strip("*_")
        if _NUMBERED.fullmatch(value) or value[:1] == "-":
            continue
        grouped = is_passphrase(value) and not speakable(value)
        if (grade == 3 and (grouped or (likely(value) and not _COMMIT.fullmatch(value)))) or (
            len(value) >= 8 and likely(value) and (is_mixture(value) or strong(word[0]))
        ):
            yield word.span()
            return
        if word[0][-1] in ".?" or text[word.end() : word.end() + 2] in (". ", "? "):
            break
    if grade < 3:
        return
    if (question := _ASKED.match(text, end)) and (likely(question["value"]) or is_passphrase(question["value"])):
        yield question.span("value")
    if (phrase := _PHRASE.match(text, end)) and " " in phrase["value"] and "phrase" in text[end - 10 : end].lower():
        yield phrase.span("value")
    if "phrase" in text[end - 10 : end].lower() and (words := _WORDS.match(text, end)) and not _SMALL.search(words["value"]):
        yield words.span("value")
    stated = _STATED.match(text, end)
    if stated and not text[stated.end() : rest.end()].strip("\"'`“”)*. \t"):
        value = stated["value"].rstrip(".!?")
        worded = any(map(str.isalpha, text[end : stated.start("value")]))
        chosen = not NO_VALUE.match(value) and (
            value.isalpha()
            and (value.islower() or (worded and value[1:].islower()))
            and value.lower() not in PLAIN
            and not _ADJECTIVE.search(value)
        )
        if chosen or (_SEVERAL.fullmatch(value) and not NO_VALUE.match(value)):
            yield stated.span("value")


ROWS = 20
"""So many people of a list are looked at."""

_PAIR_NAMES = word_set(
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

_NUMBERED_PAIR = re.compile(r"[A-Z]?[a-z]{3,20}[-_.]?\d{2,4}")
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

WORDS = _PAIR_NAMES
"""Names of what a user and a value are told with."""


def credentials(name: Name) -> Iterator[Span]:
    """A user and a value, as people tell each other."""
    back = _TO.search(name.text, max(0, name.start - 120), name.start) if name.low in ("login", "log in") else None
    if back and likely(back["value"]):
        yield back.span("value")
    if (name.low in _PAIR_NAMES or name.low.startswith("wi")) and (found := _PAIR.match(name.text, name.end)):
        value = found["value"]
        if likely(value) and not (name.low.startswith("wi") and "/" not in found[0] and ":" not in found[0]):
            yield found.span("value")


def find_in_calls(name: Name) -> Iterator[Span]:
    """The values among the arguments of a call."""
    text, end = name.text, name.end
    if name.low == "wifi" and text.startswith(".begin(", end):
        end += len(".begin")
    if text[end : end + 1] == "(" and (call := _ARGUMENTS.match(text, end)):
        cells = (cell for cell in _CELL.finditer(text, *call.span("rest")) if not _HOST.fullmatch(cell["value"]))
        for at, cell in enumerate(cells):
            human = (
                at == 1
                and is_secret(cell["value"])
                and (_NUMBERED_PAIR.fullmatch(cell["value"]) or name.low.startswith(_BASES))
            )
            if (
                human
                or is_password(cell["value"])
                or (len(cell["value"]) >= 16 and is_mixture(cell["value"]))
                or is_passphrase(cell["value"])
            ):
                yield cell.span("value")
    if name.low.endswith(("auth", "login")) and (found := _CALL.match(text, end)):
        alone = (found["gives"] or "." in name.word) and found["close"] and is_secret(found["value"])
        if likely(found["value"]) or (alone and found["value"] != found["user"]):
            yield found.span("value")


def find_in_signatures(text: str, end: int) -> Iterator[Span]:
    """The values in a call that signs, encrypts or encodes what it is given."""
    call = _MADE.match(text, end)
    if call is None:
        return
    for cell in _CELL.finditer(text, *call.span()):
        value, (start, close) = cell["value"], cell.span("value")
        if (
            (pair := _USER_AND.fullmatch(value))
            and not _HOST.fullmatch(value)
            and (likely(pair["value"]) or is_passphrase(pair["value"]) or plain(pair["value"]))
        ):
            yield pair.start("value") + start, close
        elif " " not in value and (is_password(value) or is_passphrase(value) or (len(value) >= 16 and is_mixture(value))):
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
        if one and (is_password(one["value"]) or likely(one["value"])):
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
            is_password(value)
            or (name.grade == 3 and likely(value))
            or (sure and not NO_VALUE.match(value))
            or (low.endswith("passwords") and entry["quote"] and plain(value))
        ):
            yield entry.span("value")
        at = entry.end()


def find_at_prompts(name: Name) -> Iterator[Span]:
    """What is typed behind a prompt that asks for a secret, or into its field."""
    text = name.text
    window = text[name.end : name.end + WINDOW]
    if not contains_any(window, _TYPES):
        return
    close = text.find("\n", text.find("\n", name.end) + 1) if "\n" in window else -1
    close = min(close if close >= 0 else len(text), name.end + WINDOW)
    found = _TYPED.search(text, name.end, close)
    if found and (
        likely(found["value"])
        or is_passphrase(found["value"])
        or (found[0].lower().startswith("send") and plain(found["value"]))
    ):
        yield found.span("value")


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
_CODE_LINE = re.compile(r"[^\n]{0,2000}+")

_DIGITS = frozenset(("pin", "otp", "puk", "--otp", "--pin", "--totp", "--token-code", "--mfa-code", "--otp-code"))
CODE_WORDS = _SEEDS | _DIGITS
"""Names of codes."""


def find_sent_codes(text: str, start: int, end: int) -> Iterator[Span]:
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


def find_digit_codes(text: str, end: int) -> Iterator[Span]:
    """A code of digits behind a name of another script."""
    found = _ANY.match(text, end)
    if found:
        yield found.span("value")


_ANY = re.compile(r"[^\d\n]{0,8}(?P<value>\d{4,8})(?![\d.])")


def find_pins(name: Name) -> Iterator[Span]:
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
    line = _CODE_LINE.match(text, end)
    assert line is not None
    yield from (
        code.span() for code in _CODE.finditer(text, *line.span()) if DIGIT.search(code[0]) and not UNIT.fullmatch(code[0])
    )
    for _ in range(ROWS):
        line = _CODES.match(text, line.end())
        if line is None:
            return
        yield line.span("codes")
