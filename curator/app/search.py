"""Search: which lessons matter to a question, by the same ranking as in a hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from curator import clock
from curator.app import embeddings
from curator.app.curator import Curator
from curator.errors import CuratorError
from curator.model import Category, Entry, State
from curator.ranking.question import Question
from curator.ranking.rank import Hit, choose, rank
from curator.store import hook_reader
from curator.text.words import terms

SPELT = 4
"""Shorter words are never read as others."""
FEW = 8
"""So many of the likest are looked up in the project."""
LIKE = 80.0
"""How alike (0 to 100) a word must be to be read as another."""


def hits(curator: Curator, project: str, question: Question, meant: embeddings.Meant = embeddings.NOTHING) -> list[Hit]:
    """The lessons of a project, and global ones, that a question may be about, best first; refused ones are said to be so.

    ``meant``: what it means to them, where that counts, too.
    """
    found = hook_reader.gather(curator.store.connection, project, question, meant.best)
    return rank(question, found, clock.now(), meant.parts)


def recalled(curator: Curator, project: str, words: str, files: Sequence[str] = (), limit: int = 5) -> list[tuple[Entry, Hit]]:
    """The best lessons for these words and files that may be sent, whole."""
    question = Question("prompt", words, tuple(files))
    found = [hit for hit in hits(curator, project, question, embeddings.near(curator, project, question)) if not hit.refused]
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
class Found:
    """The matches, best first, which words were read as which others, and why meanings did not count though they should."""

    matches: tuple[Match, ...]
    read_as: Mapping[str, str]
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
) -> Found:
    """The entries that share words or a place with what is asked, or mean it, in the reader's project or in all.

    Lessons come in the order in which they would be sent; others by the full-text index. A word that no lesson has is read as
    the one most like it.
    """
    read_as: dict[str, str] = {}
    trouble: dict[str, None] = {}
    found: list[Match] = []
    every = _matches(curator, words, files, states, read_as, trouble, limit)
    kept = (match for match in every if _fits(match.entry, category, since))
    for match in kept:
        found.append(match)
        if len(found) == limit:
            break
    return Found(tuple(found), read_as, next(iter(trouble), ""))


def _fits(entry: Entry, category: Category | None, since: float) -> bool:
    return entry.updated >= since and category in (None, entry.category)


def _matches(
    curator: Curator,
    words: str,
    files: Sequence[str],
    states: Sequence[State],
    read_as: dict[str, str],
    trouble: dict[str, None],
    limit: int,
) -> Iterator[Match]:
    """What is found, best first, read as it is asked for; ``read_as`` and ``trouble`` are filled before."""
    if State.ACTIVE in states:
        best: dict[str, Hit] = {}
        for project in [curator.scope] if curator.scope else list(curator.projects()) or [""]:
            question = Question("prompt", words, tuple(files))
            read_as |= _respelt(curator, project, question)
            meant = embeddings.near(curator, project, question)
            trouble |= dict.fromkeys([meant.trouble] if meant.trouble else [])
            for hit in hits(curator, project, question, meant):
                shared = (
                    hit.words or "place" in hit.parts or hit.parts.get("meaning", -inf) >= embeddings.worth(embeddings.ALONE)
                )
                if shared and hit.score > (best[hit.id].score if hit.id in best else 0.0):
                    best[hit.id] = hit
        for hit in sorted(best.values(), key=lambda hit: -hit.score):
            entry = curator.lessons.peek(hit.id)
            if entry is not None:
                yield Match(entry, hit.score, frozenset(hit.words), hit.parts)
    wanted = [state for state in states if state is not State.ACTIVE]
    if wanted:
        asked = frozenset(terms(words))
        for entry in curator.store.full_text.find(words.split(), curator.scope, wanted, limit):
            yield Match(entry, 0.0, asked, {})


def _respelt(curator: Curator, project: str, question: Question) -> dict[str, str]:
    """Read words that no lesson has as the likest that one has and that begins alike; says which."""
    from rapidfuzz import fuzz, process

    served = curator.store.ranking_index
    long = [term for term in question.prompt_terms if len(term) >= SPELT]
    read_as = {}
    for term in set(long) - served.terms(project, long):
        likest = process.extract(term, served.vocabulary(term[0]), scorer=fuzz.ratio, score_cutoff=LIKE, limit=FEW)
        here = served.terms(project, [other for other, _, _ in likest])
        best = next((other for other, _, _ in likest if other in here), None)
        if best is not None:
            read_as[term] = best
    question.prompt_terms = list(dict.fromkeys(read_as.get(term, term) for term in question.prompt_terms))
    return read_as


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
                paths=_listed(row.get("globs")),
                created=0.0,
                updated=0.0,
            )
            for row in lessons
        ]
    except KeyError as error:
        raise CuratorError(
            f"A lesson lacks {error}.", "Each line is an object with id, repo, text, and title and globs."
        ) from error


def _listed(value: object) -> tuple[str, ...]:
    """One glob, or several."""
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (value,) if isinstance(value, str) and value else ()


def answer(connection: Any, row: dict[str, object]) -> dict[str, object]:
    """What would be sent for one labelled question: see `curator eval search`. Raises ``CuratorError``."""
    try:
        id_, repo = row["id"], str(row["repo"])
        prompt, files = str(row.get("prompt") or ""), row.get("open_files") or ()
    except KeyError as error:
        raise CuratorError(f"A question lacks {error}.", "Each line is an object with id, repo, prompt, open_files.") from error
    if not isinstance(files, list | tuple):
        raise CuratorError("open_files is no list.", "It is a list of paths.")
    question = Question("prompt", prompt, tuple(map(str, files)), str(row.get("task_type") or ""))
    found = rank(question, hook_reader.gather(connection, repo, question))
    shown, _ = choose(found, "prompt")
    return {
        "id": id_,
        "results": [
            {"lesson": hit.id, "score": round(hit.score, 4), "why": {key: round(part, 3) for key, part in hit.parts.items()}}
            for hit in found[:10]
        ],
        "shown": [hit.id for hit in shown],
    }
