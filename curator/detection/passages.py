"""From sentences to the passage that states a lesson: verbatim evidence, its lines, and its repetitions.

The evidence gate: a quote stands verbatim in a turn, and goes out with the lines around it.

Same statement, same fingerprint; near statements become one candidate with several pieces of evidence.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from rapidfuzz import fuzz

from curator.detection.sentences import Sentence
from curator.model import Candidate, Evidence, Happening, Line, Role, Turn
from curator.text.redact import clean
from curator.text.words import word_set

LONGEST = 300
"""Characters of a passage at most: so much of it is quoted."""

GAP = 12
"""Characters between sentences of one passage at most: a new line, a list's mark; no heading, no block of code."""

WEAK = 3.0
"""Log-odds by which a sentence may be worth less than the one it is quoted with."""

COMMON = 300
"""A word that more statements of a session share tells none of them from the others."""

ALIKE = 0.3
"""Share of a statement's weight in words that another one must have, to state the same again …"""

ALIKE_BACK = 0.2
"""… and the share of its own that must be among them."""

SHARED = 3
"""Words that two statements share at least to be one."""


def passage(sentences: Sequence[Sentence], worths: Sequence[float], place: int) -> range:
    """The sentences around ``place`` that are quoted with it: neighbours join, the worthier first, while there is room."""
    first = last = place
    while True:
        sides = []
        least = worths[place] - WEAK
        if first and worths[first - 1] >= least and _joins(sentences, first - 1, first, last, before=True):
            sides.append((worths[first - 1], -1))
        if last + 1 < len(sentences) and worths[last + 1] >= least and _joins(sentences, last + 1, first, last, before=False):
            sides.append((worths[last + 1], 1))
        if not sides:
            return range(first, last + 1)
        if max(sides)[1] < 0:
            first -= 1
        else:
            last += 1


def _joins(sentences: Sequence[Sentence], new: int, first: int, last: int, *, before: bool) -> bool:
    start, end = (new, last) if before else (first, new)
    gap = sentences[first].start - sentences[new].end if before else sentences[new].start - sentences[last].end
    return gap <= GAP and sentences[end].end - sentences[start].start <= LONGEST


class Likeness(NamedTuple):
    """How much of one statement's weight in words stands in another, both ways: 0 to 1."""

    other: int
    there: float
    back: float
    overlap: int

    @property
    def restates(self) -> bool:
        """Whether both say the same, as far as their words show it."""
        return self.overlap >= SHARED and max(self.there, self.back) >= ALIKE and min(self.there, self.back) >= ALIKE_BACK


class Index:
    """The statements of a session by their words; a rare word weighs more than one that half of them have."""

    def __init__(self, contents: Sequence[frozenset[str]]) -> None:
        self.contents = contents
        self._where: Mapping[str, list[int]] = _invert(contents)
        self._weight = {word: math.log(1 + len(contents) / len(where)) for word, where in self._where.items()}
        self._whole = [math.fsum(self._weight[word] for word in content) for content in contents]

    def alike(self, number: int) -> Iterator[Likeness]:
        """The statements that share enough of their telling words with this one, both ways, in order of their numbers."""
        common: dict[int, float] = defaultdict(float)
        shared: dict[int, int] = defaultdict(int)
        for word in sorted(self.contents[number]):
            if len(where := self._where[word]) <= COMMON:
                weight = self._weight[word]
                for other in where:
                    common[other] += weight
                    shared[other] += 1
        mine = self._whole[number]
        for other in sorted(other for other, weight in common.items() if weight / mine >= ALIKE_BACK):
            there, back = common[other] / mine, common[other] / self._whole[other]
            if other != number and back >= ALIKE_BACK:
                yield Likeness(other, there, back, shared[other])


def _invert(contents: Iterable[frozenset[str]]) -> dict[str, list[int]]:
    where: dict[str, list[int]] = defaultdict(list)
    for number, content in enumerate(contents):
        for word in content:
            where[word].append(number)
    return where


AROUND = 3
"""Lines of an excerpt before and after the quoted one."""

WIDTH = 280
"""Characters of an excerpt's line that are kept."""

QUOTE = 300
"""Characters of a quote that are kept."""

_BLANK = re.compile(r"[-*+•–—_=~#>|:.…`─━⎯\s]*|\W*\d{1,3}[.)]\W*")
"""A line without words around a quote: the mark or number of the list that it stands in, a rule, what is left of a fence."""

