"""Read and check a model's answers: a lesson passes if its quote was said there and its names occur in the session.

curator reads an answer leniently, because models put prose around JSON, and end in its middle. It keeps the answer as a small
file, because it was paid for. The gate forgives form, never facts: a speaker before the quote, a wrong line, one wrong word, a
long headline. A card always quotes the transcript's own words.

The gate checks words, not meaning. An order to the model in a transcript can at most cause a card with a verbatim quote, which
a person reads.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from curator.io import files
from curator.model import Candidate, Category, Durability, Entry, Relating, Turn
from curator.text import clean, redact

log = logging.getLogger(__name__)

MAX_ANSWER_CHARACTERS = 256 * 1024
"""Maximum characters of an answer. A longer text is no answer to this question."""
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
    """The number of the candidate that the model chose; 0 for none."""
    lesson: int = 0
    """The number of the stored lesson that it relates to; 0 for none."""
    relating: Relating | None = None

    @property
    def category(self) -> Category | None:
        """Return the category with this name or meaning, also as the last word or in the plural."""
        name = re.sub(r"[\s_]+", "-", self.kind.strip(" \"'`*.:").lower()).removesuffix("s")
        known = {one.value.removesuffix("s"): one for one in Category} | _KINDS
        return known.get(name) or known.get(name.rpartition("-")[2])


def read(text: str) -> list[Claim]:
    """Return the claims of an answer, in its order. Raises ``ValueError`` if it contains no such JSON.

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
    """Return the array in an answer, or the object in place of one. Return ``None`` if none can be read."""
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
    """Return a number that a model may have written as a text or with brackets. Return 0 for none."""
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
    """A folder of answers, each named by a hash of its question. It contains no question, and may be deleted at any time.

    An unreadable answer counts as absent, and an unwritable one is lost.
    """

    folder: Path

    def get(self, key: str) -> str | None:
        """Return the model's raw text. Return ``None`` for a new question."""
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


HEADLINE, INSIGHT = 14, 40
"""Words of a headline and of an insight: a few more than the model was asked for."""
ROOM = 60
"""Maximum number of words of an insight on a card. A longer one is cut."""
QUOTE = 12, 400
"""Characters of a quote."""
MAX_LINE_DISTANCE = 2
"""Maximum distance between the named line and the line of a quote that also occurs elsewhere."""
MAX_GAP = 40
"""Characters of the transcript in place of the one word of a quote that the model got wrong."""
CARDS = 5
"""Lessons of a session."""

_CODE = re.compile(r"`([^`\n]+)`")
_SIGNS = re.compile(r"[\d_/\\.@#$=<>{}()\[\]|&*+~^%:]|^--?\w|[a-z][A-Z]|[A-Z]{2}")
_PIECE = re.compile(r"[^\s\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]+")
"""A text between blanks, or between letters of scripts that are written without blanks."""
_SPELLED = re.compile(r"[_.\\@#$=<>{}()\[\]|&*+~^%]|^--?\w|^/|/.*/")
"""A word with signs of code, which is looked up unchanged. Otherwise, the words between hyphens and slashes are."""
_PARTS = re.compile(r"[()<>\[\]{}]+")
_COMMON = frozenset(
    "e.g i.e API ASCII CD CDN CI CLI CPU CSS DB DNS DOM GUI HTML HTTP HTTPS ID IDE IO JS JSON LLM MCP OS PATH PR RAM REST SDK "
    "SHA SQL SSH SSL TLS UI URL UTF UX VM XML YAML Linux Unix Windows macOS Unicode English I".split()
)
"""Words of the trade, which claim nothing by themselves."""
_DROPPED = re.compile(r"[\s`*_\"'“”‘’«»„]+")
"""Characters that a quotation may omit: white space, Markdown's marks, quotation marks."""
_MARKS = frozenset("`*_\"'“”‘’«»„")
_ENDS = re.compile(r"(?<!\s)\s*+(?:…|\.\.\.|\[code \d+ lines?\])\s*")
"""The mark of a digest where something was left out."""
_MARKED = re.compile(
    r"(?:(?:[-*•·>]|\d{1,3}[.)]|\[[CL]?\d{1,9}\]|\$[^✗\n]{0,200}✗"
    r"|(?:user|human|person|agent|assistant|subagent|script|tool)(?: ?\([^)\n]{0,40}\))?:)\s*)+",
    re.I,
)
"""The signs of a digest or a list before the words: a line's number, the speaker, a failed command."""
_DENIALS = (
    *("no", "not", "never", "none", "nor", "without", "dont", "doesnt", "didnt", "cant", "cannot", "wont", "isnt", "arent"),
    *("shouldnt", "mustnt", "nicht", "nie", "niemals", "kein", "keine", "ohne"),
)
"""Words that a quote may not lack, also before a wrong first word, since the card would not show them."""
_MEANING = frozenset((*_DENIALS, *"always only must unless except can do does did is are may will should immer nur".split()))
"""Words that a quote may not have in place of another word."""
_STOPS = ",.;:!?()"
_FIRST = re.compile(r"[.:!?—–]$")


