"""Search: which lessons matter to a question, by the same ranking as in a hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from curator import clock
from curator.app.curator import Curator
from curator.model import Category, Entry, State
from curator.ranking import Question, rank
from curator.store import hook_reader
from curator.text.words import terms

if TYPE_CHECKING:
    from curator.ranking import Hit, Question


def hits(curator: Curator, project: str, question: Question) -> list[Hit]:
    """Return the lessons of a project, and global ones, that a question may be about, best first."""
    found = hook_reader.gather(hook_reader.Table(curator.store.connection, project), question)
    return rank(question, found, clock.now())


def recall(curator: Curator, project: str, words: str, files: Sequence[str] = (), limit: int = 5) -> list[tuple[Entry, Hit]]:
    """Return the best lessons for these words and files that may be sent, whole."""
    question = Question("prompt", words, tuple(files))
    found = hits(curator, project, question)
    entries = ((curator.lessons.peek(hit.id), hit) for hit in found[:limit])
    return [(entry, hit) for entry, hit in entries if entry is not None and entry.state is State.ACTIVE]


@dataclass(frozen=True, slots=True)
class Match:
    """A search result: the entry, its fit from 0 to 1, the shared terms, and the parts of the score."""

    entry: Entry
    score: float
    terms: frozenset[str]
    parts: Mapping[str, float]


def search(
    curator: Curator,
    words: str,
    *,
    files: Sequence[str] = (),
    states: Sequence[State] = (State.ACTIVE,),
    category: Category | None = None,
    since: float = 0.0,
    limit: int = 20,
) -> tuple[Match, ...]:
    """Return the entries that share words or a path with a question, in the reader's project or in all.

    Lessons come in the order in which hooks would send them. Other entries come in the order of the full-text index.
    """
    every = _matches(curator, words, files, states, limit)
    wanted = (one for one in every if one.entry.updated >= since and category in (None, one.entry.category))
    return tuple(islice(wanted, limit))


def _matches(curator: Curator, words: str, files: Sequence[str], states: Sequence[State], limit: int) -> Iterator[Match]:
    """Yield matches, best first, and read each one on demand."""
    if State.ACTIVE in states:
        best: dict[str, Hit] = {}
        for project in [curator.scope] if curator.scope else list(curator.projects()) or [""]:
            question = Question("prompt", words, tuple(files))
            for hit in hits(curator, project, question):
                if (hit.words or "place" in hit.parts) and hit.score > (best[hit.id].score if hit.id in best else 0.0):
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
