"""Names of secrets, and what stands behind them: in code, data files, headers, flags and prose."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from curator.text.clean import abroad
from curator.text.secrets import commands
from curator.text.secrets.grades import graded
from curator.text.secrets.values import (
    DIGIT,
    NO_VALUE,
    PATH,
    PLAIN,
    TECHNIQUE,
    UNIT,
    choppy,
    code,
    likely,
    mixed,
    random,
    speakable,
    strong,
)

Span = tuple[int, int]

_HINT = re.compile(
    rb"c(?:re(?:d|t(?<=secret))|lave|ontrase|ontrasi|havei?|hiav|en[cs]e(?<=licence|license)|onnect(?=\()|overy[ _-]?codes?"
    rb"|ratch[ _-]?codes?|ure(?:(?<=obscure)|(?=string))|(?![a-z])(?<=mnemonic))"
    rb"|p(?:ass|in\b|arol|arool|hrase|:(?<=\s/p:)|asahit|(?![a-z])(?<=otp|mdp))"
    rb"|-(?<=[\s(]-)(?=[puawskbtn][ \"'\w]|-(?:proxy-)?user[ =])"
    rb"|h(?:(?<=auth)|(?<=senh)|aslo|eslo|esla)"
    rb"|g(?:[ -]?in(?:(?<=login)|(?<=log.in))|esl|(?<=encrypt_string))|fied by(?<=identified by)"
    rb"|qctl (?:add_user|change_password)"
    rb"|w(?:achtwoord|ifi\b|i-fi\b|(?<=pw))|k(?:en(?<=token)|ey|enn?wort|ie(?<=cookie)|(?<=psk)|ode(?<=gskode)|ata sandi"
    rb"|up[ _-]?codes?)|z(?:ugangsdaten|ink(?<=lozink))|<<<"
    rb"|\|(?=[ \t]?(?:base64|cryptsetup|openssl|gpg|kinit|smbpasswd|kubeseal|age)\b)"
)
"""A letter that is rare, and what must stand around it: cheaper by far than to look for each name by itself."""
_ABROAD = re.compile(
    r"密[码碼钥]|口令|令牌|パスワード|비번|トークン|暗証番号|비밀번호|토큰|п(?:арол[ьяюе])|токен|ключ|ñ(?<=contraseñ)a|ł(?<=hasł)[oae]m?|ö(?<=lö)senord\w{0,4}+"
    r"|ş(?:ifre)\w{0,8}+|ậ(?<=mậ)t khẩu|é(?<=clé)|كلمة (?:المرور|السر)|סיסמה|κωδικός|ü(?<=schlü)ssel|ó(?<=jelszó)"
    r"|ž(?<=slaptaž)odis|ð(?<=lykilorð)"
    r"|पासवर्ड|รหัสผ่าน|密语"
)
_RARE = re.compile(r"(?i)(?P<name>salasana\w{0,4}+)|\bnet user? ")
"""Names without a letter that is rare."""
_LETTERS = re.compile("(?i)[密口令パト暗비토пткñłöşậéكסκüóपरรžð]")
"""What ``_ABROAD`` begins with."""
_NAME = string.ascii_letters + string.digits + "_.-"
_WHOLE = re.compile(r"[\w-]{0,40}+")
_BESIDE = re.compile(r"([A-Za-z]{2,20})[ \t]$")
_CLOSING = frozenset("\"'`])\\ \t=:,(>-{：\n!*<|?")
_PROSE = frozenset("\"'`) :=,—–-：")

_BEHIND = re.compile(
    r"(?i)(?P<close>(?:\\{0,3}[\"'`\])*]){0,4})"
    r"(?:(?P<link>(?:</\w{1,20}>\s{0,12}<\w{1,20}>(?=[^\s<>]{1,200}</)|[\s,]{0,12}(?:\{\s{0,12}"
    r"(?:[\w ]{1,24}=[^\n]{0,40}\n\s{0,12}){0,3}default[ \t]{0,12}=|\\{0,2}[\"']?[vV]alue\\{0,2}[\"']?[ \t]{0,4}[:=])))"
    r"|[ \t]{0,24}(?P<sep>:=|=>|->|={1,3}|!==?|:-(?=[^\s{}]{3,100}\})|:|：|\|\||\?\?|,(?=\s{0,24}[\"'])|\((?=[\"'])"
    r"|>(?=[^\s<>]{1,200}</))"
    r"|(?P<type>:[ \t]?[&\w\[\]<>|?. ]{1,24}=))"
    r"(?P<gap>[ \t]{0,24}(?:\w{1,12}\(\d{1,4}\)[ \t])?(?:[|>][-+]?\d?[ \t]{0,4}(?=\r?\n))?"
    r"(?:\r?\n[ \t]{1,24}(?:\w{1,12}\(\d{1,4}\)[ \t])?)?)"
    r"(?P<scheme>(?:Bearer|Basic|Token|ApiKey|Api-Key|Bot|Key|JWT|GenieKey|SSWS|Splunk|OAuth|Digest|PASSWORD)[ \t(]{1,2})?"
)
"""What joins a name to its value: ``=``, ``": "``, a type, ``value=`` of the same element, a header's scheme."""
_QUOTED = re.compile(
    r"[bfrunBFRUN@]{0,2}(?P<quote>\\{0,3}(?:\"\"\"|'''|[\"'`“„«]))(?P<value>[^\n]{0,400}?)(?:(?P=quote)|[”“»])"
)
_GROUPS = re.compile(r"[\"']?(?:[a-z]{4} ){3}[a-z]{4}(?![\w ])")
"""Passwords of programs, as a mail provider writes them."""
_ASIDE = re.compile(
    r"[ \t*]{0,20}(?:\t|\||→|\.{2,40}|\r?\n[ \t|]{0,4}[-=]{3,40}\r?\n)[ \t*`|]{0,20}(?P<value>[^\s\"'`|*]{5,100})[ \t`*]{0,20}"
    r"(?=\||\r?\n|\Z)"
)
"""What stands beside a name in a table, or under the line below it."""
_ITEM = re.compile(r":?\r?\n[ \t]{0,24}-[ \t]{1,4}[\"']?(?P<value>[^\s\"']{5,200})[\"']?[ \t]{0,4}(?=\r?\n|\Z)")
_BELOW = re.compile(
    r"(?:(?<=:)|[\"'`]{3})\r?\n[ \t>]{0,12}(?!\w{1,40}[=:])[\"'`]?(?P<value>[^\s\"'`]{6,100})[\"'`]?[ \t]{0,4}(?=\r?\n|\Z)"
)
_BARE = re.compile(r"[^\s\"'`,;<>()\[\]{}|\\，。；、]{1,400}+")
_SQL = re.compile(r"[ \t]{1,3}(?:AS[ \t])?'(?P<value>[^\s']{3,200})'")
_SPACE = re.compile(r"(?:=|[ \t]{1,2})(?=\S)")
_SENTENCE = re.compile(r"(?:(?![\"']{1,2}[,:]|\\n|\w{1,40}=)[^\n{};|<>]){0,64}")
_WORD = re.compile(r"[^\s\"'`,;:()\[\]{}<>|\\“”„«»，。：；、（）「」]{4,200}")
_ASCII = re.compile(r"[!#-&*-+\--~]{4,200}")
_SAID = re.compile(
    r"(?i)[ \t]{0,2}(?:(?:for|of|from|to|on|für|vom|der|des|de|du|del|do|da|di|per|la|le|el|o|the|our|my|das|den)[ \t]"
    r"(?:(?:the|our|my|this|your)[ \t])?"
    r"[\w./-]{1,24}[ \t]{1,2}){0,4}"
    r"(?:is|was|are|be|ist|war|lautet|est|es|son|é|è|to|jest|je|är|er|on|este|là|=|:|：)"
    r"(?:[ \t](?:now|currently|still|jetzt)|:)?[ \t]{0,3}"
    r"[\"'`“„«]?(?P<value>[^\s\"'`,;()\[\]{}<>“”„«»]{6,200})"
)
_PHRASE = re.compile(r"[ \t]{0,2}(?:is|:|=|ist|est|es|é|è|was)[ \t]{0,2}[\"'`“](?P<value>[^\"'`”\n]{6,200})[\"'`”]")
_AS = re.compile(
    r"[\"'`“„]?(?P<value>[^\s\"'`,;()<>“”„]{6,200})[\"'`”“]?[ \t](?:as|for|als|für|como|comme|come|is|ist|jako|как)[ \t]"
    r"(?:(?:the|a|an|our|my|your|das|dem|den|el|la|le|o|il|mot|de)[ \t]|[\w-]{1,20}[ \t]){0,3}$"
)
_SEVERAL = re.compile(r"[a-z]{3,12}(?:[-_][a-z]{3,12}){2,8}")
_COMMIT = re.compile(r"[0-9a-f]{7,12}")
_TOLD_OF = re.compile(
    r"(?:ed|ing|able|ible|ive|ory|ous|ful|less|ent|ant|isch|lich|ig|é|ée|ado|ada|ido|ida|oria|orio|ório|ória)$"
)
"""How words end that say how a password is, in the languages whose words for "is" are looked for."""
_NAMING = re.compile(r"(?i)passw|token|secret|^[\w-]+\.[\w.-]+$|\.\.|:$|key$")
_USER = re.compile(r"(?i)(?:user|login|benutzer|usuario|utilisateur)\w{0,6}[: ][^\n]{1,30}$")

