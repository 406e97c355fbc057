"""The relation of a new statement to a stored one: duplicate, refines, supersedes, contradicts, or (mostly) none.

Only clear evidence counts: the same words, or two values for one declared key. It may also be the same sentence with another
value or a denial, or a thing that one forbids and the other demands. Likeness shows the subject of two texts, not their
agreement. A model that reads both does the rest (see ``distill.questions``).

The search for the same statement in other words is narrow, because taking two statements for one loses the second silently.
Every significant part must therefore agree: names, numbers, code, the forbidden thing, and the words after "before", "instead
of" and the like. The order, the grammar, and one added word in four may differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest
from itertools import chain, combinations

from rapidfuzz import fuzz

from curator.comparison.statement import (
    CHOICE_WORDS,
    CHOICES,
    NOISE,
    NOTHING,
    Demand,
    Statement,
    Words,
    all_match,
    analyse,
    clashes,
    comparison_text,
    content,
    declarations,
    demands,
    dependents,
    forbidding,
    is_turned,
    is_value,
    whole_text,
)
from curator.model import Entry, Relating, Relation
from curator.text.words import runs, word_set

Clash = tuple[tuple[str, str], ...]
"""Pairs of words that clash: (from older, from newer)."""
CONFLICTS = frozenset((Relating.SUPERSEDES, Relating.CONTRADICTS))
MAX_COMPARED_CHARACTERS = 1200
"""Characters of a text that are compared: a longer text is no lesson, and its comparison would take seconds."""
EDITED = 0.7
"""Likeness from which two texts are versions of one sentence."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The relation of the newer statement to the older one. ``None`` means unrelated."""

    relating: Relating | None
    clash: Clash = ()
    likeness: float = 0.0
    """The common share of the two, 0 to 1. It is 1 for the same words."""
    exact: bool = False
    """True if it is no guess: the same words, even denied or reversed, or two values for one declared key."""
    partial: bool = False
    """True if the newer contradicts only a part of the older, as a special case. It can't replace it."""


UNRELATED = Comparison(None)


def between(older: str, newer: str) -> Comparison:
    """Return how two texts relate.

    >>> between("Use npm, not pnpm", "Use pnpm, not npm").relating
    <Relating.SUPERSEDES: 'supersedes'>
    """
    older, newer = older[:MAX_COMPARED_CHARACTERS], newer[:MAX_COMPARED_CHARACTERS]
    a, b = analyse(older), analyse(newer)
    if not a.stems or not b.stems:
        return Comparison(Relating.DUPLICATE, (), 1.0, exact=True) if a.tokens and a.tokens == b.tokens else UNRELATED
    if found := _exact(older, newer, a, b):
        return Comparison(*found, 1.0 if found[0] is Relating.DUPLICATE else likeness(older, newer), exact=True)
    if clash := _opposition(older, newer):
        return Comparison(Relating.CONTRADICTS, clash, likeness(older, newer), partial=True)
    if swaps := _swapped_values(a, b):
        clash = tuple((_original(old, older), _original(new, newer)) for old, new in swaps)
        return Comparison(Relating.SUPERSEDES, clash, likeness(older, newer))
    if _adds(a, b) and not _differs_in_denial(a, b):
        return Comparison(Relating.REFINES, (), likeness(older, newer))
    if same(older, newer):
        return Comparison(Relating.DUPLICATE, (), likeness(older, newer))
    return UNRELATED


def likeness(older: str, newer: str, least: float = 0.0) -> float:
    """Return the common share of two texts, 0 to 1. Return 0 if their stems show that it is below ``least``."""
    a, b = analyse(older), analyse(newer)
    shared = len(a.stems & b.stems) / max(1, len(a.stems | b.stems))
    if round((shared + 1) / 2, 3) < least:
        return 0.0
    return round((shared + fuzz.token_set_ratio(" ".join(a.tokens), " ".join(b.tokens)) / 100) / 2, 3)


