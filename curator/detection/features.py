"""The features of a sentence that the classifier sees: words, cues, form, place, and the sentences beside it.

A feature is a short name; a model gives each a weight. Words stand for themselves, two words for a pair; other names begin
with a mark: ``^`` the first words, ``$`` the last, ``=`` words of the heading, ``~`` words quoted with it, ``%`` words around
it, ``#`` a cue, ``@`` a circumstance, ``+`` form. What names a thing of one project (code, a path, an identifier, a number) is
only ever its kind, so that no model learns a project.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, repeat
from typing import NamedTuple

from curator.detection import tokenizer
from curator.detection.context import Scene, under
from curator.detection.cues import cues
from curator.detection.sentences import Sentence
from curator.detection.tokenizer import tokens

LENGTHS = (5, 8, 12, 18, 25, 35, 50)
NAMES = (0, 1, 2, 4)
PLACES = (0, 1, 3, 8)
COUNTS = (1, 2, 4, 8, 16, 32)

AROUND = 8
"""Sentences to each side whose words tell what kind of lesson one is."""

REMEMBERED = 1_024
"""Sentences that stay taken apart: nearly all of what a session's best ones and those around them are looked at for again."""

MARKS = "^$=~%#@+"
NAMED = frozenset(("<code>", "<name>", "<path>", "<flag>"))
NOTHING = frozenset(("@none",))
"""The feature of a neighbour that is not there."""


class Statement(NamedTuple):
    """A sentence taken apart: its tokens and cues, which its neighbours are judged by as well, and its other features."""

    sentence: Sentence
    tokens: tuple[str, ...]
    cues: frozenset[str]
    bag: frozenset[str] = frozenset()
    """Each token once, and the cues as features."""
    marks: tuple[str, ...] = ()


@lru_cache(maxsize=REMEMBERED)
def statement(sentence: Sentence) -> Statement:
    """Take a sentence apart."""
    parts = tokenizer.of(sentence.text)
    words, found = tuple(tokens(sentence.text, parts)), frozenset(cues(sentence, parts))
    bag = frozenset([*words, *[f"#{cue}" for cue in found]])
    return Statement(sentence, words, found, bag, (*_ends(words), *_of_heading(sentence.heading)))


def _ends(words: Sequence[str]) -> tuple[str, ...]:
    if len(words) > 1:
        return f"^{words[0]}", f"^{words[0]} {words[1]}", f"${words[-1]}"
    return (f"^{words[0]}", f"${words[0]}") if words else ()


def own(scene: Scene, statement: Statement, place: int, count: int) -> Iterator[tuple[str, str]]:
    """The features of the ``place``-th of ``count`` sentences itself, as (part of the reason, name); a name comes once."""
    yield from zip(repeat("words"), _words(statement.tokens))
    yield from [(cue, f"#{cue}") for cue in sorted(statement.cues)]
    yield from [({"=": "heading", "@": name[1:]}.get(name[0], "words"), name) for name in statement.marks]
    yield from [(name[1:], name) for name in sorted(of_scene(scene))]
    yield from zip(repeat("form"), form(statement, place, count))


def of_scene(scene: Scene) -> frozenset[str]:
    """The features that every sentence of a turn has."""
    return frozenset([f"@{name}" for name in scene.circumstances])


@lru_cache(maxsize=256)
def _of_heading(heading: str) -> tuple[str, ...]:
    section = under(heading)
    return (*dict.fromkeys(f"={word}" for word in tokens(heading)), *([f"@under {section}"] if section else []))


def about(scene: Scene, sentences: Sequence[Sentence], place: int, quote: range) -> Iterator[str]:
    """Yield what tells the kind of a lesson: features of the sentence, words quoted with it and around it, each once."""
    speaker = "people" if scene.human else "agents"
    sentence = statement(sentences[place])
    yield from ("@any", f"@{speaker}", *dict.fromkeys(sentence.tokens), *sentence.marks, *sorted(of_scene(scene)))
    for cue in sorted(sentence.cues):
        yield from (f"#{cue}", f"#{cue} {speaker}")
    around = sentences[max(0, place - AROUND) : place + AROUND + 1]
    for mark, part in (("~", [sentences[n] for n in quote]), ("%", around)):
        yield from dict.fromkeys(f"{mark}{token}" for one in part for token in statement(one).tokens)


def beside(statement: Statement | None) -> frozenset[str]:
    """The features of a neighbour."""
    return NOTHING if statement is None else statement.bag


def _words(words: Sequence[str]) -> dict[str, None]:
    found = dict.fromkeys(words)
    found.update((f"{one} {two}", None) for one, two in pairwise(words))
    return found


def form(statement: Statement, place: int, count: int) -> tuple[str, ...]:
    """The features of a sentence's length, of the names in it, and of its place among the sentences of its turn."""
    names = sum(map(NAMED.__contains__, statement.tokens))
    return (
        *_LONGER[min(len(statement.tokens), LENGTHS[-1] + 1)],
        *_NAMING[min(names, NAMES[-1] + 1)],
        *_PLACED[min(place, PLACES[-1] + 1)],
        *_OF[min(count, COUNTS[-1] + 1)],
        *(("+last",) if place == count - 1 else ()),
        *(("+item",) if statement.sentence.item else ()),
        *(("+headed",) if statement.sentence.heading else ()),
    )


def _steps(name: str, limits: Sequence[int]) -> list[tuple[str, ...]]:
    """For every number the limits that it exceeds, as features."""
    return [tuple(f"+{name} {limit}" for limit in limits if number > limit) for number in range(limits[-1] + 2)]


_LONGER = _steps("length", LENGTHS)
_NAMING = _steps("names", NAMES)
_PLACED = _steps("place", PLACES)
_OF = _steps("of", COUNTS)
