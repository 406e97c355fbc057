"""The analysis of a statement for all comparisons: its words, values, choices, demands, prohibitions and search terms.

Choices exclude one another, such as the package manager or the indentation.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, Protocol

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from curator.text import words as language
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
CHOICES = frozenset(name for values in GROUPS.values() for name in values.split())
CHOICE_WORDS = CHOICES | {part for name in CHOICES for part in name.split("-")}
"""Words: a text that makes a choice has at least one of them."""
_VALUE = re.compile(
    r"(?<![\w/@.-])("
    + "|".join(name.replace("-", "[- ]") for name in sorted(CHOICES, key=lambda name: (-len(name), name)))
    + r")(?![\w/-]|\.\w)",
    re.IGNORECASE,
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
"""The words after a value at the start of a text that chooses it. "npm publish" and "npm stays at 9" are no choices."""


@dataclass(frozen=True, slots=True)
class Facts:
    """For each key the chosen value, and the rejected values with the words that reject them, in lower case."""

    choices: dict[str, str]
    refusals: dict[str, dict[str, str]]


NOTHING = Facts({}, {})


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def declarations(text: str) -> Facts:
    """Return the exclusive choices of a directive. A key with two chosen values is a comparison and is left out.

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
    """Return every value of the keys that a text declares, for a first wide search."""
    return frozenset(value for key in facts.choices.keys() | facts.refusals.keys() for value in GROUPS[key].split())


def clashes(older: Facts, newer: Facts) -> list[tuple[str, str]]:
    """Return (words of older, words of newer) for each key whose values can't both be followed."""
    found = []
    for key in sorted(older.choices.keys() | older.refusals.keys()):
        old, new = older.choices.get(key, ""), newer.choices.get(key, "")
        if old and new and old != new:
            found.append((old, new))
        elif new and new in older.refusals.get(key, ()):
            found.append((older.refusals[key][new], new))
        elif old and old in newer.refusals.get(key, ()):
            found.append((old, newer.refusals[key][old]))
    return found


TOKEN = re.compile(r"(?<![\w@.+/:*<>=$~-])[\w@.+/:*<>=$~-]*[\w*]")
"""A word or a name, in a text as ``_normal_spelling`` gives it."""
_CODE = re.compile(r"`([^`\n]{1,120})`")
_PARTS = re.compile(r"[^\W_]+")
_ENDINGS = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")
NOISE = word_set(
    "a an the is are was were be been being am to of in on at for from by with as and or that which this "
    "these those it its we you i "
    "our your my us they their please so then now also just very there here has have had will would should "
    "can could may might do does "
    "did must need needs make sure ensure use used using always when if any all every each only new"
)
_FORBIDS = word_set(
    "not never no don't dont cannot can't avoid without stop forbidden doesn't isn't shouldn't mustn't won't "
    "neither nor disabled"
)
_stem = lru_cache(maxsize=5_000)(language.stem)  # statements use few words, and those again and again
REMEMBERED = 512
"""Statements that stay analysed: some twenty times those that a new one is compared with."""
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
    """Return a word without its grammatical ending."""
    return _ENDINGS.sub("", word)


def _normal_spelling(text: str) -> str:  # as long as before, so that places stay
    return text.replace("’", "'").replace("n't", "nt ").replace("N'T", "NT ")


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def analyse(text: str) -> Words:
    """Return the words of a statement.

    >>> sorted(analyse("Never run `npm install` on port 3000").values)
    ['3000', 'install', 'npm']
    """
    raw = [token.strip("*") for token in TOKEN.findall(_normal_spelling(text))]
    tokens = tuple(token.lower() for token in raw if any(letter.isalnum() for letter in token))
    plain = [part for token in tokens for part in _PARTS.findall(token)]
    forbids = frozenset(word for word in text.lower().replace("’", "'").split() if word.strip(".,;:!*()\"'") in _FORBIDS)
    stems = frozenset(stem(word) for word in plain if word not in NOISE and word not in ("not", "never", "no", "dont", "nt"))
    code = [word for quoted in _CODE.findall(text) for word in TOKEN.findall(quoted)]
    values = frozenset(token.lower() for token in (*filter(is_value, raw), *code))
    return Words(tokens, stems, values, forbids)


def forbidding(token: str) -> bool:
    """Return whether a token, in lower case, forbids or denies."""
    return token in _FORBIDS or (token.endswith("nt") and f"{token[:-2]}n't" in _FORBIDS)


@lru_cache(maxsize=4096)
def is_value(token: str) -> bool:
    """Return whether a token is a name, number, path or option rather than a word of the language."""
    if token.lower() in _NUMBERS:
        return True
    return (
        any(letter.isdigit() or letter in "_/.@+:=" for letter in token)
        or token.startswith("-")
        or token[1:] != token[1:].lower()
    )


_TURNS = {word: word for word in word_set("before after over than from into until instead by without via")} | {"rather": "than"}
"""Words whose next word matters, so that "a before b" differs from "b before a"."""


@lru_cache(maxsize=REMEMBERED)
def dependents(words: Words) -> dict[str, set[str]]:
    """Return the content word after each negation and each word of order or choice, by kind."""
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
    """Return whether other words follow a word of order, choice or denial in two statements."""
    return any(not all_match(one[kind], other[kind]) for kind in one.keys() & other.keys())


def all_match(left: Set[str], right: Set[str]) -> bool:
    """Return whether each word has its like on the other side."""
    return all(any(_is_inflection(x, y) for y in right) for x in left) and all(
        any(_is_inflection(x, y) for x in left) for y in right
    )


