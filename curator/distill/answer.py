"""A model's answer: as lessons that it claims, and as a small file, since it was paid for.

Read leniently: models put prose around JSON, and end in its middle.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.io import files
from curator.model import Category, Durability, Relating

log = logging.getLogger(__name__)

MAX_ANSWER_CHARACTERS = 256 * 1024
"""The characters of an answer; a longer text is no answer to this question."""
MAX_OBJECTS = 50
"""Objects that are looked at."""

_THOUGHT = re.compile(r"\A.*</think(?:ing)?>(?=\s*[\[{`\n])", re.DOTALL)
"""A model's thoughts before its answer. Some servers cut their beginning."""
_COMMA = re.compile(r",(\s*[\]}])")
_NUMBER = re.compile(r"([CL])\s?0*(\d{1,4})")
_KINDS = {
    word: kind
    for kind, words in (
        (Category.BUG_PATTERN, "bug gotcha issue"),
        (Category.DECISION, "choice"),
        (Category.CONSTRAINT, "limit limitation requirement"),
        (Category.FAILED_APPROACH, "failure dead-end"),
        (Category.ARCHITECTURE, "design structure"),
        (Category.CONVENTION, "rule style preference practice workflow"),
        (Category.TOOLING, "tool command build environment configuration"),
    )
    for word in words.split()
}
"""Other words of small models for a kind."""
_HOW = {
    "repeats": Relating.DUPLICATE,
    "refines": Relating.REFINES,
    "replaces": Relating.SUPERSEDES,
    "contradicts": Relating.CONTRADICTS,
}


_TEXT, _MAYBE_TEXT = {"type": "string"}, {"type": ["string", "null"]}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


_RELATES = _object({"to": _TEXT, "how": {"type": "string", "enum": [*_HOW]}})
SCHEMA = _object(
    {
        "lessons": {
            "type": "array",
            "items": _object(
                {
                    "kind": {"type": "string", "enum": [one.value for one in Category]},
                    "headline": _TEXT,
                    "insight": _TEXT,
                    "line": {"type": "integer"},
                    "quote": _TEXT,
                    "durability": {"type": "string", "enum": [one.value for one in Durability]},
                    "worth": {"type": "integer", "enum": [2, 3]},
                    "candidate": _MAYBE_TEXT,
                    "relates": {"anyOf": [_RELATES, {"type": "null"}]},
                }
            ),
        }
    }
)
"""The form of an answer for servers that enforce one. It is an object, since not all accept an array."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A lesson as a model states it; the gate checks it before curator uses it."""

    kind: str
    """The name as written. The gate checks the category."""
    headline: str
    insight: str
    line: int
    quote: str
    durability: Durability = Durability.DURABLE
    must: bool = False
    """True if the model says that it must be kept."""
    candidate: int = 0
    """The number of the candidate that it is; 0 for none."""
    lesson: int = 0
    """The number of the stored lesson that it relates to; 0 for none."""
    relating: Relating | None = None

    @property
    def category(self) -> Category | None:
        """The category with this name or meaning, also as the last word or in the plural."""
        name = re.sub(r"[\s_]+", "-", self.kind.strip(" \"'`*.:").lower()).removesuffix("s")
        known = {one.value.removesuffix("s"): one for one in Category} | _KINDS
        return known.get(name) or known.get(name.rpartition("-")[2])


def read(text: str) -> list[Claim]:
    """The claims of an answer, in its order. Raises ``ValueError`` if there is no JSON of the kind in it.

    >>> [claim.headline for claim in read('Sure:\\n```json\\n[{"headline": "Run `make`", "line": 3,}]\\n```')]
    ['Run `make`']
    >>> read("[]")
    []
    """
    return [_claim(one) for one in objects(text, "headline")]


