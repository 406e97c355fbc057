"""What a statement demands, clause by clause: what it asks for, what it forbids.

"Never mock the database, it hides bugs" and "Mock the database in unit tests" share few words and can't both be followed: the
second asks for what the first forbids. What is forbidden is forbidden in a special case as well; what is forbidden in a special
case is not forbidden elsewhere.

What a statement turns down, in phrases, and what it asks for: "use X, never bare Y" does both.

One statement may forbid something and another forbid something else, which is no conflict; nor is one when the same thing is
forbidden twice. So what is held against the other text is the phrase behind each denial, and only what the other asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from curator.comparison.statement import NOISE, REMEMBERED, Token, forbidding, statement_tokens, token_roots
from curator.text.words import word_set

_DENIES = word_set("avoids avoiding over than arent")
"""Words that turn down what follows, besides those that forbid: "X over Y", "rather than Y"."""

UNDOES = word_set("remove removes removed drop drops dropped retire retires retired skip skips replaces replacing")
"""The same where a statement begins with them: what is removed is asked for no more."""

_BEGINNING = 3

_BEHIND_NEGATION = word_set("disabled forbidden")
"""Words that deny what stands before them."""

_CLOSES = word_set(
    "unless except until because since so when if while but use uses prefer always instead rather which where otherwise via",
    "it this they then",
)
"""Words that end what is turned down."""

_ASIDE = word_set("if when unless because since until where whether otherwise so")
"""Words behind which a denial is a condition or a reason, no demand, until the clause ends."""

_BREAK_OF_NEGATION = re.compile(r"[;:.!?](?:\s|$|[*)`\"])|—|–|\n|[()]| - ")

_LONG = 6
"""Roots of what is turned down that are kept."""

SHARES = (0.25, 0.45, 0.65, 0.85)

WEIGHTS = (0.4, 0.8, 1.5)

BOTH = (0.3, 0.6, 0.9)

_LEAST = 0.3
"""What a phrase tells at least, so that one of everyday words is not found in everything."""


class Denials(NamedTuple):
    """The phrases turned down, each as roots in order, and the roots of all else."""

    phrases: tuple[tuple[str, ...], ...]
    demands: frozenset[str]


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def denials(text: str) -> Denials:
    """What a statement turns down and what it asks for.

    >>> denials("Use `make test`, never bare `go test`").phrases
    (('plain', 'go', 'test'),)
    >>> denials("If it is not set, use port 3000").phrases
    ()
    """
    phrases: list[list[str]] = []
    demands: list[str] = []
    phrase: list[str] | None = None
    aside = False
    tokens = statement_tokens(text)
    for at, token in enumerate(tokens):
        ended = len(token.gap) > 1 and ("," in token.gap or _BREAK_OF_NEGATION.search(token.gap) is not None)
        names_code = token.code and "," not in token.gap and phrase is not None and len(phrase) <= 1  # "never run: `x`"
        if (ended and not names_code) or (phrase and token.word in _CLOSES and not token.code):
            phrase = None
        aside = (aside and not ended) or (token.word in _ASIDE and not token.code)
        if not aside and opens(tokens, at):
            phrase = []
            phrases.append(phrase)
        elif token.word not in NOISE:
            (demands if phrase is None else phrase).extend(token_roots(token.word))
    return Denials(tuple(tuple(found[:_LONG]) for found in phrases if found), frozenset(demands))


def opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token turns down what follows it."""
    word, code = tokens[at].word, tokens[at].code
    behind = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if code or (word == "not" and behind == "only"):
        return False
    if word == "instead":
        return behind == "of"
    plain = word.replace("'", "")
    return (forbidding(word) and word not in _BEHIND_NEGATION) or plain in _DENIES or (plain in UNDOES and at < _BEGINNING)


