"""Search: which lessons matter to a question, by the same ranking as in a hook, and by meaning where an embedder is
set.

Embedders are off by default and never in hooks. Vectors are computed beside what a person does, at the end of a scan
and after verdicts, and only of what changed. Whatever goes wrong with an embedder, search goes by words alone and says
so once.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import islice
from operator import mul
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from curator import clock, plugins
from curator.app.curator import Curator
from curator.errors import CuratorError, StoreError
from curator.hookspecs import Embedder
from curator.model import Category, Entry, State
from curator.settings import Settings
from curator.store import hook_reader
from curator.text.words import ABBREVIATIONS, terms

if TYPE_CHECKING:
    from curator.ranking.question import Question
    from curator.ranking.rank import Hit

WEIGHT, LEVEL = 2.5, 0.225
"""What a cosine is worth, in log-odds, and from which on it speaks for a lesson.

Between what tests/benchmarks/train_recall.py finds for a static model and for a transformer: see docs/benchmarks.md. Cosines
of other models may lie elsewhere.
"""
BEST = 20
"""So many lessons are found by their meaning alone."""
ALONE = 0.15
"""From this cosine on: below it the two models that were measured find something for whatever is asked."""
PORTION = 64
"""So many lessons are embedded between two writes."""
log = logging.getLogger(__name__)
_embedders: dict[tuple[object, ...], Embedder] = {}
_reports: set[str] = set()
_lock = Lock()


@dataclass(frozen=True, slots=True)
class MeaningMatches:
    """The numbers of the lessons found by meaning, what likeness is worth for each, and what kept it from being known."""

    best: tuple[int, ...] = ()
    parts: Mapping[int, float] = field(default_factory=dict)
    trouble: str = ""


NOTHING = MeaningMatches()


def embedder_of(settings: Settings) -> Embedder:
    """The embedder that is set, made once a process, and anew when its folder changes. Raises ``CuratorError``."""
    with _lock:
        key = (settings.embedder, settings.embedder_folder, *_state(settings.embedder_folder))
        if key not in _embedders:
            _embedders.clear()
            _embedders[key] = _make(settings)
        return _embedders[key]


def _state(folder: str) -> list[tuple[str, int, int]]:
    """What changes with a folder's files: a server or an inbox that runs for days must not go on with another model."""
    try:
        with os.scandir(os.path.expanduser(folder)) if folder else nullcontext(()) as files:
            stats = [(file.name, file.stat()) for file in files]
    except OSError:
        return []
    return sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


def _make(settings: Settings) -> Embedder:
    name, known = settings.embedder, plugins.embedders()
    if name not in known:
        raise CuratorError(
            f"There is no embedder {name!r}.", f"Set another in {settings.file}; there are: {', '.join(sorted(known))}."
        )
    try:
        return known[name](settings)
    except CuratorError:
        raise
    except Exception as error:
        log.exception("the embedder %s can't be made", name)
        raise CuratorError(f"The embedder {name!r} can't be used: {error!r}.", "The log has the details.") from error


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
    """A vector of length 1 for each text, or of nothing but 0. Raises ``CuratorError`` for an answer that is no such thing."""
    try:
        vectors = [unit(vector) for vector in embedder.embed(texts)]
    except CuratorError:
        raise
    except Exception as error:
        log.exception("the embedder %s failed", embedder.name)
        raise CuratorError(f"The embedder {embedder.name} failed: {error!r}.", "The log has the details.") from error
    if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
        raise CuratorError(f"The embedder {embedder.name} gave {len(vectors)} vectors for {len(texts)} texts, or unequal ones.")
    return vectors


def unit(vector: Sequence[float]) -> list[float]:
    """A vector in the same direction of length 1; one of nothing but 0 stays. Raises ``ValueError`` for what is no number.

    >>> unit([3.0, 4.0])
    [0.6, 0.8]
    """
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise ValueError("a vector holds what is no number")
    return [value / length for value in vector] if length else list(vector)


def near(curator: Curator, project: str, question: Question) -> MeaningMatches:
    """What a question means to the lessons of a project, and global ones; nothing where no embedder is set."""
    if not curator.settings.embedder or not question.prompt.strip():
        return NOTHING
    try:
        embedder = embedder_of(curator.settings)
        vectors = curator.store.vectors.of(project, embedder.name)
        if not vectors:
            lacking = curator.store.vectors.lacking(embedder.name)
            return MeaningMatches(trouble="No lesson has a vector yet: `curator scan` computes them.") if lacking else NOTHING
        (query,) = embed_texts(embedder, [question.prompt])
        cosines = likeness(query, vectors)
        best = tuple(seq for seq in likest(cosines) if cosines[seq] >= ALONE)
        return MeaningMatches(best, {seq: worth(cosine) for seq, cosine in cosines.items()})
    except StoreError:
        raise
    except CuratorError as error:
        return MeaningMatches(trouble=report_once(error))


