"""Train the shipped classifier on labelled sessions; ``detection.py`` measures it on repositories it has not seen.

    python tests/benchmarks/train.py ../shared --write    # write curator/detection/classifier.json
    python tests/benchmarks/train.py ../shared --check    # fail unless training gives the shipped weights

The labels are those of ``eval/detection`` there, the sessions those of ``transcripts``. A sentence that stands where a label's
evidence stands, in its words, is a lesson; so is, for less, one that the scorer would take for it. A maintainer's decision on a
card (``eval/cards_dev.jsonl``) outweighs both. The features are those of ``curator.detection.classifier``; only those of three
repositories or more are kept, so that nobody's text is shipped.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz import fuzz
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn import __version__ as sklearn_version  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from training import require

from curator import plugins
from curator.detection import classifier, detect, evidence
from curator.detection.classifier import Model, Speaker, Statement
from curator.detection.context import SpeakingTurn, speaking_turns
from curator.detection.statements import passage, sentences_of
from curator.model import Candidate, Category, Turn
from curator.settings import Settings
from curator.store.entries import MIN_SHOWN, SHOWN_OF_FIVE
from curator.transcripts.base import discover, follow

REPOSITORIES = 3
"""A feature must occur in so many."""
STRENGTH = 0.02
"""Inverse regularisation of the sentence model: the best of 0.01, 0.02, 0.03 and 0.1 over three shuffles."""
KIND_STRENGTH = 0.03
SCALE, SHIFT = 0.68, 1.0
"""What makes a card's log-odds of being kept of a sentence's of being a lesson: a logistic fit of cards of unseen repositories.
``--write`` prints what is missing to such a fit; 1 and 0 say that the constants still hold."""
DIGITS = 2
SMALLEST = 0.03
"""Smaller weights are left out: a sixth of them remains, and measures the same."""
KIND_SMALLEST = 0.03
LIKE = 0.2
"""Weight of a sentence that the scorer would take for a label's, but that is not its quote."""
DENIED = 2.0
"""Weight of a sentence that a reader marked as looking like a lesson without being one."""
JUDGED = 2.0
"""Weight of a sentence whose card a maintainer kept, edited or dropped."""
SAME_WORDS = 85
"""``token_set_ratio`` of a card's text and a sentence from which on the card was made of the sentence."""
CALIBRATED = 5
"""Cards of a session that calibration looks at."""
ACTIONS = ("choice", "failed-then-worked")
"""Signals that no sentence is judged for."""
PRECISION = 0.554
"""What the floor asks for."""
LIKELY = 0.65
"""The share of kept cards at the limits of the first list: see ``curator.inbox.LIKELY_SCORES``, which ``--write`` prints."""
BELIEVED = {
    "people": (
        -0.4,
        0.4,
        "1 always; 0.9 should; 0.8 @answer, dont, instead, why question; 0.7 @refusal, only; 0.6 @interrupted, @conceded, "
        "decide, full; 0.5 @brief turn, prefer, we use, how to; 0.4 issue is, code, long; 0.3 @queued, from now on, cant, "
        "requires; 0.2 must, correct, because, root cause; 0.1 item; -0.2 @opening, name, @under changes, momentary, offer; "
        "-0.3 short, digits, breaks; -0.4 lead-in, symptom, hash, imperative, hedge, failed approach; -0.5 names, "
        "@under section, asks, doing, request; -0.8 @long turn, question; -0.9 unsure; -1.3 very short; -2 loaded",
    ),
    "agents": (
        -0.33,
        0.15,
        "1.1 root cause, issue is, failed approach; 0.9 cant; 0.7 breaks, instead, from now on, code; 0.6 requires, so, dont, "
        "decide; 0.5 @after failure, dash; 0.4 doesnt; -0.4 @closing, item, momentary, offer; -0.5 local; -0.6 @aside, short, "
        "praise; -0.7 hedge; -0.9 emoji, question; -1 plan, imperative, request; -1.2 very short; -2 loaded",
    ),
}
"""What is believed of cues and circumstances before anything is learned: base, how much it counts, log-odds of each.

It is added to the trained weights, because few labels can't teach what rare cues mean. The log-odds were set by hand after a
fit on all labels, so that figures on unseen repositories are a little too good by them.
"""
BELIEVED_KINDS = {
    "people": {
        "convention": "2.8; 0.8 always, from now on, request; 0.6 how to, imperative, question; 0.4 prefer, dont",
        "decision": "3.2; 1 decide; 0.8 @answer; 0.6 we use, prefer, should; 0.4 instead; -0.8 always, correct",
        "constraint": "1.8; 1.2 cant; 1 requires, doesnt; 0.6 only; -0.6 local",
        "architecture": "0.4; 1.6 design; 0.4 @interrupted, name",
        "failed-approach": "-0.6; 2.6 failed approach; 0.8 correct; -0.6 how to",
        "bug-pattern": "-0.8; 2.4 root cause; 2 issue is; 1.6 breaks; 0.4 names",
        "tooling": "-0.8; 1.2 environment; 0.6 how to",
    },
    "agents": {
        "bug-pattern": "0.4; 1.2 root cause, issue is, breaks; 0.6 doesnt; -0.8 design, only",
        "constraint": "0; 1 requires, cant; 0.6 doesnt, only, @after objection; -0.4 root cause",
        "architecture": "0.2; 1.2 design; 0.6 names; 0.4 code; -0.4 @after failure; -0.6 because, cant; -0.8 issue is",
        "decision": "1; 1.4 decide; 0.8 should; 0.6 prefer; 0.4 dash; -0.6 breaks, code; -0.8 issue is, environment",
        "tooling": "-0.8; 1.6 environment; 1.4 @after failure; 0.8 how to; 0.4 from now on",
        "convention": "-0.2; 1 always; 0.8 how to, we use; 0.6 must, dont; -0.6 breaks, issue is",
        "failed-approach": "-1.6; 2 failed approach; 0.6 @after objection; 0.4 correct",
    },
}
"""The same of categories, by speaker: the log-odds of each by itself, then those of cues and circumstances."""
SHUFFLES = 3
FOLDS = 8
CAP = Settings(home=Path()).per_session
SHIPPED = Path(classifier.__file__).with_name(classifier.DATA)

