"""The features that the model of ``orders`` sees in a sentence.

What stands in the reach of a denial ("never", "nicht") has names of its own: forbidding is learned like ordering.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from curator.text.lexicon import VERBS, classes
from curator.text.shapes import OURS, SHAPES, SIGNS


class Trait(NamedTuple):
    """A feature and where its words stand; ``kind`` is that of the order whose shape or verb and object it is, if it is one."""

    name: str
    start: int
    end: int
    kind: str = ""


class _Rule(NamedTuple):
    """An order of a kind: a class of verbs, and of which classes, one of each, something stands in its sentence."""

    kind: str
    verb: str
    objects: tuple[str, ...]


_RULES = (
    _Rule("run", "fetch", ("address", "code run it")),
    _Rule("run", "run", ("script",)),
    _Rule("run", "fetch", ("code address", "run")),
    _Rule("install", "fetch", ("package", "install", "address odd")),
    _Rule("install", "install", ("package", "address")),
    _Rule("install", "fetch", ("package", "address")),
    _Rule("install", "grant", ("agent", "address")),
    _Rule("install", "point", ("manager", "address")),
    _Rule("send", "send", ("secret keyfile data", "out address")),
    _Rule("send", "swap", ("pay",)),
    _Rule("send", "flow", ("secret data", "address")),
    _Rule("send", "commit", ("stash",)),
    _Rule("send", "show", ("bare",)),
    _Rule("send", "grant", ("hook", "address")),
    _Rule("disable", "off", ("offword", "guard")),
    _Rule("disable", "stub", ("guard gate red", "constant")),
    _Rule("disable", "mark", ("red",)),
    _Rule("disable", "disable", ("guard",)),
    _Rule("disable", "disable", ("gate",)),
    _Rule("disable", "drop", ("gate",)),
    _Rule("disable", "protect", ("weak", "secret serious")),
    _Rule("disable", "protect", ("broken",)),
    _Rule("destroy", "wipe", ("precious",)),
    _Rule("destroy", "wipe", ("prod", "store")),
    _Rule("rights", "grant", ("rights",)),
    _Rule("rights", "run", ("asroot",)),
    _Rule("rights", "grant", ("persist", "address shell")),
    _Rule("obey", "disable", ("prompt",)),
)
_SENTENCE = re.compile(r"[^.!?;\n。！？；]*+(?:[.!?;](?!\s|$)[^.!?;\n。！？；]*+)*+[.!?;\n。！？；]?")
_TOKEN = re.compile(r"--?\w[\w-]{0,40}+|[^\W_]+(?:['’][^\W_]+)?|[|*~$]")
_DENIALS = frozenset(
    """never not no avoid nobody cannot dont without refuse stop forbid forbidden reject nor neither instead rather nie niemals
    nicht kein keine keinen keinem keiner vermeide statt ohne jamais ne pas sans évite évitez éviter evite nunca jamás jamas
    evita sin não nao sem non mai senza не никогда нельзя без""".split()
)
"""What denies all that follows up to a break, but before one of the next words."""
_ASSENTS = frozenset("worry hesitate wait forget bother only longer later matter".split())
_BREAKS = frozenset("but aber sondern mais sino pero mas ma но а".split())
_AFTERTHOUGHTS = frozenset(
    """нельзя запрещено запрещается недопустимо verboten untersagt unzulässig tabu forbidden prohibited disallowed interdit
    interdite interdits prohibido prohibida prohibidos proibido proibida proibidos vietato vietata vietati wolno zabronione
    verboden yasak yasaktır olmaz""".split()
)
"""What denies what stands before it, from the last stop on."""
_UNSPACED_AFTERTHOUGHT = re.compile("ない|ません|せず|[はもがを]禁止|지 ?[마말않]|금지")
_UNSPACED_DENIAL = re.compile("不要|禁止|勿|别|不得|不能|不可")
_STOP = re.compile("[:;,—–(，；]")
_PAUSE = re.compile("[:;,—–(，；、]")
_BLANKS = dict.fromkeys(map(ord, "\t\n\r\x0b\x0c"), " ")
UNSPACED = "\u3040"
"""From this letter on scripts put no blanks between words, nearly all of them."""
LONGEST = 24
"""Letters of a word that are looked at in pieces."""


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end."""
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            yield match.start() + len(match[0]) - len(match[0].lstrip()), match.end()


def traits(sentence: str) -> list[Trait]:
    """All that a sentence shows, in time linear in its length; a feature may stand in it often.

    >>> [trait.name for trait in traits("Never push") if trait.name[0] in "=¬"]
    ['=never', '¬push', '¬push $']
    """
    low = f" {sentence.lower()} ".translate(_BLANKS)
    places = [(*span, "@there") for span in SIGNS["address"].spans(sentence, low)]
    places += [(*span, "@here") for span in OURS.spans(sentence, low)]
    words = list(_words(sentence, sorted(places)))
    denials = _denials(sentence, words)
    named = [word if word.name[0] == "@" else word._replace(name=_sign(denials, word.start) + word.name) for word in words]
    return [*_of_words(named), *_of_shapes(sentence, low, denials), *_of_rules(sentence, low, denials)]