def worth(cosine: float) -> float:
    """What a cosine adds to a lesson's log-odds."""
    return WEIGHT * (cosine - LEVEL)


def likeness(query: Sequence[float], vectors: Sequence[tuple[int, Sequence[float]]]) -> dict[int, float]:
    """The cosine of each stored vector with what is asked, 0 or more. Raises ``CuratorError`` for vectors of another size."""
    if any(len(vector) != len(query) for _, vector in vectors):
        raise CuratorError(
            f"Stored vectors are not of {len(query)} dimensions, as the embedder's are, though its name is the same.",
            "Its name has to change with its model: see docs/embedding.md.",
        )
    return {seq: max(0.0, sum(map(mul, query, vector))) for seq, vector in vectors}


def likest(cosines: Mapping[int, float]) -> list[int]:
    """The lessons with the highest cosines."""
    return nlargest(BEST, cosines, key=lambda seq: (cosines[seq], -seq))


def refresh(curator: Curator, stop: Event | None = None) -> int:
    """Compute the vectors that are missing, of every project's active lessons; returns how many.

    What goes wrong with the embedder is logged, once. Raises ``StoreError``.
    """
    if not curator.settings.embedder or curator.store.newer:
        return 0
    count, vectors = 0, curator.store.vectors
    try:
        embedder = embedder_of(curator.settings)
        lacking = vectors.lacking(embedder.name)
        while lacking and not (stop and stop.is_set()):
            portion, lacking = lacking[:PORTION], lacking[PORTION:]
            found = embed_texts(embedder, [one.text for one in portion])
            with curator.store.transaction():
                vectors.put(embedder.name, zip(portion, found, strict=True))
            count += len(portion)
    except StoreError:
        raise
    except CuratorError as error:
        report_once(error)
    return count


def report_once(error: CuratorError) -> str:
    """Log what is wrong with an embedder the first time; returns what a person is shown."""
    text = f"{error.message} Searching by words alone. {error.hint}".strip()
    if text not in _reports:
        _reports.add(text)
        log.warning("%s", text)
    return text


SPELT = 4
"""Shorter words are never read as others."""
FEW = 8
"""So many of the likest are looked up in the project."""
LIKE = 80.0
"""How alike (0 to 100) a word must be to be read as another."""


def hits(curator: Curator, project: str, question: Question, meanings: MeaningMatches = NOTHING) -> list[Hit]:
    """The lessons of a project, and global ones, that a question may be about, best first.

    ``meanings``: what it means to them, where that counts, too.
    """
    from curator.ranking.rank import rank  # a window that refreshes vectors ranks nothing

    found = hook_reader.gather(hook_reader.Table(curator.store.connection, project), question, meanings.best)
    return rank(question, found, clock.now(), meanings.parts)


def recall(curator: Curator, project: str, words: str, files: Sequence[str] = (), limit: int = 5) -> list[tuple[Entry, Hit]]:
    """The best lessons for these words and files that may be sent, whole."""
    from curator.ranking.question import Question

    question = Question("prompt", words, tuple(files))
    found = hits(curator, project, question, near(curator, project, question))
    entries = ((curator.lessons.peek(hit.id), hit) for hit in found[:limit])
    return [(entry, hit) for entry, hit in entries if entry is not None and entry.state is State.ACTIVE]


@dataclass(frozen=True, slots=True)
class Match:
    """What a search found: the entry, how well it fits (0 to 1), the terms that it shares with the words, the score's parts."""

    entry: Entry
    score: float
    terms: frozenset[str]
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Results:
    """The matches, best first, which words were read as which others, and why meanings did not count though they should."""

    matches: tuple[Match, ...]
    substitutions: Mapping[str, str]
    trouble: str = ""


def search(
    curator: Curator,
    words: str,
    *,
    files: Sequence[str] = (),
    states: Sequence[State] = (State.ACTIVE,),
    category: Category | None = None,
    since: float = 0.0,
    limit: int = 20,
) -> Results:
    """The entries that share words or a place with what is asked, or mean it, in the reader's project or in all.

    Lessons come in the order in which they would be sent; others by the full-text index. A word that no lesson has is read as
    the one most like it.
    """
    substitutions: dict[str, str] = {}
    trouble: dict[str, None] = {}
    every = _matches(curator, words, files, states, substitutions, trouble, limit)
    wanted = (one for one in every if one.entry.updated >= since and category in (None, one.entry.category))
    found = tuple(islice(wanted, limit))
    return Results(found, substitutions, next(iter(trouble), ""))


