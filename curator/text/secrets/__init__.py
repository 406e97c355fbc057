"""Find the places of secrets in a text, by the rules of a table.

One search looks for the hints of all rules at once. A hint leads to its rules. A hint in a name leads to three kinds of rules:
for the text around the name, for the value assigned to it, and for a sentence about it. Long words have rules of their own.
Every expression is bounded or possessive, so hostile input costs linear time.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple

from curator.text.clean import non_ascii_characters
from curator.text.secrets.rules import AROUND, GIVEN, MADE, NAMES, PARTS, PLACES, RULES, SAID, WORDS, Rule, Test
from curator.text.secrets.values import anything, grade_of, has_digit, is_lowercase, is_passphrase, likely, random, speakable
from curator.text.words import contains_any

Span = tuple[int, int]

CONTEXT_CHARACTERS = 300
"""Characters before a hint that are looked at."""
MAX_NAME_DISTANCE = 64
"""Maximum distance between a long word and its name before it."""
MIN_RUN_CHARACTERS = 12
"""The number of letters and digits in a row that are looked at by themselves."""
MAX_TABLE_ROWS, MAX_ROW_CHARACTERS = 20, 500
"""The number of rows below the head of a table that are looked at, and the characters of each."""
COLUMN = "column"
"""The value of ``each`` for the cells below a name, which no expression can count."""
NO_MATCH = "(?!)"
_ALNUM = (string.ascii_letters + string.digits).encode()
_NARROW = bytes(97 if code in _ALNUM else 32 for code in range(256))
_WIDE = bytes(97 if code in _ALNUM or code in b"_-+/=.~" else 32 for code in range(256))
_FLAT = bytes(32 if code in b"\t\n\r" else code for code in bytes(range(256)).lower())
_RARE = "q@$<>'(k\":w/-fhmuplc"
"""Each hint has one of these signs and letters, rarest first. Only there, a text is compared with hints."""
_PART = re.compile(r"\{([a-z]+)\}")
_NAME = string.ascii_letters + string.digits + "_.-"
_SPLIT = re.compile(r"[^\w.+-]+")
_WHOLE = re.compile(r"[\w-]{0,40}+")
_BESIDE = re.compile(r"([A-Za-z]{2,20})[ \t]$")
_CLOSING = frozenset("[\"'`])\\ \t=:,(>-{：\n!*<|?")
_USER = re.compile(r"(?i)(?:user|uid|login|benutzer|usuario|utilisateur)[\w ]{0,6}[\"']?[ \t]?[:=, ][^\n]{1,40}$")
_NOUN = re.compile(r"\b(?:the|my|our|his|her|your|root|admin)[ ](?:[\w-]{1,20}[ ])?$")
"""The words before "pass" where it is a word."""
_MARKS = re.compile(
    r"(?:\A|\n|(?<!\\)\\++n)"
    r"(?:>(?: ?>)*+ ?|\+|-(?=[^ \t-]|  |- )|[ \t]{0,8}\d{1,6}(?:→|\t|: ?)|│ |[\w.-]{1,30}+[ \t]{0,20}+\| "
    r"|[ \t]{0,8}(?://|[#*;])[ \t]|\| (?![^\n]{0,200} \|))"
    r"|(?:\A|\n)\d{4}-\d\d-\d\d[T ][\d:.,]{8,18}(?:Z|[+-]\d\d:?\d\d)? "
    r"|(?<!\\)\\++(?P<escaped>[nt\"']|u[0-9a-fA-F]{4})"
)
"""The signs before the lines of a quotation, a change, a numbered file, a log or a comment, and the escapes of JSON."""
_SIGNS = {"n": "\n", "t": "\t"}
_RESOURCE = re.compile(r"(?:\b(?:get|delete|describe|edit|patch|apply|create|annotate|label|rollout)[ ]|arn:[\w:-]{1,60}:)$")
"""Words after which a secret is the name of a thing in a cluster or a cloud."""


class CompiledRule(NamedTuple):
    """A rule, ready to be asked about names of one grade."""

    rule: Rule
    test: Test
    of: re.Pattern[str]
    near: tuple[str, ...]
    words: frozenset[str]
    without: frozenset[str]
    before: re.Pattern[str] | None
    expression: re.Pattern[str]
    each: re.Pattern[str] | None


class Hint(NamedTuple):
    """A part of a text that leads to rules, or to a name."""

    text: bytes
    at: int
    """The position of its rarest letter."""
    looks: list[CompiledRule]
    is_name: bool


@cache
def compiled(expression: str) -> re.Pattern[str]:
    """Return an expression with its parts put in."""
    while (filled := _PART.sub(lambda part: PARTS[part[1]], expression)) != expression:
        expression = filled
    return re.compile(expression)


def find(text: str) -> list[Span]:
    """Return the places of secrets, in order and apart."""
    return _all().find(text)


@cache
def _all() -> Finder:
    return Finder(RULES)


class Finder:
    """A search for secrets by some rules of the table."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        kept = set(rules)
        made, self.words, places, self.around, self.given, self.said = (
            [rule for rule in part if rule in kept] for part in (MADE, WORDS, PLACES, AROUND, GIVEN, SAID)
        )
        self.made = compiled(f"(?<![A-Za-z0-9])(?:{'|'.join(rule.expression for rule in made) or NO_MATCH})")
        self.leads = tuple(lead for rule in made for lead in rule.hint.split("|") if not lead[-1].isalnum())
        self.last = frozenset(lead[-3:] for lead in self.leads)
        self.abroad, looks = dict[str, list[CompiledRule]](), dict[str, list[CompiledRule]]()
        for rule in places:
            far = not (rule.hint.isascii() and "{abroad}" not in rule.hint)
            for hint in [rule.hint] if far else rule.hint.split("|"):
                (self.abroad if far else looks).setdefault(hint, []).append(_look(rule, rule.value or anything))
        letters = {sign for hint in self.abroad for sign in compiled(hint).pattern if not sign.isascii()}
        self.letters = compiled(f"[{''.join(letters)}]" if letters else NO_MATCH)
        names = frozenset(NAMES.split("|"))
        found = [Hint(hint.encode(), _rarest(hint), looks.get(hint, []), hint in names) for hint in {*looks, *names}]
        self.hint = re.compile(_tree([(hint.text[hint.at :], hint) for hint in found]))
        self.alike = {first: list(some) for first, some in groupby(sorted(found, key=_first), _first)}
        self.hints: dict[bytes, list[Hint]] = {}
        self.looks: dict[tuple[int, int, str, str], list[CompiledRule]] = {}

    def find(self, text: str) -> list[Span]:
        """Return the places of secrets, in order and apart."""
        apart: list[Span] = []
        found = self._find_all(text)
        plain, places = _without_marks(text)
        if places:
            found += ((places[start], places[end]) for start, end in self._find_all(plain))
        for start, end in sorted(found):
            if apart and start <= apart[-1][1]:
                apart[-1] = apart[-1][0], max(end, apart[-1][1])
            elif start < end:
                apart.append((start, end))
        return apart

    def _find_all(self, text: str) -> list[Span]:
        data = text.encode("ascii", "replace")  # as many bytes as characters, and quicker to look through
        return [*self._find_words(text, data), *self._find_hints(text, data.translate(_FLAT)), *self._find_abroad(text)]

    def _hints_at(self, found: bytes) -> list[Hint]:
        """Return the hints that may occur where these bytes were found. A text needs few of all, so none is found before."""
        rests = [(hint, hint.text[hint.at :]) for hint in self.alike[found[:1]]]
        self.hints[found] = [hint for hint, rest in rests if rest.startswith(found) or found.startswith(rest)]
        return self.hints[found]

    def _find_hints(self, text: str, flat: bytes) -> Iterator[Span]:
        done, at, seen, search = 0, 0, dict[str, int](), self.hint.search
        while hit := search(flat, at):
            rarest = hit.start()
            at = rarest + 1
            for hint in self.hints.get(hit[0]) or self._hints_at(hit[0]):
                start = rarest - hint.at
                if start < 0 or not flat.startswith(hint.text, start):
                    continue
                for look in hint.looks:
                    if start >= seen.get(look.rule.name, 0) and (spans := _spans(look, text, start, start, seen)):
                        seen[look.rule.name] = max(end for _, end in spans)
                        yield from spans
                if hint.is_name and start >= done:
                    begin = max(done, start - 40)
                    begin += len(text[begin:start].rstrip(_NAME))
                    done = _WHOLE.match(text, start + len(hint.text)).end()  # type: ignore[union-attr]  # also the empty text
                    yield from self._find_named(text, begin, done)

    def _find_named(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Find the secrets around a name."""
        word, right = text[start:end], text[end : end + 1]
        grade = _grade(text, start, end, word)
        if not grade:
            return
        if word.lower() in ("pass", "pwd") and (_is_noun(text, start, end) or _USER.search(text, max(0, start - 60), start)):
            word, grade = "password", 3
        left = text[max(0, start - 3) : start].rstrip("\"' ")[-1:]
        for look in self._choose(self.around, grade, left, right):
            if look.of.search(word):
                yield from (
                    _column(text, start, end, look.test)
                    if look.each is None and look.rule.each
                    else _spans(look, text, start, end)
                )
        inside = right == "/" or (right in ".\\" and text[end + 1 : end + 2].isalnum())
        if inside or _refers(text, start, word, right):
            return
        if right in _CLOSING and (joint := compiled("{joint}").match(text, end)):
            for look in self._choose(self.given, grade, (joint.lastgroup or "").rstrip("2")):
                spans = _spans(look, text, start, joint.end()) if look.of.search(word) else []
                if word.lower() == "pass":
                    spans = [span for span in spans if _passes(word, text[slice(*span)])]
                if spans:
                    yield from spans
                    return
        if word[0] != "-":
            for look in self._choose(self.said, grade, left, right):
                if look.of.search(word):
                    yield from _spans(look, text, start, end)

    def _choose(self, rules: list[Rule], grade: int, left: str, right: str | None = None) -> list[CompiledRule]:
        """Return the rules for a name of this grade. The signs next to the name select them. Without ``right``, the kind of
        assignment selects them.
        """
        key = id(rules), grade, left, right or ""
        if key not in self.looks:
            chosen = [
                rule
                for rule in rules
                if (
                    left in rule.hint.split("|")
                    if right is None
                    else (not rule.hint or (right and right in rule.hint)) and (not rule.left or (left and left in rule.left))
                )
            ]
            self.looks[key] = [_look(rule, test) for rule in chosen if (test := _test(rule, grade))]
        return self.looks[key]

    def _find_abroad(self, text: str) -> Iterator[Span]:
        """Find secrets around names in other scripts."""
        if not text.isascii() and self.letters.search(non_ascii_characters(text).lower()):
            small = text.replace("İ", "I").lower()  # the one letter that grows
            for hint, looks in self.abroad.items():
                for found in compiled(hint).finditer(small):
                    for look in looks:
                        yield from _spans(look, text, found.start(), found.start())

    def _find_words(self, text: str, data: bytes) -> Iterator[Span]:
        """Find long words that are secrets by their maker's prefix or by their randomness."""
        runs, needle = data.translate(_NARROW) + b" ", b"a" * MIN_RUN_CHARACTERS
        if (at := runs.find(needle)) < 0:
            return
        wide = data.translate(_WIDE) + b" "
        public = [match.span() for match in compiled("{public}").finditer(text)] if b"-----BEGIN " in data else []
        done = 0
        while at >= 0:
            end = runs.find(b" ", at + MIN_RUN_CHARACTERS)
            run = text[at:end]
            led = text[at - 3 : at] in self.last and text.endswith(self.leads, max(0, at - 20), at)
            if led or not run.isalpha() or not (run[1:].islower() or run.isupper()):
                start, done = max(done, wide.rfind(b" ", 0, at) + 1), wide.find(b" ", end)
                if (
                    start < done
                    and (led or has_digit(text[start:done]))
                    and not any(begin <= start < close for begin, close in public)
                ):
                    yield from self._judge(text, start, done)
            at = runs.find(needle, end)

    def _judge(self, text: str, start: int, end: int) -> Iterator[Span]:
        word = text[start:end]
        made = [match.span() for match in self.made.finditer(word) if "xxxx" not in match[0].lower()]
        yield from ((start + begin, start + close) for begin, close in made)
        body = word.rstrip("=.")
        value = body[body.rfind("=") + 1 :].lstrip("-.%")
        if made or word.startswith("//") or (word[0] == "/" and not random(word, 20)):
            return  # the path that follows an address
        if "/" in value and any(len(part) > 4 and part.isalpha() and speakable(part) for part in value.split("/")):
            return  # a path
        begin = start + len(body) - len(value)
        named = compiled(r"{before}\n?\Z").search(text, max(0, begin - MAX_NAME_DISTANCE), begin)
        for look in self._choose(self.words, 2 if named and grade_of(named["name"]) > 1 else 3, "", ""):
            yield from _spans(look, text, begin, begin)


def _without_marks(text: str) -> tuple[str, list[int]]:
    """Return a text as it was before it was quoted, and the original position of each character.

    If nothing quotes it, there are no positions.
    """
    parts, places, at = list[str](), list[int](), 0
    for mark in _MARKS.finditer(text):
        escaped = mark["escaped"] or ("n" if mark[0][0] in "\n\\" else "")
        sign = chr(int(escaped[1:], 16)) if escaped[1:] else _SIGNS.get(escaped, escaped)
        if sign == "\n" and mark[0].count("\\") in (3, 6, 12):
            sign = "\\\n"  # which joins two lines of a command
        parts += text[at : mark.start()], sign
        places += *range(at, mark.start()), *[mark.start()] * len(sign)
        at = mark.end()
    return "".join((*parts, text[at:])), [*places, *range(at, len(text) + 1)] if parts else []


def _rarest(hint: str) -> int:
    return min(range(len(hint)), key=lambda at: _RARE.find(hint[at]) % 99)


def _tree(rest: list[tuple[bytes, Hint]]) -> bytes:
    """Return an expression for hints from their rarest letters on, the longer before its beginning."""
    parts = []
    for first, some in groupby(sorted(rest, reverse=True), lambda one: one[0][:1]):
        if first:
            parts.append(re.escape(first) + _tree([(text[1:], hint) for text, hint in some]))
        else:
            parts += [b"(?<=" + re.escape(hint.text) + b")" if hint.at else b"" for _, hint in some]
    return parts[0] if len(parts) == 1 else b"(?:" + b"|".join(parts) + b")"


def _first(hint: Hint) -> bytes:
    return hint.text[hint.at : hint.at + 1]


def _test(rule: Rule, grade: int) -> Test | None:
    return (rule.value, rule.key, rule.weak)[3 - grade] if grade else None


@cache
def _look(rule: Rule, test: Test) -> CompiledRule:
    near, words, without = (filter(None, signs.split("|")) for signs in (rule.near, rule.words, rule.without))
    before = compiled(rule.before + r"\Z") if rule.before else None
    each = compiled(rule.each) if rule.each not in ("", COLUMN) else None
    expression = compiled(rule.expression)
    return CompiledRule(rule, test, compiled(rule.of), (*near,), frozenset(words), frozenset(without), before, expression, each)


def _spans(look: CompiledRule, text: str, start: int, at: int, seen: dict[str, int] | None = None) -> list[Span]:
    """Return the matches of a rule around a hint at ``start``.

    The rule's expression is matched from ``at``. ``seen`` holds the end of a rule's last search for several values. curator
    therefore searches a text full of hints only once.
    """
    rule, begin, before, found = look.rule, start, "", None
    if look.before or look.words or look.without:
        line = 0 if rule.reach else _line(text, start)
        begin = line or max(0, start - (rule.reach or CONTEXT_CHARACTERS))
        before = text[begin:start]
        if look.near and not contains_any(before, look.near):
            return []
        if look.before and (rule.left or not rule.expression) and (found := look.before.search(before)) is None:
            return []  # cheaper than an expression that looks far
    behind = None if seen and look.each and start < seen.get(rule.name, 0) else look.expression.match(text, at)
    if behind is None:
        return []
    spans = _values(behind, 0, look.test) if look.each is None else _each(look, text, behind)
    if seen is not None and look.each:
        seen[rule.name] = behind.end()
    if not spans and (look.each or "value" in behind.re.groupindex):
        return []
    if look.words or look.without:
        words = _SPLIT.split(before)
        if (look.words and look.words.isdisjoint(words)) or not look.without.isdisjoint(words):
            return []
    if look.before and (found := found or look.before.search(before)) is None:
        return []
    return [*spans, *(_values(found, begin, look.test) if found else ())]


def _line(text: str, at: int) -> int:
    """Return the start of the line, or of the first line that backslashes join to it. Return 0 if that is too far away."""
    begin = text.rfind("\n", max(0, at - CONTEXT_CHARACTERS), at) + 1
    while begin > 1 and text[begin - 2] == "\\":
        begin = text.rfind("\n", max(0, at - CONTEXT_CHARACTERS), begin - 1) + 1
    return begin


def _values(found: re.Match[str], begin: int, test: Test) -> list[Span]:
    """Return the values in an expression's match. With a group ``rest``, also return the values that follow."""
    groups = found.groupdict()
    spans = [found.span(name) for name, value in groups.items() if value and name.startswith("value") and test(value)]
    if spans and "rest" in groups:
        spans.append(found.span("rest"))
    return [(start + begin, end + begin) for start, end in spans]


def _each(look: CompiledRule, text: str, behind: re.Match[str]) -> list[Span]:
    """Return the consecutive values in a rule's match."""
    spans = list[Span]()
    start, end = behind.span("region" if "region" in behind.re.groupindex else 0)
    for part in look.each.finditer(text, start, end) if look.each else ():
        if part.end() == end:
            part = part.re.match(text, part.start()) or part  # the window cuts it
        named = part.groupdict().get("name")
        test = _test(look.rule, grade_of(named.replace("%", "_"))) if named else look.test
        spans += _values(part, 0, test) if test else ()
        if spans and look.rule.first:
            break
    return spans


def _grade(text: str, start: int, end: int, word: str) -> int:
    """Return the grade of a name, which may depend on the text before it."""
    low = word.lower()
    beside = _BESIDE.search(text, max(0, start - 24), start) if low in ("key", "keys", "pass") else None
    if beside and (low != "pass" or not grade_of(f"{beside[1]}_pass")):
        return 0 if low == "pass" else grade_of(f"{beside[1]}_key")
    return 3 if low == "pass" and (not word.isupper() or text[end : end + 1] == "=") else grade_of(word)


def _is_noun(text: str, start: int, end: int) -> bool:
    return text.startswith((" is ", " was "), end) and _NOUN.search(text, max(0, start - 40), start) is not None


def _refers(text: str, start: int, word: str, right: str) -> bool:
    """Return whether it is a test result or a reference: ``PASS:``, ``${PASSWORD}``, ``arn:aws:x:secret``."""
    before = text[max(0, start - 80) : start]
    may_be_thing = before[-1:] == ":" or (right == " " and word.lower().startswith("secret"))
    is_thing = may_be_thing and _RESOURCE.search(before) is not None
    return is_thing or (word == "PASS" and right == ":") or (before[-2:] == "${" and right != ":")


def _passes(word: str, value: str) -> bool:
    """Return whether the value of a pass is one, and not that a test passes."""
    return (likely(value) and has_digit(value)) or is_passphrase(value) or (word == "PASS" and is_lowercase(value))


def _column(text: str, start: int, end: int, test: Test) -> Iterator[Span]:
    """Find the values below a name that heads a column, in rows with as many cells."""
    begin, close = (
        text.rfind("\n", max(0, start - MAX_ROW_CHARACTERS), start) + 1,
        text.find("\n", end, end + MAX_ROW_CHARACTERS),
    )
    if close < 0 or begin + MAX_ROW_CHARACTERS < start:
        return
    head, before = text[begin:close], text[begin:start]
    signs = text[end : end + 3].lstrip("\"' \r")[:1], before.rstrip("\"' ")[-1:]
    sign = next((sign for sign in signs if sign and sign in ",;\t|"), "")
    if not sign or sign not in head.strip(f" \t\r{sign}") or not compiled("{head}").fullmatch(head):
        return
    index, cells = before.count(sign), head.count(sign)
    for _ in range(MAX_TABLE_ROWS):
        begin, close = close + 1, text.find("\n", close + 1, close + 1 + MAX_ROW_CHARACTERS)
        row = text[begin : close if close >= 0 else begin + MAX_ROW_CHARACTERS].split(sign)
        if "".join(row).strip("-+:| \r"):
            if len(row) not in (cells + 1, cells) or len(row) <= index:
                return
            cell = row[index].strip("\"'` \r")
            at = begin + sum(map(len, row[:index])) + index + row[index].find(cell)
            if " " not in cell and test(cell):
                yield at, at + len(cell)
        if close < 0:
            return
