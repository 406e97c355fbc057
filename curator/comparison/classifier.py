"""Relate two statements: exact evidence first, then the trained classifier, then, without it, the rules.

Its weights are data (``classifier.json``), made by ``tests/benchmarks/train_relations.py``, which says from what.
Without that file the rules judge. Likeness says what two texts are about, not whether they agree: contradictions share
fewer words than paraphrases do. So each answer of the rules needs its own evidence, and without evidence there is none.
Statements that look alike may say the same kind of thing of two things: side by side, not instead of one another.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import chain, dropwhile, takewhile
from pathlib import Path

from rapidfuzz import fuzz

from curator.comparison.demands import Demand, demands, find_opposition, is_overturned
from curator.comparison.features import FREELY, Clash, clashing, contrary, features, find_swap, original_words
from curator.comparison.statement import (
    GROUPS,
    NOISE,
    Words,
    analyse,
    clashes,
    declarations,
    dependents,
    forbidding,
    is_turned,
    is_value,
)
from curator.model import Relating
from curator.text.words import word_set

Ruling = tuple[Relating, Clash, float]

_CHOICES = frozenset(name for values in GROUPS.values() for name in values.split())


def compare_by_rules(older: str, newer: str) -> Ruling | None:
    """The relation of two texts with the clashing words (from older, from newer) and their likeness 0 to 1; ``None`` if
    unrelated.
    """
    a, b = analyse(older), analyse(newer)
    if not a.stems or not b.stems:
        return None
    score = likeness(older, newer)
    if found := exact(older, newer):
        return (*found, 1.0 if found[0] is Relating.DUPLICATE else score)
    shared = len(a.stems & b.stems) / len(a.stems | b.stems)
    if clash := _by_values(a, b, shared):
        return Relating.SUPERSEDES, clash, score
    if _forbids_topic(a, b) and shared < 0.8:
        return None
    worded = fuzz.token_set_ratio(" ".join(a.tokens), " ".join(b.tokens)) / 100
    if relating := _by_containment(a, b, shared, worded):
        return relating, (), score
    return None


def exact(older: str, newer: str) -> tuple[Relating, Clash] | None:
    """What needs no guess: the same words, two values for one declared key, the same words with one denied or turned round."""
    a, b = analyse(older), analyse(newer)
    if a.tokens and a.tokens == b.tokens:
        return Relating.DUPLICATE, ()
    if found := clashes(declarations(older), declarations(newer)):
        refused = any(len(new.split()) > 1 or len(old.split()) > 1 for _, old, new in found)
        return Relating.CONTRADICTS if refused else Relating.SUPERSEDES, tuple((old, new) for _, old, new in found)
    if not a.stems or not all(map(forbidding, a.stems ^ b.stems)) or _numbers(a) != _numbers(b) or _values(a) != _values(b):
        return None
    if bool(a.forbids) != bool(b.forbids):
        clash = contrary(older, newer)
        return (Relating.CONTRADICTS, clash) if all(all(pair) for pair in clash) and clash else None
    if is_turned(dependents(a), dependents(b)):
        return Relating.CONTRADICTS, find_swap(older, newer)
    return Relating.DUPLICATE, ()


def likeness(older: str, newer: str, least: float = 0.0) -> float:
    """How much two texts have in common, 0 to 1; 0 where their stems show that it is not ``least``."""
    a, b = analyse(older), analyse(newer)
    shared = len(a.stems & b.stems) / max(1, len(a.stems | b.stems))
    if round((shared + 1) / 2, 3) < least:
        return 0.0
    return round((shared + fuzz.token_set_ratio(" ".join(a.tokens), " ".join(b.tokens)) / 100) / 2, 3)


def _forbids_topic(a: Words, b: Words) -> bool:
    """Whether one of the two forbids something that the other speaks of without forbidding it."""
    if bool(a.forbids) == bool(b.forbids):
        return False
    one, other = (a, b) if a.forbids else (b, a)
    return any(word in other.stems for word in dependents(one).get("not", ()))


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
            if _is_swap(old, new, a, b) and (i or k or edits.ratio() >= 0.75):  # another first word is another subject
                clash.append((" ".join(old), " ".join(new)))
            else:
                added, removed = added + (n - k), removed + (j - i)
        else:
            added, removed = added + (n - k if tag == "insert" else 0), removed + (j - i if tag == "delete" else 0)
    same = min(len(a.tokens), len(b.tokens))
    if clash and len(clash) <= 2 and added + removed <= max(2, 0.5 * same):
        return tuple(clash)
    return ()


def _values(words: Words) -> set[str]:
    return {token for token in words.tokens if is_value(token)}


def _numbers(words: Words) -> list[str]:
    return sorted(token for token in words.tokens if any(letter.isdigit() for letter in token))


def _is_swap(old: tuple[str, ...], new: tuple[str, ...], a: Words, b: Words) -> bool:
    """Whether a value took the place of a value: few words, each side naming something that the other text never names."""
    if len(old) > 4 or len(new) > 4 or set(old) <= set(b.tokens) or set(new) <= set(a.tokens):
        return False
    if len(old) == len(new) == 1 and (old[0].isdigit() or new[0].isdigit()):
        return True
    return any(_is_value(token, a) for token in old) and any(_is_value(token, b) for token in new)


def _is_value(token: str, words: Words) -> bool:
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


_OF = word_set("for of in to by with from on at under inside")
"""Words behind which stands what a statement is about."""

Swap = tuple[tuple[str, ...], tuple[str, ...]]


def parallel(older: str, newer: str) -> bool:
    """Whether the two speak of two things: the same replacement twice, or a value and what it is for both replaced.

    >>> parallel("Use tool 4 for task 4", "Use tool 2 for task 2")
    True
    >>> parallel("Run tests with `make test`", "Run migrations with `make migrate`")
    True
    >>> parallel("Port 3000 is for the api", "Port 4000 is for the web app")
    True
    >>> parallel("Always use pnpm for the examples folder", "Use yarn for the docs")
    True
    >>> parallel("The api listens on port 3000", "The api listens on port 4000")
    False
    """
    a, b = analyse(older).tokens, analyse(newer).tokens
    swaps: list[Swap] = []
    purposes = values = 0
    for kind, i, j, k, n in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        was, is_ = a[i:j], b[k:n]
        if kind == "equal" or not {*was, *is_} - NOISE:
            continue
        if kind == "replace" and _assignment(was) and _assignment(is_) and _assignment(was) != _assignment(is_):
            return True
        if kind != "replace":
            return False
        swaps.append((_roots(was), _roots(is_)))
        if all(map(_telling, (*was, *is_))):
            values += 1
        elif _behind(a, i) and _behind(b, k) and not any(map(_telling, (*was, *is_))):
            purposes += 1
    return len(swaps) > len(set(swaps)) or bool(values and purposes)


def beside(older: str, newer: str) -> bool:
    """Whether both can be followed whatever the two name: each only forbids something, or asks to run something else.

    >>> beside("Never commit kv.db", "Never commit .env"), beside("Run go test before a push", "Run go vet before a push")
    (True, True)
    >>> beside("Run the tests with go test", "Run the tests with gotestsum")
    False
    """
    a, b = demands(older), demands(newer)
    if not a or not b:
        return False
    if all(one.forbids for one in (*a, *b)):
        return True
    if any(one.forbids or one.words[0] != "run" for one in (*a, *b)) or len(a) + len(b) > 2:
        return False
    what, other = (list(takewhile(lambda root: not root.behind, one.roots)) for one in (*a, *b))
    return what != other and not any(root.behind == "with" for one in (*a, *b) for root in one.roots)


def elsewhere(older: str, newer: str) -> bool:
    """Whether two choices are each made for a place or purpose of its own.

    >>> elsewhere("Use tabs in Makefiles, not spaces", "Use spaces in Python files")
    True
    >>> elsewhere("Use tabs", "Use spaces in Python files")
    False
    """
    here, there = (frozenset(chain.from_iterable(map(_where, demands(text)))) for text in (older, newer))
    return bool(here and there and not here & there and clashes(declarations(older), declarations(newer)))


def _where(demand: Demand) -> frozenset[str]:
    """The roots of what a demand names as its place or purpose."""
    places = list(dropwhile(lambda root: root.behind not in ("place", "for"), demand.roots))
    return demand.of | {root.root for root in places}


def _assignment(tokens: tuple[str, ...]) -> str:
    """The name that a single token gives a value, as in ``name=value``; empty where it does not."""
    name, sign, _ = tokens[0].partition("=")
    return name if sign and len(tokens) == 1 else ""


def _telling(token: str) -> bool:
    """Whether a token is a value: a name, a number, or one side of a choice."""
    return is_value(token) or token in _CHOICES


def _roots(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Words by their beginnings: ``tests`` and ``test``, ``migrations`` and ``migrate`` are one."""
    return tuple(token[:4] for token in tokens)