def _matches(
    curator: Curator,
    words: str,
    files: Sequence[str],
    states: Sequence[State],
    substitutions: dict[str, str],
    trouble: dict[str, None],
    limit: int,
) -> Iterator[Match]:
    """What is found, best first, read as it is asked for; ``substitutions`` and ``trouble`` are filled before."""
    from curator.ranking.question import Question

    if State.ACTIVE in states:
        best: dict[str, Hit] = {}
        for project in [curator.scope] if curator.scope else list(curator.projects()) or [""]:
            question = Question("prompt", words, tuple(files))
            substitutions |= _respell(curator, project, question)
            meant = near(curator, project, question)
            trouble |= dict.fromkeys([meant.trouble] if meant.trouble else [])
            for hit in hits(curator, project, question, meant):
                shared = hit.words or "place" in hit.parts or hit.parts.get("meaning", -math.inf) >= worth(ALONE)
                if shared and hit.score > (best[hit.id].score if hit.id in best else 0.0):
                    best[hit.id] = hit
        for hit in sorted(best.values(), key=lambda hit: -hit.score):
            entry = curator.lessons.peek(hit.id)
            if entry is not None:
                yield Match(entry, hit.score, frozenset(hit.words), hit.parts)
    others = [state for state in states if state is not State.ACTIVE]
    if others:
        roots = frozenset(terms(words))
        for entry in curator.store.full_text.find(words.split(), curator.scope, others, limit):
            yield Match(entry, 0.0, roots, {})


def _respell(curator: Curator, project: str, question: Question) -> dict[str, str]:
    """Read words that no lesson has as the likest that one has and that begins alike; says which."""
    from rapidfuzz import fuzz, process

    served = curator.store.ranking_index
    known = set(terms(" ".join(word for word in question.prompt.lower().split() if word in ABBREVIATIONS)))  # so not misspelt
    long = [term for term in question.prompt_terms if len(term) >= SPELT and term not in known]
    substitutions = {}
    for term in set(long) - served.terms(project, long):
        likest = process.extract(term, served.vocabulary(term[0]), scorer=fuzz.ratio, score_cutoff=LIKE, limit=FEW)
        here = served.terms(project, [other for other, _, _ in likest])
        best = next((other for other, _, _ in likest if other in here), None)
        if best is not None:
            substitutions[term] = best
    question.prompt_terms = list(dict.fromkeys(substitutions.get(term, term) for term in question.prompt_terms))
    return substitutions


def pool(lessons: Sequence[dict[str, object]]) -> list[Entry]:
    """Lessons from elsewhere, as rows with id, repo, title, text and globs, as entries. Raises ``CuratorError``."""
    try:
        return [
            Entry(
                id=str(row["id"]),
                project=str(row["repo"]),
                state=State.ACTIVE,
                category=Category.CONVENTION,
                headline=str(row.get("title") or ""),
                insight=str(row["text"]),
                scope="paths" if row.get("globs") else "project",
                paths=_as_tuple(row.get("globs")),
                created=0.0,
                updated=0.0,
            )
            for row in lessons
        ]
    except KeyError as error:
        raise CuratorError(
            f"A lesson lacks {error}.", "Each line is an object with id, repo, text, and title and globs."
        ) from error


def _as_tuple(value: object) -> tuple[str, ...]:
    """One glob, or several."""
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (value,) if isinstance(value, str) and value else ()


def answer(connection: Any, row: dict[str, object]) -> dict[str, object]:
    """What would be sent for one labelled question: see `curator eval search`. Raises ``CuratorError``."""
    from curator.ranking.question import Question
    from curator.ranking.rank import choose, rank

    try:
        id_, repo = row["id"], str(row["repo"])
        prompt, files = str(row.get("prompt") or ""), row.get("open_files") or ()
    except KeyError as error:
        raise CuratorError(f"A question lacks {error}.", "Each line is an object with id, repo, prompt, open_files.") from error
    if not isinstance(files, list | tuple):
        raise CuratorError("open_files is no list.", "It is a list of paths.")
    question = Question("prompt", prompt, tuple(map(str, files)), str(row.get("task_type") or ""))
    found = rank(question, hook_reader.gather(hook_reader.Table(connection, repo), question))
    hits, _ = choose(found, "prompt")
    return {
        "id": id_,
        "results": [
            {"lesson": hit.id, "score": round(hit.score, 4), "why": {key: round(part, 3) for key, part in hit.parts.items()}}
            for hit in found[:10]
        ],
        "shown": [hit.id for hit in hits],
    }