class AcceptedClaim(NamedTuple):
    """An accepted claim, with a category, the words for the card, and the place of its quote in a turn."""

    claim: Claim
    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused claim, and the reason."""

    headline: str
    reason: str
    """One of a few reasons, to be counted."""
    detail: str = ""
    candidate: int = 0
    """The number of the candidate that the model chose; 0 for none."""


def filter_claims(
    claims: Sequence[Claim],
    turns: Sequence[Turn],
    known: str,
    candidates: Sequence[Candidate | Entry] = (),
    *,
    most: int = CARDS,
) -> tuple[list[AcceptedClaim], list[Refusal]]:
    """Return the accepted claims about a session, the first ``most``, and the reasons against the others.

    ``turns`` are those of the digest (see ``digest.sendable``). ``known`` is the text below it, ``candidates`` the numbered
    ones there.
    """
    passed: list[AcceptedClaim] = []
    refusals: list[Refusal] = []
    source = Source(turns, known)
    for claim in claims:
        found = _judge(claim, source, candidates)
        if isinstance(found, AcceptedClaim):
            headline = found.claim.headline
            if any(headline.casefold() == one.claim.headline.casefold() for one in passed):
                found = Refusal(headline, "said twice")
            elif len(passed) >= most:
                found = Refusal(headline, "one too many")
        if isinstance(found, AcceptedClaim):
            passed.append(found)
        else:
            refusals.append(replace(found, candidate=claim.candidate))
    return passed, refusals


def _judge(claim: Claim, source: Source, candidates: Sequence[Candidate | Entry]) -> AcceptedClaim | Refusal:
    named = candidates[claim.candidate - 1] if 0 < claim.candidate <= len(candidates) else None
    if named and not f"{claim.headline}{claim.insight}".strip():  # the model only chose
        claim = replace(claim, kind=named.category.value, headline=named.headline, insight=named.insight, quote="")
    shown = _plain(claim.headline)[:160]
    if any(map(clean.hidden, (claim.headline, claim.insight, claim.quote))):
        return Refusal(shown, "hidden characters")
    headline, insight = _plain(claim.headline) or _plain(claim.insight), _plain(claim.insight) or _plain(claim.headline)
    headline, insight = _cut(headline, HEADLINE).rstrip("."), _cut(insight, ROOM)
    if not headline or not (claim.quote.strip() or named):
        return Refusal(shown, "no headline or no quote")
    if claim.category is None:
        return Refusal(shown, "no such kind", claim.kind[:40])
    if redact.MASK in f"{headline}{insight}" or any(redact.mask(text) != text for text in (headline, insight)):
        return Refusal(shown, "a secret in it")
    place = source.locate(claim.quote, claim.line)
    if place is None and named and named.evidence:
        place = source.locate(named.evidence[0].quote[: QUOTE[1]], named.evidence[0].line)
    if place is None:
        return Refusal(shown, "its quote is not in the session", claim.quote[:200])
    for name in (*names(headline), *names(insight)):
        if not source.has(name) and not source.has_parts(name):
            return Refusal(shown, "names what is not in the session", name)
    return AcceptedClaim(replace(claim, kind=claim.category.value, headline=headline, insight=insight, quote=""), *place)


def _find(pieces: Sequence[str], kept: str) -> tuple[int, int] | None:
    """Return the positions of the pieces in a normalized text in order. If others come between them, return the longest
    piece.
    """
    longest = max(pieces, key=len)
    first = kept.find(pieces[0]) if len(pieces) > 1 else -1
    at, end = first, first
    for piece in pieces if first >= 0 else ():
        at = kept.find(piece, end)
        if at < 0:
            break
        end = at + len(piece)
    if first < 0 or at < 0 or end - first > QUOTE[1]:
        first = kept.find(longest) if len(longest) >= QUOTE[0] else -1
        end = first + len(longest)
    return (first, end) if first >= 0 else None


def _only(places: Sequence[tuple[int, int, int]]) -> tuple[int, int, int] | None:
    return places[0] if len(places) == 1 else None


def _nearly(words: Sequence[str], kept: str) -> tuple[int, int] | None:
    """Return the position of a quote in a normalized text with one word wrong, missing or added."""
    half = len(words) // 2
    if len(words) < 3 or not ("".join(words[:half]) in kept or "".join(words[half:]) in kept):
        return None
    for at, skip in itertools.product(range(len(words)), (1, 0)):
        before, after = "".join(words[:at]), "".join(words[at + skip :])
        if not QUOTE[0] <= len(before) + len(after) <= QUOTE[1] or (not skip and not at):
            continue
        if len(before) >= len(after):
            start = kept.find(before)
            behind = start + len(before)
            then = kept.find(after, behind, behind + MAX_GAP + len(after)) if start >= 0 else -1
        else:
            then = kept.find(after)
            start = kept.rfind(before, max(0, then - MAX_GAP - len(before)), then) if then >= 0 else -1
            behind = start + len(before)
        gap, added = kept[behind:then], words[at] if skip else ""
        lost = gap.replace(added, "", 1) if added in gap else ""
        turned = added.strip(_STOPS) in _MEANING or any(map(str.isdigit, added)) or lost.strip(_STOPS) in _DENIALS
        turned = turned or (not before and kept[: max(start, 0)].endswith(_DENIALS))
        if start >= 0 and then >= 0 and not turned:
            return start, then + len(after)
    return None


def _stretch(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range in a text for a range in its normalized form, with the marks around it."""
    place, first, last = 0, -1, 0
    for at, sign in enumerate(text):
        if _DROPPED.match(sign):
            continue
        if first < 0 and place + len(sign.casefold()) > start:
            first = at
        place += len(sign.casefold())
        if place >= end:
            last = at
            break
    last += 1
    while first and text[first - 1] in _MARKS:
        first -= 1
    while last < len(text) and text[last] in _MARKS:
        last += 1
    return first, last


