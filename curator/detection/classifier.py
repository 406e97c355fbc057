"""Judge sentences with the trained classifier: two logistic regressions over features, evaluated in plain Python.

A feature is a short name, and the model gives each a weight. A word is its own feature, and two words are the feature of a
pair. Other names begin with a mark: ``^`` the first words, ``$`` the last, ``=`` words of the heading, ``~`` words quoted with
it, ``%`` words around it, ``#`` a cue, ``@`` a circumstance, ``+`` form. Code, paths, identifiers and numbers are features only
by their kind, so that no model learns a project. The weights are data (``classifier.json``), made by
``tests/benchmarks/train.py``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, pairwise, repeat
from typing import NamedTuple

from curator.detection import sentences
from curator.detection.context import SpeakingTurn, section_kind
from curator.detection.cues import cues, is_rule
from curator.detection.sentences import Sentence, tokens
from curator.errors import CuratorError
from curator.model import Category

LENGTHS = (5, 8, 12, 18, 25, 35, 50)
NAMES = (0, 1, 2, 4)
PLACES = (0, 1, 3, 8)
COUNTS = (1, 2, 4, 8, 16, 32)

CONTEXT_SENTENCES = 8
"""The number of sentences to each side whose words help to find a lesson's kind."""

REMEMBERED = 1_024
"""The number of cached sentences: nearly all that a session's best ones and their context need again."""

MARKS = "^$=~%#@+"
NAMED = frozenset(("<code>", "<name>", "<path>", "<flag>"))
NO_NEIGHBOR = frozenset(("@none",))
"""The feature of a missing neighbour."""


class Statement(NamedTuple):
    """The parts of a sentence: its tokens and cues, which also help to judge its neighbours, and its other features."""

    sentence: Sentence
    tokens: tuple[str, ...]
    cues: frozenset[str]
    bag: frozenset[str] = frozenset()
    """Each token once, and the cues as features."""
    marks: tuple[str, ...] = ()


@lru_cache(maxsize=REMEMBERED)
def statement(sentence: Sentence) -> Statement:
    """Take a sentence apart."""
    parts = sentences.of(sentence.text)
    words, found = tuple(tokens(sentence.text, parts)), frozenset(cues(sentence, parts))
    bag = frozenset([*words, *[f"#{cue}" for cue in found]])
    return Statement(sentence, words, found, bag, (*_ends(words), *_of_heading(sentence.heading)))


def _ends(words: Sequence[str]) -> tuple[str, ...]:
    if len(words) > 1:
        return f"^{words[0]}", f"^{words[0]} {words[1]}", f"${words[-1]}"
    return (f"^{words[0]}", f"${words[0]}") if words else ()


def sentence_features(scene: SpeakingTurn, statement: Statement, place: int, count: int) -> Iterator[tuple[str, str]]:
    """Yield the features of the ``place``-th of ``count`` sentences, as (part of the reason, name). Each name comes once."""
    yield from zip(repeat("words"), _words(statement.tokens))
    yield from [(cue, f"#{cue}") for cue in sorted(statement.cues)]
    yield from [({"=": "heading", "@": name[1:]}.get(name[0], "words"), name) for name in statement.marks]
    yield from [(name[1:], name) for name in sorted(turn_features(scene))]
    yield from zip(repeat("form"), length_features(statement, place, count))


def turn_features(scene: SpeakingTurn) -> frozenset[str]:
    """Return the features that every sentence of a turn has."""
    return frozenset([f"@{name}" for name in scene.circumstances])


@lru_cache(maxsize=256)
def _of_heading(heading: str) -> tuple[str, ...]:
    section = section_kind(heading)
    return (*dict.fromkeys(f"={word}" for word in tokens(heading)), *([f"@under {section}"] if section else []))