def _behind(tokens: tuple[str, ...], at: int) -> bool:
    """Whether what stands at a place is what the statement is for, or of, or in."""
    while at and tokens[at - 1] in NOISE - _OF:
        at -= 1
    return bool(at) and tokens[at - 1] in _OF


log = logging.getLogger(__name__)

DATA = "classifier.json"

VERSION = 2

UNRELATED = "unrelated"

LABELS: tuple[str, ...] = (*Relating, UNRELATED)
"""What a pair can be, in the order of the numbers in the file."""

CONFLICTS = frozenset((Relating.SUPERSEDES, Relating.CONTRADICTS))

KINDS = ("edited", "freely")
"""A pair of lines of which one may be an edit of the other, and a pair in free words; everything weighs otherwise in these."""

DIGITS = 9
"""Decimals that count of a sum of weights: the order of adding up must not decide."""


@dataclass(frozen=True, slots=True)
class Odds:
    """How likely each label is for a pair, adding up to 1, and the label that it gets."""

    of: Mapping[str, float]
    label: str

    @property
    def conflict(self) -> float:
        """How likely the two can't both be followed."""
        return sum(self.of[label] for label in CONFLICTS)


@dataclass(frozen=True, slots=True)
class Model:
    """By kind of pair for each feature a weight a label, and what is added before one is chosen; how much a root tells."""

    weights: Mapping[str, Mapping[str, Sequence[float]]]
    roots: Mapping[str, float]
    """How much a root tells, 0 to 1, for those that many repositories use; any other tells 1."""
    lean: Mapping[str, Sequence[float]]
    """What is added to the log-odds of each label, since the labels are not equally dear."""

    def weight(self, root: str) -> float:
        """How much a shared root tells."""
        return self.roots.get(root, 1.0)

    def judge(self, older: str, newer: str) -> Odds:
        """How two statements relate."""
        return self.odds(features(older, newer, self.weight))

    def odds(self, found: Mapping[str, float]) -> Odds:
        """The same from the features."""
        kind = kind_of(found)
        known = self.weights[kind]
        rows = [
            weights if value == 1.0 else [value * weight for weight in weights]
            for name, value in found.items()
            if (weights := known.get(name))
        ]
        sums = [sum(column) for column in zip([0.0] * len(LABELS), *rows, strict=True)]
        highest = max(sums)
        shares = [math.exp(each - highest) for each in sums]
        leaned = [round(each + added, DIGITS) for each, added in zip(sums, self.lean[kind], strict=True)]
        return Odds(
            {label: share / sum(shares) for label, share in zip(LABELS, shares, strict=True)}, LABELS[leaned.index(max(leaned))]
        )


