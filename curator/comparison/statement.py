"""Analyse a statement once for all comparisons: its words, stems, clauses, values, choices, form, and what it denies.

A root is what words of one meaning share: "deleting" and "removed" have one, and so have the parts of ``getUserName``.
Choices exclude one another, such as the package manager or the indentation. Of a known form are an entry ("`name` -
what it is") and a directive with a purpose ("use X for Y"): two entries of a list look alike and are about two things;
one with another name and the same description was renamed, and what is used for the same purpose takes the place of
what was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from curator.text.words import word_set

GROUPS: dict[str, str] = {
    "package manager": "npm pnpm yarn bun",
    "python packaging": "pip uv poetry pipenv conda pdm",
    "indentation": "tabs spaces",
    "test runner": "jest vitest mocha",
    "python tests": "pytest unittest nose",
    "browser tests": "playwright cypress selenium puppeteer",
    "linter": "eslint biome oxlint tslint",
    "formatter": "prettier biome dprint",
    "python linter": "ruff flake8 pylint",
    "type checker": "mypy pyright pytype",
    "hooks": "pre-commit prek husky lefthook",
    "database": "postgres postgresql mysql mariadb sqlite mongodb",
    "integration": "rebase merge",
    "quotes": "single-quotes double-quotes single-quoted double-quoted",
    "exports": "default-exports named-exports default-export named-export",
    "line endings": "lf crlf",
    "tense": "imperative past-tense",
    "logging": "log4j logback slog zap logrus zerolog",
    "sleep": "fake-timers real-timers",
}
"""The values of each key. A value in two groups counts for both."""

_SAME_CHOICE = {
    "postgresql": "postgres",
    "single-quoted": "single-quotes",
    "double-quoted": "double-quotes",
    "default-export": "default-exports",
    "named-export": "named-exports",
}
_KEYS: dict[str, list[str]] = {}
for _key, _values in GROUPS.items():
    for _value in _values.split():
        _KEYS.setdefault(_SAME_CHOICE.get(_value, _value), []).append(_key)
_NAMES = sorted({name for values in GROUPS.values() for name in values.split()}, key=len, reverse=True)
_VALUE = re.compile(
    r"(?<![\w/@.-])(" + "|".join(name.replace("-", "[- ]") for name in _NAMES) + r")(?![\w/-]|\.\w)", re.IGNORECASE
)
_AGAINST = re.compile(
    r"(?i)\b(?:instead of|rather than|not|never|no longer|don'?t|do not|avoid|stop|dropped|drop|"
    r"removed):?\s+(?:(?:use|using|run|running|uses|on|with|the|install)\s+){0,2}$"
)
_FOR = re.compile(
    r"(?i)(?:\b(?:use|uses|using|run|runs|running|prefer|prefers|install|installs|via|with|by|choose|adopt|"
    r"adopts|switch to|switched to|moved to|migrated to"
    r"|stay on|is|are|always|indent with|through)\s+)(?:(?:the|a|only|always|now|\d)\s+){0,2}$"
)
_MARKUP = "`*#->_ \t\"'"
_AFTER_COMMAND = re.compile(r"`?\s+(?:run|install|add|test|tests|build|dev|ci|exec|start|lint|check[\w-]*|hooks|only|for)\b")
"""What follows a value at the very start of a text that chooses it; "npm publish" and "npm stays at 9" tell nothing."""


@dataclass(frozen=True, slots=True)
class Facts:
    """For each key the value chosen and the values turned down, in lower case, these with the words that turn them down."""

    choices: dict[str, str]
    refusals: dict[str, dict[str, str]]


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def declarations(text: str) -> Facts:
    """The exclusive choices that a directive text makes; a key with two chosen values is left out as a comparison.

    >>> declarations("Use pnpm instead of npm").choices["package manager"]
    'pnpm'
    """
    chosen: dict[str, set[str]] = {}
    refused: dict[str, dict[str, str]] = {}
    for match in _VALUE.finditer(text):
        value = match[1].lower().replace(" ", "-")
        value = _SAME_CHOICE.get(value, value)
        before = text[max(0, match.start() - 40) : match.start()].rstrip("`\"'")
        against = _AGAINST.search(before)
        for key in _KEYS[value]:  # a bare mention is no choice
            if against:
                refused.setdefault(key, {})[value] = against[0] + text[match.start() - 1 : match.end()].strip("`\"' ")
            elif _FOR.search(before) or (not before.strip(_MARKUP) and _AFTER_COMMAND.match(text, match.end())):
                chosen.setdefault(key, set()).add(value)
    single = {key: next(iter(values)) for key, values in chosen.items() if len(values) == 1}
    return Facts(single, refused)


def rivals_of(facts: Facts) -> frozenset[str]:
    """Every value of the keys that a text declares, for a first wide search."""
    return frozenset(value for key in facts.choices.keys() | facts.refusals.keys() for value in GROUPS[key].split())


def clashes(older: Facts, newer: Facts) -> list[tuple[str, str, str]]:
    """``(key, words of older, words of newer)`` where the two can't both be followed."""
    found = []
    for key in sorted(older.choices.keys() | older.refusals.keys()):
        old, new = older.choices.get(key, ""), newer.choices.get(key, "")
        if old and new and old != new:
            found.append((key, old, new))
        elif new and new in older.refusals.get(key, ()):
            found.append((key, older.refusals[key][new], new))
        elif old and old in newer.refusals.get(key, ()):
            found.append((key, old, newer.refusals[key][old]))
    return found


