"""Same statement, same fingerprint; near statements become one candidate with several pieces of evidence."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from rapidfuzz import fuzz

from curator.model import Candidate, Evidence
from curator.text.lists import listed

NEAR = 88
"""``token_set_ratio`` of two insights from which on they are one statement, if their values agree."""

_WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")
_NOISE = listed(
    "a an the is are was were be been being am to of in on at for from by with as and or that which this "
    "these those it its we you i our your my us me they them their "
    "please so then now also just very really actually there here has have had will would should can could "
    "may might do does did"
)
_ENDINGS = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")


_TURNS = dict.fromkeys(listed("not never no without avoid cannot"), "not") | {
    word: word for word in listed("instead than over before after until from")
}
"""Words behind which it matters what stands there: who swaps it with another word of the statement says something else."""
_PASSED = _NOISE | listed("use uses using used ever")
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
    governed = _governed(text)
    return f"{bag(text)}-{_digest(governed, 8)}" if governed else bag(text)


def bag(text: str) -> str:
    """The fingerprint of words in any order: for what is no sentence, such as a command."""
    return _digest(content(text), 20)


def bagged(fingerprint: str) -> str:
    """The same statement's fingerprint as databases hold it that were written before order counted."""
    return fingerprint.partition("-")[0]


def _digest(words: Iterable[str], digits: int) -> str:
    return hashlib.sha256(" ".join(sorted(words)).encode("utf-8", "replace")).hexdigest()[:digits]


def _governed(text: str) -> set[str]:
    """What stands behind each word of refusal, preference and order; a word that stands elsewhere as well tells nothing."""
    words, found, waiting = _words(text), set[str](), ""
    for word in words:
        if word in _TURNS:
            waiting = _TURNS[word]
        elif waiting and word not in _PASSED and words.count(word) == 1:
            found.add(f"{waiting} {word}")
            waiting = ""
    return found


def clustered(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates, best first, with repetitions folded into the best of their kind as further evidence.

    Only neighbours that share a content word in an index are compared, so that the cost stays near linear.
    """
    kept: list[Candidate] = []
    words: list[frozenset[str]] = []
    index: dict[str, list[int]] = {}
    for candidate in sorted(candidates, key=_order):
        mine = content(candidate.insight)
        twin = next((n for n in _likely(mine, index) if _same(candidate, kept[n], mine, words[n])), None)
        if twin is not None:
            kept[twin] = replace(kept[twin], evidence=kept[twin].evidence + _new(candidate, kept[twin]))
            continue
        for word in mine:
            index.setdefault(word, []).append(len(kept))
        kept.append(candidate)
        words.append(mine)
    return sorted(kept, key=_order)


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
    if bagged(one.fingerprint) == bagged(other.fingerprint):
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
