"""Secrets that a name is given: behind a sign or flag, in a list, a field, a line or a table.

A name that is itself the value of a field, and what it names in another field of the same object, before or behind it.

Values that are a line by themselves, or share it with a comment: the line tells their name, or the line before it does.

Values in the columns and rows of tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.values import (
    NO_VALUE,
    PATH,
    PLAIN,
    TECHNIQUE,
    UNIT,
    Name,
    choppy,
    code,
    is_mixture,
    is_passphrase,
    is_password,
    is_secret,
    likely,
    random,
    speakable,
)

Span = tuple[int, int]

ITEMS = 20
"""So many items of a list are looked at."""

_BEHIND = re.compile(
    r"(?i)(?P<close>(?:\[\d{0,4}\]|(?:\\{0,3}[\"'`\])*]){0,4}))"
    r"(?:(?P<type>(?::[ \t]?[&\w\[\]<>|?. ]{1,24}|(?<=\w)[ \t]\w{2,20}[ \t])=(?=[ \t]{0,4}[\"'`]))"
    r"|(?P<link>(?:[ \t]{1,4}\w{1,30}=\"[^\"\n]{0,60}\">\s{0,12}<value>"
    r"|(?<=auth-user-pass)>\s{1,8}[^\s<>]{1,80}\s{1,8}(?=[^\s<>]{1,200}\s{0,8}</)"
    r"|</\w{1,20}>\s{0,12}<\w{1,20}>(?=[^\s<>]{1,200}</)|[\s,]{0,12}(?:\{\s{0,12}"
    r"(?:[\w ]{1,24}=[^\n]{0,40}\n\s{0,12}){0,3}default[ \t]{0,12}="
    r"|(?::[ ]?\{[ ]?)?\\{0,2}[\"']?(?:(?:Parameter)?[vV]alue|with)\\{0,2}[\"']?[ \t]{0,4}[:=])))"
    r"|[ \t]{0,24}(?P<sep>:=|=>|->|={1,3}|!==?|:-(?=[^\s{}]{3,100}\})|:|：|\|\|=?|\?\?=?|,(?=\s{0,24}[\"'])|\((?=b?[\"'])"
    r"|\{(?=[ \t]{0,2}[\"'])|(?:[ \t]{1,4}[\w:]{1,30}=\"[^\"\n]{0,120}\"){0,3}>"
    r"(?P<inner>\s{0,12}<(?i:value|string|text)>)?\s{0,12}(?=(?:<!\[CDATA\[)?[^\s<>]{1,200}(?:\s{0,12}</|\]\]>|[<\]])))"
    r"|(?P<any>:[ \t]?[&\w\[\]<>|?. ]{1,24}=))"
    r"(?P<gap>[ \t]{0,24}(?:\w{1,12}\(\d{1,4}\)[ \t])?(?:[|>][-+]?\d?[ \t]{0,4}(?=\r?\n)|<<[-~]?\w{1,12}\r?\n)?"
    r"(?:\r?\n[ \t]{1,24}(?:\w{1,12}\(\d{1,4}\)[ \t])?)?)"
    r"(?:<!\[CDATA\[|\[(?=[\"'](?:Bearer|Basic|Token)))?(?:[\"'](?=(?:Bearer|Basic|Token)[ ]))?"
    r"(?P<scheme>(?:Bearer|Basic|Token|ApiKey|Api-Key|Bot|Key|JWT|GenieKey|SSWS|Splunk|OAuth|Digest|PASSWORD)[ \t(]{1,2})?"
)
"""What joins a name to its value: ``=``, ``": "``, a type, ``value=`` of the same element, a header's scheme."""

_QUOTED = re.compile(
    r"[bfrunBFRUN@$]{0,2}(?P<quote>\\{0,3}(?:\"\"\"|'''|[\"'`“„«]))(?P<value>[^\n]{0,400}?)(?:(?P=quote)|[”“»])"
)

_PADDED = re.compile(r"[A-Za-z0-9+/]{6,400}+={1,2}(?![\w=/+])")
"""Base64 whose end is filled up, as in a manifest of Kubernetes."""

_KEY = re.compile(r"\\{0,3}\s{0,3}[:=]")

