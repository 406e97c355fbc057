"""How much a change of code matters to a lesson about it: how many tokens changed, and whether the lesson names them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from curator.code.symbols import Symbol
from curator.model import Drift

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_COMMON = frozenset(
    _WORD.findall(
        "a an the and or not no of in on at to for from by with as is are was were be been it its this that these those we you "
        "they if else elif then when while do does did done return returns def class function func fn let const var new "
        "use uses used using "
        "must should can may will never always only all any each self none null true false int str string bool"
    )
)
_TYPES = {"typing", "t", "optional", "union", "none", "list", "dict", "tuple", "set", "frozenset"}
_NOTATION = _TYPES | set("[]|\"'.\u00b7")
"""``Optional[X]``, ``typing.Optional["X"]`` and ``X | None`` are one type."""
NAMED = 0.6
"""What it weighs that a change touches a name, number or word of code that stands in the lesson."""
RELATED = 0.15
"""The same for a part of such a name."""
SIGNATURE = 0.5
"""What it weighs that callers are concerned."""
CALLERS = 8.0
"""How fast a growing share of changed tokens in the signature counts: one parameter more is much, one of many types is not."""
SPREAD = 4.0
"""How fast a growing share of changed tokens counts: a quarter is all."""
FILE = 0.2
"""How much of that counts at least where a lesson speaks of a file as a whole; in a small file it is more."""
_SMALL = 100


def said(text: str) -> frozenset[str]:
    """The words of a lesson that code could name, in lower case: no word of grammar, none shorter than three but numbers."""
    return frozenset(
        word
        for word in (found.lower() for found in _WORD.findall(text))
        if word not in _COMMON and (len(word) > 2 or word.isdigit())
    )


def severity(drift: Drift, old: Symbol, new: Symbol, lesson: frozenset[str]) -> tuple[float, tuple[str, ...]]:
    """0 to 1, rounded, with the words of the lesson (as ``said`` gives them) that the change touches."""
    if drift in (Drift.UNCHANGED, Drift.LAYOUT):
        return 0.0, ()
    heads, head = _changed(_meant(old.signature), _meant(new.signature))
    bodies, share = _changed(old.body, new.body)
    changed = heads + bodies
    named = sorted({token for token in changed if token in lesson})
    related = not named and any(part in lesson for token in changed for part in _parts(token) if part not in _COMMON)
    share = min(1.0, SPREAD * share) * (1.0 if old.name else max(FILE, min(1.0, _SMALL / max(1, len(old.body)))))
    calm = (1 - share) * (1 - SIGNATURE * min(1.0, CALLERS * head))
    calm *= 1 - (NAMED if named else RELATED if related else 0.0)
    return round(1 - calm, 2), tuple(named[:6])


def _meant(signature: Sequence[str]) -> Sequence[str]:
    """A signature without the notation of its types, which modernising a code base changes everywhere and callers nowhere."""
    return [token for token in signature if token.lower() not in _NOTATION]


def _changed(old: Sequence[str], new: Sequence[str]) -> tuple[Counter[str], float]:
    """Tokens that only one side has, in lower case with their counts, and their share of all."""
    before, after = (Counter(token.lower() for token in side) for side in (old, new))
    changed = (before - after) + (after - before)
    return changed, changed.total() / max(1, len(old) + len(new))


def _parts(token: str) -> Iterable[str]:
    return (part.lower() for part in _PART.findall(token) if len(part) > 3)
