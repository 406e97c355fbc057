"""From judged sentences to candidates: the best of a session first, each with its passage, its repetitions and its words."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from curator.detection import evidence, wording
from curator.detection.classifier import Judgement, Model, logistic
from curator.detection.context import SpeakingTurn, is_edit, speaking_turns
from curator.detection.cues import is_rule, signal_of
from curator.detection.sentences import Sentence, prose, speech
from curator.model import Candidate, Durability, Role, Turn, Wording
from curator.text.words import word_set

MAX_PASSAGE_CHARACTERS = 300
"""Maximum number of characters of a quoted passage."""

GAP = 12
"""Maximum characters between sentences of one passage: a new line or a list's mark, but no heading and no block of code."""

WEAK = 3.0
"""Log-odds by which a sentence may be weaker than its neighbour in a quote."""

ECHO = 1.8
"""Log-odds below the threshold from which a sentence is not compared with a better one."""

SAYINGS = 6
"""Further places of a statement that are kept as evidence, the most similar first."""

DUPLICATE = 0.45
"""Share of a statement's weight, either way, from which it gets no card next to a better one …"""

DUPLICATE_BACK = 0.25
"""… if the share the other way is this."""

SAME_TURN_PENALTY = 0.7
"""Log-odds that a second card from one turn costs: it mostly restates the first."""

PER_TURN = 3

TOUCHED = 3
"""Number of later changed files that still show a statement's subject."""

MIN_ODDS = 0.05
"""Log-odds below which a part of the reason gets no name of its own."""

MIN_STATEMENT_LETTERS = 8
"""Letters of a headline that says something."""

_NO_STATEMENT = frozenset(("plan", "progress", "offer", "question", "request", "hedge", "doing"))
"""Cues of text that only reports the agent's actions and restates nothing."""

_REASON = re.compile(r"(?i)\W*(?:it|they|that|this|these|those|otherwise|because|we|our|the reason|there)\b(?!.*\?\s*$)")
"""The beginning of a sentence that gives the reason of the rule before it."""

_PATH = re.compile(
    r"(?<![\w./@:-])(?:[\w.@-]+/)*[\w.@-]+\.(?:py|jsx?|tsx?|mjs|cjs|go|rs|java|cs|cpp|hpp|rb|php|vue|svelte|"
    r"mdx?|jsonc?|toml|ya?ml|sh|ps1|css|html|sql|exs?|lock|mod|ini|cfg|csproj)(?![\w/])"
)
_FOLDER = re.compile(r"(?<![\w./@:-])(?:\.*[\w-][\w.-]*/){1,8}(?![\w*])")
_SYMBOL = re.compile(
    r"`([A-Za-z_][\w.:]{2,60})(?:\(\))?`|\b([a-z]+[A-Z]\w{2,}|[A-Z][a-z0-9]+[A-Z]\w+|[a-z0-9]+_[a-z0-9_]{2,}|"
    r"[A-Z]{2,}_[A-Z_]{2,})\b"
)
_TEMPORARY = re.compile(
    r"(?i)\b(?:for now|temporar(?:y|ily)|until (?:then|we|the|it)|currently|at the moment|today|this (?:week|"
    r"sprint)|pre-?existing|not yet)\b"
)


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn of a person or agent, cut into scored sentences."""

    scene: SpeakingTurn
    sentences: Sequence[Sentence]
    judgements: Sequence[Judgement | None]


class JudgedSentence(NamedTuple):
    """One judged sentence of a speech."""

    speech: JudgedTurn
    place: int
    judgement: Judgement

    @property
    def sentence(self) -> Sentence:
        """Return its sentence."""
        return self.speech.sentences[self.place]


@dataclass(frozen=True, slots=True)
class ScoredStatement:
    """A statement that may become a card: its worth, the sentences quoted with it, and where it is said again."""

    saying: JudgedSentence
    worth: float
    quote: range
    again: tuple[JudgedSentence, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate and the turn of its best evidence."""

    index: int
    candidate: Candidate


def judged_turns(turns: Sequence[Turn], judge: Model) -> Iterator[JudgedTurn]:
    """Yield every turn of a person or the agent."""
    for scene in speaking_turns(turns):
        if sentences := sentences_of(scene):
            yield JudgedTurn(scene, sentences, judge.judge(scene, sentences))