_GROUPS = re.compile(r"[\"']?(?:[a-z]{4} ){3}[a-z]{4}(?![\w ])")
"""Passwords of programs, as a mail provider writes them."""

_ASIDE = re.compile(
    r"[ \t*]{0,20}(?:\t|\||→|\.{2,40}|\r?\n[ \t|]{0,4}[-=]{3,40}\r?\n)[ \t*`|]{0,20}(?P<value>[^\s\"'`|]{5,100}?)[ \t`*]{0,20}"
    r"(?=\||\r?\n|\Z)"
)
"""What stands beside a name in a table, or under the line below it."""

_ITEM = re.compile(r":?\r?\n[ \t]{0,24}-[ \t]{1,4}[\"']?(?P<value>[^\s\"']{5,200})[\"']?[ \t]{0,4}(?=\r?\n|\Z)")

_ARRAY = re.compile(r"\\{0,2}[\"']?\s{0,4}[:=]\s{0,4}\[(?P<cells>[^\[\]{}]{3,400})\]")

_CELL = re.compile(r"(?P<quote>[\"'])(?P<value>[^\"'\s]{5,200})(?P=quote)")

_BELOW = re.compile(
    r"(?:(?<=:)|[\"'`]{3})\r?\n[ \t>]{0,12}(?!\w{1,40}[=:])[\"'`]?(?P<value>[^\s\"'`]{6,100})[\"'`]?[ \t]{0,4}(?=\r?\n|\Z)"
)

_BARE = re.compile(r"[^\s\"'`,;<>()\[\]{}|\\，。；、]{1,400}+")

_SQL = re.compile(r"[ \t]{1,3}(?:AS[ \t])?'(?P<value>[^\s']{3,200})'")

_SPACE = re.compile(r"(?:=|[ \t]{1,2})(?=\S)")

_GAP = re.compile(r"[\"']?[ \t]{1,2}(?=\S)")

_SETTING = re.compile(r"(?:\b(?:[Ss][Ee][Tt](?:[Xx]|[Ee][Nn][Vv])?|ENV)|--secret|-x)[ \t]{1,3}[\"']?$")
"""What sets the name behind it."""

_COMMAND = re.compile(r"(?:^|[\s(])(?:-{1,2}[a-zA-Z][\w-]{0,30}[ =][^\n]{0,200}|(?:set|setx|setenv|ENV)[ \t]{1,3}[\"']?)$")
"""A line with options, or one that sets something."""

_LEAD = re.compile(
    r"(?:^|[\n$#`\"'])[ \t]{0,4}(?!(?:use|using|pass|add|with|the|set|see|try|via|supply|specify|give|and|or|if"
    r"|run)\b)[\w./-]{1,40}"
    r"(?:[ \t]{1,4}[\w./:=@-]{1,60}){0,6}[ \t]{1,4}$"
)
"""A program and its words."""

_GOES_ON = re.compile(r"[ \t]{1,3}(?!and\b)[A-Za-z][a-z]{1,20}(?:[ \t,]|\.(?:\s|\Z))")
"""A sentence goes on with words, a command with options."""

_ELEMENT = re.compile(r"\s{0,12}</(?!(?:label|th|td|dt|dd|a|b|code|span|p|li|h\d|option|button|em|strong)>)")

_SETS = re.compile(r"(?:^|\.)(?:set|with)[A-Z_]|_|\.|^[A-Z]+$")
"""Names of what sets a value, and of a value in a configuration."""

_NAMING = re.compile(r"(?i)passw|token|secret|^[\w-]+\.[\w.-]+$|\.\.|:$|(?:^|[-_.]|api|access|private|public|master)key$")