def _is_inflection(one: str, other: str) -> bool:
    return one == other or (
        Prefix.similarity(one, other) >= max(4, min(len(one), len(other)) - 2) and fuzz.ratio(one, other) >= 75
    )


_AUXILIARIES = word_set("do does did must should shall may might can could will would to please we you")
"""Words in front of a denial that belong to its verb: the subject before them is denied, too."""
_DEGREES = word_set("only all every more less just always enough necessarily")
"""Words that a denial changes without changing the demand."""
_PLACES = word_set(
    "in on at into to under inside within with via through by from for of before after as about until when where while if",
    "during against per",
)
"""Words before the place, time or manner of a demand."""
_EXCEPTIONS = word_set("unless except without excepting")
"""Words after a denial that take part of it back."""
_IDLE = word_set("again ever longer rather")
"""Words that change nothing of a demand."""
_UNTELLING = NOISE | _AUXILIARIES | _IDLE
_REASONS = word_set("because since so otherwise it they that which")
_BREAK = re.compile(r"[;:.!?,](?:\s|$|[*)`\"])|—|–|\n|[()]| - ")
_DENIES = word_set("avoids avoiding over instead")
"""Words that reject the thing after them, next to those that forbid: "X over Y", "rather than Y"."""
_USES = word_set("use uses using used prefer adopt choose run call")


class Demand(NamedTuple):
    """A thing that a statement asks for, or ``denies``: its stems, those of place, time and manner, and its words."""

    denies: bool
    core: tuple[str, ...]
    place: frozenset[str]
    uses: bool
    """True if the core is a thing to use."""
    words: str


@dataclass
class _Part:
    """An unfinished demand. ``start`` and ``end`` are its characters."""

    start: int = 0
    denies: bool = False
    core: list[str] = field(default_factory=list)
    place: list[str] = field(default_factory=list)
    uses: bool = False
    is_behind: bool = False
    is_ignored: bool = False
    end: int = 0


def _quoted(text: str, start: int, end: int) -> str:
    """Return these characters, with the sign that ends a quotation in them."""
    words = text[start:end]
    return words + "`" if words.count("`") % 2 and text[end : end + 1] == "`" else words.strip("`")


@lru_cache(maxsize=REMEMBERED)
def demands(text: str) -> tuple[Demand, ...]:
    """Return the demands of a statement, without its reasons and without denials that have an exception.

    >>> [(one.denies, one.core, sorted(one.place)) for one in demands("Never mock the database in tests, it hides bugs")]
    [(True, ('mock', 'databas'), ['test'])]
    """
    plain, before, part = _normal_spelling(text), "", _Part()
    parts = [part]
    for match in TOKEN.finditer(plain):
        word, gap = match[0].strip("*").lower(), plain[part.end : match.start()]
        is_break = gap != " " and _BREAK.search(gap) is not None
        denies = forbidding(word) or word in _DENIES or (word == "than" and before == "rather")
        is_denial = denies and not (part.denies and word in _EXCEPTIONS)
        if is_break or is_denial or word in _REASONS:
            is_of_subject = is_denial and not is_break and before in _AUXILIARIES
            core, start = ([*part.core], part.start) if is_of_subject else ([], match.start())
            part = _Part(start, is_denial, core, is_ignored=word in _REASONS)
            parts.append(part)
        if part.denies and (word in _EXCEPTIONS or (word in _DEGREES and not part.core)):
            part.is_ignored = True
        elif word in _PLACES:
            part.is_behind = True
        elif word in _USES and not part.core:
            part.uses = True
        elif word not in _UNTELLING and not is_denial:
            is_how = part.is_behind or (word.endswith("ly") and len(word) > 4)
            (part.place if is_how else part.core).append(_stem(word))
        before, part.end = word, match.end()
    return tuple(
        Demand(one.denies, tuple(one.core), frozenset(one.place), one.uses, _quoted(text, one.start, one.end))
        for one in parts
        if not one.is_ignored and (one.core or one.place)
    )


class Statement(Protocol):
    """The attributes that an entry and a candidate share."""

    @property
    def headline(self) -> str:
        """Return at most 16 words."""

    @property
    def insight(self) -> str:
        """Return at most 30 words, or none."""

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files that it names."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """Return the symbols that it names."""


def comparison_text(statement: Statement) -> str:
    """Return the words to compare: the insight, or else the headline."""
    return statement.insight or statement.headline


def whole_text(statement: Statement) -> str:
    """Return all words of a statement: two lessons about one thing often give different reasons."""
    return f"{statement.headline}. {statement.insight}" if statement.insight else statement.headline


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def content(text: str) -> Set[str]:
    """Return the stems that carry a statement, without those that deny it."""
    return frozenset(word for word in analyse(text).stems if not forbidding(word))


MAX_TERMS = 14
"""Maximum number of a statement's words to search for. The index takes the rarest of them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Words to search for, each once, values first. ``rivals`` are the values of every key that it declares."""

    words: tuple[str, ...]
    rivals: tuple[str, ...] = ()


def search_terms(statement: Statement) -> Terms:
    """Return the search terms: the words of a statement, its files and symbols, and the rivals."""
    text = whole_text(statement)
    words = dict.fromkeys(word for word in analyse(text).tokens if word not in NOISE)
    best = sorted(words, key=lambda word: (not is_value(word), -len(word)))[:MAX_TERMS]
    names = (file.rsplit("/", 1)[-1] for file in statement.files)
    return Terms(tuple(dict.fromkeys((*best, *names, *statement.symbols))), tuple(sorted(rivals_of(declarations(text)))))
