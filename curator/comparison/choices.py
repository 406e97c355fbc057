"""Choices that exclude one another, such as the package manager or the indentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

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

_SAME = {
    "postgresql": "postgres",
    "single-quoted": "single-quotes",
    "double-quoted": "double-quotes",
    "default-export": "default-exports",
    "named-export": "named-exports",
}
_KEYS: dict[str, list[str]] = {}
for _key, _values in GROUPS.items():
    for _value in _values.split():
        _KEYS.setdefault(_SAME.get(_value, _value), []).append(_key)
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
_COMMAND = re.compile(r"`?\s+(?:run|install|add|test|tests|build|dev|ci|exec|start|lint|check[\w-]*|hooks|only|for)\b")
"""What follows a value at the very start of a text that chooses it; "npm publish" and "npm stays at 9" tell nothing."""


@dataclass(frozen=True, slots=True)
class Facts:
    """For each key the value chosen and the values turned down, in lower case, these with the words that turn them down."""

    chosen: dict[str, str]
    refused: dict[str, dict[str, str]]


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def declared(text: str) -> Facts:
    """The exclusive choices that a directive text makes; a key with two chosen values is left out as a comparison.

    >>> declared("Use pnpm instead of npm").chosen["package manager"]
    'pnpm'
    """
    chosen: dict[str, set[str]] = {}
    refused: dict[str, dict[str, str]] = {}
    for match in _VALUE.finditer(text):
        value = match[1].lower().replace(" ", "-")
        value = _SAME.get(value, value)
        before = text[max(0, match.start() - 40) : match.start()].rstrip("`\"'")
        against = _AGAINST.search(before)
        for key in _KEYS[value]:  # a bare mention is no choice
            if against:
                refused.setdefault(key, {})[value] = against[0] + text[match.start() - 1 : match.end()].strip("`\"' ")
            elif _FOR.search(before) or (not before.strip(_MARKUP) and _COMMAND.match(text, match.end())):
                chosen.setdefault(key, set()).add(value)
    single = {key: next(iter(values)) for key, values in chosen.items() if len(values) == 1}
    return Facts(single, refused)


def rivals_of(facts: Facts) -> frozenset[str]:
    """Every value of the keys that a text declares, for a first wide search."""
    return frozenset(value for key in facts.chosen.keys() | facts.refused.keys() for value in GROUPS[key].split())


def clashes(older: Facts, newer: Facts) -> list[tuple[str, str, str]]:
    """``(key, words of older, words of newer)`` where the two can't both be followed."""
    found = []
    for key in sorted(older.chosen.keys() | older.refused.keys()):
        old, new = older.chosen.get(key, ""), newer.chosen.get(key, "")
        if old and new and old != new:
            found.append((key, old, new))
        elif new and new in older.refused.get(key, ()):
            found.append((key, older.refused[key][new], new))
        elif old and old in newer.refused.get(key, ()):
            found.append((key, old, newer.refused[key][old]))
    return found
