"""The judge without a model: what a sentence's cues are worth, a linear table in one place.

It is the baseline that the classifier is measured against, and what is left when its file can't be read. The weights are
log-odds. They were set by hand after a fit of all cues on the development labels, rounded, so that each can be read as a
sentence: "a person's *always* makes a lesson e times likelier". The sum goes through the logistic function; its parts are what
a card shows as the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

from curator.detection.categories import category_of
from curator.detection.context import Scene, under
from curator.detection.cues import cues, says
from curator.detection.features import Statement
from curator.detection.scoring import Judged
from curator.detection.sentences import Sentence
from curator.model import Category

FLOOR = 0.15
"""What is less likely than this is no candidate at all."""

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

    floor = FLOOR

    def judge(self, scene: Scene, sentences: Sequence[Sentence]) -> list[Judged | None]:
        """Every sentence by its cues and the circumstances it was said in."""
        return [self._one(scene, sentence, place) for place, sentence in enumerate(sentences)]

    def _one(self, scene: Scene, sentence: Sentence, place: int) -> Judged | None:
        if not scene.human and not says(sentence, TELLING):
            return None
        found = cues(sentence) | circumstances(scene, sentence, place)
        return Judged(Statement(sentence, (), frozenset(found)), sum(_parts(scene, found).values()))

    def why(self, scene: Scene, sentences: Sequence[Sentence], place: int) -> Mapping[str, float]:
        """The weight of each cue."""
        said = self._one(scene, sentences[place], place)
        return _parts(scene, said.statement.cues) if said else {}

    def category(self, scene: Scene, sentences: Sequence[Sentence], place: int, quoted: range) -> Category:
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