def _exact(older: str, newer: str, a: Words, b: Words) -> tuple[Relating, Clash] | None:
    """Return a relation that is no guess: equal words, two values for one key, or equal words with one denied or reversed."""
    if a.tokens == b.tokens:
        return Relating.DUPLICATE, ()
    if found := clashes(declarations(older), declarations(newer)):
        is_refused = any(" " in words for pair in found for words in pair)
        return Relating.CONTRADICTS if is_refused else Relating.SUPERSEDES, tuple(found)
    if not all(map(forbidding, a.stems ^ b.stems)) or _values(a) != _values(b):
        return None
    if bool(a.forbids) != bool(b.forbids):
        clash = _opposition(older, newer) or _replaced(older, newer)
        return (Relating.CONTRADICTS, clash) if clash else None
    if is_turned(dependents(a), dependents(b)):
        return Relating.CONTRADICTS, _turned_words(dependents(a), dependents(b))
    return Relating.DUPLICATE, ()


def _values(words: Words) -> list[str]:
    return sorted(token for token in words.tokens if is_value(token))


def _opposition(older: str, newer: str) -> Clash:
    """Return the words that one text forbids and the other demands. Return nothing if there are none.

    >>> _opposition("Never mock the database", "Mock the database in unit tests")
    (('Never mock the database', 'Mock the database in unit tests'),)
    """
    for a in demands(older):
        for b in demands(newer):
            if a.denies is not b.denies and _is_denied(*((a, b) if a.denies else (b, a))):
                return ((a.words, b.words),)
    return ()


def _is_denied(denial: Demand, asked: Demand) -> bool:
    """Return whether the demanded thing is the forbidden one, or a special case of it."""
    if not denial.core or denial.core != asked.core or not denial.place <= asked.place:
        return False
    return len(denial.core) > 1 or bool(denial.place) or asked.uses or denial.uses


def _replaced(older: str, newer: str) -> Clash:
    a, b = analyse(older).tokens, analyse(newer).tokens
    steps = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return tuple((" ".join(a[i:j]), " ".join(b[k:n])) for kind, i, j, k, n in steps if kind == "replace")


def _turned_words(one: Mapping[str, Set[str]], other: Mapping[str, Set[str]]) -> Clash:
    kinds = [kind for kind in one if kind in other and one[kind] != other[kind]]
    return tuple((f"{kind} {' '.join(sorted(one[kind]))}", f"{kind} {' '.join(sorted(other[kind]))}") for kind in kinds)


def _original(tokens: Sequence[str], text: str) -> str:
    """Return tokens as a text spells them, where possible."""
    found = re.search(r"\W+".join(map(re.escape, tokens)), text, re.IGNORECASE)
    return found[0] if found else " ".join(tokens)


def _swapped_values(a: Words, b: Words) -> Sequence[tuple[Sequence[str], Sequence[str]]]:
    """Return the values that differ in two versions of one sentence: another number, name, path or option."""
    subject = (a.stems | b.stems) - {value for value in a.values ^ b.values if value[0].isdigit()}
    if len(a.stems & b.stems) < 0.4 * len(subject) or not subject or not (a.values | b.values):
        return ()
    swaps: list[tuple[Sequence[str], Sequence[str]]] = []
    added = removed = 0
    edits = SequenceMatcher(None, a.tokens, b.tokens, autojunk=False)
    for tag, i, j, k, n in edits.get_opcodes():
        old, new = a.tokens[i:j], b.tokens[k:n]
        if tag == "replace" and _is_swap(old, new, a, b) and (i or k or edits.ratio() >= 0.75):  # otherwise another subject
            swaps.append((old, new))
        elif tag != "equal":
            added, removed = added + len(new), removed + len(old)
    few = added + removed <= max(2, 0.5 * min(len(a.tokens), len(b.tokens)))
    return swaps if len(swaps) <= 2 and few else ()


def _is_swap(old: tuple[str, ...], new: tuple[str, ...], a: Words, b: Words) -> bool:
    """Return whether one value replaces another: few words, each of which the other text never mentions."""
    if len(old) > 4 or len(new) > 4 or set(old) <= set(b.tokens) or set(new) <= set(a.tokens):
        return False
    if len(old) == len(new) == 1 and (old[0].isdigit() or new[0].isdigit()):
        return True
    return any(_is_telling(token, a) for token in old) and any(_is_telling(token, b) for token in new)