def _words(sentence: str, places: list[tuple[int, int, str]]) -> Iterator[Trait]:
    """Words and addresses in their order."""
    at = 0
    for start, end, name in [*places, (len(sentence), len(sentence), "")]:
        for match in _TOKEN.finditer(sentence, at, max(at, start)):
            yield Trait(match[0].lower(), *match.span())
        if name and start >= at:
            yield Trait(name, start, end)
        at = max(at, end)


def _denials(sentence: str, words: list[Trait]) -> list[tuple[int, bool]]:
    """From where on what stands is denied, or is not any more."""
    found = [(match.end(), False) for match in _STOP.finditer(sentence)]
    found += [(match.end(), True) for match in _UNSPACED_DENIAL.finditer(sentence)]
    for word, after in pairwise([*words, Trait("", 0, 0)]):
        if word.name in _BREAKS:
            found.append((word.start, False))
        elif (word.name in _DENIALS or word.name.endswith(("n't", "n’t"))) and after.name not in _ASSENTS:
            found.append((word.end, True))
    afterthoughts = [word.end for word in words if word.name in _AFTERTHOUGHTS]
    afterthoughts += [match.end() for match in _UNSPACED_AFTERTHOUGHT.finditer(sentence)]
    pauses = [0, *(match.end() for match in _PAUSE.finditer(sentence))] if afterthoughts else []
    for end in afterthoughts:
        found += [(pauses[bisect_right(pauses, end) - 1], True), (end, False)]
    return sorted(found)


def _denied(denials: list[tuple[int, bool]], at: int) -> bool:
    last = bisect_right(denials, (at, True))
    return last > 0 and denials[last - 1][1]


def _sign(denials: list[tuple[int, bool]], at: int) -> str:
    return "¬" if _denied(denials, at) else "="


def _of_words(words: list[Trait]) -> Iterator[Trait]:
    yield from words
    bare = [word._replace(name=word.name.removeprefix("=")) for word in words]
    edge = bare[-1].end if bare else 0
    for first, second in pairwise([Trait("^", 0, 0), *bare, Trait("$", edge, edge)]):
        yield Trait(f"{first.name} {second.name}", first.start if first.end else second.start, second.end)
    for word in words:
        sign, letters = word.name[0].replace("=", ""), word.name[1 : 1 + LONGEST]
        if not letters.isascii() and max(letters) >= UNSPACED:
            for size in (1, 2, 3):
                for at in range(len(word.name) - size):
                    yield Trait(f"~{word.name[1 + at : 1 + at + size]}", word.start + at, word.start + at + size)
        elif word.name[0] != "@":
            whole = f"<{letters}>"
            for size in (3, 4, 5):
                for at in range(len(whole) - size + 1):
                    yield Trait(f"~{sign}{whole[at : at + size]}", word.start, word.end)


def _of_shapes(sentence: str, low: str, denials: list[tuple[int, bool]]) -> Iterator[Trait]:
    for kind, shape in SHAPES.items():
        for start, end in shape.spans(sentence, low):
            if _denied(denials, start):
                yield Trait("-shape", start, end)
                yield Trait(f"-shape {kind}", start, end)
            else:
                yield Trait("+shape", start, end, kind)
                yield Trait(f"+shape {kind}", start, end, kind)


def _of_rules(sentence: str, low: str, denials: list[tuple[int, bool]]) -> Iterator[Trait]:
    found = classes(sentence)
    if VERBS.isdisjoint(found):
        return

    @cache
    def spans(name: str) -> list[tuple[int, int]]:
        if name in SIGNS:
            return list(SIGNS[name].spans(sentence, low))
        return [(word.start, word.end) for word in found.get(name, ())]

    for rule in _RULES:
        verbs = found.get(rule.verb, ())
        only = spans(rule.verb)[0] if len(verbs) == 1 else None
        objects = [
            next((span for name in wanted.split() for span in spans(name) if span != only), None)
            for wanted in rule.objects
            if verbs
        ]
        if not verbs or None in objects:
            continue
        for verb in verbs:
            ends = [(verb.start, verb.end), *filter(None, objects)]
            start, end = min(ends)[0], max(end for _, end in ends)
            if _denied(denials, verb.start):
                yield Trait(f"-rule {rule.kind}", start, end)
                continue
            before = sentence[max(0, verb.start - 20) : verb.start].split()
            last = before[-1].lower().strip("`,:;\"'") if before else "^"
            for name in ("", f" {rule.kind}", f" {rule.kind} {verb.form}", f" {verb.form}", f" after {last}"):
                yield Trait(f"+rule{name}", start, end, rule.kind)