_PAIR = re.compile(
    r"(?:[^\n]{0,40}?(?:[:=]|\b(?:with|as|mit|avec|con|are|sind|is)))?[ \t\"'`(]{1,3}[\w.@-]{2,40}(?:[ \t]?/[ \t]?|:)"
    r"(?P<value>[^\s\"'`/,;)]{4,100})"
)
_SEED = re.compile(r"[\"']?[ \t]{0,2}(?:is|:|=|ist)?[ \t]{0,3}[\"'`]?(?P<value>(?:[a-z]{3,8}[ \t]{1,2}){11,23}[a-z]{3,8})")
_PIN = re.compile(r"(?:[ \t]code)?[\"']?[ \t]{0,3}(?:is|:|=|ist|est|es|é|è)[ \t]{0,3}[\"'`]?(?P<value>\d{4,8})(?![\w.])")
_FOREIGN = frozenset(
    ("parola", "clave", "chave", "chiave", "heslo", "haslo", "senha", "passe", "creds", "credentials", "zugangsdaten")
)
_SPOKEN = (
    dict.fromkeys(("login", "log in", "log-in", "zugangsdaten", "creds", "credentials"), _PAIR)
    | dict.fromkeys(("phrase", "seed_phrase", "recovery_phrase", "mnemonic"), _SEED)
    | {"pin": _PIN, "otp": _PIN}
)
ROWS = 20
"""So many rows below a head, and codes below their name, are looked at."""
WIDTH = 500
"""Characters that a row of a table may have."""
_CODE = re.compile(r"(?<![\w-])[A-Za-z0-9]{4,12}(?:[- ][A-Za-z0-9]{4,12}){0,5}(?![\w-])")
_CODES = re.compile(
    r"\s{1,4}(?:[-*\d.)]{1,3}[ \t]{1,3})?"
    r"(?P<codes>(?=[^\n]{0,40}\d)[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){0,5})[ \t,`\"']{0,4}(?=\r?\n|\Z)"
)
_SIGNS = frozenset(",;\t|\n")
_HEAD = re.compile(
    r"(?![ \t]*+\d*+\t)(?:[^\n,;\t|]{0,80}+[,;\t|])?"
    r"(?:[ \t]{0,20}[\"']?[A-Za-z][\w .#-]{0,30}+[\"']?[ ]{0,20}[,;\t|]){0,30}(?:[ \t]{0,20}[\"']?[\w .-]{1,40}+[\"']?)?\s?"
)
"""The head of a table: names alone."""
_ARGUMENTS = re.compile(r"\(\s{0,12}(?:'[^'\n]{0,100}'|\"[^\"\n]{0,100}\"|[\w.]{1,40})(?P<rest>\s{0,4},[^()\n]{3,300})")
_HOST = re.compile(r"(?:[\w-]{1,60}\.){0,5}[\w-]{1,60}:\d{1,5}")
_CALL = re.compile(
    r"(?:[ \t]?=[ \t]?)?\w{0,30}\(\s?[\"'][^\"'\n]{1,60}[\"']\s{0,2},\s{0,2}[\"'](?P<value>[^\"'\n]{3,200})[\"']"
)
_SURE = (b"code", b"codes", b"ifi", b"i-fi", b"_user", b"_password", b"onnect")
"""How hints end that are names by themselves."""
_SPECIAL = _FOREIGN | commands.PIPED | {*_SPOKEN, "identified by", "obscure", "encrypt_string", "convertto-securestring"}
_ROW = re.compile(r"(?i)[^()\n]{0,200}\)\s{0,4}values\s{0,4}\((?P<cells>[^\n]{0,400})")
_CELL = re.compile(r"(?P<quote>['\"])(?P<value>[^'\"\n]{3,200})(?P=quote)")
_LINE = re.compile(r"[^\n]{0,2000}+")
_CRUMB = re.compile(r"=[\"']?(?:s%3A)?(?P<value>[\w.~+/=%-]{16,2000}+)")