def sentences_of(scene: SpeakingTurn) -> list[Sentence]:
    """Return the sentences of a scene."""
    return list((speech if scene.human else prose)(scene.turn.text))


def scored_statements(turns: Sequence[Turn], judge: Model) -> Iterator[ScoredStatement]:
    """Yield the statements above the judge's floor, best first. Repetitions are joined to the best of them."""
    sayings = [saying for one in judged_turns(turns, judge) for saying in _worthy(one, judge)]
    index = Index([content(saying.sentence.text) for saying in sayings])
    order = sorted(range(len(sayings)), key=lambda number: -sayings[number].judgement.worth)
    where = {(saying.speech.scene.index, saying.place): number for number, saying in enumerate(sayings)}
    places: set[int] = set()
    per_turn: Counter[int] = Counter()
    for number in order:
        saying = sayings[number]
        turn = saying.speech.scene.index
        worth = saying.judgement.worth - SAME_TURN_PENALTY * per_turn[turn]
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
        yield ScoredStatement(saying, worth, quoted, tuple(elsewhere[:SAYINGS]))


def _worthy(one: JudgedTurn, judge: Model) -> Iterator[JudgedSentence]:
    for place, judged in enumerate(one.judgements):
        if judged is not None and logistic(judged.worth + ECHO) >= judge.floor:
            yield JudgedSentence(one, place, judged)


def passage(sentences: Sequence[Sentence], worths: Sequence[float], place: int) -> range:
    """Return the sentences quoted with the one at ``place``. Neighbours join, the worthier first, while there is space."""
    first = last = place
    while True:
        sides = []
        for new, start, end in ((first - 1, first - 1, last), (last + 1, first, last + 1)):
            if 0 <= new < len(sentences) and worths[new] >= worths[place] - WEAK:
                gap = max(sentences[first].start - sentences[new].end, sentences[new].start - sentences[last].end)
                if gap <= GAP and sentences[end].end - sentences[start].start <= MAX_PASSAGE_CHARACTERS:
                    sides.append((worths[new], new, start, end))
        if not sides:
            return range(first, last + 1)
        _, _, first, last = max(sides)


def propose(turns: Sequence[Turn], judge: Model) -> Iterator[Proposal]:
    """Yield the statements of lessons by people and agents."""
    for lead in scored_statements(turns, judge):
        if candidate := _candidate(turns, lead, judge):
            yield Proposal(lead.saying.speech.scene.index, candidate)


def _candidate(turns: Sequence[Turn], lead: ScoredStatement, judge: Model) -> Candidate | None:
    saying, scene = lead.saying, lead.saying.speech.scene
    sentence, sentences, place = saying.sentence, saying.speech.sentences, saying.place
    quoted = sentences[lead.quote[0]], sentences[lead.quote[-1]]
    proof = evidence.gather(turns, scene.index, quoted[0].start, quoted[1].end)
    before = sentences[place - 1].text if place and sentences[place - 1].end + 3 >= sentence.start else ""
    after = sentences[place + 1].text if place + 1 < len(sentences) and sentence.end + 3 >= sentences[place + 1].start else ""
    offers = _offers(lead, before, after)
    if proof is None or not offers or not _is_shown(offers[0], scene.human):
        return None
    parts = judge.why(scene, sentences, place)
    if lead.worth < saying.judgement.worth:
        parts["not the first of its turn"] = lead.worth - saying.judgement.worth
    again = (
        evidence.gather(turns, one.speech.scene.index, one.sentence.start, one.sentence.end, around=1) for one in lead.again
    )
    around = " ".join(part for part in (before, sentence.text, after) if part)
    return Candidate(
        category=judge.category(scene, sentences, place, lead.quote),
        headline=offers[0].headline,
        insight=offers[0].insight,
        evidence=(proof, *(one for one in again if one is not None)),
        score=logistic(lead.worth),
        score_parts=_visible_parts(parts),
        signal=signal_of(saying.judgement.statement.cues | scene.circumstances, scene.human),
        fingerprint=fingerprint(offers[0].insight),
        context=f"{sentence.heading}: {around}" if sentence.heading else around,
        files=files(around, turns, scene.index),
        symbols=symbols(sentence.text),
        durability=Durability.TEMPORARY if _TEMPORARY.search(sentence.text) else Durability.DURABLE,
        wordings=offers,
    )