Label = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Session:
    """The turns of one session, in which file, of which repository."""

    file: str
    repository: str
    turns: Sequence[Turn]


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence: the scene and the sentences of its turn, its place there, whether it states a lesson, how much that counts,
    which kinds it is, and whether a maintainer has judged its card."""

    session: int
    scene: SpeakingTurn
    said: Sequence[Statement]
    place: int
    lesson: bool
    weight: float
    kinds: tuple[str, ...]
    judged: bool


# --- data -------------------------------------------------------------------------------------------------------------


def sessions(shared: Path, covered: Iterable[str]) -> list[Session]:
    """Every labelled session that a format reads, in the order of their files' names."""
    found = []
    for name in sorted(covered):
        path = shared / "transcripts" / name
        format_ = discover.format_of(path, plugins.formats()) if path.is_file() else None
        if format_ is None:
            continue
        said: dict[str, list[Turn]] = defaultdict(list)
        for turn in follow.follow(format_, path, None).turns:
            said[turn.session].append(turn)
        found += [Session(name, name.split("/")[1], turns) for turns in said.values()]
    return found


def examples(
    number: int, session: Session, gold: Sequence[Label], denied: Sequence[Label], cards: Sequence[Label], scorer: Any
) -> Iterator[Example]:
    """Every sentence of a session with what the labels and the decisions on its cards say of it."""
    for scene in speaking_turns(session.turns):
        said = [classifier.statement(sentence) for sentence in sentences_of(scene)]
        for place, sentence in enumerate(one.sentence for one in said):
            lines = evidence._place(scene.turn, sentence.start, sentence.end)
            quoted, like = matches(sentence.text, lines, gold, scorer)
            worth = max((int(gold[n]["worth"]) for n in quoted), default=0)
            alike = max((int(gold[n]["worth"]) for n in like), default=0)
            no = not worth and any(_is_quote(sentence.text, lines, label) for label in denied)
            weight = 1.0 if worth >= 2 else 0.0 if worth else LIKE if alike >= 2 else 0.0 if alike else DENIED if no else 1.0
            kinds = tuple(gold[n]["category"] for n in quoted)
            kept = decision(sentence.text, lines, scene.human, cards)
            if kept is None:
                yield Example(number, scene, said, place, max(worth, alike) >= 2, weight, kinds, judged=False)
            else:
                yield Example(number, scene, said, place, kept, JUDGED, kinds, judged=True)


def decision(text: str, lines: tuple[int, int], human: bool, cards: Sequence[Label]) -> bool | None:
    """Whether a maintainer kept the card that was made of a sentence; ``None`` where there is none."""
    for card in cards:
        here = human == (card["role"] == "user") and _near(lines, [(card["line"], card["line_end"])], 1)
        if here and fuzz.token_set_ratio((card["insight"] or card["headline"]).lower(), text.lower()) >= SAME_WORDS:
            return bool(card["verdict"] != "drop")
    return None


