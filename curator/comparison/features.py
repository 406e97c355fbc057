"""What a pair of statements is judged by: names of features with their values, mostly 1; and the words that clash.

Likeness says what two texts are about, not whether they agree. So besides how much of each stands in the other (in
order, by roots, by letters, by clause) there is what was done to the older one to get the newer: what was added, cut or
put in another's place; what is denied or granted in one of them alone; what both declare. A measure stands for itself
and, in steps, for each limit that it exceeds, so that a linear model can bend. Pairs that share hardly an order
(statements in free words, rather than an edited rule) have the strongest features once more for themselves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from difflib import SequenceMatcher
from functools import cache, lru_cache

from rapidfuzz import fuzz

from curator.comparison.demands import denial_features
from curator.comparison.statement import (
    FORBIDS,
    GROUPS,
    MARKERS,
    NOISE,
    PHRASES,
    Analysis,
    analyse,
    analysis,
    clashes,
    declarations,
    dependents,
    frame_features,
    is_value,
    statement_tokens,
    stem,
    without_label,
)
from curator.text.words import word_set

Features = dict[str, float]
Weight = Callable[[str], float]
"""How much a root tells, 0 to 1: the rarer the more."""

STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9)
COUNTS = (0, 1, 2, 4, 7, 12)
RATIOS = (0.5, 0.8, 1.0, 1.1, 1.3, 1.7, 2.4)
ALWAYS = "always"
"""The feature that every pair has."""
FREE = 0.5
"""Below so much common order two statements are worded freely."""
_CHOICES = {value: key for key, values in GROUPS.items() for value in values.split()}
_OPPOSED = {
    frozenset(pair.split("/"))
    for line in (
        "optional/required optional/mandatory always/never enable/disable enabled/disabled global/local",
        "single/multiple one/many before/after private/public sync/async first/last allow/forbid",
        "allowed/forbidden manual/automatic manually/automatically include/exclude includes/excludes on/off",
        "open/closed with/without default/explicit add/remove all/none true/false early/late internal/external",
        "relative/absolute static/dynamic per/single brief/descriptive tracked/ignored may/must can/cannot",
        "should/never must/never use/avoid prefer/avoid use/never do/dont is/isnt does/doesnt required/supplied",
    )
    for pair in line.split()
}
OPPONENTS: dict[str, frozenset[str]] = {
    word: frozenset(other for pair in _OPPOSED if word in pair for other in pair - {word}) for pair in _OPPOSED for word in pair
}
_SMALL = NOISE | word_set("please simply always current currently the a existing")


def features(older: str, newer: str, weight: Weight) -> Features:
    """The features of a pair; ``weight`` says how much a shared root tells."""
    a, b = analysis(older), analysis(newer)
    found: Features = {ALWAYS: 1.0}
    shares = _shares(a, b, weight)
    edits = changes(older, newer)
    shares["order"] = edits.ratio()
    for name, value in shares.items():
        found[name] = value
        _step(found, name, value, STEPS)
    for name, count in _counts(a, b).items():
        _step(found, name, count, COUNTS)
    longer = len(b.words.tokens) / max(1, len(a.words.tokens))
    _step(found, "longer", longer, RATIOS)
    found["longer"] = max(-2.0, min(2.0, math.log(max(0.01, longer))))
    for name in (
        *_edit_features(a, b, edits),
        *_marker_features(a, b),
        *_opposition(a, b),
        *_choice_features(a, b),
        *_about(a, b),
    ):
        found[name] = 1.0
    for name in (
        *_code_features(older, newer, edits),
        *denial_features(older, newer, weight),
        *frame_features(older, newer, weight),
    ):
        found[name] = 1.0
    if (bare := (without_label(older), without_label(newer))) != (older, newer) and analysis(bare[0]).roots == analysis(
        bare[1]
    ).roots:
        found["only labelled"] = 1.0
    return found | _interactions(found, shares)


def _shares(a: Analysis, b: Analysis, weight: Weight) -> Features:
    """How much of each stands in the other, 0 to 1, in several measures."""
    shared = a.bag & b.bag
    whole_a, whole_b, both = (math.fsum(map(weight, bag)) for bag in (a.bag, b.bag, shared))
    letters = len(a.letters & b.letters)
    covered_a = [_coverage(clause, b.bag, weight) for clause in a.clauses]
    covered_b = [_coverage(clause, a.bag, weight) for clause in b.clauses]
    rarest = sorted(map(weight, shared), reverse=True)[:2]
    squares = math.sqrt(_square_sum(a.bag, weight) * _square_sum(b.bag, weight))
    stems = len(a.words.stems & b.words.stems)
    return {
        "a in b": both / max(0.1, whole_a),
        "b in a": both / max(0.1, whole_b),
        "common": both / max(0.1, whole_a + whole_b - both),
        "cosine": _square_sum(shared, weight) / max(0.1, squares),
        "told": min(1.0, both / 6),
        "stems": stems / max(1, len(a.words.stems | b.words.stems)),
        "letters of a": letters / max(1, len(a.letters)),
        "letters of b": letters / max(1, len(b.letters)),
        "clause of a": max(covered_a),
        "clause of b": max(covered_b),
        "second rarest": rarest[1] if len(rarest) > 1 else 0.0,
        "set": fuzz.token_set_ratio(a.plain, b.plain) / 100,
        "sorted": fuzz.token_sort_ratio(a.plain, b.plain) / 100,
        "part": fuzz.partial_ratio(a.plain, b.plain) / 100,
    }


def _square_sum(bag: Set[str], weight: Weight) -> float:
    return math.fsum(weight(word) ** 2 for word in bag)  # exact: a set is added up in another order in each process


def _coverage(clause: Set[str], bag: Set[str], weight: Weight) -> float:
    return math.fsum(map(weight, clause & bag)) / max(0.1, math.fsum(map(weight, clause)))


def _counts(a: Analysis, b: Analysis) -> dict[str, int]:
    mine, theirs = a.words.values, b.words.values
    pairs_a, pairs_b = set(zip(a.roots, a.roots[1:], strict=False)), set(zip(b.roots, b.roots[1:], strict=False))
    return {
        "in a alone": len(a.bag - b.bag),
        "in b alone": len(b.bag - a.bag),
        "names": len(mine & theirs),
        "names in a alone": len(mine - theirs),
        "names in b alone": len(theirs - mine),
        "long names": sum(len(name) >= 5 and any(sign in name for sign in "_/.") for name in mine & theirs),
        "two in a row": len(pairs_a & pairs_b),
    }


def _edit_features(a: Analysis, b: Analysis, edits: SequenceMatcher[str]) -> set[str]:
    """What was done to a text to get the other."""
    steps = [step for step in edits.get_opcodes() if step[0] != "equal"]
    if not steps:
        return {"same tokens"}
    found = {f"only {kind}" for kind in ("insert", "delete") if all(step[0] == kind for step in steps)}
    if len(steps) == 1:
        found.add(f"one {steps[0][0]}")
    if steps[-1][0] == "insert" and steps[-1][2] == len(a.words.tokens):
        found.add("added at the end")
    if steps[0][0] == "insert" and steps[0][1] == 0:
        found.add("added at the start")
    count = {kind: sum(step[0] == kind for step in steps) for kind in ("insert", "delete", "replace")}
    found |= {f"{kind}s>{limit}" for kind, number in count.items() for limit in (0, 1, 2, 4) if number > limit}
    if edits.ratio() <= FREE:
        return found
    for kind, i, j, k, n in steps:
        old, new = a.words.tokens[i:j], b.words.tokens[k:n]
        found |= {f"{kind} {name}" for name in _step_shows(a, b, old, new)}
    if all(set(a.words.tokens[i:j] + b.words.tokens[k:n]) <= _SMALL for _, i, j, k, n in steps):
        found.add("only small words")
    return found


def _step_shows(a: Analysis, b: Analysis, old: Sequence[str], new: Sequence[str]) -> set[str]:
    """What one step of the edit puts where."""
    replaced = any(_is_value(token, a) for token in old if token not in b.words.tokens)
    come = any(_is_value(token, b) for token in new if token not in a.words.tokens)
    found = {("name for name" if come else "word for name") if replaced else "name for word" if come else "words"}
    if any(token[0].isdigit() for token in old) and any(token[0].isdigit() for token in new):
        found.add("number")
    if len(old) == len(new) == 1:
        found.add("one for one" if fuzz.ratio(old[0], new[0]) < 70 else "one for its like")
    elif old and new and max(len(old), len(new)) <= 3 and fuzz.ratio("".join(old), "".join(new)) >= 75:
        found.add("few for their like")
    if old and new and "/" in old[-1] + new[-1] and old[-1].split("/")[-1] == new[-1].split("/")[-1]:
        found.add("path of one name")
    if set(old) & MARKERS["scope"] or set(new) & MARKERS["scope"]:
        found.add("clause")
    if len(old) + len(new) > 8:
        found.add("much")
    return found


def _code_features(older: str, newer: str, edits: SequenceMatcher[str]) -> set[str]:
    """What the edit does to code: an option more is another command, a name for a name another value."""
    if edits.ratio() <= FREE:
        return set()
    a, b = statement_tokens(older), statement_tokens(newer)
    found: set[str] = set()
    everywhere = True
    for _, i, j, k, n in (step for step in edits.get_opcodes() if step[0] != "equal"):
        old, new = ([token.code for token in part if token.word not in NOISE] for part in (a[i:j], b[k:n]))
        code = all(old + new)
        everywhere = everywhere and code
        if code and len(new) > len(old) + bool(old):
            found.add("code added")
        if code and len(old) > len(new) + bool(new):
            found.add("code cut")
        if code and old and new:
            found.add("code for code")
    return found | ({"only code"} if everywhere and found else set())


def _is_value(token: str, side: Analysis) -> bool:
    return token in side.words.values or token in _CHOICES or is_value(token)


def _marker_features(a: Analysis, b: Analysis) -> set[str]:
    """Which markers stand in one alone or both; of how a text is written both sides for themselves."""
    found = set()
    for mark in a.marks | b.marks:
        if mark.startswith("+"):
            found |= {f"{side} {mark}" for side, one in (("a", a), ("b", b)) if mark in one.marks}
        else:
            found.add(f"{'both' if mark in a.marks & b.marks else 'a' if mark in a.marks else 'b'} {mark}")
    return found


def _opposition(a: Analysis, b: Analysis) -> set[str]:
    """Whether one alone forbids, says the other's opposite, or turns its order or choice round."""
    found = {
        f"{name} forbids" for name, one, other in (("a", a, b), ("b", b, a)) if one.words.forbids and not other.words.forbids
    }
    behind_a, behind_b = dependents(a.words), dependents(b.words)
    if any(behind_a[one] & behind_b[other] for one in behind_a for other in behind_b if one != other):
        found.add("turned round")
    mine, theirs = ({token.replace("'", "") for token in one.words.tokens} for one in (a, b))
    if any(OPPONENTS.get(word, frozenset()) & (theirs - mine) for word in mine - theirs):
        found.add("opposites")
    return found


