"""Find lessons by meaning, where a person has set an embedder: off by default, never in hooks.

Vectors are computed beside what a person does, at the end of a scan and after verdicts, and only of what changed. Whatever
goes wrong with an embedder, search goes by words alone and says so once.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from heapq import nlargest
from operator import mul
from threading import Event, Lock

from curator import plugins
from curator.app.curator import Curator
from curator.errors import CuratorError, StoreError
from curator.hookspecs import Embedder
from curator.ranking.question import Question
from curator.settings import Settings

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

_made: dict[tuple[object, ...], Embedder] = {}
_reported: set[str] = set()
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Meant:
    """The numbers of the lessons found by meaning, what likeness is worth for each, and what kept it from being known."""

    best: tuple[int, ...] = ()
    parts: Mapping[int, float] = field(default_factory=dict)
    trouble: str = ""


NOTHING = Meant()


def made(settings: Settings) -> Embedder:
    """The embedder that is set, made once a process, and anew when its folder changes. Raises ``CuratorError``."""
    with _lock:
        key = (settings.embedder, settings.embedder_folder, *_state(settings.embedder_folder))
        if key not in _made:
            _made.clear()
            _made[key] = _make(settings)
        return _made[key]


def _state(folder: str) -> list[tuple[str, int, int]]:
    """What changes with a folder's files: a server or an inbox that runs for days must not go on with another model."""
    try:
        with os.scandir(os.path.expanduser(folder)) if folder else nullcontext(()) as files:
            looked = [(file.name, file.stat()) for file in files]
    except OSError:
        return []
    return sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in looked)


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


def embedded(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
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


def near(curator: Curator, project: str, question: Question) -> Meant:
    """What a question means to the lessons of a project, and global ones; nothing where no embedder is set."""
    if not curator.settings.embedder or not question.prompt.strip():
        return NOTHING
    try:
        embedder = made(curator.settings)
        stored = curator.store.vectors.of(project, embedder.name)
        if not stored:
            lacking = curator.store.vectors.lacking(embedder.name)
            return Meant(trouble="No lesson has a vector yet: `curator scan` computes them.") if lacking else NOTHING
        (asked,) = embedded(embedder, [question.prompt])
        return weighed(asked, stored)
    except StoreError:
        raise
    except CuratorError as error:
        return Meant(trouble=report_once(error))


def weighed(asked: Sequence[float], stored: Sequence[tuple[int, Sequence[float]]]) -> Meant:
    """What each lesson's likeness is worth, and which are found by it. Raises ``CuratorError`` for vectors of another size."""
    cosines = likeness(asked, stored)
    best = tuple(seq for seq in likest(cosines) if cosines[seq] >= ALONE)
    return Meant(best, {seq: worth(cosine) for seq, cosine in cosines.items()})


def worth(cosine: float) -> float:
    """What a cosine adds to a lesson's log-odds."""
    return WEIGHT * (cosine - LEVEL)


def likeness(asked: Sequence[float], stored: Sequence[tuple[int, Sequence[float]]]) -> dict[int, float]:
    """The cosine of each stored vector with what is asked, 0 or more. Raises ``CuratorError`` for vectors of another size."""
    if any(len(vector) != len(asked) for _, vector in stored):
        raise CuratorError(
            f"Stored vectors are not of {len(asked)} dimensions, as the embedder's are, though its name is the same.",
            "Its name has to change with its model: see docs/embedding.md.",
        )
    return {seq: max(0.0, sum(map(mul, asked, vector))) for seq, vector in stored}


def likest(cosines: Mapping[int, float]) -> list[int]:
    """The lessons with the highest cosines."""
    return nlargest(BEST, cosines, key=lambda seq: (cosines[seq], -seq))


def refresh(curator: Curator, stop: Event | None = None) -> int:
    """Compute the vectors that are missing, of every project's active lessons; returns how many.

    What goes wrong with the embedder is logged, once. Raises ``StoreError``.
    """
    if not curator.settings.embedder or curator.store.newer:
        return 0
    done, vectors = 0, curator.store.vectors
    try:
        embedder = made(curator.settings)
        lacking = vectors.lacking(embedder.name)
        while lacking and not (stop and stop.is_set()):
            portion, lacking = lacking[:PORTION], lacking[PORTION:]
            found = embedded(embedder, [one.text for one in portion])
            with curator.store.transaction():
                vectors.put(embedder.name, zip(portion, found, strict=True))
            done += len(portion)
    except StoreError:
        raise
    except CuratorError as error:
        report_once(error)
    return done


def report_once(error: CuratorError) -> str:
    """Log what is wrong with an embedder the first time; returns what a person is shown."""
    text = f"{error.message} Searching by words alone. {error.hint}".strip()
    if text not in _reported:
        _reported.add(text)
        log.warning("%s", text)
    return text