class Source:
    """A session as names are looked up in it."""

    def __init__(self, turns: Sequence[Turn], known: str) -> None:
        text = "\n".join((known, *(part for turn in turns for part in (turn.text, turn.command, *turn.paths) if part)))
        self.turns = turns
        self._text = " ".join(text.casefold().split())
        self._flat = normalize_for_matching(text)
        self._turns = dict[int, str]()
        """The normalised text of the turns that were already searched."""

    def locate(self, quote: str, line: int) -> tuple[int, int, int] | None:
        """Return the turn of a quote and its position.

        The quote is within ``MAX_LINE_DISTANCE`` lines of ``line``, or else in only one turn, with at most one wrong word.
        """
        quote = _unmarked(quote)
        distances = (
            (abs(min(max(line, turn.locator.line), turn.locator.line_end) - line), number)
            for number, turn in enumerate(self.turns)
            if turn.locator.line - MAX_LINE_DISTANCE
            <= line
            <= max(turn.locator.line, turn.locator.line_end) + MAX_LINE_DISTANCE
        )
        near, everywhere = [number for _, number in sorted(distances)], range(len(self.turns))
        return (
            self.find(quote, near)
            or _only([place for number in everywhere if (place := self.find(quote, (number,)))])
            or _only(self._nearly(quote, near))
            or _only(self._nearly(quote, everywhere))
        )

    def _nearly(self, quote: str, among: Iterable[int]) -> list[tuple[int, int, int]]:
        """Return the places of a quote with one word wrong in these turns."""
        words = [word for part in quote[: 2 * QUOTE[1]].split() if (word := normalize_for_matching(part))]
        found = ((number, _nearly(words, self._turn(number))) for number in among)
        return [(number, *_stretch(self.turns[number].text, *place)) for number, place in found if place]

    def _turn(self, number: int) -> str:
        """Return the normalized text of a turn."""
        if number not in self._turns:
            self._turns[number] = normalize_for_matching(self.turns[number].text)
        return self._turns[number]

    def find(self, quote: str, among: Iterable[int]) -> tuple[int, int, int] | None:
        """Return the first of these turns with a quote, and its range."""
        pieces = [piece for part in _ENDS.split(quote[: 4 * QUOTE[1]]) if (piece := normalize_for_matching(part))]
        if not pieces or not QUOTE[0] <= sum(map(len, pieces)) <= QUOTE[1]:
            return None
        for number in among:
            if place := _find(pieces, self._turn(number)):
                return number, *_stretch(self.turns[number].text, *place)
        return None

    def has(self, name: str) -> bool:
        """Return whether a name occurs as a whole word."""
        small = " ".join(name.casefold().split())
        literal = re.escape(small)
        # The text before is looked at last: an expression that begins with letters is searched many times as fast.
        before = rf"(?<!\w{literal})" if small[0].isalnum() else ""
        after = r"(?!\w)" if small[-1].isalnum() else ""
        if re.search(f"{literal}{before}{after}", self._text):
            return True
        return len(small) >= 8 and normalize_for_matching(small) in self._flat

    def has_parts(self, name: str) -> bool:
        """Return whether all words of a command occur, two of them adjacent. Others may be between the rest."""
        words = name.split()
        return all(map(self.has, words)) and any(map(self.has, map(" ".join, itertools.pairwise(words))))