def matches(text: str, lines: tuple[int, int], gold: Sequence[Label], scorer: Any) -> tuple[list[int], list[int]]:
    """The labels of which this sentence is the quote, and those that the scorer would take it for."""
    quoted, like = [], []
    for number, label in enumerate(gold):
        if _is_quote(text, lines, label, scorer):
            quoted.append(number)
        elif _near(lines, scorer.places(_by_lines(label)), scorer.NEAR) or len(text) >= 25:
            close = _near(lines, scorer.places(_by_lines(label)), scorer.NEAR)
            alike = fuzz.token_set_ratio(scorer.words_of(label).lower(), text.lower())
            if alike >= 80 or (close and alike >= scorer.SAME_PLACE):
                like.append(number)
    return quoted, like


def _by_lines(label: Label) -> Label:
    """A label whose places are counted from one, like those of turns."""
    if label.get("message") is None:
        return label
    also = [number + 1 for number in label.get("also_messages") or []]
    return {**label, "message": None, "line": label["message"] + 1, "line_end": label["message"] + 1, "also": also}


def _near(lines: tuple[int, int], places: Sequence[tuple[int, int]], slack: int) -> bool:
    return any(first - slack <= lines[1] and lines[0] <= last + slack for first, last in places)


def _is_quote(text: str, lines: tuple[int, int], label: Label, scorer: Any = None) -> bool:
    places = scorer.places(_by_lines(label)) if scorer else [(label["line"], label["line"])]
    if len(text) <= 15 or not _near(lines, places, 2 if scorer else 1):
        return False
    quote, said = label["quote"].lower(), text.lower()
    return quote in said or (len(said) > 20 and (said in quote or fuzz.partial_ratio(quote, said) >= 90))


# --- training ---------------------------------------------------------------------------------------------------------


def named(example: Example) -> Iterator[tuple[str, str]]:
    """(table, feature) of an example."""
    said, place = example.said, example.place
    yield from (("own", name) for _, name in classifier.sentence_features(example.scene, said[place], place, len(said)))
    yield from (("before", name) for name in classifier.neighbour_features(said[place - 1] if place else None))
    yield from (("after", name) for name in classifier.neighbour_features(said[place + 1] if place + 1 < len(said) else None))


@cache
def _shared(speaker: str, table: str, name: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    return ("", table, name), (speaker, table, name)


Name = tuple[str, str, str]


class Matrix:
    """Examples by features: each stands once for both speakers and once for its own, so that both learn from one another."""

    def __init__(self, rows: Sequence[Sequence[Any]], repositories: Sequence[str]) -> None:
        where: dict[Any, set[str]] = defaultdict(set)
        for row, repository in zip(rows, repositories, strict=True):
            for name in row:
                where[name].add(repository)
        self.names = sorted(name for name, found in where.items() if len(found) >= REPOSITORIES)
        column = {name: n for n, name in enumerate(self.names)}
        columns = [[column[name] for name in row if name in column] for row in rows]
        ends = np.cumsum([0, *map(len, columns)])
        flat = np.array([n for row in columns for n in row], dtype=np.int32)
        self.values = csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(self.names)))


def row_of(example: Example) -> list[Name]:
    """The names of an example's features, shared and the speaker's own."""
    speaker = "people" if example.scene.human else "agents"
    return [name for table, feature in named(example) for name in _shared(speaker, table, feature)]


def fitted(matrix: Matrix, truth: Any, weight: Any, rows: Any) -> tuple[dict[Name, float], float]:
    """The weights of a sentence model trained on some rows, and its intercept."""
    model = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=300, tol=1e-5)
    model.fit(matrix.values[rows], truth[rows], sample_weight=weight[rows])
    return dict(zip(matrix.names, model.coef_[0], strict=True)), float(model.intercept_[0])


def tables(weights: Mapping[Name, float], base: float) -> dict[str, Speaker]:
    """The two speakers of a model: what both share is added to what each has."""
    found = {}
    for speaker in ("people", "agents"):
        table: dict[str, dict[str, float]] = {"own": {}, "before": {}, "after": {}}
        for (whose, part, name), weight in weights.items():
            if whose in ("", speaker):
                table[part][name] = table[part].get(name, 0.0) + SCALE * weight
        start, share, believed = BELIEVED[speaker]
        for weight, name in _believed(believed):
            table["own"][name] = table["own"].get(name, 0.0) + share * weight
        parts = {part: _rounded(weights, SMALLEST) for part, weights in table.items()}
        found[speaker] = Speaker(round(SCALE * base + SHIFT + start, DIGITS), **parts)
    return found