def objects(text: str, name: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of an answer that have a key of this name.

    Raises ``ValueError`` without JSON.
    """
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise ValueError(f"the answer is longer than {MAX_ANSWER_CHARACTERS // 1024} kB")
    text = _THOUGHT.sub("", text)
    found = _whole(text)
    whole = list(_objects(found, name) if found is not None else _fragments(text, name))
    if found is None and not whole:
        raise ValueError("the answer has no JSON")
    yield from whole[:MAX_OBJECTS]


def _whole(text: str) -> Any:
    """Return the array in an answer, or the object in place of one; ``None`` where none can be read."""
    for opening, closing in ("[]", "{}"):
        start, end = text.find(opening), text.rfind(closing)
        if not 0 <= start < end or (opening == "[" and 0 <= text.find("{") < start):
            continue
        for tried in (text[start : end + 1], _COMMA.sub(r"\1", text[start : end + 1])):
            try:
                return json.loads(tried)
            except (ValueError, RecursionError):
                continue
    return None


def _objects(found: Any, name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of an array. An object with an array of them is opened, and any other counts as an array of one."""
    if isinstance(found, dict):
        inner = next((value for value in found.values() if isinstance(value, list) and name not in found), None)
        found = [found] if inner is None else inner
    if isinstance(found, list):
        yield from (one for one in found if isinstance(one, dict) and one)


def _fragments(text: str, name: str) -> Iterator[dict[str, Any]]:
    """Yield the whole objects of an answer that breaks off or is broken between them."""
    decoder, at = json.JSONDecoder(), text.find("{")
    for _ in range(MAX_OBJECTS):
        if at < 0:
            return
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict) and name in found:
                yield found
        at = text.find("{", end)


def _claim(data: dict[str, Any]) -> Claim:
    relates = data.get("relates")
    relates = relates if isinstance(relates, dict) else {}
    lesson, how = _number_in(relates.get("to"), "L"), _HOW.get(_text(relates.get("how")).strip().lower())
    return Claim(
        kind=_text(data.get("kind") or data.get("category")),
        headline=_text(data.get("headline")),
        insight=_text(data.get("insight")),
        line=_whole_number(data.get("line")),
        quote=_text(data.get("quote")),
        durability=Durability.TEMPORARY if data.get("durability") == "temporary" else Durability.DURABLE,
        must=_whole_number(data.get("worth")) >= 3,
        candidate=_number_in(data.get("candidate"), "C"),
        lesson=lesson if how else 0,
        relating=how if lesson else None,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _whole_number(value: Any) -> int:
    """Return a number that a model may have written as a text or with brackets; 0 for none."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return 0
    if isinstance(value, int):
        return value if 0 <= value < 10**9 else 0
    digits = re.search(r"\d{1,9}", value[:40])
    return int(digits[0]) if digits else 0


def _number_in(value: Any, letter: str) -> int:
    found = _NUMBER.search(value[:20]) if isinstance(value, str) else None
    return int(found[2]) if found and found[1] == letter else 0


def key(model: str, prompt: str) -> str:
    """Return the same for the same question to the same model."""
    return hashlib.sha256("\0".join((model, prompt)).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of answers, each named by a hash of its question. It holds no question, and may be deleted at any time.

    An unreadable answer counts as absent, and an unwritable one is lost.
    """

    folder: Path

    def get(self, key: str) -> str | None:
        """Return the model's raw text; ``None`` for a new question."""
        file = self.folder / f"{key}.txt"
        try:
            return file.read_text(encoding="utf-8") if file.stat().st_size <= 4 * MAX_ANSWER_CHARACTERS else None
        except (OSError, ValueError):
            return None

    def put(self, key: str, answer: str) -> None:
        """Remember an answer."""
        try:
            files.write(self.folder / f"{key}.txt", answer.encode("utf-8", "replace").decode("utf-8"))
        except OSError as error:
            log.warning("an answer could not be cached: %s", error)

    def clear(self) -> None:
        """Delete every answer. Raises ``OSError``."""
        for file in self.folder.glob("*.*"):
            file.unlink(missing_ok=True)
