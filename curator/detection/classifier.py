"""Judge sentences: the trained classifier over features, evaluated in plain Python; without it a table of cues.

Its weights are data (``classifier.json``), made by ``tests/benchmarks/train.py``, which says from what. Without that file
the table of ``rules`` judges.

What judges sentences: the shipped classifier, or the table of rules where there is none.

The judge without a model: what a sentence's cues are worth, a linear table in one place.

It is the baseline that the classifier is measured against, and what is left when its file can't be read. The weights are
log-odds. They were set by hand after a fit of all cues on the development labels, rounded, so that each can be read as a
sentence: "a person's *always* makes a lesson e times likelier". The sum goes through the logistic function; its parts are what
a card shows as the reason.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import chain, pairwise, repeat
from typing import NamedTuple, Protocol

from curator.detection import categories, directives, features
from curator.detection.categories import category_of
from curator.detection.context import Scene, under
from curator.detection.cues import PHRASES, cues, raises
from curator.detection.features import Statement
from curator.detection.sentences import Sentence
from curator.model import Category


class Judgement(NamedTuple):
    """A statement and its worth: the log-odds that a person keeps a card made of it."""

    statement: Statement
    worth: float


class Judge(Protocol):
    """Tells how likely a sentence states a lesson, and which kind."""

    @property
    def floor(self) -> float:
        """The likelihood below which nothing is proposed."""

    def judge(self, scene: Scene, sentences: Sequence[Sentence]) -> Sequence[Judgement | None]:
        """Every sentence of a turn in order; ``None`` for one that is no lesson whatever stands beside it."""

    def why(self, scene: Scene, sentences: Sequence[Sentence], place: int) -> Mapping[str, float]:
        """The named parts that the worth of a judged sentence of a turn is the sum of."""

    def category(self, scene: Scene, sentences: Sequence[Sentence], place: int, quote: range) -> Category:
        """The kind of lesson that a sentence states, with the sentences that are quoted with it."""


def logistic(odds: float) -> float:
    """Log-odds as a likelihood, three digits."""
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))), 3)


RULES_FLOOR = 0.15
"""What the rules call less likely than this is no candidate at all; a model brings its own floor."""

BASE: Mapping[bool, float] = {True: -2.5, False: -3.7}
"""Log-odds of any sentence, by whether a person said it."""

PEOPLE: Mapping[str, float] = {
    # how it came to be said
    "refusal": 0.7,
    "interrupted": 0.6,
    "queued": 0.3,
    "answer": 0.8,
    "conceded": 0.6,
    "brief turn": 0.5,
    "opening": -0.2,
    "long turn": -0.8,
    # rules, wishes, choices
    "always": 1.0,
    "should": 0.9,
    "dont": 0.8,
    "instead": 0.8,
    "why question": 0.8,
    "only": 0.7,
    "decide": 0.6,
    "prefer": 0.5,
    "we use": 0.5,
    "from now on": 0.3,
    "must": 0.2,
    "how to": 0.5,
    "correct": 0.2,
    "because": 0.2,
    # facts
    "issue is": 0.4,
    "root cause": 0.2,
    "cant": 0.3,
    "requires": 0.3,
    "code": 0.4,
    # form
    "full": 0.6,
    "long": 0.4,
    "item": 0.1,
    "short": -0.3,
    "very short": -1.3,
    "names": -0.5,
    "name": -0.2,
    "digits": -0.3,
    "lead-in": -0.4,
    "under section": -0.5,
    "under changes": -0.2,
    # talk
    "question": -0.8,
    "asks": -0.5,
    "unsure": -0.9,
    "symptom": -0.4,
    "momentary": -0.2,
    "hash": -0.4,
    "doing": -0.5,
    "request": -0.5,
    "imperative": -0.4,
    "hedge": -0.4,
    "breaks": -0.3,
    "failed approach": -0.4,
    "offer": -0.2,
    "loaded": -2.0,
}
"""Weights of cues in what people say."""

AGENTS: Mapping[str, float] = {
    # causes, limits, ways that failed
    "root cause": 1.1,
    "issue is": 1.1,
    "failed approach": 1.1,
    "cant": 0.9,
    "breaks": 0.7,
    "instead": 0.7,
    "requires": 0.6,
    "doesnt": 0.4,
    "only": 0.2,
    "because": 0.3,
    "so": 0.6,
    "correct": 0.3,
    "concede": 0.3,
    # rules, choices, structure, environment
    "from now on": 0.7,
    "dont": 0.6,
    "decide": 0.6,
    "design": 0.3,
    "environment": 0.3,
    "prefer": 0.2,
    "always": 0.1,
    # how it came to be said
    "after failure": 0.5,
    "last word": 0.1,
    "first sentence": 0.2,
    "refuted": -0.3,
    "closing": -0.4,
    "aside": -0.6,
    # form
    "code": 0.7,
    "dash": 0.5,
    "full": 0.3,
    "names": 0.3,
    "long": -0.3,
    "short": -0.6,
    "very short": -1.2,
    "item": -0.4,
    "bold": -0.2,
    "emoji": -0.9,
    "under section": -0.2,
    "under changes": -0.3,
    # talk
    "plan": -1.0,
    "self": -0.3,
    "symptom": -0.2,
    "momentary": -0.4,
    "hash": -0.3,
    "imperative": -1.0,
    "request": -1.0,
    "question": -0.9,
    "hedge": -0.7,
    "praise": -0.6,
    "local": -0.5,
    "offer": -0.4,
    "progress": -0.2,
    "loaded": -2.0,
}
"""Weights of cues in what agents say."""

TELLING = frozenset(cue for cue, weight in AGENTS.items() if weight >= 0.2)
"""Cues of which an agent's sentence must say at least one: form alone makes no lesson, and most of what agents say has none."""