TOKEN = re.compile(r"(?<![\w@.+/:*<>=$~-])[\w@.+/:*<>=$~-]*[\w*]")
"""A word or a name, in a text as ``normal_spelling`` gives it."""

_WORD_CODE = re.compile(r"`([^`\n]{1,120})`")

_PARTS = re.compile(r"[^\W_]+")

_WORD_ENDINGS = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")

NOISE = word_set(
    "a an the is are was were be been being am to of in on at for from by with as and or that which this "
    "these those it its we you i "
    "our your my us they their please so then now also just very there here has have had will would should "
    "can could may might do does "
    "did must need needs make sure ensure use used using always when if any all every each only new"
)

FORBIDS = word_set(
    "not never no don't dont cannot can't avoid without stop forbidden doesn't isn't shouldn't mustn't won't "
    "neither nor disabled"
)

REMEMBERED = 512
"""Statements that stay taken apart, at 28 KB each: some twenty times those that a new one is compared with."""

_NUMBERS = word_set("two three four five six seven eight nine ten once twice")


@dataclass(frozen=True, slots=True)
class Words:
    """``tokens`` in order, ``stems`` that carry the statement, ``values`` (numbers, names, code), words that ``forbid``."""

    tokens: tuple[str, ...]
    stems: frozenset[str]
    values: frozenset[str]
    forbids: frozenset[str]


@lru_cache(maxsize=4096)  # the same words come again in every statement
def stem(word: str) -> str:
    """A word without its grammatical ending."""
    return _WORD_ENDINGS.sub("", word)


def normal_spelling(text: str) -> str:
    """A text with one sign for an apostrophe, and "don't" as a word."""
    return text.replace("’", "'").replace("n't", "nt ").replace("N'T", "NT ")


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def analyse(text: str) -> Words:
    """The words of a statement.

    >>> sorted(analyse("Never run `npm install` on port 3000").values)
    ['3000', 'install', 'npm']
    """
    raw = [token.strip("*") for token in TOKEN.findall(normal_spelling(text))]
    tokens = tuple(token.lower() for token in raw if any(letter.isalnum() for letter in token))
    plain = [part for token in tokens for part in _PARTS.findall(token)]
    forbids = frozenset(word for word in text.lower().replace("’", "'").split() if word.strip(".,;:!*()\"'") in FORBIDS)
    stems = frozenset(stem(word) for word in plain if word not in NOISE and word not in ("not", "never", "no", "dont", "nt"))
    code = [word for quoted in _WORD_CODE.findall(text) for word in TOKEN.findall(quoted)]
    values = frozenset(token.lower() for token in (*filter(is_value, raw), *code))
    return Words(tokens, stems, values, forbids)


def forbidding(token: str) -> bool:
    """Whether a token, in lower case, forbids or denies."""
    return token in FORBIDS or (token.endswith("nt") and f"{token[:-2]}n't" in FORBIDS)


@lru_cache(maxsize=4096)
def is_value(token: str) -> bool:
    """Whether a token is a name, number, path or option rather than a word of the language."""
    if token.lower() in _NUMBERS:
        return True
    return (
        any(letter.isdigit() or letter in "_/.@+:=" for letter in token)
        or token.startswith("-")
        or token[1:] != token[1:].lower()
    )


_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_']*|\d+|[^\W\d_]+")

_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

_CLAUSE = re.compile(
    r"[;:.](?=\s)|,\s+(?=(?:so|but|because|since|not|use|run|which|and)\b)"
    r"|\s(?=(?:because|since|so that|instead of|rather than|otherwise|when|if|before|after|until|without)\b)"
)

_LABEL = re.compile(r"^\W*(?:\*\*[^*\n]{2,60}\*\*:?|\*\*[^*\n]{2,60}:\*\*|[A-Z][\w ]{2,30}:)\s+(?=\S+\s+\S+)")