def kind_of(found: Mapping[str, float]) -> str:
    """Of which kind a pair with these features is."""
    return "freely" if FREELY in found else "edited"


def parse(text: str) -> Model:
    """A model from its JSON text. Raises ``ValueError`` for anything that is none of this version."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION or tuple(data["labels"]) != LABELS:
            raise ValueError(f"version {data['version']}, labels {data['labels']}")
        return Model({kind: data[kind] for kind in KINDS}, data["roots"], {kind: data["lean"][kind] for kind in KINDS})
    except (KeyError, TypeError) as error:
        raise ValueError(f"no classifier: {error!r}") from error


@cache
def load_model() -> Model | None:
    """The model that comes with curator; ``None``, and a line in the log, when its file is absent or damaged."""
    try:
        return parse(Path(__file__).with_name(DATA).read_text("utf-8"))
    except (OSError, ValueError) as error:
        log.warning("the classifier of relations can't be used, rules judge instead: %s", error)
        return None


NEVER = 2.0
BARS = {
    "edited": {"duplicate": 0.5, "refines": 0.5, "conflict": 0.8},
    "freely": {"duplicate": 0.65, "refines": 0.65, "conflict": NEVER},
}
"""How certain it must be that a pair is this before a person is asked, by whether a rule was edited or both are in free words.
On repositories that the model had not seen 95 of 100 such conflicts of edited rules were right; in free words, where two of
nine were, a conflict is only what is no guess. See docs/relations.md."""
COMMON = 0.5
"""A guess that two texts clash which have less in common than this was right in three cases of four."""

TURNED_DOWN = frozenset(f"{side} turns down>0.65" for side in "ab")
"""Features of a pair of which one turns down what the other asks for. That it says the same, or adds something, is wrong
there in four of ten cases however certain it seems, so nobody is asked."""

BRIEF = 6
"""Words of a demand that are shown whole where it clashes with another."""

LONG = 1200
"""Characters of a text that are compared: what is longer is no lesson, and edits of it would take seconds to find."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the newer statement relates to the older one; ``None`` stands for unrelated."""

    relating: Relating | None
    clash: Clash = ()
    likeness: float = 0.0
    """How much the two have in common, 0 to 1; 1 for the same words."""
    sure: bool = False
    """Whether it is certain enough to ask a person."""
    exact: bool = False
    """Whether it is no guess: the same words, two values for one declared key, the same words denied or turned round, or
    what one forbids and the other asks for."""
    partial: bool = False
    """Whether the newer goes against a part of the older only, as a special case does: it can't take its place."""