def value(name: Name) -> Span | None:
    """What a name is given: behind a sign, or behind the space of a flag."""
    text, word, grade = name.text, name.word, name.grade
    behind = _BEHIND.match(text, name.end)
    if behind is None:
        return _find_spaced(name)
    at, sep = behind.end(), behind["sep"]
    if grade == 3 and (groups := _GROUPS.match(text, at)) and not speakable(groups[0]):
        return groups.span()
    if grade == 3 and sep in (":", "=") and (below := _BELOW.match(text, at)) and likely(below["value"]):
        return below.span("value")
    if grade == 3 and sep in (":", "=") and (padded := _PADDED.match(text, at)):
        return padded.span()
    literal, argument = _QUOTED.match(text, at), sep in (",", "(")
    if literal and argument and _KEY.match(text, literal.end()):
        return None  # the next field's name
    if literal:
        good = is_secret_quote(literal["value"], word, grade) and (
            not argument
            or likely(literal["value"])
            or (
                grade == 3
                and plain(literal["value"])
                and (word[:2] == "--" or _SETS.search(word) or text[literal.end() : literal.end() + 1] == ")")
            )
        )
        return literal.span("value") if good else None
    bare = None if argument else _BARE.match(text, at)
    if bare is None:
        return None
    bare_word = bare[0].rstrip(".,:")
    schemed = behind["scheme"] and len(bare_word) >= 8 and not bare_word.islower() and not NO_VALUE.match(bare_word)
    good = schemed or _bare(text, bare, bare_word, word, grade, behind)
    return (bare.start(), bare.start() + len(bare_word)) if good else None


def _find_spaced(name: Name) -> Span | None:
    """What stands behind the space of a flag, of a command that sets what is named, of a word of SQL."""
    text, word, grade = name.text, name.word, name.grade
    space = _SPACE.match(text, name.end) if word[0] == "-" else None
    if space is None:
        if grade == 3 and (sql := _SQL.match(text, name.end)):
            return sql.span("value") if sql["value"].lower() not in PLAIN and not NO_VALUE.match(sql["value"]) else None
        space = (
            _GAP.match(text, name.end)
            if grade == 3 and not word.islower() and _SETTING.search(text, max(0, name.start - 24), name.start)
            else None
        )
        if space is None:
            return None
    literal, bare = _QUOTED.match(text, space.end()), _BARE.match(text, space.end())
    if literal:
        return literal.span("value") if is_secret_quote(literal["value"], word, grade) else None
    if bare is None:
        return None
    if word[0] == "-" and grade == 3 and is_passphrase(bare[0]):
        return bare.span()
    if (
        grade == 3
        and plain(bare[0].rpartition(":")[2])
        and not _GOES_ON.match(text, bare.end())
        and (
            _COMMAND.search(text, max(0, name.start - 300), name.start)
            or _LEAD.search(text, max(0, name.start - 200), name.start)
        )
    ):
        return bare.span()
    return bare.span() if likely(bare[0]) or (grade > 1 and is_mixture(bare[0])) or random(bare[0], 16) else None


def plain(value: str) -> bool:
    """Whether small letters, joined by hyphens perhaps, may be a password."""
    good = len(value) >= 6 and value.isascii() and value.islower() and value.replace("-", "").isalpha()
    return good and value not in PLAIN and not NO_VALUE.match(value) and not _NAMING.search(value)


def items(name: Name) -> Iterator[Span]:
    """The items of a list under a name."""
    if name.low[-1] == "s" and (array := _ARRAY.match(name.text, name.end)):
        for cell in _CELL.finditer(name.text, *array.span("cells")):
            if (likely if name.grade == 3 else is_mixture)(cell["value"]):
                yield cell.span("value")
        return
    item = _ITEM.match(name.text, name.end) if name.grade > 1 and name.after[:1] == ":" else None
    for _ in range(ITEMS):
        if item is None or not (likely if name.grade == 3 else is_mixture)(item["value"]):
            return
        yield item.span("value")
        item = _ITEM.match(name.text, item.end())


def aside(name: Name) -> Iterator[Span]:
    """What stands in the cell beside a name."""
    if name.grade == 3 and (found := _ASIDE.match(name.text, name.end)) and likely(found["value"]):
        yield found.span("value")


def is_secret_quote(value: str, name: str, grade: int) -> bool:
    """Whether what stands in quotes behind a name is its secret."""
    if len(value) < 3 or NO_VALUE.match(value) or value.lower() in PLAIN or (PATH.match(value) and not random(value, 12)):
        return False
    if not value.isascii() and sum(map(str.isascii, value)) * 3 < len(value) * 2:
        return False  # what is shown to people
    if grade == 3:
        digits = any(map(str.isdigit, value))
        return digits or ("phrase" in name.lower() if " " in value else not _NAMING.search(value))
    if name.isupper() and grade == 2 and is_password(value):
        return True
    if name.lower().endswith("pwd") and (likely(value) or is_passphrase(value)):
        return True
    return (
        " " not in value and (choppy(value) or not _NAMING.search(value)) and not UNIT.fullmatch(value) and _looks(value, grade)
    )