_SYNONYMS = {
    "folder": "directory dir directories folders",
    "repo": "repository repositories repos",
    "config": "configuration configured configure configures settings setting",
    "localhost": "127",
    "doc": "docs documentation documented document documents",
    "cmd": "command commands",
    "env": "environment environments",
    "depend": "deps dependency dependencies",
    "auth": "authentication authenticated authenticate login",
    "fail": "error errors failure failures failed fails failing breaks broken crash crashes breakage",
    "remov": "delete deleted deletes deleting dropped drop drops removal remove removed removes removing",
    "test": "tests testing tested spec specs",
    "never": "forbidden ban banned",
    "method": "function functions methods",
    "db": "database databases",
    "js": "javascript",
    "ts": "typescript",
    "plain": "bare",
    "chang": "edit edited edits editing modify modified modifies alter alters change changed changes changing",
    "ms": "millisecond milliseconds",
    "second": "seconds sec secs",
    "start": "launch launches launched started starts",
    "call": "calls called calling invoke invoked invokes",
    "must": "mandatory required requires require need needs needed",
    "remark": "note notes noted",
    "build": "builds built building compile compiles compiled",
}
"""What developers say in several words."""

_SAME = {word: root for root, words in _SYNONYMS.items() for word in words.split()}

_ENDINGS = ("ations", "ation", "ings", "ing", "ments", "ment", "edly", "ied", "ies", "ed", "es", "ers", "er", "ly", "s")

MARKERS = {
    "scope": word_set("except unless only when if for during outside inside until while otherwise but"),
    "denial": word_set("not never no dont cannot cant avoid without stop forbidden doesnt isnt nor neither nothing"),
    "must": word_set("must always required require requires mandatory never only"),
    "may": word_set("may can optional optionally prefer preferred recommended should consider allowed fine acceptable"),
    "past": word_set(
        "replaced replaces moved renamed dropped drops removed removes switched switches superseded deleted became becomes",
        "migrated deprecated abandoned reverted changed instead longer now anymore merged reworked rewritten rejected",
    ),
    "fails": word_set(
        "fails fail failed failing error errors broken breaks crash crashes hangs undefined missing wrong stale cannot",
        "rejected ignored ignores silently loses lost unknown invalid",
    ),
    "cause": word_set("because since due cause caused causes so therefore otherwise hence"),
    "more": word_set("also and plus including additionally both e.g eg i.e such as"),
}
"""Words that tell what a sentence does, by what they tell."""

_PHRASES = {
    "replaced": r"\b(?:replac(?:ed|es|ing)(?: by| with)?|superseded?s?|in favou?r of)\b",
    "dropped": r"\b(?:drops?|dropped|retired?|abandon(?:ed|s)?|deprecated|moot|obsolete)\b",
    "removed": r"\b(?:removed|deleted|reverted|taken out|undone)\b",
    "moved": r"\b(?:moved?s? (?:to|from|into)|renamed|migrated|switch(?:ed|es)? to)\b",
    "no longer": r"\b(?:no longer|not any ?more|any longer|used to|formerly|previously)\b",
    "instead": r"\b(?:instead|rather than)\b",
    "now": r"\b(?:now|became|becomes|from now on)\b",
    "still": r"\b(?:still|keeps?|kept|remains?|stays?|unchanged)\b",
    "optional": r"\b(?:optional|not required|not needed|not necessary|may)\b",
    "wrong": r"\b(?:wrong|incorrect|never worked|did(?: not|n't) work|does(?: not|n't) work|rejected)\b",
}