def _choice_features(a: Analysis, b: Analysis) -> set[str]:
    """Whether both choose from one group, and differently."""
    found = set()
    if clashes(a.facts, b.facts):
        found.add("facts clash")
    if (a.facts.choices.keys() | a.facts.refusals.keys()) & (b.facts.choices.keys() | b.facts.refusals.keys()):
        found.add("one key")
    mine, theirs = ({_CHOICES[token]: token for token in one.words.tokens if token in _CHOICES} for one in (a, b))
    for key in mine.keys() & theirs.keys():
        found.add("same choice" if mine[key] == theirs[key] else "other choice")
    return found


def _about(a: Analysis, b: Analysis) -> set[str]:
    """Whether they begin, go on or end alike, and speak of the change of something shared."""
    first, other = ([stem(token) for token in one.words.tokens if token not in NOISE][:3] for one in (a, b))
    found = {f"subject>{limit}" for limit in (0, 1) if len(set(first) & set(other)) > limit}
    if first[:1] == other[:1]:
        found.add("same start")
    for name, x, y in (("start", a.words.tokens, b.words.tokens), ("end", a.words.tokens[::-1], b.words.tokens[::-1])):
        same = next((at for at, (one, two) in enumerate(zip(x, y, strict=False)) if one != two), min(len(x), len(y)))
        found |= {f"common {name}>{limit}" for limit in (0, 1, 3) if same > limit}
    return found