def _is_telling(token: str, words: Words) -> bool:
    return token in words.values or token in CHOICES or is_value(token)


def _adds(a: Words, b: Words) -> bool:
    """Return whether the newer says everything that the older says, and more."""
    return len(a.stems) >= 2 and a.stems < b.stems and a.values <= b.values


def _differs_in_denial(a: Words, b: Words) -> bool:
    """Return whether one forbids a thing that the other mentions, or other words follow its words of order."""
    if bool(a.forbids) == bool(b.forbids):
        return is_turned(dependents(a), dependents(b))
    one, other = (a, b) if a.forbids else (b, a)
    return not dependents(one).get("not", set()).isdisjoint(other.stems)


_OF = frozenset("for of in to by with from on at under inside".split())
"""Words before the subject of a statement."""


def concern_different_things(older: str, newer: str) -> bool:
    """Return whether the subjects differ: the same replacement occurs twice, or both a value and its purpose changed.

    >>> concern_different_things("Use tool 4 for task 4", "Use tool 2 for task 2")
    True
    >>> concern_different_things("Run tests with `make test`", "Run migrations with `make migrate`")
    True
    >>> concern_different_things("Port 3000 is for the api", "Port 4000 is for the web app")
    True
    >>> concern_different_things("The api listens on port 3000", "The api listens on port 4000")
    False
    """
    a, b = analyse(older).tokens, analyse(newer).tokens
    swaps: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    purposes = values = 0
    for kind, i, j, k, n in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        was, is_ = a[i:j], b[k:n]
        if kind == "equal" or not {*was, *is_} - NOISE:
            continue
        if kind != "replace":
            return False
        if _assigned(was) and _assigned(is_) and _assigned(was) != _assigned(is_):
            return True
        swaps.append((_beginnings(was), _beginnings(is_)))
        are_values = [is_value(token) or token in CHOICES for token in (*was, *is_)]
        values += all(are_values)
        purposes += not any(are_values) and _behind(a, i) and _behind(b, k)
    return len(swaps) > len(set(swaps)) or bool(values and purposes)


def _assigned(tokens: tuple[str, ...]) -> str:
    """Return the name that a single token gives a value, as in ``name=value``. Return an empty text if it does not."""
    name, sign, _ = tokens[0].partition("=")
    return name if sign and len(tokens) == 1 else ""


