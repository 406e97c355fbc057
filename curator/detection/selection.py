"""Select the statements of a session that are worth a card: the best first, repetitions joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from curator.detection.classifier import Judge, Judgement, logistic
from curator.detection.context import Scene, scenes
from curator.detection.passages import WEAK, Index, content, passage
from curator.detection.sentences import Sentence, prose, speech
from curator.model import Turn

ECHO = 1.8
"""Log-odds below the floor from which on a sentence is not even looked at as another saying of a better one."""

SAYINGS = 6
"""Further places of a statement that are kept as evidence, the likest first."""

DUPLICATE = 0.45
"""Share of a statement's weight in words, either way, from which on it gets no card beside the better one …"""

DUPLICATE_BACK = 0.25
"""… if the share the other way is this."""

AGAIN = 0.7
"""Log-odds that a second card from one turn costs: it mostly restates the first."""

PER_TURN = 3


@dataclass(frozen=True, slots=True)
class Speech:
    """A turn in which somebody speaks, cut into sentences and judged."""

    scene: Scene
    sentences: Sequence[Sentence]
    judgements: Sequence[Judgement | None]


class Saying(NamedTuple):
    """One sentence of a speech."""

    speech: Speech
    place: int

    @property
    def judgement(self) -> Judgement:
        """What the judge said of it; only judged sentences become sayings."""
        found = self.speech.judgements[self.place]
        assert found is not None
        return found

    @property
    def sentence(self) -> Sentence:
        """Its words."""
        return self.speech.sentences[self.place]


@dataclass(frozen=True, slots=True)
class Lead:
    """A statement that may become a card: its worth, the sentences quoted with it, and where it is said again."""

    saying: Saying
    worth: float
    quote: range
    again: tuple[Saying, ...]


def speeches(turns: Sequence[Turn], judge: Judge) -> Iterator[Speech]:
    """Every turn in which a person or the agent speaks."""
    for scene in scenes(turns):
        sentences = list((speech if scene.human else prose)(scene.turn.text))
        if sentences:
            yield Speech(scene, sentences, judge.judge(scene, sentences))


def leads(turns: Sequence[Turn], judge: Judge) -> Iterator[Lead]:
    """The statements above the judge's floor, best first; repetitions are joined to the best of them."""
    sayings = [saying for one in speeches(turns, judge) for saying in _worthy(one, judge)]
    index = Index([content(saying.sentence.text) for saying in sayings])
    order = sorted(range(len(sayings)), key=lambda number: -sayings[number].judgement.worth)
    where = {(saying.speech.scene.index, saying.place): number for number, saying in enumerate(sayings)}
    places: set[int] = set()
    per_turn: Counter[int] = Counter()
    for number in order:
        saying = sayings[number]
        turn = saying.speech.scene.index
        worth = saying.judgement.worth - AGAIN * per_turn[turn]
        if logistic(saying.judgement.worth) < judge.floor:
            return
        if number in places or per_turn[turn] >= PER_TURN or logistic(worth) < judge.floor:
            continue
        per_turn[turn] += 1
        least = saying.judgement.worth - WEAK
        worths = [one.worth if one else least for one in saying.speech.judgements]
        quoted = passage(saying.speech.sentences, worths, saying.place)
        alike = list(index.alike(number))
        again = sorted((one for one in alike if one.restates), key=lambda one: (-(one.there + one.back), one.other))
        others = [sayings[one.other] for one in again]
        elsewhere = [other for other in others if other.speech is not saying.speech]
        places.update(
            one.other for one in alike if max(one.there, one.back) >= DUPLICATE and min(one.there, one.back) >= DUPLICATE_BACK
        )
        places.update(where[turn, place] for place in quoted if (turn, place) in where)
        yield Lead(saying, worth, quoted, tuple(elsewhere[:SAYINGS]))


def _worthy(speech_: Speech, judge: Judge) -> Iterator[Saying]:
    for place, judged in enumerate(speech_.judgements):
        if judged is not None and logistic(judged.worth + ECHO) >= judge.floor:
            yield Saying(speech_, place)
