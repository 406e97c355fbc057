"""Search: which lessons matter to a question, by the same ranking as in a hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from curator import clock
from curator.app.curator import Curator
from curator.errors import CuratorError
from curator.model import Category, Entry, State
from curator.ranking.rank import Question, choose, rank
from curator.store import hook_reader
from curator.text.words import terms

if TYPE_CHECKING:
    from curator.ranking.rank import Hit, Question


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


def _matches(
    curator: Curator,
    words: str,
    files: Sequence[str],
    states: Sequence[State],
    limit: int,
) -> Iterator[Match]:
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
            f"A lesson has no {error}.", "Each line is an object with id, repo, text, and title and globs."
        ) from error


def _as_tuple(value: object) -> tuple[str, ...]:
    """Return one glob, or several, as a tuple."""
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (value,) if isinstance(value, str) and value else ()


def answer(connection: Any, row: dict[str, object]) -> dict[str, object]:
    """Return the lessons that hooks would send for one labelled question: see `curator eval search`. Raises
    ``CuratorError``.
    """
    try:
        id_, repo = row["id"], str(row["repo"])
        prompt, files = str(row.get("prompt") or ""), row.get("open_files") or ()
    except KeyError as error:
        raise CuratorError(
            f"A question has no {error}.", "Each line is an object with id, repo, prompt, open_files."
        ) from error
    if not isinstance(files, list | tuple):
        raise CuratorError("open_files is not a list.", "Give a list of paths.")
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