def _believed(told: str) -> Iterator[tuple[float, str]]:
    """The log-odds and names of features in a line of ``BELIEVED``."""
    for group in told.split("; "):
        weight, _, names = group.partition(" ")
        yield from ((float(weight), name if name[0] == "@" else f"#{name}") for name in names.split(", "))


def _rounded(weights: Mapping[str, float], smallest: float) -> dict[str, float]:
    return {name: round(float(w), DIGITS) for name, w in sorted(weights.items()) if abs(w) >= smallest}


def kinds(rows: Sequence[Sequence[str]], truth: Sequence[str], repositories: Sequence[str]) -> dict[str, Any]:
    """By feature, the weights with which it tells each category from all others."""
    matrix = Matrix(rows, repositories)
    found: dict[str, dict[Category, float]] = defaultdict(dict)
    for category in Category:
        model = LogisticRegression(C=KIND_STRENGTH, solver="liblinear", max_iter=300, tol=1e-5)
        model.fit(matrix.values, np.array([one == category for one in truth]))
        table = dict(zip(matrix.names, model.coef_[0], strict=True)) | {"@any": float(model.intercept_[0])}
        for speaker, believed in BELIEVED_KINDS.items():
            start, _, rest = believed[category].partition("; ")
            for weight, name in ((float(start), f"@{speaker}"), *_believed(rest)):
                name = f"{name} {speaker}" if name[0] == "#" else name
                table[name] = table.get(name, 0.0) + weight
        for name, value in _rounded(table, KIND_SMALLEST).items():
            found[name][category] = value
    return dict(found)


class Trainer:
    """All examples as a matrix; trains on any part of the repositories."""

    def __init__(self, shared: Path) -> None:
        folder = shared / "eval" / "detection"
        sys.path.insert(0, str(shared / "eval"))
        score: Any = importlib.import_module("score")  # the scorer beside the labels

        self.scorer = score
        self.folder = folder
        self.gold = by_file(folder, "gold", score)
        denied = by_file(folder, "negatives", score)
        covered = [row["file"] for row in read(folder, "covered", score)]
        cards: dict[str, list[Label]] = defaultdict(list)
        for card in score.rows(shared / "eval" / "cards_dev.jsonl"):
            cards[card["file"]].append(card)
        self.sessions = sessions(shared, set(covered))
        self.examples = [
            example
            for number, session in enumerate(self.sessions)
            for example in examples(number, session, self.gold[session.file], denied[session.file], cards[session.file], score)
        ]
        self.repositories = [self.sessions[one.session].repository for one in self.examples]
        self.matrix = Matrix([row_of(one) for one in self.examples], self.repositories)
        self.truth = np.array([one.lesson for one in self.examples])
        self.weight = np.array([one.weight for one in self.examples])

    def model(self, chosen: Callable[[str], bool]) -> Model:
        """A model trained on the chosen repositories, uncalibrated."""
        mine = np.array([chosen(name) for name in self.repositories])
        weights, base = fitted(self.matrix, self.truth, self.weight, np.flatnonzero(mine & (self.weight > 0)))
        speakers = tables(weights, base)
        return Model(speakers["people"], speakers["agents"], self._kinds(mine), floor=0.0)

    def _kinds(self, mine: Any) -> dict[str, Any]:
        rows, truth, where = [], [], []
        for number in np.flatnonzero(mine):
            one = self.examples[number]
            for kind in one.kinds:
                sentences = [statement.sentence for statement in one.said]
                quoted = passage(sentences, [0.0] * len(sentences), one.place)
                rows.append(list(classifier.context_features(one.scene, sentences, one.place, quoted)))
                truth.append(kind)
                where.append(self.repositories[number])
        return kinds(rows, truth, where)


def read(folder: Path, what: str, scorer: Any) -> list[Label]:
    """The rows of every file of a kind."""
    return [row for path in sorted(folder.glob(f"{what}_*.jsonl")) for row in scorer.rows(path)]


def by_file(folder: Path, what: str, scorer: Any) -> dict[str, list[Label]]:
    """The same by transcript."""
    found: dict[str, list[Label]] = defaultdict(list)
    for row in read(folder, what, scorer):
        found[row["file"]].append(row)
    return found