class Rules:
    """The table above as a judge."""

    floor = RULES_FLOOR

    def judge(self, scene: Scene, sentences: Sequence[Sentence]) -> list[Judgement | None]:
        """Every sentence by its cues and the circumstances it was said in."""
        return [self._one(scene, sentence, place) for place, sentence in enumerate(sentences)]

    def _one(self, scene: Scene, sentence: Sentence, place: int) -> Judgement | None:
        if not scene.human and not raises(sentence, TELLING):
            return None
        found = cues(sentence) | circumstances(scene, sentence, place)
        return Judgement(Statement(sentence, (), frozenset(found)), sum(_parts(scene, found).values()))

    def why(self, scene: Scene, sentences: Sequence[Sentence], place: int) -> Mapping[str, float]:
        """The weight of each cue."""
        statement = self._one(scene, sentences[place], place)
        return _parts(scene, statement.statement.cues) if statement else {}

    def category(self, scene: Scene, sentences: Sequence[Sentence], place: int, quote: range) -> Category:
        """The kind that the cues of the sentence speak for most."""
        return category_of(cues(sentences[place]) | circumstances(scene, sentences[place], place), scene.human)


def worth(human: bool, found: Iterable[str]) -> float:
    """The log-odds that these cues and circumstances add up to."""
    table = PEOPLE if human else AGENTS
    return BASE[human] + sum(map(table.get, found, repeat(0.0)))


def _parts(scene: Scene, found: Iterable[str]) -> dict[str, float]:
    table = PEOPLE if scene.human else AGENTS
    return {cue: table[cue] for cue in sorted(found) if cue in table} | {"base": BASE[scene.human]}


def circumstances(scene: Scene, sentence: Sentence, place: int) -> set[str]:
    """The cues that lie in where a sentence stands rather than in its words."""
    found = set(scene.circumstances)
    if section := under(sentence.heading):
        found.add(f"under {section}")
    if place == 0:
        found.add("first sentence")
    return found


log = logging.getLogger(__name__)

DATA = "classifier.json"

VERSION = 1

STANDING_RULE = 1.3
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

    def worth(self, statement: Statement) -> float:
        """What the words and cues of a sentence add; their names are those of ``features.own``."""
        return _sum(self.own, chain(statement.bag, statement.marks)) + sum(
            map(self.pairs.get, {*pairwise(statement.tokens)}, _NONE)
        )