def _offers(lead: ScoredStatement, before: str, after: str) -> tuple[Wording, ...]:
    """Return the texts to choose from: the sentence, the sentence with its neighbour, and a later statement of an agent.

    A person's rule comes with its reason if that follows.
    """
    sentence, human = lead.saying.sentence, lead.saying.speech.scene.human
    found = list(wording.wordings(sentence.text, sentence.heading, before, after))
    if human and _REASON.match(after) and is_rule(sentence.text):
        found.sort(key=lambda one: one.label != "with what follows")
    said = (wording.wordings(one.sentence.text)[0] for one in lead.again if human and _restates(one, lead.saying))
    found += [one._replace(label="the agent's words") for one in said if _is_shown(one, human=False)]
    return wording.distinct(found)[:3]


def _restates(one: JudgedSentence, first: JudgedSentence) -> bool:
    """Return whether an agent restates the first statement later, and not as a plan or report of work."""
    later = one.speech.scene.index > first.speech.scene.index
    return later and not one.speech.scene.human and not one.judgement.statement.cues & _NO_STATEMENT


def _is_shown(words: Wording, human: bool) -> bool:
    """Return whether words are clear alone: no unnamed subject, no lost name, and no report of the agent's work."""
    is_whole = len(words.headline) >= MIN_STATEMENT_LETTERS and "``" not in words.insight
    return is_whole and not wording.needs_context(words.headline) and (human or not wording.is_narration(words.headline))


def _visible_parts(parts: Mapping[str, float]) -> dict[str, float]:
    """Return the visible parts of a score: the base, the large parts, and the sum of the small ones."""
    shown = {part: round(worth, 3) for part, worth in parts.items() if abs(worth) >= MIN_ODDS or part == "base"}
    rest = round(sum(parts.values()) - sum(shown.values()), 3)
    return {**shown, "small parts": rest} if rest else shown


def files(text: str, turns: Sequence[Turn], index: int) -> tuple[str, ...]:
    """Return the files of a turn: those that it names, or else the few that changed next."""
    return named_files(text, turns, index) or _files_after(turns, index)


def named_files(text: str, turns: Sequence[Turn], index: int) -> tuple[str, ...]:
    """Return the files that the words name. A bare name becomes the path that a nearby call used for it."""
    places = [match[0] for match in (*_PATH.finditer(text), *_FOLDER.finditer(text))][:8]
    known = [path for turn in turns[max(0, index - 40) : index + 20] for path in turn.paths] if places else []
    found: dict[str, None] = {}
    for name in places:
        full = next((path for path in known if path.replace("\\", "/").endswith("/" + name)), name) if "/" not in name else name
        found[full.removeprefix(_root(turns[index]))] = None
    return tuple(filter(None, found))[:6]


def _files_after(turns: Sequence[Turn], index: int) -> tuple[str, ...]:
    """Return the few files that the agent changed after these words and before a person spoke again."""
    found: dict[str, None] = {}
    for turn in turns[index + 1 : index + 40]:
        if turn.role is Role.HUMAN:
            break
        if is_edit(turn) and not turn.sidechain:
            found.update((path.removeprefix(_root(turns[index])), None) for path in turn.paths)
    return tuple(found) if len(found) <= TOUCHED else ()


def _root(turn: Turn) -> str:
    return turn.cwd.rstrip("/\\") + "/" if turn.cwd else ""


def symbols(text: str) -> tuple[str, ...]:
    """Return the names of code in a text."""
    found = (match[1] or match[2] for match in _SYMBOL.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name and not _PATH.fullmatch(name)))[:8]


# --- the likeness of statements ---------------------------------------------------------------------------------------

MAX_STATEMENTS_PER_WORD = 300
"""A word that more statements of a session contain does not distinguish them."""

MIN_SHARED_WEIGHT = 0.3
"""Share of a statement's weight in words that another one must have, to state the same again …"""