def find(text: str, low: bytes) -> Iterator[Span]:
    """What stands behind the names of secrets; ``low`` is the text in lower case, as ASCII."""
    done = 0
    for hint in _HINT.finditer(low):
        start, end = hint.span()
        if text[start] == "-":
            yield from commands.flagged(text, start)
        elif text[start] in "<|" or hint[0] == b"p:":
            yield from commands.given(text, start)
        elif start >= done:
            start = max(done, start - 40)
            start = hint.start() - len(text[start : hint.start()]) + len(text[start : hint.start()].rstrip(_NAME))
            done = _WHOLE.match(text, end).end()  # type: ignore[union-attr]  # it matches the empty text, too
            name = text[start:done]
            if graded(name) or name.lower() in _SPECIAL or hint[0].endswith(_SURE):
                yield from _valued(text, start, done)
    if b"salasana" in low or b"net use" in low:
        for found in _RARE.finditer(text):
            yield from _told(text, found.end(), 3) if found["name"] else commands.behind(text, found.end() - 1)
    if _LETTERS.search(abroad(text)):
        for found in _ABROAD.finditer(
            text.replace("İ", "I").lower()  # the one letter that grows
        ):
            if _ASCII.search(text, found.end(), found.end() + 80):
                yield from _told(text, found.end(), 3)