_HARNESS = re.compile(
    r"\s*(?:Chunk ID: \w+|Wall time:? .{1,30}|(?:Process )?exited with .{1,40}|Process running with .{1,40}|Exit code:? \d+|"
    r"Original token count: \d+|Total output lines: \d+|Warning: truncated output .{1,60}|"
    r"Script (?:completed|running|failed).{0,40}|(?:Output|Stdout|Stderr):|"
    r"\*\*(?:Input|Output|Result):\*\*|.{0,40}\*\*\* Begin Patch)\s*"
)
"""A line that an agent's harness puts before a call's input or output; it says nothing of the work."""


def gather(turns: Sequence[Turn], index: int, start: int, end: int, around: int = AROUND) -> Evidence | None:
    """Evidence for ``turns[index].text[start:end]``, or ``None`` when no such words stand there.

    The quote is cut at ``QUOTE`` characters, at a word's end. Turns come masked: see ``transcripts.base.follow``.
    """
    turn = turns[index]
    quote = _clip(turn.text[start:end], QUOTE)
    if not quote.strip() or quote not in turn.text:
        return None
    line, line_end = _place(turn, start, start + len(turn.text[start:end].rstrip()))
    at = turn.locator
    lines = [*_before(turns, index, start, around), Line(speaker(turn), quote, hit=True), *_after(turns, index, end, around)]
    return Evidence(
        quote=quote,
        role=speaker(turn),
        file=clean(at.file),
        line=line,
        line_end=line_end,
        agent=turn.agent,
        session=turn.session,
        at=turn.at,
        excerpt=tuple(lines),
    )


def speaker(turn: Turn) -> Role:
    """Who said a turn's text: the reason of a refusal and the answer to a question are a person's words, filed as events."""
    by_person = turn.role is Role.EVENT and turn.happening in (Happening.REFUSAL, Happening.ANSWER)
    return Role.HUMAN if by_person else turn.role


def _place(turn: Turn, start: int, end: int) -> tuple[int, int]:
    """The lines of a stretch: the record itself, or in Markdown, where a turn has many lines, those of the words."""
    at = turn.locator
    if at.line_end <= at.line:
        return at.line, at.line_end
    line = min(at.line_end, at.line + turn.text.count("\n", 0, start))
    return line, min(at.line_end, line + turn.text.count("\n", start, end))