def _beginnings(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(token[:4] for token in tokens)  # ``tests`` and ``test``, ``migrations`` and ``migrate`` are one


def _behind(tokens: tuple[str, ...], at: int) -> bool:
    """Return whether a token is the purpose, object or place of the statement."""
    while at and tokens[at - 1] in NOISE - _OF:
        at -= 1
    return bool(at) and tokens[at - 1] in _OF


def _can_stand_together(older: str, newer: str) -> bool:
    """Return whether both can be followed though they look like a conflict.

    >>> _can_stand_together("Never commit kv.db", "Never commit .env")
    True
    >>> _can_stand_together("Use tabs in Makefiles", "Use spaces in Python files")
    True
    >>> _can_stand_together("Use tabs", "Use spaces in Python files")
    False
    """
    a, b = demands(older), demands(newer)
    if all(one.denies for one in (*a, *b)):  # each only forbids something
        return True
    here, there = _places(older), _places(newer)
    return concern_different_things(older, newer) or bool(here and there and not here & there)


_PLACE = re.compile(r"(?i)\b(?:in|on|for|under|inside|within)\s+(?:the\s+|our\s+|all\s+)?([\w./*-]+(?:\s+[\w./*-]+)?)")


def _places(text: str) -> Set[str]:
    return frozenset().union(*(analyse(place).stems for place in _PLACE.findall(text)))


_IN = re.compile(r"(?i)(?:^\W*(?:in|inside|under|within)|\bcd)\s+(?:the\s+)?`?((?:[\w.@-]+/)+[\w.@*-]*)")


def have_different_places(text: object, other: Entry) -> bool:
    """Return whether the two apply in different parts of the project. If so, they never clash."""
    mine, theirs = folders(text), folders(other)
    return bool(mine and theirs) and not any(_inside(a, b) or _inside(b, a) for a in mine for b in theirs)


def is_restriction_of(text: object, other: Entry) -> bool:
    """Return whether ``text`` applies only to a part of the other's paths."""
    if getattr(text, "scope", "project") != "global" and other.scope == "global":
        return True
    mine, theirs = folders(text), folders(other)
    if not mine or set(mine) == set(theirs):
        return False
    return not theirs or all(any(_inside(a, b) for b in theirs) for a in mine)


def folders(text: object) -> tuple[str, ...]:
    """Return the folders to which a text applies, without wildcards; none for all. Its scope counts first, then its words."""
    if getattr(text, "scope", "") == "paths" and (paths := getattr(text, "paths", ())):
        return tuple(_plain(path) for path in paths)
    return restricted_folders(f"{getattr(text, 'insight', '')}" or f"{getattr(text, 'headline', '')}")


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def restricted_folders(text: str) -> tuple[str, ...]:
    """Return the folders that a text restricts itself to at its beginning, or changes to.

    >>> restricted_folders("In `web/forms/` use tabs, not spaces")
    ('web/forms',)
    """
    found: Sequence[str] = _IN.findall(text)
    return tuple(dict.fromkeys(_plain(path) for path in found if not re.search(r"\.\w{1,5}$", path)))


def _plain(path: str) -> str:
    return path.removeprefix("./").rstrip("/*")


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/") or not folder


_WEIGHT = {Relating.SUPERSEDES: 3, Relating.CONTRADICTS: 3, Relating.DUPLICATE: 2, Relating.REFINES: 1}


def relate(text: Statement, others: Iterable[Entry], *, guess: bool = True) -> Relation | None:
    """Return the strongest relation of a new statement to a stored lesson, or ``None``.

    A copy of a stored lesson is a duplicate in any case. Then come conflicts, then refinements. A statement for a part of the
    other's paths is an exception and no conflict. Without ``guess``, only exact relations count.
    """
    newer = comparison_text(text)[:MAX_COMPARED_CHARACTERS]
    best: tuple[tuple[int, float], Relation] | None = None
    for other in others:
        older = comparison_text(other)[:MAX_COMPARED_CHARACTERS]
        if _is_settled(text, other) or have_different_places(text, other) or not share_terms(newer, older):
            continue
        result = between(older, newer)
        if result.relating is None or not (guess or result.exact):
            continue
        is_conflict = result.relating in CONFLICTS
        if is_conflict and _can_stand_together(older, newer):
            continue
        is_exception = is_conflict and is_restriction_of(text, other)
        # A project may deny a global lesson outright. Then a person says if it is an exception or if the lesson is wrong.
        is_asked = other.scope == "global" and not folders(text) and (result.exact or result.partial)
        relating = Relating.REFINES if is_exception and not is_asked else result.relating
        weight = 4 if relating is Relating.DUPLICATE and result.likeness >= 0.9 else _WEIGHT[relating]
        relation = Relation(
            other=other.id,
            relating=relating,
            clash=result.clash,
            likeness=result.likeness,
            # An exception replaces nothing.
            certain=not result.partial and (result.exact or result.likeness >= EDITED) and not is_exception,
        )
        if best is None or (weight, result.likeness) > best[0]:
            best = ((weight, result.likeness), relation)
    return best[1] if best else None


MIN_NEAR_LIKENESS = 0.55
"""Minimum likeness of two lessons that say nearly the same. Of 16 labelled pairs, 15 reach it."""

SHARED = 5
"""Minimum number of common content words of two such lessons. In a shorter text, each other word is another rule."""


def nearest(text: Statement, others: Iterable[Entry]) -> Relation | None:
    """Return the stored lesson that says nearly the same, as an uncertain repetition. Return ``None`` if there is none."""
    newer = comparison_text(text)[:MAX_COMPARED_CHARACTERS]
    found = [
        Relation(other=other.id, relating=Relating.DUPLICATE, likeness=share)
        for other in others
        if not _is_settled(text, other)
        and not have_different_places(text, other)
        and (share := nearness(comparison_text(other)[:MAX_COMPARED_CHARACTERS], newer))
    ]
    return max(found, key=lambda one: one.likeness, default=None)


def nearness(older: str, newer: str) -> float:
    """Return the likeness of two texts that say nearly the same; 0 for others, and if one replaces or denies the other.

    >>> nearness("Run the unit tests with pytest before a commit", "Before a commit, run the unit tests with pytest")
    1.0
    >>> nearness("Run tests with `make test`", "Run migrations with `make migrate`")
    0.0
    """
    share = likeness(older, newer, MIN_NEAR_LIKENESS)
    if share < MIN_NEAR_LIKENESS or (len(content(older) & content(newer)) < SHARED and not same(older, newer)):
        return 0.0
    a, b = (_numbers(text) for text in (older, newer))
    other_values = (a - b and b - a) or concern_different_things(older, newer) or between(older, newer).relating in CONFLICTS
    return 0.0 if other_values else share


MIN_AKIN_LIKENESS = 0.4
"""Minimum likeness of two lessons at which a shared verb and object count. Below it they only share a name."""


def have_one_place(text: Entry, other: Entry) -> bool:
    """Return whether two lessons have the same scope and name no different folders."""
    return (text.scope, text.paths) == (other.scope, other.paths) and not have_different_places(text, other)


def can_share_a_rule(text: Entry, other: Entry) -> bool:
    """Return whether one rule can replace two lessons of one scope: they are nearly equal, or treat the same thing equally.

    If each names a thing that the other does not, they treat two things equally.
    """
    if not have_one_place(text, other):
        return False
    older, newer = (comparison_text(one)[:MAX_COMPARED_CHARACTERS] for one in (text, other))
    if nearness(older, newer):
        return True
    a, b = analyse(older).values, analyse(newer).values
    is_one_thing = not (a - b and b - a) and likeness(older, newer, MIN_AKIN_LIKENESS) >= MIN_AKIN_LIKENESS
    return is_one_thing and bool(_long_cores(older) & _long_cores(newer)) and between(older, newer).relating not in CONFLICTS


@lru_cache(maxsize=4096)  # each lesson is compared with all others
def _long_cores(text: str) -> Set[tuple[bool, tuple[str, ...]]]:
    """Return the demands and prohibitions of a text that name a verb and a thing."""
    return frozenset((one.denies, one.core) for one in demands(text) if len(one.core) > 1)


def _numbers(text: str) -> Set[str]:
    return {token for token in analyse(text).tokens if token[0].isdigit()}


MIN_COMMON_SHARE = 0.4
"""The share of the words of the shorter of two statements that both have, where one repeats the other."""
MAX_COMPARED = 8


def find_original(text: Statement, others: Iterable[Entry]) -> str:
    """Return the id of the stored lesson that a statement repeats, by ``relate``. Return an empty text if there is none.

    This compares only lessons that share most words, which costs a twentieth. It finds no conflicts with the others.
    """
    mine = content(comparison_text(text)[:MAX_COMPARED_CHARACTERS])
    shares = ((_common(mine, content(comparison_text(other)[:MAX_COMPARED_CHARACTERS])), other) for other in others)
    nearest = nlargest(MAX_COMPARED, (one for one in shares if one[0] >= MIN_COMMON_SHARE), key=lambda one: one[0])
    found = relate(text, [other for _, other in nearest])
    return found.other if found and found.relating is Relating.DUPLICATE else ""


def _common(one: Set[str], other: Set[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _is_settled(text: Statement, other: Entry) -> bool:
    """Return whether there is nothing to ask: it is the same entry, or a person has said that both hold."""
    id_ = getattr(text, "id", "")
    return (
        other is text
        or other.id == id_
        or any(other.id == beside for beside, _ in getattr(text, "coexists", ()))
        or any(id_ == beside for beside, _ in other.coexists)
    )


def conflicts(texts: Mapping[str, str]) -> list[tuple[str, str, Clash]]:
    """Return the pairs of texts that can't both be followed, by id, with the contradicting words.

    Only clear ones count: another value for one declared key, or a thing that one forbids and the other demands.
    """
    denied: dict[str, dict[tuple[str, ...], list[str]]] = {}
    keys: dict[str, list[str]] = {}
    words = {id_: frozenset(word.strip("`*_.,:;()\"'") for word in text.lower().split()) for id_, text in texts.items()}
    denials = set(filter(forbidding, set[str]().union(*words.values())))
    for id_, text in texts.items():
        facts = NOTHING if CHOICE_WORDS.isdisjoint(words[id_]) else declarations(text)
        for key in facts.choices.keys() | facts.refusals.keys():
            keys.setdefault(key, []).append(id_)
        for core in () if denials.isdisjoint(words[id_]) else _cores(text, denies=True):
            denied.setdefault(_begin(core[0]), {}).setdefault(core, []).append(id_)
    pairs = {pair for ids in keys.values() for pair in combinations(ids, 2)}
    for id_, text in texts.items():
        begins = set(map(_begin, words[id_]))
        likely = {core for begin in begins & denied.keys() for core in denied[begin] if begins.issuperset(map(_begin, core))}
        if likely:
            found = likely.intersection(_cores(text, denies=False))
            pairs |= {(other, id_) for core in found for other in denied[_begin(core[0])][core]}
    order = {id_: number for number, id_ in enumerate(texts)}
    ordered = sorted(
        {tuple(sorted(pair, key=order.__getitem__)) for pair in pairs}, key=lambda pair: [order[id_] for id_ in pair]
    )
    return [(a, b, clash) for a, b in ordered if (clash := _outright(texts[a], texts[b]))]


@lru_cache(maxsize=4096)  # the same words come again in every text
def _begin(word: str) -> str:
    """Return the common beginning of a word and its stem. A word with a digit is its own stem."""
    return word if any(map(str.isdigit, word)) else word[:3]


def _cores(text: str, *, denies: bool) -> set[tuple[str, ...]]:
    """Return the demands and prohibitions of a text, each as the stems of its words."""
    return {one.core for one in demands(text[:MAX_COMPARED_CHARACTERS]) if one.denies is denies and one.core}


def _outright(older: str, newer: str) -> Clash:
    result = between(older, newer)
    is_conflict = result.relating is Relating.CONTRADICTS or (result.relating is Relating.SUPERSEDES and result.exact)
    return () if not is_conflict or _can_stand_together(older, newer) else result.clash


INSIGHT = 30
"""Words of a merged insight at most, where it can be."""
_CLAUSES = re.compile(r"(?<=[;.])\s+|,\s+(?=(?:so|because|since|as|but|and|or|otherwise|use|run|which)\b)")
_HANGING = re.compile(r"(?:so|because|since|as|but|and|or|otherwise|which)\b", re.IGNORECASE)
"""The beginning of a clause that means nothing without the one before it."""
Texts = tuple[str, str]
"""A headline and an insight. The insight may be empty."""


def merge(older: Entry, newer: Entry) -> Texts:
    """Return a headline and an insight for both. In a conflict, the newer one counts.

    The relation on the card takes precedence over one from the words.
    """
    known = newer.rival if newer.rival and newer.rival.other == older.id else None
    return join((older.headline, older.insight), (newer.headline, newer.insight), known)


def join(older: Texts, newer: Texts, known: Relation | None = None) -> Texts:
    """Return a text for both: the newer if it replaces or narrows, or else the more exact one, with the other's additions.

    An old value never stays next to the new one. Of a replaced text, only the unaffected clauses stay. ``known`` is the known
    relation of the newer to the older. Otherwise it comes from their words.
    """
    result = known or between(_text(older), _text(newer))
    if result.relating in (Relating.SUPERSEDES, Relating.CONTRADICTS):
        old = [old for old, _ in result.clash]
        return newer[0] or older[0], _with(_text(newer), _adding(_text(older), _text(newer), without=old))
    if result.relating is Relating.REFINES:
        return newer[0] or older[0], _with(_text(newer), _adding(_text(older), _text(newer)))
    exact, other = sorted((older, newer), key=_exactness, reverse=True)
    return exact[0] or other[0], _with(_text(exact), _adding(_text(other), _text(exact)))


def _text(texts: Texts) -> str:
    return texts[1] or texts[0]


def _exactness(texts: Texts) -> tuple[int, int]:
    words = analyse(_text(texts))
    return len(words.values) * 2 + len(words.stems), len(_text(texts))


def _adding(text: str, kept: str, *, without: Sequence[str] | None = None) -> list[str]:
    """Return a text or those clauses that add to the kept text and name nothing of ``without``.

    A clause adds at least two words. If nothing is replaced, it may instead have all names and options of the kept text and
    more.
    """
    replaced = [old.lower() for old in without or () if old]
    clauses = [part.strip(" ,;.") for part in _CLAUSES.split(text)]
    here = analyse(kept)
    news = ((clause, analyse(clause)) for clause in clauses if not _HANGING.match(clause))
    adding = [
        clause
        for clause, own in news
        if len(own.stems - here.stems) >= max(2, 0.4 * len(own.stems)) or (without is None and own.values > here.values)
    ]
    if without is not None:
        if not replaced:
            return []
        return [clause for clause in adding if not any(old in clause.lower() for old in replaced)]
    return [text] if adding and len(adding) == len(clauses) else adding


def _with(text: str, clauses: Sequence[str]) -> str:
    """Return a text with as many clauses after it as fit, each as a sentence."""
    for clause in clauses:
        together = f"{text.rstrip(' .')}. {clause[:1].upper()}{clause[1:]}"
        if len(together.split()) <= INSIGHT:
            text = together
    return text


def similar(entry: Statement, others: Iterable[Entry], limit: int) -> list[tuple[Entry, float]]:
    """Return the ``limit`` entries that ``entry`` may be merged into, most similar first, with their likeness 0 to 1."""
    text = whole_text(entry)
    mine = analyse(text)
    found = []
    for other in others:
        if other is entry or other.id == getattr(entry, "id", "") or not share_terms(text, whole_text(other)):
            continue
        theirs = analyse(whole_text(other))
        overlap = len(mine.stems & theirs.stems) / max(1, len(mine.stems | theirs.stems))
        same_files = 0.1 if set(entry.files) & set(other.files) else 0.0
        ratio = fuzz.token_set_ratio(text.lower(), whole_text(other).lower()) / 100
        found.append((other, round(min(1.0, 0.5 * ratio + 0.5 * overlap + same_files), 3)))
    return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:limit]


WORDS_PER_DIFFERENCE = 4
"""One content word in this many may differ. Shorter statements must agree in all words."""
_NARROWS = word_set("except unless but if when while only also because since during outside inside until first last most least")


def repeats(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that repeat an earlier one of many, each with the earlier one's id.

    Equal statements have the same words with digits and share half of the others. So they share one of the rarer half, and only
    few need a full comparison.
    """
    words = {id_: frozenset(map(_first_letters, runs(text.lower()))) for id_, text in texts.items()}
    often = Counter(chain.from_iterable(words.values()))
    rank = {word: number for number, word in enumerate(sorted(often, key=lambda word: (often[word], word)))}
    exact = {word for word in often if not word.isalpha()}
    index: dict[tuple[str, frozenset[str]], list[str]] = {}
    found: dict[str, str] = {}
    for id_, mine in words.items():
        numbers = mine & exact
        rare = sorted(mine, key=rank.__getitem__)[: len(mine) // 2 + 1]
        near = dict.fromkeys(other for word in rare for other in index.get((word, numbers), ()))
        likely = (other for other in near if 2 * len(mine & words[other]) >= max(len(mine), len(words[other])))
        if original := next((other for other in likely if same(texts[other], texts[id_])), ""):
            found[id_] = original
        else:
            for word in rare:
                index.setdefault((word, numbers), []).append(id_)
    return found


@lru_cache(maxsize=4096)  # the same words come again in every text
def _first_letters(word: str) -> str:
    return word[:4] if word.isalpha() else word


def same(one: str, other: str) -> bool:
    """Return whether two texts state the same.

    >>> same("Never edit vendor/ by hand", "vendor/ must never be edited by hand")
    True
    >>> same("Run the linter before the tests", "Run the tests before the linter")
    False
    """
    mine, theirs = content(one), content(other)
    return (
        bool(mine)
        and _is_rewording(mine - theirs, theirs - mine, min(len(mine), len(theirs)) // WORDS_PER_DIFFERENCE)
        and not adds(one, other)
        and not adds(other, one)
    )


REWORDED = 0.6
"""The share of words (0 to 1) that a text shares with the one it was made of."""


def is_reworded(older: str, newer: str) -> bool:
    """Return whether a text may be an older one in other words."""
    mine, theirs = content(older), content(newer)
    return bool(mine) and len(mine & theirs) >= REWORDED * max(len(mine), len(theirs))


def adds(older: str, newer: str) -> bool:
    """Return whether a text has a name, a number, a denial or an order that the older one lacks.

    >>> adds("Keep the port on 4000.", "The port stays on 4000!"), adds("Keep the port on 4000.", "Keep the port on 5000.")
    (False, True)
    """
    a, b = analyse(older), analyse(newer)
    return (
        not b.values <= a.values | set(a.tokens)
        or (bool(a.forbids) != bool(b.forbids))
        or is_turned(dependents(a), dependents(b))
        or bool(clashes(declarations(older), declarations(newer)))
    )


def _is_rewording(left: Set[str], right: Set[str], most: int) -> bool:
    """Return whether the differing words change nothing: few, and either additions or other forms of the same words."""
    if max(len(left), len(right)) > most:
        return False
    if left and right:
        return all_match(left, right)
    return not (left | right) & _NARROWS


def share_terms(one: str, other: str) -> bool:
    """Return whether two texts deserve a comparison: they share two stems (one if they are short), or a declared key."""
    a, b = content(one), content(other)
    if len(a & b) >= (2 if min(len(a), len(b)) > 2 else 1):
        return True
    keys_a, keys_b = (facts.choices.keys() | facts.refusals.keys() for facts in map(declarations, (one, other)))
    return bool(keys_a & keys_b)


class StatementIndex:
    """Statements by id, indexed by their content words."""

    def __init__(self) -> None:
        self._words: dict[str, Set[str]] = {}
        self._texts: dict[str, str] = {}
        self._index: dict[str, set[str]] = {}

    def add(self, id_: str, text: str) -> None:
        """Add a statement. It replaces another one with this id."""
        self.drop(id_)
        self._texts[id_], self._words[id_] = text, content(text)
        for word in self._words[id_]:
            self._index.setdefault(word, set()).add(id_)

    def drop(self, id_: str) -> None:
        """Leave a statement out from now on."""
        self._texts.pop(id_, None)
        for word in self._words.pop(id_, ()):
            self._index[word].discard(id_)

    def find(self, text: str) -> str | None:
        """Return the id of a statement that says the same, ``None`` for a new one."""
        if not self._texts:  # In most projects, no card was dismissed yet.
            return None
        return next((id_ for id_ in self._likely(content(text)) if same(self._texts[id_], text)), None)

    def _likely(self, mine: Set[str]) -> Iterator[str]:
        """Return statements that share all words except the allowed difference. They share one of the rarest, so only those
        lists are read.
        """
        rarest = sorted(mine, key=lambda word: (len(self._index.get(word, ())), word))[: len(mine) // WORDS_PER_DIFFERENCE + 1]
        near = set[str]().union(*(self._index.get(word, ()) for word in rarest))
        return (id_ for id_ in sorted(near) if len(mine & self._words[id_]) >= len(mine) - len(mine) // WORDS_PER_DIFFERENCE)
