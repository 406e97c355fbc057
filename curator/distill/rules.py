"""The question to a model which lessons one rule can replace: the prompt, and the check of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curator.distill import answer
from curator.distill.digest import instruction
from curator.distill.gate import normalize_for_matching
from curator.distill.stale import QUOTE, fit_words


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for some lessons, which are given by their places, with a quote of each."""

    headline: str
    insight: str
    members: tuple[int, ...]
    quotes: tuple[str, ...]


def prompt(lessons: Sequence[str]) -> str:
    """Return the prompt about lessons, whose texts are masked."""
    numbered = "\n".join(f"[{number}] {' '.join(lesson.split())}" for number, lesson in enumerate(lessons, 1))
    return f"{instruction('rules.md')}\n\n{numbered}\n"


def read(reply: str, lessons: Sequence[str]) -> list[Rule]:
    """Return the rules in an answer about these lessons.

    Raises ``ValueError`` unless each lesson occurs once, and each rule only repeats its lessons.
    """
    found = [*answer.objects(reply, "rule")]
    numbers = [number for one in found for number in _numbers(one.get("of"))]
    if sorted(numbers) != [*range(1, len(lessons) + 1)]:
        raise ValueError("the answer does not account for each lesson once")
    return [_rule(one, lessons) for one in found if one.get("rule")]


def _numbers(value: Any) -> list[int]:
    return [one for one in value if type(one) is int] if isinstance(value, list) else []


def _rule(found: dict[str, Any], lessons: Sequence[str]) -> Rule:
    places = tuple(number - 1 for number in _numbers(found["of"]))
    texts = [lessons[at] for at in places]
    if len(texts) < 2:
        raise ValueError("a rule stands for one lesson alone")
    headline, insight = fit_words(found.get("rule"), found.get("insight"), "\n".join(texts))
    quotes = found.get("quotes")
    if not isinstance(quotes, list) or len(quotes) != len(texts) or not all(map(_stands_in, quotes, texts)):
        raise ValueError("a quote does not stand in its lesson")
    return Rule(headline, insight, places, tuple(quotes))


def _stands_in(quote: Any, text: str) -> bool:
    target = normalize_for_matching(quote) if isinstance(quote, str) else ""
    return len(target) >= QUOTE and target in normalize_for_matching(text)