PHRASES = {name: re.compile(pattern) for name, pattern in _PHRASES.items()}
"""Forms of words that speak of a change, by name, in lower case."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """One statement taken apart; everything in lower case."""

    words: Words
    roots: tuple[str, ...]
    """The roots that carry it, in order."""
    bag: frozenset[str]
    """The same once each."""
    clauses: tuple[frozenset[str], ...]
    """The roots of each clause of two or more; all of them where there is no such clause."""
    letters: frozenset[str]
    """Every four letters in a row, all that is not a letter or digit taken for one space."""
    facts: Facts
    marks: frozenset[str]
    """Which markers and phrases stand in it, and how it is written."""
    plain: str
    """Its tokens with single spaces."""


@lru_cache(maxsize=REMEMBERED)  # one new statement is compared with the same stored ones again and again
def analysis(text: str) -> Analysis:
    """Take a statement apart.

    >>> analysis("Deleting getUserName fails").roots
    ('remov', 'get', 'user', 'nam', 'fail')
    """
    words, carrying = analyse(text), roots(text)
    clauses = tuple(found for part in _CLAUSE.split(text) if len(found := frozenset(roots(part))) >= 2)
    flat = re.sub(r"\W+", " ", text.lower())
    return Analysis(
        words=words,
        roots=carrying,
        bag=frozenset(carrying),
        clauses=clauses or (frozenset(carrying),),
        letters=frozenset(map("".join, zip(flat, flat[1:], flat[2:], flat[3:], strict=False))),
        facts=declarations(text),
        marks=frozenset(_marks(text, words)),
        plain=" ".join(words.tokens),
    )


@lru_cache(maxsize=4096)
def root(word: str) -> str:
    """What a word in lower case has in common with its other forms and with what developers use in its place."""
    if word in _SAME:
        return _SAME[word]
    if len(word) > 4:
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3 and not (ending == "s" and word.endswith("ss")):
                word = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
                break
    word = word[:-1] if len(word) > 3 and word.endswith("e") else word
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "sl" else word


def roots(text: str) -> tuple[str, ...]:
    """The roots of a text in order, without words that carry nothing."""
    return tuple(found for word in _WORD.findall(text.replace("’", "'")) for found in _word_roots(word))


@lru_cache(maxsize=4096)
def token_roots(token: str) -> tuple[str, ...]:
    """The roots of one token: the same again for a word that comes again."""
    return roots(token)


@lru_cache(maxsize=4096)
def _word_roots(word: str) -> tuple[str, ...]:
    parts = [word] if "'" in word else _CAMEL.findall(word) or [word]
    return tuple(root(low) for part in parts if (low := part.lower()) not in NOISE)


def without_label(text: str) -> str:
    """A rule without the label that stands before it.

    >>> without_label("**Build first**: run make before the tests")
    'run make before the tests'
    """
    return _LABEL.sub("", text, count=1)


def _marks(text: str, words: Words) -> list[str]:
    tokens = {token.replace("'", "").replace("’", "") for token in words.tokens}
    found = [name for name, listed_ in MARKERS.items() if listed_ & tokens]
    low = text.lower()
    found += [f"~{name}" for name, pattern in PHRASES.items() if pattern.search(low)]
    shown = {
        "bold": "**" in text,
        "code": "`" in text,
        "code first": text.startswith("`"),
        "bracket": "(" in text,
        "ended": text.rstrip().endswith("."),
        "semicolon": ";" in text,
        "lower": text[:1].islower(),
        "sentences": ". " in text,
        "dash": "—" in text or "–" in text,
        "markup": re.match(r"\W", text) is not None or "](" in text or "→" in text or "//" in text or " # " in text,
        "middling": 9 < len(text.split()) <= 32,
    }
    return found + [f"+{name}" for name, shows in shown.items() if shows]


_CODE = re.compile(r"`[^`\n]+`")

_COMMAND = re.compile(
    r"(?:\$ )?(?:uv|npm|npx|pnpm|yarn|bun|cargo|go|make|git|python3?|pytest|docker|node|gh|dotnet|mvn|composer|just|nx"
    r"|poetry|pip|cd|ruff|mix|\./\S+)\s+[\w./-]+"
)
"""How a line begins that is a command and nothing else, but for a remark behind ``#``."""

_PROSE = 12
"""A line of more words that begins like a command is a sentence about it."""

_LETTER = re.compile(r"[^\W_]")


class Token(NamedTuple):
    """A word in lower case, what stands between it and the word before, and whether it is code."""

    word: str
    gap: str
    code: bool


