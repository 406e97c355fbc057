"""The words of two statements that can't both be followed, marked in each."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from curator.comparison.choices import clashes, declared
from curator.comparison.features import OPPONENTS
from curator.comparison.statement import analysed, is_value, stem

Clash = tuple[tuple[str, str], ...]
MOST = 3
"""Pairs of words that are shown at most."""
LONG = 5
"""Words of one side of a pair at most."""
_NEGATED = re.compile(
    r"(?i)\b(?:do(?:es)? not|don[’']?t|doesn[’']t|must not|mustn[’']t|should not|shouldn[’']t|never|not|no|"
    r"cannot|can[’']t|avoid|without|stop)\s+`?([\w./-]*\w)"
)


def clashing(older: str, newer: str) -> Clash:
    """Pairs of words (from older, from newer): declared facts, else what one denies, else what took another's place."""
    facts = tuple((old, new) for _, old, new in clashes(declared(older), declared(newer)))
    return facts or denied(older, newer) or swapped(older, newer)


def denied(older: str, newer: str) -> Clash:
    """What one of the two forbids or denies, beside the same word in the other."""
    for one, other, turned in ((older, newer, False), (newer, older, True)):
        theirs = analysed(other)
        for match in _NEGATED.finditer(one):
            word = stem(match[1].lower())
            if word in theirs.stems and not any(stem(found[1].lower()) == word for found in _NEGATED.finditer(other)):
                asked = re.search(rf"(?i)(?:\b(?:always|must)\s+)?\b{re.escape(word)}\w*", other)
                pair = (match[0], asked[0] if asked else "")
                return (pair[::-1],) if turned else (pair,)
    return ()


def swapped(older: str, newer: str) -> Clash:
    """What stands in each other's place, most telling first; opposites where nothing does."""
    a, b = analysed(older), analysed(newer)
    found: list[tuple[bool, int, tuple[str, str]]] = []
    for kind, i, j, k, n in SequenceMatcher(None, a.tokens, b.tokens, autojunk=False).get_opcodes():
        if kind != "replace":
            continue
        was, is_ = a.tokens[i:j], b.tokens[k:n]
        if max(len(was), len(is_)) > LONG and is_value(was[0]) and is_value(is_[0]):  # one value for another, then a clause
            was, is_ = was[:1], is_[:1]
        if max(len(was), len(is_)) <= LONG:
            named = bool(set(was) & a.values or set(is_) & b.values)
            found.append((not named, len(found), (as_written(was, older), as_written(is_, newer))))
    pairs = [pair for _, _, pair in sorted(found)[:MOST]]
    come = set(b.tokens) - set(a.tokens)
    opposed = [(old, new) for old in a.tokens for new in sorted(OPPONENTS.get(old, frozenset()) & come)]
    return tuple(opposed[:1]) if opposed and (len(found) > MOST or not pairs) else tuple(pairs)


def as_written(tokens: tuple[str, ...], text: str) -> str:
    """Some tokens as they stand in a text, letter for letter where they can be found."""
    pattern = r"\W+".join(re.sub("nt$", "n['’]?t", re.escape(token)) for token in tokens)  # "dont" stands for "don't"
    match = re.search(pattern, text, re.IGNORECASE)
    return match[0] if match else " ".join(tokens)