def context_features(scene: SpeakingTurn, sentences: Sequence[Sentence], place: int, quote: range) -> Iterator[str]:
    """Yield the features of a lesson's kind: of the sentence, of quoted words and of its context, each once."""
    speaker = "people" if scene.human else "agents"
    sentence = statement(sentences[place])
    yield from ("@any", f"@{speaker}", *dict.fromkeys(sentence.tokens), *sentence.marks, *sorted(turn_features(scene)))
    for cue in sorted(sentence.cues):
        yield from (f"#{cue}", f"#{cue} {speaker}")
    around = sentences[max(0, place - CONTEXT_SENTENCES) : place + CONTEXT_SENTENCES + 1]
    for mark, part in (("~", [sentences[n] for n in quote]), ("%", around)):
        yield from dict.fromkeys(f"{mark}{token}" for one in part for token in statement(one).tokens)


def neighbour_features(statement: Statement | None) -> frozenset[str]:
    """Return the features that a sentence gives to its neighbours."""
    return NO_NEIGHBOR if statement is None else statement.bag


def _words(words: Sequence[str]) -> dict[str, None]:
    found = dict.fromkeys(words)
    found.update((f"{one} {two}", None) for one, two in pairwise(words))
    return found


def length_features(statement: Statement, place: int, count: int) -> tuple[str, ...]:
    """Return the features of a sentence's length, its names, and its position in the turn."""
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
    """Return, for every number, the limits that it exceeds, as features."""
    return [tuple(f"+{name} {limit}" for limit in limits if number > limit) for number in range(limits[-1] + 2)]


_LONGER = _steps("length", LENGTHS)
_NAMING = _steps("names", NAMES)
_PLACED = _steps("place", PLACES)
_OF = _steps("of", COUNTS)


DATA = "classifier.json"
VERSION = 1

STANDING_RULE = 1.3
"""Log-odds for a person's words in the form of a rule. Too few labelled sentences have that form to train a weight, and a new
user's first session often is one rule.
"""
ALONE = 0.6
"""Log-odds added to that in a turn of few words."""

MIN_AGENT_CHARACTERS = 60
"""Characters of an agent's sentence that can be a lesson without naming code."""

DIGITS = 9
"""Significant decimals of a sum of weights. Processes add sets in different orders, and the last bits must not decide the order
of two statements.
"""

Weights = Mapping[str, float]


class Judgement(NamedTuple):
    """A statement and its worth: the log-odds that a person keeps a card made of it."""

    statement: Statement
    worth: float


@dataclass(frozen=True, slots=True)
class Speaker:
    """The weights for one kind of speaker: of a sentence, of its features, and of its neighbours' features."""

    base: float
    own: Weights
    before: Weights
    after: Weights
    pairs: Mapping[tuple[str, ...], float] = field(init=False)
    """The weights of two words: found without making a name of each two."""

    def __post_init__(self) -> None:
        words = {name: weight for name, weight in self.own.items() if name[0] not in MARKS}
        pairs = {tuple(name.split(" ")): weight for name, weight in words.items() if " " in name}
        object.__setattr__(self, "pairs", pairs)

    def worth(self, statement: Statement) -> float:
        """Return the contribution of a sentence's words and cues, named as in ``sentence_features``."""
        return _sum(self.own, chain(statement.bag, statement.marks)) + sum(
            map(self.pairs.get, {*pairwise(statement.tokens)}, _NONE)
        )