def _valued(text: str, start: int, end: int) -> Iterator[Span]:
    """The values of a name."""
    name, after = text[start:end], text[end : end + 2]
    if after[:1] == "/" or (after[:1] in (".", "\\") and after[1:].isalnum()):
        return  # the name of something inside, a path
    low = name.lower()
    if "codes" in low or low.endswith(("y code", "h code", "p code")):
        yield from _codes(text, end)
    if low.startswith("wi") and (found := _PAIR.match(text, end)) and likely(found["value"]):
        yield found.span("value")
    if low in ("obscure", "encrypt_string", "convertto-securestring") or (" " in low and low.startswith("rabbitmqctl")):
        yield from commands.behind(text, end)
    if after[:1] == "(" and (call := _ARGUMENTS.match(text, end)):
        cells = (cell for cell in _CELL.finditer(text, *call.span("rest")) if not _HOST.fullmatch(cell["value"]))
        yield from (cell.span("value") for cell in cells if likely(cell["value"]))
    if (low == "pass" and name.isupper() and after[:1] == ":") or (
        text[max(0, start - 2) : start] == "${" and after[:1] != ":"
    ):
        return  # what a test came to; a name that stands for its value
    grade = 3 if low in _FOREIGN or low == "identified by" or (low == "pass" and not name.isupper()) else graded(name)
    if low in ("key", "keys") and (beside := _BESIDE.search(text, max(0, start - 24), start)):
        grade = graded(f"{beside[1]}_key")
    if low in _SPOKEN and (found := _SPOKEN[low].match(text, end)) and (_SPOKEN[low] is not _PAIR or likely(found["value"])):
        yield found.span("value")
    if low.endswith(("auth", "login")) and (found := _CALL.match(text, end)) and likely(found["value"]):
        yield found.span("value")
    if low in commands.PIPED and (echoed := commands.piped(text, start)):
        yield echoed
    if low.endswith(("cookie", "authorization")) and after[:1] in ":\"'":
        line = _LINE.match(text, end)
        assert line is not None
        yield from (crumb.span("value") for crumb in _CRUMB.finditer(text, end, line.end()) if mixed(crumb["value"]))
    if not grade:
        return
    if grade == 3 and (aside := _ASIDE.match(text, end)) and likely(aside["value"]):
        yield aside.span("value")
    item = _ITEM.match(text, end) if grade > 1 and after[:1] == ":" else None
    for _ in range(ROWS):
        if item is None or not (likely if grade == 3 else mixed)(item["value"]):
            break
        yield item.span("value")
        item = _ITEM.match(text, item.end())
    if grade > 1:
        yield from _column(text, start, end, grade)
    if after[:1] in _CLOSING:
        assigned = _assigned(text, name, end, grade)
        given = text[slice(*assigned)] if assigned else ""
        if assigned and (low != "pass" or (likely(given) and DIGIT.search(given))):  # tests pass, too
            yield assigned
            return
    if name[0] == "-":
        return
    if low == "pass" and _USER.search(text, max(0, start - 40), start):
        grade, low = 3, "password"
    if (grade > 1 or low == "login") and after[:1] in _PROSE and low not in ("pass", "pwd"):
        yield from _told(text, end, grade)
    if grade == 3 and (row := _ROW.match(text, end)):
        yield from (cell.span("value") for cell in _CELL.finditer(text, *row.span("cells")) if likely(cell["value"]))
    if (
        grade == 3
        and text[start - 1 : start] == " "
        and (match := _AS.search(text, max(0, start - 90), start))
        and likely(match["value"])
    ):
        yield match.span("value")


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


