"""Search: which lessons matter to a question, by the same ranking as in a hook; and packs: these in one block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from curator import clock
from curator.app import project_files
from curator.app.curator import Curator
from curator.errors import NoProject
from curator.model import Category, Entry, State
from curator.ranking import packs
from curator.ranking.packs import Pack
from curator.ranking.rank import Hit, Question, group_copies, matches, rank
from curator.ranking.weights import SEND_THRESHOLD
from curator.store import hook_reader
from curator.store.indexes import Line
from curator.text.words import terms

BUDGET = packs.BUDGET


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


def pack(curator: Curator, words: str = "", files: Sequence[str] = (), budget: int = BUDGET) -> Pack:
    """Return the pack for words and files (relative to the project), of the whole project without either.

    Raises ``CuratorError`` without a project.
    """
    if curator.project is None:
        raise NoProject("a pack needs one")
    every = curator.store.ranking_index.lines(curator.scope or "")
    chosen = choose(curator, every, words, files)
    group_of = group_copies((line.id, other) for line in every for other in line.copies)
    best: dict[frozenset[str], Line] = {}
    for line in chosen:
        best.setdefault(group_of.get(line.id, frozenset((line.id,))), line)
    lines = [*best.values()]
    tops = cache(lambda: curator.tops(curator.project) if curator.project else [])
    entries = (entry for line in lines if (entry := curator.lessons.peek(line.id)))
    found = packs.compile((inner for entry in entries for inner in project_files.for_files([entry], tops)[0].values()), budget)
    left_out = len(lines) - len(found.lessons) - found.alike
    return replace(found, left_out=left_out, alike=found.alike + len(chosen) - len(lines))


def choose(curator: Curator, every: Sequence[Line], words: str, files: Sequence[str]) -> list[Line]:
    """Return the lessons that belong to the words or to one of the files, best first; all without either."""
    question = Question("prompt", words, tuple(files))
    found = {hit.id: hit for hit in hits(curator, curator.scope or "", question)} if words or files else {}
    fitting = [line for line in every if not (words or files) or fits(line, found.get(line.id), question, files)]
    scores = {id_: hit.score for id_, hit in found.items()}
    return sorted(fitting, key=lambda line: (-scores.get(line.id, 0.0), -line.outcome_odds, -line.created, line.id))


def fits(line: Line, hit: Hit | None, question: Question, files: Sequence[str]) -> bool:
    """Return whether a lesson belongs into a pack: it is about the file, shares half of the words, or a hook would send it."""
    if hit and (hit.score >= SEND_THRESHOLD or (hit.words and 2 * len(hit.words) >= len(question.prompt_terms))):
        return True
    return any(contains_file(place, file) for place in line.places for file in files)


def contains_file(place: str, file: str) -> bool:
    """Return whether a place of a lesson has a file, or lies in it where it is a folder.

    >>> contains_file("=a/b.py", "a"), contains_file("a/**", "a/c.py"), contains_file("=a/b.py", "a/c.py")
    (True, True, False)
    """
    if not place.startswith("="):
        return place.startswith(f"{file}/") or matches(place, file.split("/"))
    name = place[1:].rstrip("/")
    return name == file or name.startswith(f"{file}/") or file.startswith(f"{name}/")
