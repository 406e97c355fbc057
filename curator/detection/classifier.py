"""The shipped classifier: linear over the features of a sentence and its neighbours, evaluated in plain Python.

Its weights are data (``classifier.json``), made by ``tests/benchmarks/train.py``, which says from what. Without that file
the table of ``rules`` judges.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import chain, pairwise, repeat

from curator.detection import baseline, categories, directives, features
from curator.detection.context import Scene
from curator.detection.cues import PHRASES
from curator.detection.features import Statement
from curator.detection.scoring import Judged
from curator.detection.sentences import Sentence
from curator.model import Category

log = logging.getLogger(__name__)

DATA = "classifier.json"

VERSION = 1

SAID_FOR_GOOD = 1.3
"""Log-odds for a person's words in the form of a rule. Of the sentences that the weights were made of only 38 in 4,989 have it,
nearly all of them in long sessions: too few to be told by a weight, and no inbox may miss them."""

BY_ITSELF = 0.3
"""What is added to that in a turn of few words: whoever says nothing else means it."""

BRIEFLY = 0.5
"""What is added to that for a rule of two to four words: it is whole, where other talk of that length is a fragment."""

PRIOR: Mapping[bool, float] = {True: 0.4, False: 0.15}
"""How much the readable table of ``rules`` counts beside the trained weights, by whether a person spoke: what is known of rare
cues beforehand, and few labels can't teach."""
PRIOR_MEAN = -1.5
"""What that table says of a middling sentence."""

BRIEF, LONG = 30, 90
"""Characters of an agent's sentence that are too few for a lesson, and so many that it may be one without any cue."""

DIGITS = 9
"""Decimals that count of a sum of weights. Sets are added up in another order in each process, and the last bits must not
decide which of two statements comes first."""

RULED = 2.0
"""How much the readable table of ``kinds`` counts beside the trained weights, which few labels made."""

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Speaker:
    """What a model knows of one kind of speaker: log-odds of a sentence, of its features, and of its neighbours' features."""

    base: float
    own: Weights
    before: Weights
    after: Weights
    pairs: Mapping[tuple[str, ...], float] = field(init=False)
    """The weights of two words: found without making a name of each two."""

    def __post_init__(self) -> None:
        words = {name: weight for name, weight in self.own.items() if name[0] not in features.MARKS}
        pairs = {tuple(name.split(" ")): weight for name, weight in words.items() if " " in name}
        object.__setattr__(self, "pairs", pairs)

    def worth(self, said: Statement) -> float:
        """What the words and cues of a sentence add; their names are those of ``features.own``."""
        return _sum(self.own, chain(said.bag, said.marks)) + sum(map(self.pairs.get, {*pairwise(said.tokens)}, _NONE))