NOTHING = Verdict(None)


def between(older: str, newer: str, *, least: float = 0.0) -> Verdict:
    """The best guess for two texts. A conflict that is not sure has no clash where they are less alike than ``least``.

    >>> between("Use npm, not pnpm", "Use pnpm, not npm").relating
    <Relating.SUPERSEDES: 'supersedes'>
    """
    older, newer = older[:LONG], newer[:LONG]
    model = load_model()
    if found := exact(older, newer):
        relating, clash = found
        if model and relating is Relating.CONTRADICTS and not clash:
            clash = _demand_clash(older, newer, model)
        same = relating is Relating.DUPLICATE
        return Verdict(relating, clash, 1.0 if same else likeness(older, newer), sure=True, exact=True)
    if model and (clash := _demand_clash(older, newer, model)):
        whole = is_overturned(older, newer, model.weight)
        return Verdict(Relating.CONTRADICTS, clash, likeness(older, newer), sure=True, exact=whole, partial=not whole)
    return _guess(model, older, newer, least) if model else _rule(older, newer)


def _demand_clash(older: str, newer: str, model: Model) -> Clash:
    """What one of the two forbids and the other asks for, whatever else they say; nothing where they do not."""
    if not (words := find_opposition(older, newer, model.weight)):
        return ()
    brief = contrary(older, newer) if max(map(len, words)) > BRIEF else ()
    return brief or ((original_words(words[0], older), original_words(words[1], newer)),)


def _guess(model: Model, older: str, newer: str, least: float) -> Verdict:
    found = features(older, newer, model.weight)
    odds = model.odds(found)
    if odds.label == UNRELATED:
        return NOTHING
    relating = Relating(odds.label)
    conflict = relating in CONFLICTS
    bar = BARS[kind_of(found)]["conflict" if conflict else relating]
    alike = likeness(older, newer)
    certain = (odds.conflict if conflict else odds.of[relating]) >= bar
    sure = certain and (alike >= COMMON if conflict else not TURNED_DOWN & found.keys())
    return Verdict(relating, clashing(older, newer) if conflict and (sure or alike >= least) else (), alike, sure)


def _rule(older: str, newer: str) -> Verdict:
    found = compare_by_rules(older, newer)
    return Verdict(*found, sure=True) if found else NOTHING
