"""What a statement demands, clause by clause: it asks for something or forbids it; a reason demands nothing.

"Never mock the database, it hides bugs" and "Mock the database in unit tests" share few words and can't both be followed: the
second asks for what the first forbids. What is forbidden is forbidden in a special case as well; what is forbidden in a special
case is not forbidden elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from curator.comparison.lists import listed
from curator.comparison.negation import UNDOES, opens
from curator.comparison.statement import rooted
from curator.comparison.words import NOISE, forbidding
from curator.comparison.written import Token, written

_BREAK = re.compile(r"[;:.!?](?:\s|$|[*)`\"])|—|–|\n|[()]| - | # ")
_REASONS = listed("because since as so otherwise it it's its they they're that this these those there")
"""What begins a clause that says why another one holds, or what comes of it."""
_CAUSES = listed("because since otherwise")
"""Those of them that do so without a comma, too."""
_STATES = listed("is are was were does did has have had can will would isnt doesnt cant cannot wont arent didnt couldnt")
"""Verbs of what is stated, not ordered."""
_ORDERS = listed("use prefer always run call put keep make let then but do and we")
"""What begins another demand."""
_AUXILIARIES = listed("do must should shall may to")
"""Verbs of an order that "not" stands behind."""
_JOINS = listed("and but or then so")
_USES = listed("use uses using used prefer adopt choose")
_BARE = listed("not no than over of avoid")
"""Words behind which a thing is turned down rather than a deed."""
_KINDS = {
    "place": listed("in on at into to under inside within"),
    "with": listed("with via through by"),
    **{
        one: frozenset((one,))
        for one in listed("from for of before after as about until if when where while during against per")
    },
}
_BEHIND = {word: kind for kind, words in _KINDS.items() for word in words}
"""Prepositions by what they make of what stands behind them: to put it in and to put it into are one."""
_HOW = "how"
"""What an adverb in "-ly" is taken for: it, too, says more exactly what is meant."""
_DEGREES = listed("more less all every just always necessarily enough only yet")
"""Words that are denied instead of what follows them."""
_LIMITS = listed("only but")
"""Words by which what is asked for may stay within what is forbidden: "edit it only through make schema"."""
_EXCEPTS = listed("except unless excepting")
"""Words behind which a statement takes back part of what it demands, be it in brackets."""
_IDLE = listed("longer ever again rather instead")
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


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def demands(text: str) -> tuple[Demand, ...]:
    """The demands of a statement, without those reasons that their form shows, and without what holds only in some case.

    >>> [(one.forbids, [root.root for root in one.roots]) for one in demands("Sort with foo, not bar, it is slow")]
    [(False, ['sort', 'foo']), (True, ['bar'])]
    """
    tokens = written(text)
    if any(token.word in _EXCEPTS for token in tokens):
        return ()
    found = (demand for clause in _clauses(tokens) for demand in _demands(clause))
    return tuple(demand for demand in found if demand.roots and _LIMITS.isdisjoint(demand.words))


def opposed(older: str, newer: str, weight: Callable[[str], float]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words (of the older, of the newer) of two demands of which one forbids what the other asks for; ``None`` without.

    >>> opposed("Never mock the database", "Mock the database in unit tests", lambda root: 1.0)
    (('never', 'mock', 'the', 'database'), ('mock', 'the', 'database', 'in', 'unit', 'tests'))
    """
    for a in demands(older):
        for b in demands(newer):
            if a.forbids is not b.forbids and _met(*((a, b) if a.forbids else (b, a)), weight):
                return a.words, b.words
    return None


def overturned(older: str, newer: str, weight: Callable[[str], float]) -> bool:
    """Whether nothing that the older statement demands is left by the newer, which asks for more than a special case.

    >>> overturned("Mock the database in unit tests", "Never mock the database", lambda root: 1.0)
    True
    >>> overturned("Never mock the database", "Mock the database in unit tests", lambda root: 1.0)
    False
    """
    return all(any(_undone(old, new, weight) for new in demands(newer)) for old in demands(older))


def _undone(old: Demand, new: Demand, weight: Callable[[str], float]) -> bool:
    if not old.forbids:
        return new.forbids and _met(new, old, weight)
    special = len(new.roots) > len(old.roots) + len(old.of)
    return not new.forbids and not special and _met(old, new, weight)


def _met(denial: Demand, ask: Demand, weight: Callable[[str], float]) -> bool:
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


def _begins(forbidden: Sequence[Root], asked: Sequence[Root]) -> bool:
    """Whether what is asked for is what is forbidden, or a special case: more behind it, or a place said more exactly."""
    at = 0
    for number, one in enumerate(forbidden):
        if at == len(asked) or (number and asked[at].behind != one.behind):
            return False
        if number and one.behind:
            while asked[at].root != one.root and at + 1 < len(asked) and not asked[at + 1].behind:
                at += 1
        if asked[at].root != one.root:
            return False
        at += 1
    return at == len(asked) or bool(asked[at].behind)


def _clauses(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The clauses that demand something; behind a comma stands a reason, unless its first word tells otherwise."""
    for sentence in _split(tokens, _new_sentence):
        clause: list[Token] = []
        for part in map(_before_cause, _split(sentence, _behind_comma)):
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


def _behind_comma(_: Token, token: Token) -> bool:
    return "," in token.gap


def _before_cause(tokens: Sequence[Token]) -> Sequence[Token]:
    return tokens[: next((at for at, token in enumerate(tokens) if token.word in _CAUSES and not token.code), len(tokens))]


def _demands(clause: Sequence[Token]) -> Iterator[Demand]:
    """What a clause asks for up to its first denial, and each denial."""
    at = [n for n in range(len(clause)) if _denies(clause, n)]
    asked = clause[: at[0]] if at else clause
    words = tuple(token.word for token in asked)
    ask = Demand(False, _roots(asked), words, thing=not _USES.isdisjoint(words[:2]))
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
    named, of = list(roots[:first]), {one.root for one in roots[first:]}
    if ask and ask.roots and named:
        begin, end = _replaced(ask)
        named[0] = Root(named[0].root, ask.roots[begin].behind if begin < len(ask.roots) else "")
        of |= {one.root for one in (*ask.roots[:begin], *ask.roots[end:])}
    return Demand(True, tuple(named), words, frozenset(of), thing=True)


def _replaced(ask: Demand) -> tuple[int, int]:
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
            for root in rooted(token.word):
                found.append(Root(root, behind))
                behind = ""
    return tuple(found)