# --- measuring --------------------------------------------------------------------------------------------------------


def folds(repositories: Sequence[str], shuffle: int) -> dict[str, int]:
    """Which fold each repository is in, about as many sentences in each."""
    size = Counter(repositories)
    random = np.random.RandomState(shuffle)
    names = sorted(size)
    order = sorted(
        (names[n] for n in random.permutation(len(names))), key=lambda name: -size[name] * (0.7 + 0.6 * random.rand())
    )
    filled, where = [0] * FOLDS, {}
    for name in order:
        fold = filled.index(min(filled))
        filled[fold] += size[name]
        where[name] = fold
    return where


def cross_validated(trainer: Trainer, shuffle: int) -> list[list[Candidate]]:
    """The candidates of every session, each by a model that never saw its repository."""
    where = folds(trainer.repositories, shuffle)
    found: list[list[Candidate]] = [[] for _ in trainer.sessions]
    for fold in range(FOLDS):
        model = trainer.model({name for name, one in where.items() if one != fold}.__contains__)
        for number, session in enumerate(trainer.sessions):
            if where.get(session.repository) == fold:
                found[number] = detect(session.turns, judge=model)
    return found


def shown(candidates: Sequence[Candidate], floor: float) -> Sequence[Candidate]:
    """Those of a session's candidates at or above a floor that the inbox shows."""
    found = [one for one in candidates if one.score >= floor]
    return found[: min(CAP, max(MIN_SHOWN, (SHOWN_OF_FIVE * len(found) + 2) // 5))]


def rows_of(trainer: Trainer, found: Sequence[Sequence[Candidate]], floor: float) -> list[Label]:
    """Candidates as ``curator detect --json`` prints them, as far as the scorer reads them."""
    rows = []
    for session, candidates in zip(trainer.sessions, found, strict=True):
        rows += [row(session.file, one) for one in shown(candidates, floor)]
    return rows


def row(file: str, candidate: Candidate) -> Label:
    """One candidate for the scorer."""
    best, *more = candidate.evidence
    given: Label = {"file": file, "quote": best.quote, "headline": candidate.headline, "insight": candidate.insight}
    given |= {"category": str(candidate.category), "score": candidate.score}
    if file.endswith(".json"):
        return given | {"message": best.line - 1, "also_messages": [one.line - 1 for one in more]}
    return given | {"line": best.line, "line_end": best.line_end, "also": [one.line for one in more]}


def figures(trainer: Trainer, found: Sequence[Sequence[Candidate]], floor: float) -> dict[str, Any]:
    """What the scorer says of the candidates at or above a floor."""
    result: dict[str, Any] = trainer.scorer.detection(trainer.folder, rows_of(trainer, found, floor), None, CAP)
    return result


def floors(found: Sequence[Sequence[Candidate]], counts: Sequence[int]) -> list[float]:
    """The scores from which on so many candidates are shown at most."""
    scores = sorted({one.score for candidates in found for one in candidates})
    return [
        scores[bisect_left(scores, -count, key=lambda floor: -sum(len(shown(one, floor)) for one in found))] for count in counts
    ]


def calibration(trainer: Trainer, found: Sequence[Sequence[Candidate]]) -> tuple[float, float]:
    """The scale and shift by which the log-odds of cards of unseen repositories miss those of being kept.

    Cards that only a label of worth 1 explains count neither way.
    """
    odds, kept = [], []
    for session, candidates in zip(trainer.sessions, found, strict=True):
        for one in [one for one in candidates if one.signal not in ACTIONS][:CALIBRATED]:
            if (worth := worth_of(trainer, session.file, one)) != 1:
                odds.append(log_odds(one.score))
                kept.append(worth >= 2)
    fit = LogisticRegression(C=1e6, solver="liblinear", tol=1e-8).fit(np.array(odds)[:, None], kept)
    return round(float(fit.coef_[0][0]), 2), round(float(fit.intercept_[0]), 2)


def likely_scores(trainer: Trainer, shuffle: int) -> dict[str, float]:
    """The score from which on maintainers keep a card of an unseen repository with the likelihood ``LIKELY``, by speaker."""
    where = folds(trainer.repositories, shuffle)
    odds: dict[str, list[float]] = defaultdict(list)
    kept: dict[str, list[bool]] = defaultdict(list)
    for fold in range(FOLDS):
        model = trainer.model({name for name, one in where.items() if one != fold}.__contains__)
        for example, repository in zip(trainer.examples, trainer.repositories, strict=True):
            if not example.judged or where[repository] != fold:
                continue
            judged = model.judge(example.scene, [one.sentence for one in example.said])[example.place]
            if judged is not None:
                speaker = "people" if example.scene.human else "agents"
                odds[speaker].append(judged.worth)
                kept[speaker].append(example.lesson)
    found = {}
    for speaker, worths in odds.items():
        fit = LogisticRegression(C=1e6, solver="liblinear", tol=1e-8).fit(np.array(worths)[:, None], kept[speaker])
        found[speaker] = classifier.logistic((log_odds(LIKELY) - fit.intercept_[0]) / fit.coef_[0][0])
    return found


def worth_of(trainer: Trainer, file: str, candidate: Candidate) -> int:
    """The worth of the best label that explains a candidate; 0 for none."""
    given = row(file, candidate)
    return max((int(label["worth"]) for label in trainer.gold[file] if trainer.scorer.likeness(label, given)), default=0)


def floor_of(trainer: Trainer, runs: Sequence[Sequence[Sequence[Candidate]]]) -> float:
    """The lowest score above which cards of unseen repositories have the precision ``PRECISION`` in the mean of some runs."""
    for floor in (round(0.3 + step / 200, 3) for step in range(80)):
        if np.mean([figures(trainer, found, floor)["precision"] for found in runs]) >= PRECISION:
            return floor
    raise ValueError(f"no score has the precision {PRECISION}")


def log_odds(likelihood: float) -> float:
    """The inverse of the logistic function, bounded where three digits end."""
    bounded = min(max(likelihood, 0.0005), 0.9995)
    return math.log(bounded / (1 - bounded))


def as_json(model: Model, provenance: Mapping[str, Any]) -> str:
    """The file that is shipped."""
    given: dict[str, Any] = {
        "version": classifier.VERSION,
        "provenance": provenance,
        "floor": model.floor,
        "kinds": model.kinds,
    }
    for name, speaker in (("people", model.people), ("agents", model.agents)):
        given[name] = {"base": speaker.base, "own": speaker.own, "before": speaker.before, "after": speaker.after}
    return json.dumps(given, ensure_ascii=False, indent=0, sort_keys=True) + "\n"


def provenance(trainer: Trainer, scored: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """From what the weights were made, and how good they are."""
    return {
        "made by": f"tests/benchmarks/train.py with scikit-learn {sklearn_version}",
        "from": f"{len(trainer.examples)} sentences of {len(trainer.sessions)} labelled sessions of "
        f"{len(set(trainer.repositories))} repositories",
        "features": f"those that occur in at least {REPOSITORIES} repositories",
        "cross-validated by repository": {name: round(float(np.mean([one[name] for one in scored])), 3) for name in TOLD},
    }


def trained(trainer: Trainer) -> str:
    """The text of the file to ship."""
    runs = [cross_validated(trainer, shuffle) for shuffle in range(SHUFFLES)]
    print("scale and shift that are missing:", *calibration(trainer, runs[0]))
    print("scores of the first list:", [likely_scores(trainer, shuffle) for shuffle in range(SHUFFLES)])
    floor = floor_of(trainer, runs)
    model = replace(trainer.model(lambda name: True), floor=floor)
    return as_json(model, provenance(trainer, [figures(trainer, found, floor) for found in runs]))


TOLD = ("cards_per_session", "precision", "recall", "recall_must_capture", "category_accuracy")
COUNTS = (400, 500, 600, 700, 800, 900, 1000, 1100)


def check(trainer: Trainer) -> None:
    """Exit with a sentence unless training gives the weights that are shipped."""
    shipped = json.loads(SHIPPED.read_text("utf-8"))
    made = json.loads(as_json(replace(trainer.model(lambda name: True), floor=shipped["floor"]), shipped["provenance"]))
    require(SHIPPED.name, made, shipped, step=10**-DIGITS, smallest=max(SMALLEST, KIND_SMALLEST))


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--write", action="store_true")
    way.add_argument("--check", action="store_true")
    options = parser.parse_args()
    trainer = Trainer(options.shared)
    print(
        f"{len(trainer.sessions)} sessions, {len(trainer.examples)} sentences, {len(trainer.matrix.names)} features", flush=True
    )
    if options.check:
        check(trainer)
        return
    text = trained(trainer)
    SHIPPED.write_text(text, "utf-8")
    print(json.dumps(json.loads(text)["provenance"], indent=2))


if __name__ == "__main__":
    main()