FREELY = "freely worded"
"""The feature of a pair of whole sentences in free words, as sessions give them, rather than a line of a file and its edit."""
_SENTENCES = {f"{side} +middling" for side in "ab"}
_NOTES = {f"{side} +{mark}" for side in "ab" for mark in ("bold", "markup", "code first", "dash")}
_TWICE = (
    *("a in b", "b in a", "common", "cosine", "stems", "set", "clause of a", "clause of b", "letters of a", "letters of b"),
    *("subject>0", "names>0", "names>1", "long names>0", "two in a row>0", "two in a row>1", "same start", "opposites"),
    *("a forbids", "b forbids", "facts clash", "one key", "other choice", "turned round"),
    *(f"b {name}" for name in MARKERS),
    *(f"b ~{name}" for name in PHRASES),
)


def _interactions(found: Mapping[str, float], shares: Mapping[str, float]) -> Features:
    """The strongest features once more for freely worded pairs."""
    crossed: Features = {}
    if shares["order"] <= FREE:
        crossed["free"] = 1.0
        if found.keys() >= _SENTENCES and not _NOTES & found.keys():
            crossed[FREELY] = 1.0
        crossed |= {f"free {name}": found[name] for name in _TWICE if name in found}
    return crossed


def _step(found: Features, name: str, value: float, limits: tuple[float, ...]) -> None:
    for limit, stepped in _steps(name, limits):
        if value > limit:
            found[stepped] = 1.0


