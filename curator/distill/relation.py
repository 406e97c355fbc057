"""The relation of two statements, asked of a model: the prompt, and the check of its answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from curator.distill import answer
from curator.distill.digest import instruction
from curator.model import Relating
from curator.text import clean

MAX_STATEMENT_CHARACTERS = 2_000
"""Characters of a statement that are sent."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The relation of the newer to the older, ``None`` for none, and the words of both that clash."""

    relating: Relating | None
    clash: tuple[tuple[str, str], ...] = ()


def prompt(older: str, newer: str) -> str:
    """Return the prompt about a pair."""
    texts = (" ".join(clean.strip(text).split())[:MAX_STATEMENT_CHARACTERS] for text in (older, newer))
    return "{}\n\nA: {}\nB: {}\n".format(instruction("relate.md"), *texts)


def read(text: str, older: str, newer: str) -> Comparison:
    """Return the result in an answer; words that do not stand in the statements are left out.

    Raises ``ValueError`` without one.

    >>> read('{"label": "supersedes", "clash": [["npm", "pnpm"], ["yarn", "pnpm"]]}', "Use npm", "Use pnpm").clash
    (('npm', 'pnpm'),)
    """
    found = next(answer.objects(text, "label"), None)
    label = found.get("label") if found else None
    if label == "unrelated":
        return Comparison(None)
    if not isinstance(label, str) or label not in list(Relating):
        raise ValueError("the answer names no relation")
    return Comparison(Relating(label), tuple(_clashes(found.get("clash") if found else None, older, newer)))


def _clashes(value: Any, older: str, newer: str) -> Iterator[tuple[str, str]]:
    for pair in value if isinstance(value, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) and one.strip() for one in pair):
            before, after = pair
            if before in older and after in newer:
                yield before, after