def _column(text: str, start: int, end: int, grade: int) -> Iterator[Span]:
    """What stands below a name that heads a column: in rows of as many cells."""
    sign = text[end : end + 3].lstrip("\"' \r")[:1] or text[max(0, start - 3) : start].rstrip("\"' ")[-1:]
    if sign not in _SIGNS:
        return
    begin, close = text.rfind("\n", max(0, start - WIDTH), start) + 1, text.find("\n", end, end + WIDTH)
    head = text[begin:close]
    before = text[begin:start]
    if sign == "\n":
        sign = before.rstrip("\"' ")[-1:]
    if (
        close < 0
        or begin + WIDTH < start
        or sign not in _SIGNS
        or sign == "\n"
        or sign not in head.strip(f" \t\r{sign}")
        or not _HEAD.fullmatch(head)
    ):
        return
    index, cells = before.count(sign), head.count(sign)
    for _ in range(ROWS):
        begin, close = close + 1, text.find("\n", close + 1, close + 1 + WIDTH)
        row = text[begin : close if close >= 0 else begin + WIDTH].split(sign)
        if not "".join(row).strip("-+:| \r"):
            continue
        if len(row) not in (cells + 1, cells) or len(row) <= index:
            return
        cell = row[index].strip("\"'` \r")
        at = begin + sum(map(len, row[:index])) + index + row[index].find(cell)
        if " " not in cell and _quoted(cell, "", grade) and (likely(cell) or mixed(cell)):
            yield at, at + len(cell)
        if close < 0:
            return


def _assigned(text: str, name: str, end: int, grade: int) -> Span | None:
    """What a name is given: behind a sign, or behind a flag's space."""
    behind = _BEHIND.match(text, end)
    if behind is None:
        space = _SPACE.match(text, end) if name[0] == "-" else None
        if space is None:
            sql = _SQL.match(text, end) if grade == 3 else None
            return sql.span("value") if sql and sql["value"].lower() not in PLAIN and not NO_VALUE.match(sql["value"]) else None
        quoted, bare = _QUOTED.match(text, space.end()), _BARE.match(text, space.end())
        if quoted:
            return quoted.span("value") if _quoted(quoted["value"], name, grade) else None
        return bare.span() if bare and (likely(bare[0]) or mixed(bare[0])) else None
    if grade == 3 and (groups := _GROUPS.match(text, behind.end())) and not speakable(groups[0]):
        return groups.span()
    if grade == 3 and behind["sep"] in (":", "=") and (below := _BELOW.match(text, behind.end())) and likely(below["value"]):
        return below.span("value")
    quoted = _QUOTED.match(text, behind.end())
    listed = behind["sep"] in (",", "(")
    if quoted:
        good = _quoted(quoted["value"], name, grade) and (not listed or likely(quoted["value"]))
        return quoted.span("value") if good else None
    bare = None if listed else _BARE.match(text, behind.end())
    if bare is None:
        return None
    value = bare[0].rstrip(".,:")
    schemed = behind["scheme"] and len(value) >= 8 and not value.islower() and not NO_VALUE.match(value)
    good = schemed or _bare(text, bare, value, name, grade, behind)
    return (bare.start(), bare.start() + len(value)) if good else None