def names(text: str) -> Iterator[str]:
    """Yield the parts that the transcript must contain exactly: code, paths, commands, numbers, and capitalised names.

    >>> list(names("Run `make dev` before 3 tests in src/app.py; Docker needs it"))
    ['make dev', '3', 'src/app.py', 'Docker']
    """
    yield from (" ".join(match[1].split()) for match in _CODE.finditer(text) if match[1].strip())
    first = True
    for match in _PIECE.finditer(_CODE.sub(" x ", text)):
        bare = re.sub(r"['’]s$", "", match[0].lstrip("(\"'[“‘").rstrip(".,;:!?)\"']”’…"))
        for part in _PARTS.split(bare) if _SPELLED.search(bare) else re.split(r"[/–—→-]", bare):
            large = part[:1].isupper() and not first
            if (len(part) > 1 or part.isdigit()) and (_SIGNS.search(part) or large) and part.removesuffix("s") not in _COMMON:
                yield part
        first = bool(_FIRST.search(match[0]))


def normalize_for_matching(text: str) -> str:
    """Return a text in lower case, without characters that quotations may omit."""
    return _DROPPED.sub("", text).casefold()


def _plain(text: str) -> str:
    return _unmarked(" ".join(clean.strip(text).split()))


def _unmarked(text: str) -> str:
    """Return a text without the signs of a digest or a list before it.

    >>> _unmarked("- [12] AGENT: run make")
    'run make'
    """
    found = _MARKED.match(text.lstrip())
    return text.lstrip()[found.end() :] if found else text


def _cut(text: str, most: int) -> str:
    """Return at most so many words of a text (see ``size``), with a mark where it was cut.

    >>> _cut("run make before the tests", 3)
    'run make before…'
    """
    if size(text) <= most:
        return text
    return f"{' '.join(text.split()[:most])[: most * 14 - 1].rstrip(' ,;:')}…"


def size(text: str) -> int:
    """Return the number of words. For scripts without blanks, estimate it from the characters."""
    return max(len(text.split()), len(text) // 14)
