"""Lessons in the order in which they matter to a question, each with the parts of its score.

The probability that a lesson is of use now, by a logistic model over few signs: BM25 of what was said and of the names at
hand, where it holds, whether it names a file at hand, its length. What is known of the lesson itself is added: what came of
telling it, whether its code changed, whether it fades.
"""

from __future__ import annotations

from math import exp, log

from curator.ranking.globs import depth
from curator.ranking.weights import BIAS, WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from curator.ranking.question import Question

    class Found(Protocol):
        """Lessons as ``curator.store.hook_reader`` gathers them."""

        lessons: int
        length: float
        spread: dict[str, int]
        terms: dict[int, dict[str, int]]
        rows: dict[int, tuple[Any, ...]]


K1, B = 1.2, 0.75
"""The usual constants of BM25."""
FEW = 60
"""So many lessons a project is taken to have at least, where words are weighed by how few have them."""
OUTCOMES = 1.0
"""What came of sending a lesson counts so much: at most one upwards, two downwards."""
STALE = {"changed": -0.7, "relocated": -0.2, "gone": -1.5}
"""What a lesson loses whose code is not as it was: it is sent later, and said to be doubtful."""
FADED = -1.5
"""What a temporary lesson loses once it is old."""
START = -1.6
"""At a session's start nothing is asked: a lesson for the whole project begins here, below what is sent."""
LATELY, DAYS = 1.0, 14 * 86_400.0
"""What a lesson gains there that was learnt just now, less day by day: work goes on where it was; new ones are tried first."""


AGAINST = "!"
"""Stands before a lesson that this one may contradict, as ``store.ranking_index`` writes it."""


class Hit:
    """A lesson in the ranking: ``score`` 0 to 1, its ``parts`` in log-odds, ``words`` that it shares with the question.

    ``stating_files``: the project's own files that say the same. ``against``: the lesson that it may contradict, which nobody
    has decided yet.
    """

    __slots__ = ("against", "files", "id", "line", "parts", "refused", "score", "stale", "stating_files", "words")

    def __init__(
        self,
        id_: str,
        line: str,
        parts: dict[str, float],
        stale: str,
        refused: str,
        words: list[str],
        files: list[str],
        stating_files: tuple[str, ...] = (),
    ) -> None:
        self.id = id_
        self.line = line
        self.parts = parts
        self.score = 1.0 / (1.0 + exp(-max(-30.0, min(30.0, sum(parts.values())))))
        self.stale = stale
        self.refused = refused
        self.words = words
        self.files = files
        self.stating_files = stating_files
        self.against = ""


def rank(question: Question, found: Found, now: float = 0.0, meant: Mapping[int, float] | None = None) -> list[Hit]:
    """The lessons that were ``found``, best first. ``now``: seconds, for what fades; 0 leaves that out.

    ``meant``: {lesson's number: log-odds}, what likeness of meaning adds, where somebody has found that out.
    """
    hits, after = [], {}
    for row, signs, words in measured(question, found):
        hit = _hit(question, row, signs, words, now, meant.get(row[0], 0.0) if meant else 0.0)
        hits.append(hit)
        for older in row[11].split("\n") if row[11] else ():
            if older.startswith(AGAINST):
                older = hit.against = older[len(AGAINST) :]
            after[older] = hit
    for hit in hits:  # what was replaced and stands again, or was spoken against, never comes before what was said later
        if hit.id in after and hit.score >= after[hit.id].score:
            hit.score = after[hit.id].score * 0.999
    hits.sort(key=lambda hit: (-hit.score, hit.id))
    return hits


def measured(question: Question, found: Found) -> list[tuple[tuple[Any, ...], dict[str, float], list[str]]]:
    """Each lesson's row, signs, and the words that it shares with what was said.

    words: BM25 of what was said, in tens. names: that of the words of paths, too, in twenties. best: names beside the best
    lesson's. place: how deep the place is that lesson and files share, 1 from four folders on. share: of the files, those in a
    place of the lesson. elsewhere: it has places, and none is that of a file at hand. named file: its words name one.
    length: logarithm of how many terms it has.
    """
    lessons = [(row, *_signs(question, found, seq, row)) for seq, row in found.rows.items()]
    best = max([signs["names"] for row, signs, _ in lessons if not row[10]], default=0.0)  # not beside what is never sent
    for _, signs, _ in lessons:
        signs["best"] = min(1.0, signs["names"] / best) if best else 0.0
        signs["words"] /= 10.0
        signs["names"] /= 20.0
    return lessons


def _signs(question: Question, found: Found, seq: int, row: tuple[Any, ...]) -> tuple[dict[str, float], list[str]]:
    """The signs of one lesson by itself, and the words it shares with what was said."""
    counts = found.terms.get(seq, {})
    long = K1 * (1.0 - B + B * row[5] / found.length)
    gain = {term: _rarity(found, term) * times * (K1 + 1.0) / (times + long) for term, times in counts.items()}
    shared = [term for term in question.prompt_terms if term in gain]
    places = row[4].split("\n") if row[4] else []
    depths = [depth(places, file) for file in question.files]
    share = sum([1 for deep in depths if deep]) / len(depths) if depths else 0.0
    near = max([depth(places, file) for file in question.near], default=0.0) / 2
    deepest = max([*depths, near], default=0.0)
    return {
        "words": sum([gain[term] for term in shared]),
        "names": sum(gain.values()),
        "place": min(deepest, 4.0) / 4.0,
        "share": share,
        "elsewhere": 1.0 if question.files and row[3] == "paths" and not deepest else 0.0,
        "named file": _names(row[2], question.files),
        "length": log(row[5] + 1.0),
    }, shared


def _rarity(found: Found, term: str) -> float:
    """BM25's weight of a term; among few lessons, what they all share still need not be common elsewhere."""
    have = found.spread.get(term, 0)
    return log(1.0 + (max(FEW, found.lessons) - have + 0.5) / (have + 0.5))


def _names(line: str, files: tuple[str, ...]) -> float:
    """Whether a lesson's words name a file at hand, or its folder with the one above."""
    line = line.lower()
    best = 0.0
    for file in files:
        parts = file.lower().split("/")
        if parts[-1] in line:
            return 1.0
        if any("/".join(parts[at : at + 2]) in line for at in range(len(parts) - 1)):
            best = 0.7
    return best


def _hit(
    question: Question, row: tuple[Any, ...], signs: dict[str, float], words: list[str], now: float, meaning: float
) -> Hit:
    _, id_, _, scope, places, _, outcome_odds, created, fades, stale, refused, _, line, stating = row
    if question.moment == "start":
        lately = max(0.0, 1.0 - (now - created) / DAYS) if 0.0 < created <= now else 0.0
        parts = {"at the start": START if scope != "paths" else -9.0, "learnt lately": LATELY * lately}
    else:
        parts = {name: weight * signs[name] for name, weight in WEIGHTS.items()}
        parts["to begin with"] = BIAS
    parts["meaning"] = meaning
    parts["came of it"] = OUTCOMES * outcome_odds
    parts["its code"] = STALE.get(stale, 0.0)
    parts["fades"] = FADED if fades and now > fades else 0.0
    parts = {name: value for name, value in parts.items() if value}
    files = places.split("\n") if places else []
    return Hit(id_, line, parts, stale, refused, words, files, tuple(stating.split("\n")) if stating else ())