def _bare(text: str, bare: re.Match[str], value: str, name: str, grade: int, behind: re.Match[str]) -> bool:
    after, colon = text[bare.end() : bare.end() + 1], behind["sep"] == ":" or (behind["link"] or "")[-1:] == ":"
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
        is_password_name = name.lower().endswith("pwd")
        tight = (is_password_name or (behind["sep"] == "=" and not behind["gap"] and name.isupper())) and likely(value)
        return not UNIT.fullmatch(value) and not TECHNIQUE.fullmatch(value) and (tight or _looks(value, grade))
    if value.isdigit():
        return len(value) >= 4
    if any(map(str.isdigit, value)) or any(mark in value for mark in "!#%^&*+~@"):
        return not (colon and UNIT.fullmatch(value)) and not (value.isascii() and not any(map(str.isalnum, value)))
    if _NAMING.search(value):
        return False
    if (behind["link"] or (behind["sep"] or "").rstrip()[-1:] == ">") and _ELEMENT.match(text, bare.end()):
        return value.islower() and (
            bool(behind["close"] or behind["inner"]) or text.startswith(f"</{name}>", bare.end()) or is_passphrase(value)
        )
    if not value.islower():
        return len(value) >= 12 and value.isalnum() and not speakable(value)
    rest = text[bare.end() : bare.end() + 40].lstrip(" \t")[:1]
    if colon:
        return rest in ("", "\n", "\r", "#")
    return behind["sep"] == "=" and not behind["gap"] and text[bare.start() - 2] not in " \t" and after not in (",", ")", ".")


def _looks(value: str, grade: int) -> bool:
    """Whether a value looks like the key that its name speaks of."""
    marked = any(mark in value for mark in "!#$%^*?") and likely(value)
    return (
        (grade == 2 and len(value) >= 6 and (marked or is_mixture(value) or choppy(value)))
        or random(value, 16)
        or (len(value) >= 20 and is_mixture(value))
    )


WINDOW = 300
"""Characters around a name in which the other field is looked for."""

_NAMED = re.compile(
    r"(?i)(?:name|key|type|id|label|title|field|variable)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:[\w.-]{0,40}/){0,4}$"
)

_FIELD = re.compile(
    r"(?<![\w.-])[\"']?(?:[pP]arameter)?(?:[vV]alue|result|content|default|[sS]ecretString)[\"']?[ \t]{0,4}[:=][ \t]{0,4}"
    r"(?:(?P<quote>[\"'])(?P<literal>[^\"'\n]{3,200})(?P=quote)|(?P<bare>[^\s\"',;<>()\[\]{}|]{3,200}))"
)