@lru_cache(maxsize=REMEMBERED)  # as in ``words.analysed``, whose tokens these are
def statement_tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a statement.

    >>> [(token.word, token.gap, token.code) for token in statement_tokens("Run `make`, then push")]
    [('run', '', False), ('make', ' `', True), ('then', '`, ', False), ('push', ' ', False)]
    """
    plain = normal_spelling(text)
    code = [match.span() for match in _CODE.finditer(plain)] or _command(plain)
    found, last, at = [], 0, 0
    for match in TOKEN.finditer(plain):
        word = match[0].strip("*")
        if _LETTER.search(word):
            start, end = match.span()
            while at < len(code) and code[at][1] <= start:
                at += 1
            found.append(Token(word.lower(), plain[last:start], at < len(code) and code[at][0] <= start))
            last = end
    return tuple(found)


def _command(text: str) -> list[tuple[int, int]]:
    line, remark, _ = text.partition(" #")
    return [(0, len(line))] if _COMMAND.match(text) and (remark or len(line.split()) <= _PROSE) else []


_TURNS = {word: word for word in word_set("before after over than from into until instead by without via")} | {"rather": "than"}
"""Words behind which it matters what stands there, so that "a before b" is not "b before a"."""


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def dependents(words: Words) -> dict[str, set[str]]:
    """The content word behind each negation and each word of order or choice, by kind."""
    found: dict[str, set[str]] = {}
    waiting = ""
    for token in words.tokens:
        if forbidding(token):
            waiting = "not"
        elif token in _TURNS:
            waiting = _TURNS[token]
        elif waiting and token not in NOISE:
            found.setdefault(waiting, set()).add(stem(token))
            waiting = ""
    return found


def is_turned(one: dict[str, set[str]], other: dict[str, set[str]]) -> bool:
    """Whether other words stand behind a word of order, choice or denial in two statements."""
    return any(not all_match(one[kind], other[kind]) for kind in one.keys() & other.keys())


def all_match(left: Set[str], right: Set[str]) -> bool:
    """Whether each word has its like on the other side."""
    return all(any(_is_inflection(x, y) for y in right) for x in left) and all(
        any(_is_inflection(x, y) for x in left) for y in right
    )


def _is_inflection(one: str, other: str) -> bool:
    return one == other or (
        Prefix.similarity(one, other) >= max(4, min(len(one), len(other)) - 2) and fuzz.ratio(one, other) >= 75
    )


_NAME = re.compile(r"[^\w`*]*(`[^`\n]+`|\*\*[^*\n]+\*\*)")
_LABELLED = tuple(
    re.compile(pattern)
    for pattern in (r"([^:#`]{3,40}):\s+(.+)$", r"(\S[^#]{2,80}?)\s+#\s+(.+)$", r"(.{3,60}?)(?<!\s)\s++[-–—→]\s++(.+)$")
)
"""A label with a colon, a line with a remark, a line with a dash."""
_SENTENCE = re.compile(r"[.;]\s")
_PURPOSE = word_set("for to when in on before after if during")
SAME, LIKE = 97, 65
"""From how many of 100 letters a name or a description is the same, or like the other."""
SHARES = (0.8, 0.35)
"""From how much that roots have in common what is said, or what it is for, is the same, or like the other."""


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def entry(text: str) -> tuple[str, str] | None:
    """The name and the description of an entry, in lower case.

    >>> entry("`src/api/` - request handlers")
    ('src/api/', 'request handlers')
    """
    low = text.lower()
    if named := _NAME.match(low):  # code or bold at the start
        described = low[named.end() :].lstrip(" \t-–—:#→=")
        return (named[1].strip("*`:"), described) if described else None
    match = next((match for pattern in _LABELLED if (match := pattern.match(low))), None)
    return (match[1], match[2]) if match else None


@lru_cache(maxsize=REMEMBERED)
def frame(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The roots of what the first sentence says, and those of what it is for, or in, or when.

    >>> [sorted(part) for part in frame("Use Vitest for unit tests. It is fast")]
    [['vitest'], ['test', 'unit']]
    """
    demand: list[str] = []
    purpose: list[str] = []
    part = demand
    for token in statement_tokens(text):
        if demand and _SENTENCE.search(token.gap):
            break
        if token.word in _PURPOSE and demand and not token.code:
            part = purpose
        if token.word not in NOISE:
            part.extend(token_roots(token.word))
    return frozenset(demand), frozenset(purpose)


def frame_features(older: str, newer: str, weight: Callable[[str], float]) -> Iterator[str]:
    """Which parts of two entries, or of two directives, are the same, like or other, as names of features."""
    a, b = entry(older), entry(newer)
    if a and b:
        name = _alike(fuzz.ratio(a[0], b[0]), SAME, LIKE)
        described = "same" if fuzz.ratio(a[1], b[1]) >= SAME else _alike(fuzz.token_set_ratio(a[1], b[1]), 101, LIKE)
        yield f"entry {name}"
        yield f"entry {name}, {described}"
    (demand_a, for_a), (demand_b, for_b) = frame(older), frame(newer)
    if for_a and for_b:
        demand, purpose = _common(demand_a, demand_b, weight), _common(for_a, for_b, weight)
        yield f"says {_alike(demand, *SHARES)} for {_alike(purpose, *SHARES)}"


def _alike(value: float, same: float, like: float) -> str:
    return "same" if value >= same else "like" if value >= like else "other"


def _common(one: Set[str], other: Set[str], weight: Callable[[str], float]) -> float:
    """Dice's coefficient, by what the roots tell."""
    shared, a, b = (sum(sorted(map(weight, part))) for part in (one & other, one, other))  # sorted: the same in each process
    return 2 * shared / max(0.3, a + b)