def _clip(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    stop = text.rfind(" ", most // 2, most)
    return text[: stop if stop > 0 else most]


def _lines(turn: Turn, lines: Iterable[str]) -> list[Line]:
    return [Line(speaker(turn), _clip(line.strip(), WIDTH)) for line in lines]


def _without_blanks(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if not _BLANK.fullmatch(line))


def _before(turns: Sequence[Turn], index: int, start: int, most: int) -> list[Line]:
    text = turns[index].text[max(0, start - 4_000) : start]
    found = _lines(turns[index], islice(_without_blanks(reversed(text.splitlines())), most))[::-1]
    for turn in reversed(turns[max(0, index - most) : index]):
        if len(found) >= most:
            break
        found = _gist(turn) + found
    return found[-most:]


def _after(turns: Sequence[Turn], index: int, end: int, most: int) -> list[Line]:
    found = _lines(turns[index], islice(_without_blanks(turns[index].text[end : end + 4_000].splitlines()), most))
    for turn in turns[index + 1 : index + 1 + most]:
        if len(found) >= most:
            break
        found += _gist(turn)
    return found[:most]


def _gist(turn: Turn) -> list[Line]:
    """One line that stands for a whole neighbouring turn."""
    if turn.role is Role.TOOL_CALL and turn.command:
        return _lines(turn, [" ".join(turn.command[:2_000].split())])
    lines = _without_blanks(turn.text[:2_000].splitlines())
    if turn.role in (Role.TOOL_CALL, Role.TOOL_RESULT):
        lines = (line for line in lines if not _HARNESS.fullmatch(line))
    return _lines(turn, islice(lines, 1))


NEAR = 88
"""``token_set_ratio`` of two insights from which on they are one statement, if their values agree."""

_WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")

_NOISE = word_set(
    "a an the is are was were be been being am to of in on at for from by with as and or that which this "
    "these those it its we you i our your my us me they them their "
    "please so then now also just very really actually there here has have had will would should can could "
    "may might do does did"
)

_ENDINGS = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")

_TURNS = dict.fromkeys(word_set("not never no without avoid cannot"), "not") | {
    word: word for word in word_set("instead than over before after until from")
}
"""Words behind which it matters what stands there: who swaps it with another word of the statement says something else."""

_PASSED = _NOISE | word_set("use uses using used ever")
"""Words that are not what is refused or preferred, but how."""


def content(text: str) -> frozenset[str]:
    """The words that carry the statement: lower case, plain endings, without grammar; negations and numbers stay."""
    words = frozenset(_words(text))
    return words - _NOISE or words


def _words(text: str) -> list[str]:
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found = _WORD.findall(plain.replace("n't", " not"))
    return [_stem(word) if word[-1] in "gds" else word for word in found]


@lru_cache(maxsize=4_096)
def _stem(word: str) -> str:
    return _ENDINGS.sub("", word)


def fingerprint(text: str) -> str:
    """The same for the same statement whatever its case, punctuation, grammar words and word order.

    20 hexadecimal digits of its words; behind them, where it refuses or orders something, ``-`` and 8 digits of what.

    >>> fingerprint("Use `pnpm`, never npm!") == fingerprint("never use npm use pnpm")
    True
    >>> fingerprint("Use `pnpm`, never npm!") == fingerprint("Use `npm`, never pnpm!")
    False
    """
    governed = _dependents(text)
    return f"{bag(text)}-{_digest(governed, 8)}" if governed else bag(text)


def bag(text: str) -> str:
    """The fingerprint of words in any order: for what is no sentence, such as a command."""
    return _digest(content(text), 20)


def bag_fingerprint(fingerprint: str) -> str:
    """The same statement's fingerprint as databases hold it that were written before order counted."""
    return fingerprint.partition("-")[0]


def _digest(words: Iterable[str], digits: int) -> str:
    return hashlib.sha256(" ".join(sorted(words)).encode("utf-8", "replace")).hexdigest()[:digits]


def _dependents(text: str) -> set[str]:
    """What stands behind each word of refusal, preference and order; a word that stands elsewhere as well tells nothing."""
    words, found, waiting = _words(text), set[str](), ""
    for word in words:
        if word in _TURNS:
            waiting = _TURNS[word]
        elif waiting and word not in _PASSED and words.count(word) == 1:
            found.add(f"{waiting} {word}")
            waiting = ""
    return found


def cluster(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates, best first, with repetitions folded into the best of their kind as further evidence.

    Only neighbours that share a content word in an index are compared, so that the cost stays near linear.
    """
    best: list[Candidate] = []
    words: list[frozenset[str]] = []
    index: dict[str, list[int]] = {}
    for candidate in sorted(candidates, key=_order):
        mine = content(candidate.insight)
        twin = next((n for n in _likely(mine, index) if _same(candidate, best[n], mine, words[n])), None)
        if twin is not None:
            best[twin] = replace(best[twin], evidence=best[twin].evidence + _new(candidate, best[twin]))
            continue
        for word in mine:
            index.setdefault(word, []).append(len(best))
        best.append(candidate)
        words.append(mine)
    return sorted(best, key=_order)


def _order(candidate: Candidate) -> tuple[float, int, int, str]:
    first = candidate.evidence[0]
    return (-candidate.score, first.line, first.line_end, candidate.headline)


def _likely(mine: frozenset[str], index: dict[str, list[int]]) -> list[int]:
    shared: dict[int, int] = {}
    for word in sorted(mine, key=lambda w: (len(index.get(w, ())), w))[:12]:
        for n in index.get(word, ())[:50]:
            shared[n] = shared.get(n, 0) + 1
    return sorted(n for n, count in shared.items() if count >= min(3, len(mine)))


def _same(one: Candidate, other: Candidate, mine: frozenset[str], theirs: frozenset[str]) -> bool:
    if one.fingerprint == other.fingerprint:
        return True
    if bag_fingerprint(one.fingerprint) == bag_fingerprint(other.fingerprint):
        return False  # the same words, but others are refused
    if min(len(mine), len(theirs)) < 4 or _values(mine) != _values(theirs):
        return False
    return fuzz.token_set_ratio(one.insight.lower(), other.insight.lower()) >= NEAR and len(mine & theirs) >= 0.6 * max(
        len(mine), len(theirs)
    )


def _values(words: frozenset[str]) -> frozenset[str]:
    """Numbers and negations: statements that differ in these are not the same however alike they look."""
    return frozenset(word for word in words if word in ("not", "never", "no", "cannot", "always") or word[0].isdigit())


def _new(candidate: Candidate, kept: Candidate) -> tuple[Evidence, ...]:
    known = {(evidence.file, evidence.line, evidence.quote) for evidence in kept.evidence}
    return tuple(evidence for evidence in candidate.evidence if (evidence.file, evidence.line, evidence.quote) not in known)