@dataclass(frozen=True, slots=True)
class Model:
    """Weights for people and for agents; they add up to the log-odds that a person keeps a card made of a sentence."""

    people: Speaker
    agents: Speaker
    kinds: Mapping[str, Mapping[Category, float]] = field(default_factory=dict)
    """By feature, what it says for and against each kind."""
    floor: float = baseline.FLOOR
    votes: Mapping[str, Mapping[str, tuple[float, ...]]] = field(init=False)
    """The same for all kinds in their order, by the mark and the rest of a name, as ``features.about`` gives them."""

    def __post_init__(self) -> None:
        votes = {name: tuple(told.get(kind, 0.0) for kind in Category) for name, told in self.kinds.items()}
        marked = {mark: {name[1:]: vote for name, vote in votes.items() if name[0] == mark} for mark in "~%"}
        object.__setattr__(self, "votes", {"": votes, **marked})

    def judge(self, scene: Scene, sentences: Sequence[Sentence]) -> list[Judged | None]:
        """Every sentence of a turn with its worth; ``None`` for an agent's that raises no telling cue."""
        speaker = self._speaker(scene)
        always = speaker.base + _sum(speaker.own, features.of_scene(scene))
        telling = [place for place, sentence in enumerate(sentences) if tells(scene, sentence)]
        needed = {n for place in telling for n in (place - 1, place, place + 1) if 0 <= n < len(sentences)}
        said = {n: features.statement(sentences[n]) for n in needed}
        judged: list[Judged | None] = [None] * len(sentences)
        for place in telling:
            one = said[place]
            worth = (
                always
                + speaker.worth(one)
                + _sum(speaker.own, features.form(one, place, len(sentences)))
                + said_for_good(scene, one)
                + prior(scene, one, place)
                + _sum(speaker.before, features.beside(said.get(place - 1)))
                + _sum(speaker.after, features.beside(said.get(place + 1)))
            )
            judged[place] = Judged(one, round(worth, DIGITS))
        return judged

    def why(self, scene: Scene, sentences: Sequence[Sentence], place: int) -> dict[str, float]:
        """The weights by part: words, heading, form, each cue and circumstance, what stands before and after."""
        speaker = self._speaker(scene)
        said = {n: features.statement(sentences[n]) for n in range(max(0, place - 1), min(place + 2, len(sentences)))}
        parts: dict[str, float] = {"base": speaker.base}
        for part, name in features.own(scene, said[place], place, len(sentences)):
            if weight := speaker.own.get(name):
                parts[part] = parts.get(part, 0.0) + weight
        if lasting := said_for_good(scene, said[place]):
            parts["said for good"] = lasting
        parts["rules"] = prior(scene, said[place], place)
        parts["what stands before"] = _sum(speaker.before, features.beside(said.get(place - 1)))
        parts["what follows"] = _sum(speaker.after, features.beside(said.get(place + 1)))
        return {part: round(worth, DIGITS) for part, worth in parts.items()}

    def _speaker(self, scene: Scene) -> Speaker:
        return self.people if scene.human else self.agents

    def category(self, scene: Scene, sentences: Sequence[Sentence], place: int, quoted: range) -> Category:
        """The kind that the sentence, what is quoted with it and said around it, and its circumstances speak for most."""
        ruled = categories.votes(features.statement(sentences[place]).cues | scene.circumstances, scene.human)
        about = features.about(scene, sentences, place, quoted)
        votes = chain.from_iterable(map(self.votes[mark].get, names) for mark, names in about)
        trained = dict(zip(Category, map(sum, zip(_SILENT, *filter(None, votes), strict=True)), strict=True))
        return max(ruled, key=lambda kind: round(RULED * ruled[kind] + trained[kind], DIGITS))


def said_for_good(scene: Scene, said: Statement) -> float:
    """What it adds that a person says so for all time."""
    if not scene.human or not directives.rule(said.sentence.text):
        return 0.0
    alone = BY_ITSELF if "terse turn" in scene.circumstances else 0.0
    return SAID_FOR_GOOD + alone + (BRIEFLY if "very short" in said.cues else 0.0)


def prior(scene: Scene, said: Statement, place: int) -> float:
    """What the table of rules says of a sentence, beside what it says of a middling one."""
    found = said.cues | baseline.circumstances(scene, said.sentence, place)
    return PRIOR[scene.human] * (baseline.worth(scene.human, found) - PRIOR_MEAN)


_TELLING = baseline.TELLING & PHRASES.keys()


def tells(scene: Scene, sentence: Sentence) -> bool:
    """Whether a sentence can be a lesson at all: a person's can; an agent's is long, or names something, or raises a cue."""
    text = sentence.text
    if scene.human or len(text) < BRIEF:
        return scene.human
    return len(text) >= LONG or "`" in text or not _TELLING.isdisjoint(features.statement(sentence).cues)


_NONE = repeat(0.0)
_SILENT = (0.0,) * len(Category)


def _sum(weights: Weights, names: Iterable[str]) -> float:
    return sum(map(weights.get, names, _NONE))


def parse(text: str) -> Model:
    """A model from its JSON text. Raises ``ValueError`` for anything that is none of this version."""
    try:
        given = json.loads(text)
        if given["version"] != VERSION:
            raise ValueError(f"version {given['version']}")
        people, agents = (Speaker(**given[name]) for name in ("people", "agents"))
        kinds = {name: {Category(kind): weight for kind, weight in votes.items()} for name, votes in given["kinds"].items()}
        return Model(people, agents, kinds, given["floor"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no classifier: {error!r}") from error


@cache
def shipped() -> Model | None:
    """The model that comes with curator; ``None``, and a line in the log, when its file is absent or damaged."""
    try:
        return parse(resources.files("curator.detection").joinpath(DATA).read_text("utf-8"))
    except (OSError, ValueError) as error:
        log.warning("the classifier can't be used, rules judge instead: %s", error)
        return None
