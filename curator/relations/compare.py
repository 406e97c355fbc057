"""How a newer statement relates to an older one: by edits, declared facts, negation and containment, never by likeness alone.

Likeness says what two texts are about, not whether they agree: contradictions share fewer words than paraphrases do. So each
answer below needs its own evidence, and without evidence there is none.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from curator.model import Relating
from curator.relations.facts import GROUPS, clashes, declared
from curator.relations.lists import listed
from curator.relations.words import Words, analysed, is_value, stem

Clash = tuple[tuple[str, str], ...]
Verdict = tuple[Relating, Clash, float]
_CHOICES = frozenset(name for values in GROUPS.values() for name in values.split())
_NEGATED = re.compile(
    r"(?i)\b(?:do(?:es)? not|don[’']?t|doesn[’']t|must not|mustn[’']t|should not|shouldn[’']t|never|not|no|"
    r"cannot|can[’']t|avoid|without|stop)\s+`?([\w./-]*\w)"
)
_SCOPES = listed("except unless but when if only also because since during outside inside")


def compared(older: str, newer: str) -> Verdict | None:
    """The relation of two texts with the clashing words (from older, from newer) and their likeness 0 to 1; ``None`` if
    unrelated.
    """
    a, b = analysed(older), analysed(newer)
    if not a.stems or not b.stems:
        return None
    if a.stems == b.stems and _numbers(a) == _numbers(b) and bool(a.forbids) == bool(b.forbids):
        return Relating.DUPLICATE, (), 1.0
    shared = a.stems & b.stems
    likeness = len(shared) / len(a.stems | b.stems)
    worded = fuzz.token_set_ratio(" ".join(a.tokens), " ".join(b.tokens)) / 100
    score = round((likeness + worded) / 2, 3)
    if found := _by_facts(older, newer, a, b):
        only_refused = any(len(new.split()) > 1 or len(old.split()) > 1 for old, new in found)
        return Relating.CONTRADICTS if only_refused else Relating.SUPERSEDES, found, score
    if found := _by_negation(older, newer, a, b, likeness):
        return Relating.CONTRADICTS, found, score
    if found := _by_values(a, b, likeness):
        return Relating.SUPERSEDES, found, score
    if _opposed(older, newer, a, b) and likeness < 0.8:
        return None
    if relating := _by_containment(a, b, likeness, worded):
        return relating, (), score
    return None


def _by_facts(older: str, newer: str, a: Words, b: Words) -> Clash:
    """Two values for one key, said about the same thing: their other words overlap or there are hardly any."""
    found = clashes(declared(older), declared(newer))
    if not found:
        return ()
    named = {part for _, old, new in found for value in (old, new) for part in re.split(r"[ -]", value.lower())}
    rest_a, rest_b = a.stems - named - _CHOICES, b.stems - named - _CHOICES
    shared = len(rest_a & rest_b)
    brief = min(len(rest_a), len(rest_b)) <= 2 and max(len(rest_a), len(rest_b)) <= 6
    if shared >= 2 or (brief and (shared or not rest_a or not rest_b)):
        return tuple((old, new) for _, old, new in found)
    return ()


def _by_negation(older: str, newer: str, a: Words, b: Words, likeness: float) -> Clash:
    """The same words, one of them forbidding what the other asks for."""
    if bool(a.forbids) == bool(b.forbids) or likeness < 0.6 or min(len(a.stems), len(b.stems)) < 2:
        return ()
    changed = set(a.tokens) ^ set(b.tokens)
    if changed & _SCOPES or len(changed) > 4 or len(a.stems ^ b.stems) > 2:  # a clause was added: that narrows
        return ()
    match = _NEGATED.search(older if a.forbids else newer)
    if match is None:
        return ()
    asked = re.search(rf"(?i)(?:\b(?:always|must)\s+)?\b{re.escape(match[1])}", newer if a.forbids else older)
    pair = (match[0], asked[0] if asked else "")
    return (pair,) if a.forbids else (pair[::-1],)


def _opposed(older: str, newer: str, a: Words, b: Words) -> bool:
    """Whether one of the two forbids something that the other speaks of without forbidding it."""
    if bool(a.forbids) == bool(b.forbids):
        return False
    match = _NEGATED.search(older if a.forbids else newer)
    return match is not None and stem(match[1].lower()) in (b if a.forbids else a).stems


def _by_values(a: Words, b: Words, likeness: float) -> Clash:
    """The same sentence with another number, name, path or option in it."""
    if likeness < 0.4 or not (a.values | b.values):
        return ()
    clash: list[tuple[str, str]] = []
    added = removed = 0
    edits = SequenceMatcher(None, a.tokens, b.tokens, autojunk=False)
    for tag, i, j, k, n in edits.get_opcodes():
        if tag == "replace":
            old, new = a.tokens[i:j], b.tokens[k:n]
            if _swapped(old, new, a, b) and (i or k or edits.ratio() >= 0.75):  # another first word is another subject
                clash.append((" ".join(old), " ".join(new)))
            else:
                added, removed = added + (n - k), removed + (j - i)
        else:
            added, removed = added + (n - k if tag == "insert" else 0), removed + (j - i if tag == "delete" else 0)
    same = min(len(a.tokens), len(b.tokens))
    if clash and len(clash) <= 2 and added + removed <= max(2, 0.5 * same):
        return tuple(clash)
    return ()


def _numbers(words: Words) -> list[str]:
    return sorted(token for token in words.tokens if any(letter.isdigit() for letter in token))


def _swapped(old: tuple[str, ...], new: tuple[str, ...], a: Words, b: Words) -> bool:
    """Whether a value took the place of a value: few words, each side naming something that the other text never names."""
    if len(old) > 4 or len(new) > 4 or set(old) <= set(b.tokens) or set(new) <= set(a.tokens):
        return False
    if len(old) == len(new) == 1 and (old[0].isdigit() or new[0].isdigit()):
        return True
    return any(_valued(token, a) for token in old) and any(_valued(token, b) for token in new)


def _valued(token: str, words: Words) -> bool:
    return token in words.values or token in _CHOICES or is_value(token)


def _by_containment(a: Words, b: Words, likeness: float, worded: float) -> Relating | None:
    """All of one statement stands in the other: said again, or narrowed."""
    shared = len(a.stems & b.stems)
    in_b, in_a = shared / len(a.stems), shared / len(b.stems)
    if min(len(a.stems), len(b.stems)) < 2:
        return None
    extra = len(b.stems - a.stems)
    if in_b >= 0.8 and extra >= max(2, 0.25 * len(a.stems)):
        return Relating.REFINES
    if likeness >= 0.6 or (in_a >= 0.85 and len(b.stems) >= 3) or (worded >= 0.9 and likeness >= 0.5):
        return Relating.DUPLICATE
    return None