ALIKE_BACK = 0.2
"""… and the share of its own that must be among them."""

SHARED = 3
"""Words that two statements share at least to be one."""


class Likeness(NamedTuple):
    """The weighted share of each statement's words that the other contains: 0 to 1."""

    other: int
    there: float
    back: float
    overlap: int

    @property
    def restates(self) -> bool:
        """Return whether both say the same, as far as their words show it."""
        return (
            self.overlap >= SHARED
            and max(self.there, self.back) >= MIN_SHARED_WEIGHT
            and min(self.there, self.back) >= ALIKE_BACK
        )


class Index:
    """The statements of a session by their words. A rare word weighs more than one that half of the statements have."""

    def __init__(self, contents: Sequence[frozenset[str]]) -> None:
        self.contents = contents
        self._where: Mapping[str, list[int]] = _invert(contents)
        self._weight = {word: math.log(1 + len(contents) / len(where)) for word, where in self._where.items()}
        self._whole = [math.fsum(self._weight[word] for word in content) for content in contents]

    def alike(self, number: int) -> Iterator[Likeness]:
        """Yield the statements that share enough significant words with this one, both ways, in order of their numbers."""
        common: dict[int, float] = defaultdict(float)
        shared: dict[int, int] = defaultdict(int)
        for word in sorted(self.contents[number]):
            if len(where := self._where[word]) <= MAX_STATEMENTS_PER_WORD:
                weight = self._weight[word]
                for other in where:
                    common[other] += weight
                    shared[other] += 1
        mine = self._whole[number]
        for other in sorted(other for other, weight in common.items() if weight / mine >= ALIKE_BACK):
            there, back = common[other] / mine, common[other] / self._whole[other]
            if other != number and back >= ALIKE_BACK:
                yield Likeness(other, there, back, shared[other])


def _invert(contents: Iterable[frozenset[str]]) -> dict[str, list[int]]:
    where: dict[str, list[int]] = defaultdict(list)
    for number, content in enumerate(contents):
        for word in content:
            where[word].append(number)
    return where


_WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")

_NOISE = word_set(
    "a an the is are was were be been being am to of in on at for from by with as and or that which this "
    "these those it its we you i our your my us me they them their "
    "please so then now also just very really actually there here has have had will would should can could "
    "may might do does did"
)

_ENDINGS = re.compile(r"(?<=\w{4})(?:ing|ed|es|s)$")


def content(text: str) -> frozenset[str]:
    """Return the words that carry the statement: lower case, plain endings, without grammar. Negations and numbers stay."""
    words = frozenset(_words(text))
    return words - _NOISE or words


def _words(text: str) -> list[str]:
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found = _WORD.findall(plain.replace("n't", " not"))
    return [_stem(word) if word[-1] in "gds" else word for word in found]


@lru_cache(maxsize=4_096)
def _stem(word: str) -> str:
    return _ENDINGS.sub("", word)


def fingerprint(text: str) -> str:
    """Return 20 hexadecimal digits that do not depend on a statement's case, punctuation and grammar words.

    >>> fingerprint("Use `pnpm`, never npm!") == fingerprint("please use the pnpm -- never npm")
    True
    >>> fingerprint("Use `pnpm`, never npm!") == fingerprint("Use `npm`, never pnpm!")
    False
    """
    words = _words(text)
    kept = [word for word in words if word not in _NOISE] or words
    return hashlib.sha256(" ".join(kept).encode("utf-8", "replace")).hexdigest()[:20]


def cluster(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates, best first. One with the fingerprint of a better candidate becomes additional evidence of it."""
    best: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=_order):
        if kept := best.get(candidate.fingerprint):
            known = {(one.file, one.line, one.quote) for one in kept.evidence}
            more = tuple(one for one in candidate.evidence if (one.file, one.line, one.quote) not in known)
            candidate = replace(kept, evidence=kept.evidence + more)
        best[candidate.fingerprint] = candidate
    return [*best.values()]


def _order(candidate: Candidate) -> tuple[float, int, int, str]:
    first = candidate.evidence[0]
    return (-candidate.score, first.line, first.line_end, candidate.headline)
