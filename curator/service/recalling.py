"""Lessons that matter now, for people, agents and measurements: the same rooms as in a hook, on the service's connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator import clock
from curator.errors import CuratorError
from curator.model import Category, Entry, State
from curator.recall.choose import choose
from curator.recall.question import Question
from curator.recall.rank import Hit, rank
from curator.service.reader import Reader
from curator.store import fast


def hits(reader: Reader, project: str, question: Question) -> list[Hit]:
    """The lessons of a project, and global ones, that a question may be about, best first; refused ones are said to be so."""
    return rank(question, fast.gather(reader.store.connection, project, question), clock.now())


def recalled(reader: Reader, project: str, words: str, files: Sequence[str] = (), limit: int = 5) -> list[tuple[Entry, Hit]]:
    """The best lessons for these words and files that may be told, whole."""
    found = [hit for hit in hits(reader, project, Question("prompt", words, tuple(files))) if not hit.refused]
    entries = ((reader.peek(hit.id), hit) for hit in found[:limit])
    return [(entry, hit) for entry, hit in entries if entry is not None and entry.state is State.ACTIVE]


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
                paths=tuple(map(str, row.get("globs") or ())),  # type: ignore[call-overload]
                created=0.0,
                updated=0.0,
            )
            for row in lessons
        ]
    except KeyError as error:
        raise CuratorError(
            f"A lesson lacks {error}.", "Each line is an object with id, repo, text, and title and globs."
        ) from error


def answer(connection: Any, row: dict[str, object]) -> dict[str, object]:
    """What would be told to one labelled question: see `curator eval search`. Raises ``CuratorError``."""
    try:
        id_, repo = row["id"], str(row["repo"])
        prompt, files = str(row.get("prompt") or ""), row.get("open_files") or ()
    except KeyError as error:
        raise CuratorError(f"A question lacks {error}.", "Each line is an object with id, repo, prompt, open_files.") from error
    if not isinstance(files, list | tuple):
        raise CuratorError("open_files is no list.", "It is a list of paths.")
    question = Question("prompt", prompt, tuple(map(str, files)), str(row.get("task_type") or ""))
    found = rank(question, fast.gather(connection, repo, question))
    shown, _ = choose(found, "prompt")
    return {
        "id": id_,
        "results": [
            {"lesson": hit.id, "score": round(hit.score, 4), "why": {key: round(part, 3) for key, part in hit.parts.items()}}
            for hit in found[:10]
        ],
        "shown": [hit.id for hit in shown],
    }
