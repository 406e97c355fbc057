"""The short questions to a model, each with the check of its answer: a relation, advice on changed code, rules for groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from curator.distill import gate
from curator.distill.digest import instruction
from curator.model import Advice, Applicability, Relating
from curator.text import clean, redact, warnings

# --- how one statement relates to another -----------------------------------------------------------------------------

MAX_STATEMENT_CHARACTERS = 2_000
"""Characters of a statement that are sent."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The relation of the newer to the older, ``None`` for none, and the words of both that clash."""

    relating: Relating | None
    clash: tuple[tuple[str, str], ...] = ()


def relation_prompt(older: str, newer: str) -> str:
    """Return the prompt about a pair."""
    texts = (" ".join(clean.strip(text).split())[:MAX_STATEMENT_CHARACTERS] for text in (older, newer))
    return "{}\n\nA: {}\nB: {}\n".format(instruction("relate.md"), *texts)


def read_relation(text: str, older: str, newer: str) -> Comparison:
    """Return the result in an answer. Words that are not in the statements are left out. Raises ``ValueError`` without one.

    >>> read_relation('{"label": "supersedes", "clash": [["npm", "pnpm"], ["yarn", "pnpm"]]}', "Use npm", "Use pnpm").clash
    (('npm', 'pnpm'),)
    """
    found = next(gate.objects(text, "label"), {})
    label = found.get("label")
    if label == "unrelated":
        return Comparison(None)
    if not isinstance(label, str) or label not in list(Relating):
        raise ValueError("the answer names no relation")
    return Comparison(Relating(label), tuple(_clashes(found.get("clash"), older, newer)))


def _clashes(value: Any, older: str, newer: str) -> Iterator[tuple[str, str]]:
    for pair in value if isinstance(value, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) and one.strip() for one in pair):
            before, after = pair
            if before in older and after in newer:
                yield before, after


# --- whether a lesson applies to changed code -------------------------------------------------------------------------

DIFF, COMMITS = 6_000, 10
"""Maximum characters of a sent diff, and maximum number of commit subjects."""
QUOTE = 6
"""Letters and signs of a line that shows something, at least."""


def advice_prompt(headline: str, insight: str, diffs: Sequence[str], commits: Sequence[str]) -> str:
    """Return the prompt about a lesson. The texts must be masked."""
    change = "\n".join(diffs)[:DIFF]
    subjects = "\n".join(f"* {subject}" for subject in commits[:COMMITS])
    parts = (instruction("stale.md"), f"The lesson: {headline}\n{insight}", f"What changed:\n{change}")
    return "\n\n".join((*parts, *((f"Commits:\n{subjects}",) if subjects else ()))) + "\n"


def read_advice(reply: str, by: str, asked: str) -> Advice:
    """Return the advice in an answer to ``asked``. Raises ``ValueError`` if there is none, or if it quotes unsent text."""
    found = next(gate.objects(reply, "verdict"), {})
    verdict, quote, headline, insight = (found.get(key) for key in ("verdict", "quote", "headline", "insight"))
    if not isinstance(verdict, str) or verdict not in list(Applicability):
        raise ValueError("the answer says neither holds, reword nor gone")
    line = _line_of(quote if isinstance(quote, str) else "", asked)
    if not line:
        raise ValueError("its quote is no line of what changed")
    if verdict != Applicability.REWORD:
        return Advice(Applicability(verdict), line, by)
    return Advice(Applicability.REWORD, line, by, *fit_words(headline, insight, asked))


def fit_words(headline: object, insight: object, known: str) -> tuple[str, str]:
    """Return a model's headline and insight in their stored form. Raises ``ValueError`` for words that are not fit to be sent.

    Each name in them must occur in ``known``.
    """
    words = [" ".join(clean.strip(one if isinstance(one, str) else "").split()) for one in (headline, insight)]
    if not words[0] or gate.size(words[0]) > gate.HEADLINE or gate.size(words[1]) > gate.INSIGHT:
        raise ValueError("the new words are missing or too long")
    text = "\n".join(words)
    if redact.mask(text) != text or warnings.find(text):
        raise ValueError("the new words are not fit for an agent")
    source = gate.normalize_for_matching(known)
    for name in (one for part in words for one in gate.names(part)):
        if gate.normalize_for_matching(name) not in source:
            raise ValueError(f"the new words name what was not sent: {name}")
    return words[0].rstrip("."), words[1] or words[0]


def _line_of(quote: str, asked: str) -> str:
    """Return the line of the change that a quote copies, without the sign of a diff. Return an empty text if there is none."""
    target = gate.normalize_for_matching(quote.lstrip("+-"))
    change = asked.partition("What changed:\n")[2].splitlines()
    lines = (line for line in change if line[:1] in ("+", "-", " ") and not line.startswith(("+++", "---")))
    found = (line[1:].strip() for line in lines if len(target) >= QUOTE and target in gate.normalize_for_matching(line))
    return next(found, "")


# --- which lessons one rule can replace -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for some lessons, which are given by their places, with a quote of each."""

    headline: str
    insight: str
    members: tuple[int, ...]
    quotes: tuple[str, ...]


def rules_prompt(lessons: Sequence[str]) -> str:
    """Return the prompt about lessons, whose texts are masked."""
    numbered = "\n".join(f"[{number}] {' '.join(lesson.split())}" for number, lesson in enumerate(lessons, 1))
    return f"{instruction('rules.md')}\n\n{numbered}\n"


def read_rules(reply: str, lessons: Sequence[str]) -> list[Rule]:
    """Return the rules in an answer about these lessons.

    Raises ``ValueError`` unless each lesson occurs once, and each rule only repeats its lessons.
    """
    found = [*gate.objects(reply, "rule")]
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
    target = gate.normalize_for_matching(quote) if isinstance(quote, str) else ""
    return len(target) >= QUOTE and target in gate.normalize_for_matching(text)