@dataclass(frozen=True, slots=True)
class Model:
    """Weights for people and for agents; they add up to the log-odds that a person keeps a card made of a sentence.

    ``floor`` is the likelihood below which nothing is proposed.
    """

    people: Speaker
    agents: Speaker
    kinds: Mapping[str, Mapping[Category, float]] = field(default_factory=dict)
    """The weight of each feature for and against each kind."""
    floor: float = 0.0
    votes: Mapping[str, tuple[float, ...]] = field(init=False)
    """The same weights for all kinds, in their order."""

    def __post_init__(self) -> None:
        votes = {name: tuple(weights.get(kind, 0.0) for kind in Category) for name, weights in self.kinds.items()}
        object.__setattr__(self, "votes", votes)

    def judge(self, scene: SpeakingTurn, sentences: Sequence[Sentence]) -> list[Judgement | None]:
        """Return every sentence of a turn with its worth; ``None`` for an agent's sentence that is too short."""
        speaker = self._speaker(scene)
        always = speaker.base + _sum(speaker.own, turn_features(scene))
        telling = [place for place, sentence in enumerate(sentences) if can_be_lesson(scene, sentence)]
        needed = {n for place in telling for n in (place - 1, place, place + 1) if 0 <= n < len(sentences)}
        statements = {n: statement(sentences[n]) for n in needed}
        judged: list[Judgement | None] = [None] * len(sentences)
        for place in telling:
            one = statements[place]
            worth = (
                always
                + speaker.worth(one)
                + _sum(speaker.own, length_features(one, place, len(sentences)))
                + standing_rule(scene, one)
                + _sum(speaker.before, neighbour_features(statements.get(place - 1)))
                + _sum(speaker.after, neighbour_features(statements.get(place + 1)))
            )
            judged[place] = Judgement(one, round(worth, DIGITS))
        return judged

    def why(self, scene: SpeakingTurn, sentences: Sequence[Sentence], place: int) -> dict[str, float]:
        """Return the named parts that the worth of a judged sentence is the sum of, in log-odds."""
        speaker = self._speaker(scene)
        statements = {n: statement(sentences[n]) for n in range(max(0, place - 1), min(place + 2, len(sentences)))}
        parts: dict[str, float] = {"base": speaker.base}
        for part, name in sentence_features(scene, statements[place], place, len(sentences)):
            if weight := speaker.own.get(name):
                parts[part] = parts.get(part, 0.0) + weight
        if lasting := standing_rule(scene, statements[place]):
            parts["said for good"] = lasting
        parts["what stands before"] = _sum(speaker.before, neighbour_features(statements.get(place - 1)))
        parts["what follows"] = _sum(speaker.after, neighbour_features(statements.get(place + 1)))
        return {part: round(worth, DIGITS) for part, worth in parts.items()}

    def category(self, scene: SpeakingTurn, sentences: Sequence[Sentence], place: int, quote: range) -> Category:
        """Return the kind of lesson that a sentence and its context indicate most."""
        names = context_features(scene, sentences, place, quote)
        sums = map(sum, zip(_SILENT, *filter(None, map(self.votes.get, names)), strict=True))
        votes = dict(zip(Category, sums, strict=True))
        return max(votes, key=lambda kind: round(votes[kind], DIGITS))

    def _speaker(self, scene: SpeakingTurn) -> Speaker:
        return self.people if scene.human else self.agents


_NONE = repeat(0.0)
_SILENT = (0.0,) * len(Category)


def _sum(weights: Weights, names: Iterable[str]) -> float:
    return sum(map(weights.get, names, _NONE))


def logistic(odds: float) -> float:
    """Return log-odds as a likelihood with three digits."""
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))), 3)


def standing_rule(scene: SpeakingTurn, statement: Statement) -> float:
    """Return the log-odds that the form of a rule adds to a person's sentence."""
    if not scene.human or not is_rule(statement.sentence.text):
        return 0.0
    return STANDING_RULE + (ALONE if "terse turn" in scene.circumstances else 0.0)


def can_be_lesson(scene: SpeakingTurn, sentence: Sentence) -> bool:
    """Return whether a sentence can be a lesson. A person's always can; an agent's must be long or name code."""
    return scene.human or len(sentence.text) >= MIN_AGENT_CHARACTERS or "`" in sentence.text


def parse(text: str) -> Model:
    """Return the model of a JSON text. Raise ``ValueError`` for anything that is none of this version."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"version {data['version']}")
        people, agents = (Speaker(**data[name]) for name in ("people", "agents"))
        kinds = {name: {Category(kind): weight for kind, weight in votes.items()} for name, votes in data["kinds"].items()}
        return Model(people, agents, kinds, data["floor"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no classifier: {error!r}") from error


@cache
def load_model() -> Model:
    """Return the model that comes with curator. Raise ``CuratorError`` when its file is absent or damaged."""
    try:
        return parse(resources.files("curator.detection").joinpath(DATA).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CuratorError(f"curator's own file detection/{DATA} can't be read: {error}.", "Install curator again.") from error