def _quoted(value: str, name: str, grade: int) -> bool:
    if len(value) < 3 or NO_VALUE.match(value) or value.lower() in PLAIN or (PATH.match(value) and not random(value, 12)):
        return False
    if not value.isascii() and sum(map(str.isascii, value)) * 3 < len(value) * 2:
        return False  # what is shown to people
    if grade == 3:
        digits = any(map(str.isdigit, value))
        return digits or ("phrase" in name.lower() if " " in value else not _NAMING.search(value))
    if name.lower().endswith("pwd") and likely(value):
        return True
    return (
        " " not in value and (choppy(value) or not _NAMING.search(value)) and not UNIT.fullmatch(value) and _looks(value, grade)
    )


def _bare(text: str, bare: re.Match[str], value: str, name: str, grade: int, behind: re.Match[str]) -> bool:
    after, colon = text[bare.end() : bare.end() + 1], behind["sep"] == ":"
    if (
        len(value) < 3
        or NO_VALUE.match(value)
        or value.lower().rstrip("?!") in PLAIN
        or after in ("(", "[", "{")
        or code(value)
    ):
        return False
    if PATH.match(value) and not random(value, 12):
        return False
    if grade < 3:
        named = name.lower().endswith("pwd")
        tight = (named or (behind["sep"] == "=" and not behind["gap"] and name.isupper())) and likely(value)
        return not UNIT.fullmatch(value) and not TECHNIQUE.fullmatch(value) and (tight or _looks(value, grade))
    if value.isdigit():
        return len(value) >= 4
    if any(map(str.isdigit, value)) or any(mark in value for mark in "!#%^&*+~@"):
        return not (colon and UNIT.fullmatch(value)) and not (value.isascii() and not any(map(str.isalnum, value)))
    if _NAMING.search(value) or not value.islower():
        return False
    rest = text[bare.end() : bare.end() + 40].lstrip(" \t")[:1]
    if colon:
        return rest in ("", "\n", "\r", "#")
    return behind["sep"] == "=" and not behind["gap"] and text[bare.start() - 2] not in " \t" and after not in (",", ")", ".")


def _looks(value: str, grade: int) -> bool:
    """Whether a value looks like the key that its name speaks of."""
    marked = any(mark in value for mark in "!#$%^*?") and likely(value)
    return (
        (grade == 2 and len(value) >= 6 and (marked or mixed(value) or choppy(value)))
        or random(value, 16)
        or (len(value) >= 20 and mixed(value))
    )


def _told(text: str, end: int, grade: int) -> Iterator[Span]:
    """A value in prose: the first word behind a name, in its sentence, that is none of any language."""
    if grade < 3 and not DIGIT.search(text, end, end + 300):
        return
    rest = _SENTENCE.match(text, end)
    assert rest is not None
    for word in (_WORD if text[end : end + 1].isascii() else _ASCII).finditer(text, end, rest.end()):
        if text[word.start() - 1] == "\\":
            continue
        if word.end() == rest.end():
            word = _WORD.match(text, word.start()) or word  # the window cuts it
        value = word[0].rstrip(".?").strip("*_")
        if (grade == 3 and likely(value) and not _COMMIT.fullmatch(value)) or (
            len(value) >= 8 and likely(value) and (mixed(value) or strong(value))
        ):
            yield word.span()
            return
        if word[0][-1] in ".?" or text[word.end() : word.end() + 2] in (". ", "? "):
            break
    if grade < 3:
        return
    if (phrase := _PHRASE.match(text, end)) and " " in phrase["value"] and "phrase" in text[end - 10 : end].lower():
        yield phrase.span("value")
    said = _SAID.match(text, end)
    if said and not text[said.end() : rest.end()].strip("\"'`“”)*. \t"):
        value = said["value"].rstrip(".!?")
        spoken = any(map(str.isalpha, text[end : said.start("value")]))
        chosen = (
            value.isalpha()
            and (value.islower() or (spoken and value[1:].islower()))
            and value.lower() not in PLAIN
            and not _TOLD_OF.search(value)
        )
        if chosen or _SEVERAL.fullmatch(value):
            yield said.span("value")
