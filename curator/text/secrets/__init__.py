"""Where secrets stand in a text.

Two looks, each led by a search that costs next to nothing: names of secrets with what stands behind them (in code, data
files, headers, flags and prose), and what its form gives away (``forms``: words known by how their maker lets them
begin, by their randomness, by the name before them; key blocks, addresses, hashes of passwords). Every expression is
bounded or possessive, so that hostile input costs linear time.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator

from curator.text.clean import abroad
from curator.text.secrets import assigned, commands, forms, prose
from curator.text.secrets.values import DIGIT, Name, grade_of, is_mixture, is_passphrase, likely

Span = tuple[int, int]


def find(text: str) -> list[Span]:
    """The places of secrets, in order and apart."""
    data = text.encode("ascii", "replace")  # as many bytes as characters, and quicker to look through
    low = data.lower()
    apart: list[Span] = []
    for start, end in sorted((*forms.find_runs(text, data), *find_named(text, low), *forms.find_places(text, low))):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        elif start < end:
            apart.append((start, end))
    return apart


_HINT = re.compile(
    rb"c(?:re(?:d|t(?<=secret)|ate_?(?:super)?user(?:(?=\()|(?= [\w.-]{1,40} (?:sha|md5)))|atehmac(?=\())|od(?:ice"
    rb"|igo)(?= [a-z? ]{4,40}[: ]{1,3}\d{4})|[?]digo(?= [a-z? ]{4,40}[: ]{1,3}\d{4})|lave|ontrase|ontrasi|havei?|hiav"
    rb"|en[cs]e(?<=licence|license)|onnect(?:ion)?(?=\()|overy[ _-]?codes?|ratch[ _-]?codes?|ure(?:(?<=obscure)"
    rb"|(?=string))|(?![a-z])(?<=mnemonic)|ounts(?<=accounts)"
    rb"|ode(?:(?=[\"']?\s{0,3}[a-z?:=]{0,7}\s{0,3}[\"'`*]{0,2}\d{3})|(?<=(?:tion|time|.2fa|.mfa|.otp|.sms|.gin|rity"
    rb"|ress) code)|(?<=64encode)(?=\())|rypt\w{0,10}(?=\()| (?<=\bmc )(?:alias set|admin user add)"
    rb"|tl user add(?<=etcdctl user add)|ertificate(?:"
    rb"(?<=app.certificate)|(?<=appcertificate))|ommunity(?:(?<=server community)|(?<=\br[ow]community))"
    rb"|[\"' ](?<=basic.)[\"' +]{0,5}btoa(?=\())|p(?:ass|in\b|uk\b|(?=\()(?<=\bftp)|do(?=\()(?<=\bpdo)"
    rb"|(?= [\"'])(?<=: eap)|-basic(?<=http-basic)|arol|arool|hrase|[: ](?<=\s/p[: ])(?=\S)|asahit|(?=enssl rand )"
    rb"|(?![a-z])(?:(?<=otp"
    rb"|mdp)|(?=\()(?<=\bftp)|(?= [\"\'])(?<=: eap)))|-(?:(?<=samba-)tool user|(?<=[\s(]-)(?=[puawskbtnxc][ \"'\w]"
    rb"|hp[\w\"']|-(?:proxy-)?user[ =]))|h(?:(?<=auth|senh)|aslo|eslo|esla|mac(?:\.new)?(?=\()|ash(?:(?:pw|sync)(?=\()"
    rb"|(?<=\.hash)(?=\([\"'])))|g(?:[ -]?in(?<=login|og.in)|esl|(?<=encrypt_string))|f(?:ied by(?<=identified by)|(?=y"
    rb"|i[ckz])(?<=rif)|iants(?<=identifiants)|ig(?<=bundle config))|qli(?<=mysqli)(?=\()|qctl (?:add_user"
    rb"|change_password|authenticate_user)|w(?:achtwoord|ifi\b|i-fi\b|(?:(?<=pw)|(?<=psw))(?:gen\b)?|(?=ord)(?<=[^p]assw)|t\.(?<=jwt\.)(?:sign"
    rb"|encode|verify|decode)(?=\())|k(?:en(?<=token)|ey|enn?wort|ie(?<=cookie)|ode(?:(?<=gskode)|ord)|ata sandi"
    rb"|up[ _-]?codes?|(?![a-z])(?:(?<=psk)|(?<=bw unlock)|(?<=airportnetwork)))|z(?:ugangsdaten|ink(?<=lozink)|av(?<=jelszav)"
    rb"|o(?<=jelszo))|<<<"
    rb"|\|(?=[ \t]?(?:su|base64|cryptsetup|openssl|gpg|kinit|smbpasswd|kubeseal|age|gcloud secrets|wrangler secret"
    rb"|passwd)\b)|u(?=sers?[\"'\]]{0,2}\s?[:=\]])|>(?<= >)(?=[^\s=>]{4})"
)
"""A letter that is rare, and what must stand around it: cheaper by far than to look for each name by itself."""
_ABROAD = re.compile(
    r"密[码碼钥]|口令|令牌|パスワード|비번|トークン|暗証番号|비밀번호|토큰|лозинк[аеуо]|п(?:арол[ьяюе])|токен|ключ|ñ(?<=contraseñ)a|ł(?<=hasł)[oae]m?"
    r"|ö(?<=lö)senord\w{0,4}+"
    r"|ş(?:ifre)\w{0,8}+|ậ(?<=mậ)t khẩu|é(?<=clé)|كلمة (?:المرور|السر)|סיסמה|κωδικός|ü(?<=schlü)ssel|ó(?<=jelszó)"
    r"|ž(?<=slaptaž)odis|ð(?<=lykilorð)"
    r"|पासवर्ड|รหัสผ่าน|密语"
)
_SENT_ABROAD = re.compile(
    r"验证码|校验码|認証コード|確認コード|인증 ?번호|код (?:подтверждения|доступа|безопасности)|mã xác (?:minh|nhận)"
)
"""Names of codes that somebody was sent."""
_RARE = re.compile(r"(?i)(?P<name>salasana\w{0,4}+)|\bnet user? ")
"""Names without a letter that is rare."""
_LETTERS = re.compile("(?i)[密口令パト暗비토лпткñ验校認確인łöşậéكסκüóपरรžð]")
"""What ``_ABROAD`` begins with."""
_NAME = string.ascii_letters + string.digits + "_.-"
_WHOLE = re.compile(r"[\w-]{0,40}+")
_BESIDE = re.compile(r"([A-Za-z]{2,20})[ \t]$")
_CLOSING = frozenset("[\"'`])\\ \t=:,(>-{：\n!*<|?")
_PROSE = frozenset("\"'`) :=,—–-：")

_FOREIGN = frozenset(
    ("parola", "clave", "chave", "chiave", "heslo", "haslo", "senha", "passe", "creds", "credentials", "zugangsdaten")
)
_USER = re.compile(r"(?i)(?:user|uid|login|benutzer|usuario|utilisateur)[\w ]{0,6}[\"']?[ \t]?[:=, ][^\n]{1,40}$")

_NOUN = re.compile(r"\b(?:the|my|our|his|her|your|root|admin)[ ](?:[\w-]{1,20}[ ])?$")
"""Before what a pass is, when it is a word."""
_RESOURCE = re.compile(r"(?:\b(?:get|delete|describe|edit|patch|apply|create|annotate|label|rollout)[ ]|arn:[\w:-]{1,60}:)$")
"""What makes a secret the name of a thing in a cluster or a cloud."""
_DECODES = re.compile(r"[ ]?base64 (?:-d|-D|--d)")
_USUAL = frozenset((b"pass", b"ken", b"key", b"h", b"cred", b"cret", b"kie", b"gin", b"pin", b"w", b"phrase"))
"""Hints that are parts of names, most of all."""
_CODES = (b"code", b"f", b"codice", b"codigo", b"c?digo")
_SEALS = (b"code", b"crypt", b"createhmac", b"hmac", b"hash", b"wt.")
"""Calls that sign, encrypt or encode."""
_SURE = (
    b"codes",
    b" code",
    b"ifi",
    b"i-fi",
    b"user",
    b"_password",
    b"onnect",
    b"onnection",
    b"u",
    b"ounts",
    b"ommunity",
    b"ftp",
)
"""How hints end that are names by themselves."""
_SPECIAL = (
    _FOREIGN
    | commands.WORDS
    | prose.CODE_WORDS
    | prose.WORDS
    | {"identified by", "wifi", "wi-fi", "cookie", "secret", "passwd", "securestring", "assword", "ftp", "pdo", "mysqli"}
)
_ENDS = (*prose.PEOPLE, "_key", "-key", "code", "codes", "cookie", "authorization")
_LINE = re.compile(r"[^\n]{0,2000}+")
_CRUMB = re.compile(r"=[\"']?(?:s%3A)?(?P<value>[\w.~+/=%-]{16,2000}+)")


def find_named(text: str, low: bytes) -> Iterator[Span]:
    """What stands behind the names of secrets; ``low`` is the text in lower case, as ASCII."""
    done = 0
    for hint in _HINT.finditer(low):
        (start, end), found = hint.span(), hint[0]
        if found not in _USUAL and (spans := _nameless(text, found, start, end)) is not None:
            if start >= done:
                yield from spans
        elif start >= done:
            begin = max(done, start - 40)
            begin += len(text[begin:start].rstrip(_NAME))
            done = _WHOLE.match(text, end).end()  # type: ignore[union-attr]  # it matches the empty text, too
            word = text[begin:done]
            if grade_of(word) or found.endswith(_SURE) or _special(word.lower()):
                yield from _values(_name(text, begin, done))
    if b"salasana" in low or b"net use" in low:
        yield from _rare(text)
    if _LETTERS.search(abroad(text)):
        yield from _abroad(text)


def _special(low: str) -> bool:
    """Whether a name is looked at though it has no grade."""
    return low in _SPECIAL or "assw" in low or low.endswith(prose.PEOPLE)


def _nameless(text: str, found: bytes, start: int, end: int) -> Iterable[Span] | None:
    """What stands behind a hint that is no name; None behind one."""
    sign = text[start]
    if found == b"-":
        return commands.find_flags(text, start)
    if text.startswith(("penssl", "wgen"), start):
        return assigned.find_output(text, end)
    if sign == "|" and _DECODES.match(text, end):
        return assigned.find_output(text, end)
    if sign in "<|" or found in (b"p:", b"p "):
        return commands.arguments(text, start)
    if sign == ">":
        return commands.find_redis_rules(text, start)
    if found in _CODES and text[end : end + 1] != "(":
        return prose.find_sent_codes(text, start, end)
    return prose.find_in_signatures(text, end) if found.startswith(_SEALS) or found.endswith(b"btoa") else None


def _rare(text: str) -> Iterator[Span]:
    """What stands behind names without a rare letter."""
    for found in _RARE.finditer(text):
        if found["name"]:
            yield from prose.sentence_value(text, found.end(), 3)
        else:
            yield from commands.find_arguments(Name(text, found.start(), found.end() - 1, "", found[0].lower().strip(), " ", 0))


def _abroad(text: str) -> Iterator[Span]:
    """What stands around names in other letters."""
    small = text.replace("İ", "I").lower()  # the one letter that grows
    for found in _ABROAD.finditer(small):
        begin = small.rfind(" ", max(0, found.start() - 12), found.start() + 1) + 1
        if begin:
            yield from prose.before(Name(text, begin, found.end(), "", "", "", 3))
        if prose.ASCII.search(text, found.end(), found.end() + 80):
            yield from prose.sentence_value(text, found.end(), 3)
    for found in _SENT_ABROAD.finditer(small):
        yield from prose.find_digit_codes(text, found.end())


def _name(text: str, start: int, end: int) -> Name:
    """A name with its grade, which may depend on what stands before it."""
    word, after = text[start:end], text[end : end + 2]
    low = word.lower()
    if (
        low in _FOREIGN
        or low in ("identified by", "-pass", "--pass")
        or (low == "pass" and (not word.isupper() or after[:1] == "="))
    ):
        grade = 3
    elif low in ("key", "keys") and (beside := _BESIDE.search(text, max(0, start - 24), start)):
        grade = grade_of(f"{beside[1]}_key")
    else:
        grade = grade_of(word)
    noun = low == "pass" and text.startswith((" is ", " was "), end) and _NOUN.search(text, max(0, start - 40), start)
    if noun or (low in ("pass", "pwd", "p") and _USER.search(text, max(0, start - 60), start)):
        return Name(text, start, end, "password", "password", after, 3)
    return Name(text, start, end, word, low, after, grade)


def _values(name: Name) -> Iterator[Span]:
    """The values of a name."""
    special = (
        name.after[:1] == "("
        or (name.low == "key" and (name.grade > 1 or name.after[:1] == " "))
        or name.low in _SPECIAL
        or name.low.endswith(_ENDS)
    )
    if name.grade == 1 and not special:
        yield from _weak(name)
        return
    if special:
        yield from commands.find_arguments(name)
    if name.grade > 1:
        yield from assigned.beside(name)
        for span in (assigned.find_comment(name), assigned.below(name), assigned.alone(name)):
            if span:
                yield span
    if name.grade == 3 or "assw" in name.low:
        yield from prose.find_at_prompts(name)
    if name.after[:1] == "/" or (name.after[:1] in (".", "\\") and name.after[1:].isalnum() and name.low != "wifi"):
        return  # the name of something inside, a path
    if special:
        for look in _BY_WORD:
            yield from look(name)
    if _refers(name) or not name.grade:
        return
    for look in _BESIDE_IT[name.grade]:
        yield from look(name)
    if name.after[:1] in _CLOSING and (span := assigned.value(name)) and _passes(name, span):
        yield span
    elif name.word[0] != "-":
        for look in _AROUND[name.grade]:
            yield from look(name)


def _weak(name: Name) -> Iterator[Span]:
    """The value of a name that most often has none: most of them by far are keys of maps."""
    if name.after[:1] in _CLOSING and not _refers(name) and (span := assigned.value(name)):
        yield span


def _refers(name: Name) -> bool:
    """Whether it is what a test came to, or stands for its value: ``PASS:``, ``${PASSWORD}``, ``arn:aws:x:secret``."""
    outcome = name.low == "pass" and name.word.isupper() and name.after[:1] == ":"
    before = name.text[max(0, name.start - 80) : name.start]
    cloud = before[-1:] == ":" and _RESOURCE.search(before) is not None
    return outcome or cloud or (before[-2:] == "${" and name.after[:1] != ":")


def _passes(name: Name, span: Span) -> bool:
    """Whether a value is one, and not that a test passes."""
    value = name.text[slice(*span)]
    return (
        name.low != "pass"
        or (likely(value) and DIGIT.search(value) is not None)
        or is_passphrase(value)
        or (name.word == "PASS" and assigned.plain(value))
    )


def _find_pipes(name: Name) -> Iterator[Span]:
    """What is written into a program that has a word for it."""
    if name.low in commands.PIPED and (span := commands.find_pipe(name.text, name.start)):
        yield span


def _crumbs(name: Name) -> Iterator[Span]:
    """The values in the line of a header."""
    if name.low.endswith(("cookie", "authorization")) and name.after[:1] in ":\"'":
        line = _LINE.match(name.text, name.end)
        assert line is not None
        found = _CRUMB.finditer(name.text, name.end, line.end())
        yield from (crumb.span("value") for crumb in found if is_mixture(crumb["value"]))


def _prose_value(name: Name) -> Iterator[Span]:
    """What is said behind a name."""
    if name.low.startswith("secret") and _RESOURCE.search(name.text, max(0, name.start - 80), name.start):
        return
    if (name.grade > 1 or name.low == "login") and name.after[:1] in _PROSE and name.low not in ("pass", "pwd"):
        yield from prose.sentence_value(name.text, name.end, name.grade)


_BY_WORD = (
    commands.find_parameters,
    prose.find_pins,
    prose.credentials,
    prose.find_in_calls,
    prose.people,
    commands.find_directives,
    _find_pipes,
    _crumbs,
)
"""Looks for what certain words have with them."""
_BESIDE_IT = {1: (), 2: (assigned.items, assigned.column), 3: (assigned.aside, assigned.items, assigned.column)}
"""Looks beside a name, by its grade."""
_AROUND = {1: (_prose_value,), 2: (_prose_value,), 3: (_prose_value, assigned.row, prose.before)}
"""Looks where nothing is assigned, by the grade."""