def denial_features(older: str, newer: str, weight: Callable[[str], float]) -> Iterator[str]:
    """How much of what one turns down the other asks for, and how much of it both turn down, as names of features."""
    a, b = denials(older), denials(newer)
    for name, one, other in (("a", a, b), ("b", b, a)):
        demands = other.demands - {root for phrase in other.phrases for root in phrase}
        weights = [(_weight_of(set(phrase) & demands, weight), _weight_of(set(phrase), weight)) for phrase in one.phrases]
        share = max((overlap / max(_LEAST, whole) for overlap, whole in weights), default=0.0)
        most = max((overlap for overlap, _ in weights), default=0.0)
        yield from (f"{name} turns down>{limit:g}" for limit in SHARES if share > limit)
        yield from (f"{name} turns down told>{limit:g}" for limit in WEIGHTS if most > limit)
    both = max((_common(set(x), set(y), weight) for x in a.phrases for y in b.phrases), default=0.0)
    yield from (f"both turn down>{limit:g}" for limit in BOTH if both > limit)


def _common(one: Set[str], other: Set[str], weight: Callable[[str], float]) -> float:
    return _weight_of(one & other, weight) / max(_LEAST, min(_weight_of(one, weight), _weight_of(other, weight)))


def _weight_of(roots_: Set[str], weight: Callable[[str], float]) -> float:
    return math.fsum(map(weight, roots_))  # exact: a set is added up in another order in each process


_BREAK = re.compile(r"[;:.!?](?:\s|$|[*)`\"])|—|–|\n|[()]| - | # ")

_REASONS = word_set("because since as so otherwise it it's its they they're that this these those there")
"""What begins a clause that says why another one holds, or what comes of it."""

_CAUSES = word_set("because since otherwise")
"""Those of them that do so without a comma, too."""

_STATES = word_set("is are was were does did has have had can will would isnt doesnt cant cannot wont arent didnt couldnt")
"""Verbs of what is stated, not ordered."""

_ORDERS = word_set("use prefer always run call put keep make let then but do and we")
"""What begins another demand."""

_AUXILIARIES = word_set("do must should shall may to")
"""Verbs of an order that "not" stands behind."""

_JOINS = word_set("and but or then so")

_USES = word_set("use uses using used prefer adopt choose")

_BARE = word_set("not no than over of avoid")
"""Words behind which a thing is turned down rather than a deed."""

_KINDS = {
    "place": word_set("in on at into to under inside within"),
    "with": word_set("with via through by"),
    **{
        one: frozenset((one,))
        for one in word_set("from for of before after as about until if when where while during against per")
    },
}

_BEHIND = {word: kind for kind, words in _KINDS.items() for word in words}
"""Prepositions by what they make of what stands behind them: to put it in and to put it into are one."""

_HOW = "how"
"""What an adverb in "-ly" is taken for: it, too, says more exactly what is meant."""

_DEGREES = word_set("more less all every just always necessarily enough only yet")
"""Words that are denied instead of what follows them."""

_LIMITS = word_set("only but")
"""Words by which what is asked for may stay within what is forbidden: "edit it only through make schema"."""

_EXCEPTS = word_set("except unless excepting")
"""Words behind which a statement takes back part of what it demands, be it in brackets."""

_IDLE = word_set("longer ever again rather instead")
"""Words that change nothing of what is demanded."""

_PASSED = NOISE | _IDLE | _USES

TELLING = 0.5
"""What the roots of a thing tell at least, for it to be enough that it is forbidden by itself."""


class Root(NamedTuple):
    """A root, and the kind of preposition it stands behind."""

    root: str
    behind: str


class Demand(NamedTuple):
    """What one clause asks for, or forbids."""

    forbids: bool
    roots: tuple[Root, ...]
    """In order; where a thing is forbidden by itself, those of the thing."""
    words: tuple[str, ...]
    of: frozenset[str] = frozenset()
    """The roots of what a thing is forbidden for."""
    thing: bool = False
    """A thing rather than a deed: "use Y, not X", "stop using X"; or what is asked for is to use it."""