_OPENS = re.compile(r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}(?:\{|\r?\n[ \t]{1,24}(?=value:))")
"""What opens an object behind its name."""

_SIGNS = (":", "=", "/")

_APART = re.compile(r"[{}]|\n[ \t]{0,20}-[ \t]|<\w|>|\n[ \t]{0,4}\n")
"""Where another object begins, or this one ends."""

_ENDS = re.compile(r"\}|\n[ \t]{0,20}-[ \t]|>|\n[ \t]{0,4}\n")


def beside(name: Name) -> Iterator[Span]:
    """The value of the field beside the one that has the name: ``{"value": "x", "name": "DB_PASSWORD"}``."""
    text, start, end = name.text, name.start, name.end
    inside = _OPENS.match(text, end)
    has_name = text[max(0, start - 3) : start].rstrip("\"' ")[-1:] in _SIGNS and _NAMED.search(text, max(0, start - 120), start)
    if has_name:
        before = [*_FIELD.finditer(text, max(0, start - WINDOW), start)]
        if before and not _APART.search(text, before[-1].end(), start):
            yield from _value(before[-1], name)
    if has_name or inside:
        begin = inside.end() if inside else end
        close = _ENDS.search(text, begin, end + WINDOW)
        found = _FIELD.search(text, begin, close.start() if close else end + WINDOW)
        if found:
            yield from _value(found, name)


def _value(field: re.Match[str], name: Name) -> Iterator[Span]:
    part = field.lastgroup or ""
    value = field[part]
    sure = part == "literal" or is_password(value) or is_mixture(value) or is_passphrase(value)
    if " " not in value and is_secret_quote(value, name.word, name.grade) and (sure or (name.word.isupper() and plain(value))):
        yield field.span(part)


LINE = 300
"""Characters of a line that are looked at."""

_COMMENT = re.compile(
    r"(?:^|[ \t;,)\]}])(?:#|//|--(?=[ \t])|/\*|<!--|<-|←|(?<=[`\"'][ ])[–—])[ \t]{0,4}(?:[\w/'-]{1,20}[ \t]){0,4}$"
)

_SIGN = re.compile(r"#|//|--[ ]|/\*|<!--|<-|←|[`\"'][ ][–—]")

_LINE_CELL = re.compile(r"[brf]?(?P<quote>[\"'`])(?P<value>[^\"'`\s]{5,200}?)(?:\\[rnt])*(?P=quote)")

_ALONE = re.compile(
    r"[ \t]*+(?:[-*+][ \t]{1,3})?(?:\w{1,40}[ \t]?[:=][ \t]?)?(?P<value>[^\s\"'`;,()\[\]{}]{5,200})[;,]?[ \t]*+"
)

_LINE_BELOW = re.compile(
    r"\n(?:[ \t>]{0,4}\r?\n|[ \t]{0,4}```\w{0,12}\r?\n){0,2}"
    r"[ \t>]{0,12}(?:\*\*|[`\"'])?(?P<value>(?![<{\[(])[^\s\"'`<>]{5,200}+)[`\"']?[ \t]{0,4}(?=\r?\n|\Z)"
)

_INTRODUCTIONS = (":", " is", " below", " below.", " ist", " est", " es", "↓")
"""How a line ends that announces the next one."""

_PROMPT = re.compile(r"(?:[$%❯➜»>]|^\+|[\w~)\]/]#)[ ]\S")
"""The sign of a shell before a command."""

_COMMIT = re.compile(r"[0-9a-f]{7,12}")

_PAIR = re.compile(r"[ \t]{1,4}(?P<value>\S{4,200})[ \t]{0,4}(?=\r?\n|\Z)")

_NEIGHBOR = re.compile(
    r"(?:user(?:name)?|login|host|hostname|account|server|email|from|port|machine)[ \t]{1,4}\S{1,80}[ \t]{0,4}\r?$"
)
"""A line of the same file, as programs for mail have it."""


def find_comment(name: Name) -> Span | None:
    """What stands before a comment that names it, in the same line: ``"x",  // the password``."""
    text, start = name.text, name.start
    if not _SIGN.search(text, max(0, start - 90), start):
        return None
    begin = max(text.rfind("\n", 0, start) + 1, start - LINE)
    sign = _COMMENT.search(text, max(begin, start - 90), start)
    if sign is None or sign.start() - begin < 5:
        return None
    close = sign.start() + 1
    cells = [*_LINE_CELL.finditer(text, begin, close)]
    if cells and not text[cells[-1].end() : sign.start()].strip(" \t;,)]}"):
        return cells[-1].span("value") if _secret(cells[-1]["value"], name.grade) else None
    whole = _ALONE.fullmatch(text, begin, close)
    return whole.span("value") if whole and _secret(whole["value"], name.grade) else None


def below(name: Name) -> Span | None:
    """What stands alone in the line below: a sentence announces it, or a command shows it."""
    text, start, end = name.text, name.start, name.end
    close = text.find("\n", end, end + LINE)
    found = _LINE_BELOW.match(text, close) if close >= 0 else None
    if found is None or not _secret(found["value"], name.grade):
        return None
    begin = max(text.rfind("\n", 0, start) + 1, start - LINE)
    introduced = text[max(end, close - 12) : close].rstrip(" \t*`\r").endswith(_INTRODUCTIONS)
    return found.span("value") if introduced or _PROMPT.search(text[begin:end]) else None


def find_output(text: str, at: int) -> Iterator[Span]:
    """What a command that makes or decodes a secret leaves in the line below it."""
    close = text.find("\n", at, at + LINE)
    if close >= 0 and (found := _LINE_BELOW.match(text, close)) and _secret(found["value"], 3):
        yield found.span("value")


def alone(name: Name) -> Span | None:
    """The value in a line of a name and a value: ``password x``."""
    text, start = name.text, name.start
    if not (name.word in ("pass", "pwd") or (name.grade == 3 and name.word.islower())):
        return None
    indent = text[max(0, start - 24) : start].rpartition("\n")[2]
    found = _PAIR.match(text, name.end) if not indent.strip() else None
    if found is None or not is_secret(found["value"]):
        return None
    begin = start - len(indent)
    if name.word in ("pass", "pwd"):  # also the outcome of a test, a command
        return found.span("value") if is_password(found["value"]) else None
    value = found["value"]
    before, behind = text[max(0, begin - LINE) : max(0, begin - 1)], text[found.end() : found.end() + LINE].lstrip("\r\n")
    near = _NEIGHBOR.search(before.rpartition("\n")[2].strip()) or _NEIGHBOR.match(behind.partition("\n")[0].strip())
    if (
        likely(value)
        or (value.isalpha() and len(value) >= 8 and not speakable(value))
        or is_passphrase(value)
        or (near and plain(value))
    ):
        return found.span("value")
    return None


def _secret(value: str, grade: int) -> bool:
    """Whether a word that stands apart from its name is what the name says."""
    value = value.removesuffix("**")
    if (
        not is_secret(value)
        or ("/" in value and not {".", ":"}.isdisjoint(value))
        or _COMMIT.fullmatch(value)
        or ("@" in value[1:-1] and not likely(value))
    ):
        return False
    if grade == 3 and (is_password(value) or is_passphrase(value)):
        return True
    return (is_mixture(value) and len(value) >= 12) or random(value, 16)


ROWS = 20
"""So many rows below a head are looked at."""

WIDTH = 500
"""Characters that a row of a table may have."""

_TABLE_SIGNS = frozenset(",;\t|\n")

_HEAD = re.compile(
    r"(?![ \t]*+\d*+\t)(?:[^\n,;\t|]{0,80}+[,;\t|])?"
    r"(?:[ \t]{0,20}[\"']?[A-Za-z][\w .#-]{0,30}+[\"']?[ ]{0,20}[,;\t|]){0,30}(?:[ \t]{0,20}[\"']?[\w .-]{1,40}+[\"']?)?\s?"
)
"""The head of a table: names alone."""

_ROW = re.compile(
    r"(?i)[^()\n]{0,200}\)\s{0,4}values\s{0,4}\((?P<cells>[^\n]{0,400}(?:\n\[[^\]\n]{1,80}\][ \t]\([^\n]{0,400})?)"
)
"""The values of an ``INSERT``, also where a log shows them in the line below."""

_TABLE_CELL = re.compile(r"(?P<quote>['\"])(?P<value>[^'\"\n]{3,200})(?P=quote)")


def row(name: Name) -> Iterator[Span]:
    """What a statement of SQL gives to the columns that it names."""
    if name.grade == 3 and (found := _ROW.match(name.text, name.end)):
        cells = _TABLE_CELL.finditer(name.text, *found.span("cells"))
        yield from (cell.span("value") for cell in cells if likely(cell["value"]) or is_passphrase(cell["value"]))


def column(name: Name) -> Iterator[Span]:
    """What stands below a name that heads a column: in rows of as many cells."""
    text, start, end, grade = name.text, name.start, name.end, name.grade
    sign = text[end : end + 3].lstrip("\"' \r")[:1] or text[max(0, start - 3) : start].rstrip("\"' ")[-1:]
    if grade < 2 or sign not in _TABLE_SIGNS:
        return
    begin, close = text.rfind("\n", max(0, start - WIDTH), start) + 1, text.find("\n", end, end + WIDTH)
    if close < 0 or begin + WIDTH < start:
        return
    head, before = text[begin:close], text[begin:start]
    if sign == "\n":
        sign = before.rstrip("\"' ")[-1:]
    if sign not in _TABLE_SIGNS or sign == "\n" or sign not in head.strip(f" \t\r{sign}") or not _HEAD.fullmatch(head):
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
        if " " not in cell and is_secret_quote(cell, "", grade) and (likely(cell) or is_mixture(cell)):
            yield at, at + len(cell)
        if close < 0:
            return