@cache
def _steps(name: str, limits: tuple[float, ...]) -> tuple[tuple[float, str], ...]:
    return tuple((limit, f"{name}>{limit:g}") for limit in limits)


Clash = tuple[tuple[str, str], ...]
MOST = 3
"""Pairs of words that are shown at most."""
LONG = 5
"""Words of one side of a pair at most."""
_DENIALS = "|".join(sorted(FORBIDS)).replace("'", "[’']")
_NEGATED = re.compile(rf"(?i)\b(?:(?:do|does|must|should) )?(?:{_DENIALS})\s+`?([\w./-]*\w)")


def clashing(older: str, newer: str) -> Clash:
    """Pairs of words (from older, from newer): declared facts, else what one denies, else what took another's place."""
    facts = tuple((old, new) for _, old, new in clashes(declarations(older), declarations(newer)))
    return facts or contrary(older, newer) or find_swap(older, newer)


def contrary(older: str, newer: str) -> Clash:
    """What one of the two forbids or denies, beside the same word in the other."""
    for one, other, turned in ((older, newer, False), (newer, older, True)):
        theirs = analyse(other)
        for match in _NEGATED.finditer(one):
            word = stem(match[1].lower())
            if word in theirs.stems and not any(stem(found[1].lower()) == word for found in _NEGATED.finditer(other)):
                command = re.search(rf"(?i)(?:\b(?:always|must)\s+)?\b{re.escape(word)}\w*", other)
                pair = (match[0], command[0] if command else "")
                return (pair[::-1],) if turned else (pair,)
    return ()


@lru_cache(maxsize=1)  # the features of a pair are asked first, then what of it clashes
def changes(older: str, newer: str) -> SequenceMatcher[str]:
    """What turns the words of one text into those of the other."""
    return SequenceMatcher(None, analyse(older).tokens, analyse(newer).tokens, autojunk=False)


def find_swap(older: str, newer: str) -> Clash:
    """What stands in each other's place, most telling first; opposites where nothing does."""
    a, b = analyse(older), analyse(newer)
    found: list[tuple[bool, int, tuple[str, ...], tuple[str, ...]]] = []
    for kind, i, j, k, n in changes(older, newer).get_opcodes():
        if kind != "replace":
            continue
        was, is_ = a.tokens[i:j], b.tokens[k:n]
        if max(len(was), len(is_)) > LONG and is_value(was[0]) and is_value(is_[0]):  # one value for another, then a clause
            was, is_ = was[:1], is_[:1]
        if max(len(was), len(is_)) <= LONG:
            has_value = bool(set(was) & a.values or set(is_) & b.values)
            found.append((not has_value, len(found), was, is_))
    come = set(b.tokens) - set(a.tokens)
    opposed = [(old, new) for old in a.tokens for new in sorted(OPPONENTS.get(old, frozenset()) & come)]
    if opposed and (len(found) > MOST or not found):
        return tuple(opposed[:1])
    return tuple((original_words(was, older), original_words(is_, newer)) for _, _, was, is_ in sorted(found)[:MOST])


def original_words(tokens: tuple[str, ...], text: str) -> str:
    """Some tokens as they stand in a text, letter for letter where they can be found."""
    pattern = r"\W+".join(re.sub("nt$", "n['’]?t", re.escape(token)) for token in tokens)  # "dont" stands for "don't"
    match = re.search(pattern, text, re.IGNORECASE)
    return match[0] if match else " ".join(tokens)