@lru_cache(maxsize=REMEMBERED)  # a new statement is compared with the same stored ones again and again
def demands(text: str) -> tuple[Demand, ...]:
    """The demands of a statement, without those reasons that their form shows, and without what holds only in some case.

    >>> [(one.forbids, [root.root for root in one.roots]) for one in demands("Sort with foo, not bar, it is slow")]
    [(False, ['sort', 'foo']), (True, ['bar'])]
    """
    tokens = statement_tokens(text)
    if any(token.word in _EXCEPTS for token in tokens):
        return ()
    found = (demand for clause in _clauses(tokens) for demand in _demands(clause))
    return tuple(demand for demand in found if demand.roots and _LIMITS.isdisjoint(demand.words))


def find_opposition(older: str, newer: str, weight: Callable[[str], float]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words (of the older, of the newer) of two demands of which one forbids what the other asks for; ``None`` without.

    >>> find_opposition("Never mock the database", "Mock the database in unit tests", lambda root: 1.0)
    (('never', 'mock', 'the', 'database'), ('mock', 'the', 'database', 'in', 'unit', 'tests'))
    """
    for a in demands(older):
        for b in demands(newer):
            if a.forbids is not b.forbids and _is_denied(*((a, b) if a.forbids else (b, a)), weight):
                return a.words, b.words
    return None


def is_overturned(older: str, newer: str, weight: Callable[[str], float]) -> bool:
    """Whether nothing that the older statement demands is left by the newer, which asks for more than a special case.

    >>> is_overturned("Mock the database in unit tests", "Never mock the database", lambda root: 1.0)
    True
    >>> is_overturned("Never mock the database", "Mock the database in unit tests", lambda root: 1.0)
    False
    """
    return all(any(_is_undone(old, new, weight) for new in demands(newer)) for old in demands(older))


def _is_undone(old: Demand, new: Demand, weight: Callable[[str], float]) -> bool:
    if not old.forbids:
        return new.forbids and _is_denied(new, old, weight)
    special = len(new.roots) > len(old.roots) + len(old.of)
    return not new.forbids and not special and _is_denied(old, new, weight)


def _is_denied(denial: Demand, ask: Demand, weight: Callable[[str], float]) -> bool:
    """Whether what is asked for is what is forbidden, or a special case of it."""
    if not denial.thing:
        return len(denial.roots) > 1 and _begins(denial.roots, ask.roots)
    names = [one.root for one in denial.roots]
    if not denial.of <= {one.root for one in ask.roots} or (not denial.of and sum(map(weight, names)) < TELLING):
        return False
    for at, one in enumerate(ask.roots):
        end = at + len(names)
        if [other.root for other in ask.roots[at:end]] == names and (end == len(ask.roots) or ask.roots[end].behind):
            role = denial.roots[0].behind
            return one.behind == "with" or (one.behind == role if role or denial.of else not at and ask.thing)
    return False


def _begins(prohibition: Sequence[Root], demand: Sequence[Root]) -> bool:
    """Whether what is asked for is what is forbidden, or a special case: more behind it, or a place said more exactly."""
    at = 0
    for number, one in enumerate(prohibition):
        if at == len(demand) or (number and demand[at].behind != one.behind):
            return False
        if number and one.behind:
            while demand[at].root != one.root and at + 1 < len(demand) and not demand[at + 1].behind:
                at += 1
        if demand[at].root != one.root:
            return False
        at += 1
    return at == len(demand) or bool(demand[at].behind)


def _clauses(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The clauses that demand something; behind a comma stands a reason, unless its first word tells otherwise."""
    for sentence in _split(tokens, _new_sentence):
        clause: list[Token] = []
        for part in map(_before_cause, _split(sentence, lambda _, token: "," in token.gap)):
            first = part[0].word if part else "because"
            if first in _REASONS:
                continue
            if first in _ORDERS:
                yield clause
                clause = [*part]
            elif not clause or clause[0].word in _BEHIND or first in _BEHIND or opens(part, 0):
                clause = [*clause, *part]
        yield clause


def _split(tokens: Sequence[Token], begins: Callable[[Token, Token], bool]) -> Iterator[Sequence[Token]]:
    """Tokens in parts, each of which begins where two of them say so."""
    ends = [0, *(at for at in range(1, len(tokens)) if begins(tokens[at - 1], tokens[at])), len(tokens)]
    return (tokens[begin:end] for begin, end in pairwise(ends))


def _new_sentence(before: Token, token: Token) -> bool:
    return bool(_BREAK.search(token.gap)) and not forbidding(before.word)  # "don't: use it"


def _before_cause(tokens: Sequence[Token]) -> Sequence[Token]:
    return tokens[: next((at for at, token in enumerate(tokens) if token.word in _CAUSES and not token.code), len(tokens))]


def _demands(clause: Sequence[Token]) -> Iterator[Demand]:
    """What a clause asks for up to its first denial, and each denial."""
    at = [n for n in range(len(clause)) if _denies(clause, n)]
    rest = clause[: at[0]] if at else clause
    words = tuple(token.word for token in rest)
    ask = Demand(False, _roots(rest), words, thing=not _USES.isdisjoint(words[:2]))
    if len(at) > 1 and clause[at[1]].word == "without":  # "never do it without asking"
        return
    denials = [_denial(ask, clause[begin:end]) for begin, end in pairwise([*at, len(clause)])]
    if not (denials and denials[0].roots[: len(ask.roots)] == ask.roots):  # else it is who must not
        yield ask
    yield from denials


def _denies(clause: Sequence[Token], at: int) -> bool:
    """Whether a word turns down what follows it: a deed or a thing, not a degree of it."""
    word, before, after = (clause[n].word if 0 <= n < len(clause) else "" for n in (at, at - 1, at + 1))
    if not opens(clause, at) or word in UNDOES or after in _DEGREES:
        return False
    return before == "rather" if word == "than" else word != "over" or clause[0].word in _USES


def _denial(ask: Demand, tokens: Sequence[Token]) -> Demand:
    """What a denial turns down, beside what its clause asks for before."""
    opener, before = tokens[0].word, ask.words[-1] if ask.words else ""
    words, roots = tuple(token.word for token in tokens), _roots(tokens[1:])
    if before in _STATES or opener in _STATES:  # a fact
        return Demand(True, (), words)
    if opener == "without":
        return Demand(True, (*ask.roots, *(one._replace(behind="with") for one in roots)), (*ask.words, *words))
    if not _USES.isdisjoint(words[1:3]):
        return _thing(roots, words)
    if (opener in _BARE and before not in _AUXILIARIES) or opener == "instead":
        return _thing(roots, words, ask)
    if "," in tokens[0].gap or before in _JOINS:
        return Demand(True, roots, words)
    return Demand(True, (*ask.roots, *roots), (*ask.words, *words))


def _thing(roots: Sequence[Root], words: tuple[str, ...], ask: Demand | None = None) -> Demand:
    """A thing that is turned down by itself, or in place of what is asked for and for the same purpose."""
    first = next((n for n, one in enumerate(roots) if n and one.behind), len(roots))
    things, of = list(roots[:first]), {one.root for one in roots[first:]}
    if ask and ask.roots and things:
        begin, end = _replacement(ask)
        things[0] = Root(things[0].root, ask.roots[begin].behind if begin < len(ask.roots) else "")
        of |= {one.root for one in (*ask.roots[:begin], *ask.roots[end:])}
    return Demand(True, tuple(things), words, frozenset(of), thing=True)


def _replacement(ask: Demand) -> tuple[int, int]:
    """Which roots of what is asked for are those that another thing is not to take the place of."""
    marked = [n for n, one in enumerate(ask.roots) if one.behind]
    tool = [n for n in marked if ask.roots[n].behind == "with"]
    begin = 0 if ask.thing else tool[0] if tool else marked[-1] if marked else 1
    return begin, next((n for n in marked if n > begin), len(ask.roots))


def _roots(tokens: Sequence[Token]) -> tuple[Root, ...]:
    found: list[Root] = []
    behind = ""
    for token in tokens:
        if not token.code and token.word in _BEHIND:
            behind = _BEHIND[token.word]
        elif token.code or token.word not in _PASSED:
            behind = behind or (_HOW if token.word.endswith("ly") and len(token.word) > 4 and not token.code else "")
            for root in token_roots(token.word):
                found.append(Root(root, behind))
                behind = ""
    return tuple(found)