@dataclass(frozen=True, slots=True)
class Model:
    """Weights for people and for agents; they add up to the log-odds that a person keeps a card made of a sentence."""

    people: Speaker
    agents: Speaker
    kinds: Mapping[str, Mapping[Category, float]] = field(default_factory=dict)
    """By feature, what it says for and against each kind."""
    floor: float = RULES_FLOOR
    votes: Mapping[str, Mapping[str, tuple[float, ...]]] = field(init=False)
    """The same for all kinds in their order, by the mark and the rest of a name, as ``features.about`` gives them."""

    def __post_init__(self) -> None:
        votes = {name: tuple(weights.get(kind, 0.0) for kind in Category) for name, weights in self.kinds.items()}
        marked = {mark: {name[1:]: vote for name, vote in votes.items() if name[0] == mark} for mark in "~%"}
        object.__setattr__(self, "votes", {"": votes, **marked})

    def judge(self, scene: Scene, sentences: Sequence[Sentence]) -> list[Judgement | None]:
        """Every sentence of a turn with its worth; ``None`` for an agent's that raises no telling cue."""
        speaker = self._speaker(scene)
        always = speaker.base + _sum(speaker.own, features.of_scene(scene))
        telling = [place for place, sentence in enumerate(sentences) if can_be_lesson(scene, sentence)]
        needed = {n for place in telling for n in (place - 1, place, place + 1) if 0 <= n < len(sentences)}
        statements = {n: features.statement(sentences[n]) for n in needed}
        judged: list[Judgement | None] = [None] * len(sentences)
        for place in telling:
            one = statements[place]
            worth = (
                always
                + speaker.worth(one)
                + _sum(speaker.own, features.form(one, place, len(sentences)))
                + standing_rule(scene, one)
                + prior(scene, one, place)
                + _sum(speaker.before, features.beside(statements.get(place - 1)))
                + _sum(speaker.after, features.beside(statements.get(place + 1)))
            )
            judged[place] = Judgement(one, round(worth, DIGITS))
        return judged

    def why(self, scene: Scene, sentences: Sequence[Sentence], place: int) -> dict[str, float]:
        """The weights by part: words, heading, form, each cue and circumstance, what stands before and after."""
        speaker = self._speaker(scene)
        statements = {n: features.statement(sentences[n]) for n in range(max(0, place - 1), min(place + 2, len(sentences)))}
        parts: dict[str, float] = {"base": speaker.base}
        for part, name in features.own(scene, statements[place], place, len(sentences)):
            if weight := speaker.own.get(name):
                parts[part] = parts.get(part, 0.0) + weight
        if lasting := standing_rule(scene, statements[place]):
            parts["said for good"] = lasting
        parts["rules"] = prior(scene, statements[place], place)
        parts["what stands before"] = _sum(speaker.before, features.beside(statements.get(place - 1)))
        parts["what follows"] = _sum(speaker.after, features.beside(statements.get(place + 1)))
        return {part: round(worth, DIGITS) for part, worth in parts.items()}

    def _speaker(self, scene: Scene) -> Speaker:
        return self.people if scene.human else self.agents

    def category(self, scene: Scene, sentences: Sequence[Sentence], place: int, quote: range) -> Category:
        """The kind that the sentence, what is quoted with it and said around it, and its circumstances speak for most."""
        ruled = categories.votes(features.statement(sentences[place]).cues | scene.circumstances, scene.human)
        about = features.about(scene, sentences, place, quote)
        votes = chain.from_iterable(map(self.votes[mark].get, names) for mark, names in about)
        trained = dict(zip(Category, map(sum, zip(_SILENT, *filter(None, votes), strict=True)), strict=True))
        return max(ruled, key=lambda kind: round(RULED * ruled[kind] + trained[kind], DIGITS))


def standing_rule(scene: Scene, statement: Statement) -> float:
    """What it adds that a person says so for all time."""
    if not scene.human or not directives.rule(statement.sentence.text):
        return 0.0
    alone = BY_ITSELF if "terse turn" in scene.circumstances else 0.0
    return STANDING_RULE + alone + (BRIEFLY if "very short" in statement.cues else 0.0)


def prior(scene: Scene, statement: Statement, place: int) -> float:
    """What the table of rules says of a sentence, beside what it says of a middling one."""
    found = statement.cues | circumstances(scene, statement.sentence, place)
    return PRIOR[scene.human] * (worth(scene.human, found) - PRIOR_MEAN)


_TELLING = TELLING & PHRASES.keys()


def can_be_lesson(scene: Scene, sentence: Sentence) -> bool:
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
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"version {data['version']}")
        people, agents = (Speaker(**data[name]) for name in ("people", "agents"))
        kinds = {name: {Category(kind): weight for kind, weight in votes.items()} for name, votes in data["kinds"].items()}
        return Model(people, agents, kinds, data["floor"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no classifier: {error!r}") from error


@cache
def load_model() -> Model | None:
    """The model that comes with curator; ``None``, and a line in the log, when its file is absent or damaged."""
    try:
        return parse(resources.files("curator.detection").joinpath(DATA).read_text("utf-8"))
    except (OSError, ValueError) as error:
        log.warning("the classifier can't be used, rules judge instead: %s", error)
        return None
